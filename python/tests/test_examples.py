"""The programs of examples/python, where their libraries are installed."""

import runpy
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "examples" / "python"
PRINTED = {
    "arrow_lists": ("pyarrow", "'prices': [5.0], 'shares': [1.0]}]"),
    "dask_partitions": ("dask.dataframe", "0.25, 0.75"),
    "duckdb_function": ("duckdb", "[('Ada', [0.25, 0.75]), ('Ben', []), ('Cleo', [1.0])]"),
    "polars_lists": ("polars", "[('Ada', [2.0, 6.0], [0.25, 0.75]), ('Ben', [], []), ('Cleo', [5.0], [1.0])]"),
}


def test_each_is_run():
    assert {file.stem for file in FOLDER.glob("*.py")} == set(PRINTED)


@pytest.mark.parametrize("name", PRINTED)
def test_examples(name, capsys):
    library, expected = PRINTED[name]
    pytest.importorskip(library)
    if name in ("duckdb_function", "dask_partitions"):
        pytest.importorskip("pyarrow", minversion="14")
    runpy.run_path(str(FOLDER / f"{name}.py"))
    assert expected in capsys.readouterr().out
