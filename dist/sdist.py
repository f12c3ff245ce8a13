#!/usr/bin/env python3
"""Builds the Python package's source distribution. It builds offline: all crates are in it.

    dist/sdist.py [FOLDER]      default: target/wheels

It needs maturin, cargo and the network. Of crates that no supported system compiles, only the manifests are kept, so
that cargo can resolve the lock file.
"""

import gzip
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGETS = (
    "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
    "x86_64-unknown-linux-musl",
    "aarch64-unknown-linux-musl",
    "aarch64-apple-darwin",
)

SETTINGS = """\
[source.crates-io]
replace-with = "vendored-sources"

[source.vendored-sources]
directory = "vendor"
"""


def main():
    out = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "target/wheels").resolve()
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        run("maturin", "sdist", "--out", folder, cwd=ROOT / "ffi/python")
        (archive,) = folder.glob("*.tar.gz")
        with tarfile.open(archive) as file:
            file.extractall(folder, filter="data")
        source = folder / archive.name.removesuffix(".tar.gz")
        for name in "LICENSE-APACHE", "LICENSE-MIT":
            shutil.copy(ROOT / name, source)
        vendor(source)
        pack(source, out / archive.name)
    print(f"{out / archive.name}: {(out / archive.name).stat().st_size} bytes")


def run(*command, cwd):
    return subprocess.run(list(map(str, command)), cwd=cwd, check=True, stdout=subprocess.PIPE, text=True).stdout


def vendor(source):
    """Puts the sources of all crates into the folder, and tells cargo to use them."""
    run("cargo", "vendor", "--quiet", "vendor", cwd=source)
    (source / ".cargo").mkdir()
    (source / ".cargo/config.toml").write_text(SETTINGS)
    used = set()
    for target in TARGETS:
        tree = run("cargo", "tree", "--offline", "--package", "arenite-python", "--target", target, "--edges",
                   "normal,build", "--prefix", "none", "--format", "{p}", cwd=source)
        used |= {tuple(line.split()[:2]) for line in tree.splitlines() if line}
    for crate in (source / "vendor").iterdir():
        package = tomllib.loads((crate / "Cargo.toml").read_text())["package"]
        if (package["name"], f"v{package['version']}") not in used:
            empty(crate)


def empty(crate):
    """Leaves the manifest of a crate, and empty files where it names some."""
    text = (crate / "Cargo.toml").read_text()
    manifest = tomllib.loads(text)
    checksum = json.loads((crate / ".cargo-checksum.json").read_text())
    for entry in crate.iterdir():
        shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
    (crate / "Cargo.toml").write_text(text)
    (crate / ".cargo-checksum.json").write_text(json.dumps({**checksum, "files": {}}))
    build = manifest["package"].get("build")
    kinds = "bin", "test", "bench", "example"
    tables = [manifest.get("lib", {}), *(entry for kind in kinds for entry in manifest.get(kind, []))]
    for path in {"src/lib.rs", *filter(None, [build, *(table.get("path") for table in tables)])}:
        (crate / path).parent.mkdir(parents=True, exist_ok=True)
        (crate / path).touch()


def pack(source, archive):
    """Makes a reproducible archive."""
    date = int(os.environ.get("SOURCE_DATE_EPOCH") or run("git", "log", "-1", "--format=%ct", cwd=ROOT))

    def plain(entry):
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = ""
        entry.mtime = date
        entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
        return entry

    with open(archive, "wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", mtime=date, filename="") as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as file:
            for path in sorted(source.rglob("*")):
                file.add(path, path.relative_to(source.parent), recursive=False, filter=plain)


if __name__ == "__main__":
    main()
