"""Awkward Array: eager operations on arrays of lists."""

import awkward as ak
import numpy as np

from . import data

NAME = "Awkward"
VERSION = ak.__version__


def lists(offsets, values):
    return ak.Array(ak.contents.ListOffsetArray(ak.index.Index64(offsets), ak.contents.NumpyArray(values)))


def convert(given):
    if isinstance(given, data.Rows):
        return lists(given.offsets, given.values)
    if isinstance(given, data.Matrix):
        return lists(given.offsets, given.columns), lists(given.offsets, given.values), given.vector
    if isinstance(given, data.Pairs):
        return ak.Array(given.keys), ak.Array(given.values)
    text = ak.contents.NumpyArray(given.text.view(np.uint8), parameters={"__array__": "char"})
    return ak.Array(ak.contents.ListOffsetArray(ak.index.Index64(given.offsets), text, parameters={"__array__": "string"}))


def chain(rows, depth):
    for _ in range(depth):
        rows = rows * 1.001 + 0.5
    return rows


def keep(rows):
    rows = rows * 2 + 1
    return rows[rows > 1.5]


def multiply(given):
    columns, values, vector = given
    factors = ak.unflatten(vector[ak.to_numpy(ak.flatten(columns))], ak.num(columns))
    return ak.sum(values * factors, axis=1)


def groups(given):
    keys, values = given
    order = ak.argsort(keys)
    keys, values = keys[order], values[order]
    counts = ak.run_lengths(keys)
    rows = ak.unflatten(values, counts)
    return ak.unflatten(keys, counts)[:, 0], ak.sum(rows, axis=1), counts, ak.max(rows, axis=1)


def words(lines):
    lengths = ak.str.length(ak.str.split_whitespace(lines))
    return lengths[lengths > 0]


OPERATIONS = {
    "chain_2": lambda rows: chain(rows, 1), "chain_8": lambda rows: chain(rows, 4), "chain_32": lambda rows: chain(rows, 16),
    "chain_sum": lambda rows: ak.sum(chain(rows, 4), axis=1), "keep": keep,
    "argmax": lambda rows: ak.argmax(rows, axis=1), "sort": lambda rows: ak.sort(rows, axis=1),
    "sum": lambda rows: ak.sum(rows, axis=1), "mean": lambda rows: ak.nan_to_num(ak.mean(rows, axis=1)),
    "normalise": lambda rows: rows / ak.sum(rows, axis=1), "top_three": lambda rows: ak.sort(rows, axis=1, ascending=False)[:, :3],
    "multiply": multiply, "groups": groups, "words": words,
}


def collect(operation, given, result):
    if isinstance(result, tuple):
        return [ak.to_numpy(part) for part in result]
    if result.ndim == 1:
        return [ak.to_numpy(result)]
    return [data.offsets_of(ak.to_numpy(ak.num(result))), ak.to_numpy(ak.flatten(result))]
