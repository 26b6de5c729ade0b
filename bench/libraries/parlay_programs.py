"""ParlayLib on programs of bench/programs: the functions of parlay_programs.cpp, compiled when this module is imported, with the headers of
the folder in NESL_PARLAYLIB."""

import ctypes
import os
import pathlib
import re
import subprocess
import tempfile

import numpy as np

from . import data, program_data

NAME = "ParlayLib"
THREADS = "2"
SOURCE = pathlib.Path(__file__).with_suffix(".cpp")


def load(folder):
    """Compiles the functions: a library, and the version of ParlayLib. Products are rounded before they are added, as in other libraries:
    rounding decides how long a point near the border of the Mandelbrot set stays in it."""
    if not (folder / "include" / "parlay" / "parallel.h").exists():
        raise ImportError("ParlayLib could not be fetched; NESL_PARLAYLIB may name a folder with a checkout of it")
    os.environ["PARLAY_NUM_THREADS"] = THREADS
    with tempfile.TemporaryDirectory() as work:
        library = os.path.join(work, "parlay_programs.so")
        subprocess.run([os.environ.get("CXX", "c++"), "-std=c++17", "-O3", "-march=native", "-ffp-contract=off", "-pthread", "-shared", "-fPIC",
                        f"-I{folder / 'include'}", str(SOURCE), "-o", library], check=True)
        loaded = ctypes.CDLL(library)
    version = re.search(r"VERSION (\d[\d.]*)", (folder / "CMakeLists.txt").read_text(encoding="utf-8").split("project(", 1)[1])
    return loaded, version[1] if version else "unknown version"


library, VERSION = load(pathlib.Path(os.environ.get("NESL_PARLAYLIB", "")))


def convert(given):
    if isinstance(given, (data.Matrix, data.Graph)):
        return tuple(vars(given).values())
    return (np.frombuffer(given.text.encode("ascii"), dtype=np.uint8),) if isinstance(given, program_data.Text) else given.values


def call(name, size, arrays, results):
    """Calls a function with its first argument, arrays, and arrays for results: these, shortened if the function returns a length."""
    function = getattr(library, name)
    function.restype = ctypes.c_int64
    count = function(ctypes.c_int64(size), *(ctypes.c_void_p(array.ctypes.data) for array in (*arrays, *results)))
    return tuple(result[:count] for result in results) if name in COUNTED else tuple(results)


COUNTED = ("remove_duplicates", "word_count")


def ints(count):
    return np.empty(count, dtype=np.int64)


# Of each function its first argument, and the arrays for its results.
SHAPES = {
    "dot_product": lambda v, w: (len(v), [np.empty(1)]),
    "black_scholes": lambda spot, *others: (len(spot), [np.empty(len(spot)), np.empty(len(spot))]),
    "sparse_matrix": lambda offsets, *others: (len(offsets) - 1, [np.empty(len(offsets) - 1)]),
    "n_body": lambda x, y, z: (len(x), [np.empty(len(x)) for _ in range(3)]),
    "mandelbrot": lambda n: (n, [ints(n * n)]),
    "k_means": lambda x, y, z: (len(x), [np.empty(10) for _ in range(3)]),
    "histogram": lambda s: (len(s), [ints(1000)]),
    "floyd_warshall": lambda lengths: (len(lengths), [lengths.copy()]),
    "breadth_first": lambda offsets, targets: (len(offsets) - 1, [ints(len(offsets) - 1)]),
    "triangles": lambda offsets, targets: (len(offsets) - 1, [ints(len(offsets) - 1)]),
    "library_sort": lambda keys: (len(keys), [ints(len(keys))]),
    "remove_duplicates": lambda s: (len(s), [ints(len(s))]),
    "word_count": lambda text: (len(text), [ints(len(text) // 2 + 1), ints(len(text) // 2 + 1)]),
}
WITHOUT_ARRAYS = ("mandelbrot", "floyd_warshall")


def operation(name):
    def compute(given):
        size, results = SHAPES[name](*given)
        return call(name, size, () if name in WITHOUT_ARRAYS else given, results)
    return compute


OPERATIONS = {name: operation(name) for name in SHAPES}


def collect(operation, given, result):
    return [part.reshape(-1) for part in result]
