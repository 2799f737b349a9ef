//! The terminal is the shell's while the program is stopped.

use rustix::process::Signal;

use super::pause;
use super::pty::Bench;

#[test]
fn control_z_gives_the_terminal_to_the_shell_and_fg_brings_the_screen_back() {
    let bench = Bench::with(2);
    let mut screen = bench.shell();
    let at_the_prompt = screen.settings();
    for _ in 0..2 {
        screen.send(&format!("{} review --mouse\n", env!("CARGO_BIN_EXE_juror")));
        screen.until("0/2");
        screen.send("\x1a");
        screen.until("Stopped");
        assert!(
            !screen.is_alternate()
                && !screen.hides_cursor()
                && !screen.takes_pastes()
                && !screen.takes_the_mouse()
        );
        assert_eq!(screen.settings(), at_the_prompt);
        screen.send("echo in-the-$((40 + 2))\n");
        screen.until("in-the-42");
        screen.send("fg\n");
        screen.until("0/2");
        assert!(screen.is_alternate() && screen.takes_pastes() && screen.takes_the_mouse());
        screen.send("?");
        screen.until("Keys");
        screen.send("qq");
        screen.wait("the shell", || !screen.is_alternate() && screen.settings() == at_the_prompt);
    }
    screen.send("exit\n");
    screen.end();
}

#[test]
fn a_request_to_stop_from_outside_gives_the_terminal_back_first() {
    let bench = Bench::with(2);
    let mut screen = bench.shell();
    let at_the_prompt = screen.settings();
    // A job that tells its process id.
    let told = bench.path("pid");
    screen.send(&format!(
        "sh -c 'echo $$ > {}; exec {} review'\n",
        told.display(),
        env!("CARGO_BIN_EXE_juror")
    ));
    screen.until("Evidence");
    let pid: i32 = std::fs::read_to_string(&told).unwrap().trim().parse().unwrap();
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    for _ in 0..3 {
        screen.send("a");
        screen.until("Note on");
        rustix::process::kill_process(pid, Signal::TSTP).unwrap();
        screen.until("Stopped");
        assert!(!screen.is_alternate() && !screen.hides_cursor() && !screen.takes_pastes());
        assert_eq!(screen.settings(), at_the_prompt);
        screen.send("fg\n");
        screen.until("Note on");
        assert!(screen.is_alternate() && screen.takes_pastes());
        screen.send("\x1b");
        screen.gone("Note on");
    }
    screen.send("q");
    screen.wait("the shell", || !screen.is_alternate() && screen.settings() == at_the_prompt);
    screen.send("exit\n");
    screen.end();
}

#[test]
fn where_no_shell_could_bring_it_back_a_request_to_stop_is_not_obeyed() {
    let bench = Bench::with(2);
    let mut screen = bench.review(&[]);
    screen.until("0/2");
    screen.signal(Signal::TSTP);
    screen.send("\x1a");
    pause(300);
    screen.send("?");
    screen.until("Keys");
    screen.send("qq");
    assert_eq!(screen.end(), 0);
    screen.assert_restored();
}

#[test]
fn under_a_session_led_from_outside_the_namespace_a_stop_is_survived() {
    let bench = Bench::with(2);
    let Some(mut screen) = bench.review_in_a_namespace() else {
        eprintln!("skipped: this system gives no namespaces to its users");
        return;
    };
    screen.until("0/2");
    screen.send("\x1a");
    pause(300);
    screen.send("?");
    screen.until("Keys");
    screen.send("qq");
    assert_eq!(screen.end(), 0);
    screen.assert_restored();
}

#[test]
fn a_stop_from_outside_is_recovered_from() {
    let bench = Bench::with(2);
    let mut screen = bench.review(&[]);
    screen.until("0/2");
    screen.signal(Signal::STOP);
    pause(200);
    screen.signal(Signal::CONT);
    pause(200);
    screen.send("?");
    screen.until("Keys");
    screen.send("q");
    screen.until("0/2");
    screen.send("q");
    assert_eq!(screen.end(), 0);
    screen.assert_restored();
}
