"""NESL functions over the columns of frames of Polars and tables of Arrow, where these are installed."""

import numpy as np
import pytest

import nesl

COLUMNS = {"values": [[1.0, 2.0], [], [4.0]], "weight": [1.0, 2.0, 0.5], "name": ["a", "bc", ""], "place": [0, -1, 0]}


@pytest.fixture
def frame():
    pl = pytest.importorskip("polars", minversion="1")
    return pl.DataFrame(COLUMNS)


@pytest.fixture
def table():
    return pytest.importorskip("pyarrow", minversion="14").table(COLUMNS)


def test_expressions_of_polars(frame):
    import polars as pl

    import nesl.polars

    found = frame.select(
        scaled=nesl.polars.each("{x * w : x in row}", row="values", w=pl.col("weight") * 10),
        total=nesl.polars.each("sum(row) + float(#name)", row="values", name="name"),
        pair=nesl.polars.each("(#row, name)", row="values", name="name"),
        twice=nesl.polars.each("name ++ name", name="name"))
    assert found.to_dict(as_series=False) == {
        "scaled": [[10.0, 20.0], [], [20.0]], "total": [4.0, 2.0, 4.0], "pair": [{"0": 2, "1": "a"}, {"0": 0, "1": "bc"}, {"0": 1, "1": ""}],
        "twice": ["aa", "bcbc", ""]}
    ranks = nesl.define("function ranks(w) = rank(w)").ranks
    assert frame.with_columns(rank=nesl.polars.call(ranks, "weight"))["rank"].to_list() == [1, 2, 0]


def test_lazy_and_grouped_frames(frame):
    import polars as pl

    import nesl.polars

    lengths = nesl.polars.each("#row", row="values", return_dtype=pl.Int64)
    query = frame.lazy().with_columns(length=lengths).filter(pl.col("length") > 0)
    assert query.collect()["length"].to_list() == [2, 1]
    assert query.collect_schema()["length"] == pl.Int64
    longest = nesl.define("function longest(rows) = [max_val({#row : row in rows})]").longest
    grouped = frame.group_by("place", maintain_order=True).agg(longest=nesl.polars.call(longest, "values", return_dtype=pl.Int64))
    assert grouped["longest"].to_list() == [[2], [0]]


def test_errors_of_polars(frame):
    import polars as pl

    import nesl.polars

    total = nesl.define("function total(x) = sum(x)").total
    for expression, message in [
            (nesl.polars.each("row[p]", row="values", p="place", return_dtype=pl.Float64), r"index -1(?s:.*)at element \[1\]"),
            (nesl.polars.call(total, "weight", return_dtype=pl.Float64), "total must return a sequence"),
            (nesl.polars.each("#row", row=pl.Series([[1], None, [2]]), return_dtype=pl.Int64), "row 1 is null")]:
        with pytest.raises(Exception, match=message):
            frame.select(expression)
    with pytest.raises(nesl.TextError, match="undefined") as caught:
        nesl.polars.each("rwo + 1", row="values")
    assert caught.value.file.startswith("<each at test_tables.py:")
    with pytest.raises(nesl.ArgumentError, match="needs a column"):
        nesl.polars.each("1")


def test_columns_of_arrow(table):
    import nesl.arrow

    assert nesl.arrow.each(table, "{x * w : x in row}", row="values", w="weight").to_pylist() == [[1.0, 2.0], [], [2.0]]
    assert nesl.arrow.each(table, "name ++ name", name="name").to_pylist() == ["aa", "bcbc", ""]
    ranks = nesl.define("function ranks(w) = rank(w)").ranks
    assert table.append_column("rank", nesl.arrow.call(ranks, table, "weight"))["rank"].to_pylist() == [1, 2, 0]
    with pytest.raises(nesl.RunError, match="index -1") as caught:
        nesl.arrow.each(table, "row[p]", row="values", p="place")
    assert caught.value.path == (1,) and caught.value.file.startswith("<each at test_tables.py:")
    with pytest.raises(KeyError):
        nesl.arrow.each(table, "row", row="nothing")
    with pytest.raises(nesl.ArgumentError, match="total must return a sequence, .* but returns 3.5"):
        nesl.arrow.call(nesl.define("function total(x) = sum(x)").total, table, "weight")
    assert np.asarray(nesl.arrow.each(table, "w > 1.0", w="weight")).tolist() == [False, True, False]


def test_columns_of_csv_files_by_name(tmp_path):
    file = tmp_path / "orders.csv"
    file.write_text("id,price,name\n1,2.5,Ada\n2,3,\"Ben, jr\"\n")
    names = nesl.define("function orders(file) = read_csv_named([(\"\", 0.0)], [\"name\", \"price\"], file)")
    found = names.orders(str(file))
    assert found.columns[0] == ["Ada", "Ben, jr"] and found.columns[1].tolist() == [2.5, 3.0]
    file.write_text("id,cost,name\n")
    with pytest.raises(nesl.RunError, match="orders.csv:1:1: there is no column 'price': the columns are 'id', 'cost', 'name'"):
        names.orders(str(file))
