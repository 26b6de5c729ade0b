"""PyTorch on the CPU: flat tensors with segment operations; the number of the row of each item is a part of the form."""

import torch

from . import data

NAME = "PyTorch"
VERSION = torch.__version__
torch.set_num_threads(2)


class Rows:
    def __init__(self, given):
        self.offsets, self.values = torch.from_numpy(given.offsets), torch.from_numpy(given.values)
        self.lengths = self.offsets.diff()
        self.count = len(self.lengths)
        self.numbers = torch.repeat_interleave(torch.arange(self.count), self.lengths)


def convert(given):
    if isinstance(given, data.Rows):
        return Rows(given)
    if isinstance(given, data.Matrix):
        offsets, columns, values, vector = (torch.from_numpy(part) for part in vars(given).values())
        return torch.sparse_csr_tensor(offsets, columns, values, size=(len(offsets) - 1, len(vector))), vector
    return torch.from_numpy(given.keys), torch.from_numpy(given.values)


def chain(depth):
    def compute(rows):
        values = rows.values
        for _ in range(depth):
            values = values * 1.001 + 0.5
        return rows.offsets, values
    return compute


def reduced(rows, values, operation):
    """A reduction of each row; 0 for empty ones."""
    return torch.segment_reduce(values, operation, lengths=rows.lengths, initial=0, unsafe=True)


def keep(rows):
    values = rows.values * 2 + 1
    kept = values > 1.5
    before = torch.zeros(len(kept) + 1, dtype=torch.int64)
    torch.cumsum(kept, 0, out=before[1:])
    return before[rows.offsets], values[kept]


def argmax(rows):
    most = reduced(rows, rows.values, "max")
    hits = torch.nonzero(rows.values == most[rows.numbers]).reshape(-1)
    first = torch.full((rows.count,), len(rows.values)).scatter_reduce(0, rows.numbers[hits], hits, "amin")
    return first - rows.offsets[:-1]


def sort(rows):
    values, order = torch.sort(rows.values)
    return rows.offsets, values[torch.argsort(rows.numbers[order], stable=True)]


def top_three(rows):
    _, ascending = sort(rows)
    lengths = torch.clamp(rows.lengths, max=3)
    offsets = torch.cat([torch.zeros(1, dtype=torch.int64), torch.cumsum(lengths, 0)])
    places = torch.arange(int(offsets[-1])) - torch.repeat_interleave(offsets[:-1], lengths)
    return offsets, ascending[torch.repeat_interleave(rows.offsets[1:], lengths) - 1 - places]


def groups(given):
    keys, values = given
    names, numbers, counts = torch.unique(keys, return_inverse=True, return_counts=True)
    zeros = torch.zeros(len(names), dtype=torch.float64)
    return names, zeros.scatter_add(0, numbers, values), counts, zeros.scatter_reduce(0, numbers, values, "amax")


OPERATIONS = {
    "chain_2": chain(1), "chain_8": chain(4), "chain_32": chain(16), "chain_sum": lambda rows: reduced(rows, chain(4)(rows)[1], "sum"),
    "keep": keep, "argmax": argmax, "sort": sort, "sum": lambda rows: reduced(rows, rows.values, "sum"),
    "mean": lambda rows: reduced(rows, rows.values, "sum") / rows.lengths.clamp(min=1),
    "normalise": lambda rows: (rows.offsets, rows.values / reduced(rows, rows.values, "sum")[rows.numbers]),
    "top_three": top_three,
    "histogram": lambda rows: torch.bincount(rows.numbers * 10 + (rows.values * 10).to(torch.int64), minlength=10 * rows.count),
    "multiply": lambda given: given[0] @ given[1], "groups": groups,
}


def collect(operation, given, result):
    return [part.numpy() for part in (result if isinstance(result, tuple) else [result])]
