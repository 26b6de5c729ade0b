"""The data of programs of bench/programs for other libraries, as NumPy arrays made from seeds."""

from dataclasses import dataclass

import numpy as np

from . import data


@dataclass
class Arguments:
    """Arguments as they are: ints, arrays, and arrays of two dimensions for sequences of rows."""
    values: tuple


@dataclass
class Columns:
    """The columns of a sequence of tuples."""
    values: tuple


@dataclass
class Links:
    """Edges of a graph with so many vertices."""
    vertices: int
    sources: np.ndarray
    targets: np.ndarray


@dataclass
class Text:
    text: str


def vectors(size):
    v, w = np.random.default_rng(10).random((2, size))
    return Arguments((v, w))


def options(size):
    """Spot prices, strike prices and years of options."""
    spot, strike, years = np.random.default_rng(11).random((3, size))
    return Columns((5 + 25 * spot, 1 + 99 * strike, 0.25 + 9.75 * years))


def points(size):
    """Points in the unit cube."""
    return Columns(tuple(np.random.default_rng(12).random((3, size))))


def matrices(size):
    a, b = np.random.default_rng(13).random((2, size, size))
    return Arguments((a, b))


def grid(size):
    return Arguments((np.random.default_rng(14).random((size, size)),))


def side(size):
    return Arguments((size,))


def small_numbers(size):
    """Ints below 1000, of which small ones are more frequent."""
    random = np.random.default_rng(15)
    return Arguments((random.integers(0, 1 + random.integers(0, 1000, size)),))


def system(size):
    """A matrix whose diagonal dominates, and a vector."""
    random = np.random.default_rng(16)
    matrix = random.random((size, size))
    np.fill_diagonal(matrix, size)
    return Arguments((matrix, random.random(size)))


def random_links(size):
    """As many random edges as vertices."""
    sources, targets = np.random.default_rng(17).integers(0, size, (2, size))
    return Links(size, sources, targets)


def page_links(size):
    """Eight links from each page, most of them to few pages."""
    random = np.random.default_rng(18)
    return Links(size, np.repeat(np.arange(size), 8), random.integers(0, random.integers(0, size, 8 * size) + 1))


def upward_graph(size):
    """The neighbours of each vertex with larger numbers, in order: every fourth of up to 93 vertices behind it."""
    random = np.random.default_rng(19)
    first = np.arange(1, size + 1)
    lengths = np.minimum(first + 1 + 4 * random.integers(0, 24, size), size) - first
    starts = data.offsets_of(np.maximum(lengths, 0))
    kept = random.random(starts[-1]) < 0.25
    targets = np.repeat(first - starts[:-1], np.diff(starts)) + np.arange(starts[-1])
    return data.Graph(np.concatenate([[0], np.cumsum(kept)])[starts], targets[kept])


def keys(size):
    """Ints from the full range."""
    return Arguments((np.random.default_rng(20).integers(-2**62, 2**62, size),))


def duplicates(size):
    """Ints below `size`, about a third of which occur more than once."""
    return Arguments((np.random.default_rng(21).integers(0, size, size),))


def words(size):
    """Rare and frequent words of two to nine letters, with blanks between them."""
    random = np.random.default_rng(22)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    names = ["".join(letters[random.integers(0, 26, length)]) for length in random.integers(2, 10, 5000)]
    return Text(" ".join(names[k] for k in random.integers(0, 1 + random.integers(0, 5000, size))))


def ways(size):
    """The lengths of ways between places, of which every eighth exists; others have a length of a million."""
    random = np.random.default_rng(23)
    lengths = np.where(random.integers(0, 8, (size, size)) == 0, random.integers(1, 1001, (size, size)), 1_000_000)
    np.fill_diagonal(lengths, 0)
    return Arguments((lengths,))
