"""Arrays of Arrow: those that the package makes, read again; and those of pyarrow, where it is installed."""

import gc
import weakref

import numpy as np
import pytest

import nesl
from nesl import _nesl


@pytest.fixture(scope="module")
def same():
    with nesl.Session() as session:
        session.define("function same(x) = x")
        yield nesl.Function(session, "same")


class Exported:
    """An object of another library: a tree (format, name, length, buffers, children) as an array of Arrow."""

    def __init__(self, *node):
        self.node = node

    def __arrow_c_array__(self, requested_schema=None):
        return _nesl.arrow_capsules(self.node)


@pytest.mark.parametrize("value", [
    nesl.Jagged(np.array([1, 2, 3]), [0, 2, 2, 3]), nesl.Jagged(np.empty(0), [0]),
    nesl.Jagged(nesl.Jagged(np.array([1.5, 2.5]), [0, 1, 2]), [0, 0, 2]),
    nesl.Jagged(np.array([True, False] * 9), [0, 17, 18]),
    nesl.Tuples(np.arange(100), np.arange(100.0)),
    nesl.Jagged(nesl.Tuples(np.array([1, 2]), ["a", "na\u00efve"]), [0, 1, 2]),
])
def test_exported_arrays_read_back(same, value):
    exported = Exported(*nesl.arrow_export.node_of(value, ""))
    assert same(exported).to_list() == same(value).to_list()


def test_buffers_are_shared_and_stay(same):
    data = np.arange(1000.0)
    alive = weakref.ref(data)
    result = same(Exported("+L", "", 2, (None, np.array([0, 400, 1000])), (("g", "item", 1000, (None, data), ()),)))
    assert result.data.ctypes.data == data.ctypes.data
    del data
    gc.collect()
    assert result.data[999] == 999.0 and alive() is not None
    del result
    gc.collect()
    assert alive() is None


def test_releasing_an_array_that_nobody_read():
    data = np.arange(1000.0)
    alive = weakref.ref(data)
    capsules = nesl.Jagged(data, [0, 1000]).__arrow_c_array__()
    del data
    gc.collect()
    assert alive() is not None
    del capsules
    gc.collect()
    assert alive() is None


@pytest.mark.parametrize("node, result", [
    (("s", "", 2, (None, np.array([1, -2], dtype="i2")), ()), [1, -2]),
    (("f", "", 1, (None, np.array([0.5], dtype="f4")), ()), [0.5]),
    (("+w:2", "", 2, (None,), (("l", "", 4, (None, np.arange(4)), ()),)), [[0, 1], [2, 3]]),
    (("+l", "", 2, (None, np.array([1, 2, 4], dtype="i4")), (("l", "", 4, (None, np.arange(4)), ()),)), [[1], [2, 3]]),
    (("u", "", 2, (None, np.array([0, 2, 3], dtype="i4"), np.frombuffer(b"abc", dtype="S1")), ()), ["ab", "c"]),
])
def test_formats_of_others(same, node, result):
    found = same(Exported(*node))
    assert (found if isinstance(found, list) else found.tolist() if isinstance(found, np.ndarray) else found.to_list()) == result


def strings(*texts):
    """The bytes of views, and the one buffer that those have which are longer than 12 bytes."""
    views, buffer = b"", b""
    for text in texts:
        views += len(text).to_bytes(4, "little")
        views += text.ljust(12, b"\0") if len(text) <= 12 else text[:4] + bytes(4) + len(buffer).to_bytes(4, "little")
        buffer += text if len(text) > 12 else b""
    return np.frombuffer(views, dtype="u1"), np.frombuffer(buffer, dtype="u1")


@pytest.mark.parametrize("format", ["vu", "vz"])
def test_string_views(same, format):
    texts = [b"", b"short", b"exactly12byt", b"longer than twelve", b"another long text"]
    views, buffer = strings(*texts)
    node = (format, "", 5, (None, views, buffer, np.array([len(buffer)])), ())
    assert same(Exported(*node)) == [text.decode() for text in texts]
    assert same(Exported(format, "", 1, (None, strings(b"a")[0], np.zeros(0, dtype="i8")), ())) == ["a"]


@pytest.mark.parametrize("format, ints", [("+vl", "i4"), ("+vL", "i8")])
def test_list_views(same, format, ints):
    numbers = ("l", "item", 5, (None, np.arange(5)), ())
    views = lambda begins, lengths: Exported(format, "", len(begins), (None, np.array(begins, dtype=ints), np.array(lengths, dtype=ints)), (numbers,))
    assert same(views([0, 2, 2], [2, 0, 3])).to_list() == [[0, 1], [], [2, 3, 4]]
    assert same(views([3, 0, 1, 9], [2, 3, 1, 0])).to_list() == [[3, 4], [0, 1, 2], [1], []]
    assert same(views([0, 0], [0, 0])).to_list() == [[], []]


def nullable(valid, values):
    return ("l", "item", len(values), (np.packbits(valid, bitorder="little"), np.array(values)), ())


def test_nulls_outside_do_not_count(same):
    child = nullable([0, 1, 1, 0, 1, 0], [9, 1, 2, 9, 3, 9])
    assert same(Exported("+l", "", 2, (None, np.array([1, 3, 3], dtype="i4")), (child,))).to_list() == [[1, 2], []]
    assert same(Exported("+vl", "", 2, (None, np.array([4, 1], dtype="i4"), np.array([1, 2], dtype="i4")), (child,))).to_list() == [[3], [1, 2]]
    with pytest.raises(nesl.ArgumentError, match=r"element \[1\]\[1\] is null"):
        same(Exported("+l", "", 2, (None, np.array([1, 2, 4], dtype="i4")), (child,)))
    with pytest.raises(nesl.ArgumentError, match=r"element \[1\]\[0\] is null"):
        same(Exported("+vl", "", 2, (None, np.array([4, 3], dtype="i4"), np.array([1, 2], dtype="i4")), (child,)))
    rows = ("+l", "", 2, (np.array([1], dtype="u1"), np.array([0, 1, 1], dtype="i4")), (nullable([1], [1]),))
    with pytest.raises(nesl.ArgumentError, match="row 1 is null"):
        same(Exported(*rows))


@pytest.mark.parametrize("node, message", [
    (("tdD", "", 1, (None, np.zeros(1, dtype="i4")), ()), "dates, times or durations, 'tdD', has no NESL value: cast it to ints"),
    (("d:10,2", "", 1, (None, np.zeros(16, dtype="u1")), ()), "Arrow array of format 'd:10,2' has no NESL value"),
    (("+s", "", 1, (None,), ()), "a struct without fields"),
])
def test_unsupported_values_are_refused(same, node, message):
    with pytest.raises(nesl.ArgumentError, match=message):
        same(Exported(*node))


def test_capsules_of_another_kind(same):
    class Wrong:
        def __arrow_c_array__(self):
            return reversed(_nesl.arrow_capsules(("l", "", 0, (None, np.zeros(0, dtype="i8")), ())))

    with pytest.raises(ValueError, match="arrow_schema|incorrect name"):
        same(Wrong())


def test_dates_have_no_format():
    with pytest.raises(nesl.ArgumentError, match="datetime64.*no format in Arrow"):
        nesl.Jagged(np.zeros(1, dtype="M8[s]"), [0, 1]).__arrow_c_array__()


def test_pyarrow(same):
    pa = pytest.importorskip("pyarrow", minversion="14")
    lists = pa.array([[1, 2], [], [3]])
    assert same(lists).to_list() == [[1, 2], [], [3]]
    assert same(lists[1:]).to_list() == [[], [3]]
    assert same(pa.array([[[1.5]], []])).to_list() == [[[1.5]], []]
    assert same(pa.array([True, False, True])[1:]).tolist() == [False, True]
    assert same(pa.array(["a", "bc"])) == ["a", "bc"]
    assert same(pa.chunked_array([[[1], [2, 3]], [[4]], [[]]], type=pa.list_(pa.int64()))).to_list() == [[1], [2, 3], [4], []]
    assert same(pa.chunked_array([], type=pa.list_(pa.int64()))).to_list() == []
    assert same(pa.chunked_array([["a"], ["b"]])) == ["a", "b"]
    table = pa.table({"n": [1, 2], "row": [[0.5], []]})
    assert [(n, row.tolist()) for n, row in same(table)] == [(1, [0.5]), (2, [])]
    for values, message in [([[1], None], "row 1 is null"), ([[1], [1, None]], r"element \[1\]\[1\] is null"), ([1, None], "element 1 is null")]:
        with pytest.raises(nesl.ArgumentError, match=message):
            same(pa.array(values))
    assert same(pa.array([1, None, 3, 4])[2:]).tolist() == [3, 4]
    assert same(pa.array([[1, None], [2], None])[1:2]).to_list() == [[2]]
    structs = pa.array([{"a": None, "b": 1.5}, {"a": 1, "b": 2.5}, {"a": 2, "b": 3.5}])
    assert same(structs[1:]).to_list() == [(1, 2.5), (2, 3.5)]
    assert same(pa.array([[{"a": None, "b": 1.5}], [{"a": 1, "b": 2.5}]])[1:]).to_list() == [[(1, 2.5)]]
    with pytest.raises(nesl.ArgumentError, match="element 0 is null"):
        same(structs)
    with pytest.raises(nesl.ArgumentError, match=r"element \[2\]\[1\] is null"):
        same(pa.chunked_array([[[1], [2, 3]], [[4, None]]]))
    words = pa.array(["a", "bc", "a", ""]).dictionary_encode()
    assert same(words) == ["a", "bc", "a", ""] and same(words[1:3]) == ["bc", "a"]
    assert same(pa.array([[1.5, 2.5], [1.5]]).flatten().dictionary_encode()).tolist() == [1.5, 2.5, 1.5]
    with pytest.raises(nesl.ArgumentError, match="element 1 is null"):
        same(pa.array(["a", None]).dictionary_encode())
    assert same(pa.array([], type=pa.string())) == []
    assert same(pa.array([[]], type=pa.list_(pa.string()))).to_list() == [[]]
    assert pa.array(nesl.Jagged(np.array([1, 2]), [0, 0, 2])).to_pylist() == [[], [1, 2]]
    assert pa.array(nesl.Jagged(np.array([True, False]), [0, 2])).to_pylist() == [[True, False]]
    assert pa.record_batch(nesl.Tuples(np.array([1, 2]), ["a", "b"])).to_pydict() == {"0": [1, 2], "1": ["a", "b"]}


def test_views_of_pyarrow(same):
    pa = pytest.importorskip("pyarrow", minversion="16")
    texts = ["a", "a text that is longer", "", "another text that is long"]
    for type in (pa.string_view(), pa.binary_view()):
        values = pa.array(texts, type=pa.string()).cast(type) if type == pa.string_view() else pa.array([t.encode() for t in texts], type=type)
        assert same(values) == texts
        assert same(values[1:3]) == texts[1:3]
        assert same(pa.chunked_array([values, values[1:]])) == texts + texts[1:]
    for type in (pa.list_view(pa.int64()), pa.large_list_view(pa.int64())):
        rows = pa.array([[1, 2], [], [3]], type=type)
        assert same(rows).to_list() == [[1, 2], [], [3]]
        assert same(rows[1:]).to_list() == [[], [3]]


def test_polars(same):
    pl = pytest.importorskip("polars")
    assert same(pl.Series([[1, 2], [], [3]])).to_list() == [[1, 2], [], [3]]
    assert same(pl.Series(["a", "a text that is longer than twelve"])) == ["a", "a text that is longer than twelve"]
    assert same(pl.Series([None, 1, 2])[1:]).tolist() == [1, 2]
    assert same(pl.Series(["a", "b", "a"], dtype=pl.Categorical)) == ["a", "b", "a"]
    assert same(pl.DataFrame({"n": [1, 2], "s": ["a", "b"]})).to_list() == [(1, "a"), (2, "b")]
    assert pl.Series(same([[1], [2, 3]])).to_list() == [[1], [2, 3]]


def test_pandas(same):
    pd = pytest.importorskip("pandas")
    assert same(pd.Series([1.5, 2.5])).tolist() == [1.5, 2.5]
    assert same(pd.Series(["a", "b", "a"], dtype="category")) == ["a", "b", "a"]
    pa = pytest.importorskip("pyarrow")
    assert same(pd.DataFrame({"n": [1, 2], "s": ["a", "b"]})).to_list() == [(1, "a"), (2, "b")]
    assert same(pd.Series([1, 2], dtype="Int64")).tolist() == [1, 2]
    with pytest.raises(nesl.ArgumentError, match="element 1 is null"):
        same(pd.Series([1, None], dtype="Int64"))
    with pytest.raises(nesl.ArgumentError, match="element 1 is null|different kinds"):
        same(pd.Series(["a", None], dtype="category"))
    lists = pd.Series([[1.0], [2.0, 3.0]], dtype=pd.ArrowDtype(pa.list_(pa.float64())))
    assert same(lists).to_list() == [[1.0], [2.0, 3.0]]
