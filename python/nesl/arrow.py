"""Arrays of Arrow, as pandas, Polars and pyarrow have them, by the C data interface, which needs none of these.

https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _nesl
from .arrays import Jagged, Tuples
from .errors import ArgumentError

_FORMATS = {"?": "b", "i": "i", "l": "l", "q": "l", "f": "f", "d": "g"}  # of dtype.char


def is_arrow(item: Any) -> bool:
    """Whether an object is best read by the interface: not if it is an array of NumPy's inside."""
    if isinstance(getattr(item, "dtype", None), np.dtype):
        return False
    return hasattr(item, "__arrow_c_array__") or hasattr(item, "__arrow_c_stream__")


def from_arrow(item: Any) -> Any:
    """An array, a Jagged, Tuples or a list of bytes with the elements of the object, in its memory where possible. Lists,
    structs, strings, numbers and bools are read, none of which may be null."""
    if hasattr(item, "__arrow_c_array__"):
        return _decoded(_nesl.arrow_array(*item.__arrow_c_array__()))
    return _joined([_decoded(node) for node in _nesl.arrow_stream(item.__arrow_c_stream__())])


def _decoded(node: Any) -> Any:
    format, length, offset, validity, values, text, children = node
    if validity is not None:
        nulls = np.flatnonzero(_bits(validity, offset, length) == 0)
        if len(nulls):
            raise ArgumentError(f"element {nulls[0]} is null, which NESL has not: fill or drop it first")
    if format == "b":
        return _bits(values, offset, length).view(np.bool_)
    if format == "+s":
        columns = [_decoded(child)[offset:offset + length] for child in children]
        return Tuples(*columns) if len(columns) > 1 else _only(columns)
    if format.startswith("+w:"):
        width = int(format[3:])
        return Jagged(_decoded(children[0])[offset * width:(offset + length) * width], np.arange(length + 1) * width)
    if values is None:
        raise ArgumentError(f"an Arrow array of format {format!r} has no NESL value: only numbers, bools, strings, lists and structs")
    if format in ("+l", "+L"):
        offsets = values.astype(np.int64) if len(values) else np.zeros(1, dtype=np.int64)
        return Jagged(_decoded(children[0])[int(offsets[0]):int(offsets[-1])], offsets - offsets[0])
    if format in ("u", "U", "z", "Z"):
        ends = values.tolist()
        return [text[begin:end].tobytes() for begin, end in zip(ends, ends[1:])]
    return values


def _bits(bitmap: np.ndarray, offset: int, length: int) -> np.ndarray:
    return np.unpackbits(bitmap, count=offset + length, bitorder="little")[offset:]


def _only(columns: list[Any]) -> Any:
    if not columns:
        raise ArgumentError("a struct without fields has no NESL value")
    return columns[0]


def _joined(parts: list[Any]) -> Any:
    """Parts of one type, one behind the other."""
    first = parts[0]
    if len(parts) == 1:
        return first
    if isinstance(first, np.ndarray):
        return np.concatenate(parts)
    if isinstance(first, list):
        return [text for part in parts for text in part]
    if isinstance(first, Tuples):
        return Tuples(*[_joined(list(columns)) for columns in zip(*(part.columns for part in parts))])
    begins = np.cumsum([0] + [part.offsets[-1] for part in parts])
    offsets = [part.offsets[1:] + begin for part, begin in zip(parts, begins)]
    return Jagged(_joined([part.data for part in parts]), np.concatenate([[0], *offsets]))


def to_arrow(value: Any) -> tuple[Any, Any]:
    """The capsules of schema and array for __arrow_c_array__; buffers are shared but for those of bools and strings."""
    return _nesl.arrow_capsules(_node(value, ""))


def _node(value: Any, name: str) -> tuple[Any, ...]:
    if isinstance(value, Jagged):
        return "+L", name, len(value), (None, value.offsets), (_node(value.data, "item"),)
    if isinstance(value, Tuples):
        return "+s", name, len(value), (None,), tuple(_node(column, str(k)) for k, column in enumerate(value.columns))
    if isinstance(value, list) and all(isinstance(text, str) for text in value):
        texts = [text.encode("utf-8") for text in value]
        offsets = np.cumsum([0] + [len(text) for text in texts], dtype=np.int64)
        return "U", name, len(texts), (None, offsets, np.frombuffer(b"".join(texts), dtype="S1")), ()
    array = np.ascontiguousarray(value)
    if array.ndim != 1 or array.dtype.char not in _FORMATS:
        raise ArgumentError(f"an array of {array.dtype} of {array.ndim} dimensions has no format in Arrow")
    buffer = np.packbits(array, bitorder="little") if array.dtype.char == "?" else array
    return _FORMATS[array.dtype.char], name, len(array), (None, buffer), ()
