"""DuckDB: SQL over columns of lists in a table in memory."""

import duckdb
import numpy as np
import pyarrow as pa

from . import data

NAME = "DuckDB"
VERSION = duckdb.__version__
connection = duckdb.connect(config={"threads": 2})


def convert(given):
    """Copies the data to tables of DuckDB's, `given` and for a vector `vector`."""
    rows = np.repeat(np.arange(len(given.offsets) - 1), np.diff(given.offsets)) if isinstance(given, data.Matrix) else None
    if isinstance(given, data.Rows):
        table = pa.table({"x": pa.LargeListArray.from_arrays(pa.array(given.offsets), pa.array(given.values))})
    elif isinstance(given, data.Matrix):
        store("vector", pa.table({"number": np.arange(len(given.vector)), "factor": given.vector}))
        table = pa.table({"number": rows, "place": given.columns, "value": given.values})
    elif isinstance(given, data.Pairs):
        table = pa.table({"name": given.keys, "value": given.values})
    else:
        text = pa.LargeStringArray.from_buffers(len(given.offsets) - 1, pa.py_buffer(given.offsets), pa.py_buffer(given.text))
        table = pa.table({"x": text})
    store("given", table)


def store(name, table):
    connection.register("arrow_table", table)
    connection.execute(f"create or replace table {name} as select * from arrow_table")
    connection.unregister("arrow_table")


def of_each(expression):
    return query(f"select {expression} as result from given")


def query(text):
    return lambda _: connection.sql(text).to_arrow_table()


def chain(depth):
    item = "y"
    for _ in range(depth):
        item = f"({item} * 1.001::double + 0.5::double)"
    return f"list_transform(x, lambda y: {item})"


OPERATIONS = {
    "chain_2": of_each(chain(1)), "chain_8": of_each(chain(4)), "chain_32": of_each(chain(16)),
    "chain_sum": of_each(f"coalesce(list_sum({chain(4)}), 0)"),
    "keep": of_each("list_filter(list_transform(x, lambda y: y * 2 + 1), lambda y: y > 1.5::double)"),
    "argmax": of_each("list_position(x, list_max(x)) - 1"), "sort": of_each("list_sort(x)"), "sum": of_each("coalesce(list_sum(x), 0)"),
    "mean": of_each("coalesce(list_avg(x), 0)"),
    "normalise": query("select list_transform(x, lambda y: y / total) as result from (select x, list_sum(x) as total from given)"),
    "top_three": of_each("list_reverse_sort(x)[1:3]"),
    "histogram": query("select number, bin, count(*) as count from (select rowid as number, cast(floor(unnest(x) * 10) as bigint) as bin "
                       "from given) group by number, bin"),
    "multiply": query("select given.number, sum(value * factor) as product from given join vector on place = vector.number "
                      "group by given.number"),
    "groups": query("select name, sum(value), count(*), max(value) from given group by name"),
    "words": of_each("list_filter(list_transform(string_split(x, ' '), lambda w: strlen(w)), lambda n: n > 0)"),
}


def collect(operation, given, result):
    columns = [column.combine_chunks() for column in result.columns]
    if operation == "groups":
        return [column.to_numpy(zero_copy_only=False) for column in columns]
    if operation == "multiply":
        product = np.zeros(len(given.vector))
        product[columns[0].to_numpy()] = columns[1].to_numpy()
        return [product]
    if operation == "histogram":
        counts = np.zeros(10 * (len(given.offsets) - 1), dtype=np.int64)
        counts[columns[0].to_numpy() * 10 + columns[1].to_numpy()] = columns[2].to_numpy()
        return [counts]
    if not pa.types.is_list(columns[0].type) and not pa.types.is_large_list(columns[0].type):
        return [columns[0].to_numpy()]
    return [columns[0].offsets.to_numpy(), columns[0].flatten().to_numpy()]
