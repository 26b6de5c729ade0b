"""Converts Python values to NESL values and back. Arrays whose elements NESL represents identically are not copied."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

import numpy as np

from . import _nesl
from .arrays import Char, Levels, Record, Strings, Tuples, array_of, as_ints, joined, offsets_of, path, place
from .arrow_import import from_arrow, is_arrow
from .devices import DeviceArray, ForeignArray, has_device_interface, read
from .errors import ArgumentError, ArgumentTypeError
from .jagged import Jagged, from_awkward
from .widening import Tree, text_of

_BORROWED = frozenset("?ilqfd")  # dtype.char of arrays that the library reads without conversion
_PLAIN = {str, tuple, list}  # types whose values are all of one kind
_INT64 = np.iinfo(np.int64)
_INT32 = np.iinfo(np.int32)


def encode(session: _nesl.Session, item: Any, levels: Levels = ()) -> _nesl.Value:
    """The NESL value of a Python value. Raises ArgumentError if there is none. `levels` are the offsets of the sequences
    that enclose the value, for the index of an element in errors."""
    if type(item) is np.ndarray:
        return _encode_array(session, item, levels)
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
            raise ArgumentError(f"a tuple has two or more parts, but this one has {len(item)}")
        parts = [encode(session, part) for part in item]
        whole = _nesl.tuple(parts) if len(parts) > 1 else parts[0]
        return _typed(whole, item.type, item) if is_record else whole
    return _encode_sequence(session, item, levels)


def _typed(value: _nesl.Value, type: str, records: Record | Tuples) -> _nesl.Value:
    """Fields as a value of a datatype, or as a sequence of such, whose fields must have the names that the records have."""
    typed = value.as_type(type)
    if records.fields and list(records.fields) != typed.fields:
        raise ArgumentError(f"the fields of {records.type} are {', '.join(typed.fields)}, not {', '.join(records.fields)}")
    return typed


def with_floats(session: _nesl.Session, value: _nesl.Value, type: Tree) -> _nesl.Value:
    """The value with floats for its ints, where the type of the same shape has floats."""
    if value.type == text_of(type):
        return value
    if type == "float":
        return session.from_float(float(value.get_int()))
    if type == ("[", "float"):
        return session.borrow(value.array().astype(np.float64))
    if value.parts:
        parts = [with_floats(session, value.part(k), part) for k, part in enumerate(_part_types(type, value.parts))]
        return _nesl.zip(parts) if type[0] == "[" else _nesl.tuple(parts)
    return with_floats(session, value.elements(), type[1]).nest(value.offsets())


def _part_types(type: Tree, count: int) -> list[Tree]:
    """The types of the parts of a tuple, or of the sequences of the parts of tuples."""
    if type[0] == "[":
        return [("[", part) for part in _part_types(type[1], count)]
    return list(type[1:])


def _int64(given: Any) -> int:
    number = int(given)
    if not _INT64.min <= number <= _INT64.max:
        raise ArgumentError(f"{_shortened(number)} needs more than the 64 bits of an int")
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


def _float64(number: Any) -> float:
    try:
        return float(number)
    except OverflowError:
        raise ArgumentError(f"{_shortened(number)} is too large for a float") from None


def _shortened(number: int) -> str:
    digits = len(f"{number:x}")
    return str(number) if digits < 100 else f"an int of {4 * digits} bits"


def _each(convert: Callable[[Any], Any], items: Sequence[Any], levels: Levels) -> list[Any]:
    """Converts all items. An error names the index of the item."""
    try:
        return [convert(item) for item in items]
    except ArgumentError:
        pass
    for k, item in enumerate(items):
        try:
            convert(item)
        except ArgumentError as error:
            raise type(error)(f"{place(levels, k)}: {error.message}") from None
    raise AssertionError("what fails once fails again")


def _bytes(text: Any) -> bytes:
    if not isinstance(text, (str, bytes)):
        raise ArgumentTypeError(f"{_described(text)} is no string")
    try:
        return text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise ArgumentError(f"{text!r} is no text of Unicode's characters") from None


def _encode_sequence(session: _nesl.Session, item: Any, levels: Levels) -> _nesl.Value:
    if isinstance(item, Jagged):
        return item._nest(encode(session, item.data, (*levels, item.offsets)))
    if isinstance(item, Tuples):
        columns = [encode(session, column, levels) for column in item.columns]
        whole = _nesl.zip(columns) if len(columns) > 1 else columns[0]
        return _typed(whole, f"[{item.type}]", item) if item.type else whole
    if isinstance(item, list):
        return _encode_list(session, item, levels)
    if isinstance(item, np.ma.MaskedArray):
        missing = np.flatnonzero(np.ma.getmaskarray(item))
        if len(missing):
            raise ArgumentError(f"{_array_place(item, int(missing[0]), levels)} of a masked array is missing, which NESL has not: "
                                "fill it first, with filled()")
        return _encode_array(session, np.ma.getdata(item), levels)
    if type(item).__module__.partition(".")[0] == "awkward":
        return encode(session, from_awkward(item), levels)
    if hasattr(item, "tocsr"):
        return encode(session, Jagged.from_csr(item), levels)
    if isinstance(item, DeviceArray):
        return _encode_device_array(session, item, levels)
    if is_arrow(item):
        return encode(session, from_arrow(session, item), levels)
    if type(item).__module__.partition(".")[0] == "pandas" and not isinstance(getattr(item, "dtype", np.dtype(object)), np.dtype):
        return encode(session, _of_pandas(item), levels)
    if not isinstance(item, np.ndarray) and has_device_interface(item):
        return _encode_device_array(session, item, levels)
    if hasattr(item, "__array__") or isinstance(item, np.ndarray):
        return _encode_array(session, np.asarray(item), levels)
    if isinstance(item, range):
        return _encode_array(session, np.arange(item.start, item.stop, item.step), levels)
    raise ArgumentTypeError(f"{_described(item)} has no NESL value")


def _of_pandas(series: Any) -> Any:
    """A series of pandas with elements that are not NumPy's, as an array of Arrow, or of NumPy, which has no missing elements.
    From pandas 3 on, series have Arrow's interface themselves."""
    try:
        arrow = series.array.__arrow_array__()
    except (AttributeError, ImportError):  # of categoricals; without pyarrow
        arrow = None
    if arrow is not None and is_arrow(arrow):
        return arrow
    missing = np.flatnonzero(series.isna())
    if len(missing):
        raise ArgumentError(f"element {missing[0]} is null, which NESL has not: fill or drop it first")
    return np.asarray(series)


def _described(item: Any) -> str:
    return "None" if item is None else f"a value of the type {type(item).__name__}"


def _encode_array(session: _nesl.Session, array: np.ndarray, levels: Levels) -> _nesl.Value:
    if array.ndim == 0:
        return encode(session, array.item(), levels)
    kind = array.dtype.kind
    if kind == "O":
        return _encode_list(session, array.tolist(), levels)
    inner = levels if array.ndim == 1 else (*levels, *_shape_levels(array.shape))
    if kind in "UST":
        value = _encode_strings(session, array.reshape(-1).tolist(), inner)
    else:
        if array.dtype.char not in _BORROWED or not array.dtype.isnative:
            array = _converted(array, inner)
        flat = array if array.ndim == 1 and array.flags.c_contiguous else np.ascontiguousarray(array).reshape(-1)
        value = _borrow(session, flat, inner)
    for offsets in reversed(inner[len(levels):]):
        value = value.nest(offsets)
    return value


def _encode_device_array(session: _nesl.Session, item: Any, levels: Levels) -> _nesl.Value:
    """The value of an object with an interface for devices. What has another width than the session is copied to the host."""
    found = read(session, item)
    if isinstance(found, _nesl.Value):
        return found
    if isinstance(found, np.ndarray):
        return _encode_array(session, found, levels)
    _converted(np.empty(0, dtype=found.dtype), levels)  # an error for types that NESL has not, before anything is copied
    bits = {"i": session.int_bits, "f": session.float_bits, "b": 8}.get(found.dtype.kind)
    if bits != 8 * found.dtype.itemsize or not found.dtype.isnative:
        return _encode_array(session, found.on_host(session), levels)
    inner = _shape_levels(found.shape)
    value = session.borrow_on_device(found.dtype, found.address, int(np.prod(found.shape, dtype=np.int64)), found)
    for offsets in reversed(inner):
        value = value.nest(offsets)
    return value


def _shape_levels(shape: tuple[int, ...]) -> Levels:
    """The offsets of the rows in each dimension except the last."""
    rows = np.cumprod(shape, dtype=np.int64)
    return tuple(np.arange(rows[axis] + 1, dtype=np.int64) * shape[axis + 1] for axis in range(len(shape) - 1))


def _array_place(array: np.ndarray, position: int, levels: Levels) -> str:
    return place((*levels, *_shape_levels(array.shape)), position)


def _borrow(session: _nesl.Session, array: np.ndarray, levels: Levels) -> _nesl.Value:
    if session.int_bits == 32 and array.dtype.kind == "i" and array.dtype.itemsize == 8:
        wide = np.flatnonzero((array < _INT32.min) | (array > _INT32.max))
        if len(wide):
            at = int(wide[0])
            raise ArgumentError(f"{place(levels, at)} is {array[at]}, which does not fit in an int of 32 bits: "
                                "open the session with int_bits=64")
    return session.borrow(array)


def _converted(array: np.ndarray, levels: Levels) -> np.ndarray:
    kind = array.dtype.kind
    if kind in "iu":
        return as_ints(array, levels)
    if kind == "f":
        return array.astype(np.float64 if array.dtype.itemsize != 4 else np.float32)
    if kind == "b":
        return array.astype(np.bool_)
    if kind in "mM":
        raise ArgumentTypeError(f"an array of {array.dtype} has no NESL value: astype('int64') makes ints of it, which are taken, and "
                                f"astype('{array.dtype.str[1:]}') of a result makes it such an array again")
    raise ArgumentTypeError(f"an array of {array.dtype} has no NESL value: its elements must be bools, ints, floats or strings")


def _encode_list(session: _nesl.Session, items: list[Any], levels: Levels) -> _nesl.Value:
    if isinstance(items, Strings):
        return _encode_strings(session, items, levels)
    array = array_of(items)
    if array is not None:
        return _borrow(session, array, levels)
    if not items:
        raise ArgumentError("an empty list has no type: use an empty array, as numpy.array([], dtype=float)")
    types = set(map(type, items))
    if len(types) == 1 and types <= _PLAIN:
        kind = _kind(items[0])
    else:
        kind = _common_kind([_kind(item) for item in items], levels)
    if kind == "int":
        for number in (min(items), max(items)):
            if not _INT64.min <= number <= _INT64.max:
                raise ArgumentError(f"{place(levels, items.index(number))} is {_shortened(number)}, which needs more than the 64 bits of an int")
        return _borrow(session, np.array(items, dtype=np.int64), levels)
    if kind == "bool":
        return session.borrow(np.array(items, dtype=np.bool_))
    if kind == "float":
        try:
            return session.borrow(np.array(items, dtype=np.float64))
        except OverflowError:
            return session.borrow(np.array(_each(_float64, items, levels)))
    if kind == "char":
        return session.borrow(np.frombuffer(bytes(_each(_code, items, levels)), dtype="S1"))
    if kind == "string":
        return _encode_strings(session, items, levels)
    if kind == "tuple":
        return _encode_tuples(session, items, levels)
    return _encode_rows(session, items, levels)


def _common_kind(kinds: list[str], levels: Levels) -> str:
    if set(kinds) == {"int", "float"}:
        return "float"
    for k, other in enumerate(kinds):
        if other != kinds[0]:
            raise ArgumentError(f"elements {path(levels, 0)} and {path(levels, k)} of a list are of different kinds: {kinds[0]} and {other}")
    return kinds[0]


def _encode_strings(session: _nesl.Session, items: Sequence[Any], levels: Levels) -> _nesl.Value:
    whole = "".join(items) if set(map(type, items)) == {str} else ""
    if whole.isascii() and whole:
        return session.borrow(np.frombuffer(whole.encode("ascii"), dtype="S1")).nest(offsets_of(items))
    texts = _each(_bytes, items, levels)
    return session.borrow(np.frombuffer(b"".join(texts), dtype="S1")).nest(offsets_of(texts))


def _encode_tuples(session: _nesl.Session, items: list[Any], levels: Levels) -> _nesl.Value:
    columns = [list(column) for column in zip(*items)]
    if set(map(type, items)) == {tuple} and len(set(map(len, items))) == 1:
        return encode(session, Tuples(*columns), levels)
    first, names = items[0], ()
    for k, item in enumerate(items):
        if len(item) != len(first):
            raise ArgumentError(f"{place(levels, k)} of a list is a tuple of {len(item)}, "
                                f"but {place(levels, 0)} one of {len(first)}")
        if getattr(item, "type", None) != getattr(first, "type", None):
            raise ArgumentError(f"{place(levels, k)} of a list is of another datatype than {place(levels, 0)}")
        fields = getattr(item, "fields", ())
        if fields and names and fields != names:
            raise ArgumentError(f"{place(levels, k)} of a list has the fields {', '.join(fields)}, not {', '.join(names)}")
        names = names or fields
    return encode(session, Tuples(*columns, type=getattr(first, "type", None), fields=names), levels)


def _encode_rows(session: _nesl.Session, rows: list[Any], levels: Levels) -> _nesl.Value:
    if set(map(type, rows)) != {list}:
        rows = [_row_on_host(session, row) for row in rows]
    for k, row in enumerate(rows if set(map(type, rows)) != {list} else ()):
        if not isinstance(row, (list, np.ndarray, Jagged, Tuples)) and not hasattr(row, "__array__"):
            raise ArgumentTypeError(f"{place(levels, k)} of a list: {_described(row)} has no NESL value")
        if isinstance(row, np.ndarray) and row.ndim == 0:
            raise ArgumentError(f"{place(levels, k)} of a list is an array without dimensions")
    offsets = offsets_of(rows)
    inner = (*levels, offsets)
    if all(type(row) is np.ndarray for row in rows) and len({row.ndim for row in rows}) == 1:
        return _encode_arrays(session, rows, inner).nest(offsets)
    if all(isinstance(row, Strings) for row in rows):
        return _encode_strings(session, list(chain.from_iterable(rows)), inner).nest(offsets)
    return encode(session, list(chain.from_iterable(rows)), inner).nest(offsets)


def _row_on_host(session: _nesl.Session, row: Any) -> Any:
    """The row, as an array if it has an interface for devices."""
    if isinstance(row, (list, np.ndarray, Jagged, Tuples)) or not has_device_interface(row):
        return row
    found = read(session, row)
    return found.on_host(session) if isinstance(found, ForeignArray) else np.asarray(row if isinstance(found, _nesl.Value) else found)


def _encode_arrays(session: _nesl.Session, arrays: list[np.ndarray], levels: Levels) -> _nesl.Value:
    """The concatenated rows of all arrays, which have the same number of dimensions, as one sequence."""
    nests = []
    for axis in range(1, arrays[0].ndim):
        lengths = [np.full(int(np.prod(array.shape[:axis], dtype=np.int64)), array.shape[axis]) for array in arrays]
        nests.append(np.concatenate([[0], np.cumsum(np.concatenate(lengths))]).astype(np.int64))
    value = encode(session, joined([array.reshape(-1) for array in arrays]), (*levels, *nests))
    for offsets in reversed(nests):
        value = value.nest(offsets)
    return value


Numbers = Callable[[_nesl.Value], Any]  # makes the Python value of a sequence of ints, floats or bools


def decode(value: _nesl.Value, numbers: Numbers = _nesl.Value.array) -> Any:
    """The Python value of a NESL value. Arrays are read-only, since the caller's arrays and other results may share them."""
    return _DECODERS[value.kind](value, numbers)


def decode_on_device(value: _nesl.Value) -> Any:
    """As decode(), with sequences of ints, floats and bools in memory of the device of the session."""
    device = value.session.device
    return decode(value, lambda numbers: DeviceArray(numbers, device))


def _decode_sequence(value: _nesl.Value, numbers: Numbers) -> Any:
    kind = value.type
    if kind in ("[int]", "[float]", "[bool]"):
        return numbers(value)
    if kind == "[char]":
        return _text(value.array().tobytes())
    if kind == "[[char]]":
        text, offsets = value.elements().array().tobytes(), value.offsets().tolist()
        return Strings(_text(text[begin:end]) for begin, end in zip(offsets, offsets[1:]))
    if kind.startswith("[["):
        return Jagged._of_value(decode(value.elements(), numbers), value)
    columns = _decode_parts(value, numbers)
    return Tuples(*columns) if kind.startswith("[(") else Tuples(*columns, type=kind[1:-1], fields=value.fields)


def _text(text: bytes) -> str:
    return text.decode("utf-8", "surrogateescape")


def _decode_parts(value: _nesl.Value, numbers: Numbers) -> list[Any]:
    if value.parts == 0:
        raise ArgumentError(f"a value of the type {value.type} cannot be read")
    return [decode(value.part(k), numbers) for k in range(value.parts)]


_DECODERS: dict[int, Callable[[_nesl.Value, Numbers], Any]] = {  # nesl_kind
    1: lambda value, _: value.get_int(),
    2: lambda value, _: value.get_float(),
    3: lambda value, _: value.get_bool(),
    4: lambda value, _: Char(chr(value.get_char())),
    5: _decode_sequence,
    6: lambda value, numbers: tuple(_decode_parts(value, numbers)),
    7: lambda value, numbers: Record.of(value.type, value.fields, _decode_parts(value, numbers)),
    8: _decode_parts,
}
