"""NESL functions over tables of Arrow, for columns of lists, and others.

    import nesl.arrow
    shares = nesl.arrow.each(table, "{x / sum(row) : x in row}", row="values")
    table = table.append_column("shares", shares)
"""

from __future__ import annotations

from typing import Any

import pyarrow

from .functions import Function
from .tables import as_column, row_function


def each(table: Any, body: str, /, **columns: str) -> pyarrow.Array:
    """The column that has for each row the value of a NESL expression, in which the values of the row have the names of the
    keywords: each(table, "{x * w : x in row}", row="values", w="weight")."""
    return call(row_function(body, columns), table, *columns.values())


def call(function: Function, table: Any, *columns: str) -> pyarrow.Array:
    """The result of a NESL function of whole columns, each a sequence; it returns one."""
    return pyarrow.array(as_column(function, function(*[table.column(column) for column in columns])))
