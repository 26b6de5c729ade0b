"""Values of NESL that NumPy has no type for: nested sequences, sequences of tuples, records, single characters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .errors import ArgumentError


class Char(str):
    """A single character, where a str of one character is a [char]."""


class Record(tuple[Any, ...]):
    """A value of a datatype: the tuple of its fields, and the datatype's name."""

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
    """A sequence of tuples as its columns: [(a, b)] is Tuples([a], [b]). With `type`, of records of that datatype.

    The columns are whatever encodes to a sequence, all of one length.
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
        """The array for libraries of Arrow, as pyarrow.record_batch() reads it."""
        from .arrow import to_arrow

        return to_arrow(self)

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
        """A list of tuples, or records, of Python's numbers."""
        columns = zip(*map(_to_list, self.columns))
        return [Record(self.type, *parts) for parts in columns] if self.type else list(columns)

    def __repr__(self) -> str:
        return f"Tuples({', '.join(map(repr, self.columns))}{f', type={self.type!r}' if self.type else ''})"


class Jagged:
    """A nested sequence: row k has data[offsets[k]:offsets[k + 1]]. The data of [[[t]]] are Jagged themselves.

    There is one offset more than there are rows; they ascend from 0 to the number of elements.
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
        """Of a sequence of arrays of one dimension, whose elements are copied one behind the other."""
        arrays = [np.asarray(row) for row in rows]
        for k, array in enumerate(arrays):
            if array.ndim != 1:
                raise ArgumentError(f"row {k} has {array.ndim} dimensions, not one")
        data = np.concatenate(arrays) if arrays else np.empty(0)
        return cls(data, np.concatenate([[0], np.cumsum([len(array) for array in arrays], dtype=np.int64)]).astype(np.int64))

    @classmethod
    def from_awkward(cls, array: Any) -> Jagged:
        """Of an Awkward Array of lists of numbers, to any depth."""
        import awkward as ak

        array = ak.to_packed(array)
        lengths = ak.to_numpy(ak.num(array, axis=1))
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        inner = ak.flatten(array, axis=1)
        return cls(cls.from_awkward(inner) if inner.ndim > 1 else ak.to_numpy(inner), offsets)

    def to_awkward(self) -> Any:
        """An Awkward Array of the same buffers."""
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
        """The SciPy CSR matrix whose rows are these [[(column, value)]], of so many columns."""
        from scipy.sparse import csr_matrix

        if not isinstance(self.data, Tuples) or len(self.data.columns) != 2:
            raise ArgumentError("rows of a matrix are sequences of pairs: column and value")
        indices, values = self.data.columns
        return csr_matrix((values, indices, self.offsets), shape=(len(self), columns))

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        """The array for libraries of Arrow, as pyarrow.array() and polars.Series() read it."""
        from .arrow import to_arrow

        return to_arrow(self)

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
        """A list of lists of Python's numbers."""
        data, offsets = _to_list(self.data), self.offsets.tolist()
        return [data[begin:end] for begin, end in zip(offsets, offsets[1:])]

    def __repr__(self) -> str:
        return f"Jagged({self.data!r}, {self.offsets!r})"


def _to_list(sequence: Any) -> list[Any]:
    return sequence if isinstance(sequence, list) else list(sequence) if isinstance(sequence, str) else (
        sequence.tolist() if isinstance(sequence, np.ndarray) else sequence.to_list())
