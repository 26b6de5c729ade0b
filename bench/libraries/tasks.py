"""The suites of tasks of bench/users.py, of which each library module has a function, and the data for each."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from . import data, program_data

STUDY, IN_ROWS, WHOLE = "Awkward's study of fused kernels", "Operations in rows", "Algorithms"
NUMBERS, GRAPHS, WORDS_AND_KEYS = "numbers", "graphs and sparse matrices", "keys and words"


@dataclass(frozen=True)
class Task:
    name: str
    family: str
    about: str
    make: Callable[[int], Any]  # the data of a size
    sizes: dict[str, int]  # by "small" (tests), "quick", "full"
    operation: str  # what the library modules call it
    any_order: bool = False  # of the elements of the results
    differing: float = 0.0  # the share of elements that may differ, where rounding decides about ints


def _sizes(full):
    return {"small": 3000, "quick": full // 10, "full": full}


ITEMS = 6_000_000
STUDIED = [
    ("chain of 2", "chain_2", "x * 1.001 + 0.5"),
    ("chain of 8", "chain_8", "the same four times"),
    ("chain of 32", "chain_32", "the same sixteen times"),
    ("chain, sum", "chain_sum", "the chain of 8, then the sum of each row"),
    ("filter", "keep", "y = x * 2 + 1, of each row those y that are above 1.5"),
    ("argmax", "argmax", "the position of the largest in each row"),
    ("sort", "sort", "each row sorted"),
]
OPERATIONS = [
    ("sum", "sum", "sum of each row"),
    ("mean", "mean", "mean of each row, 0 for an empty one"),
    ("normalise", "normalise", "each item divided by the sum of its row"),
    ("top three", "top_three", "the three largest of each row, in descending order"),
    ("histogram", "histogram", "of each row, how many items are in each tenth of the interval from 0 to 1"),
]
ALGORITHMS = [
    ("sparse matrix x vector", "multiply", "rows of ten entries on average, by a power law", data.matrix, 6_000_000, False),
    ("breadth-first, random", "distances", "distances in a graph with eight random edges from each vertex", data.random_graph, 4_000_000, False),
    ("breadth-first, power law", "distances", "distances in a graph with eight edges from a vertex on average, by a power law",
     data.power_law_graph, 4_000_000, False),
    ("breadth-first, grid", "distances", "distances in a square grid", data.grid_graph, 1_000_000, False),
    ("hull", "hull", "the corners of the convex hull of points in a disk", data.disk, 2_000_000, True),
    ("nearest neighbours", "nearest", "the eight nearest points of each point in a square, itself included", data.square, 200_000, False),
    ("group-by", "groups", "sum, number and largest of the values of each key", data.sales, 5_000_000, True),
    ("words", "words", "the lengths of the words of each line", data.lines, 20_000_000, False),
]


# Programs of bench/programs: name, family, the data, size.
PROGRAMS = [
    ("dot_product", NUMBERS, program_data.vectors, 10_000_000),
    ("black_scholes", NUMBERS, program_data.options, 2_000_000),
    ("n_body", NUMBERS, program_data.points, 3000),
    ("matrix_product", NUMBERS, program_data.matrices, 300),
    ("stencil_2d", NUMBERS, program_data.grid, 1000),
    ("mandelbrot", NUMBERS, program_data.side, 600),
    ("k_means", NUMBERS, program_data.points, 200_000),
    ("jacobi", NUMBERS, program_data.system, 1000),
    ("floyd_warshall", NUMBERS, program_data.ways, 300),
    ("sparse_matrix", GRAPHS, data.matrix, 4_000_000),
    ("breadth_first", GRAPHS, data.random_graph, 8_000_000),
    ("components", GRAPHS, program_data.random_links, 2_000_000),
    ("page_rank", GRAPHS, program_data.page_links, 200_000),
    ("triangles", GRAPHS, program_data.upward_graph, 50_000),
    ("histogram", WORDS_AND_KEYS, program_data.small_numbers, 2_000_000),
    ("library_sort", WORDS_AND_KEYS, program_data.keys, 2_000_000),
    ("remove_duplicates", WORDS_AND_KEYS, program_data.duplicates, 2_000_000),
    ("word_count", WORDS_AND_KEYS, program_data.words, 300_000),
]
# A sum of products that is rounded once keeps some points at the border of the Mandelbrot set for another number of steps.
DIFFERING = {"mandelbrot": 1e-4}
ANY_ORDER = ("k_means", "remove_duplicates", "word_count")


def _rows():
    found = [Task(name, STUDY, about, data.study, _sizes(ITEMS), operation) for name, operation, about in STUDIED]
    found += [Task(f"{name}, {distribution}", IN_ROWS, about, partial(data.rows, distribution=distribution), _sizes(ITEMS), operation)
              for name, operation, about in OPERATIONS for distribution in data.DISTRIBUTIONS]
    return found + [Task(name, WHOLE, about, make, _sizes(size), operation, any_order)
                    for name, operation, about, make, size, any_order in ALGORITHMS]


def _programs():
    # Of squares and pairs a tenth of the side takes a hundredth of the time.
    def sizes(full):
        return {"small": min(3000, max(full // 100, 30)), "quick": full // (10 if full > 10_000 else 3), "full": full}
    return [Task(name, family, "", make, sizes(full), name, name in ANY_ORDER, DIFFERING.get(name, 0.0))
            for name, family, make, full in PROGRAMS]


@dataclass(frozen=True)
class Suite:
    """Tasks, and the libraries that are measured: of each the module libraries/LIBRARY_MODULES.py."""
    name: str
    modules: str
    libraries: list[str]
    tasks: list[Task]

    def chosen(self, only):
        """The tasks whose names contain `only`."""
        return [task for task in self.tasks if only in task.name]


SUITES = {suite.name: suite for suite in (
    Suite("jagged", "rows", ["nesl", "awkward", "polars", "duckdb", "numba", "torch", "jax", "scipy", "networkit"], _rows()),
    Suite("users", "programs", ["nesl", "numba", "jax", "scipy", "networkit", "parlay"], _programs()),
)}
