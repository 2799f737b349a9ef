//! `juror view`: filters of the queue under a name.

use serde::Serialize;

use super::output::one_line;
use super::{Context, Exit, Failure};
use crate::domain::filter::Filter;
use crate::domain::view::View;
use crate::store::{Durability, Store};
use crate::text::width::{pad, width};

/// List the views of the queue, save one, or remove it
#[derive(clap::Args)]
#[command(after_help = "\
A view is a filter under a name. `juror review` shows them as tabs with how many
claims each has, `juror queue --view NAME` lists those claims. The first ones are
everybody's, the others are your own: NAME is found whatever its capitals.

--json prints one array of {name, filter, own, count}; `filter` is empty where
the whole queue is meant.

Examples:
  juror view
  juror view save night 'severity>=high age<12h'
  juror view remove night")]
pub(super) struct Arguments {
    #[command(subcommand)]
    what: Option<What>,
    #[arg(long, value_name = "NAME", global = true, help = "Whose views (also JUROR_ANNOTATOR)")]
    pub(super) by: Option<String>,
}

#[derive(clap::Subcommand)]
enum What {
    /// List them, with how many claims each has
    List,
    /// Save a filter as a view, in the place of one of that name
    Save {
        #[arg(value_name = "NAME")]
        name: String,
        #[arg(
            value_name = "QUERY",
            allow_hyphen_values = true,
            help = "A filter: `juror queue --help` explains it"
        )]
        query: Filter,
    },
    /// Remove a view of your own; the claims stay
    Remove {
        #[arg(value_name = "NAME")]
        name: String,
    },
}

/// A view for programs.
#[derive(Serialize)]
struct Row {
    name: String,
    filter: String,
    own: bool,
    count: u64,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> anyhow::Result<Exit> {
    let annotator = context.config.annotator.value.clone();
    match &arguments.what {
        None | Some(What::List) => list(context),
        Some(What::Save { name, query }) => {
            if query.is_empty() {
                return Err(Failure::bad_input(
                    "the filter is empty: the view of the whole queue is `All open`",
                )
                .into());
            }
            let before = context.open_or_create(Durability::Full)?.save_view(&annotator, name, query)?;
            let name = one_line(name.trim());
            match before {
                Some(before) => {
                    context.out.note(&format!("saved {name} in the place of `{}`", one_line(&before)));
                }
                None if context.config.blind.value => {
                    context.out.note(&format!("saved {name}: it is a tab once the review is not blind"));
                }
                None => {
                    context
                        .out
                        .note(&format!("saved {name}: `juror queue --view '{name}'` lists its claims"));
                }
            }
            Ok(Exit::Fine)
        }
        Some(What::Remove { name }) => {
            let before = context.open_or_create(Durability::Full)?.remove_view(&annotator, name)?;
            let name = one_line(name.trim());
            let Some(before) = before else {
                return Err(Failure::bad_input(format!(
                    "you saved no view `{name}`: `juror view` lists them, and those of everybody cannot be removed"
                ))
                .into());
            };
            context.out.note(&format!("removed {name}, which was `{}`", one_line(&before)));
            Ok(Exit::Fine)
        }
    }
}

/// What the view of `name` asks for.
pub(super) fn filter(store: &Store, name: &str, context: &Context) -> anyhow::Result<Filter> {
    let views = store.views(&context.config.annotator.value)?;
    let found = View::named(&views, name).map(|view| view.filter.clone());
    Ok(found.ok_or_else(|| {
        Failure::bad_input(format!("there is no view `{}`: `juror view` lists them", one_line(name)))
    })?)
}

fn list(context: &mut Context) -> anyhow::Result<Exit> {
    if context.config.blind.value {
        return Err(Failure::bad_input(
            "the counts of the views could tell what a blind review hides: --open shows them",
        )
        .into());
    }
    let store = context.read_store()?;
    let now = context.clock.now();
    // The counts are of one moment.
    let rows: Vec<Row> = store.snapshot(|| {
        let views = store.views(&context.config.annotator.value)?;
        let counted = views.into_iter().map(|view| {
            let count = store.found_count(&view.filter, now)?;
            Ok(Row { filter: view.filter.to_string(), name: view.name, own: view.is_own, count })
        });
        counted.collect::<anyhow::Result<_>>()
    })?;
    if context.out.wants_json() {
        context.out.json(&rows)?;
        return Ok(Exit::Fine);
    }
    let names = rows.iter().map(|row| width(&row.name)).max().unwrap_or(0);
    let counts = rows.iter().map(|row| row.count.to_string().len()).max().unwrap_or(0);
    for row in &rows {
        let filter = if row.filter.is_empty() { "the whole queue" } else { &row.filter };
        let line = format!("{}  {:>counts$}  {filter}", pad(&one_line(&row.name), names), row.count);
        context.out.text(&one_line(&line))?;
    }
    Ok(Exit::Fine)
}
