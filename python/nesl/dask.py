"""NESL functions over the partitions of frames of Dask, for columns of lists, and others.

    import nesl.dask
    frame["shares"] = nesl.dask.each(frame, "{x / sum(row) : x in row}", row="values")
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import dask.dataframe
import numpy as np
import pandas
import pyarrow

from .errors import ArgumentError
from .functions import Function
from .table_types import arrow_type, column_of, element_type, nesl_type
from .tables import row_function
from .widening import Tree


def each(frame: dask.dataframe.DataFrame, body: str, /, *, types: Sequence[str] = (), **columns: str) -> dask.dataframe.Series:
    """The column that has for each row the value of a NESL expression, in which the values of the row have the names of the
    keywords: each(frame, "{x * w : x in row}", row="values", w="weight"). `types` are the NESL types of these values; without
    it they follow from the types of the columns, which must then not be objects."""
    return call(row_function(body, columns), frame, *columns.values(), types=types)


def call(function: Function, frame: dask.dataframe.DataFrame, *columns: str, types: Sequence[str] = ()) -> dask.dataframe.Series:
    """The column that a NESL function of whole columns computes, for one partition after the other; it returns an element for
    each row. `types` are the NESL types of the elements of the columns, as for each()."""
    if types and len(types) != len(columns):
        raise ArgumentError(f"{len(columns)} columns have as many types, not {len(types)}")
    session = function._session._native
    element = element_type(function, list(types) or [_type_of(frame, column) for column in columns])
    meta = _series(pyarrow.array([], type=arrow_type(element, session.int_bits, session.float_bits)), element, frame._meta.index)
    return frame.map_partitions(partial(_computed, function, columns, element, meta), meta=meta)


def _type_of(frame: dask.dataframe.DataFrame, column: str) -> str:
    """The NESL type of the elements of a column."""
    dtype = frame.dtypes[column]
    if isinstance(dtype, pandas.ArrowDtype):
        return nesl_type(dtype.pyarrow_dtype)
    if isinstance(dtype, pandas.StringDtype):
        return "[char]"
    kind = dtype.kind if isinstance(dtype, np.dtype) else ""
    found = {"i": "int", "u": "int", "f": "float", "b": "bool"}.get(kind)
    if found is None:
        raise ArgumentError(f"the type of column {column}, {dtype}, does not say what its elements are: give types, as in "
                            'types=["[float]"], or make the column one of pandas.ArrowDtype')
    return found


def _computed(function: Function, columns: Sequence[str], element: Tree, meta: pandas.Series, partition: pandas.DataFrame) -> pandas.Series:
    if len(partition) == 0:
        return meta
    session = function._session._native
    type = arrow_type(element, session.int_bits, session.float_bits)
    return _series(column_of(function, [partition[column] for column in columns], type), element, partition.index)


def _series(column: pyarrow.Array, element: Tree, index: pandas.Index) -> pandas.Series:
    """The series with NumPy's numbers and bools, and with other elements in the type of Arrow."""
    if element in ("int", "float", "bool"):
        return pandas.Series(column.to_numpy(zero_copy_only=False), index=index)
    return pandas.Series(pandas.arrays.ArrowExtensionArray(pyarrow.chunked_array([column])), index=index)
