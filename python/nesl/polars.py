"""NESL functions as expressions of Polars, for frames with columns of lists, and others.

    import nesl.polars
    frame.with_columns(nesl.polars.each("{x / sum(row) : x in row}", row="values").alias("shares"))
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars

from .functions import Function
from .tables import as_column, row_function


def each(body: str, /, *, return_dtype: Any = None, **columns: Any) -> polars.Expr:
    """The expression whose value in each row is that of a NESL expression, in which the values of the row have the names of
    the keywords: each("{x * w : x in row}", row="values", w=polars.col("weight")). Columns are names, expressions or
    series. A lazy query must know the type of the result, `return_dtype`. Without it Polars computes the expression to find
    the type, and does not show an error of it."""
    return call(row_function(body, columns), *columns.values(), return_dtype=return_dtype)


def call(function: Function, *columns: Any, return_dtype: Any = None) -> polars.Expr:
    """The expression whose value is that of a NESL function of whole columns, each a sequence; it returns one."""

    def batch(series: Sequence[polars.Series]) -> polars.Series:
        return polars.Series(as_column(function, function(*series)))

    expressions = [polars.col(column) if isinstance(column, str) else column for column in columns]
    return polars.map_batches(expressions, batch, return_dtype=return_dtype)
