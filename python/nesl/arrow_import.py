"""Reads Arrow arrays of pandas, Polars, pyarrow and others by the C data interface, without importing these libraries.

https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _nesl
from .arrays import Levels, Strings, Tuples, place, taken
from .devices import HOST, ForeignArray, on_device_of
from .errors import ArgumentError, ArgumentTypeError
from .jagged import Jagged


def is_arrow(item: Any) -> bool:
    """Whether an object should be read by the interface; false for objects that have a NumPy array inside."""
    if isinstance(getattr(item, "dtype", None), np.dtype):
        return False
    return any(hasattr(item, name) for name in ("__arrow_c_array__", "__arrow_c_stream__", "__arrow_c_device_array__"))


def from_arrow(session: _nesl.Session, item: Any) -> Any:
    """Converts an object to an array, a Jagged, Tuples or Strings, which share its memory where possible. The object has
    lists, structs, strings, numbers and bools, and no nulls."""
    has_host = hasattr(item, "__arrow_c_array__") or hasattr(item, "__arrow_c_stream__")
    if hasattr(item, "__arrow_c_device_array__") and not (has_host and session.device[0] == HOST):
        nodes = [_readable(session, item)]
    elif hasattr(item, "__arrow_c_array__"):
        nodes = [_nesl.arrow_array(*item.__arrow_c_array__())]
    else:
        nodes = _nesl.arrow_stream(item.__arrow_c_stream__())
    parts, before = [], 0
    for node in nodes:
        parts.append(_Part(before).decoded(node, 0, node[1]))
        before += node[1]
    return _joined(parts)


def _readable(session: _nesl.Session, item: Any) -> Any:
    """The node of an array on any device. Of one on the device of the session, the numbers stay there, and bitmaps, offsets and
    texts are copied."""
    schema, array = item.__arrow_c_device_array__()
    type, number, event, node = _nesl.arrow_device_array(schema, array)
    if type == HOST:
        return node
    device = on_device_of(session, (type, number), item)
    if event:
        session.await_event(event)

    def foreign(buffer: Any, count: int | None = None) -> Any:
        """The elements of a buffer on the device; those that the host has are returned as they are."""
        if not isinstance(buffer, tuple):
            return buffer
        dtype, address, length = buffer
        return ForeignArray(device, np.dtype(dtype), address, (length if count is None else count,), array)

    def fetched(buffer: Any, count: int | None = None) -> Any:
        found = foreign(buffer, count)
        return found.on_host(session) if isinstance(found, ForeignArray) else found

    def read(node: Any, stays: bool = True) -> Any:
        format, length, offset, validity, values, text, children = node
        values = foreign(values) if stays and format in _NUMBERS else fetched(values)
        text = fetched(text, int(values[-1]) if format in _TEXTS and len(values) else None)
        rest = tuple(read(child, stays and format != "dictionary") for child in children)
        return format, length, offset, fetched(validity), values, text, rest

    return read(node)


_NUMBERS = frozenset("cCsSiIlLefg")  # formats
_TEXTS = frozenset("uUzZ")


class _Part:
    """The position of a part of an array, for errors: element k of the part is element `first` + k of the flat data that
    the sequences with the offsets `levels` enclose."""

    def __init__(self, first: int, levels: Levels = ()) -> None:
        self.first = first
        self.levels = levels

    def decoded(self, node: Any, begin: int, end: int) -> Any:
        """Converts the elements from `begin` to `end` of an array, the whole part. Elements outside may be null."""
        format, _, offset, validity, values, text, children = node
        if validity is not None:
            nulls = np.flatnonzero(_bits(validity, offset + begin, end - begin) == 0)
            if len(nulls):
                what = "row" if format.startswith(("+l", "+L", "+v", "+w")) else "element"
                raise ArgumentError(f"{place(self.levels, self.first + int(nulls[0]), what)} is null, which NESL has not: "
                                    "fill or drop it first")
        if format == "b":
            return _bits(values, offset + begin, end - begin).view(np.bool_)
        if format == "+s":
            columns = [self.decoded(child, offset + begin, offset + end) for child in children]
            return Tuples(*columns) if len(columns) > 1 else _only(columns)
        if format.startswith("+w:"):
            width = int(format[3:])
            offsets = np.arange(end - begin + 1) * width
            return Jagged(self._rows(offsets).decoded(children[0], (offset + begin) * width, (offset + end) * width), offsets)
        if format == "dictionary":
            return taken(_Part(0).decoded(children[0], 0, children[0][1]), values[begin:end])
        if format.startswith("t"):
            raise ArgumentTypeError(f"an Arrow array of dates, times or durations, {format!r}, has no NESL value: cast it to ints, "
                                    "which NESL takes")
        if values is None:
            raise ArgumentTypeError(f"an Arrow array of format {format!r} has no NESL value: only numbers, bools, strings, "
                                    "lists and structs")
        if format in ("+l", "+L"):
            offsets = values[begin:end + 1].astype(np.int64) if len(values) else np.zeros(1, dtype=np.int64)
            first = int(offsets[0])
            return Jagged(self._rows(offsets - first).decoded(children[0], first, int(offsets[-1])), offsets - first)
        if format in ("+vl", "+vL"):
            return self._list_views(children[0], values[begin:end].astype(np.int64), text[begin:end].astype(np.int64))
        if format in ("u", "U", "z", "Z"):
            ends = values[begin:end + 1].tolist()
            return Strings(text[first:last].tobytes() for first, last in zip(ends, ends[1:]))
        if format in ("vu", "vz"):
            return Strings(_viewed(view, text) for view in values.reshape(-1, 16)[begin:end])
        return values[begin:end]

    def _rows(self, offsets: np.ndarray) -> _Part:
        """The part with the elements of the rows of this part. `offsets` begin with 0; rows before the part count as empty."""
        return _Part(0, (*self.levels, np.concatenate([np.zeros(self.first, dtype=np.int64), offsets])))

    def _list_views(self, child: Any, begins: np.ndarray, lengths: np.ndarray) -> Jagged:
        """Converts list views, whose rows may overlap and be in any order."""
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        rows = self._rows(offsets)
        used = [k for k, length in enumerate(lengths) if length > 0]
        if not used:
            return Jagged(rows.decoded(child, 0, 0), offsets)
        parts = [_Part(int(offsets[k]), rows.levels).decoded(child, int(begins[k]), int(begins[k] + lengths[k])) for k in used]
        return Jagged(_joined(parts), offsets)


def _viewed(view: np.ndarray, buffers: list[np.ndarray]) -> bytes:
    """The text of a string view. The view contains a short text, or the buffer number and the offset of a longer text."""
    length, _, buffer, begin = view.view(np.int32).tolist()
    return view[4:4 + length].tobytes() if length <= 12 else buffers[buffer][begin:begin + length].tobytes()


def _bits(bitmap: np.ndarray, offset: int, length: int) -> np.ndarray:
    whole, bit = divmod(offset, 8)
    return np.unpackbits(bitmap[whole:], count=bit + length, bitorder="little")[bit:]


def _only(columns: list[Any]) -> Any:
    if not columns:
        raise ArgumentTypeError("a struct without fields has no NESL value")
    return columns[0]


def _joined(parts: list[Any]) -> Any:
    """Concatenates parts of the same type."""
    first = parts[0]
    if len(parts) == 1:
        return first
    if isinstance(first, np.ndarray):
        return np.concatenate(parts)
    if isinstance(first, Strings):
        return Strings(text for part in parts for text in part)
    if isinstance(first, Tuples):
        return Tuples(*[_joined(list(columns)) for columns in zip(*(part.columns for part in parts))])
    begins = np.cumsum([0] + [part.offsets[-1] for part in parts])
    offsets = [part.offsets[1:] + begin for part, begin in zip(parts, begins)]
    return Jagged(_joined([part.data for part in parts]), np.concatenate([[0], *offsets]))
