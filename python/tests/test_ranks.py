"""Sessions of several ranks (nesl.Session(comm=...)), which mpiexec starts. Left out, with the reason, without mpi4py, an
mpiexec, or libcvl-mpi.so."""

import os
import shutil
import subprocess
import sys
import textwrap

import pytest

import nesl

pytest.importorskip("mpi4py", reason="mpi4py is not installed")
MPIEXEC = shutil.which("mpiexec")

BEGIN = """
    import numpy as np
    import nesl
    from mpi4py import MPI
    comm = MPI.COMM_WORLD
    rank, ranks = comm.rank, comm.size
    session = nesl.Session(comm=comm)
    def whole(part):
        return np.concatenate(comm.allgather(part))
    def part_of(array):
        return np.array_split(array, ranks)[rank]
"""


def run(body, ranks=2, block=1000):
    """Runs a program on some ranks, and returns what rank 0 prints. Vectors of `block` elements and more are divided."""
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1",
                   "OMPI_MCA_hwloc_base_binding_policy": "none", "NESL_MPI_BLOCK": str(block),
                   "PYTHONPATH": os.pathsep.join(sys.path)}
    program = textwrap.dedent(BEGIN) + textwrap.dedent(body)
    result = subprocess.run([MPIEXEC, "-n", str(ranks), sys.executable, "-m", "mpi4py", "-c", program], env=environment,
                            capture_output=True, text=True, timeout=120)
    if "libcvl-mpi.so, for several ranks, is not installed" in result.stderr:
        pytest.skip("libcvl-mpi.so is not installed")
    if "there is no backend 'cuda-host'" in result.stderr:
        pytest.skip("the package has no library that stands in for a device")
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.fixture(autouse=True)
def launcher():
    if MPIEXEC is None:
        pytest.skip("there is no mpiexec")


def test_each_rank_passes_and_gets_its_part():
    """The parts of a result are those of one session alone, one after the other, whatever parts the ranks pass."""
    run("""
        text = "function go(a, b) = {x * y + float(i) : x in a; y in reverse(b); i in [0:#a]};"
        names, alone = session.define(text), nesl.Session().define(text)
        for length in [0, 1, 7, 999, 1000, 12345]:
            a, b = np.linspace(0, 1, length), np.arange(length) * 0.5
            skewed = a if rank == ranks - 1 else a[:0]
            for mine in [part_of(a), skewed]:
                part = names.go(mine, part_of(b))
                assert part.dtype == np.float64
                assert np.array_equal(whole(part), alone.go(a, b)), length
                assert length < 2000 or 0 < len(part) < length
    """, ranks=3)


def test_each_rank_computes_on_a_device():
    """Sums of floats have the bits of processors. The CUDA library on its host executor stands in for four devices."""
    run("""
        text = "function go(a, k) = ({x * x + k : x in a}, sum({x / 7.0 : x in a}), sort(a));"
        alone = nesl.Session().define(text)
        a = np.sin(np.arange(5000.0))
        for devices in None, [3], [2, 0]:
            with nesl.Session(comm=comm, backend="cuda-host", devices=devices, kernel_cache="off") as session:
                squares, total, sorted = session.define(text).go(part_of(a), 0.5)
                expected = alone.go(a, 0.5)
                assert np.array_equal(whole(squares), expected[0]) and total == expected[1]
                assert np.array_equal(whole(sorted), expected[2])
        try:
            nesl.Session(comm=comm, backend="cuda-host", devices=[0, 7])
        except nesl.ResourceError as error:
            assert "rank 1: devices: there is no device 7" in str(error)
        else:
            assert False
    """)


def test_scalars_and_strings_are_the_same_on_every_rank():
    run("""
        names = session.define("function go(a, k, s) = (sum(a) * k, #s, s ++ \\"!\\");")
        assert names.go(part_of(np.arange(5000)), 3, "text") == (3 * sum(range(5000)), 4, "text!")
        try:
            names.go(part_of(np.arange(5000)), rank, "text")
        except nesl.ArgumentError as error:
            assert "rank 1 gives another number than rank 0" in str(error)
        else:
            assert False
    """)


def test_rows_are_passed_in_parts_and_come_whole():
    run("""
        names = session.define("function go(rows) = {sum(r) : r in rows}; function ragged(n) = {[0:i] : i in [0:n]};")
        rows = [np.arange(k % 5) for k in range(3000)]
        mine = rows[:1000] if rank == 0 else rows[1000:]
        assert whole(names.go(mine)).tolist() == [int(r.sum()) for r in rows]
        assert [list(r) for r in names.ragged(4)] == [[], [0], [0, 1], [0, 1, 2]]
    """)


def test_tuples_of_columns_come_in_parts():
    run("""
        names = session.define("function go(a) = ({(x, float(x)) : x in a}, {x > 10 : x in a}, #a);")
        pairs, large, length = names.go(part_of(np.arange(4000)))
        assert length == 4000
        assert whole(np.array([x for x, y in pairs])).tolist() == list(range(4000))
        assert whole(large).tolist() == [x > 10 for x in range(4000)]
    """)


def test_an_argument_that_one_rank_cannot_pass_is_an_error_on_all():
    run("""
        session = nesl.Session(comm=comm, int_bits=32)
        names = session.define("function go(a) = sum(a);")
        a = np.arange(3000)
        if rank == 1:
            a[5] = 1 << 40
        try:
            names.go(a)
        except nesl.ArgumentError as error:
            assert ("does not fit in an int of 32 bits" if rank == 1 else "an argument of rank 1 is refused") in str(error)
        else:
            assert False
        assert names.go(np.ones(3000, dtype=np.int64)) == 3000 * ranks
    """)


def test_different_programs_are_refused():
    run("""
        session.define("function go(a) = sum(a) + 1;" if rank == 0 else "function go(a) = sum(a) + 2;")
        try:
            session.evaluate("go([1, 2])")
        except nesl.Error as error:
            assert "rank 1 runs another program" in str(error)
        else:
            assert False
    """)


def test_sessions_of_a_process_share_its_ranks():
    run("""
        other = nesl.Session(comm=comm).define("function go(a) = max_val(a);")
        names = session.define("function go(a) = min_val(a);")
        assert (names.go(part_of(np.arange(3000))), other.go(part_of(np.arange(3000)))) == (0, 2999)
        import pickle
        try:
            pickle.dumps(session)
        except nesl.ArgumentError as error:
            assert "cannot be pickled" in str(error)
        else:
            assert False
        if rank == 0:
            print("end")
    """)


def test_a_communicator_is_needed():
    with pytest.raises(nesl.ArgumentError, match="comm must be a communicator of mpi4py, but is a int"):
        nesl.Session(comm=7)
