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


@pytest.mark.parametrize("shape", [(0,), (3,), (0, 3), (3, 0), (2, 3), (2, 0, 3), (2, 3, 4)])
@pytest.mark.parametrize("dtype", ["?", ">i8", "<i4", ">f8", "<f8", "u1"])
def test_layouts_of_memory(same, dtype, shape):
    array = (np.arange(int(np.prod(shape))).reshape(shape) % 2).astype(dtype)
    read_only = array.copy()
    read_only.flags.writeable = False
    unaligned = np.frombuffer(b"x" + array.tobytes(), dtype=np.uint8)[1:].view(dtype).reshape(shape)
    for given in (array, read_only, array[::-1], array[..., ::-1], np.asfortranarray(array), np.repeat(array, 2, axis=-1)[..., ::2], unaligned):
        result = same(given)
        assert (result.tolist() if isinstance(result, np.ndarray) else result.to_list()) == given.tolist()


def test_dates_and_durations(same):
    days = np.array(["2024-02-29", "2024-03-01"], dtype="M8[D]")
    for array, unit in ((days, "M8[D]"), (days - days[0], "m8[D]"), (days.astype("M8[ns]"), "M8[ns]")):
        with pytest.raises(nesl.ArgumentTypeError, match=r"astype\('int64'\) makes ints of it.*astype\('" + unit.replace("[", r"\[")):
            same(array)
        assert (same(array.astype("int64")).astype(unit) == array).all()


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
    assert nesl.Jagged.from_rows([[1, 2.5], []]).data.tolist() == [1.0, 2.5]


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
    for format in ("coo", "csc", "bsr", "lil", "dok", "dia"):
        np.testing.assert_allclose(nesl.Function(session, "smxv")(matrix.asformat(format), vector), matrix @ vector)
    twice = sparse.coo_matrix(([1.0, 2.0], ([0, 0], [1, 1])), shape=(2, 3))
    assert nesl.Function(session, "doubled")(twice).to_list() == [[(1, 6.0)], []]


@pytest.mark.parametrize("columns, message", [
    (5, "row 1 has an entry in column 5, but the matrix has 5 columns, from 0 on"), (0, "row 0 has an entry in column 0"),
    (-1, "not negative, but is -1"), (5.0, "must be an int"), (True, "must be an int"), (None, "must be an int"),
])
def test_csr_columns(columns, message):
    pytest.importorskip("scipy.sparse")
    rows = nesl.Jagged(nesl.Tuples(np.array([0, 5]), np.array([1.0, 2.0])), [0, 1, 2])
    assert rows.to_csr(6).toarray().tolist() == [[1.0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 2.0]]
    assert rows.to_csr(np.int64(6)).shape == (2, 6)
    with pytest.raises(nesl.ArgumentError, match=message):
        rows.to_csr(columns)
    with pytest.raises(nesl.ArgumentError, match="row 0 has an entry in column -1"):
        nesl.Jagged(nesl.Tuples(np.array([-1]), np.array([1.0])), [0, 1]).to_csr(5)
    with pytest.raises(nesl.ArgumentError, match="pairs of an int and a number, not of float64 and float64"):
        nesl.Jagged(nesl.Tuples(np.array([1.0]), np.array([1.0])), [0, 1]).to_csr(5)


def test_empty_sequences_of_strings(same):
    for empty in (np.array([], dtype=str), np.array([], dtype="S3"), nesl.Strings()):
        result = same(empty)
        assert result == [] and isinstance(result, list)
        assert same(result) == []  # what NESL returns, it takes
    texts = same(["a", "b"])
    assert texts == ["a", "b"] and same(texts[2:]) == [] and same(texts[1:]) == ["b"]
    rows = same([["a"], [], ["b", "c"]])
    assert rows.to_list() == [["a"], [], ["b", "c"]]
    assert same(rows[1]) == [] and same([rows[1], rows[1]]).to_list() == [[], []]
    assert same(rows[1:2]).to_list() == [[]]
    pairs = same(nesl.Tuples(np.zeros(0), nesl.Strings()))
    assert len(same(pairs)) == 0
    assert same(np.array([["a", "bc"], ["", "d"]])).to_list() == [["a", "bc"], ["", "d"]]
    assert same(np.zeros((2, 0), dtype="U1")).to_list() == [[], []]


def test_string_dtype(same):
    if not hasattr(getattr(np, "dtypes", None), "StringDType"):
        pytest.skip("NumPy has StringDType from 2.0 on")
    assert same(np.array(["a", "na\u00efve"], dtype=np.dtypes.StringDType())) == ["a", "na\u00efve"]
    assert same(np.array([], dtype=np.dtypes.StringDType())) == []
    missing = np.array(["a", None], dtype=np.dtypes.StringDType(na_object=None))
    with pytest.raises(nesl.ArgumentError, match="element 1: None is no string"):
        same(missing)


def test_sliced_struct_arrays(same):
    structs = np.array([(1, 2.5), (3, 4.5), (5, 6.5)], dtype=[("n", "i8"), ("x", "f8")])
    with pytest.raises(nesl.ArgumentTypeError, match="no NESL value"):
        same(structs[1:])
    pairs = same(nesl.Tuples(structs["n"][1:], structs["x"][1:]))
    assert pairs.to_list() == [(3, 4.5), (5, 6.5)]
    assert same(nesl.Tuples(structs[::2]["n"], structs[::2]["x"])).to_list() == [(1, 2.5), (5, 6.5)]


def test_lists_of_arrays_of_several_dimensions(same):
    two = [np.arange(6).reshape(2, 3), np.zeros((0, 4), dtype=int), np.arange(2).reshape(2, 1)]
    assert same(two).to_list() == [[[0, 1, 2], [3, 4, 5]], [], [[0], [1]]]
    three = [np.arange(8.0).reshape(2, 2, 2), np.zeros((1, 0, 5))]
    assert same(three).to_list() == [np.arange(8.0).reshape(2, 2, 2).tolist(), [[]]]
    assert same([np.zeros((0, 2)), np.zeros((0, 3))]).to_list() == [[], []]
    assert same([np.zeros(0, dtype=int), np.zeros(0, dtype=int)]).to_list() == [[], []]
    assert same([np.array([1], dtype=np.uint64), np.array([-1])]).data.dtype == np.int64
    for other in (np.array([True]), np.array(["a"])):
        with pytest.raises(nesl.ArgumentError, match="rows 0 and 1 are of different kinds: an array of int64"):
            same([np.array([1]), other])


def test_masked_arrays(same):
    assert same(np.ma.array([1, 2], mask=[0, 0])).tolist() == [1, 2]
    assert same(np.ma.array([[1, 2], [3, 4]])).to_list() == [[1, 2], [3, 4]]


def test_numbers_without_end(same):
    for number in (10**5000, -(10**5000)):
        for value in (number, [number], [1.5, number], (1, number)):
            with pytest.raises(nesl.ArgumentError, match="too large|64 bits"):
                same(value)


@pytest.mark.parametrize("value, message", [
    ([[1], [2, "a"]], r"elements \[0\]\[0\] and \[1\]\[1\] of a list are of different kinds: int and string"),
    ([[1], [], [2, 2**63]], r"element \[2\]\[1\] is 9223372036854775808"),
    ([[[1]], [[2], [None]]], r"elements \[0\]\[0\]\[0\] and \[1\]\[1\]\[0\] of a list"),
    ([[(1, 2)], [(3, 4), (5,)]], r"element \[1\]\[1\] of a list is a tuple of 1, but element \[0\]\[0\] one of 2"),
    ([["a"], ["b", "\ud800"]], r"element \[1\]\[1\]: .* is no text"),
    ([nesl.Char("a"), nesl.Char("\u20ac")], "element 1: .* is not one character"),
    (np.array([[1, 2], [3, 2**63]], dtype=np.uint64), r"element \[1\]\[1\] is 9223372036854775808"),
    ([np.array([1], dtype=np.uint64), np.array([2, 2**63], dtype=np.uint64)], r"element \[1\]\[1\] is 9223372036854775808"),
    (nesl.Jagged(np.array([1, 2**63], dtype=np.uint64), [0, 0, 1, 2]), r"element \[2\]\[0\] is 9223372036854775808"),
    (np.ma.array([[1, 2], [3, 4]], mask=[[0, 0], [1, 0]]), r"element \[1\]\[0\] of a masked array is missing.*filled"),
    ([(1, 2**63)], "element 0 is 9223372036854775808"),
])
def test_errors_give_the_index_in_nested_values(same, value, message):
    with pytest.raises(nesl.ArgumentError, match=message):
        same(value)


def test_errors_give_the_index_of_too_wide_ints():
    with nesl.Session(int_bits=32) as session:
        same = session.define("function same(x) = x").same
        for value in ([[1], [2, 2**40]], np.array([[1, 2], [3, 4]]) * 2**40, nesl.Jagged(np.array([1, 2**40]), [0, 1, 2])):
            with pytest.raises(nesl.ArgumentError, match=r"element \[\d\]\[\d\] is .*, which does not fit in an int of 32 bits"):
                same(value)


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
    (np.ma.array([1, 2], mask=[0, 1]), "element 1 of a masked array"),
    ({1: 2}, "type dict"), (1j, "type complex"), ((1,), "two or more parts"), ((), "two or more parts"),
    (nesl.Char("ab"), "not one character"), (nesl.Char("€"), "not one character"), ([nesl.Char("€")], "not one character"),
    (nesl.Record("point", 1, 2), "point"), ("\ud800", "no text of Unicode"), (["\ud800"], "no text of Unicode"),
])
def test_unsupported_values_are_refused(same, value, message):
    with pytest.raises(nesl.ArgumentError, match=message):
        same(value)


def test_lists_that_contain_themselves(same):
    endless = []
    endless.append(endless)
    with pytest.raises(nesl.ArgumentError, match="nested too deep"):
        same(endless)
