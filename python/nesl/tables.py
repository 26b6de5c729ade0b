"""NESL functions of the columns of a table; nesl.polars and nesl.arrow apply them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .arrays import Strings, Tuples
from .errors import ArgumentError
from .functions import Function
from .jagged import Jagged
from .session import caller_place, default_session


def row_function(body: str, columns: Mapping[str, Any]) -> Function:
    """The function of these columns that computes a NESL expression for each row. The values of the row have the names of
    the columns."""
    if not columns:
        raise ArgumentError("an expression for each row needs a column: give it by its name in the expression")
    names = ", ".join(columns)
    rows = "; ".join(f"{name} in {name}" for name in columns)
    scope = default_session().scope()
    return scope.define(f"function each_row({names}) =\n{{{body} : {rows}}}", caller_place("each")).each_row


def as_column(function: Function, result: Any) -> Any:
    """The result of a function, which must be a column: a sequence."""
    if isinstance(result, (np.ndarray, Jagged, Tuples, Strings)):
        return result
    raise ArgumentError(f"{function.__name__} must return a sequence, with an element for each row, but returns {result!r}")
