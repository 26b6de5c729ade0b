"""Functions as objects: names of parameters, signatures, documentation, ints for floats."""

import inspect

import numpy as np
import pytest

import nesl

TEXT = """
function scaled(x, a) "Multiplies the elements by a." = {a * y : y in x};
function norm(v) = sqrt(sum({x * x : x in v}));
function lines(points, (dx, dy)) = {(x + dx, y + dy) : (x, y) in points};
function total(rows : [[float]], weights : [float]) : float = sum({sum(row) * w : row in rows; w in weights});
function first((a, b), c) = a;
function twice(x : int) = 2 * x;
datatype point(x : float, y : float);
function moved(p : point, by) = point(p.x + by, p.y + by);
"""


@pytest.fixture(scope="module")
def names():
    return nesl.define(TEXT)


def test_names_of_parameters(names):
    assert names.scaled(a=2.0, x=[1.5]).tolist() == [3.0]
    assert names.scaled([1.5], A=2.0).tolist() == [3.0]
    assert names.lines([(1, 2)], dx=1, dy=2).to_list() == [(2, 4)]
    assert names.lines([(1, 2)], (1, 2)).to_list() == [(2, 4)]
    assert "kernel" in names.scaled.explain(a=2.0, x=np.ones(100))
    for arguments, named, message in [
            ((), {"b": 1, "x": [1]}, "scaled has no parameter b: its parameters are x, a"), (([1],), {"x": [1]}, "given its parameter x twice"),
            ((), {"a": 1}, "given its parameter a, but not x before it")]:
        with pytest.raises(nesl.ArgumentTypeError, match=message):
            names.scaled(*arguments, **named)


def test_descriptions(names):
    assert repr(names.scaled) == "<NESL function scaled : ([a], a) -> [a] :: (a in number)>"
    assert names.scaled.__doc__ == "scaled : ([a], a) -> [a] :: (a in number)\n\nMultiplies the elements by a."
    assert inspect.getdoc(names.norm) == "norm : [float] -> float"
    assert str(inspect.signature(names.scaled)) == "(x: '[a]', a: 'a') -> '[a]'"
    assert str(inspect.signature(names.first)) == "(argument_1: '(a, b)', argument_2: 'c', /) -> 'a'"
    assert inspect.getdoc(nesl.Function).startswith("A NESL function")
    assert repr(names.unknown) == "<NESL function unknown>"
    with pytest.raises(nesl.TextError, match="unknown is undefined"):
        names.unknown.__doc__
    names.scaled(np.ones(2), 1.0)
    session = nesl.Session()
    changed = session.define("function h(x) = x").h
    session.define("function h(y, z) = y + z")
    assert str(inspect.signature(changed)) == "(y: 'a', z: 'a') -> 'a'"


def test_ints_for_floats(names):
    assert names.norm([3, 4]) == 5.0
    assert names.scaled(np.array([1.5]), 2).tolist() == [3.0]
    assert names.scaled(np.array([1, 2]), 0.5).tolist() == [0.5, 1.0]
    assert names.scaled(np.array([1, 2]), 2).dtype == np.int64
    assert names.total([[1], [2, 3]], [1, 2]) == 11.0
    assert names.total(nesl.Jagged(np.array([1, 2]), [0, 1, 2]), np.array([0.5, 1.0])) == 2.5
    assert names.lines([(1, 2.5)], (0.5, 1)).to_list() == [(1.5, 3.5)]
    assert names.lines(nesl.Tuples(np.array([1]), np.array([2])), (0.5, 1)).to_list() == [(1.5, 3)]
    assert names.moved(nesl.Record("point", 1.0, 2.0), 1) == nesl.Record("point", 2.0, 3.0)
    with pytest.raises(nesl.TextError, match="must be int, but is float"):
        names.twice(1.5)
    with pytest.raises(nesl.TextError):
        names.norm("ab")
    with pytest.raises(nesl.TextError):
        names.scaled([True], 1.5)
    with nesl.Session(int_bits=32, float_bits=32) as session:
        assert session.define(TEXT).scaled(np.array([1, 2], dtype="i4"), 0.5).dtype == np.float32


def test_fields_of_records(names):
    point = names.moved(nesl.Record("point", 1.0, 2.0), 1.0)
    assert (point.x, point.y, point.fields) == (2.0, 3.0, ("x", "y")) and {"x", "y"} <= set(dir(point))
    assert names.moved(nesl.Record("point", x=1.0, y=2.0), 1.0) == point
    same = nesl.define("datatype point(x : float, y : float); datatype box(int); function same(x) = x").same
    points = same([nesl.Record("point", x=1.0, y=2.0), point])
    assert points.x.tolist() == [1.0, 2.0] and points[1].y == 3.0 and points[1:].x.tolist() == [2.0] and points.to_list()[0].x == 1.0
    assert same(points[[1, 0]]).x.tolist() == [2.0, 1.0]
    assert same(nesl.Record("box", 1)).fields == ()
    with pytest.raises(AttributeError, match="point has no field z: its fields are x, y"):
        point.z
    with pytest.raises(AttributeError, match="point has no field z: its fields are x, y"):
        points.z
    with pytest.raises(AttributeError, match="Tuples has no field x"):
        nesl.Tuples([1], [2]).x
    with pytest.raises(nesl.ArgumentError, match="the fields of point are x, y, not y, x"):
        same(nesl.Record("point", y=1.0, x=2.0))
    with pytest.raises(nesl.ArgumentError, match="the fields of point are x, y, not a, b"):
        same([nesl.Record("point", a=1.0, b=2.0)])
    with pytest.raises(nesl.ArgumentError, match="element 1 of a list has the fields y, x, not x, y"):
        same([nesl.Record("point", x=1.0, y=2.0), nesl.Record("point", y=1.0, x=2.0)])
    with pytest.raises(nesl.ArgumentError, match="fields with names, or fields without"):
        nesl.Record("point", 1.0, y=2.0)
    with pytest.raises(nesl.ArgumentError, match="2 columns have as many names, not 1"):
        nesl.Tuples([1], [2], fields=["x"])


def test_tracebacks_for_notebooks(names):
    with pytest.raises(nesl.Error) as caught:
        nesl.evaluate("[1, 2][7]")
    lines = caught.value._render_traceback_()
    assert lines[0].strip().startswith("File ") and "test_functions.py" in lines[0] and "session.py" not in "".join(lines)
    assert len(lines) <= 4  # from Python 3.13 on a line marks the call
    assert lines[-1].startswith("RunError: <evaluate at test_functions.py:") and "index 7" in lines[-1]
