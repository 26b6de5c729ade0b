"""NESL functions over partitions of Dask's frames, and in the workers of Dask and Ray, where these are installed. The workers
are started with NESL_TEST_LONG only."""

import os

import numpy as np
import pytest

import nesl

needs_long = pytest.mark.skipif("NESL_TEST_LONG" not in os.environ, reason="starts workers, with NESL_TEST_LONG only")


@nesl.function
def total(x: "[float]"):
    """sum({y * y : y in x})"""


@pytest.fixture
def frame():
    dataframe = pytest.importorskip("dask.dataframe")
    pandas = pytest.importorskip("pandas")
    pyarrow = pytest.importorskip("pyarrow", minversion="14")
    lists = pandas.ArrowDtype(pyarrow.list_(pyarrow.float64()))
    columns = {"values": pandas.Series([[1.0, 2.0], [], [4.0], [3.0, -3.0, 1.0]], dtype=lists), "weight": [1.0, 2.0, 0.5, 2.0],
               "name": ["a", "bc", "", "d"], "place": [0, -1, 0, 2]}
    return dataframe.from_pandas(pandas.DataFrame(columns), npartitions=2)


def test_columns_of_dask(frame):
    import nesl.dask

    scaled = nesl.dask.each(frame, "{x * w : x in row}", row="values", w="weight")
    assert str(scaled.dtype) == "large_list<item: double>[pyarrow]"
    assert [list(row) for row in scaled.compute()] == [[1.0, 2.0], [], [2.0], [6.0, -6.0, 2.0]]
    lengths = nesl.dask.each(frame, "#row", row="values")
    assert lengths.dtype == np.int64 and lengths.compute().tolist() == [2, 0, 1, 3]
    assert lengths.sum().compute() == 6
    assert nesl.dask.each(frame, "w > 1.0", w="weight").dtype == np.bool_
    twice = nesl.dask.each(frame, "name ++ name", name="name").compute()
    assert twice.tolist() == ["aa", "bcbc", "", "dd"]
    pairs = nesl.dask.each(frame, "(#row, name)", row="values", name="name").compute()
    assert pairs.tolist()[1] == {"0": 0, "1": "bc"}
    ranks = nesl.define("function ranks(w) = rank(w)").ranks
    assert nesl.dask.call(ranks, frame, "weight").compute().tolist() == [0, 1, 0, 1]  # of each partition
    assert nesl.dask.each(frame, "p / 2.0", p="place").compute().tolist() == [0.0, -0.5, 0.0, 1.0]  # ints where floats are needed
    assert nesl.dask.each(frame[frame["weight"] > 100], "#row", row="values").compute().tolist() == []
    frame["scaled"] = scaled
    assert [list(row) for row in frame["scaled"].compute()][3] == [6.0, -6.0, 2.0]


def test_errors_of_dask(frame):
    import dask
    import pandas

    import nesl.dask

    with pytest.raises(nesl.RunError, match="index -1"):
        nesl.dask.each(frame, "row[p]", row="values", p="place").compute()
    with pytest.raises(nesl.TextError, match="undefined"):
        nesl.dask.each(frame, "rwo", row="values")
    with pytest.raises(nesl.ArgumentError, match="must return a sequence"):
        nesl.dask.call(nesl.define("function g(w) = sum(w)").g, frame, "weight")
    with pytest.raises(nesl.ArgumentError, match="an element for each row, but returns 1 for 2 rows"):
        nesl.dask.call(nesl.define("function g(w) = [sum(w)]").g, frame, "weight").compute()
    with pytest.raises(KeyError):
        nesl.dask.each(frame, "row", row="nothing")
    with pytest.raises(nesl.ArgumentTypeError, match="NESL type point cannot be elements of a column"):
        nesl.dask.call(nesl.define("datatype point(x : float, y : float); function g(w) = {point(x, x) : x in w}").g, frame, "weight")
    with dask.config.set({"dataframe.convert-string": False}):
        objects = dask.dataframe.from_pandas(pandas.DataFrame({"rows": [[1.0], [2.0, 3.0]]}), npartitions=1)
        with pytest.raises(nesl.ArgumentError, match=r'column rows, object, .* types=\["\[float\]"\]'):
            nesl.dask.each(objects, "sum(row)", row="rows")
        with pytest.raises(nesl.ArgumentError, match="1 columns have as many types, not 2"):
            nesl.dask.each(objects, "sum(row)", row="rows", types=["[float]", "int"])
        assert nesl.dask.each(objects, "sum(row)", row="rows", types=["[float]"]).compute().tolist() == [1.0, 5.0]


@needs_long
def test_workers_of_dask(frame):
    distributed = pytest.importorskip("distributed")

    import nesl.dask

    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster, \
            distributed.Client(cluster) as client:
        futures = client.map(total, [np.arange(float(n)) for n in range(5)])
        assert client.gather(futures) == [0.0, 0.0, 1.0, 5.0, 14.0]
        assert nesl.dask.each(frame, "#row", row="values").compute().tolist() == [2, 0, 1, 3]


@needs_long
def test_workers_of_ray():
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        remote = ray.remote(lambda function, numbers: function(numbers))
        results = ray.get([remote.remote(total, np.arange(float(n))) for n in range(5)])
    finally:
        ray.shutdown()
    assert results == [0.0, 0.0, 1.0, 5.0, 14.0]
