"""Awkward Arrays as what NESL has: arrays, nested sequences, tuples and strings."""

from __future__ import annotations

from typing import Any

import numpy as np

from .arrays import Jagged, Levels, Strings, Tuples, place
from .errors import ArgumentError, ArgumentTypeError


def from_awkward(array: Any) -> Any:
    """An array, Strings, a Jagged or Tuples with the elements of an Awkward Array; a tuple of the fields of a record."""
    import awkward as ak

    if isinstance(array, ak.Record):
        if len(array.fields) < 2:
            raise ArgumentTypeError(f"a tuple has two or more parts, but an Awkward record has {len(array.fields)}")
        return tuple(array[name] for name in array.fields)
    return _converted(ak.to_layout(ak.to_packed(array)), ())


def _converted(layout: Any, levels: Levels) -> Any:
    if layout.is_option:
        missing = np.flatnonzero(np.asarray(layout.mask_as_bool(valid_when=False)))
        if len(missing):
            what = "row" if layout.content.is_list and not _is_text(layout.content) else "element"
            raise ArgumentError(f"{place(levels, int(missing[0]), what)} is missing, which NESL has not: "
                                "leave what is missing out with awkward.drop_none, or fill it with awkward.fill_none")
        return _converted(layout.project(), levels)
    if layout.is_indexed:
        return _converted(layout.project(), levels)
    if layout.is_unknown:
        return np.empty(0)
    if layout.is_union:
        raise ArgumentTypeError(f"an Awkward Array with elements of several types, {layout.form.type}, has no NESL value")
    if layout.is_record:
        columns = [_converted(content[:layout.length], levels) for content in layout.contents]
        if not columns:
            raise ArgumentTypeError("an Awkward Array of records without fields has no NESL value")
        return Tuples(*columns) if len(columns) > 1 else columns[0]
    if layout.is_numpy:
        if layout.inner_shape:
            return _converted(layout.to_RegularArray(), levels)
        data = np.asarray(layout.data)
        return data.view("S1") if layout.parameter("__array__") in ("char", "byte") else data
    lists = layout.to_ListOffsetArray64(True)
    offsets = np.asarray(lists.offsets)
    content = lists.content[:int(offsets[-1])]
    if _is_text(layout):
        texts, ends = np.asarray(content.data).tobytes(), offsets.tolist()
        return Strings(texts[begin:end] for begin, end in zip(ends, ends[1:]))
    return Jagged(_converted(content, (*levels, offsets)), offsets)


def _is_text(layout: Any) -> bool:
    return layout.parameter("__array__") in ("string", "bytestring")
