"""The data of bench/jagged.py as NumPy arrays, from which every library makes its own form. All are made from seeds."""

from dataclasses import dataclass

import numpy as np


@dataclass
class Rows:
    """Row k is values[offsets[k]:offsets[k + 1]]."""
    offsets: np.ndarray
    values: np.ndarray


@dataclass
class Matrix:
    """A sparse matrix in the format CSR, and a vector."""
    offsets: np.ndarray
    columns: np.ndarray
    values: np.ndarray
    vector: np.ndarray


@dataclass
class Graph:
    """The targets of the edges from each vertex. A search begins at vertex 0."""
    offsets: np.ndarray
    targets: np.ndarray


@dataclass
class Points:
    """Points in the plane."""
    x: np.ndarray
    y: np.ndarray


@dataclass
class Pairs:
    """Keys, which are any ints of 64 bits, and values."""
    keys: np.ndarray
    values: np.ndarray


@dataclass
class Lines:
    """Lines of text, in ASCII: line k is text[offsets[k]:offsets[k + 1]], of the type S1."""
    offsets: np.ndarray
    text: np.ndarray


def offsets_of(lengths):
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def _scaled(lengths, items):
    """Lengths in these proportions that add up to `items`."""
    return np.diff(np.floor(np.concatenate([[0], np.cumsum(lengths)]) * (items / lengths.sum())).astype(np.int64))


def _lengths(distribution, rows, items, random):
    mean = items // rows
    if distribution == "equal":
        return np.full(rows, mean)
    if distribution == "uniform":
        return _scaled(random.integers(0, 2 * mean + 1, rows), items)
    if distribution == "power law":
        return _scaled(random.pareto(1.2, rows) + 0.2, items)
    if distribution == "one huge row":
        lengths = random.integers(0, mean + 1, rows)
        lengths[rows // 3] = items - lengths.sum() + lengths[rows // 3]
        return lengths
    if distribution == "mostly empty":
        return _scaled(np.where(random.random(rows) < 0.05, 1, 0), items)
    raise ValueError(distribution)


DISTRIBUTIONS = ["equal", "uniform", "power law", "one huge row", "mostly empty"]


def rows(size, distribution):
    """A row for each 30 of `size` items on average."""
    random = np.random.default_rng(1)
    lengths = _lengths(distribution, max(size // 30, 5), size, random)
    offsets = offsets_of(lengths)
    return Rows(offsets, random.random(int(offsets[-1])))


def study(size):
    """The data of Awkward's study of fused kernels: a third of `size` lists with one to five items."""
    random = np.random.default_rng(0)
    offsets = offsets_of(random.integers(1, 6, size // 3))
    return Rows(offsets, random.random(int(offsets[-1])))


def matrix(size):
    """A square matrix with ten entries in a row on average, by a power law."""
    random = np.random.default_rng(2)
    rows = size // 10
    offsets = offsets_of(_lengths("power law", rows, size, random))
    columns = random.integers(0, rows, int(offsets[-1]))
    return Matrix(offsets, columns, random.random(len(columns)), random.random(rows))


def random_graph(size):
    """Eight edges to random vertices from each vertex."""
    vertices = size // 8
    return Graph(np.arange(vertices + 1) * 8, np.random.default_rng(3).integers(0, vertices, 8 * vertices))


def power_law_graph(size):
    """Eight edges from a vertex on average, by a power law, more of them to vertices with low numbers."""
    random = np.random.default_rng(4)
    vertices = size // 8
    lengths = np.maximum(_lengths("power law", vertices, size, random), 1)
    offsets = offsets_of(lengths)
    targets = (vertices * random.random(int(offsets[-1])) ** 2).astype(np.int64)
    targets[offsets[:-1]] = (np.arange(vertices) + 1) % vertices  # so that every vertex is reached
    return Graph(offsets, targets)


def grid_graph(size):
    """A square grid, with edges to the four neighbours of a vertex."""
    side = int((size // 4) ** 0.5)
    i, j = (axis.reshape(-1) for axis in np.mgrid[0:side, 0:side])
    neighbours = np.stack([i - 1, i + 1, i, i], axis=1), np.stack([j, j, j - 1, j + 1], axis=1)
    inside = (neighbours[0] >= 0) & (neighbours[0] < side) & (neighbours[1] >= 0) & (neighbours[1] < side)
    return Graph(offsets_of(inside.sum(axis=1)), (neighbours[0] * side + neighbours[1])[inside])


def disk(size):
    """Points that are uniform in a disk."""
    random = np.random.default_rng(5)
    radius, angle = np.sqrt(random.random(size)), 2 * np.pi * random.random(size)
    return Points(radius * np.cos(angle), radius * np.sin(angle))


def square(size):
    """Points that are uniform in the unit square."""
    x, y = np.random.default_rng(6).random((2, size))
    return Points(x, y)


def sales(size):
    """A key for each 50 pairs on average, by a power law."""
    random = np.random.default_rng(7)
    names = random.integers(-2**62, 2**62, max(size // 50, 1))
    return Pairs(names[(len(names) * random.random(size) ** 3).astype(np.int64)], random.random(size))


def lines(size):
    """Words of one to twelve letters, none to twenty in a line, `size` characters together."""
    random = np.random.default_rng(8)
    text = np.frombuffer(b"abcdefghijklmnopqrstuvwxyz", dtype="S1")[random.integers(0, 26, size)]
    text[np.cumsum(random.integers(2, 14, size // 7))[:size // 8]] = b" "
    lengths = _scaled(random.integers(0, 141, size // 70), size)
    return Lines(offsets_of(lengths), text)
