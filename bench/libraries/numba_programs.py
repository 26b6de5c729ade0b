"""Numba on programs of bench/programs: loops on two threads, compiled at the first call."""

import math

import numpy as np
from numba import njit, prange

from . import data, numba_rows, program_data
from .scipy_programs import smallest_vertices

NAME = numba_rows.NAME
VERSION = numba_rows.VERSION
compiled = numba_rows.compiled


def convert(given):
    if isinstance(given, (data.Matrix, data.Graph, program_data.Links)):
        return tuple(vars(given).values())
    return given.values


@compiled
def dot_product(v, w):
    total = 0.0
    for k in prange(len(v)):
        total += v[k] * w[k]
    return total


@njit
def normal(x):
    k = 1.0 / (1.0 + 0.2316419 * abs(x))
    p = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    tail = 0.3989422804014327 * math.exp(-0.5 * x * x) * p
    return tail if x < 0.0 else 1.0 - tail


@compiled
def black_scholes(spot, strike, years):
    calls, puts = np.empty_like(spot), np.empty_like(spot)
    for k in prange(len(spot)):
        spread = 0.3 * math.sqrt(years[k])
        d1 = (math.log(spot[k] / strike[k]) + (0.02 + 0.5 * 0.3 * 0.3) * years[k]) / spread
        discounted = strike[k] * math.exp(-0.02 * years[k])
        calls[k] = spot[k] * normal(d1) - discounted * normal(d1 - spread)
        puts[k] = calls[k] - spot[k] + discounted
    return calls, puts


@compiled
def n_body(x, y, z):
    fx, fy, fz = np.empty_like(x), np.empty_like(x), np.empty_like(x)
    for i in prange(len(x)):
        px = py = pz = 0.0
        for j in range(len(x)):
            dx, dy, dz = x[j] - x[i], y[j] - y[i], z[j] - z[i]
            square = dx * dx + dy * dy + dz * dz + 1.0e-3
            strength = 1.0 / (square * math.sqrt(square))
            px += strength * dx
            py += strength * dy
            pz += strength * dz
        fx[i], fy[i], fz[i] = px, py, pz
    return fx, fy, fz


@compiled
def stencil_2d(grid):
    n = len(grid)
    for _ in range(10):
        means = np.empty_like(grid)
        for i in prange(n):
            for j in range(n):
                means[i, j] = 0.25 * (grid[i - 1, j] + grid[(i + 1) % n, j] + grid[i, j - 1] + grid[i, (j + 1) % n])
        grid = means
    return grid


@compiled
def mandelbrot(n):
    counts = np.empty((n, n), dtype=np.int64)
    h = 2.5 / n
    for i in prange(n):
        for j in range(n):
            x = y = 0.0
            k = 0
            while k < 100 and x * x + y * y <= 4.0:
                x, y = x * x - y * y + (j * h - 1.75), 2.0 * x * y + (i * h - 1.25)
                k += 1
            counts[i, j] = k
    return counts


@compiled
def nearest_centres(x, y, z, centres):
    nearest = np.empty(len(x), dtype=np.int64)
    for k in prange(len(x)):
        least = np.inf
        for c in range(len(centres)):
            square = (x[k] - centres[c, 0]) ** 2 + (y[k] - centres[c, 1]) ** 2 + (z[k] - centres[c, 2]) ** 2
            if square < least:
                least = square
                nearest[k] = c
    return nearest


@njit
def k_means(x, y, z):
    centres = np.stack((x[:10], y[:10], z[:10]), axis=1)
    for _ in range(5):
        nearest = nearest_centres(x, y, z, centres)
        sums, counts = np.zeros((10, 3)), np.zeros(10)
        for k in range(len(x)):
            c = nearest[k]
            sums[c, 0] += x[k]
            sums[c, 1] += y[k]
            sums[c, 2] += z[k]
            counts[c] += 1
        centres = sums / counts.reshape(10, 1)
    return centres[:, 0], centres[:, 1], centres[:, 2]


@njit
def histogram(s):
    counts = np.zeros(1000, dtype=np.int64)
    for x in s:
        counts[x] += 1
    return counts


@compiled
def jacobi(matrix, b):
    n = len(b)
    x = np.zeros(n)
    for _ in range(10):
        following = np.empty(n)
        for i in prange(n):
            others = 0.0
            for j in range(n):
                others += matrix[i, j] * x[j]
            following[i] = (b[i] - (others - matrix[i, i] * x[i])) / matrix[i, i]
        x = following
    return x


@compiled
def floyd_warshall(lengths):
    found = lengths.copy()
    n = len(found)
    for k in range(n):
        for i in prange(n):
            to_k = found[i, k]
            for j in range(n):
                found[i, j] = min(found[i, j], to_k + found[k, j])
    return found


@njit
def components(vertices, sources, targets):
    """The root of each vertex in trees that join the ends of each edge, the smaller root above the other."""
    parent = np.arange(vertices)
    for e in range(len(sources)):
        u, v = sources[e], targets[e]
        while parent[u] != u:
            parent[u] = parent[parent[u]]
            u = parent[u]
        while parent[v] != v:
            parent[v] = parent[parent[v]]
            v = parent[v]
        parent[max(u, v)] = min(u, v)
    for v in range(vertices):
        parent[v] = parent[parent[v]]
    return parent


@njit
def page_rank(vertices, sources, targets):
    degrees, ranks = np.zeros(vertices), np.ones(vertices)
    for source in sources:
        degrees[source] += 1.0
    for _ in range(10):
        shares = 0.85 * ranks / degrees
        ranks = np.full(vertices, 0.15)
        for e in range(len(sources)):
            ranks[targets[e]] += shares[sources[e]]
    return ranks


@compiled
def triangles(offsets, targets):
    counts = np.zeros(len(offsets) - 1, dtype=np.int64)
    for u in prange(len(counts)):
        for e in range(offsets[u], offsets[u + 1]):
            i, j = offsets[u], offsets[targets[e]]
            while i < offsets[u + 1] and j < offsets[targets[e] + 1]:
                counts[u] += targets[i] == targets[j]
                a, b = targets[i], targets[j]
                i += a <= b
                j += b <= a
    return counts


@njit
def remove_duplicates(s):
    seen = set()
    found = np.empty_like(s)
    count = 0
    for x in s:
        if x not in seen:
            seen.add(x)
            found[count] = x
            count += 1
    return found[:count]


OPERATIONS = {name: (lambda compute: lambda given: compute(*given))(compute) for name, compute in {
    "dot_product": dot_product, "black_scholes": black_scholes, "sparse_matrix": numba_rows.multiply, "n_body": n_body,
    "stencil_2d": stencil_2d, "mandelbrot": mandelbrot, "k_means": k_means, "histogram": histogram, "jacobi": jacobi,
    "floyd_warshall": floyd_warshall, "breadth_first": numba_rows.distances, "components": components, "page_rank": page_rank,
    "triangles": triangles, "remove_duplicates": remove_duplicates,
}.items()}


def collect(operation, given, result):
    if operation == "components":
        return [smallest_vertices(result)]
    return [np.asarray(part).reshape(-1) for part in (result if isinstance(result, tuple) else [result])]
