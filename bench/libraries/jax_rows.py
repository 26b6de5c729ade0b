"""JAX on the CPU: compiled functions of flat arrays with segment operations; the number of the row of each item, and of each row how
many items the result has, are parts of the form."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from . import data

NAME = "JAX"
VERSION = jax.__version__
jax.config.update("jax_enable_x64", True)


def convert(given):
    lengths = np.diff(given.offsets) if hasattr(given, "offsets") else ()
    numbers = np.repeat(np.arange(len(lengths)), lengths)
    if isinstance(given, data.Rows):
        parts = given.offsets, given.values, numbers
    elif isinstance(given, data.Matrix):
        parts = given.columns, given.values, numbers, given.vector
    else:
        parts = given.keys, given.values
    return jax.block_until_ready([jnp.asarray(part) for part in parts])


def ready(function):
    """Waits for the result, which JAX computes while Python goes on."""
    return lambda given: jax.block_until_ready(function(*given))


def reduced(offsets, values, numbers, operation=jax.ops.segment_sum):
    return operation(values, numbers, num_segments=len(offsets) - 1, indices_are_sorted=True)


def chained(values, depth):
    for _ in range(depth):
        values = values * 1.001 + 0.5
    return values


def chain(depth):
    return jax.jit(lambda offsets, values, numbers: (offsets, chained(values, depth)))


@jax.jit
def kept_of(offsets, values, numbers):
    values = values * 2 + 1
    kept = values > 1.5
    before = jnp.concatenate([jnp.zeros(1, dtype=jnp.int64), jnp.cumsum(kept)])
    return before[offsets], values, kept


def keep(offsets, values, numbers):
    """The length of the result is known only when the flags are, so that this is not one compiled function."""
    offsets, values, kept = kept_of(offsets, values, numbers)
    return offsets, values[kept]


@jax.jit
def argmax(offsets, values, numbers):
    most = reduced(offsets, values, numbers, jax.ops.segment_max)
    places = jnp.where(values == most[numbers], jnp.arange(len(values)), len(values))
    return reduced(offsets, places, numbers, jax.ops.segment_min) - offsets[:-1]


@jax.jit
def sort(offsets, values, numbers):
    return offsets, jax.lax.sort((numbers, values), num_keys=2)[1]


@jax.jit
def mean(offsets, values, numbers):
    return reduced(offsets, values, numbers) / jnp.maximum(jnp.diff(offsets), 1)


@jax.jit
def normalise(offsets, values, numbers):
    return offsets, values / reduced(offsets, values, numbers)[numbers]


@partial(jax.jit, static_argnums=3)
def largest(offsets, values, numbers, size):
    _, ascending = sort(offsets, values, numbers)
    lengths = jnp.minimum(jnp.diff(offsets), 3)
    found = jnp.concatenate([jnp.zeros(1, dtype=jnp.int64), jnp.cumsum(lengths)])
    places = jnp.arange(size) - jnp.repeat(found[:-1], lengths, total_repeat_length=size)
    return found, ascending[jnp.repeat(offsets[1:], lengths, total_repeat_length=size) - 1 - places]


def top_three(offsets, values, numbers):
    return largest(offsets, values, numbers, int(jnp.minimum(jnp.diff(offsets), 3).sum()))


@jax.jit
def histogram(offsets, values, numbers):
    return jnp.bincount(numbers * 10 + (values * 10).astype(jnp.int64), length=10 * (len(offsets) - 1))


@jax.jit
def multiply(columns, values, numbers, vector):
    return jax.ops.segment_sum(values * vector[columns], numbers, num_segments=len(vector), indices_are_sorted=True)


def groups(keys, values):
    names, numbers, counts = jnp.unique(keys, return_inverse=True, return_counts=True)
    return (names, jax.ops.segment_sum(values, numbers, num_segments=len(names)), counts,
            jax.ops.segment_max(values, numbers, num_segments=len(names)))


OPERATIONS = {name: ready(function) for name, function in {
    "chain_2": chain(1), "chain_8": chain(4), "chain_32": chain(16),
    "chain_sum": jax.jit(lambda offsets, values, numbers: reduced(offsets, chained(values, 4), numbers)),
    "keep": keep, "argmax": argmax, "sort": sort, "sum": jax.jit(reduced), "mean": mean, "normalise": normalise,
    "top_three": top_three, "histogram": histogram, "multiply": multiply, "groups": groups,
}.items()}


def collect(operation, given, result):
    return [np.asarray(part) for part in (result if isinstance(result, tuple) else [result])]
