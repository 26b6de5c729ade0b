"""Numba: loops over the rows, on two threads, compiled at the first call."""

import numba
import numpy as np
from numba import njit, prange

NAME = "Numba"
VERSION = numba.__version__


def convert(given):
    return tuple(vars(given).values())


def compiled(function):
    return njit(function, parallel=True)


def chain(depth):
    @compiled
    def compute(offsets, values):
        results = np.empty_like(values)
        for k in prange(len(values)):
            x = values[k]
            for _ in range(depth):
                x = x * 1.001 + 0.5
            results[k] = x
        return offsets, results
    return compute


@compiled
def chain_sum(offsets, values):
    results = np.empty(len(offsets) - 1)
    for row in prange(len(results)):
        total = 0.0
        for k in range(offsets[row], offsets[row + 1]):
            x = values[k]
            for _ in range(4):
                x = x * 1.001 + 0.5
            total += x
        results[row] = total
    return results


@compiled
def keep(offsets, values):
    counts = np.zeros(len(offsets), dtype=np.int64)
    for row in prange(len(offsets) - 1):
        count = 0
        for k in range(offsets[row], offsets[row + 1]):
            count += values[k] * 2 + 1 > 1.5
        counts[row + 1] = count
    found = np.cumsum(counts)
    results = np.empty(found[-1])
    for row in prange(len(offsets) - 1):
        at = found[row]
        for k in range(offsets[row], offsets[row + 1]):
            x = values[k] * 2 + 1
            if x > 1.5:
                results[at] = x
                at += 1
    return found, results


@compiled
def argmax(offsets, values):
    results = np.empty(len(offsets) - 1, dtype=np.int64)
    for row in prange(len(results)):
        best = offsets[row]
        for k in range(offsets[row], offsets[row + 1]):
            if values[k] > values[best]:
                best = k
        results[row] = best - offsets[row]
    return results


@compiled
def sort(offsets, values):
    results = values.copy()
    for row in prange(len(offsets) - 1):
        results[offsets[row]:offsets[row + 1]].sort()
    return offsets, results


@compiled
def sum_rows(offsets, values):
    results = np.empty(len(offsets) - 1)
    for row in prange(len(results)):
        total = 0.0
        for k in range(offsets[row], offsets[row + 1]):
            total += values[k]
        results[row] = total
    return results


@compiled
def mean(offsets, values):
    results = np.empty(len(offsets) - 1)
    for row in prange(len(results)):
        total = 0.0
        for k in range(offsets[row], offsets[row + 1]):
            total += values[k]
        results[row] = total / max(offsets[row + 1] - offsets[row], 1)
    return results


@compiled
def normalise(offsets, values):
    results = np.empty_like(values)
    for row in prange(len(offsets) - 1):
        total = 0.0
        for k in range(offsets[row], offsets[row + 1]):
            total += values[k]
        for k in range(offsets[row], offsets[row + 1]):
            results[k] = values[k] / total
    return offsets, results


@compiled
def top_three(offsets, values):
    found = np.zeros(len(offsets), dtype=np.int64)
    found[1:] = np.cumsum(np.minimum(offsets[1:] - offsets[:-1], 3))
    results = np.empty(found[-1])
    for row in prange(len(offsets) - 1):
        first = second = third = -np.inf
        for k in range(offsets[row], offsets[row + 1]):
            x = values[k]
            if x > third:
                if x > second:
                    third = second
                    if x > first:
                        second = first
                        first = x
                    else:
                        second = x
                else:
                    third = x
        for place in range(found[row + 1] - found[row]):
            results[found[row] + place] = first if place == 0 else second if place == 1 else third
    return found, results


@compiled
def histogram(offsets, values):
    results = np.zeros((len(offsets) - 1, 10), dtype=np.int64)
    for row in prange(len(offsets) - 1):
        for k in range(offsets[row], offsets[row + 1]):
            results[row, int(values[k] * 10)] += 1
    return results


@compiled
def multiply(offsets, columns, values, vector):
    results = np.empty(len(offsets) - 1)
    for row in prange(len(results)):
        total = 0.0
        for k in range(offsets[row], offsets[row + 1]):
            total += values[k] * vector[columns[k]]
        results[row] = total
    return results


@njit
def distances(offsets, targets):
    found = np.full(len(offsets) - 1, -1)
    queue = np.empty(len(offsets) - 1, dtype=np.int64)
    queue[0], found[0], begin, end = 0, 0, 0, 1
    while begin < end:
        vertex = queue[begin]
        begin += 1
        for k in range(offsets[vertex], offsets[vertex + 1]):
            target = targets[k]
            if found[target] < 0:
                found[target] = found[vertex] + 1
                queue[end] = target
                end += 1
    return found


@njit
def groups(keys, values):
    order = np.argsort(keys, kind="mergesort")
    starts = np.empty(len(keys), dtype=np.int64)
    sums, most = np.empty(len(keys)), np.empty(len(keys))
    count = 0
    for place in range(len(order)):
        k = order[place]
        if place == 0 or keys[k] != keys[order[place - 1]]:
            starts[count], sums[count], most[count] = place, 0.0, -np.inf
            count += 1
        sums[count - 1] += values[k]
        most[count - 1] = max(most[count - 1], values[k])
    counts = np.empty(count, dtype=np.int64)
    for group in range(count):
        counts[group] = (starts[group + 1] if group + 1 < count else len(order)) - starts[group]
    return keys[order[starts[:count]]], sums[:count], counts, most[:count]


@compiled
def words_of(offsets, text):
    counts = np.zeros(len(offsets), dtype=np.int64)
    for row in prange(len(offsets) - 1):
        before = True
        for k in range(offsets[row], offsets[row + 1]):
            blank = text[k] == 32
            counts[row + 1] += before and not blank
            before = blank
    found = np.cumsum(counts)
    results = np.zeros(found[-1], dtype=np.int64)
    for row in prange(len(offsets) - 1):
        at, before = found[row] - 1, True
        for k in range(offsets[row], offsets[row + 1]):
            blank = text[k] == 32
            at += before and not blank
            if not blank:
                results[at] += 1
            before = blank
    return found, results


OPERATIONS = {name: (lambda compute: lambda given: compute(*given))(compute) for name, compute in {
    "chain_2": chain(1), "chain_8": chain(4), "chain_32": chain(16), "chain_sum": chain_sum, "keep": keep, "argmax": argmax,
    "sort": sort, "sum": sum_rows, "mean": mean, "normalise": normalise, "top_three": top_three, "histogram": histogram,
    "multiply": multiply, "distances": distances, "groups": groups,
    "words": lambda offsets, text: words_of(offsets, text.view(np.uint8)),
}.items()}


def collect(operation, given, result):
    return [part.reshape(-1) for part in (result if isinstance(result, tuple) else [result])]
