"""Values of every kind, into NESL and back."""

import gc
import pickle
import sys
import weakref

import numpy as np
import pytest

import nesl


@pytest.fixture(scope="module")
def session():
    with nesl.Session() as session:
        session.define("function same(x) = x; datatype point(x : float, y : float); datatype box(content : int); "
                       "datatype line(points : [point])")
        yield session


@pytest.fixture(scope="module")
def same(session):
    return nesl.Function(session, "same")


@pytest.mark.parametrize("value", [0, -1, 2**63 - 1, -(2**63), 1.5, float("inf"), True, False, "", "abc", "naïve €", nesl.Char("a"),
                                   (1, 2.5), (1, "a", True), nesl.Record("point", 1.0, 2.0)])
def test_scalars_strings_and_tuples(same, value):
    result = same(value)
    assert result == value and type(result) is type(value)


def test_nan(same):
    assert np.isnan(same(float("nan")))


@pytest.mark.parametrize("dtype", ["?", "i8", "f8"])
@pytest.mark.parametrize("length", [0, 1, 65, 66, 1000])
def test_arrays_of_the_sessions_widths(same, dtype, length):
    array = (np.arange(length) % 2).astype(dtype)
    result = same(array)
    assert result.dtype == array.dtype
    np.testing.assert_array_equal(result, array)
    assert not result.flags.writeable


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "u8", ">i4", ">i8"])
def test_other_ints_are_converted(same, dtype):
    array = np.arange(100).astype(dtype)
    np.testing.assert_array_equal(same(array), np.arange(100))


@pytest.mark.parametrize("dtype", ["f2", "f4", ">f8", "g"])
def test_other_floats_are_converted(same, dtype):
    array = np.arange(100).astype(dtype)
    assert same(array).dtype == np.float64
    np.testing.assert_array_equal(same(array), np.arange(100.0))


def test_narrow_sessions_have_narrow_arrays():
    with nesl.Session(int_bits=32, float_bits=32) as session:
        session.define("function same(x) = x")
        same = nesl.Function(session, "same")
        for dtype in ("i4", "f4"):
            array = np.arange(100, dtype=dtype)
            result = same(array)
            assert result.dtype == array.dtype and np.shares_memory(result, array)
        with pytest.raises(nesl.ArgumentError, match="4294967296"):
            same(np.full(100, 2**32))


@pytest.mark.parametrize("dtype", ["?", "i8", "f8"])
def test_no_copies_in_or_out(same, dtype):
    array = np.zeros(100, dtype=dtype)
    assert np.shares_memory(same(array), array)


def test_arrays_that_are_not_contiguous(same):
    array = np.arange(200.0)
    np.testing.assert_array_equal(same(array[::2]), array[::2])
    np.testing.assert_array_equal(same(array[::-1]), array[::-1])


def test_an_array_lives_as_long_as_its_result(same):
    array = np.zeros(1000)
    before = sys.getrefcount(array)
    result = same(array)
    assert sys.getrefcount(array) == before + 1
    view = result[1:]
    del result
    gc.collect()
    assert sys.getrefcount(array) == before + 1
    del view
    gc.collect()
    assert sys.getrefcount(array) == before


def test_a_result_outlives_its_session():
    session = nesl.Session()
    result = session.evaluate("{i * i : i in [0:1000]}")
    session.close()
    del session
    gc.collect()
    np.testing.assert_array_equal(result, np.arange(1000) ** 2)


def test_a_session_ends_with_its_last_reference():
    session = nesl.Session()
    native = weakref.ref(session)
    del session
    gc.collect()
    assert native() is None


def test_matrices(same):
    for array in (np.arange(6).reshape(2, 3), np.arange(24.0).reshape(2, 3, 4), np.arange(6).reshape(2, 3).T, np.zeros((0, 3)), np.zeros((3, 0))):
        result = same(array)
        assert len(result) == len(array)
        assert result.to_list() == array.tolist()
    assert same(np.array(7)) == 7


@pytest.mark.parametrize("rows", [[[1, 2], [], [3]], [[[1.5], []], [], [[2.5, 3.5]]], [["a", "bc"], []],
                                  [[(1, 2.5)], [], [(2, 3.5), (3, 4.5)]], [[[True]], [[False, True]]]])
def test_lists_of_lists(same, rows):
    result = same(rows)
    assert isinstance(result, nesl.Jagged)
    assert result.to_list() == rows
    assert [len(row) for row in result] == [len(row) for row in rows]
    assert same(result).to_list() == rows


def test_lists(same):
    np.testing.assert_array_equal(same([1, 2]), [1, 2])
    np.testing.assert_array_equal(same([1, 2.5]), [1, 2.5])
    np.testing.assert_array_equal(same([np.int32(1), np.float32(2)]), [1.0, 2.0])
    np.testing.assert_array_equal(same(range(5)), np.arange(5))
    assert same(["a", "", "bcd"]) == ["a", "", "bcd"]
    assert same(np.array(["a", "bc"])) == ["a", "bc"]
    assert same(np.array([b"a", b"bc"])) == ["a", "bc"]
    assert same([nesl.Char("a"), nesl.Char("b")]) == "ab"
    assert same([np.arange(3), np.arange(2)]).to_list() == [[0, 1, 2], [0, 1]]
    assert same([np.zeros((1, 2)), np.zeros((0, 2))]).to_list() == [[[0, 0]], []]


def test_tuples_are_columns(same):
    pairs = same([(1, 2.5), (3, 4.5)])
    assert isinstance(pairs, nesl.Tuples) and len(pairs) == 2 and pairs[1] == (3, 4.5)
    np.testing.assert_array_equal(pairs.columns[0], [1, 3])
    assert type(pairs[0][0]) is int
    assert same(nesl.Tuples(np.arange(3), np.arange(3.0)))[1:].to_list() == [(1, 1.0), (2, 2.0)]


def test_records(same, session):
    points = same([nesl.Record("point", 1.0, 2.0), nesl.Record("point", 3.0, 4.0)])
    assert points.type == "point" and points[1] == nesl.Record("point", 3.0, 4.0)
    assert repr(points[0]) == "point(1.0, 2.0)"
    assert same(points).to_list() == points.to_list()
    assert nesl.Record("point", 1.0, 2.0) != nesl.Record("size", 1.0, 2.0)
    assert pickle.loads(pickle.dumps(points[0])) == points[0]
    assert session.evaluate("box(1)") == nesl.Record("box", 1) == same(nesl.Record("box", 1))
    boxes = session.evaluate("[box(1), box(2)]")
    assert boxes.type == "box" and boxes.to_list() == [nesl.Record("box", 1), nesl.Record("box", 2)]
    assert same(boxes).to_list() == same(boxes.to_list()).to_list() == boxes.to_list()
    line = nesl.Record("line", [nesl.Record("point", 1.0, 2.0)])
    assert same(line)[0].to_list() == [nesl.Record("point", 1.0, 2.0)]
    assert same([line, line])[1][0].to_list() == [nesl.Record("point", 1.0, 2.0)]
    with pytest.raises(nesl.TextError, match="no type unknown"):
        same(nesl.Record("unknown", 1, 2))


def test_jagged():
    rows = nesl.Jagged.from_rows([np.arange(3), np.arange(0), np.arange(2)])
    assert rows.offsets.tolist() == [0, 3, 3, 5]
    assert rows[-1].tolist() == [0, 1] and rows[1:].to_list() == [[], [0, 1]] and rows[3:].to_list() == []
    with pytest.raises(IndexError, match="row 3 of 3"):
        rows[3]
    with pytest.raises(nesl.ArgumentError, match="step 1"):
        rows[::2]


@pytest.mark.parametrize("offsets, message", [([0, 2, 1, 3], r"offsets\[2\] is 1, less than offsets\[1\], which is 2"),
                                              ([0, 2], "number of elements, 3, but are from 0 to 2"), ([1, 3], "from 1 to 3"),
                                              ([], "not float64 of 1"), (np.array([], dtype=int), "but are empty"),
                                              ([[0, 3]], "not int64 of 2"), ([0.0, 3.0], "not float64")])
def test_ragged_offsets(offsets, message):
    with pytest.raises(nesl.ArgumentError, match=message):
        nesl.Jagged(np.arange(3), offsets)


def test_csr(session):
    sparse = pytest.importorskip("scipy.sparse")
    matrix = sparse.random(30, 20, density=0.2, format="csr", random_state=1)
    session.define("function smxv(rows, v) = {sum({x * v[i] : (i, x) in row}) : row in rows};"
                   "function doubled(rows) = {{(i, 2.0 * x) : (i, x) in row} : row in rows}")
    vector = np.arange(20.0)
    np.testing.assert_allclose(nesl.Function(session, "smxv")(matrix, vector), matrix @ vector)
    doubled = nesl.Function(session, "doubled")(matrix).to_csr(20)
    np.testing.assert_allclose(doubled.toarray(), 2 * matrix.toarray())
    with pytest.raises(nesl.ArgumentError, match="pairs"):
        nesl.Jagged(np.arange(3), [0, 3]).to_csr(3)


def test_awkward(same):
    ak = pytest.importorskip("awkward")
    for rows in ([[1, 2], [], [3]], [[[1.5], []], [], [[2.5, 3.5]]]):
        result = same(ak.Array(rows))
        assert result.to_list() == rows
        assert result.to_awkward().to_list() == rows


@pytest.mark.parametrize("value, message", [
    (None, "argument 1 of same: None has no NESL value"),
    ([1, None], "elements 0 and 1 of a list are of different kinds: int and None"),
    ([None], "None has no NESL value"),
    ([[1], None], "sequence and None"),
    ([], "an empty list has no type"),
    ([[], []], "an empty list has no type"),
    ([1, "a"], "0 and 1 of a list are of different kinds: int and string"),
    ([1, [2]], "int and sequence"),
    ([(1, 2), (1, 2, 3)], "is a tuple of 3, but element 0 one of 2"),
    ([nesl.Record("point", 1.0, 2.0), (1.0, 2.0)], "another datatype"),
    (2**63, "more than the 64 bits"),
    ([2**63], "more than the 64 bits"),
    (np.array([2**63], dtype=np.uint64), "more than the 64 bits"),
    (np.zeros(3, dtype=complex), "complex128"),
    (np.zeros(3, dtype="M8[s]"), "datetime64"),
    (np.array([1, None], dtype=object), "int and None"),
    (np.ma.array([1, 2], mask=[0, 1]), "masked"),
    ({1: 2}, "type dict"), (1j, "type complex"), ((1,), "two or more parts"), ((), "two or more parts"),
    (nesl.Char("ab"), "not one character"), (nesl.Char("€"), "not one character"), ([nesl.Char("€")], "not one character"),
    (nesl.Record("point", 1, 2), "point"), ("\ud800", "no text of Unicode"), (["\ud800"], "no text of Unicode"),
])
def test_what_has_no_value(same, value, message):
    with pytest.raises(nesl.ArgumentError, match=message):
        same(value)


def test_lists_that_contain_themselves(same):
    endless = []
    endless.append(endless)
    with pytest.raises(nesl.ArgumentError, match="nested too deep"):
        same(endless)
