"""Ray: its datasets to sort and to group, tasks over parts in its object store for the rest."""

import logging
import os

import numpy as np
import ray
import ray.data

NAME = f"Ray {ray.__version__}"


@ray.remote
def dot(v, w):
    return np.dot(v, w)


@ray.remote
def multiply(matrix, vector):
    return matrix @ vector


@ray.remote
def sum_rows(part):
    values, starts, filled = part
    sums = np.zeros(len(filled))
    sums[filled] = np.add.reduceat(values, starts[filled])
    return sums


class System:
    def __init__(self, workers):
        self.workers = workers
        os.environ["RAY_DATA_DISABLE_PROGRESS_BARS"] = "1"
        ray.init(num_cpus=workers, include_dashboard=False, configure_logging=True, logging_level=logging.ERROR, log_to_driver=False)
        ray.data.DataContext.get_current().enable_progress_bars = False

    def end(self):
        ray.shutdown()

    def parts(self, parts):
        return [ray.put(part) for part in parts]

    def array(self, name):
        return self.parts(np.array_split(np.load(name), self.workers))

    def table(self, name):
        return ray.data.from_numpy(np.array_split(np.load(name), self.workers)).materialize()

    def dot_product(self):
        v, w = self.array("v.npy"), self.array("w.npy")
        return lambda: sum(ray.get([dot.remote(a, b) for a, b in zip(v, w)])), lambda product: [product]

    def sort(self):
        table = self.table("keys.npy")
        return lambda: table.sort("data").materialize(), lambda result: result.to_pandas()["data"].to_numpy()

    def group_count(self):
        table = self.table("groups.npy")
        return (lambda: table.groupby("data").count().materialize(),
                lambda result: result.to_pandas().sort_values("data")["count()"].to_numpy())

    def matrix_vector(self, matrices):
        parts, vector = self.parts(matrices), ray.put(np.load("vector.npy"))
        return lambda: self.finished([multiply.remote(part, vector) for part in parts]), self.concatenated

    def row_sums(self, rows):
        parts = self.parts(rows)
        return lambda: self.finished([sum_rows.remote(part) for part in parts]), self.concatenated

    def finished(self, results):
        ray.wait(results, num_returns=len(results), fetch_local=False)
        return results

    def concatenated(self, results):
        return np.concatenate(ray.get(results))
