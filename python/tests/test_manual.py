"""The examples of docs/python.md, what README.md says of SciPy matrices, and the version of the package."""

import doctest
import re
from pathlib import Path

import numpy as np
import pytest

import nesl

ROOT = Path(__file__).parents[2]


def test_the_manual():
    result = doctest.testfile(str(ROOT / "docs" / "python.md"), module_relative=False)
    assert result.failed == 0
    assert result.attempted > 15


def test_the_example_of_the_project_page():
    text = (ROOT / "python" / "README.md").read_text()
    space = {}
    lines = [line[4:] for line in text.split("\n") if line.startswith("    ")]
    exec("\n".join([*lines[:-1], f"found = {lines[-1]}"]), space)
    assert space["found"].to_list() == [[-1.0, 0.0, 1.0], [0.0]]


def test_the_function_of_the_readme_takes_a_scipy_matrix():
    sparse = pytest.importorskip("scipy.sparse")
    text = re.search(r"^(function smxv.*;)$", (ROOT / "README.md").read_text(), re.MULTILINE)
    matrix = sparse.random(30, 20, density=0.2, format="csr", random_state=1)
    vector = np.arange(20.0)
    assert np.allclose(nesl.define(text[1]).smxv(matrix, vector), matrix @ vector)


def test_the_version_is_that_of_the_library():
    project = (ROOT / "python" / "pyproject.toml").read_text()
    assert re.search(r'^version = "(.*)"$', project, re.MULTILINE)[1] == nesl.__version__


def test_the_lines_of_the_readme_work_in_a_checkout(monkeypatch):
    pytest.importorskip("scipy.sparse")
    monkeypatch.chdir(ROOT)
    readme = (ROOT / "README.md").read_text()
    lines = re.search(r"^```python\n(import nesl\n.*?)```$", readme, re.MULTILINE | re.DOTALL)[1]
    space = {}
    exec(lines, space)
    assert np.allclose(space["product"], space["matrix"] @ space["vector"])
    text = re.search(r"^(function smxv.*;)$", readme, re.MULTILINE)
    assert (ROOT / "examples" / "python" / "smxv.nesl").read_text() == text[1] + "\n"
