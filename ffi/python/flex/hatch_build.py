"""Builds the plugin with cargo and puts it into the wheel.

`dist/wheels.sh` sets `ARENITE_WHEEL_CARGO`, the command in place of `cargo rustc`, and `ARENITE_WHEEL_PLATFORM`, the
platform in the wheel's name in place of this machine's.
"""

import json
import os
import subprocess
import sysconfig

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PLUGIN = "arenite-plugin-flex"


class PluginHook(BuildHookInterface):
    def initialize(self, version, build_data):
        library = self.build()
        platform = os.environ.get("ARENITE_WHEEL_PLATFORM") or sysconfig.get_platform()
        build_data["pure_python"] = False
        build_data["tag"] = "py3-none-" + platform.replace("-", "_").replace(".", "_")
        build_data["force_include"][library] = f"arenite_flex/{os.path.basename(library)}"

    def build(self):
        """The path of the library."""
        cargo = os.environ.get("ARENITE_WHEEL_CARGO", "cargo rustc").split()
        options = ["--release", "--package", PLUGIN, "--crate-type", "cdylib"]
        command = [*cargo, *options, "--message-format", "json-render-diagnostics", "--", "-C", "strip=symbols"]
        done = subprocess.run(command, cwd=self.root, stdout=subprocess.PIPE, text=True, check=True)
        messages = map(json.loads, done.stdout.splitlines())
        is_plugin = lambda message: message["reason"] == "compiler-artifact" and PLUGIN in message["package_id"]
        files = [name for message in filter(is_plugin, messages) for name in message["filenames"]]
        return next(name for name in files if name.endswith((".so", ".dylib", ".dll")))
