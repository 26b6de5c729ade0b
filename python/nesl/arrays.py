"""Values of NESL that NumPy has no type for: nested sequences, sequences of tuples, records, single characters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .arrow_export import Node, capsules, list_node, node_of, struct_node
from .errors import ArgumentError, ArgumentTypeError

Levels = tuple[np.ndarray, ...]  # the offsets of the sequences that enclose some elements, the outermost first


def path(levels: Levels, position: int) -> str:
    """The index of an element as text: "3", or "[1][0]" in nested sequences. `position` is its index in the flat data."""
    positions = [position]
    for offsets in reversed(levels):
        row = int(np.searchsorted(offsets, positions[0], side="right")) - 1
        positions = [row, positions[0] - int(offsets[row]), *positions[1:]]
    return str(positions[0]) if len(positions) == 1 else "".join(f"[{k}]" for k in positions)


def place(levels: Levels, position: int, what: str = "element") -> str:
    return f"{what} {path(levels, position)}"


class Char(str):
    """A single character, where a str of one character is a [char]."""


class Strings(list[Any]):
    """A list of strings, whose element type is known even if it is empty."""

    def __getitem__(self, index: Any) -> Any:
        found = super().__getitem__(index)
        return Strings(found) if isinstance(index, slice) else found


class Record(tuple[Any, ...]):
    """A value of a datatype: a tuple of its fields, with the name of the datatype in `type`."""

    type: str

    def __new__(cls, type: str, *fields: Any) -> Record:
        record = super().__new__(cls, fields)
        record.type = type
        return record

    def __getnewargs__(self) -> tuple[Any, ...]:
        return (self.type, *self)

    def __eq__(self, other: object) -> bool:
        return tuple.__eq__(self, other) is True and self.type == getattr(other, "type", None)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((self.type, tuple(self)))

    def __repr__(self) -> str:
        return f"{self.type}({', '.join(map(repr, self))})"


class Tuples:
    """A sequence of tuples as columns: [(a, b)] is Tuples([a], [b]). With `type`, a sequence of records of that datatype.

    Columns are any values that NESL takes as sequences; they have the same length.
    """

    def __init__(self, *columns: Any, type: str | None = None) -> None:
        if len(columns) < (1 if type else 2):
            raise ArgumentError(f"tuples have two or more parts, but here are {len(columns)} columns")
        lengths = [len(column) for column in columns]
        if len(set(lengths)) > 1:
            raise ArgumentError(f"columns of one length are needed, but these have {', '.join(map(str, lengths))}")
        self.columns = columns
        self.type = type

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        """The struct array in Arrow's C data interface, as pyarrow.record_batch() reads it."""
        return capsules(self._arrow_node(""))

    def _arrow_node(self, name: str) -> Node:
        return struct_node(name, len(self), [node_of(column, str(k)) for k, column in enumerate(self.columns)])

    def __len__(self) -> int:
        return len(self.columns[0])

    def __getitem__(self, index: int | slice) -> Any:
        parts = [column[index] for column in self.columns]
        if isinstance(index, slice):
            return Tuples(*parts, type=self.type)
        parts = [part.item() if isinstance(part, np.generic) else part for part in parts]
        return Record(self.type, *parts) if self.type else tuple(parts)

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(len(self)))

    def to_list(self) -> list[Any]:
        """A list of tuples or records of Python numbers."""
        columns = zip(*map(_to_list, self.columns))
        return [Record(self.type, *parts) for parts in columns] if self.type else list(columns)

    def __repr__(self) -> str:
        return f"Tuples({', '.join(map(repr, self.columns))}{f', type={self.type!r}' if self.type else ''})"


class Jagged:
    """A nested sequence: row k is data[offsets[k]:offsets[k + 1]]. The data of [[[t]]] are Jagged themselves.

    There is one offset more than there are rows; offsets ascend from 0 to the number of elements.
    """

    def __init__(self, data: Any, offsets: Any) -> None:
        self.data = data
        offsets = np.asarray(offsets)
        if offsets.ndim != 1 or offsets.dtype.kind not in "iu":
            raise ArgumentError(f"offsets are an array of ints of one dimension, not {offsets.dtype} of {offsets.ndim}")
        self.offsets = np.ascontiguousarray(offsets, dtype=np.int64)
        if len(offsets) == 0 or self.offsets[0] != 0 or self.offsets[-1] != len(data):
            given = f"from {self.offsets[0]} to {self.offsets[-1]}" if len(offsets) else "empty"
            raise ArgumentError(f"offsets go from 0 to the number of elements, {len(data)}, but are {given}")
        descents = np.flatnonzero(self.offsets[1:] < self.offsets[:-1])
        if len(descents):
            k = int(descents[0]) + 1
            raise ArgumentError(f"offsets[{k}] is {self.offsets[k]}, less than offsets[{k - 1}], which is {self.offsets[k - 1]}")

    @classmethod
    def from_rows(cls, rows: Any) -> Jagged:
        """Makes a Jagged by concatenating a sequence of arrays of one dimension."""
        arrays = [np.asarray(row) for row in rows]
        for k, array in enumerate(arrays):
            if array.ndim != 1:
                raise ArgumentError(f"row {k} has {array.ndim} dimensions, not one")
        data = joined(arrays) if arrays else np.empty(0)
        return cls(data, np.concatenate([[0], np.cumsum([len(array) for array in arrays], dtype=np.int64)]).astype(np.int64))

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
        """The rows of a SciPy CSR matrix, as [[(column, value)]]; the values are not copied."""
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

    def _arrow_node(self, name: str) -> Node:
        return list_node(name, self.offsets, node_of(self.data, "item"))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step != 1:
                raise ArgumentError("slices of nested sequences have step 1")
            offsets = self.offsets[start:max(start, stop) + 1]
            return Jagged(self.data[int(offsets[0]):int(offsets[-1])], offsets - offsets[0])
        if not -len(self) <= index < len(self):
            raise IndexError(f"row {index} of {len(self)}")
        index %= len(self)
        return self.data[int(self.offsets[index]):int(self.offsets[index + 1])]

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(len(self)))

    def to_list(self) -> list[Any]:
        """A list of lists of Python numbers."""
        data, offsets = _to_list(self.data), self.offsets.tolist()
        return [data[begin:end] for begin, end in zip(offsets, offsets[1:])]

    def __repr__(self) -> str:
        return f"Jagged({self.data!r}, {self.offsets!r})"


def joined(arrays: list[np.ndarray]) -> np.ndarray:
    """Concatenates arrays of one dimension. Raises ArgumentError if they are not all numbers, all bools or all strings."""
    kinds = ["number" if array.dtype.kind in "iuf" else "bool" if array.dtype.kind == "b" else
             "string" if array.dtype.kind in "UST" else str(array.dtype) for array in arrays]
    for k, kind in enumerate(kinds):
        if kind != kinds[0]:
            raise ArgumentError(f"rows 0 and {k} are of different kinds: an array of {arrays[0].dtype} and one of {arrays[k].dtype}")
    if {array.dtype.kind for array in arrays} == {"i", "u"}:  # NumPy would concatenate them to floats
        arrays = [as_ints(array) for array in arrays]
    return np.concatenate(arrays)


def as_ints(array: np.ndarray, levels: Levels = ()) -> np.ndarray:
    """Converts an array of ints to 64 bits. Raises ArgumentError if one does not fit."""
    if array.dtype.kind == "u" and array.dtype.itemsize == 8 and array.size:
        wide = np.flatnonzero(array.reshape(-1) > np.uint64(np.iinfo(np.int64).max))
        if len(wide):
            at = int(wide[0])
            raise ArgumentError(f"{place(levels, at)} is {array.reshape(-1)[at]}, which needs more than the 64 bits of an int")
    return array.astype(np.int64)


def _to_list(sequence: Any) -> list[Any]:
    return sequence if isinstance(sequence, list) else list(sequence) if isinstance(sequence, str) else (
        sequence.tolist() if isinstance(sequence, np.ndarray) else sequence.to_list())


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
