"""What calls from Python cost (docs/python.md): python3 bench/python_calls.py, with the package nesl installed. Microseconds per
call, the median and the least of 25 rounds; and what `import nesl` takes beside NumPy, in milliseconds, likewise."""

import statistics
import subprocess
import sys
import time

import numpy as np

import nesl

ROUNDS = 25


def measure(name, call, repetitions):
    for _ in range(repetitions):
        call()
    rounds = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        for _ in range(repetitions):
            call()
        rounds.append((time.perf_counter() - begin) / repetitions * 1e6)
    print(f"{name:45} {statistics.median(rounds):8.1f} {min(rounds):8.1f}")


def import_time():
    program = "import numpy, time; begin = time.perf_counter(); import nesl; print((time.perf_counter() - begin) * 1e3)"
    return float(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout)


names = nesl.define("function same(x) = x; function scaled(x, a) = {a * y : y in x}; function increment(x) = x + 1;")
many, ten = np.zeros(10**7), np.arange(10.0)
ten_numbers, rows = ten.tolist(), nesl.Jagged(np.arange(1000), [0, 400, 400, 1000])
measure("an int, x + 1", lambda: names.increment(1), 1000)
measure("array of 10 doubles, times a float", lambda: names.scaled(ten, 2.0), 1000)
measure("list of 10 floats, times a float", lambda: names.scaled(ten_numbers, 2.0), 1000)
measure("array of 10^7 doubles, returned", lambda: names.same(many), 1000)
measure("Jagged of 1000 ints, returned", lambda: names.same(rows), 1000)
imports = [import_time() for _ in range(ROUNDS)]
print(f"{'import nesl, after numpy (ms)':45} {statistics.median(imports):8.1f} {min(imports):8.1f}")
