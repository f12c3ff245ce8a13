"""The Python blocks of the README and the book."""

import ast
import json
import re
import subprocess
import sys

import pytest
from conftest import ROOT

pytest.importorskip("arenite")

NOTEBOOK = ROOT / "ffi/python/examples/tour.ipynb"
PAGES = [page for page in [ROOT / "README.md", *ROOT.glob("docs/*.md")] if "```python\n" in page.read_text()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_blocks_of_a_page_run(page):
    program = "\n".join(re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr


def test_pages_have_blocks():
    assert {page.name for page in PAGES} >= {"README.md", "python.md", "python-recipes.md"}


def test_the_notebook_runs(monkeypatch):
    """Its cells run one after the other, and their last expressions are shown as a notebook shows them."""
    monkeypatch.chdir(NOTEBOOK.parent)
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    names, pictures = {}, 0
    for cell in cells:
        if cell["cell_type"] != "code":
            continue
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, str(NOTEBOOK), "exec"), names)
        if last is not None:
            shown = eval(compile(ast.Expression(last.value), str(NOTEBOOK), "eval"), names)
            pictures += "<svg" in (shown._repr_html_() if hasattr(shown, "_repr_html_") else repr(shown))
    assert pictures == 3
