"""Memory after calls of every kind, right and wrong, many times: as much is allocated as before. Under the address sanitizer
(nesl-tests/installed) the counter is that of its allocator."""

import ctypes
import gc
import pickle

import numpy as np
import pytest

import nesl
from nesl import _nesl


def allocated():
    """The bytes that the process has allocated from the C library, those of the largest blocks included."""
    gc.collect()
    library = ctypes.CDLL(None)
    if hasattr(library, "__sanitizer_get_current_allocated_bytes"):
        count = library.__sanitizer_get_current_allocated_bytes
        count.restype = ctypes.c_size_t
        return count()

    class Info(ctypes.Structure):
        _fields_ = [(name, ctypes.c_size_t) for name in
                    ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")]

    if not hasattr(library, "mallinfo2"):
        pytest.skip("the C library does not count what is allocated")
    library.mallinfo2.restype = Info
    info = library.mallinfo2()
    return info.uordblks + info.hblkhd


def test_the_counter_sees_leaks():
    before = allocated()
    kept = [bytearray(1000) for _ in range(1000)]
    assert allocated() - before > 900_000 and kept


class Failing:
    def __arrow_c_array__(self, requested_schema=None):
        return _nesl.arrow_capsules(("+l", "", 1, (None, np.array([0, 1], dtype="i4")), (("z!", "", 1, (None,), ()),)))


class Host:
    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, **arguments):
        return np.arange(200.0).__dlpack__()


LONG = np.arange(1000.0)
ROWS = nesl.Jagged(LONG, [0, 400, 1000])


@pytest.fixture(scope="module")
def names():
    return nesl.define("datatype point(x : float, y : float); function same(x) = x; function twice(rows) = {{2.0 * y : y in x} : x in rows}; "
                       "function at(x, i) = x[i]; function points(n) = {point(float(i), 0.0) : i in [0:n]}; "
                       "function told(x) = error(\"no\" ++ @x)")


def wrong(call, *arguments):
    with pytest.raises(nesl.Error):
        call(*arguments)


CASES = {
    "borrowed arrays": lambda names: names.same(LONG),
    "copied arrays": lambda names: names.same(LONG.astype("f4")),
    "rows": lambda names: names.twice(ROWS).to_list(),
    "lists": lambda names: names.twice([[1.0, 2.0], [], [3.0]]),
    "strings": lambda names: names.same(["a", "long " * 100]),
    "records": lambda names: names.same(names.points(200)),
    "tuples": lambda names: names.same((1, 2.0, True, "text", LONG)),
    "Arrow, read": lambda names: names.same(nesl.Jagged(LONG, [0, 1000])),
    "Arrow, not read": lambda names: (ROWS.__arrow_c_array__(), ROWS.__arrow_c_device_array__()),
    "Arrow, refused": lambda names: wrong(names.same, Failing()),
    "DLPack": lambda names: names.same(Host()),
    "DLPack, not read": lambda names: _nesl.dlpack_make(0, 0, 2, 64, 1, 0, LONG),
    "DLPack, read without use": lambda names: _nesl.dlpack_read(np.arange(200.0).__dlpack__()),
    "evaluations": lambda names: nesl.evaluate("sum({i * i : i in [0:1000]})"),
    "scopes": lambda names: nesl.define("function g(x) = x + 1").g(1),
    "pickles": lambda names: pickle.loads(pickle.dumps(names.same))(LONG),
    "elements that are wrong": lambda names: wrong(names.same, [[1], [None]]),
    "types that are wrong": lambda names: wrong(nesl.define("function twice(rows) = {#row : row in rows}").twice, 1),
    "missing parameters": lambda names: wrong(lambda: names.at(x=1, j=2)),
    "faults": lambda names: wrong(names.at, LONG, 1000),
    "errors of programs": lambda names: wrong(names.told, 1),
    "texts that are wrong": lambda names: wrong(nesl.define, "function f(x) = {y : z in x"),
}


@pytest.mark.parametrize("case", CASES)
def test_nothing_leaks(names, case):
    rounds = 60
    for _ in range(rounds // 3):
        CASES[case](names)
    grown = []
    for _ in range(3):  # caches may grow once
        before = allocated()
        for _ in range(rounds):
            CASES[case](names)
        grown.append(allocated() - before)
    assert min(grown) < 100 * rounds, f"bytes in each of {rounds} rounds: {grown}"
