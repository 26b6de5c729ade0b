#!/usr/bin/env python3
"""Counts the messages of NESL programs on many ranks, and predicts their times: scripts/bench mpi builds all that is needed and runs this.

  ranks.py --bin FOLDER [--ranks 2,4,8] [--only NAME] [--size N] [--latency MICROSECONDS] [--bandwidth GBYTES]

The ranks are threads of one process, which run the code of cvl-mpi and exchange bytes through its memory, so that the counts are exact.
They are those of one round of the program, without the making of its data: of a run with two rounds, less those of a run with one.

The predicted time of the messages is the latency for each message that a rank sends to another one, the latency for each doubling of
the ranks for a collective, and the bytes that a rank sends by the bandwidth of a rank. Of messages and bytes, those of the rank with the
most count; a broadcast counts as if its root sent all bytes. The time of the work is that of one rank with one thread here, divided by the
ranks: work that cannot be divided, and waiting for ranks with more work, are not in it."""

import argparse
import math
import pathlib
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass

import program_runs

# Vectors of 2^25 elements have a block for each of 1024 ranks.
PROGRAMS = {"paper/dot_product": 1 << 25, "paper/library_sort": 1 << 25, "regular/histogram": 1 << 25,
            "irregular/sparse_matrix.economics": 1 << 25, "paper/convex_hull": 1 << 25, "irregular/breadth_first.random": 1 << 23,
            "paper/quicksort.full_range": 1 << 22}
BLOCK = 32768
LIMIT = 1800.0  # seconds for one run


@dataclass
class Counts:
    """Messages of the rank with the most."""
    rounds: int = 0
    collectives: int = 0
    messages: int = 0
    bytes: int = 0

    def __sub__(self, other):
        return Counts(self.rounds - other.rounds, self.collectives - other.collectives, self.messages - other.messages,
                      self.bytes - other.bytes)

    def seconds(self, ranks, latency, bandwidth):
        return latency * (self.messages + self.collectives * math.ceil(math.log2(ranks))) + self.bytes / bandwidth


def count(tools, program, size, rounds, ranks):
    """The messages of a run on so many ranks."""
    with tempfile.TemporaryDirectory() as folder:
        compiled = pathlib.Path(folder) / "program.fcode"
        subprocess.run([tools / "nesl", "compile", "--int=32", "-O", "2", program.source, "-o", compiled], check=True)
        outcome, _, messages = program_runs.run([tools / "run_on_threads", f"{ranks}:{BLOCK}", compiled], program.parameters(rounds, size),
                                                LIMIT)
    if outcome.error:
        raise SystemExit(f"ranks.py: {program.name} on {ranks} ranks: {outcome.error}")
    found = re.search(r"^all +(\d+) +(\d+) +(\d+) +(\d+) +(\d+) ", messages, re.MULTILINE)
    return Counts(*(int(number) for number in found.groups()[1:]))


def seconds_alone(tools, program, size):
    """Seconds of the best of two rounds in one process with one thread."""
    outcome, _ = program_runs.run_nesl(tools / "nesl", program, size, 2, ["--threads=1", "--native=off"], LIMIT)
    if outcome.error:
        raise SystemExit(f"ranks.py: {program.name}: {outcome.error}")
    return min([outcome.first, *outcome.seconds])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--ranks", default="2,4,16,64,256,1024")
    parser.add_argument("--only", default="")
    parser.add_argument("--size", type=int)
    parser.add_argument("--latency", type=float, default=2.0)
    parser.add_argument("--bandwidth", type=float, default=10.0)
    given = parser.parse_args()
    all_ranks = [int(number) for number in given.ranks.split(",")]
    tools = given.bin.resolve()
    print(f"latency {given.latency} us, bandwidth {given.bandwidth} GB/s, blocks of {BLOCK} elements\n")
    print("| program | size | ranks | rounds | messages of a rank | bytes of a rank | ms of messages | ms of work |")
    print("|---|---|---|---|---|---|---|---|")
    for name, usual in PROGRAMS.items():
        if given.only not in name:
            continue
        [program] = [one for one in program_runs.programs(name) if one.name == name]
        size = given.size or usual
        alone = seconds_alone(tools, program, size)
        for ranks in all_ranks:
            counts = count(tools, program, size, 2, ranks) - count(tools, program, size, 1, ranks)
            seconds = counts.seconds(ranks, 1e-6 * given.latency, 1e9 * given.bandwidth)
            print(f"| {program.name} | {size} | {ranks} | {counts.rounds} | {counts.messages} | {counts.bytes} | {1e3 * seconds:.2f} | "
                  f"{1e3 * alone / ranks:.2f} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
