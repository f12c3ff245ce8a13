"""The Python blocks of the README and the book."""

import re
import subprocess
import sys

import pytest
from conftest import ROOT

pytest.importorskip("arenite")

PAGES = [page for page in [ROOT / "README.md", *ROOT.glob("docs/*.md")] if "```python\n" in page.read_text()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_blocks_of_a_page_run(page):
    program = "\n".join(re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr


def test_pages_have_blocks():
    assert {page.name for page in PAGES} >= {"README.md", "python.md"}
