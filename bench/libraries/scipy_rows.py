"""NumPy and SciPy: flat arrays, and of an array of rows the offsets."""

import numpy as np
import scipy
import scipy.sparse
from scipy.sparse.csgraph import breadth_first_order
from scipy.spatial import ConvexHull, cKDTree

from . import data

NAME = "NumPy, SciPy"
VERSION = f"{np.__version__}, {scipy.__version__}"
THREADS = 2


def convert(given):
    if isinstance(given, data.Matrix):
        rows = len(given.offsets) - 1
        return scipy.sparse.csr_matrix((given.values, given.columns, given.offsets), shape=(rows, len(given.vector))), given.vector
    if isinstance(given, data.Graph):
        vertices = len(given.offsets) - 1
        return scipy.sparse.csr_matrix((np.ones(len(given.targets)), given.targets, given.offsets), shape=(vertices, vertices))
    if isinstance(given, data.Points):
        return np.stack([given.x, given.y], axis=1)
    return given


def reduced(operation, rows, values):
    """A reduction of each row; 0 for empty ones."""
    filled = rows.offsets[1:] > rows.offsets[:-1]
    results = np.zeros(len(filled), dtype=values.dtype)
    results[filled] = operation.reduceat(values, rows.offsets[:-1][filled])
    return results


def chain(depth):
    def compute(rows):
        values = rows.values
        for _ in range(depth):
            values = values * 1.001 + 0.5
        return rows.offsets, values
    return compute


def numbers(rows):
    """Of each item the number of its row."""
    lengths = np.diff(rows.offsets)
    return np.repeat(np.arange(len(lengths)), lengths)


def keep(rows):
    values = rows.values * 2 + 1
    kept = values > 1.5
    before = np.concatenate([[0], np.cumsum(kept)])
    return before[rows.offsets], values[kept]


def argmax(rows):
    most = np.repeat(reduced(np.maximum, rows, rows.values), np.diff(rows.offsets))
    hits = np.flatnonzero(rows.values == most)
    row = np.searchsorted(rows.offsets, hits, side="right") - 1
    first = np.concatenate([[True], row[1:] != row[:-1]])
    positions = np.full(len(rows.offsets) - 1, -1)
    positions[row[first]] = hits[first] - rows.offsets[row[first]]
    return positions


def sort(rows):
    return rows.offsets, rows.values[np.lexsort((rows.values, numbers(rows)))]


def mean(rows):
    return reduced(np.add, rows, rows.values) / np.maximum(np.diff(rows.offsets), 1)


def normalise(rows):
    return rows.offsets, rows.values / np.repeat(reduced(np.add, rows, rows.values), np.diff(rows.offsets))


def top_three(rows):
    _, ascending = sort(rows)
    lengths = np.minimum(np.diff(rows.offsets), 3)
    offsets = data.offsets_of(lengths)
    places = np.arange(offsets[-1]) - np.repeat(offsets[:-1], lengths)
    return offsets, ascending[np.repeat(rows.offsets[1:], lengths) - 1 - places]


def histogram(rows):
    count = len(rows.offsets) - 1
    return np.bincount(numbers(rows) * 10 + (rows.values * 10).astype(np.int64), minlength=10 * count)


def nearest(points):
    return cKDTree(points).query(points, k=8, workers=THREADS)


def groups(pairs):
    order = np.argsort(pairs.keys, kind="stable")
    keys, values = pairs.keys[order], pairs.values[order]
    begins = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    return keys[begins], np.add.reduceat(values, begins), np.diff(begins, append=len(keys)), np.maximum.reduceat(values, begins)


def words(lines):
    letter = lines.text != b" "
    after = np.concatenate([[False], letter[:-1]])
    after[lines.offsets[:-1][lines.offsets[:-1] < len(after)]] = False
    before = np.concatenate([letter[1:], [False]])
    before[lines.offsets[1:] - 1] = False
    begins, ends = np.flatnonzero(letter & ~after), np.flatnonzero(letter & ~before)
    return np.searchsorted(begins, lines.offsets), ends - begins + 1


def distances(vertices, order, before):
    """The distance of each vertex, -1 if it is not reached, of an order of visits and the vertex before each."""
    place = np.empty(vertices, dtype=np.int64)
    place[order] = np.arange(len(order))
    parents = place[before[order[1:]]]  # ascending
    found = np.full(vertices, -1)
    begin, end, distance = 0, 1, 0
    while begin < end:
        found[order[begin:end]] = distance
        begin, end, distance = end, 1 + int(np.searchsorted(parents, end)), distance + 1
    return found


OPERATIONS = {
    "chain_2": chain(1), "chain_8": chain(4), "chain_32": chain(16),
    "chain_sum": lambda rows: reduced(np.add, rows, chain(4)(rows)[1]),
    "keep": keep, "argmax": argmax, "sort": sort, "sum": lambda rows: reduced(np.add, rows, rows.values), "mean": mean,
    "normalise": normalise, "top_three": top_three, "histogram": histogram,
    "multiply": lambda given: given[0] @ given[1],
    "distances": lambda graph: distances(graph.shape[0], *breadth_first_order(graph, 0)),
    "hull": lambda points: points[ConvexHull(points).vertices], "nearest": nearest, "groups": groups, "words": words,
}


def collect(operation, given, result):
    if operation == "hull":
        return [result[:, 0], result[:, 1]]
    if operation == "nearest":
        return [result[0].reshape(-1)]
    return list(result) if isinstance(result, tuple) else [result]
