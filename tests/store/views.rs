//! Filters under a name, each person's own.

use juror::domain::ids::Annotator;
use juror::domain::view::{MOST_OWN, View};
use juror::store::StoreError;

use crate::fixture::desk;

#[test]
fn a_saved_view_is_the_person_s_own_and_survives_a_restart() {
    let mut desk = desk();
    let (ana, ben) = (Annotator::new("ana"), Annotator::new("ben"));
    let query = "severity>=high -note:*".parse().unwrap();
    assert_eq!(desk.store.save_view(&ana, " Night ", &query).unwrap(), None);
    let views = desk.again().views(&ana).unwrap();
    let view = View::named(&views, "night").unwrap();
    assert_eq!((view.name.as_str(), &view.filter, view.is_own), ("Night", &query, true));
    assert_eq!(View::named(&desk.store.views(&ben).unwrap(), "night"), None);

    let other = "age<2h".parse().unwrap();
    let before = desk.store.save_view(&ana, "NIGHT", &other).unwrap();
    assert_eq!(before.as_deref(), Some("severity>=high -note:*"), "one name, one view");
    assert_eq!(desk.store.remove_view(&ana, "night").unwrap().as_deref(), Some("age<2h"));
    assert_eq!(desk.store.remove_view(&ana, "night").unwrap(), None);
    assert_eq!(desk.store.views(&ana).unwrap(), View::shipped(&ana));
}

#[test]
fn a_view_that_cannot_be_is_refused_with_a_sentence() {
    let mut desk = desk();
    let ana = Annotator::new("ana");
    let query = "age<2h".parse().unwrap();
    let taken = desk.store.save_view(&ana, "critical", &query);
    assert!(matches!(&taken, Err(StoreError::Refused(why)) if why.contains("everybody has")), "{taken:?}");
    for n in 0..MOST_OWN {
        desk.store.save_view(&ana, &format!("view {n}"), &query).unwrap();
    }
    let over = desk.store.save_view(&ana, "one more", &query);
    assert!(matches!(&over, Err(StoreError::Refused(why)) if why.contains("remove one")), "{over:?}");
}
