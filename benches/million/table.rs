//! What was measured beside what was promised.

/// A budget is broken when it is missed by more than this factor.
const NOISE: f64 = 2.0;

#[derive(Default)]
pub(crate) struct Table {
    rows: Vec<Row>,
}

struct Row {
    what: String,
    unit: &'static str,
    measured: f64,
    /// The most, or the least, that is allowed; `None` for a figure without a promise.
    budget: Option<Budget>,
}

#[derive(Clone, Copy)]
enum Budget {
    AtMost(f64),
    AtLeast(f64),
}

impl Table {
    pub(crate) fn at_most(&mut self, what: impl Into<String>, unit: &'static str, measured: f64, most: f64) {
        self.add(what.into(), unit, measured, Some(Budget::AtMost(most)));
    }

    pub(crate) fn at_least(
        &mut self,
        what: impl Into<String>,
        unit: &'static str,
        measured: f64,
        least: f64,
    ) {
        self.add(what.into(), unit, measured, Some(Budget::AtLeast(least)));
    }

    /// A figure that explains another.
    pub(crate) fn note(&mut self, what: impl Into<String>, unit: &'static str, measured: f64) {
        self.add(what.into(), unit, measured, None);
    }

    fn add(&mut self, what: String, unit: &'static str, measured: f64, budget: Option<Budget>) {
        let row = Row { what, unit, measured, budget };
        println!("{}", row.line());
        self.rows.push(row);
    }

    pub(crate) fn print(&self) {
        println!("\n| what | measured | budget | margin |\n|---|---|---|---|");
        for row in &self.rows {
            println!("{}", row.line());
        }
        for row in self.rows.iter().filter(|row| row.is_broken()) {
            println!("BROKEN more than {NOISE}-fold: {}", row.what);
        }
    }

    pub(crate) fn is_broken(&self) -> bool {
        self.rows.iter().any(Row::is_broken)
    }
}

impl Row {
    /// How many times better than promised; below 1 the promise is not kept.
    fn margin(&self) -> Option<f64> {
        match self.budget? {
            Budget::AtMost(most) => Some(most / self.measured.max(f64::MIN_POSITIVE)),
            Budget::AtLeast(least) => Some(self.measured / least),
        }
    }

    fn is_broken(&self) -> bool {
        // A measure that could not be taken counts as broken.
        self.budget.is_some() && !self.margin().is_some_and(|margin| margin * NOISE >= 1.0)
    }

    fn line(&self) -> String {
        let budget = match self.budget {
            Some(Budget::AtMost(most)) => format!("≤ {most} {}", self.unit),
            Some(Budget::AtLeast(least)) => format!("≥ {least} {}", self.unit),
            None => String::new(),
        };
        let margin = match self.margin() {
            Some(margin) if margin < 1.0 => format!("MISSED {margin:.2} ×"),
            Some(margin) if margin > 1000.0 => "> 1000 ×".to_owned(),
            Some(margin) => format!("{margin:.1} ×"),
            None => String::new(),
        };
        format!("| {} | {:.3} {} | {budget} | {margin} |", self.what, self.measured, self.unit)
    }
}
