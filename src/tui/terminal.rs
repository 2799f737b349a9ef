//! The terminal: taken over, drawn on, given back as it was, whatever happens.
//!
//! Nothing here asks the terminal a question, because where nothing answers the program would hang.
//! This module must not know what is drawn.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, PoisonError};
use std::thread::ThreadId;

use crossterm::cursor::{Hide, Show};
use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::execute;
use crossterm::terminal::{
    EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::backend::{Backend, ClearType, WindowSize};
use ratatui::buffer::Cell;
use ratatui::layout::{Position, Size};
use ratatui::{Frame, Terminal};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};

use super::clipboard;
use super::painter::Painter;

/// Whether the terminal is taken over.
static TAKEN: AtomicBool = AtomicBool::new(false);
/// Whether the mouse is taken along with the terminal.
static MOUSE: AtomicBool = AtomicBool::new(false);
/// Buttons and wheel, but no mere movement, which would be a flood; with places beyond column 223.
const TAKE_MOUSE: &str = "\x1b[?1002h\x1b[?1006h";
const GIVE_MOUSE: &str = "\x1b[?1006l\x1b[?1002l";
/// Between the two the terminal gathers what it shows then at once.
const BEGIN_FRAME: &str = "\x1b[?2026h";
const END_FRAME: &str = "\x1b[?2026l";
/// The thread that draws.
static DRAWER: Mutex<Option<ThreadId>> = Mutex::new(None);
static HOOK: Once = Once::new();

/// The terminal while it is taken over. Dropping it gives it back.
pub struct Screen {
    terminal: Terminal<Canvas>,
    painter: Painter,
}

impl Screen {
    /// Whether a person at a terminal that can place text is there.
    pub fn is_possible() -> bool {
        io::stdin().is_terminal() && io::stdout().is_terminal() && !is_dumb()
    }

    /// Takes the terminal over on behalf of the calling thread; `mouse` too, if asked for.
    pub fn enter(mouse: bool) -> io::Result<Self> {
        install_hook();
        MOUSE.store(mouse, Ordering::SeqCst);
        *DRAWER.lock().unwrap_or_else(PoisonError::into_inner) = Some(std::thread::current().id());
        take()?;
        match Terminal::new(Canvas::default()) {
            Ok(terminal) => Ok(Self { terminal, painter: Painter::default() }),
            Err(error) => {
                restore();
                Err(error)
            }
        }
    }

    /// Whether the terminal is still there. Where its end is not announced by a signal, reading it
    /// brings nothing for ever.
    pub fn is_there(&self) -> bool {
        tcgetattr(io::stdin()).is_ok()
    }

    /// Columns and rows.
    pub fn size(&self) -> io::Result<Size> {
        self.terminal.size()
    }

    /// Draws one frame that the terminal shows at once or not at all. Gives how many bytes that takes.
    pub fn draw(&mut self, view: impl FnOnce(&mut Frame<'_>)) -> io::Result<usize> {
        let drawn = self.terminal.draw(view)?.buffer.clone();
        let cursor = self.terminal.backend().cursor;
        let painted = self.painter.paint(&drawn, cursor);
        let frame = format!("{BEGIN_FRAME}{painted}{END_FRAME}");
        write_now(&frame)?;
        Ok(frame.len())
    }

    /// Gives the terminal back for a while: to the shell, or to an editor.
    pub fn leave(&mut self) {
        restore();
    }

    /// Takes it over again; the next frame is drawn from nothing.
    pub fn take_again(&mut self) -> io::Result<()> {
        self.painter.forget();
        take()
    }

    pub fn bell(&mut self) -> io::Result<()> {
        write_now("\x07")
    }

    /// Asks the terminal to notify its user, in both common ways. `text` must hold nothing that may
    /// not be seen on a locked screen, and no control character.
    pub fn notify(&mut self, text: &str) -> io::Result<()> {
        write_now(&format!("\x1b]9;{text}\x07\x1b]777;notify;juror;{text}\x07"))
    }

    /// Hands `text` to the clipboard of the terminal, which may not know how, or not be allowed to.
    pub fn copy(&mut self, text: &str) -> io::Result<()> {
        write_now(&clipboard::sequence(text))
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

/// What ratatui draws into. It shows nothing itself: a whole frame goes to the painter.
#[derive(Default)]
struct Canvas {
    /// Where the cursor is to show.
    cursor: Option<Position>,
}

impl Backend for Canvas {
    type Error = io::Error;

    fn draw<'a, I: Iterator<Item = (u16, u16, &'a Cell)>>(&mut self, _: I) -> io::Result<()> {
        Ok(())
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        self.cursor = None;
        Ok(())
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Never asked of the terminal.
    fn get_cursor_position(&mut self) -> io::Result<Position> {
        Ok(self.cursor.unwrap_or_default())
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        self.cursor = Some(position.into());
        Ok(())
    }

    fn clear(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn clear_region(&mut self, _: ClearType) -> io::Result<()> {
        Ok(())
    }

    fn size(&self) -> io::Result<Size> {
        let (width, height) = crossterm::terminal::size()?;
        Ok(Size { width, height })
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        Ok(WindowSize { columns_rows: self.size()?, pixels: Size::default() })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Announces what of a long input was left in the terminal: the source of events reads a thousand bytes and waits to be
/// told of more, and what was there already is told of no more. Setting the terminal as it is set tells it again.
pub(super) fn announce_the_rest() {
    let stdin = io::stdin();
    if TAKEN.load(Ordering::SeqCst)
        && rustix::io::ioctl_fionread(&stdin).is_ok_and(|left| left > 0)
        && let Ok(settings) = tcgetattr(&stdin)
    {
        // Where it cannot be told, the next key tells it.
        let _ = tcsetattr(&stdin, OptionalActions::Now, &settings);
    }
}

fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}

fn take() -> io::Result<()> {
    TAKEN.store(true, Ordering::SeqCst);
    enable_raw_mode()
        .and_then(|()| execute!(io::stdout(), EnterAlternateScreen, EnableBracketedPaste, Hide))
        .and_then(|()| if MOUSE.load(Ordering::SeqCst) { write_now(TAKE_MOUSE) } else { Ok(()) })
        .inspect_err(|_| restore())
}

/// Gives the terminal back as it was. Does nothing when it is not taken.
fn restore() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        // Each step is tried whatever became of the one before.
        if MOUSE.load(Ordering::SeqCst) {
            let _ = write_now(GIVE_MOUSE);
        }
        let mut out = io::stdout();
        let _ = execute!(out, EndSynchronizedUpdate, DisableBracketedPaste, LeaveAlternateScreen, Show);
        let _ = disable_raw_mode();
    }
}

fn write_now(text: &str) -> io::Result<()> {
    let mut out = io::stdout();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// A panic of the drawing thread gives the terminal back before it is reported. One of another
/// thread must not garble the living screen: it goes to the log.
fn install_hook() {
    HOOK.call_once(|| {
        let report = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let drawer = *DRAWER.lock().unwrap_or_else(PoisonError::into_inner);
            if drawer == Some(std::thread::current().id()) {
                restore();
            } else if TAKEN.load(Ordering::SeqCst) {
                tracing::error!(%panic, "a background task panicked");
                return;
            }
            report(panic);
        }));
    });
}
