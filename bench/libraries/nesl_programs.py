"""NESL: the functions of bench/programs through the Python package, which measures as for other libraries. The end of each program, which
makes its data, is left out."""

import functools
import pathlib
import re

import nesl

from . import data, program_data

NAME = "NESL"
VERSION = nesl.__version__
PROGRAMS = pathlib.Path(__file__).resolve().parent.parent / "programs"

# Of each program parameters, and the expression that it measures.
MEASURED = {
    "dot_product": ("v, w", "dot_product(v, w)"),
    "black_scholes": ("options", "portfolio(options)"),
    "sparse_matrix": ("matrix, v", "times(matrix, v)"),
    "n_body": ("bodies", "{force(b, bodies) : b in bodies}"),
    "matrix_product": ("a, b", "times(a, b)"),
    "stencil_2d": ("grid", "steps(grid, 10)"),
    "mandelbrot": ("n", "set_of(n)"),
    "k_means": ("points", "rounds_of(points, take(points, 10), 5)"),
    "histogram": ("s", "counts(s)"),
    "jacobi": ("matrix, b", "steps(matrix, b, dist(0.0, #b), 10)"),
    "floyd_warshall": ("distances", "shortest(distances, 0)"),
    "breadth_first": ("graph", "distances_from(graph, 0)"),
    "components": ("n, edges", "roots(index(n), edges)"),
    "page_rank": ("n, links", "page_rank(links, n)"),
    "triangles": ("graph", "triangles(graph)"),
    "library_sort": ("s", "sort(s)"),
    "remove_duplicates": ("s", "unique(s)"),
    "word_count": ("text", "word_count(text)"),
}


def definitions(program):
    """The functions of a program and of the files that it loads, without what makes its data and measures."""
    [path] = PROGRAMS.glob(f"*/{program}.nesl")
    text = path.read_text(encoding="utf-8").split("\nlet given")[0].replace('load "../measure.nesl";\n', "")
    return re.sub(r'load "\.\./(\w+\.nesl)";', lambda match: (PROGRAMS / match[1]).read_text(encoding="utf-8"), text)


@functools.cache
def function(program):
    """The function that a program measures, in a session of its own: programs have functions of equal names."""
    parameters, expression = MEASURED[program]
    session = nesl.Session(threads=2)
    return session.define(f"{definitions(program)}\nfunction measured_({parameters}) = {expression};").measured_


def of_rows(value):
    """A matrix as rows, whose offsets NESL looks at once."""
    if getattr(value, "ndim", 1) == 1:
        return value
    return nesl.Jagged(value.reshape(-1), [k * value.shape[1] for k in range(len(value) + 1)])


def convert(given):
    if isinstance(given, program_data.Arguments):
        return tuple(map(of_rows, given.values))
    if isinstance(given, program_data.Columns):
        return (nesl.Tuples(*given.values),)
    if isinstance(given, program_data.Links):
        return given.vertices, nesl.Tuples(given.sources, given.targets)
    if isinstance(given, program_data.Text):
        return (given.text,)
    if isinstance(given, data.Matrix):
        return nesl.Jagged(nesl.Tuples(given.columns, given.values), given.offsets), given.vector
    return (nesl.Jagged(given.targets, given.offsets),)


OPERATIONS = {name: (lambda name: lambda given: function(name)(*given))(name) for name in MEASURED}


def collect(operation, given, result):
    if operation == "dot_product":
        return [[result]]
    if operation == "word_count":
        words, counts = result.columns
        return [[len(word) for word in words], counts]
    if isinstance(result, nesl.Tuples):
        return list(result.columns)
    return [result.data if isinstance(result, nesl.Jagged) else result]
