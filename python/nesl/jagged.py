"""Jagged, the nested sequences of NESL, and how other libraries' arrays become such."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np

from .arrays import Levels, Strings, Tuples, array_of, joined, offsets_of, place, to_list
from .arrow_export import Node, capsules, device_capsules, list_node, node_of
from .errors import ArgumentError, ArgumentTypeError
from .row_operations import RowOperations


class Jagged(RowOperations):
    """A nested sequence: row k is data[offsets[k]:offsets[k + 1]]. The data of [[[t]]] are Jagged themselves.

    There is one offset more than there are rows; offsets ascend from 0 to the number of elements. They are read-only, and a copy
    if the given ones are not, so that calls need to read them only once.
    """

    _nested: tuple[np.ndarray, Any] | None = None  # offsets, and a NESL value with these

    def __init__(self, data: Any, offsets: Any) -> None:
        self.data = data
        offsets = np.asarray(offsets)
        if offsets.ndim != 1 or offsets.dtype.kind not in "iu":
            raise ArgumentError(f"offsets are an array of ints of one dimension, not {offsets.dtype} of {offsets.ndim}")
        self.offsets = _read_only(offsets)
        if len(offsets) == 0 or self.offsets[0] != 0 or self.offsets[-1] != len(data):
            given = f"from {self.offsets[0]} to {self.offsets[-1]}" if len(offsets) else "empty"
            raise ArgumentError(f"offsets go from 0 to the number of elements, {len(data)}, but are {given}")
        descents = self.offsets[1:] < self.offsets[:-1]
        if descents.any():
            k = int(np.argmax(descents)) + 1
            raise ArgumentError(f"offsets[{k}] is {self.offsets[k]}, less than offsets[{k - 1}], which is {self.offsets[k - 1]}")

    @classmethod
    def _of_value(cls, data: Any, value: Any) -> Jagged:
        """The rows of a NESL value, with its elements as `data`."""
        rows = cls.__new__(cls)
        rows.data, rows.offsets = data, value.offsets()
        rows._nested = (rows.offsets, value)
        return rows

    def _nest(self, elements: Any) -> Any:
        """The NESL value of these rows, from that of their elements."""
        if self._nested is not None and self._nested[0] is self.offsets:
            nested = elements.nest_like(self._nested[1])
            if nested is not None:
                return nested
        nested = elements.nest(self.offsets)
        self._nested = (self.offsets, nested)
        return nested

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.data, self.offsets)

    @classmethod
    def from_rows(cls, rows: Any) -> Jagged:
        """Makes a Jagged by concatenating a sequence of arrays of one dimension, or of lists of numbers or bools."""
        rows = list(rows)
        if set(map(type, rows)) == {list}:
            data = array_of(list(chain.from_iterable(rows)))
            if data is not None:
                return cls(data, offsets_of(rows))
        arrays = [np.asarray(row) for row in rows]
        for k, array in enumerate(arrays):
            if array.ndim != 1:
                raise ArgumentError(f"row {k} has {array.ndim} dimensions, not one")
        data = joined(arrays) if arrays else np.empty(0)
        return cls(data, offsets_of(arrays))

    @classmethod
    def from_awkward(cls, array: Any) -> Jagged:
        """Makes a Jagged of an Awkward Array of lists, nested to any depth, with elements that NESL has."""
        rows = from_awkward(array)
        if not isinstance(rows, Jagged):
            raise ArgumentError(f"an Awkward Array of lists is expected, but this is of the type {array.type}")
        return rows

    def to_awkward(self) -> Any:
        """An Awkward Array that shares the buffers."""
        import awkward as ak

        return ak.Array(self._awkward_layout())

    def _awkward_layout(self) -> Any:
        import awkward as ak

        inner = self.data._awkward_layout() if isinstance(self.data, Jagged) else ak.contents.NumpyArray(np.asarray(self.data))
        return ak.contents.ListOffsetArray(ak.index.Index64(self.offsets), inner)

    @classmethod
    def from_csr(cls, matrix: Any) -> Jagged:
        """The rows of a SciPy matrix, as [[(column, value)]]; the values of one in the format CSR are not copied."""
        if matrix.ndim != 2:
            raise ArgumentError(f"a sparse matrix has two dimensions, not {matrix.ndim}")
        matrix = matrix.tocsr()
        return cls(Tuples(matrix.indices, matrix.data), matrix.indptr)

    def to_csr(self, columns: int) -> Any:
        """The SciPy CSR matrix with these rows, [[(column, value)]], and `columns` columns."""
        from scipy.sparse import csr_matrix

        if not isinstance(self.data, Tuples) or len(self.data.columns) != 2:
            raise ArgumentError("rows of a matrix are sequences of pairs: column and value")
        indices, values = map(np.asarray, self.data.columns)
        if indices.dtype.kind not in "iu" or values.dtype.kind not in "biuf":
            raise ArgumentError(f"rows of a matrix are pairs of an int and a number, not of {indices.dtype} and {values.dtype}")
        if not isinstance(columns, (int, np.integer)) or isinstance(columns, bool) or columns < 0:
            raise ArgumentError(f"the number of columns must be an int that is not negative, but is {columns!r}")
        outside = np.flatnonzero((indices < 0) | (indices >= columns))
        if len(outside):
            at = int(outside[0])
            row = int(np.searchsorted(self.offsets, at, side="right")) - 1
            raise ArgumentError(f"row {row} has an entry in column {indices[at]}, but the matrix has {columns} columns, from 0 on")
        return csr_matrix((values, indices, self.offsets), shape=(len(self), int(columns)))

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        """The list array in Arrow's C data interface, as pyarrow.array() and polars.Series() read it."""
        return capsules(self._arrow_node(""))

    def __arrow_c_device_array__(self, requested_schema: object = None, **kwargs: object) -> tuple[object, object]:
        """The same in Arrow's C device data interface, for elements on a device; the offsets are copied there."""
        return device_capsules(self._arrow_node(""))

    def _arrow_node(self, name: str) -> Node:
        return list_node(name, self.offsets, node_of(self.data, "item"))

    def to_list(self) -> list[Any]:
        """A list of lists of Python numbers."""
        data, offsets = to_list(self.data), self.offsets.tolist()
        return [data[begin:end] for begin, end in zip(offsets, offsets[1:])]


def _read_only(offsets: np.ndarray) -> np.ndarray:
    """The offsets as 64-bit ints that nobody can change: a copy of an array that can be changed."""
    array = np.ascontiguousarray(offsets, dtype=np.int64)
    if array.flags.writeable:
        if np.may_share_memory(array, offsets):
            array = array.copy()
        array.flags.writeable = False
    return array


def from_awkward(array: Any) -> Any:
    """Converts an Awkward Array to an array, Strings, a Jagged or Tuples; an Awkward record to a tuple of its fields."""
    import awkward as ak

    if isinstance(array, ak.Record):
        if len(array.fields) < 2:
            raise ArgumentTypeError(f"a tuple has two or more parts, but an Awkward record has {len(array.fields)}")
        return tuple(array[name] for name in array.fields)
    return _of_awkward(ak.to_layout(ak.to_packed(array)), ())


def _of_awkward(layout: Any, levels: Levels) -> Any:
    if layout.is_option:
        missing = np.flatnonzero(np.asarray(layout.mask_as_bool(valid_when=False)))
        if len(missing):
            what = "row" if layout.content.is_list and not _is_text(layout.content) else "element"
            raise ArgumentError(f"{place(levels, int(missing[0]), what)} is missing, which NESL has not: "
                                "leave what is missing out with awkward.drop_none, or fill it with awkward.fill_none")
        return _of_awkward(layout.project(), levels)
    if layout.is_indexed:
        return _of_awkward(layout.project(), levels)
    if layout.is_unknown:
        return np.empty(0)
    if layout.is_union:
        raise ArgumentTypeError(f"an Awkward Array with elements of several types, {layout.form.type}, has no NESL value")
    if layout.is_record:
        columns = [_of_awkward(content[:layout.length], levels) for content in layout.contents]
        if not columns:
            raise ArgumentTypeError("an Awkward Array of records without fields has no NESL value")
        return Tuples(*columns) if len(columns) > 1 else columns[0]
    if layout.is_numpy:
        if layout.inner_shape:
            return _of_awkward(layout.to_RegularArray(), levels)
        data = np.asarray(layout.data)
        return data.view("S1") if layout.parameter("__array__") in ("char", "byte") else data
    lists = layout.to_ListOffsetArray64(True)
    offsets = np.asarray(lists.offsets)
    content = lists.content[:int(offsets[-1])]
    if _is_text(layout):
        texts, ends = np.asarray(content.data).tobytes(), offsets.tolist()
        return Strings(texts[begin:end] for begin, end in zip(ends, ends[1:]))
    return Jagged(_of_awkward(content, (*levels, offsets)), offsets)


def _is_text(layout: Any) -> bool:
    return layout.parameter("__array__") in ("string", "bytestring")
