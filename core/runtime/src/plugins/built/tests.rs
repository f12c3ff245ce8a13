use super::*;
use arenite_abi::raw::{ArHeader, PANIC_NONE, PANIC_UNWIND, SANITIZER_UNDEFINED};

const fn built(sanitizers: u32, panic: u32) -> ArPluginBuildV1 {
    ArPluginBuildV1 { header: ArHeader::of::<ArPluginBuildV1>(), sanitizers, panic }
}

const fn host(runtimes: u32, sanitizers: u32, panic: u32) -> Host {
    Host { runtimes, built: built(sanitizers, panic) }
}

const PLAIN: Host = host(0, 0, PANIC_UNWIND);

#[test]
fn the_runtime_is_looked_up_in_the_process() {
    let own = ArPluginBuildV1::of_rust(false).sanitizers;
    assert_eq!(Host::of_process(|_| false).runtimes, own);
    assert_eq!(Host::of_process(|name| name == "__tsan_init").runtimes, own | SANITIZER_THREAD);
}

#[test]
fn a_sanitizer_that_the_process_lacks_is_refused() {
    for (flag, name, option) in [
        (SANITIZER_ADDRESS, "AddressSanitizer", "address"),
        (SANITIZER_THREAD, "ThreadSanitizer", "thread"),
        (SANITIZER_MEMORY, "MemorySanitizer", "memory"),
    ] {
        let refused = PLAIN.check(&built(flag, PANIC_NONE)).expect_err("the runtime is missing");
        let wanted = format!("it was built with {name}, but this process runs without {name}: ");
        assert!(
            refused.starts_with(&wanted) && refused.contains(&format!("-fsanitize={option} ")),
            "{refused}"
        );
        assert_eq!(host(flag, 0, PANIC_UNWIND).check(&built(flag, PANIC_NONE)), Ok(()));
    }
    assert_eq!(PLAIN.check(&built(SANITIZER_UNDEFINED, PANIC_NONE)), Ok(()));
}

#[test]
fn plain_code_is_refused_where_all_code_must_have_the_sanitizer() {
    for (flag, name) in [(SANITIZER_THREAD, "ThreadSanitizer"), (SANITIZER_MEMORY, "MemorySanitizer")] {
        let all = host(flag, flag, PANIC_UNWIND);
        let refused = all.check(&built(0, PANIC_NONE)).expect_err("it has no such code");
        assert!(
            refused.starts_with(&format!("it was built without {name}, but arenite with it")),
            "{refused}"
        );
        // The program was built with the sanitizer and this library was not, so the plugin may go without it.
        assert_eq!(host(flag, 0, PANIC_UNWIND).check(&built(0, PANIC_NONE)), Ok(()));
    }
    let address = host(SANITIZER_ADDRESS, SANITIZER_ADDRESS, PANIC_UNWIND);
    assert_eq!(address.check(&built(0, PANIC_NONE)), Ok(()));
}

#[test]
fn panics_that_end_a_process_that_reports_them_are_refused() {
    let refused = PLAIN.check(&built(0, PANIC_ABORT)).expect_err("it aborts");
    assert!(
        refused.starts_with("it was built with panic = \"abort\", arenite with panic = \"unwind\""),
        "{refused}"
    );
    assert_eq!(PLAIN.check(&built(0, PANIC_UNWIND)), Ok(()));
    assert_eq!(host(0, 0, PANIC_ABORT).check(&built(0, PANIC_ABORT)), Ok(()));
}

#[test]
fn runtimes_are_found_among_libraries_and_missing_symbols() {
    let needed = |name: &str| PLAIN.check_needed(&["libc.so.6".into(), name.into()]);
    for name in ["libasan.so.8", "libtsan.so.2", "libclang_rt.asan-x86_64.so", "libclang_rt.tsan.so"] {
        let refused = needed(name).expect_err("the runtime is missing");
        assert!(
            refused.starts_with(&format!("it is linked to {name}, but this process runs without ")),
            "{refused}"
        );
    }
    assert_eq!(needed("libubsan.so.1"), Ok(()));
    assert_eq!(host(SANITIZER_ADDRESS, 0, PANIC_UNWIND).check_needed(&["libasan.so.8".into()]), Ok(()));

    let explained = explain("lib.so: undefined symbol: __msan_retval_tls").expect("a name of its runtime");
    assert!(
        explained.starts_with("it was built with MemorySanitizer, but this process runs without "),
        "{explained}"
    );
    assert_eq!(explain("lib.so: undefined symbol: no_library_has_this"), None);
}
