"""Nested sequences as NumPy's arrays are used: indices, masks, arithmetic, reductions, and their text."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from .arrays import Levels, place, taken
from .errors import ArgumentError, ArgumentTypeError

_EDGE = 3  # rows and elements at each end of a long sequence that its text has


class RowOperations(NDArrayOperatorsMixin):
    """The operations of nesl.Jagged, whose row k is data[offsets[k]:offsets[k + 1]].

    rows[2], rows[1:], rows[[2, 0]]           a row, or some of the rows
    rows[mask]                                rows of an array of bools, or elements of a nested sequence of bools
    rows[:, 0], rows[:, :3]                   in each row, an element or some of the elements
    rows + 1, rows * per_row, rows > other    of each element; with an array, one number for each row; or with a nested
                                              sequence, an element for each element. All ufuncs of NumPy can be applied.
    rows.sum(axis=1)                          of each row; axis=-1 in the innermost sequences, axis=0 of the elements at
                                              one place of all rows that have it, None of all elements
    """

    data: Any
    offsets: np.ndarray

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __iter__(self) -> Iterator[Any]:
        offsets = self.offsets.tolist()
        return (self.data[begin:end] for begin, end in zip(offsets, offsets[1:]))

    def __bool__(self) -> bool:
        raise ArgumentError("a Jagged is neither true nor false: use len(), or .any() and .all() of comparisons")

    @property
    def lengths(self) -> np.ndarray:
        """The number of elements of each row."""
        return np.diff(self.offsets)

    # --- indices -----------------------------------------------------------------------------------------------------

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, tuple):
            return self._within_rows(index)
        if isinstance(index, RowOperations):
            return self._where(index)
        if isinstance(index, slice):
            begin, end, step = index.indices(len(self))
            return self._part(begin, max(begin, end)) if step == 1 else self._rows(np.arange(begin, end, step))
        if np.ndim(index) == 0 and not isinstance(index, (bool, np.bool_)):
            index = operator.index(index)
            if not -len(self) <= index < len(self):
                raise IndexError(f"row {index} of {len(self)}")
            row = index % len(self)
            return self.data[int(self.offsets[row]):int(self.offsets[row + 1])]
        return self._rows(self._row_numbers(np.asarray(index)))

    def _part(self, begin: int, end: int) -> Any:
        offsets = self.offsets[begin:end + 1]
        return type(self)(self.data[int(offsets[0]):int(offsets[-1])], offsets - offsets[0])

    def _row_numbers(self, index: np.ndarray) -> np.ndarray:
        if index.ndim != 1 or (index.dtype.kind not in "biu" and len(index)):
            raise ArgumentTypeError(f"rows are chosen by ints or bools in one dimension, not by {index.dtype} in {index.ndim}")
        if index.dtype.kind == "b":
            if len(index) != len(self):
                raise ArgumentError(f"a mask of {len(index)} bools cannot choose among {len(self)} rows")
            return np.flatnonzero(index)
        outside = np.flatnonzero((index < -len(self)) | (index >= len(self)))
        if len(outside):
            raise IndexError(f"row {index[outside[0]]} of {len(self)}")
        return index.astype(np.int64) % max(len(self), 1)

    def _rows(self, rows: np.ndarray) -> Any:
        return self._stretches(self.offsets[rows], self.lengths[rows], 1)

    def _stretches(self, begins: np.ndarray, counts: np.ndarray, step: int) -> Any:
        """The Jagged whose row k are counts[k] elements of the data, from begins[k] on."""
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        places = np.repeat(begins - step * offsets[:-1], counts) + step * np.arange(offsets[-1])
        return type(self)(taken(self.data, places), offsets)

    def _where(self, mask: RowOperations) -> Any:
        self._require_same_rows(mask)
        if isinstance(mask.data, RowOperations):
            return type(self)(self.data[mask.data], self.offsets)
        chosen = np.asarray(mask.data)
        if chosen.dtype.kind != "b":
            raise ArgumentTypeError(f"a mask has bools, not {chosen.dtype}")
        before = np.concatenate([[0], np.cumsum(chosen)])
        return type(self)(taken(self.data, np.flatnonzero(chosen)), before[self.offsets])

    def _within_rows(self, index: tuple[Any, ...]) -> Any:
        rows = self[index[0]]
        if len(index) == 1:
            return rows
        if not isinstance(rows, RowOperations) or np.ndim(index[0]) == 0 and not isinstance(index[0], slice):
            return rows[index[1]] if len(index) == 2 else rows[index[1:]]
        return rows._columns(index[1], index[2:])

    def _columns(self, index: Any, inner: tuple[Any, ...]) -> Any:
        lengths = self.lengths
        if isinstance(index, slice):
            begins, counts, step = _bounds(index, lengths)
            found = self._stretches(self.offsets[:-1] + begins, counts, step)
            return type(self)(found.data[(slice(None), *inner)], found.offsets) if inner else found
        if np.ndim(index) != 0:
            raise ArgumentTypeError("in each row, an int or a slice chooses elements")
        short = np.flatnonzero((index >= lengths) | (index < -lengths))
        if len(short):
            raise IndexError(f"row {short[0]} has {lengths[short[0]]} elements, and none at {index}")
        found = taken(self.data, self.offsets[:-1] + index + (lengths if index < 0 else 0))
        return found[(slice(None), *inner)] if inner else found

    # --- arithmetic --------------------------------------------------------------------------------------------------

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__" or options:
            return NotImplemented
        first = next(operand for operand in inputs if isinstance(operand, RowOperations))
        results = ufunc(*[first._operand(operand) for operand in inputs])
        if isinstance(results, tuple):
            return tuple(type(self)(result, first.offsets) for result in results)
        return type(self)(results, first.offsets)

    def _operand(self, operand: Any) -> Any:
        """An operand of a ufunc, for the elements of these rows."""
        if isinstance(operand, RowOperations):
            self._require_same_rows(operand)
            return operand.data if isinstance(operand.data, RowOperations) else operand._numbers()
        array = np.asarray(operand)
        if array.ndim == 0:
            return operand
        if array.ndim != 1 or len(array) != len(self):
            raise ArgumentError(f"{len(self)} rows go with one number, with {len(self)} numbers, or with as many rows of the same "
                                f"lengths, not with an array of the shape {array.shape}")
        return np.repeat(array, self.lengths)

    def _require_same_rows(self, other: RowOperations) -> None:
        if len(self) != len(other):
            raise ArgumentError(f"{len(self)} rows do not go with {len(other)}")
        if self.offsets is other.offsets:
            return
        different = np.flatnonzero(self.offsets != other.offsets)
        if len(different):
            row = int(different[0]) - 1
            raise ArgumentError(f"row {row} has {self.lengths[row]} elements in one operand, but {other.lengths[row]} in another")

    def _numbers(self) -> np.ndarray:
        array = np.asarray(self.data) if isinstance(self.data, (np.ndarray, list)) else np.empty(0, dtype=object)
        if array.dtype.kind not in "biuf":
            raise ArgumentTypeError(f"there is no arithmetic for rows of {type(self.data).__name__}: elements must be numbers or bools")
        return array

    # --- reductions --------------------------------------------------------------------------------------------------

    def sum(self, axis: int | None = None) -> Any:
        return self._reduced("sum", np.add, axis, 0)

    def prod(self, axis: int | None = None) -> Any:
        return self._reduced("prod", np.multiply, axis, 1)

    def min(self, axis: int | None = None, initial: Any = None) -> Any:
        """The least element; of an empty row, `initial`, which counts in each row."""
        return self._reduced("min", np.minimum, axis, initial)

    def max(self, axis: int | None = None, initial: Any = None) -> Any:
        """The greatest element; of an empty row, `initial`, which counts in each row."""
        return self._reduced("max", np.maximum, axis, initial)

    def any(self, axis: int | None = None) -> Any:
        return self._reduced("any", np.logical_or, axis, False)

    def all(self, axis: int | None = None) -> Any:
        return self._reduced("all", np.logical_and, axis, True)

    def mean(self, axis: int | None = None) -> Any:
        """The mean; NaN of an empty row."""
        with np.errstate(invalid="ignore"):
            return self.sum(axis) / self._ones().sum(axis)

    def _ones(self) -> Any:
        return type(self)(self.data._ones() if self._is_deep() else np.ones(len(self.data), dtype=np.int64), self.offsets)

    def _is_deep(self) -> bool:
        return isinstance(self.data, RowOperations)

    def _depth(self) -> int:
        return 1 + (self.data._depth() if self._is_deep() else 1)

    def _reduced(self, name: str, ufunc: np.ufunc, axis: int | None, initial: Any) -> Any:
        depth = self._depth()
        if axis is None:
            if self._is_deep():
                return self.data._reduced(name, ufunc, None, initial)
            if len(self._numbers()) == 0 and initial is None:
                raise ArgumentError(f"there are no elements, and so no {name}(): give an initial value")
            return ufunc.reduce(self._numbers()) if initial is None else ufunc.reduce(self._numbers(), initial=initial)
        if axis == 0 and depth == 2:
            return self._transposed()._of_rows(name, ufunc, initial, ())
        if axis not in (-1, depth - 1):
            raise ArgumentError(f"a sequence nested {depth} deep has {name}() along the axes "
                                f"{'0, ' if depth == 2 else ''}{depth - 1}, which is -1, and None, not {axis}")
        return self._of_rows(name, ufunc, initial, ())

    def _of_rows(self, name: str, ufunc: np.ufunc, initial: Any, levels: Levels) -> Any:
        """The reduction of each innermost row; `levels` are the offsets of the sequences around."""
        if self._is_deep():
            return type(self)(self.data._of_rows(name, ufunc, initial, (*levels, self.offsets)), self.offsets)
        numbers, filled = self._numbers(), self.lengths > 0
        begins = self.offsets[:-1][filled]
        found = ufunc.reduceat(numbers, begins) if len(begins) else ufunc.reduceat(np.zeros(1, dtype=numbers.dtype), [0])[:0]
        if initial is not None:
            found = ufunc(found, initial)
        if len(begins) == len(self):
            return found
        if initial is None:
            raise ArgumentError(f"{place(levels, int(np.flatnonzero(~filled)[0]), 'row')} is empty, and so has no {name}(): give an "
                                "initial value")
        result = np.full(len(self), initial, dtype=found.dtype)
        result[filled] = found
        return result

    def _transposed(self) -> Any:
        """The Jagged whose row k are the elements at k of all rows that have it."""
        places = np.arange(self.offsets[-1]) - np.repeat(self.offsets[:-1], self.lengths)
        counts = np.bincount(places, minlength=0)
        order = np.argsort(places, kind="stable")
        return type(self)(taken(self.data, order), np.concatenate([[0], np.cumsum(counts)]).astype(np.int64))

    # --- text --------------------------------------------------------------------------------------------------------

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """The array of several dimensions, if all rows have one length."""
        lengths = self.lengths
        if len(lengths) and lengths.min() != lengths.max():
            row = int(np.flatnonzero(lengths != lengths[0])[0])
            raise ArgumentError(f"rows 0 and {row} have {lengths[0]} and {lengths[row]} elements, so that they are no array: "
                                "to_list() makes lists, and to_awkward() an Awkward Array")
        inner = np.asarray(self.data)
        width = int(lengths[0]) if len(lengths) else 0
        return np.asarray(inner.reshape(len(self), width, *inner.shape[1:]), dtype=dtype)

    def __repr__(self) -> str:
        innermost, data = self.offsets[-1], self.data
        while isinstance(data, RowOperations):
            innermost, data = data.offsets[-1], data.data
        is_long = max(int(innermost), len(self)) > np.get_printoptions()["threshold"]
        text = self._text(is_long, len("Jagged("))
        if isinstance(data, np.ndarray) and (len(data) == 0 or data.dtype.char not in "lqd?"):
            text += f", dtype={data.dtype}"
        return f"Jagged({text})"

    def _text(self, is_long: bool, indent: int) -> str:
        """The rows as text, one a line; of long sequences the first and the last ones."""
        count = len(self)
        shown = [*range(_EDGE), None, *range(count - _EDGE, count)] if is_long and count > 2 * _EDGE else range(count)
        rows = ["..." if k is None else _row_text(self[k], is_long, indent + 1) for k in shown]
        return "[" + (",\n" + " " * (indent + 1)).join(rows) + "]"


def _row_text(row: Any, is_long: bool, indent: int) -> str:
    if isinstance(row, RowOperations):
        return row._text(is_long, indent)
    if isinstance(row, np.ndarray):
        return np.array2string(row, max_line_width=2**31, separator=", ", threshold=2 * _EDGE if is_long else 2**31)
    shown = [*row[:_EDGE], None, *row[-_EDGE:]] if is_long and len(row) > 2 * _EDGE else row
    return "[" + ", ".join("..." if element is None else repr(element) for element in shown) + "]"


def _bounds(index: slice, lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """Of slices of sequences of several lengths: the places of the first elements, how many, and the step."""
    step = 1 if index.step is None else index.step
    if step == 0:
        raise ArgumentError("the step of a slice must not be 0")
    lower, upper = (np.zeros_like(lengths), lengths) if step > 0 else (np.full_like(lengths, -1), lengths - 1)

    def bound(number: int | None, unset: np.ndarray) -> np.ndarray:
        if number is None:
            return unset
        return np.clip(number + lengths if number < 0 else np.full_like(lengths, number), lower, upper)

    begins = bound(index.start, lower if step > 0 else upper)
    ends = bound(index.stop, upper if step > 0 else lower)
    counts = (ends - begins - 1) // step + 1 if step > 0 else (begins - ends - 1) // -step + 1
    return begins, np.maximum(counts, 0), step
