"""Values of NESL that NumPy has no type for: sequences of tuples, records, strings, single characters. Nested sequences
are in jagged.py."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .arrow_export import Node, capsules, device_capsules, node_of, struct_node
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
    """A value of a datatype: a tuple of its fields, with the name of the datatype in `type`. Record("point", x=1.0, y=2.0)
    has the names of the fields in `fields`, and the fields as attributes, as records have that NESL returns."""

    type: str
    fields: tuple[str, ...]

    def __new__(cls, type: str, /, *parts: Any, **named: Any) -> Record:
        if parts and named:
            raise ArgumentError("a record has fields with names, or fields without")
        record = super().__new__(cls, parts or named.values())
        record.type = type
        record.fields = tuple(named)
        return record

    @classmethod
    def of(cls, type: str, fields: Sequence[str], parts: Sequence[Any]) -> Record:
        """The record with these parts and names, of which there may be none."""
        record = cls(type, *parts)
        record.fields = tuple(fields)
        return record

    def __getnewargs__(self) -> tuple[Any, ...]:
        return (self.type, *self)

    def __getattr__(self, name: str) -> Any:
        return self[_position(self, name)]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.fields]

    def __eq__(self, other: object) -> bool:
        return tuple.__eq__(self, other) is True and self.type == getattr(other, "type", None)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((self.type, tuple(self)))

    def __repr__(self) -> str:
        return f"{self.type}({', '.join(map(repr, self))})"


def _position(records: Any, name: str) -> int:
    """The position of a field; raises what a missing attribute raises."""
    fields = vars(records).get("fields", ())
    if name not in fields:
        what = type(records).__name__ if "type" not in vars(records) or not records.type else records.type
        raise AttributeError(f"{what} has no field {name}" + (f": its fields are {', '.join(fields)}" if fields else ""))
    return int(fields.index(name))


class Tuples:
    """A sequence of tuples as columns: [(a, b)] is Tuples([a], [b]). With `type`, a sequence of records of that datatype;
    with `fields`, its columns are attributes of these names.

    Columns are any values that NESL takes as sequences; they have the same length.
    """

    def __init__(self, *columns: Any, type: str | None = None, fields: Sequence[str] = ()) -> None:
        if len(columns) < (1 if type else 2):
            raise ArgumentError(f"tuples have two or more parts, but here are {len(columns)} columns")
        lengths = [len(column) for column in columns]
        if len(set(lengths)) > 1:
            raise ArgumentError(f"columns of one length are needed, but these have {', '.join(map(str, lengths))}")
        if fields and len(fields) != len(columns):
            raise ArgumentError(f"{len(columns)} columns have as many names, not {len(fields)}")
        self.columns = columns
        self.type = type
        self.fields = tuple(fields)

    def __getattr__(self, name: str) -> Any:
        return self.columns[_position(self, name)]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.fields]

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        """The struct array in Arrow's C data interface, as pyarrow.record_batch() reads it."""
        return capsules(self._arrow_node(""))

    def __arrow_c_device_array__(self, requested_schema: object = None, **kwargs: object) -> tuple[object, object]:
        """The same in Arrow's C device data interface, for columns on a device."""
        return device_capsules(self._arrow_node(""))

    def _arrow_node(self, name: str) -> Node:
        names = self.fields or map(str, range(len(self.columns)))
        return struct_node(name, len(self), [node_of(column, field) for column, field in zip(self.columns, names)])

    def __len__(self) -> int:
        return len(self.columns[0])

    def __getitem__(self, index: Any) -> Any:
        """The tuple or record at an int; for a slice or an array of ints or bools, the Tuples at these."""
        parts = [taken(column, index) for column in self.columns]
        if np.ndim(index) > 0 or isinstance(index, slice):
            return Tuples(*parts, type=self.type, fields=self.fields)
        parts = [part.item() if isinstance(part, np.generic) else part for part in parts]
        return Record.of(self.type, self.fields, parts) if self.type else tuple(parts)

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(len(self)))

    def to_list(self) -> list[Any]:
        """A list of tuples or records of Python numbers."""
        columns = zip(*map(to_list, self.columns))
        return [Record.of(self.type, self.fields, parts) for parts in columns] if self.type else list(columns)

    def __repr__(self) -> str:
        parts = [*map(repr, self.columns)]
        if self.type:
            parts.append(f"type={self.type!r}")
        return f"Tuples({', '.join(parts)})"


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


def to_list(sequence: Any) -> list[Any]:
    return sequence if isinstance(sequence, list) else list(sequence) if isinstance(sequence, str) else (
        sequence.to_list() if isinstance(sequence, Tuples) or hasattr(sequence, "offsets") else sequence.tolist())


def taken(sequence: Any, index: Any) -> Any:
    """sequence[index] of an array, a list, a Jagged or Tuples, where the index may be an array of ints or bools."""
    if not isinstance(sequence, (list, str)) or np.ndim(index) == 0:
        return sequence[index]
    positions = np.flatnonzero(index) if np.asarray(index).dtype.kind == "b" else np.asarray(index)
    found = [sequence[k] for k in positions.tolist()]
    return Strings(found) if isinstance(sequence, Strings) else "".join(found) if isinstance(sequence, str) else found


def array_of(items: list[Any]) -> np.ndarray | None:
    """The array of a list of Python's own ints of 64 bits, floats or bools; None for any other list."""
    types = set(map(type, items))
    try:
        if types == {float} or types == {int, float}:
            return np.array(items, dtype=np.float64)
        if types == {int}:
            return np.array(items, dtype=np.int64)
    except OverflowError:
        return None
    return np.array(items, dtype=np.bool_) if types == {bool} else None


def offsets_of(rows: Sequence[Any]) -> np.ndarray:
    """The offsets of rows that lie one behind the other."""
    offsets = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, rows), dtype=np.int64, count=len(rows)), out=offsets[1:])
    return offsets
