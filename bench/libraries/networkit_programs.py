"""networkit on programs of bench/programs: its algorithms for graphs."""

import networkit
import numpy as np
import scipy.sparse

from . import data, networkit_rows
from .scipy_programs import smallest_vertices

NAME = networkit_rows.NAME
VERSION = networkit_rows.VERSION


def convert(given):
    if isinstance(given, data.Graph):
        return networkit_rows.convert(given)
    shape = (given.vertices, given.vertices)
    edges = scipy.sparse.coo_matrix((np.ones(len(given.sources)), (given.sources, given.targets)), shape=shape)
    return networkit.GraphFromCoo(edges, n=given.vertices, directed=False, weighted=False)


def components(graph):
    return networkit.components.ParallelConnectedComponents(graph).run()


OPERATIONS = {"breadth_first": networkit_rows.distances, "components": components}


def collect(operation, given, result):
    if operation == "components":
        return [smallest_vertices(np.array(result.getPartition().getVector()))]
    return networkit_rows.collect("distances", given, result)
