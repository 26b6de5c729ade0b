#!/usr/bin/env python3
"""Times programs as fcode-opt -O1 and as fcode-opt -O2 leaves them: fusing operations into kernels must never make a program
slower. The two take turns, so that what else the machine does falls on both; what is printed are medians of wall and
processor time without what an empty program takes, and the ratios of -O2 to -O1. Programs that run for less than 10 ms are
left out; those that get slower by more than 3 % in both are measured once more, and marked if they still are.
Usage: programs.py --bin FOLDER [--samples N] [--threads N] [--backend NAME] [FILTER]; FILTER is a regular expression over names
such as program/quicksort."""

import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHORTEST = 0.010  # seconds
MOST = 1.03  # ratio

# Examples that are too short as they are, with something longer for them to compute.
LONGER = {
    "barnes_hut": "sum({sum({x + y : (x, y) in all_forces(bodies_of(700 + k))}) : k in [0:10]})",
    "black_scholes": "let (calls, puts) = portfolio(500000) in sum(calls) + sum(puts)",
    "closest_pair": "let points = scattered_points(20000);"
                    " (best, by_y) = closest(sorted_by(points, {x : (x, y) in points})) in best",
    "conjugate_gradient": "let n = 160; matrix = laplacian(n); b = {1.0 / float(1 + k) : k in [0:n * n]};"
                          " (x, left) = solve(matrix, b, 400) in left",
    "convex_hull": "#convex_hull(spiral(1000000))",
    "fft": "#fft({complex(sin(float(i)), 0.0) : i in [0:131072]})",
    "primes": "#primes(5000000)",
    "quicksort": "#quicksort(randoms(300000, 17))",
    "shortest_paths": "let n = 3000; (distances, rounds) = shortest_paths(n, roads(n), 0) in rounds",
    "suffix_array": "let text = flatten({\"she sells sea shells, \" ++ @k : k in [0:1000]})"
                    " in sum({#suffix_array(drop(text, k)) : k in [0:10]})",
    "sparse_matrix": "let n = 20000; v = {1.0 / float(1 + i) : i in [0:n]}; matrix = uneven(n)"
                     " in sum({sum(times(matrix, {x + float(k) : x in v})) : k in [0:20]})",
}


def sources():
    """(name, file, expression instead of the file's last) of all programs."""
    for path in sorted((ROOT / "examples").glob("*.*")):
        if path.suffix in (".nesl", ".vcode"):
            name = path.stem if path.suffix == ".nesl" else path.name
            yield name, path, LONGER.get(name)
    for path in sorted((ROOT / "bench" / "programs").glob("*.nesl")):
        yield path.stem, path, None


def optimized(tools, path, expression, level, folder):
    """The program as VCODE of one level."""
    plain = path
    if path.suffix == ".nesl":
        plain = folder / "plain.vcode"
        subprocess.run([tools / "nesl", "compile", path, "-o", plain, *(["--main", expression] if expression else [])],
                       check=True)
    out = folder / f"{path.stem}.{level}.vcode"
    subprocess.run([tools / "fcode-opt", f"-O{level}", "--fusion=greedy", plain, "-o", out], check=True)
    return out


def run(command, program):
    """(wall, processor) seconds of one run."""
    start = time.perf_counter()
    process = subprocess.Popen([*command, program], stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"programs.py: {program} failed")
    return wall, usage.ru_utime + usage.ru_stime


def measure(command, programs, empty, samples):
    """Medians of (wall, processor) of each program, without those of the empty one."""
    times = [[] for _ in programs]
    nothing = []
    for _ in range(samples):
        nothing.append(run(command, empty))
        for program, taken in zip(programs, times):
            taken.append(run(command, program))
    median = [statistics.median(column) for column in zip(*nothing)]
    return [tuple(max(statistics.median(column) - base, 1e-6) for column, base in zip(zip(*taken), median))
            for taken in times]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--samples", type=int, default=9)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("filter", nargs="?", default="")
    args = parser.parse_args()

    command = [args.bin / "vinterp", f"--backend={args.backend}", f"--threads={args.threads}"]
    slower = 0
    print(f"{'program':<22}{'-O1 wall':>11}{'-O2 wall':>11}{'ratio':>7}{'-O1 cpu':>12}{'-O2 cpu':>11}{'ratio':>7}")
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        empty = folder / "empty.vcode"
        empty.write_text("FUNC MAIN\nRET\n", encoding="utf-8")
        for name, path, expression in sources():
            if not re.search(args.filter, "program/" + name):
                continue
            programs = [optimized(args.bin, path, expression, level, folder) for level in (1, 2)]
            if measure(command, programs[:1], empty, 3)[0][1] < SHORTEST:
                continue
            for samples in (args.samples, 3 * args.samples):
                (wall1, cpu1), (wall2, cpu2) = measure(command, programs, empty, samples)
                suspect = min(wall2 / wall1, cpu2 / cpu1) > MOST
                if not suspect:
                    break
            slower += suspect
            print(f"{name:<22}{wall1 * 1e3:>8.1f} ms{wall2 * 1e3:>8.1f} ms{wall2 / wall1:>7.2f}"
                  f"{cpu1 * 1e3:>9.1f} ms{cpu2 * 1e3:>8.1f} ms{cpu2 / cpu1:>7.2f}{'  slower' if suspect else ''}",
                  flush=True)
    print(f"{slower} programs are more than 3 % slower with -O2 than with -O1")


if __name__ == "__main__":
    main()
