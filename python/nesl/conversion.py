"""From Python's values to those of NESL and back. Arrays are not copied where NESL has their elements as they are."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np

from . import _nesl
from .arrays import Char, Jagged, Record, Tuples
from .arrow import from_arrow, is_arrow
from .errors import ArgumentError

_BORROWED = frozenset("?ilqfd")  # dtype.char of what the library reads as it is
_INT64 = np.iinfo(np.int64)


def encode(session: _nesl.Session, item: Any) -> _nesl.Value:
    """The NESL value of a Python value; an ArgumentError if there is none."""
    if type(item) is np.ndarray:
        return _encode_array(session, item)
    kind = _kind(item)
    if kind == "float":
        return session.from_float(item)
    if kind == "int":
        return session.from_int(_int64(item))
    if kind == "bool":
        return session.from_bool(bool(item))
    if kind == "char":
        return session.from_char(_code(item))
    if kind == "string":
        return session.borrow(np.frombuffer(_bytes(item), dtype="S1"))
    if kind == "tuple":
        is_record = isinstance(item, Record)
        if len(item) < (1 if is_record else 2):
            raise ArgumentError(f"a tuple has two or more parts, but {item!r} has {len(item)}")
        parts = [encode(session, part) for part in item]
        whole = _nesl.tuple(parts) if len(parts) > 1 else parts[0]
        return whole.as_type(item.type) if is_record else whole
    return _encode_sequence(session, item)


def _int64(given: Any) -> int:
    number = int(given)
    if not _INT64.min <= number <= _INT64.max:
        raise ArgumentError(f"{number} needs more than the 64 bits of an int")
    return number


def _code(char: Char) -> int:
    if len(char) != 1 or ord(char) > 255:
        raise ArgumentError(f"{str(char)!r} is not one character of a byte")
    return ord(char)


def _kind(item: Any) -> str:
    if isinstance(item, (bool, np.bool_)):
        return "bool"
    if isinstance(item, (int, np.integer)):
        return "int"
    if isinstance(item, (float, np.floating)):
        return "float"
    if isinstance(item, Char):
        return "char"
    if isinstance(item, (str, bytes)):
        return "string"
    if isinstance(item, tuple):
        return "tuple"
    return "None" if item is None else "sequence"


def _bytes(text: str | bytes) -> bytes:
    try:
        return text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise ArgumentError(f"{text!r} is no text of Unicode's characters") from None


def _encode_sequence(session: _nesl.Session, item: Any) -> _nesl.Value:
    if isinstance(item, Jagged):
        return encode(session, item.data).nest(item.offsets)
    if isinstance(item, Tuples):
        columns = [encode(session, column) for column in item.columns]
        whole = _nesl.zip(columns) if len(columns) > 1 else columns[0]
        return whole.as_type(f"[{item.type}]") if item.type else whole
    if isinstance(item, list):
        return _encode_list(session, item)
    if isinstance(item, np.ma.MaskedArray):
        raise ArgumentError("a masked array has elements that are missing, which NESL has not: fill them first")
    if type(item).__module__.partition(".")[0] == "awkward":
        return encode(session, Jagged.from_awkward(item))
    if getattr(item, "format", None) == "csr":
        return encode(session, Jagged.from_csr(item))
    if is_arrow(item):
        return encode(session, from_arrow(item))
    if hasattr(item, "__array__") or isinstance(item, np.ndarray):
        return _encode_array(session, np.asarray(item))
    if isinstance(item, range):
        return _encode_array(session, np.arange(item.start, item.stop, item.step))
    raise ArgumentError(f"{_described(item)} has no NESL value")


def _described(item: Any) -> str:
    return "None" if item is None else f"a value of the type {type(item).__name__}"


def _encode_array(session: _nesl.Session, array: np.ndarray) -> _nesl.Value:
    dtype = array.dtype
    if dtype.char not in _BORROWED or not dtype.isnative:
        if dtype.kind in "USO":
            return encode(session, array.tolist())
        array = _converted(array)
    if array.ndim == 1 and array.flags.c_contiguous:
        return session.borrow(array)
    if array.ndim == 0:
        return encode(session, array.item())
    value = session.borrow(np.ascontiguousarray(array).reshape(-1))
    rows = array.size
    for axis in range(array.ndim - 1, 0, -1):
        rows = int(np.prod(array.shape[:axis], dtype=np.int64))
        value = value.nest(np.arange(rows + 1, dtype=np.int64) * array.shape[axis])
    return value


def _converted(array: np.ndarray) -> np.ndarray:
    kind = array.dtype.kind
    if kind == "u" and array.dtype.itemsize == 8 and array.size:
        _int64(array.max())
    if kind in "iu":
        return array.astype(np.int64)
    if kind == "f":
        return array.astype(np.float64 if array.dtype.itemsize != 4 else np.float32)
    raise ArgumentError(f"an array of {array.dtype} has no NESL value: its elements must be bools, ints, floats or strings")


def _encode_list(session: _nesl.Session, items: list[Any]) -> _nesl.Value:
    if not items:
        raise ArgumentError("an empty list has no type: use an empty array, as numpy.array([], dtype=float)")
    kinds = [_kind(item) for item in items]
    kind = kinds[0]
    if set(kinds) == {"int", "float"}:
        kind = "float"
    else:
        for k, other in enumerate(kinds):
            if other != kind:
                raise ArgumentError(f"elements 0 and {k} of a list are of different kinds: {kind} and {other}")
    if kind == "int":
        return session.borrow(np.array([_int64(item) for item in items], dtype=np.int64))
    if kind in ("bool", "float"):
        return session.borrow(np.array(items, dtype=np.bool_ if kind == "bool" else np.float64))
    if kind == "char":
        return session.borrow(np.frombuffer(bytes(map(_code, items)), dtype="S1"))
    if kind == "string":
        texts = [_bytes(item) for item in items]
        return session.borrow(np.frombuffer(b"".join(texts), dtype="S1")).nest(_offsets(texts))
    if kind == "tuple":
        return _encode_tuples(session, items)
    return _encode_rows(session, items)


def _encode_tuples(session: _nesl.Session, items: list[Any]) -> _nesl.Value:
    for k, item in enumerate(items):
        if len(item) != len(items[0]):
            raise ArgumentError(f"element {k} of a list is a tuple of {len(item)}, but element 0 one of {len(items[0])}")
        if getattr(item, "type", None) != getattr(items[0], "type", None):
            raise ArgumentError(f"element {k} of a list, {item!r}, is of another datatype than element 0")
    columns = [list(column) for column in zip(*items)]
    return encode(session, Tuples(*columns, type=getattr(items[0], "type", None)))


def _encode_rows(session: _nesl.Session, rows: list[Any]) -> _nesl.Value:
    for k, row in enumerate(rows):
        if not isinstance(row, (list, np.ndarray, Jagged, Tuples)) and not hasattr(row, "__array__"):
            raise ArgumentError(f"element {k} of a list: {_described(row)} has no NESL value")
        if isinstance(row, np.ndarray) and row.ndim == 0:
            raise ArgumentError(f"element {k} of a list is an array without dimensions")
    if all(isinstance(row, np.ndarray) and row.ndim == 1 for row in rows):
        elements: Any = np.concatenate(rows)
    else:
        elements = list(chain.from_iterable(rows))
    return encode(session, elements).nest(_offsets(rows))


def _offsets(rows: list[Any]) -> np.ndarray:
    offsets = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum([len(row) for row in rows], out=offsets[1:])
    return offsets


def decode(value: _nesl.Value) -> Any:
    """The Python value of a NESL value. Arrays are read-only: they may be those of the caller, or of other results."""
    return _DECODERS[value.kind](value)


def _decode_sequence(value: _nesl.Value) -> Any:
    kind = value.type
    if kind in ("[int]", "[float]", "[bool]"):
        return value.array()
    if kind == "[char]":
        return _text(value.array().tobytes())
    if kind == "[[char]]":
        text, offsets = value.elements().array().tobytes(), value.offsets().tolist()
        return [_text(text[begin:end]) for begin, end in zip(offsets, offsets[1:])]
    if kind.startswith("[["):
        return Jagged(decode(value.elements()), value.offsets())
    columns = _decode_parts(value)
    return Tuples(*columns, type=None if kind.startswith("[(") else kind[1:-1])


def _text(text: bytes) -> str:
    return text.decode("utf-8", "surrogateescape")


def _decode_parts(value: _nesl.Value) -> list[Any]:
    if value.parts == 0:
        raise ArgumentError(f"a value of the type {value.type} cannot be read")
    return [decode(value.part(k)) for k in range(value.parts)]


_DECODERS = {  # nesl_kind
    1: _nesl.Value.get_int,
    2: _nesl.Value.get_float,
    3: _nesl.Value.get_bool,
    4: lambda value: Char(chr(value.get_char())),
    5: _decode_sequence,
    6: lambda value: tuple(_decode_parts(value)),
    7: lambda value: Record(value.type, *_decode_parts(value)),
    8: _decode_parts,
}
