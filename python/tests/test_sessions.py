"""Sessions, functions, errors, threads and signals."""

import contextlib
import gc
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

ENDLESS = "function endless(x) = if x < 0 then x else endless(x + 1)"


@pytest.fixture
def session():
    with nesl.Session() as session:
        yield session


def test_load(tmp_path):
    file = tmp_path / "square.nesl"
    file.write_text("function square(a) = {x * x : x in a};\nsize = 3;\n")
    names = nesl.load(file)
    np.testing.assert_array_equal(names.square([1, 2, 3]), [1, 4, 9])
    assert names["size"] == 3
    with pytest.raises(nesl.TextError, match="nothing.nesl"):
        nesl.load(tmp_path / "nothing.nesl")


def test_decorator():
    @nesl.function
    def scaled(x, a: "float"):
        """{a * y : y in x}"""

    np.testing.assert_array_equal(scaled(np.array([1.0, 2.0]), 10), [10, 20])
    with pytest.raises(nesl.TextError, match="float"):
        scaled(np.array([1.0]), True)
    with pytest.raises(nesl.ArgumentError, match="no docstring"):
        nesl.function(lambda x: x)


def test_a_later_definition_replaces_an_earlier_one(session):
    function = session.define("function answer(x) = x + 1").answer
    assert function(1) == 2
    session.define("function answer(x) = x + 2")
    assert function(1) == 3
    with pytest.raises(nesl.TextError):
        session.define("function answer(x) = x + 3; y = ;")
    assert function(1) == 4


def test_errors_of_the_program(session, tmp_path):
    file = tmp_path / "a.csv"
    file.write_bytes(b"1\n\xff\n")
    with pytest.raises(nesl.RunError) as caught:
        session.evaluate(f'read_csv([0], "{file}")')
    error = caught.value
    assert error.message == f"cannot read {file}:2:1: '?' is not an int"
    assert str(error).startswith("ERROR: cannot read")
    assert error.caret.split("\n")[0].startswith("  read_csv([0]") and error.caret.split("\n")[1] == "  ^"
    with pytest.raises(nesl.RunError) as caught:
        session.evaluate('error(["a"[0], code_char(255)])')
    assert caught.value.message == "a\\xff"


def test_errors_have_place_and_element(session):
    chosen = session.define("function chosen(rows) = {{row[i] : i in row} : row in rows};", "right.nesl").chosen
    with pytest.raises(nesl.RunError) as caught:
        chosen([[0], [1, 7]])
    error = caught.value
    assert isinstance(error, nesl.Error)
    assert (error.file, error.function, error.line, error.column, error.path) == ("right.nesl", "chosen", 1, 27, (1, 1))
    assert "index 7, but the sequence has length 2" in error.message
    assert error.caret.split("\n")[0].index("row[i]") == error.caret.split("\n")[1].index("^")
    assert str(error).startswith("right.nesl:1:27: run-time error in chosen")
    assert chosen([[0], [1, 0]]).to_list() == [[0], [0, 1]]
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is nesl.RunError and again.path == (1, 1) and str(again) == str(error)


def test_errors_of_texts(session):
    with pytest.raises(nesl.TextError, match="did you mean row"):
        session.define("function chosen(rows) = {sum(rwo) : row in rows};")
    whole = session.define("function whole(x : [int]) = x").whole
    with pytest.raises(nesl.TextError, match=r"must be \[int\], but is \[float\]"):
        whole(np.array([1.0, np.nan]))
    with pytest.raises(nesl.TextError, match="undefined"):
        session.define("").unknown(1)
    with pytest.raises(nesl.ArgumentError, match="given none"):
        whole()
    with pytest.raises(nesl.TextError):
        whole([1], [2])
    with pytest.raises(nesl.RunError, match="my words"):
        session.evaluate('error("my words")')
    with pytest.raises(AttributeError):
        session.define("")._hidden


def test_functions_are_no_values(session):
    session.define("function twice(x : int) = x + x")
    with pytest.raises(nesl.Error):
        session.define("")["twice"]


@pytest.mark.parametrize("options, message", [({"backend": "nothing"}, "nothing"), ({"threads": -1}, "threads"),
                                              ({"threads": 5000}, "threads"), ({"memory": -1}, "memory"),
                                              ({"seed": 2**64}, "seed"), ({"seed": 1.5}, "seed"), ({"optimize": 3}, "optimize"),
                                              ({"devices": [0, 0]}, "device 0 is there twice"), ({"devices": [0]}, "no devices to choose among"),
                                              ({"int_bits": 16}, "int_bits"), ({"float_bits": True}, "float_bits")])
def test_options_that_do_not_exist(options, message):
    with pytest.raises(nesl.Error, match=message):
        nesl.Session(**options)


def test_profile_and_explain(session):
    names = session.define("function summed(x) = plus_scan(x); function next(x) = x + 1; function dot_product(a, b) = sum({x * y : x in a; y in b})")
    ones = np.ones(1000)
    with session.profile() as profile:
        names.summed(ones)
    assert "+_SCAN" in str(profile)
    with session.profile() as profile:
        pass
    assert profile.text == ""
    assert "kernel" in names.dot_product.explain(ones, ones)
    assert names.next.explain(1) == ""
    with pytest.raises(nesl.TextError):
        names.next.explain(True)


def test_seeds():
    results = []
    for seed in (1, 1, 2):
        with nesl.Session(seed=seed) as session:
            results.append(session.evaluate("rand(1000000000)"))
    assert results[0] == results[1] != results[2]
    with nesl.Session() as session:
        session.set_seed(2)
        assert session.evaluate("rand(1000000000)") == results[2]
        with pytest.raises(nesl.ArgumentError, match="seed"):
            session.set_seed(-1)


def test_sandbox_and_memory(tmp_path):
    with nesl.Session(sandbox=True) as session, pytest.raises(nesl.Error, match="sandbox"):
        session.evaluate(f'write_object_to_file(1, "{tmp_path}/out")')
    with nesl.Session(memory=1 << 22) as session, pytest.raises(nesl.ResourceError, match="memory"):
        session.evaluate("sum(sort({i * i : i in [0:10000000]}))")


def test_a_session_that_has_ended():
    session = nesl.Session()
    function = session.define("function same(x) = x").same
    assert function(1) == 1
    session.close()
    session.close()
    for use in (lambda: function(1), lambda: function(np.zeros(100)), lambda: session.define("y = 1"), lambda: session.set_seed(1)):
        with pytest.raises(nesl.ArgumentError, match="ended"):
            use()


def test_other_threads_run_and_can_cancel(session):
    endless = session.define(ENDLESS).endless
    caught = []

    def run():
        try:
            endless(1)
        except nesl.Cancelled as error:
            caught.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    while thread.is_alive():
        session.cancel()
        time.sleep(0.001)
    thread.join()
    assert len(caught) == 1


def test_threads_share_a_session(session):
    total = session.define("function total(x) = sum(x)").total
    results = {}

    def run(k):
        for _ in range(50):
            results[k] = total(np.full(1000, k))

    threads = [threading.Thread(target=run, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {k: 1000 * k for k in range(4)}


@pytest.fixture
def handles_interrupts():
    """Python's own handler of SIGINT, which a process in the background of a shell does not have."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def interrupt_soon():
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()


def test_keyboard_interrupt(session, handles_interrupts):
    endless = session.define(ENDLESS).endless
    for run in (lambda: endless(1), lambda: session.evaluate("endless(1)")):
        with interrupt_soon(), pytest.raises(KeyboardInterrupt):
            run()
    assert session.evaluate("1 + 1") == 2


def test_a_signal_handler_that_goes_on(session):
    endless = session.define(ENDLESS).endless
    seen = []
    before = signal.signal(signal.SIGINT, lambda *_: seen.append(1))
    try:
        with interrupt_soon(), pytest.raises(nesl.Cancelled):
            endless(1)
    finally:
        signal.signal(signal.SIGINT, before)
    assert seen == [1]


def test_a_program_ends_whatever_it_still_has():
    program = ("import nesl, numpy\n"
               "names = nesl.define('function same(x) = x')\n"
               "kept = [names.same(numpy.zeros(1000)), names, nesl.Session()]\n"
               "print('done')\n")
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stdout, run.stderr) == (0, "done\n", "")


def test_errors_leak_nothing(session):
    array = np.zeros(1000)
    before = sys.getrefcount(array)
    wrong = session.define("function wrong(x, i) = x[i]").wrong
    for _ in range(10):
        with pytest.raises(nesl.RunError):
            wrong(array, 1000)
        with pytest.raises(nesl.ArgumentError):
            wrong(array, None)
    gc.collect()
    assert sys.getrefcount(array) == before


def test_programs_print_to_standard_output(capfd):
    assert nesl.evaluate('print_line("one"); 1 + 1') == 2
    assert capfd.readouterr() == ("one\n", "")
    with pytest.raises(nesl.RunError, match="^ERROR: stop\n") as caught:
        nesl.evaluate('let done = print_line("two") in if done then error("stop") else f')
    assert caught.value.message == "stop"
    assert capfd.readouterr() == ("two\n", "")
