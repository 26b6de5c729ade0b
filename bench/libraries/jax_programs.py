"""JAX on the CPU on programs of bench/programs: compiled functions."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from . import data, jax_rows, program_data
from .scipy_programs import smallest_vertices

NAME = jax_rows.NAME
VERSION = jax_rows.VERSION


def convert(given):
    if isinstance(given, data.Matrix):
        return jax_rows.convert(given)
    if isinstance(given, program_data.Links):
        parts = np.arange(given.vertices), given.sources, given.targets
    else:
        parts = given.values if isinstance(given, (program_data.Arguments, program_data.Columns)) else ()
    return [part if isinstance(part, int) else jax.block_until_ready(jnp.asarray(part)) for part in parts]


def normal(x):
    k = 1.0 / (1.0 + 0.2316419 * jnp.abs(x))
    p = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    tail = 0.3989422804014327 * jnp.exp(-0.5 * x * x) * p
    return jnp.where(x < 0.0, tail, 1.0 - tail)


@jax.jit
def black_scholes(spot, strike, years):
    spread = 0.3 * jnp.sqrt(years)
    d1 = (jnp.log(spot / strike) + (0.02 + 0.5 * 0.3 * 0.3) * years) / spread
    discounted = strike * jnp.exp(-0.02 * years)
    call = spot * normal(d1) - discounted * normal(d1 - spread)
    return call, call - spot + discounted


@jax.jit
def n_body(x, y, z):
    def force(px, py, pz):
        dx, dy, dz = x - px, y - py, z - pz
        square = dx * dx + dy * dy + dz * dz + 1.0e-3
        strength = 1.0 / (square * jnp.sqrt(square))
        return (strength * dx).sum(), (strength * dy).sum(), (strength * dz).sum()
    return jax.vmap(force)(x, y, z)


@jax.jit
def stencil_2d(grid):
    def means(_, grid):
        return 0.25 * (jnp.roll(grid, 1, 0) + jnp.roll(grid, -1, 0) + jnp.roll(grid, 1, 1) + jnp.roll(grid, -1, 1))
    return jax.lax.fori_loop(0, 10, means, grid)


@partial(jax.jit, static_argnums=0)
def mandelbrot(n):
    h = 2.5 / n
    a, b = jnp.arange(n)[None, :] * h - 1.75, jnp.arange(n)[:, None] * h - 1.25

    def step(_, state):
        x, y, counts = state
        inside = x * x + y * y <= 4.0
        return (jnp.where(inside, x * x - y * y + a, x), jnp.where(inside, 2.0 * x * y + b, y), counts + inside)
    start = jnp.zeros((n, n))
    return jax.lax.fori_loop(0, 100, step, (start, start, jnp.zeros((n, n), dtype=jnp.int64)))[2]


@jax.jit
def k_means(x, y, z):
    points = jnp.stack((x, y, z), axis=1)

    def step(_, centres):
        nearest = ((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2).argmin(axis=1)
        sums = jax.ops.segment_sum(points, nearest, num_segments=10)
        return sums / jnp.bincount(nearest, length=10)[:, None]
    return tuple(jax.lax.fori_loop(0, 5, step, points[:10]).T)


@jax.jit
def jacobi(matrix, b):
    diagonal = jnp.diag(matrix)
    return jax.lax.fori_loop(0, 10, lambda _, x: (b - (matrix @ x - diagonal * x)) / diagonal, jnp.zeros(len(b)))


@jax.jit
def floyd_warshall(lengths):
    return jax.lax.fori_loop(0, len(lengths), lambda k, found: jnp.minimum(found, found[:, k, None] + found[k]), lengths)


@jax.jit
def components(labels, sources, targets):
    """Labels spread along edges and jump to the labels of labels, until none changes."""
    def step(state):
        _, labels = state
        least = jnp.minimum(labels[sources], labels[targets])
        found = labels.at[sources].min(least).at[targets].min(least)
        found = found[found]
        return (found != labels).any(), found
    return jax.lax.while_loop(lambda state: state[0], step, (True, labels))[1]


@jax.jit
def page_rank(vertices, sources, targets):
    degrees = jnp.bincount(sources, length=len(vertices))

    def step(_, ranks):
        shares = 0.85 * ranks / degrees
        return jnp.full(len(vertices), 0.15).at[targets].add(shares[sources])
    return jax.lax.fori_loop(0, 10, step, jnp.ones(len(vertices)))


OPERATIONS = {name: jax_rows.ready(function) for name, function in {
    "dot_product": jax.jit(jnp.dot), "black_scholes": black_scholes, "sparse_matrix": jax_rows.multiply, "n_body": n_body,
    "matrix_product": jax.jit(jnp.matmul), "stencil_2d": stencil_2d, "mandelbrot": mandelbrot, "k_means": k_means,
    "histogram": jax.jit(partial(jnp.bincount, length=1000)), "jacobi": jacobi, "floyd_warshall": floyd_warshall,
    "components": components, "page_rank": page_rank, "library_sort": jax.jit(jnp.sort), "remove_duplicates": jnp.unique,
}.items()}


def collect(operation, given, result):
    if operation == "components":
        return [smallest_vertices(np.asarray(result))]
    return [np.asarray(part).reshape(-1) for part in (result if isinstance(result, tuple) else [result])]
