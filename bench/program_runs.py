"""The NESL programs of bench/programs and their peers: which there are, and what one run of one of them yields."""

import os
import pathlib
import re
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass, field

FOLDER = pathlib.Path(__file__).resolve().parent / "programs"
NUMBER = r"-?(?:inf|nan|\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)"
TOLERANCE = 1e-6  # of floats: sums are taken in another order


@dataclass
class Program:
    """A row of programs.txt."""
    name: str  # FAMILY/PROGRAM[.VARIANT]
    sizes: dict  # by "small", "quick", "full"
    arguments: list
    about: str

    @property
    def source(self):
        return FOLDER / (self.name.split(".")[0] + ".nesl")

    @property
    def peer(self):
        return self.name.split("/")[1].split(".")[0]

    def parameters(self, rounds, size):
        """What program and peer read."""
        return "(" + " ".join(str(number) for number in [rounds, size, *self.arguments]) + ")"


@dataclass
class Outcome:
    """What a run took and said. `error` is its message if it failed."""
    result: list = field(default_factory=list)  # numbers as text
    first: float = 0.0  # seconds of the first round, by the program's own clock
    seconds: list = field(default_factory=list)  # of each further round
    wall: float = 0.0
    processor: float = 0.0
    peak: int = 0  # bytes
    error: str = ""
    says: dict = field(default_factory=dict)  # of a peer: bytes, operations, floor


def programs(only=""):
    """All programs; or those of a family, a program or a variant that is called `only`; or, if there is none, whose names contain it."""
    rows = []
    for line in (FOLDER / "programs.txt").read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        name, small, quick, full, arguments, about = line.split(None, 5)
        rows.append(Program(name, {"small": int(small), "quick": int(quick), "full": int(full)},
                            [] if arguments == "-" else arguments.split(","), about))
    exact = [row for row in rows if only in (row.name, row.name.split(".")[0], row.name.split("/")[0], row.name.split("/")[1], row.peer)]
    return exact if only and exact else [row for row in rows if only in row.name]


def lines_of_code(path):
    """Lines that are neither blank nor only comment, of a peer with those of headers in its folder. Comments of NESL are between percent
    signs, those of C++ behind slashes."""
    text = path.read_text(encoding="utf-8")
    headers = [path.parent / name for name in re.findall(r'#include "([^"/]+)"', text)]
    text = re.sub(r"%[^%]*%", "", text) if path.suffix == ".nesl" else re.sub(r"//.*", "", text)
    return sum(1 for line in text.splitlines() if line.strip()) + sum(map(lines_of_code, headers))


def peer_source(program):
    """The file with the peer of a program."""
    for path in sorted(program.source.parent.glob("*_peer.cpp")):
        if f"PROGRAM_PEER({program.peer})" in path.read_text(encoding="utf-8"):
            return path
    raise SystemExit(f"programs.py: {program.source.parent} has no PROGRAM_PEER({program.peer})")


def run(command, text, limit):
    """Runs a command with this standard input, in a folder of its own that has the programs as `programs`, for at most `limit` seconds:
    an Outcome without result, standard output and standard error."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        (pathlib.Path(folder) / "programs").symlink_to(FOLDER)
        (pathlib.Path(folder) / "input").write_text(text + "\n", encoding="utf-8")
        with open(pathlib.Path(folder) / "input", "rb") as parameters:
            start = time.perf_counter()
            process = subprocess.Popen(command, stdin=parameters, stdout=out, stderr=err, cwd=folder)
            timer = threading.Timer(limit, process.kill)
            timer.start()
            _, status, usage = os.wait4(process.pid, 0)
            wall = time.perf_counter() - start
            timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        output, messages = out.read().decode(errors="replace"), err.read().decode(errors="replace")
        peak = pathlib.Path(folder) / "peak"
        outcome = Outcome(wall=wall, processor=usage.ru_utime + usage.ru_stime, peak=int(peak.read_text() or 0) if peak.exists() else 0)
    if process.returncode == -9 and wall >= limit:
        outcome.error = f"stopped after {limit:.0f} s"
    elif process.returncode != 0:
        outcome.error = (messages.strip().splitlines() or [f"ended with status {process.returncode}"])[0]
    return outcome, output, messages


def measured(binary, *arguments):
    """The command that runs a program and leaves its most memory, without that of Python, in the file `peak`. The program measure_peak is
    beside the binary."""
    binary = pathlib.Path(binary).absolute()
    return [binary.parent / "measure_peak", "peak", binary, *arguments]


def run_nesl(nesl, program, size, rounds, options, limit, cache="off"):
    """Runs a program with `nesl run`, these options and the compiled kernels in the folder `cache`; also returns standard error, where a
    profile is."""
    source = pathlib.Path("programs") / program.source.relative_to(FOLDER)
    width = [] if any(option.startswith("--int=") for option in options) else ["--int=32"]
    outcome, output, messages = run(measured(nesl, "run", source, *width, f"--kernel-cache={cache}", *options), program.parameters(rounds, size), limit)
    if not outcome.error:
        found = re.search(r"^it = \((.*), \[([^\]]*)\]\) : ", output, re.MULTILINE | re.DOTALL)
        if not found:
            outcome.error = f"printed no result and times: {output[:80]!r}"
        else:
            outcome.result = re.findall(NUMBER, found[1])
            outcome.first, *outcome.seconds = [float(number) for number in re.findall(NUMBER, found[2])]
    return outcome, messages


def run_peer(binary, program, size, rounds, threads, limit):
    """Runs the peer of a program."""
    outcome, output, _ = run(measured(binary, program.peer, str(threads)), program.parameters(rounds, size), limit)
    if not outcome.error:
        says = dict(line.split(" ", 1) for line in output.splitlines())
        outcome.result = says["result"].split()
        outcome.first, *outcome.seconds = [float(number) for number in says["seconds"].split()]
        seconds, bound = re.match(r"(\S+) \((\w+)\)", says["floor"]).groups()
        outcome.says = {"bytes": float(says["bytes"]), "operations": float(says["operations"]), "floor": float(seconds),
                        "bound": bound}
    return outcome


def same(ours, theirs, tolerance=TOLERANCE):
    """Whether two lists of numbers agree: ints exactly, floats to the tolerance."""
    if len(ours) != len(theirs):
        return False
    for a, b in zip(ours, theirs):
        if re.fullmatch(r"-?\d+", a) and re.fullmatch(r"-?\d+", b):
            if a != b:
                return False
        elif not abs(float(a) - float(b)) <= tolerance * max(1.0, abs(float(a)), abs(float(b))):
            return False
    return True
