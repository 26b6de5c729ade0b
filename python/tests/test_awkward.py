"""Awkward Arrays, where Awkward is installed."""

import numpy as np
import pytest

import nesl

ak = pytest.importorskip("awkward", minversion="2")


@pytest.fixture(scope="module")
def same():
    with nesl.Session() as session:
        yield session.define("function same(x) = x").same


def listed(value):
    return value.tolist() if isinstance(value, np.ndarray) else value if isinstance(value, list) else value.to_list()


@pytest.mark.parametrize("rows", [
    [1, 2, 3], [1.5], [True, False], [[1, 2], [], [3]], [[[1.5], []], [], [[2.5, 3.5]]], ["a", "", "bc"], [["a"], [], ["b", "c"]],
    [(1, 2.5), (3, 4.5)], [[(1, 2.5)], [], [(3, 4.5), (5, 6.5)]], [[1, 2.5], [3]],
])
def test_supported_values_round_trip(same, rows):
    assert listed(same(ak.Array(rows))) == rows


def test_jagged_converts_to_awkward(same):
    for rows in ([[1, 2], [], [3]], [[[1.5], []], [], [[2.5, 3.5]]]):
        assert same(ak.Array(rows)).to_awkward().to_list() == rows
        assert nesl.Jagged.from_awkward(ak.Array(rows)).to_list() == rows


def test_all_layouts_are_read(same):
    rows = ak.Array([[1, 2], [], [3], [4, 5, 6]])
    assert same(rows[[3, 0, 1]]).to_list() == [[4, 5, 6], [1, 2], []]
    assert same(rows[1:]).to_list() == [[], [3], [4, 5, 6]]
    assert same(ak.from_numpy(np.arange(6).reshape(2, 3))).to_list() == [[0, 1, 2], [3, 4, 5]]
    assert same(ak.to_regular(ak.Array([[1, 2], [3, 4]]))).to_list() == [[1, 2], [3, 4]]
    assert same(ak.Array([[[1, 2]], [], [[3], []]])[[2, 0]]).to_list() == [[[3], []], [[1, 2]]]


def test_records(same):
    points = same(ak.Array([{"x": 1, "y": 2.5}, {"x": 3, "y": 4.5}]))
    assert isinstance(points, nesl.Tuples) and points.to_list() == [(1, 2.5), (3, 4.5)]
    assert same(ak.Array([{"x": 1, "y": 2.5}])[0]) == (1, 2.5)
    assert same(ak.Array([{"x": 1}, {"x": 2}])).tolist() == [1, 2]


@pytest.mark.parametrize("rows, message", [
    ([[1], None, [2]], "row 1 is missing, .*drop_none.*fill_none"),
    ([[1], [2, None]], r"element \[1\]\[1\] is missing, .*fill_none"),
    ([[[1], None], [[2]]], r"row \[0\]\[1\] is missing"),
    ([1, None], "element 1 is missing"), (["a", None], "element 1 is missing"), ([None], "element 0 is missing"),
    ([{"x": 1, "y": 2}, None], "element 1 is missing"),
])
def test_missing_elements_are_refused(same, rows, message):
    with pytest.raises(nesl.ArgumentError, match=message):
        same(ak.Array(rows))


def test_options_without_missing_elements_are_read(same):
    rows = ak.Array([[1], None, [2, 3]])
    assert same(rows[[0, 2]]).to_list() == [[1], [2, 3]]
    assert same(ak.fill_none(rows, [], axis=0)).to_list() == [[1], [], [2, 3]]
    assert same(ak.drop_none(rows)).to_list() == [[1], [2, 3]]
    masked = ak.mask(ak.Array([1.5, 2.5]), [True, True])
    assert same(masked).tolist() == [1.5, 2.5]
    bits = ak.Array(ak.contents.BitMaskedArray(ak.index.IndexU8(np.array([3], dtype="u1")), ak.contents.NumpyArray(np.array([1, 2])), True, 2, True))
    assert same(bits).tolist() == [1, 2]
    assert same(ak.Array(ak.contents.UnmaskedArray(ak.contents.NumpyArray(np.array([1, 2]))))).tolist() == [1, 2]


def test_unsupported_values_are_refused(same):
    with pytest.raises(nesl.ArgumentTypeError, match="several types, union.* has no NESL value"):
        same(ak.Array([1, "a"]))
    with pytest.raises(nesl.ArgumentTypeError, match="datetime64"):
        same(ak.Array(np.array(["2020-01-01"], dtype="M8[D]")))
    with pytest.raises(nesl.ArgumentTypeError, match="two or more parts"):
        same(ak.Array([{"x": 1}])[0])
    with pytest.raises(nesl.ArgumentTypeError, match="without fields"):
        same(ak.Array([{}, {}]))
    with pytest.raises(nesl.ArgumentError, match="lists is expected, but this is of the type 2 [*] int64"):
        nesl.Jagged.from_awkward(ak.Array([1, 2]))
    assert issubclass(nesl.ArgumentTypeError, TypeError) and issubclass(nesl.ArgumentTypeError, ValueError)
