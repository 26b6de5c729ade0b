"""networkit: its breadth-first search."""

import networkit
import numpy as np
import scipy.sparse

NAME = "networkit"
VERSION = networkit.__version__
networkit.setNumberOfThreads(2)


def convert(given):
    vertices = len(given.offsets) - 1
    sources = np.repeat(np.arange(vertices), np.diff(given.offsets))
    edges = scipy.sparse.coo_matrix((np.ones(len(sources)), (sources, given.targets)), shape=(vertices, vertices))
    return networkit.GraphFromCoo(edges, n=vertices, directed=True, weighted=False)


def distances(graph):
    return networkit.distance.BFS(graph, 0, storePaths=False).run()


OPERATIONS = {"distances": distances}


def collect(operation, given, result):
    found = np.array(result.getDistances())
    return [np.where(found < len(found), found, -1).astype(np.int64)]
