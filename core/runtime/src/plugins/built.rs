//! Compares how a plugin was built with this process. A sanitizer's runtime must be present when the process starts,
//! and a plugin whose panics end the process must not be loaded into a process that reports panics.

use arenite_abi::raw::{ArPluginBuildV1, PANIC_ABORT, SANITIZER_ADDRESS, SANITIZER_MEMORY, SANITIZER_THREAD};

/// A sanitizer for which code and process must match.
struct Sanitizer {
    flag: u32,
    name: &'static str,
    /// Its name in `-fsanitize=`.
    option: &'static str,
    /// A function of its runtime.
    function: &'static str,
    /// The prefix of names in its runtime.
    prefix: &'static str,
    /// The prefixes of the names of its runtime libraries, for GCC and clang.
    libraries: [&'static str; 2],
    /// Whether code built without the sanitizer causes false reports in a process that has it.
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

/// The properties of this process.
#[derive(Clone, Copy)]
pub(super) struct Host {
    /// `SANITIZER_*` flags of the runtimes in the process.
    pub runtimes: u32,
    /// How this library was built.
    pub built: ArPluginBuildV1,
}

impl Host {
    /// Examines this process. `has_function` looks up a function in the program and the libraries loaded at its start.
    pub(super) fn of_process(has_function: impl Fn(&str) -> bool) -> Self {
        let built = ArPluginBuildV1::of_rust(cfg!(panic = "abort"));
        let runtimes = SANITIZERS.iter().filter(|sanitizer| has_function(sanitizer.function));
        Host { runtimes: runtimes.fold(built.sanitizers, |all, sanitizer| all | sanitizer.flag), built }
    }

    /// Checks the libraries that a plugin is linked to: the system's loader would start a sanitizer's runtime too late,
    /// and AddressSanitizer's then ends the process.
    ///
    /// # Errors
    /// The plugin needs a sanitizer runtime that this process does not have.
    pub(super) fn check_needed(self, needed: &[String]) -> Result<(), String> {
        for sanitizer in SANITIZERS.iter().filter(|sanitizer| self.runtimes & sanitizer.flag == 0) {
            let is_runtime =
                |library: &&String| sanitizer.libraries.iter().any(|name| library.starts_with(name));
            if let Some(library) = needed.iter().find(is_runtime) {
                return Err(sanitizer.missing(&format!("is linked to {library}")));
            }
        }
        Ok(())
    }

    /// Checks that a plugin's build fits this process.
    ///
    /// # Errors
    /// The plugin uses a sanitizer that this process lacks, or was built without one that must cover all code. Or a
    /// panic in the plugin would end the process, although a panic in this library would not.
    pub(super) fn check(self, plugin: &ArPluginBuildV1) -> Result<(), String> {
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

/// The remedy for a library that the system's loader rejected with this message, if a sanitizer is the reason.
pub(super) fn explain(message: &str) -> Option<String> {
    let missing = SANITIZERS.iter().find(|sanitizer| {
        message.split_once("undefined symbol: ").is_some_and(|(_, name)| name.starts_with(sanitizer.prefix))
    })?;
    Some(missing.missing(&format!("was built with {}", missing.name)))
}

#[cfg(test)]
mod tests;
