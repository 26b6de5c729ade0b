"""Jagged as NumPy's arrays are used: indices, masks, arithmetic, reductions, text."""

import pickle
import random
import time

import numpy as np
import pytest

import nesl


@pytest.fixture
def rows():
    return nesl.Jagged(np.array([3, -1, 2, -5, 4]), [0, 3, 3, 5])


@pytest.fixture
def deep():
    return nesl.Jagged(nesl.Jagged(np.arange(6.0), [0, 2, 2, 5, 6]), [0, 2, 2, 4])


def test_rows(rows):
    assert rows[-1].tolist() == [-5, 4] and rows[np.int64(1)].tolist() == []
    assert rows[1:].to_list() == [[], [-5, 4]] and rows[3:].to_list() == [] and rows[2:1].to_list() == []
    assert rows[::2].to_list() == [[3, -1, 2], [-5, 4]] and rows[::-1].to_list() == [[-5, 4], [], [3, -1, 2]]
    assert rows[[2, 0, -1]].to_list() == [[-5, 4], [3, -1, 2], [-5, 4]]
    assert rows[np.array([True, False, True])].to_list() == [[3, -1, 2], [-5, 4]]
    assert rows[np.array([], dtype=int)].to_list() == []
    assert rows.lengths.tolist() == [3, 0, 2] and len(rows) == 3
    assert [row.tolist() for row in rows] == rows.to_list()
    for index in (3, -4, [0, 3], [-4]):
        with pytest.raises(IndexError, match="row (3|-4) of 3"):
            rows[index]
    with pytest.raises(nesl.ArgumentError, match="a mask of 2 bools cannot choose among 3 rows"):
        rows[np.array([True, False])]
    for index in (1.5, [1.5], [[1]], "a", True):
        with pytest.raises(TypeError):
            rows[index]


def test_elements_of_rows(rows, deep):
    assert rows[0, 1] == -1 and rows[2, -1] == 4
    assert rows[[0, 2], 0].tolist() == [3, -5] and rows[[0, 2], -1].tolist() == [2, 4]
    assert deep[:, :, :1].to_list() == [[[0], []], [], [[2], [5]]]
    assert deep[0, 0].tolist() == [0, 1] and deep[0, 0, 1] == 1 and deep[2, :, 0].tolist() == [2, 5]
    with pytest.raises(IndexError, match="row 1 has 0 elements, and none at 0"):
        rows[:, 0]
    with pytest.raises(nesl.ArgumentError, match="step of a slice"):
        rows[:, ::0]
    with pytest.raises(nesl.ArgumentTypeError, match="an int or a slice"):
        rows[:, [0]]


@pytest.mark.parametrize("seed", range(20))
def test_slices_of_rows(seed):
    choose = random.Random(seed)
    lists = [[choose.randrange(100) for _ in range(choose.randrange(6))] for _ in range(choose.randrange(1, 9))]
    rows = nesl.Jagged.from_rows([np.array(row, dtype=int) for row in lists])
    for _ in range(30):
        begin, end = (choose.choice([None, *range(-8, 9)]) for _ in range(2))
        step = choose.choice([None, -3, -2, -1, 1, 2, 3])
        found = rows[:, begin:end:step]
        assert found.to_list() == [row[begin:end:step] for row in lists], (begin, end, step)
        assert rows[begin:end:step].to_list() == lists[begin:end:step], (begin, end, step)


def test_masks(rows, deep):
    assert rows[rows > 0].to_list() == [[3, 2], [], [4]]
    assert rows[(rows > 0) & (rows < 4)].to_list() == [[3, 2], [], []]
    assert deep[deep > 1].to_list() == [[[], []], [], [[2, 3, 4], [5]]]
    words = nesl.Jagged(["a", "b", "c"], [0, 1, 3])
    assert words[nesl.Jagged(np.array([True, False, True]), [0, 1, 3])].to_list() == [["a"], ["c"]]
    pairs = nesl.Jagged(nesl.Tuples(np.arange(3), ["a", "b", "c"]), [0, 1, 3])
    assert pairs[nesl.Jagged(np.array([False, False, True]), [0, 1, 3])].to_list() == [[], [(2, "c")]]
    with pytest.raises(nesl.ArgumentTypeError, match="a mask has bools, not int64"):
        rows[rows]
    with pytest.raises(nesl.ArgumentError, match="row 0 has 3 elements in one operand, but 2 in another"):
        rows[nesl.Jagged(np.ones(5, dtype=bool), [0, 2, 3, 5])]


def test_arithmetic(rows, deep):
    assert (rows + 1).to_list() == [[4, 0, 3], [], [-4, 5]]
    assert (2 * rows - rows).to_list() == rows.to_list()
    assert (rows * np.array([1, 10, 100])).to_list() == [[3, -1, 2], [], [-500, 400]]
    assert (deep + np.array([100, 200, 300])).to_list() == [[[100, 101], []], [], [[302, 303, 304], [305]]]
    assert (-deep).to_list() == [[[0, -1], []], [], [[-2, -3, -4], [-5]]]
    assert np.sqrt(rows * rows).to_list() == [[3, 1, 2], [], [5, 4]]
    assert (rows == rows).all() and (rows != rows).any() == False  # noqa: E712
    assert (rows < 0).to_list() == [[False, True, False], [], [True, False]]
    quotients, remainders = np.divmod(rows, 2)
    assert quotients.to_list() == [[1, -1, 1], [], [-3, 2]] and remainders.to_list() == [[1, 1, 0], [], [1, 0]]
    with pytest.raises(nesl.ArgumentError, match=r"not with an array of the shape \(2,\)"):
        rows + np.array([1, 2])
    with pytest.raises(nesl.ArgumentError, match="3 rows do not go with 1"):
        rows + rows[:1]
    with pytest.raises(nesl.ArgumentTypeError, match="no arithmetic for rows of Strings"):
        nesl.Jagged(nesl.Strings(["a"]), [0, 1]) + 1
    with pytest.raises(nesl.ArgumentError, match="neither true nor false"):
        bool(rows)
    with pytest.raises(TypeError):
        np.add.reduce(rows)


def test_reductions(rows, deep):
    assert rows.sum() == 3 and rows.sum(axis=1).tolist() == [4, 0, -1] and rows.sum(axis=-1).tolist() == [4, 0, -1]
    assert rows.sum(axis=0).tolist() == [-2, 3, 2]
    assert rows.prod(axis=1).tolist() == [-6, 1, -20]
    assert (rows > 0).sum(axis=1).tolist() == [2, 0, 1]
    assert (rows > 0).any(axis=1).tolist() == [True, False, True] and (rows > 0).all(axis=1).tolist() == [False, True, False]
    assert rows.max(axis=1, initial=-9).tolist() == [3, -9, 4] and rows.min(axis=1, initial=0).tolist() == [-1, 0, -5]
    assert rows.max() == 4 and rows.min() == -5 and rows.max(axis=0).tolist() == [3, 4, 2]
    means = rows.mean(axis=1)
    assert means[0] == 4 / 3 and np.isnan(means[1]) and means[2] == -0.5
    assert rows.mean() == 0.6 and rows.mean(axis=0).tolist() == [-1, 1.5, 2]
    assert deep.sum() == 15 and deep.sum(axis=2).to_list() == [[1, 0], [], [9, 5]] and deep.mean() == 2.5
    assert nesl.Jagged(np.empty(0), [0, 0]).sum(axis=1).tolist() == [0]
    assert nesl.Jagged(np.empty(0), [0]).sum(axis=1).tolist() == []
    with pytest.raises(nesl.ArgumentError, match=r"row 1 is empty, and so has no max\(\): give an initial value"):
        rows.max(axis=1)
    with pytest.raises(nesl.ArgumentError, match=r"row \[0\]\[1\] is empty"):
        deep.min(axis=-1)
    with pytest.raises(nesl.ArgumentError, match=r"no max\(\)"):
        nesl.Jagged(np.empty(0), [0, 0]).max()
    with pytest.raises(nesl.ArgumentError, match="nested 3 deep has sum.* not 1"):
        deep.sum(axis=1)
    with pytest.raises(nesl.ArgumentError, match="along the axes 0, 1, which is -1, and None, not 2"):
        rows.sum(axis=2)


def test_text(rows, deep):
    assert repr(rows) == "Jagged([[ 3, -1,  2],\n        [],\n        [-5,  4]])"
    assert repr(deep) == "Jagged([[[0., 1.],\n         []],\n        [],\n        [[2., 3., 4.],\n         [5.]]])"
    assert repr(nesl.Jagged(np.empty(0), [0])) == "Jagged([], dtype=float64)"
    assert repr(nesl.Jagged(np.ones(1, dtype="f4"), [0, 1])) == "Jagged([[1.]], dtype=float32)"
    assert repr(nesl.Jagged(nesl.Strings(["a", "b"]), [0, 2])) == "Jagged([['a', 'b']])"
    assert repr(nesl.Jagged(nesl.Tuples(np.array([1]), np.array([2.5])), [0, 1])) == "Jagged([[(1, 2.5)]])"
    long = nesl.Jagged(np.arange(10**5), np.arange(0, 10**5 + 1, 100))
    assert repr(long).split("\n")[0] == "Jagged([[ 0,  1,  2, ..., 97, 98, 99]," and len(repr(long).split("\n")) == 7
    assert "        ...,\n" in repr(long)


def test_arrays_of_equal_rows(rows):
    matrix = np.arange(6).reshape(2, 3)
    assert np.asarray(nesl.Jagged(np.arange(6), [0, 3, 6])).tolist() == matrix.tolist()
    assert np.asarray(nesl.Jagged(np.empty(0), [0])).shape == (0, 0)
    with pytest.raises(nesl.ArgumentError, match="rows 0 and 1 have 3 and 0 elements"):
        np.asarray(rows)


def test_lists_are_converted_in_linear_time():
    """Lists of lists take at most twice the time of Jagged.from_rows(), and ten times as many at most 30 times as long."""
    with nesl.Session(threads=1) as session:
        length = session.define("function length(x) = #x").length

        def least(call):
            times = []
            for _ in range(3):
                begin = time.perf_counter()
                call()
                times.append(time.perf_counter() - begin)
            return min(times)

        def lists(count):
            return [[1.5] * (k % 5) + [2.5] for k in range(count)]

        few, many = lists(20_000), lists(200_000)
        arrays = [np.array(row) for row in many]
        assert length(many) == 200_000
        as_lists = least(lambda: length(many))
        assert as_lists < 2 * least(lambda: nesl.Jagged.from_rows(arrays))
        assert as_lists < 30 * least(lambda: length(few))


def test_offsets_are_read_once(rows):
    names = nesl.define("function same(rows) = rows; function total(rows) = {sum(row) : row in rows}")
    results = [names.same(rows), names.same(names.same(rows)), nesl.define("function same(rows) = rows").same(rows)]
    assert all(result.to_list() == rows.to_list() for result in results)
    with nesl.Session() as other:
        for given in (rows, results[0]):
            assert other.define("function total(rows) = {sum(row) : row in rows}").total(given).tolist() == [4, 0, -1]
            assert names.total(given).tolist() == [4, 0, -1]


def test_offsets_cannot_change_behind_a_call():
    names = nesl.define("function total(rows) = {sum(row) : row in rows}")
    offsets, numbers = np.array([0, 1, 3]), np.arange(3.0)
    rows = nesl.Jagged(numbers, offsets)
    assert names.total(rows).tolist() == [0.0, 3.0]
    offsets[1] = 2
    assert names.total(rows).tolist() == [0.0, 3.0] and rows.to_list() == [[0.0], [1.0, 2.0]]
    with pytest.raises(ValueError, match="read-only"):
        rows.offsets[1] = 2
    numbers[:] = 1.0
    assert names.total(rows).tolist() == [1.0, 2.0]
    rows.offsets = offsets
    assert names.total(rows).tolist() == [2.0, 1.0]
    rows.data = np.arange(4.0)
    with pytest.raises(nesl.ArgumentError, match="4"):
        names.total(rows)


def test_arguments_and_results_are_pickled(rows):
    names = nesl.define("function same(rows) = rows")
    for given in (rows, names.same(rows), names.same(nesl.Jagged(rows, [0, 1, 3]))):
        loaded = pickle.loads(pickle.dumps(given))
        assert loaded.to_list() == given.to_list() == names.same(loaded).to_list()
