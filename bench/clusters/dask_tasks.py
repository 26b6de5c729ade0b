"""Dask: arrays and tables in two parts, futures where it has neither sparse matrices nor rows of differing lengths."""

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import scipy.sparse
from dask.distributed import Client, LocalCluster, wait

NAME = f"Dask {dask.__version__}"


def sum_rows(part):
    values, starts, filled = part
    sums = np.zeros(len(filled))
    sums[filled] = np.add.reduceat(values, starts[filled])
    return sums


class System:
    def __init__(self, workers):
        self.workers = workers
        self.client = Client(LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None))

    def end(self):
        self.client.close()
        self.client.cluster.close()

    def array(self, name):
        numbers = np.load(name)
        kept = da.from_array(numbers, chunks=-(-len(numbers) // self.workers)).persist()
        wait(kept)
        return kept

    def parts(self, parts):
        """Each part in the memory of a worker."""
        return [self.client.scatter(part, workers=[worker], hash=False) for part, worker in zip(parts, self.client.nthreads())]

    def dot_product(self):
        v, w = self.array("v.npy"), self.array("w.npy")
        return lambda: da.dot(v, w).compute(), lambda product: [product]

    def sort(self):
        frame = dd.from_pandas(pd.DataFrame({"key": np.load("keys.npy")}), npartitions=self.workers).persist()
        wait(frame)

        def compute():
            result = frame.sort_values("key").persist()
            wait(result)
            return result
        return compute, lambda result: result["key"].compute().to_numpy()

    def group_count(self):
        frame = dd.from_pandas(pd.DataFrame({"key": np.load("groups.npy")}), npartitions=self.workers).persist()
        wait(frame)
        return lambda: frame.groupby("key").size().compute(), lambda result: result.sort_index().to_numpy()

    def matrix_vector(self, matrices):
        parts = self.parts(matrices)
        [vector] = self.client.scatter([np.load("vector.npy")], broadcast=True, hash=False)
        return lambda: self.futures(scipy.sparse.csr_matrix.dot, parts, [vector] * len(parts)), self.concatenated

    def row_sums(self, rows):
        parts = self.parts(rows)
        return lambda: self.futures(sum_rows, parts), self.concatenated

    def futures(self, function, *arguments):
        results = self.client.map(function, *arguments, pure=False)
        wait(results)
        return results

    def concatenated(self, results):
        return np.concatenate(self.client.gather(results))
