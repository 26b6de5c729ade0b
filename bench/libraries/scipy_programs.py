"""NumPy and SciPy on programs of bench/programs."""

from collections import Counter

import numpy as np
import scipy.sparse
from scipy.sparse.csgraph import breadth_first_order, connected_components
from scipy.sparse.csgraph import floyd_warshall as all_distances
from scipy.spatial.distance import cdist

from . import data, program_data, scipy_rows

NAME = scipy_rows.NAME
VERSION = scipy_rows.VERSION


def convert(given):
    if isinstance(given, (data.Matrix, data.Graph)):
        form = scipy_rows.convert(given)
        return form if isinstance(form, tuple) else (form,)
    if isinstance(given, program_data.Links):
        shape = (given.vertices, given.vertices)
        return (scipy.sparse.csr_matrix((np.ones(len(given.sources)), (given.sources, given.targets)), shape=shape),)
    return (given.text,) if isinstance(given, program_data.Text) else given.values


def normal(x):
    k = 1.0 / (1.0 + 0.2316419 * np.abs(x))
    p = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    tail = 0.3989422804014327 * np.exp(-0.5 * x * x) * p
    return np.where(x < 0.0, tail, 1.0 - tail)


def black_scholes(spot, strike, years, rate=0.02, volatility=0.3):
    spread = volatility * np.sqrt(years)
    d1 = (np.log(spot / strike) + (rate + 0.5 * volatility * volatility) * years) / spread
    discounted = strike * np.exp(-rate * years)
    call = spot * normal(d1) - discounted * normal(d1 - spread)
    return call, call - spot + discounted


def n_body(*columns):
    bodies = np.stack(columns)
    away = bodies[:, None, :] - bodies[:, :, None]
    square = (away * away).sum(axis=0) + 1.0e-3
    return tuple((away / (square * np.sqrt(square))).sum(axis=2))


def stencil_2d(grid):
    for _ in range(10):
        grid = 0.25 * (np.roll(grid, 1, axis=0) + np.roll(grid, -1, axis=0) + np.roll(grid, 1, axis=1) + np.roll(grid, -1, axis=1))
    return grid


def mandelbrot(n):
    """Only points that are still in the set go on."""
    h = 2.5 / n
    a, b = (axis.reshape(-1) for axis in np.meshgrid(np.arange(n) * h - 1.75, np.arange(n) * h - 1.25))
    counts, inside = np.full(n * n, 100), np.arange(n * n)
    x = y = np.zeros(n * n)
    for k in range(100):
        left = x * x + y * y > 4.0
        counts[inside[left]] = k
        inside, x, y, a, b = (values[~left] for values in (inside, x, y, a, b))
        x, y = x * x - y * y + a, 2.0 * x * y + b
    return counts


def k_means(*columns):
    points = np.stack(columns, axis=1)
    centres = points[:10]
    for _ in range(5):
        nearest = cdist(points, centres, "sqeuclidean").argmin(axis=1)
        sums = [np.bincount(nearest, weights=column, minlength=10) for column in columns]
        centres = np.stack(sums, axis=1) / np.bincount(nearest, minlength=10)[:, None]
    return tuple(centres.T)


def jacobi(matrix, b):
    x, diagonal = np.zeros(len(b)), np.diag(matrix)
    for _ in range(10):
        x = (b - (matrix @ x - diagonal * x)) / diagonal
    return x


def page_rank(links):
    ranks, degrees, linked = np.ones(links.shape[0]), np.asarray(links.sum(axis=1)).reshape(-1), links.T
    for _ in range(10):
        ranks = 0.15 + linked @ (0.85 * ranks / degrees)
    return ranks


def word_count(text):
    counts = Counter(text.split())
    return [len(word) for word in counts], list(counts.values())


OPERATIONS = {name: (lambda compute: lambda given: compute(*given))(compute) for name, compute in {
    "dot_product": np.dot, "black_scholes": black_scholes, "sparse_matrix": lambda matrix, v: matrix @ v, "n_body": n_body,
    "matrix_product": np.matmul, "stencil_2d": stencil_2d, "mandelbrot": mandelbrot, "k_means": k_means,
    "histogram": lambda s: np.bincount(s, minlength=1000), "jacobi": jacobi, "floyd_warshall": all_distances,
    "breadth_first": lambda graph: scipy_rows.distances(graph.shape[0], *breadth_first_order(graph, 0)),
    "components": lambda graph: connected_components(graph, directed=False)[1], "page_rank": page_rank,
    "triangles": lambda graph: (graph @ graph.T).multiply(graph).sum(axis=1), "library_sort": np.sort, "remove_duplicates": np.unique,
    "word_count": word_count,
}.items()}


def smallest_vertices(labels):
    """Of labels of components, for each vertex the smallest one in its component."""
    _, first, numbers = np.unique(labels, return_index=True, return_inverse=True)
    return first[numbers]


def collect(operation, given, result):
    if operation == "components":
        return [smallest_vertices(result)]
    return [np.asarray(part).reshape(-1) for part in (result if isinstance(result, tuple) else [result])]
