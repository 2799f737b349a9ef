//! What was measured beside what was promised.

/// A budget that was measured once is broken when it is missed by more than this factor.
const NOISE: f64 = 2.0;

#[derive(Default)]
pub(crate) struct Table {
    rows: Vec<Row>,
    is_disturbed: bool,
}

struct Row {
    what: String,
    unit: &'static str,
    /// Of several runs the median.
    measured: f64,
    /// The run that other work disturbed least, where there are several.
    best: Option<f64>,
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
        self.add(what.into(), unit, measured, None, Some(Budget::AtMost(most)));
    }

    pub(crate) fn at_least(
        &mut self,
        what: impl Into<String>,
        unit: &'static str,
        measured: f64,
        least: f64,
    ) {
        self.add(what.into(), unit, measured, None, Some(Budget::AtLeast(least)));
    }

    /// Whether other work wants more than there is: then no run is undisturbed, and several are worth no more than one.
    pub(crate) fn is_disturbed(&mut self, is_disturbed: bool) {
        self.is_disturbed = is_disturbed;
    }

    /// The same of several runs. Other work on the machine only ever slows a run down, so that the best one has the
    /// least of it: the budget is broken when not even that one keeps it.
    pub(crate) fn at_most_of(
        &mut self,
        what: impl Into<String>,
        unit: &'static str,
        runs: &[f64],
        most: f64,
    ) {
        let best = runs.iter().copied().reduce(f64::min);
        self.add(what.into(), unit, median(runs), best, Some(Budget::AtMost(most)));
    }

    /// The same where more is better.
    pub(crate) fn at_least_of(
        &mut self,
        what: impl Into<String>,
        unit: &'static str,
        runs: &[f64],
        least: f64,
    ) {
        let best = runs.iter().copied().reduce(f64::max);
        self.add(what.into(), unit, median(runs), best, Some(Budget::AtLeast(least)));
    }

    /// A figure that explains another.
    pub(crate) fn note(&mut self, what: impl Into<String>, unit: &'static str, measured: f64) {
        self.add(what.into(), unit, measured, None, None);
    }

    fn add(
        &mut self,
        what: String,
        unit: &'static str,
        measured: f64,
        best: Option<f64>,
        budget: Option<Budget>,
    ) {
        let best = best.filter(|_| !self.is_disturbed);
        let row = Row { what, unit, measured, best, budget };
        println!("{}", row.line());
        self.rows.push(row);
    }

    pub(crate) fn print(&self) {
        println!("\n| what | measured | budget | margin |\n|---|---|---|---|");
        for row in &self.rows {
            println!("{}", row.line());
        }
        for row in self.rows.iter().filter(|row| row.is_broken()) {
            println!("BROKEN by more than noise explains: {}", row.what);
        }
    }

    pub(crate) fn is_broken(&self) -> bool {
        self.rows.iter().any(Row::is_broken)
    }
}

impl Row {
    /// How many times better than promised; below 1 the promise is not kept.
    fn margin(&self) -> Option<f64> {
        self.margin_of(self.measured)
    }

    fn margin_of(&self, measured: f64) -> Option<f64> {
        match self.budget? {
            Budget::AtMost(most) => Some(most / measured.max(f64::MIN_POSITIVE)),
            Budget::AtLeast(least) => Some(measured / least),
        }
    }

    fn is_broken(&self) -> bool {
        let margin = match self.best {
            Some(best) => self.margin_of(best),
            None => self.margin().map(|margin| margin * NOISE),
        };
        // A measure that could not be taken counts as broken.
        self.budget.is_some() && !margin.is_some_and(|margin| margin >= 1.0)
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
            Some(margin) => format!("{margin:.2} ×"),
            None => String::new(),
        };
        let best = self.best.map_or_else(String::new, |best| format!(" (best {best:.3})"));
        format!("| {} | {:.3} {}{best} | {budget} | {margin} |", self.what, self.measured, self.unit)
    }
}

/// The middle one; of an even number the higher of the two.
fn median(runs: &[f64]) -> f64 {
    let mut sorted = runs.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}
