#!/usr/bin/env python3
"""Measures NESL's Python package beside other libraries for arrays, tables and graphs: scripts/bench jagged and scripts/bench users install
all that is needed and run this.

  users.py SUITE --bin FOLDER [--quick] [--only NAME] [--libraries nesl,numba]
      measures, and records if it is all tasks of all libraries in full
  users.py SUITE --check [--only NAME] [--libraries nesl,numba]
      compares results at a small size, and measures nothing

SUITE is jagged, operations on rows of differing lengths (docs/jagged.md), or users, programs of bench/programs (docs/benchmarks.md).
NAME is a part of the name of a task. Every library is in a process of its own, with two threads on two processors. In a round each
library computes a task once, one library after the other; rounds follow each other, so that a moment in which the machine is slow does
not decide about one library. Of a library the shortest round counts. In a pause before each turn the threads of the library before it
go to sleep: those that wait for work in a loop would take a processor of the next library. Before the first round each library computes the task once, which
compiles what it compiles, and the results are compared. A library that cannot be imported, or has no function for a task, is left out."""

import argparse
import multiprocessing
import os
import pathlib
import statistics
import sys
import tempfile
import time
import traceback
import warnings

THREADS = 2
# Read by libraries when they are imported.
os.environ.update({name: str(THREADS) for name in (
    "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "POLARS_MAX_THREADS")})
# OpenBLAS waits for work in a loop for 2^24 cycles, some 6 ms, after each call; otherwise for 2^28, longer than the pause below.
os.environ["OPENBLAS_THREAD_TIMEOUT"] = "24"

import numpy as np  # noqa: E402

import program_page  # noqa: E402
import program_report  # noqa: E402
import programs  # noqa: E402
import users_report  # noqa: E402
from libraries.tasks import SUITES  # noqa: E402

# Rounds of a task, of which so many also convert; seconds after which a library takes no further round.
EFFORT = {"full": {"rounds": 21, "converting": 6, "seconds": 2.0}, "quick": {"rounds": 5, "converting": 1, "seconds": 0.5}}
TOLERANCE = 1e-9  # of floats: sums are taken in another order
PAUSE = 0.02  # seconds before each turn of a library


def serve(connection, library, modules):
    """A library's process: answers each (task, size, file) with the seconds of a round: of converting, computing, and converting the
    result; and writes the result to the file, if there is one. With a size of None it computes with the last data again, without
    converting. An answer that is a text is an error."""
    try:
        module = __import__(f"libraries.{library}_{modules}", fromlist=["OPERATIONS"])
    except Exception as error:  # a library of its own may be missing, too
        connection.send((library, None, str(error), set()))
        return
    connection.send((module.NAME, module.VERSION, "", set(module.OPERATIONS)))
    warnings.simplefilter("ignore")  # of PyTorch: sparse tensors are in beta state
    given = form = result = None
    while (order := connection.recv()) is not None:
        task, size, file = order
        result = None
        try:
            if file:
                form = None
                given = task.make(size)
            begin = time.perf_counter()
            if size is not None:
                form = None
                form = module.convert(given)
            converted = time.perf_counter()
            result = module.OPERATIONS[task.operation](form)
            computed = time.perf_counter()
            arrays = module.collect(task.operation, given, result) if size is not None else []
            collected = time.perf_counter()
            if file:
                np.savez(file, *arrays)
            connection.send((converted - begin, computed - converted, collected - computed))
        except Exception as error:  # whatever the library raises is a cell of the table
            connection.send("".join(traceback.format_exception_only(error)).splitlines()[0])


class Library:
    """A library and its process."""

    def __init__(self, module, modules):
        self.module = module
        context = multiprocessing.get_context("spawn")
        self.connection, other = context.Pipe()
        self.process = context.Process(target=serve, args=(other, module, modules), daemon=True)
        self.process.start()
        other.close()
        self.name, self.version, self.missing, self.operations = self.connection.recv()

    def ask(self, *order):
        self.connection.send(order)
        try:
            return self.connection.recv()
        except EOFError:
            self.operations = set()
            return "its process has ended"

    def end(self):
        if not self.missing and self.process.is_alive():
            self.connection.send(None)
        self.process.join()


def canonical(arrays, any_order):
    """The arrays of a result, in one order if that is arbitrary."""
    order = np.lexsort(arrays[::-1]) if any_order else slice(None)
    return [array[order] for array in arrays]


def difference(ours, theirs, differing):
    """How two results differ: a text, "" if they agree but for this share of the elements. Ints are compared exactly, floats to
    TOLERANCE."""
    if [len(array) for array in ours] != [len(array) for array in theirs]:
        return f"lengths {[len(array) for array in ours]}, not {[len(array) for array in theirs]}"
    for k, (a, b) in enumerate(zip(ours, theirs)):
        bad = np.flatnonzero(~np.isclose(a, b, rtol=TOLERANCE, atol=TOLERANCE) if "f" in a.dtype.kind + b.dtype.kind else a != b)
        if len(bad) > differing * len(a):
            return f"element {bad[0]} of array {k} is {a[bad[0]]}, not {b[bad[0]]}"
    return ""


class Measurement:
    """A task and what each library has taken for it."""

    def __init__(self, task, mode, libraries):
        self.task, self.mode = task, mode
        self.taken = {library: [] for library in libraries if task.operation in library.operations}
        self.errors = {}

    def compare(self):
        """Has every library compute the task once, and compares the results with that of the last one: of NumPy, SciPy or a compiled
        loop, which are simplest."""
        results = {}
        with tempfile.TemporaryDirectory() as folder:
            for library in self.taken:
                file = os.path.join(folder, f"{library.module}.npz")
                answer = library.ask(self.task, self.task.sizes[self.mode], file)
                if isinstance(answer, str):
                    self.errors[library] = answer
                    continue
                with np.load(file) as arrays:
                    results[library] = canonical(list(arrays.values()), self.task.any_order)
        reference = next((library for library in reversed(results) if library.module in ("scipy", "numba")), None)
        for library, result in results.items():
            if reference and (found := difference(result, results[reference], self.task.differing)):
                self.errors[library] = f"WRONG: {found} as {reference.name} has it"

    def take_rounds(self):
        effort = EFFORT[self.mode]
        for turn in range(effort["rounds"]):
            for library, taken in self.taken.items():
                if library in self.errors or sum(map(sum, taken)) > effort["seconds"]:
                    continue
                size = self.task.sizes[self.mode] if turn < effort["converting"] else None
                time.sleep(PAUSE)
                answer = library.ask(self.task, size, None)
                if isinstance(answer, str):
                    self.errors[library] = answer
                else:
                    taken.append(answer)

    def record(self):
        columns = {library.name: {"error": text} for library, text in self.errors.items()}
        for library, taken in self.taken.items():
            if taken and library not in self.errors:
                computing = [seconds for _, seconds, _ in taken]
                converting = taken[:EFFORT[self.mode]["converting"]]
                columns[library.name] = {"seconds": min(computing), "median": statistics.median(computing),
                                         "converting": min(map(sum, converting)), "rounds": len(taken)}
        return {"name": self.task.name, "family": self.task.family, "about": self.task.about, "size": self.task.sizes[self.mode],
                "columns": columns}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", choices=SUITES)
    parser.add_argument("--bin", type=lambda text: pathlib.Path(text).resolve(), help="the folder of the built programs")
    parser.add_argument("--quick", action="store_true", help="smaller sizes and fewer rounds")
    parser.add_argument("--only", default="", metavar="NAME")
    parser.add_argument("--libraries", metavar="NAME,NAME")
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    if args.bin is None and not args.check:
        parser.error("--bin is needed")
    suite = SUITES[args.suite]
    chosen = suite.chosen(args.only)
    if not chosen:
        sys.exit(f"users.py: no task's name has \"{args.only}\" in it")
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:THREADS])

    watch = None if args.check else program_report.Watch(programs.Tools(args.bin, "cpu"), THREADS)
    everything = [Library(name, suite.modules) for name in (args.libraries.split(",") if args.libraries else suite.libraries)]
    for library in everything:
        print(f"{library.name}: {library.missing or library.version}")
    libraries = [library for library in everything if not library.missing]
    if not any(library.module == "nesl" for library in libraries):
        sys.exit("users.py: the package nesl is needed")
    mode = "small" if args.check else "quick" if args.quick else "full"
    if not args.check:
        print(users_report.heading([library.name for library in libraries]), flush=True)
    records, uncompared = [], 0
    for task in chosen:
        measurement = Measurement(task, mode, libraries)
        measurement.compare()
        if not args.check:
            measurement.take_rounds()
        record = measurement.record()
        records.append(record)
        if args.check:
            found = [f"{name}: {column['error']}" for name, column in record["columns"].items()]
            names = [library.name for library in measurement.taken]
            print(f"{task.name}: {'; '.join(found) or ', '.join(names) + ' agree'}", flush=True)
            uncompared += len(names) < 2 or users_report.OURS not in names
        else:
            print(users_report.line(record, [library.name for library in libraries]), flush=True)
    for library in libraries:
        library.end()
    if watch:
        busy = watch.stop()
        print(users_report.footer(records, busy))
        if not args.quick and not args.only and args.libraries is None:
            users_report.write_record(suite, args.bin, everything, records, busy)
            (users_report if suite.name == "jagged" else program_page).write_page()
    if uncompared:
        print(f"users.py: {uncompared} tasks have nothing to compare NESL with")
    return 1 if uncompared or any("error" in column for record in records for column in record["columns"].values()) else 0


if __name__ == "__main__":
    sys.exit(main())
