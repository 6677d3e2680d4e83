//! Catches the panics of readers, and tells them from other panics.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook, take_hook};
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};

thread_local! {
    /// Whether the panics of this thread are caught.
    static IS_CAUGHT: Cell<bool> = const { Cell::new(false) };
    /// The message and the place of the last caught panic.
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
}

/// The number of panics in other threads.
static ELSEWHERE: AtomicU64 = AtomicU64::new(0);

/// The number of panics in threads whose panics are not caught, such as those of a server that answers its clients in
/// spite of them.
pub fn panics_elsewhere() -> u64 {
    install();
    ELSEWHERE.load(Ordering::SeqCst)
}

/// Returns the result of `work`, or the message of its panic.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    install();
    IS_CAUGHT.set(true);
    let outcome = catch_unwind(AssertUnwindSafe(work));
    IS_CAUGHT.set(false);
    outcome.map_err(|payload| {
        let text = LAST.take();
        if !text.is_empty() {
            return text;
        }
        // The panic comes from a thread that the reader joined.
        let text =
            payload.downcast_ref::<String>().map(String::as_str).or_else(|| payload.downcast_ref::<&str>().copied());
        format!("panic in another thread: {}", text.unwrap_or("without words"))
    })
}

/// Installs a panic hook that hides caught panics on the terminal.
fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = take_hook();
        set_hook(Box::new(move |panic| if IS_CAUGHT.get() { note(panic) } else { elsewhere(panic, &usual) }));
    });
}

fn note(panic: &PanicHookInfo<'_>) {
    LAST.set(panic.to_string().replace('\n', " "));
}

fn elsewhere(panic: &PanicHookInfo<'_>, usual: &(dyn Fn(&PanicHookInfo<'_>) + Send + Sync)) {
    ELSEWHERE.fetch_add(1, Ordering::SeqCst);
    usual(panic);
}
