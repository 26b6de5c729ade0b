"""NESL through its Python package. A call takes and returns Jagged, Tuples and arrays, which share their memory with NESL."""

import nesl

from . import data

NAME = "NESL"
VERSION = nesl.__version__
session = nesl.Session(threads=2)
function = session.function


def convert(given):
    if isinstance(given, data.Rows):
        return (nesl.Jagged(given.values, given.offsets),)
    if isinstance(given, data.Matrix):
        return nesl.Jagged(nesl.Tuples(given.columns, given.values), given.offsets), given.vector
    if isinstance(given, data.Graph):
        return (nesl.Jagged(given.targets, given.offsets),)
    if isinstance(given, data.Lines):
        text, offsets = given.text.tobytes().decode("ascii"), given.offsets.tolist()
        return (nesl.Strings(text[begin:end] for begin, end in zip(offsets, offsets[1:])),)
    return (nesl.Tuples(*vars(given).values()),)


def chained(depth):
    item = "x"
    for _ in range(depth):
        item = f"({item} * 1.001 + 0.5)"
    return item


def chain(depth):
    names = session.define(f"function chain_{depth}(rows) = {{{{{chained(depth)} : x in row}} : row in rows}}")
    return getattr(names, f"chain_{depth}")


chain_sum = session.define(f"function chain_sum(rows) = {{sum({{{chained(4)} : x in row}}) : row in rows}}").chain_sum


@function
def keep(rows):
    """{{y in {x * 2.0 + 1.0 : x in row} | y > 1.5} : row in rows}"""


@function
def argmax_rows(rows):
    """{argmax(row) : row in rows}"""


@function
def sort_rows(rows):
    """{sort(row) : row in rows}"""


@function
def sum_rows(rows):
    """{sum(row) : row in rows}"""


@function
def mean_rows(rows):
    """{sum(row) / float(max(#row, 1)) : row in rows}"""


@function
def normalise(rows):
    """{let total = sum(row) in {x / total : x in row} : row in rows}"""


@function
def top_three(rows):
    """let none = ln(0.0)
       in {if #row == 0 then []
           else let most = max_val(row);
                    second = max_val({select(x < most, x, none) : x in row});
                    third = max_val({select(x < second, x, none) : x in row});
                    ones = count({x == most : x in row});
                    twos = count({x >= second : x in row})
                in {select(k < ones, most, select(k < twos, second, third)) : k in index(min(3, #row))} : row in rows}"""


@function
def histogram_rows(rows):
    """{write_with('+, dist(0, 10), {(trunc(x * 10.0), 1) : x in row}) : row in rows}"""


@function
def multiply(rows, vector):
    """{sum({x * vector[i] : (i, x) in row}) : row in rows}"""


session.define("""
function search(graph, distances, frontier, d) =
  if #frontier == 0 then distances
  else
    let reached = flatten(graph -> frontier);
        fresh = {v in reached; old in distances -> reached | old < 0};
        % One of the copies of each vertex: the one whose index is what was written there. %
        owner = distances <- {(v, i) : v in fresh; i in [0:#fresh]};
        unique = {v in fresh; o in owner -> fresh; i in [0:#fresh] | o == i};
        distances = distances <- {(v, d) : v in unique}
    in search(graph, distances, unique, d + 1);

function cross((ox, oy), ((ax, ay), (bx, by))) = (ax - ox) * (by - oy) - (bx - ox) * (ay - oy);

function side(points, p, q) =
  let areas = {cross(o, (p, q)) : o in points};
      left = {o in points; a in areas | plusp(a)}
  in
    if #left == 0 then [p]
    else
      let far = points[max_index(areas)]
      in flatten({side(left, a, b) : a in [p, far]; b in [far, q]});

function cell(x, side) = min(trunc(x * float(side)), side - 1);

% The squares of the distances of the eight points nearest to one, and their numbers, from the cells around it; from more cells if
  a point in another one could be nearer. %
function near((x, y), cells, side, around) =
  let rows = [max(cell(x, side) - around, 0) : min(cell(x, side) + around + 1, side)];
      columns = [max(cell(y, side) - around, 0) : min(cell(y, side) + around + 1, side)];
      others = flatten({flatten(cells -> {i * side + j : j in columns}) : i in rows});
      squares = {(px - x) * (px - x) + (py - y) * (py - y) : (id, px, py) in others};
      places = rank(squares);
      within = float(around) / float(side);
      inside = count({s <= within * within : s in squares})
  in if inside >= 8 or around >= side
     then dist((0.0, 0), min(8, #others)) <- {(place, s, id) : place in places; s in squares; (id, px, py) in others | place < 8}
     else near((x, y), cells, side, 2 * around);
""")


@function
def distances(graph):
    """search(graph, dist(-1, #graph) <- [(0, 0)], [0], 1)"""


@function
def hull(points):
    """let xs = {x : (x, y) in points};
           leftmost = points[min_index(xs)];
           rightmost = points[max_index(xs)]
       in side(points, leftmost, rightmost) ++ side(points, rightmost, leftmost)"""


@function
def nearest(points):
    """let n = #points;
           side = max(1, isqrt(n / 3));
           numbers = {cell(x, side) * side + cell(y, side) : (x, y) in points};
           places = rank(numbers);
           counts = write_with('+, dist(0, side * side), {(c, 1) : c in numbers});
           cells = partition(permute({(id, x, y) : (x, y) in points; id in index(n)}, places), counts)
       in {{(sqrt(s), id) : (s, id) in near(p, cells, side, 1)} : p in points}"""


@function
def groups(pairs):
    """{(key, sum(values), #values, max_val(values)) : (key, values) in int_collect(pairs)}"""


@function
def words(lines):
    """{let blanks = {i : c in line; i in index(#line) | char_code(c) == 32}
        in {end - begin - 1 : begin in [-1] ++ blanks; end in blanks ++ [#line] | end - begin > 1} : line in lines}"""


OPERATIONS = {name: (lambda compute: lambda given: compute(*given))(compute) for name, compute in {
    "chain_2": chain(1), "chain_8": chain(4), "chain_32": chain(16), "chain_sum": chain_sum, "keep": keep, "argmax": argmax_rows,
    "sort": sort_rows, "sum": sum_rows, "mean": mean_rows, "normalise": normalise, "top_three": top_three, "histogram": histogram_rows,
    "multiply": multiply, "distances": distances, "hull": hull, "nearest": nearest, "groups": groups, "words": words,
}.items()}


def collect(operation, given, result):
    if operation == "nearest":
        return [result.data.columns[0]]
    if operation == "histogram":
        return [result.data]
    if isinstance(result, nesl.Tuples):
        return list(result.columns)
    return [result.offsets, result.data] if isinstance(result, nesl.Jagged) else [result]
