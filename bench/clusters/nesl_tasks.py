"""NESL: each task is a program that ranks of Open MPI or MPICH run, with one thread each."""

import os
import pathlib
import re
import subprocess

import numpy as np

MEASURE = pathlib.Path(__file__).resolve().parent.parent / "programs" / "measure.nesl"
# The data, the function that is measured, and the digest of its result, in which r is the result.
TASKS = {
    "dot_product": ('v = read_npy([0.0], "v.npy"); w = read_npy([0.0], "w.npy")', "(v, w) => sum({a * b : a in v; b in w})", "[r]", "(v, w)"),
    "sort": ('keys = read_npy([0], "keys.npy")', "keys => sort(keys)", "r", "keys"),
    "group_count": ('keys = read_npy([0], "groups.npy")', "keys => {(key, #ones) : (key, ones) in int_collect({(key, 1) : key in keys})}",
                    "{n : (key, n) in r}", "keys"),
    "matrix_vector": (
        'columns = read_npy([0], "columns.npy"); entries = read_npy([0.0], "entries.npy"); lengths = read_npy([0], "lengths.npy"); '
        'matrix = partition({(c, e) : c in columns; e in entries}, lengths); v = read_npy([0.0], "vector.npy")',
        "(matrix, v) => {sum({e * v[c] : (c, e) in row}) : row in matrix}", "r", "(matrix, v)"),
    "row_sums": ('rows = partition(read_npy([0.0], "entries.npy"), read_npy([0], "lengths.npy"))', "rows => {sum(row) : row in rows}", "r",
                 "rows"),
}
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def run(nesl, workers, task, rounds):
    """The seconds of each round but the first one, and the result. Ints have 64 bits, as the other systems' have."""
    data, function, digest, given = TASKS[task]
    text = f'load "{MEASURE}";\nlet {data} in measured([{rounds}], {function}, r => write_npy({digest}, "result.npy"), {given});\n'
    pathlib.Path("task.nesl").write_text(text, encoding="utf-8")
    done = subprocess.run([nesl, "run", f"--ranks={workers}", "--threads=1", "--int=64", "task.nesl"], capture_output=True, text=True,
                          env=os.environ | ENVIRONMENT, check=False)
    found = re.search(r"\[([^\]]*)\]\) : ", done.stdout)
    if done.returncode != 0 or not found:
        raise RuntimeError(f"{task}: {done.stdout}{done.stderr}")
    return [float(number) for number in found[1].split(",")][1:], np.load("result.npy")


def version(nesl):
    return subprocess.run([nesl, "--version"], capture_output=True, text=True, check=True).stdout.split("\n")[0]
