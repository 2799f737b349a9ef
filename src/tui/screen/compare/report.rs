//! What came of the comparison in hand: rates with their intervals, the gate's word, the shift of severity and kind.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{chart, list, more};
use crate::domain::verdict::Severity;
use crate::report::comparison::SHIFT;
use crate::report::{Says, Shows, Table};
use crate::text::sanitize::visible;
use crate::text::wrap::wrap;
use crate::tui::app::App;
use crate::tui::command::{Command, Place};
use crate::tui::exchanges::Reading;
use crate::tui::screen::queue::{one_line, words_in};
use crate::tui::screens::compare::Told;
use crate::tui::theme::Role;
use crate::tui::widget::badge;
use crate::tui::widget::figure::count;
use crate::tui::widget::panel::Panel;
use crate::tui::widget::phrase::Phrase;

/// Newly wrong claims that are named below the figures.
const NAMED: usize = 5;

pub(super) fn draw(app: &App, area: Rect, buf: &mut Buffer) {
    let theme = &app.settings.theme;
    let compare = &app.screens.compare;
    let name = compare.chosen.clone().unwrap_or_default();
    let panel = Panel {
        top_left: Phrase::new().say(Role::Title, name.as_str()),
        top_right: compare.told.ready().map_or_else(Vec::new, |told| marks(told)),
        ..Panel::default()
    };
    let room = panel.draw(area, buf, theme);
    match &compare.told {
        Reading::Loading => {
            Phrase::new().say(Role::Muted, format!("reading {name}…")).draw(room, buf, theme);
        }
        Reading::Error(why) => words_in(why, Role::Error, room, buf, theme),
        Reading::Ready(_) => {
            let lines = lines(app, room.width);
            let height = usize::from(room.height);
            let top = compare.top.min(lines.len().saturating_sub(height));
            for (y, line) in (room.y..room.bottom()).zip(&lines[top..]) {
                line.draw(Rect { y, height: 1, ..room }, buf, theme);
            }
            more(top > 0, top + height < lines.len(), room, buf, app);
        }
    }
}

/// What must be known before any figure is believed, the fullest form first.
pub(super) fn marks(told: &Told) -> Vec<Phrase> {
    let provisional = |words: Phrase| match told.report.provisional {
        Some(_) => words.say(Role::Warning, "PROVISIONAL"),
        None => words,
    };
    let judge = match &told.calibration {
        None => Phrase::new().say(Role::Warning, "judge NOT CALIBRATED"),
        Some((state, _)) if state == "CALIBRATED" => Phrase::new().say(Role::Muted, "judge CALIBRATED"),
        Some((state, _)) => Phrase::new().say(Role::Warning, format!("judge {}", one_line(state))),
    };
    let first = provisional(Phrase::new());
    let both = if first.is_empty() { judge } else { first.clone().say(Role::Muted, " · ").join(judge) };
    vec![both, first]
}

/// Its lines at this width; none while it is not read.
pub(super) fn lines(app: &App, width: u16) -> Vec<Phrase> {
    let Reading::Ready(told) = &app.screens.compare.told else { return Vec::new() };
    let report = &told.report;
    let mut page = Page { lines: Vec::new(), width };
    page.rates(told);
    if let Some(first) = report.sentences.first() {
        page.words(Role::Text, first);
        page.gap();
        page.gate(told);
        page.cautions(told);
        page.severities(told);
    }
    page.claims(app, told);
    page.facts(told);
    page.lines
}

struct Page {
    lines: Vec<Phrase>,
    width: u16,
}

impl Page {
    fn gap(&mut self) {
        if self.lines.last().is_some_and(|last| !last.is_empty()) {
            self.lines.push(Phrase::new());
        }
    }

    fn words(&mut self, role: Role, text: &str) {
        self.after(&Phrase::new(), role, text);
    }

    /// `text` behind `begin`, further lines below its beginning.
    fn after(&mut self, begin: &Phrase, role: Role, text: &str) {
        let shown = visible(text);
        let indent = begin.width();
        let blank = " ".repeat(indent.into());
        for (at, line) in wrap(&shown, self.width.saturating_sub(indent)).iter().enumerate() {
            let begin = if at == 0 { begin.clone() } else { Phrase::new().say(Role::Text, blank.as_str()) };
            self.lines.push(begin.say(role, line.span.of(&shown).unwrap_or_default().trim_end()));
        }
    }

    fn rates(&mut self, told: &Told) {
        let legend = Phrase::new().say(Role::Title, "Wrong claims");
        let legend =
            chart::FILLS.iter().zip(["baseline", "candidate"]).fold(legend, |words, ((fill, role), name)| {
                words.say(*role, format!("   {fill}")).say(Role::Muted, format!(" {name}"))
            });
        self.lines.push(legend.say(Role::Muted, "   ├─●─┤ 95 %"));
        let figure = |id| told.report.figure(id);
        let figures = [figure("baseline_rate"), figure("candidate_rate"), figure("rate_change")];
        self.lines.extend(chart::rates(figures, self.width));
    }

    fn gate(&mut self, told: &Told) {
        let Some(gate) = &told.report.gate else { return };
        self.lines.push(Phrase::new().say(Role::Title, "Gate  ").join(list::gate(gate.says.label())));
        for condition in &gate.conditions {
            let (sign, role) = match condition.says {
                Says::Yes => ("  ✓ ", Role::Ok),
                Says::CannotSay => ("  ? ", Role::Warning),
                Says::No => ("  ✗ ", Role::Error),
            };
            let begin = Phrase::new().say(role, sign);
            self.after(&begin, Role::Text, &format!("{}: {}", condition.asked, condition.sentence));
        }
    }

    fn cautions(&mut self, told: &Told) {
        if let Some(why) = &told.report.provisional {
            self.after(&Phrase::new().say(Role::Warning, "PROVISIONAL  "), Role::Text, why);
        }
        match &told.calibration {
            Some((state, _)) if state == "CALIBRATED" => {}
            Some((state, sentence)) => {
                let begin = Phrase::new().say(Role::Warning, format!("judge {}  ", one_line(state)));
                self.after(&begin, Role::Text, sentence);
            }
            None => {
                let begin = Phrase::new().say(Role::Warning, "judge NOT CALIBRATED  ");
                let what = "nobody measured it against people when this was compared: `juror calibrate` does";
                self.after(&begin, Role::Text, what);
            }
        }
    }

    fn severities(&mut self, told: &Told) {
        let chart = told.report.parts.iter().find_map(|part| match &part.shows {
            Shows::Chart(chart) => Some((&part.title, chart)),
            _ => None,
        });
        if let Some((title, chart)) = chart {
            self.gap();
            self.lines.push(Phrase::new().say(Role::Title, title.as_str()));
            self.lines.extend(chart::pairs(chart, self.width));
        }
        let table = told.report.parts.iter().find_map(|part| match &part.shows {
            Shows::Table(table) if part.title == SHIFT => Some(table),
            _ => None,
        });
        if let Some(table) = table {
            self.kinds(table);
        }
    }

    /// The kinds of wrong claims, those that only the candidate shows marked.
    fn kinds(&mut self, table: &Table) {
        for row in &table.rows {
            let [name, before, after, _, is_new] = row.as_slice() else { continue };
            let is_severity = Severity::ALL.iter().any(|severity| severity.label() == name);
            if is_severity || (before == "0" && after == "0") {
                continue;
            }
            let line =
                Phrase::new().say(Role::Label, format!("  {:<18}", name.to_lowercase().replace('_', " ")));
            let line = line.say(Role::Text, format!("{before:>4} → {after}"));
            self.lines.push(if is_new.is_empty() {
                line
            } else {
                line.say(Role::Warning, "  new with the candidate")
            });
        }
    }

    fn claims(&mut self, app: &App, told: &Told) {
        self.gap();
        let title = Phrase::new().say(Role::Title, format!("Newly wrong claims  {}", count(told.total)));
        if told.claims.is_empty() {
            self.lines.push(title);
            return;
        }
        let key = app.settings.keymap.label(Command::Open, Place::Screen);
        self.lines
            .push(title.say(Role::Muted, " · ").say(Role::Key, key).say(Role::Muted, " goes through them"));
        for claim in told.claims.iter().take(NAMED) {
            let (severity, role) = badge::severity(claim.severity);
            let line = Phrase::new().say(role, format!("  {severity} "));
            self.lines.push(line.say(Role::Text, one_line(&claim.text)));
        }
    }

    fn facts(&mut self, told: &Told) {
        self.gap();
        for fact in told.report.facts.iter().filter(|fact| fact.name != "calibration") {
            let begin = Phrase::new().say(Role::Label, format!("{:<11}", one_line(&fact.name)));
            self.after(&begin, Role::Muted, &fact.value);
        }
        let left_out = told.report.parts.iter().find_map(|part| match &part.shows {
            Shows::Findings(findings) => Some(findings.total).filter(|total| *total > 0),
            _ => None,
        });
        if let Some(total) = left_out {
            let begin = Phrase::new().say(Role::Warning, "left out   ");
            let items = if total == 1 { "1 item".to_owned() } else { format!("{} items", count(total)) };
            let text = format!("{items}, which `juror report comparison {}` names", told.name);
            self.after(&begin, Role::Text, &text);
        }
    }
}
