"""Polars: expressions over columns of lists."""

import numpy as np
import polars as pl
import pyarrow as pa

from . import data

NAME = "Polars"
VERSION = pl.__version__
ITEM = pl.element()
ROW = pl.col("row")


def lists(offsets, values):
    return pl.from_arrow(pa.LargeListArray.from_arrays(pa.array(offsets), pa.array(values)))


def convert(given):
    if isinstance(given, data.Rows):
        return pl.DataFrame({"row": lists(given.offsets, given.values)})
    if isinstance(given, data.Matrix):
        rows = np.repeat(np.arange(len(given.offsets) - 1), np.diff(given.offsets))
        return pl.DataFrame({"row": rows, "column": given.columns, "value": given.values}), pl.Series(given.vector)
    if isinstance(given, data.Pairs):
        return pl.DataFrame({"key": given.keys, "value": given.values})
    text = pa.LargeStringArray.from_buffers(len(given.offsets) - 1, pa.py_buffer(given.offsets), pa.py_buffer(given.text))
    return pl.DataFrame({"row": pl.from_arrow(text)})


def chain(depth):
    item = ITEM
    for _ in range(depth):
        item = item * 1.001 + 0.5
    return ROW.list.eval(item)


def of_each(expression):
    return lambda frame: frame.select(expression).to_series()


def histogram(frame):
    items = frame.with_row_index("number").explode("row", empty_as_null=False)
    return items.group_by("number", (ROW * 10).cast(pl.Int64).alias("bin")).len()


def multiply(given):
    frame, vector = given
    return frame.lazy().select("row", product=pl.col("value") * pl.lit(vector).gather(pl.col("column"))).group_by("row").agg(
        pl.col("product").sum()).collect()


def groups(frame):
    value = pl.col("value")
    return frame.group_by("key").agg(value.sum().alias("sum"), value.len().alias("number"), value.max().alias("most"))


OPERATIONS = {
    "chain_2": of_each(chain(1)), "chain_8": of_each(chain(4)), "chain_32": of_each(chain(16)),
    "chain_sum": of_each(chain(4).list.sum()), "keep": of_each(ROW.list.eval((ITEM * 2 + 1).filter(ITEM * 2 + 1 > 1.5))),
    "argmax": of_each(ROW.list.arg_max()), "sort": of_each(ROW.list.sort()), "sum": of_each(ROW.list.sum()),
    "mean": of_each(ROW.list.mean().fill_null(0)), "normalise": of_each(ROW.list.eval(ITEM / ITEM.sum())),
    "top_three": of_each(ROW.list.sort(descending=True).list.head(3)), "histogram": histogram, "multiply": multiply,
    "groups": groups,
    "words": of_each(ROW.str.split(" ").list.eval(ITEM.str.len_bytes().filter(ITEM.str.len_bytes() > 0))),
}


def collect(operation, given, result):
    if operation == "groups":
        return [result[name].to_numpy() for name in ("key", "sum", "number", "most")]
    if operation == "multiply":
        product = np.zeros(len(given.vector))
        product[result["row"].to_numpy()] = result["product"].to_numpy()
        return [product]
    if operation == "histogram":
        counts = np.zeros(10 * (len(given.offsets) - 1), dtype=np.int64)
        counts[result["number"].to_numpy().astype(np.int64) * 10 + result["bin"].to_numpy()] = result["len"].to_numpy()
        return [counts]
    if result.dtype != pl.List:
        return [result.to_numpy()]
    rows = result.to_arrow()
    rows = rows.combine_chunks() if isinstance(rows, pa.ChunkedArray) else rows
    return [rows.offsets.to_numpy(), rows.values.to_numpy()]
