#!/usr/bin/env python3
"""Measures NESL on ranks of MPI beside Dask and Ray, on the same number of processes of one machine: scripts/bench cluster installs all
that is needed and runs this.

  cluster.py --bin FOLDER [--quick] [--only NAME] [--workers 2]

Each process has one thread. Data are in the memory of the processes before a task is measured, and results stay there; the clock is that of
the program that gives the task, so that the time for giving it is in it. Of some rounds behind a first one, which are fewer if they take
long, the shortest counts. Results are compared with those of NumPy and SciPy."""

import argparse
import functools
import importlib
import os
import pathlib
import sys
import tempfile
import time

os.environ.update({name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")})

import numpy as np  # noqa: E402
import scipy.sparse  # noqa: E402

from clusters import nesl_tasks  # noqa: E402
from libraries import data  # noqa: E402

ROUNDS = 5
PAUSE = 0.2  # seconds between rounds, in which workers free results
LIMIT = 20.0  # seconds after which a task gets no further round
SYSTEMS = ("dask", "ray")
# Name, about, size
TASKS = {
    "dot_product": ("dot product of floats", 20_000_000),
    "sort": ("sort of ints", 5_000_000),
    "group_count": ("number of elements of each key, 1000 different ints", 10_000_000),
    "matrix_vector": ("sparse matrix times vector, ten entries in a row by a power law", 10_000_000),
    "row_sums": ("sums of rows of differing lengths, ten floats on average by a power law", 10_000_000),
}


class Data:
    """Files of arrays in the working folder, and the results that are expected."""

    def __init__(self, task, size, workers):
        random = np.random.default_rng(1)
        arrays = {}
        self.parts = []  # of rows, one for each process
        if task == "dot_product":
            arrays = {"v": random.random(size), "w": random.random(size)}
            self.result = np.array([np.dot(arrays["v"], arrays["w"])])
        elif task == "sort":
            arrays = {"keys": random.integers(-2**62, 2**62, size)}
            self.result = np.sort(arrays["keys"])
        elif task == "group_count":
            arrays = {"groups": random.integers(0, 1000, size)}
            self.result = np.bincount(arrays["groups"])
        else:
            given = data.matrix(size)
            lengths = np.diff(given.offsets)
            arrays = {"columns": given.columns, "entries": given.values, "lengths": lengths, "vector": given.vector}
            matrix = scipy.sparse.csr_matrix((given.values, given.columns, given.offsets), shape=(len(lengths), len(given.vector)))
            bounds = [int(np.searchsorted(given.offsets, len(given.values) * k // workers)) for k in range(workers)] + [len(lengths)]
            rows = [slice(begin, end) for begin, end in zip(bounds, bounds[1:])]
            if task == "matrix_vector":
                self.result = matrix @ given.vector
                self.parts = [matrix[part] for part in rows]
            else:
                self.result = matrix @ np.ones(len(given.vector))
                self.parts = [(given.values[given.offsets[part.start]:given.offsets[part.stop]],
                               given.offsets[part] - given.offsets[part.start], lengths[part] > 0) for part in rows]
        for name, array in arrays.items():
            np.save(name, array)

    def agrees(self, task, result):
        result = np.asarray(result)
        if task == "group_count":  # in any order
            return sorted(result) == sorted(self.result)
        return len(result) == len(self.result) and bool(np.allclose(result, self.result, rtol=1e-9, atol=1e-9))


def measure(system, task, given):
    """The seconds of each round but the first one, and the result."""
    compute, collect = getattr(system, task)(*([given.parts] if given.parts else []))
    taken, result = [], None
    while len(taken) < 2 or (len(taken) <= ROUNDS and sum(taken) < LIMIT):
        # A system that still has a result would not compute it again.
        result = None
        time.sleep(PAUSE)
        begin = time.perf_counter()
        result = compute()
        taken.append(time.perf_counter() - begin)
    return taken[1:], collect(result)


def cell(name, task, given, work):
    """The text of a cell: milliseconds, or why there are none."""
    try:
        taken, result = work()
    except Exception as error:  # whatever a system raises is a cell of the table
        print(f"{name}: {task}: {error}", file=sys.stderr)
        return "fails"
    return f"{1e3 * min(taken):.1f}" if given.agrees(task, result) else "WRONG"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=lambda text: pathlib.Path(text).resolve(), required=True, help="the folder of the built programs")
    parser.add_argument("--quick", action="store_true", help="a tenth of the size")
    parser.add_argument("--only", default="", metavar="NAME")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    tasks = [task for task in TASKS if given.only in task]
    sizes = {task: TASKS[task][1] // (10 if given.quick else 1) for task in tasks}
    nesl = given.bin / "nesl"
    columns = {nesl_tasks.version(nesl): {}}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        make = functools.cache(lambda task: Data(task, sizes[task], given.workers))
        for task in tasks:
            columns[nesl_tasks.version(nesl)][task] = cell(
                "NESL", task, make(task), lambda task=task: nesl_tasks.run(nesl, given.workers, task, ROUNDS))
        for name in SYSTEMS:
            try:
                module = importlib.import_module(f"clusters.{name}_tasks")
            except ImportError as error:
                print(f"cluster.py: {name} is left out: {error}", file=sys.stderr)
                continue
            system = module.System(given.workers)
            columns[module.NAME] = {task: cell(module.NAME, task, make(task), lambda task=task: measure(system, task, make(task)))
                                    for task in tasks}
            system.end()
        os.chdir("/")
    print(f"{given.workers} processes of one thread, best of up to {ROUNDS} rounds, ms; Python {sys.version.split()[0]}, NumPy {np.__version__}\n")
    print(f"| task | elements | {' | '.join(columns)} |\n|---|---|{'---|' * len(columns)}")
    for task in tasks:
        print(f"| {TASKS[task][0]} | {sizes[task]} | {' | '.join(column[task] for column in columns.values())} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
