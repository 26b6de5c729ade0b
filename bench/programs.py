#!/usr/bin/env python3
"""Measures the NESL programs of bench/programs beside hand-written C++: scripts/bench programs builds all that is needed and runs this.

  programs.py --bin FOLDER [--quick] [--only NAME] [--threads 1,2] [--backend B]
      measures, and records if it is all programs in full
  programs.py --bin FOLDER --check [--only NAME]
      compares results at a small size, and measures nothing
  programs.py --page [--check]
      writes docs/benchmarks.md from the last record, or says whether it is as it would be

NAME is that of a family, a program or a variant (FAMILY/PROGRAM[.VARIANT] in programs.txt), or a part of one. Every run is a process of
its own. In a turn each program runs once in each column, ours and the peer's one after the other; turns follow each other, so that the
runs of a program are spread over the whole time and a minute in which the machine is slow does not decide about one program. A run
repeats what it measures after a first round, by its own clock; of a run the best round counts, of several runs the median. The first
round counts in the columns "first", ours with the kernels that an earlier run has compiled."""

import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import program_page
import program_report
import program_runs

# How much is done with a program: turns, rounds in each process (more, up to most_rounds, while they take less than round_seconds
# together), seconds after which no further process is started, and for one process.
EFFORT = {"full": {"turns": 7, "rounds": 3, "most_rounds": 20, "round_seconds": 0.25, "seconds": 16.0, "limit": 20.0},
          "quick": {"turns": 5, "rounds": 2, "most_rounds": 10, "round_seconds": 0.02, "seconds": 2.0, "limit": 10.0}}
MOST_MEMORY = "12G"
# Numbers of other widths, and how far results may be from the peer's. The checks run one program with them, whose data
# are floats from unit() alone: these are the same in all widths.
WIDTHS = {"--int=64": program_runs.TOLERANCE, "--float=32": 1e-5}
AT_OTHER_WIDTHS = "accelerate/fluid"


FIRST = "first"


def columns_of(threads):
    """What is measured of a program: (name, level or None for the peer, threads)."""
    columns = [(f"-O{level}", level, threads[0]) for level in (0, 1, 2)]
    columns += [(FIRST, 2, threads[0])]
    columns += [(f"-O2 x{count}", 2, count) for count in threads[1:]]
    columns += [("peer", None, threads[0])]
    return columns + [(f"peer x{count}", None, count) for count in threads[1:]]


class Tools:
    """The built programs."""

    def __init__(self, folder, backend):
        self.nesl, self.peer, self.optimizer = (folder / name for name in ("nesl", "run_program_peer", "fcode-opt"))
        self.backend = backend
        self.cache = tempfile.TemporaryDirectory()

    def run(self, program, size, rounds, level, threads, limit, more=()):
        if level is None:
            return program_runs.run_peer(self.peer, program, size, rounds, threads, limit)
        options = [f"-O{level}", f"--backend={self.backend}", f"--threads={threads}", f"--memory={MOST_MEMORY}", *more]
        return program_runs.run_nesl(self.nesl, program, size, rounds, options, limit, self.cache.name if level == 2 else "off")[0]

    def fill_cache(self, program, size, threads, limit):
        """Has all kernels of a program compiled, as after an earlier run."""
        options = ["-O2", f"--backend={self.backend}", f"--threads={threads}", f"--memory={MOST_MEMORY}", "--native=always"]
        program_runs.run_nesl(self.nesl, program, size, 0, options, limit, self.cache.name)

    def speed(self, threads):
        """What the machine does at the moment: {copy_GB_per_s, spin_ms, spin_worst_ms}."""
        text = subprocess.run([self.peer, "--machine", str(threads)], check=True, capture_output=True, text=True).stdout
        return {name: float(number) for name, number in (line.split() for line in text.splitlines())}


def check(tools, programs):
    """Compares results of all levels with those of the peers, at the smallest size, and to the last bit with each other, with compiled
    kernels and without, on one, two and three threads. The number of failures."""
    failures = 0
    for program in programs:
        size = program.sizes["small"]
        expected = tools.run(program, size, 1, None, 1, 60)
        if expected.error:
            print(f"{program.name}: peer: {expected.error}")
            failures += 1
            continue
        wrong = []
        columns = [("peer x2", None, 2, "", ()), ("-O0", 0, 1, "", ()), ("-O1", 1, 1, "", ()), ("-O2", 2, 1, "", ()), ("-O2 x2", 2, 2, "", ())]
        columns += [(f"-O2 x{threads} --native={native}", 2, threads, "", (f"--native={native}",))
                    for threads, native in ((1, "always"), (2, "off"), (3, "always"))]
        if program.name == AT_OTHER_WIDTHS:
            columns += [(f"-O{level} {width}", level, 1, width, (width,)) for width in WIDTHS for level in (0, 2)]
        first = {}  # by width: the first result of ours
        for name, level, threads, width, more in columns:
            outcome = tools.run(program, size, 1, level, threads, 60, more)
            if outcome.error:
                wrong.append(f"{name}: {outcome.error}")
                continue
            if not program_runs.same(outcome.result, expected.result, WIDTHS.get(width, program_runs.TOLERANCE)):
                wrong.append(f"{name}: {' '.join(outcome.result)}, but the peer has {' '.join(expected.result)}")
            if level is not None and outcome.result != first.setdefault(width, outcome.result):
                wrong.append(f"{name}: {' '.join(outcome.result)}, but -O0 has {' '.join(first[width])}")
        print(f"{program.name}: {'; '.join(wrong) or 'agrees'}", flush=True)
        failures += len(wrong) > 0
    return failures


def spread(values):
    """The middle of values, and how far they reach."""
    return {"median": statistics.median(values), "least": min(values), "most": max(values)}


def summary(outcomes, first=False):
    """One column of a program's record."""
    if outcomes[-1].error:
        return {"error": outcomes[-1].error}
    return {"runs": len(outcomes), "core": spread([outcome.first if first else min(outcome.seconds) for outcome in outcomes]),
            "wall": statistics.median(outcome.wall for outcome in outcomes), "peak": max(outcome.peak for outcome in outcomes)}


class Measurement:
    """What is measured of a program, a turn at a time."""

    def __init__(self, program, mode, columns):
        self.program, self.effort, self.columns = program, EFFORT[mode], columns
        self.size = program.sizes[mode]
        self.outcomes = {name: [] for name, _, _ in columns}
        self.seconds = 0.0
        self.wrong = []

    def rounds(self, taken):
        """How often a process repeats what it measures: what is short is repeated more often."""
        shortest = min(taken[-1].seconds) if taken else self.effort["round_seconds"]
        return round(min(max(self.effort["round_seconds"] / max(shortest, 1e-9), self.effort["rounds"]), self.effort["most_rounds"]))

    def take_turn(self, tools):
        """Runs each column once. What fails is not tried again, and when time is up only what has not been run at all is run."""
        for name, level, threads in self.columns:
            taken = self.outcomes[name]
            if self.wrong or taken and (taken[-1].error or self.seconds > self.effort["seconds"]):
                continue
            start = time.perf_counter()
            first = name == FIRST
            if level == 2 and not taken:
                tools.fill_cache(self.program, self.size, threads, self.effort["limit"])
            rounds = 1 if first else self.rounds(taken)
            taken.append(tools.run(self.program, self.size, rounds, level, threads, self.effort["limit"]))
            self.seconds += time.perf_counter() - start
        results = {name: taken[-1].result for name, taken in self.outcomes.items() if taken and not taken[-1].error}
        peer = results.get("peer")
        self.wrong = [name for name, result in results.items() if peer and not program_runs.same(result, peer)]

    def record(self):
        program = self.program
        record = {"name": program.name, "about": program.about, "size": self.size, "arguments": program.arguments,
                  "lines": {"nesl": program_runs.lines_of_code(program.source),
                            "peer": program_runs.lines_of_code(program_runs.peer_source(program))},
                  "columns": {name: summary(taken, name == FIRST) for name, taken in self.outcomes.items()}}
        record["columns"]["peer " + FIRST] = summary(self.outcomes["peer"], True)
        if self.wrong:
            record["wrong"] = self.wrong
        peers = [outcome for outcome in self.outcomes["peer"] if not outcome.error]
        if peers:
            record["cost"] = {key: peers[0].says[key] for key in ("bytes", "operations", "bound")}
            record["floor"] = statistics.median(outcome.says["floor"] for outcome in peers)
        return record


def measure_sizes(tools, program, effort, mode, threads):
    """Core times at smaller sizes, for the plot of time over size."""
    points = []
    for divisor in (100, 10):
        size = program.sizes[mode] // divisor
        if size < program.sizes["small"]:
            continue
        ours, theirs = (tools.run(program, size, effort["rounds"], level, threads, effort["limit"]) for level in (2, None))
        if not ours.error and not theirs.error:
            points.append({"size": size, "-O2": min(ours.seconds), "peer": min(theirs.seconds)})
    return points


def profile(tools, program, mode, limit):
    """What the optimizer says about a program, and what its instructions cost: text."""
    size = program.sizes[mode]
    options = ["-O2", f"--backend={tools.backend}", "--threads=1", f"--memory={MOST_MEMORY}", "--profile"]
    outcome, messages = program_runs.run_nesl(tools.nesl, program, size, 1, options, limit)
    plain = subprocess.run([tools.nesl, "compile", "--int=32", "-O0", program.source], check=True, capture_output=True, text=True).stdout
    said = subprocess.run([tools.optimizer, "-O2", "--explain", "-", "-o", "/dev/null"], input=plain, check=False, capture_output=True,
                          text=True)
    return (f"nesl run -O2 --threads=1 --profile, size {size}, two rounds and the making of the data: {outcome.error}\n{messages}\n"
            f"fcode-opt -O2 --explain\n{said.stdout}{said.stderr}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=lambda text: pathlib.Path(text).resolve(), help="the folder of the built programs")
    parser.add_argument("--quick", action="store_true", help="smaller sizes and fewer runs")
    parser.add_argument("--only", default="", metavar="NAME")
    parser.add_argument("--threads", default="1,2", help="the first number is that of all levels")
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--page", action="store_true")
    args = parser.parse_args()

    if args.page:
        return program_page.compare_page() if args.check else program_page.write_page()
    if args.bin is None:
        parser.error("--bin is needed")
    programs = program_runs.programs(args.only)
    if not programs:
        sys.exit(f"programs.py: no program's name has \"{args.only}\" in it")
    tools = Tools(args.bin, args.backend)
    if args.check:
        return 1 if check(tools, programs) else 0

    threads = [int(count) for count in args.threads.split(",")]
    mode = "quick" if args.quick else "full"
    columns = columns_of(threads)
    watch = program_report.Watch(tools, threads[-1])
    measurements = [Measurement(program, mode, columns) for program in programs]
    for turn in range(EFFORT[mode]["turns"]):
        print(f"turn {turn + 1} of {EFFORT[mode]['turns']}", file=sys.stderr, flush=True)
        for measurement in measurements:
            measurement.take_turn(tools)
    records, profiles = [], {}
    print(program_report.heading(columns), flush=True)
    for program, measurement in zip(programs, measurements):
        record = measurement.record()
        print(program_report.line(record, columns), flush=True)
        if not args.quick:
            record["sizes"] = measure_sizes(tools, program, EFFORT[mode], mode, threads[0])
            profiles[program.name] = profile(tools, program, mode, EFFORT[mode]["limit"])
        records.append(record)
    busy = watch.stop()
    print(program_report.footer(records, busy))
    if args.only:
        for name, text in profiles.items():
            print(f"\n== {name}\n{text}")
    elif not args.quick:
        program_report.write_record(args.bin, args.backend, columns, records, busy, profiles)
        program_page.write_page()
    return 1 if any("wrong" in record for record in records) else 0


if __name__ == "__main__":
    sys.exit(main())
