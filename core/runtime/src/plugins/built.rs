//! How a plugin was built, against how this process was: a sanitizer's runtime can be there from the start of a process only, and a
//! plugin whose panics end the process has no place in one that reports them.

use arenite_abi::raw::{ArPluginBuildV1, PANIC_ABORT, SANITIZER_ADDRESS, SANITIZER_MEMORY, SANITIZER_THREAD};

/// A sanitizer that code and process must agree on.
struct Sanitizer {
    flag: u32,
    name: &'static str,
    /// As `-fsanitize=` takes it.
    option: &'static str,
    /// A function of its runtime.
    function: &'static str,
    /// How names in its runtime begin.
    prefix: &'static str,
    /// How the names of its runtime's libraries begin, those of GCC and those of clang.
    libraries: [&'static str; 2],
    /// Whether code without it in a process with it gives false reports.
    of_all_code: bool,
}

const SANITIZERS: [Sanitizer; 3] = [
    Sanitizer {
        flag: SANITIZER_ADDRESS,
        name: "AddressSanitizer",
        option: "address",
        function: "__asan_init",
        prefix: "__asan_",
        libraries: ["libasan.so", "libclang_rt.asan"],
        of_all_code: false,
    },
    Sanitizer {
        flag: SANITIZER_THREAD,
        name: "ThreadSanitizer",
        option: "thread",
        function: "__tsan_init",
        prefix: "__tsan_",
        libraries: ["libtsan.so", "libclang_rt.tsan"],
        of_all_code: true,
    },
    Sanitizer {
        flag: SANITIZER_MEMORY,
        name: "MemorySanitizer",
        option: "memory",
        function: "__msan_init",
        prefix: "__msan_",
        libraries: ["libmsan.so", "libclang_rt.msan"],
        of_all_code: true,
    },
];

/// What is known of this process.
#[derive(Clone, Copy)]
pub(super) struct Host {
    /// `SANITIZER_*` whose runtime is in the process.
    pub runtimes: u32,
    /// How this library was built.
    pub built: ArPluginBuildV1,
}

impl Host {
    /// This process; `has_function` looks a function up in the program and the libraries that it started with.
    pub fn of_process(has_function: impl Fn(&str) -> bool) -> Self {
        let built = ArPluginBuildV1::of_rust(cfg!(panic = "abort"));
        let runtimes = SANITIZERS.iter().filter(|sanitizer| has_function(sanitizer.function));
        Host { runtimes: runtimes.fold(built.sanitizers, |all, sanitizer| all | sanitizer.flag), built }
    }

    /// Compares the libraries that a plugin is linked to: the system's loader would start a runtime that is among them too late, and
    /// AddressSanitizer's ends the process then.
    ///
    /// # Errors
    /// The plugin needs a sanitizer's runtime that this process does not have.
    pub fn check_needed(self, needed: &[String]) -> Result<(), String> {
        for sanitizer in SANITIZERS.iter().filter(|sanitizer| self.runtimes & sanitizer.flag == 0) {
            let is_runtime =
                |library: &&String| sanitizer.libraries.iter().any(|name| library.starts_with(name));
            if let Some(library) = needed.iter().find(is_runtime) {
                return Err(sanitizer.missing(&format!("is linked to {library}")));
            }
        }
        Ok(())
    }

    /// Compares what a plugin says of itself.
    ///
    /// # Errors
    /// The plugin has a sanitizer that this process does not have, or lacks one that all code must have; or its panics end the process
    /// and those of this library do not.
    pub fn check(self, plugin: &ArPluginBuildV1) -> Result<(), String> {
        for sanitizer in &SANITIZERS {
            let has = plugin.sanitizers & sanitizer.flag != 0;
            if has && self.runtimes & sanitizer.flag == 0 {
                return Err(sanitizer.missing(&format!("was built with {}", sanitizer.name)));
            }
            if !has && sanitizer.of_all_code && self.built.sanitizers & sanitizer.flag != 0 {
                return Err(format!(
                    "it was built without {0}, but arenite with it, which would report errors that are none: build the plugin with \
                     -fsanitize={1} (Rust: -Zsanitizer={1}) too",
                    sanitizer.name, sanitizer.option
                ));
            }
        }
        if plugin.panic == PANIC_ABORT && self.built.panic != PANIC_ABORT {
            return Err("it was built with panic = \"abort\", arenite with panic = \"unwind\": a panic in the plugin would end the \
                        process; take panic = \"abort\" out of the plugin's profile in Cargo.toml"
                .into());
        }
        Ok(())
    }
}

impl Sanitizer {
    fn missing(&self, why: &str) -> String {
        format!(
            "it {why}, but this process runs without {0}: build the plugin without -fsanitize={1} (Rust: -Zsanitizer={1}), or the \
             program with it",
            self.name, self.option
        )
    }
}

/// What to do about a library that the system's loader refused with this message, if the reason is a sanitizer.
pub(super) fn explain(message: &str) -> Option<String> {
    let missing = SANITIZERS.iter().find(|sanitizer| {
        message.split_once("undefined symbol: ").is_some_and(|(_, name)| name.starts_with(sanitizer.prefix))
    })?;
    Some(missing.missing(&format!("was built with {}", missing.name)))
}

#[cfg(test)]
mod tests;
