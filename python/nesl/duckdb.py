"""NESL functions as scalar functions of DuckDB, for columns of lists, and others.

    import nesl.duckdb
    nesl.duckdb.each(connection, "shares", "{x / sum(row) : x in row}", row="[float]")
    connection.sql("select shares(prices) from orders")
"""

from __future__ import annotations

import inspect

import duckdb
import pyarrow

from .functions import Function
from .table_types import arrow_type, column_of, element_type
from .tables import row_function
from .widening import Tree, parse


def each(connection: duckdb.DuckDBPyConnection, name: str, body: str, /, **types: str) -> None:
    """Creates a function of SQL: its value is that of a NESL expression, in which the parameters have the names of the
    keywords, and their NESL types. NULL for a parameter gives NULL; NULLs in lists are errors."""
    call(connection, name, row_function(body, types), *types.values())


def call(connection: duckdb.DuckDBPyConnection, name: str, function: Function, *types: str) -> None:
    """Creates a function of SQL that a NESL function of whole columns computes, whose elements have these NESL types. It is
    called for some thousand rows at a time, and returns an element for each row."""
    session = function._session._native
    element = element_type(function, list(types))
    arrow = arrow_type(element, session.int_bits, session.float_bits)

    def compute(*columns: pyarrow.ChunkedArray) -> pyarrow.Array:
        return column_of(function, list(columns), arrow)

    def duck(tree: Tree) -> str:
        return _duckdb_type(arrow_type(tree, session.int_bits, session.float_bits))

    kind = inspect.Parameter.POSITIONAL_ONLY
    compute.__signature__ = inspect.Signature([inspect.Parameter(f"p{k}", kind) for k in range(len(types))])  # type: ignore[attr-defined]
    parameters = [connection.type(duck(parse(type))) for type in types]
    connection.create_function(name, compute, parameters, connection.type(duck(element)), type="arrow")


def _duckdb_type(type: pyarrow.DataType) -> str:
    """The name in SQL of a type of arrow_type()."""
    if pyarrow.types.is_large_list(type):
        return f"{_duckdb_type(type.value_type)}[]"
    if pyarrow.types.is_struct(type):
        fields = ", ".join(f'"{k}" {_duckdb_type(type.field(k).type)}' for k in range(type.num_fields))
        return f"STRUCT({fields})"
    return {"int64": "BIGINT", "int32": "INTEGER", "double": "DOUBLE", "float": "FLOAT", "bool": "BOOLEAN", "large_string": "VARCHAR"}[str(type)]
