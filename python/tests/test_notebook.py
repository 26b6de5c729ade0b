"""The cell magic %%nesl, and the notebooks in examples/, whose cells are executed in order."""

import json
from pathlib import Path

import numpy as np
import pytest

import nesl

InteractiveShell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell
NOTEBOOKS = Path(__file__).parents[2] / "examples" / "python"


@pytest.fixture
def shell(tmp_path, monkeypatch):
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    shell = InteractiveShell()
    shell.run_line_magic("load_ext", "nesl")
    return shell


def test_the_last_expression_is_shown(shell):
    result = shell.run_cell("%%nesl\nfunction square(a) = {x * x : x in a};\nsquare([1, 2, 3])").result
    assert isinstance(result, np.ndarray) and result.tolist() == [1, 4, 9]
    assert shell.run_cell("%%nesl\n1 + 1;").result is None


def test_steps_are_shown(shell):
    shell.run_cell("%%nesl\nw = [1, 2];").raise_error()
    steps = shell.run_cell("%nesl_show {x + 1 : x in w}").result
    assert isinstance(steps, nesl.Steps) and "[2, 3] : [int]" in str(steps)


def test_cells_of_definitions_show_nothing(shell):
    shell.run_cell("%%nesl\n1 + 1")
    for cell in ("function h(x) = x", "x = 3", "", "5; y = 2"):
        assert shell.run_cell(f"%%nesl\n{cell}").result is None


def test_cells_share_names_of_their_own(shell):
    shell.run_cell("%%nesl\nfunction sort(x) = 5; size = 3;").raise_error()
    assert shell.run_cell("%%nesl\nsort(size)").result == 5
    assert nesl.evaluate("sort([2, 1])").tolist() == [1, 2]
    with pytest.raises(nesl.TextError, match="size is undefined"):
        nesl.evaluate("size")


def test_errors_name_the_cell(shell, capsys):
    shell.run_cell("%%nesl rows\nfunction h(a) = a[7];", store_history=True)
    shell.run_cell("1", store_history=True)
    shell.run_cell("%%nesl\nfunction g(a) = a[8];", store_history=True)
    error = shell.run_cell("rows.h([1])").error_in_exec
    assert (error.file, error.caret.split("\n")[0]) == ("<cell 1>", "  function h(a) = a[7];")
    assert shell.run_cell("rows.g([1])").error_in_exec.file == "<cell 3>"
    capsys.readouterr()


def test_definitions_get_a_name(shell):
    shell.run_cell("%%nesl rows\nfunction longest(rows) = max_val({#row : row in rows});")
    assert shell.run_cell("rows.longest([[1], [2, 3]])").result == 2


def test_pictures_are_shown(shell, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    display = pytest.importorskip("IPython.display")
    picture = shell.run_cell('%%nesl\nwrite_image([[0, 255], [255, 0]], "a.png")').result
    assert isinstance(picture, display.Image) and picture.data == (tmp_path / "a.png").read_bytes()
    plot = shell.run_cell('%%nesl\nplot([(0.0, 1.0), (1.0, 4.0)], ("growth", "x", "y"), "a.svg")').result
    assert isinstance(plot, display.SVG) and "<svg" in plot.data
    assert shell.run_cell('%%nesl\nplot([1], ("", "", ""), "a.svg");').result is None


def test_errors(shell, capsys):
    run = shell.run_cell("%%nesl\n[1, 2][7]")
    assert isinstance(run.error_in_exec, nesl.RunError)
    shown = capsys.readouterr().out
    assert "index 7" in shown and "session.py" not in shown and "interactiveshell.py" not in shown
    assert isinstance(shell.run_cell("%%nesl 1x\n1").error_in_exec, nesl.ArgumentError)


def run_notebook(shell, name):
    cells = json.loads((NOTEBOOKS / name).read_text())["cells"]
    sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert sources
    for source in sources:
        shell.run_cell(source).raise_error()


def test_the_example(shell, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_notebook(shell, "nesl.ipynb")
    assert shell.user_ns["gradient"].shape == (3,)
    assert (tmp_path / "waves.svg").exists()


def test_the_example_with_jagged_data(shell, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_notebook(shell, "jagged.ipynb")
    fast, masses, best, peak = (shell.user_ns[name] for name in ("fast", "masses", "best", "peak"))
    assert all((np.diff(event.columns[0]) <= 0).all() for event in fast[:1000])
    assert len(masses) == len(fast) == 50_000
    assert len(best) == (np.diff(masses.offsets) > 0).sum()
    assert len(peak) > 8000 and abs(peak.mean() - 91.2) < 0.5
    assert "<svg" in (tmp_path / "masses.svg").read_text()
