"""Functions in other processes: pickled, and in processes that were forked."""

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import nesl

NAMES = nesl.define("size = 10; function scaled(x) = {size * y : y in x}; function endless(x) = if x < 0 then x else endless(x + 1)")


@nesl.function
def total(x: "[float]"):
    """sum({y * y : y in x})"""


def test_pickles(tmp_path):
    again = pickle.loads(pickle.dumps(total))
    assert again(np.arange(4.0)) == 14.0 and again is not total
    names = pickle.loads(pickle.dumps(NAMES))
    assert names.scaled([1, 2]).tolist() == [10, 20] and list(names) == list(NAMES) and names["size"] == 10
    assert pickle.loads(pickle.dumps(NAMES.scaled))._session is names._session  # read once
    names._session.define("size = 3")
    assert pickle.loads(pickle.dumps(NAMES))["size"] == 10
    with nesl.Session(int_bits=32, seed=7) as session:
        file = tmp_path / "h.nesl"
        file.write_bytes(b"function h(x) = x + 1; % \xff %")
        session.load(file)
        session.evaluate("sum({i : i in [0:10]})")
        with pytest.raises(nesl.TextError):
            session.define("n = 5; m = ;")
        again = pickle.loads(pickle.dumps(session))
        assert len(session._texts) == 2
        assert again.evaluate("h(n)") == 6 and again._options == session._options
        assert again.evaluate("{i : i in [0:2]}").dtype == np.int32
        with pytest.raises(nesl.RunError) as caught:
            pickle.loads(pickle.dumps(session.define("function g(a) = a[7]", "mine").g))([1])
        assert caught.value.file == "mine"


def squares_in_child(function, numbers):
    return os.getpid(), function(np.array(numbers))


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing(method):
    expected = NAMES.scaled(np.arange(1000))
    with multiprocessing.get_context(method).Pool(2) as pool:
        found = pool.starmap(squares_in_child, [(NAMES.scaled, range(k, k + 100_000)) for k in range(4)])
        sums = pool.map(total, [np.arange(4.0), np.arange(3.0)])
    assert [result[:3].tolist() for _, result in found] == [[10 * k, 10 * k + 10, 10 * k + 20] for k in range(4)]
    assert os.getpid() not in {process for process, _ in found}
    assert sums == [14.0, 5.0]
    assert NAMES.scaled(np.arange(1000)).tolist() == expected.tolist()


def test_joblib():
    joblib = pytest.importorskip("joblib")
    for backend in ("loky", "multiprocessing", "threading"):
        results = joblib.Parallel(n_jobs=2, backend=backend)(joblib.delayed(total)(np.arange(float(n))) for n in range(5))
        assert results == [0.0, 0.0, 1.0, 5.0, 14.0]


def in_fork(work):
    """Runs a function in a forked process, which must return within a minute; the value that it returns."""
    reader, writer = multiprocessing.Pipe(duplex=False)
    child = os.fork()
    if child == 0:
        try:
            writer.send(work())
        except BaseException as error:
            writer.send(repr(error))
        os._exit(0)
    writer.close()
    ready = reader.poll(60)
    if not ready:
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert ready, "the forked process hangs"
    return reader.recv()


def test_forks():
    with nesl.Session() as session, nesl.Session() as closed, nesl.Session() as unused:
        session.define("n = 2")
        add = session.define("function add(x) = x + n").add
        result = add(1) + session.scope().evaluate("1")
        many = NAMES.scaled(np.arange(10**6))  # starts the threads of the library
        closed.close()

        def work():
            unused.close()
            for ended in (closed, unused):
                with pytest.raises(nesl.ArgumentError, match="ended"):
                    ended.evaluate("1")
            session.define("n = 5; function h(x) = x + n")
            again = NAMES.scaled(np.arange(10**6))
            return add(1), session.evaluate("h(1)"), bool((many == again).all()), in_fork(lambda: add(2))

        assert in_fork(work) == (6, 6, True, 7)
        assert (add(1), session.evaluate("n"), result) == (3, 2, 4)


def test_forks_during_a_run():
    with nesl.Session() as session:
        endless = session.define("function endless(x) = if x < 0 then x else endless(x + 1)").endless
        thread = threading.Thread(target=lambda: pytest.raises(nesl.Cancelled, endless, 1))
        thread.start()
        time.sleep(0.1)
        found = in_fork(lambda: (session.evaluate("1 + 1"), NAMES.scaled([1]).tolist()))
        while thread.is_alive():
            session.cancel()
            time.sleep(0.001)
        assert found == (2, [10])


def test_second_interpreters_are_refused():
    program = ("import sys\n"
               "if sys.version_info >= (3, 13):\n"
               "    import _interpreters as interpreters\n"
               "    kinds = ['legacy', 'isolated']\n"
               "else:\n"
               "    import _xxsubinterpreters as interpreters\n"
               "    kinds = [False, True]\n"
               "def tried():\n"
               "    for kind in kinds:\n"
               "        made = interpreters.create(kind) if isinstance(kind, str) else interpreters.create(isolated=kind)\n"
               "        text = 'try:\\n    import nesl\\nexcept ImportError as error:\\n    print(error)\\nelse:\\n    print(nesl.evaluate(\"1\"))\\n'\n"
               "        interpreters.run_string(made, text)\n"
               "        sys.stdout.flush()\n"
               "        interpreters.destroy(made)\n"
               "tried()\n"
               "import nesl\n"
               "print(nesl.evaluate('1 + 1'))\n"
               "tried()\n"
               "print(nesl.evaluate('2 + 2'))\n")
    run = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, timeout=60)
    lines = run.stdout.split("\n")
    assert (run.returncode, run.stderr) == (0, "") and len(lines) == 7, run.stdout
    assert [lines[2], lines[5]] == ["2", "4"]
    assert all("subinterpreter" in lines[k] for k in (0, 1, 3, 4)), run.stdout


def test_interrupts_of_forks():
    program = ("import nesl, os, signal, sys, threading\n"
               "endless = nesl.define('function endless(x) = if x < 0 then x else endless(x + 1)').endless\n"
               "nesl.evaluate('1')\n"
               "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
               "child = os.fork()\n"
               "if child:\n"
               "    sys.exit(os.waitpid(child, 0)[1])\n"
               "threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
               "try:\n"
               "    endless(1)\n"
               "except KeyboardInterrupt:\n"
               "    os._exit(0)\n")
    run = subprocess.run([sys.executable, "-W", "ignore::DeprecationWarning", "-c", program], capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stderr) == (0, "")  # from Python 3.12 on, forks of processes with threads are warned of
