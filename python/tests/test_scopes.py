"""Name spaces: what a text defines is its own; the values of texts, and the names and texts that errors tell."""

import gc
import inspect
import os
import weakref

import numpy as np
import pytest

import nesl


@pytest.fixture
def session():
    with nesl.Session() as session:
        yield session


def line():
    """The place of the caller, as errors name it."""
    frame = inspect.currentframe().f_back
    return f"{os.path.basename(__file__)}:{frame.f_lineno}"


def test_texts_do_not_change_each_other(tmp_path):
    one = nesl.define("size = 1; function h(x) = x + size")
    two = nesl.define("size = 10; function h(x) = x + size")
    file = tmp_path / "f.nesl"
    file.write_text("function h(x) = x * 100;")
    three = nesl.load(file)

    @nesl.function
    def h(x):
        """x - 1"""

    assert (one.h(1), two.h(1), three.h(1), h(1)) == (2, 11, 100, 0)
    assert (one["size"], two["size"]) == (1, 10)
    for names in (three, nesl.define("")):
        with pytest.raises(nesl.TextError, match="size is undefined"):
            names["size"]
    with pytest.raises(nesl.TextError, match="h is undefined"):
        nesl.evaluate("h(1)")


def test_the_library_stays_for_others():
    mine = nesl.define("function sort(x) = 5")
    assert mine.sort(1) == 5
    assert nesl.evaluate("sort([3, 1, 2])").tolist() == [1, 2, 3]
    assert nesl.define("function h(x) = sort(x)").h([2, 1]).tolist() == [1, 2]
    assert nesl.default_session().evaluate("sort([3, 1])").tolist() == [1, 3]


def test_a_session_is_shared(session):
    one = session.define("size = 1; function h(x) = x + size")
    session.define("function g(x) = h(x) + size; size = 5")
    assert session.evaluate("g(1)") == 11
    assert one["size"] == 5
    assert list(one) == ["size", "h", "g"]


def test_scopes_of_a_session(session):
    session.define("x = 1")
    scope = session.scope()
    with pytest.raises(nesl.TextError, match="x is undefined"):
        scope.evaluate("x")
    scope.define("datatype point(x : float, y : float)")
    assert nesl.Session().scope().evaluate("1 + 1") == 2
    value = scope.evaluate("{point(x, 2.0 * x) : x in [1.0, 2.0]}")
    other = session.scope().define("datatype point(x : float, y : float); function xs(points) = {p.x : p in points}")
    assert other.xs(value).tolist() == [1.0, 2.0]
    wrong = session.scope().define("datatype point(x : int); function xs(points : [point]) = {p.x : p in points}")
    with pytest.raises(nesl.Error, match="point"):
        wrong.xs(value)
    session.close()
    with pytest.raises(nesl.ArgumentError, match="ended"):
        scope.evaluate("1")


def test_a_scope_ends_with_its_names():
    names = nesl.define("function same(x) = x")
    native = weakref.ref(names._session)
    result = names.same(np.arange(1000))
    del names
    gc.collect()
    assert native() is None
    assert result[999] == 999


def test_names_are_listed(session):
    names = nesl.define("function h(x) = x; (a, b) = (1, 2); datatype point(x : float, y : float); 1 + 1; h(a)")
    assert list(names) == ["h", "a", "b", "point"]
    assert len(names) == 4 and "h" in names and "sort" not in names and 5 not in names
    assert {"h", "a", "point"} <= set(dir(names))
    assert repr(names) == "<NESL namespace: h, a, b, point>"
    assert list(nesl.define("")) == []


@pytest.mark.parametrize("text", ["", ";", "  ", "x = 3", "function h(x) = x", "1; y = 2", "% nothing %"])
def test_texts_without_a_value(session, text):
    session.evaluate("1 + 1")
    for evaluate in (session.evaluate, nesl.evaluate):
        with pytest.raises(nesl.ArgumentError, match="does not end with an expression"):
            evaluate(text)


def test_values_of_texts(session):
    assert session.evaluate("x = 3; x + 1") == 4
    assert session.evaluate("x + 1;") == 4
    assert session.evaluate("it") == 4
    with pytest.raises(nesl.ArgumentError, match="a function"):
        session.evaluate("sort")


def test_errors_have_their_own_name_and_text():
    one = nesl.define("function h(a) = a[7]"); where_one = line()
    two = nesl.define("function h(a) = {x : x in a}[8]"); where_two = line()

    @nesl.function
    def h(a):
        """a[9]"""

    for function, name, text in ((one.h, f"<define at {where_one}>", "a[7]"), (two.h, f"<define at {where_two}>", "{x : x in a}[8]")):
        with pytest.raises(nesl.RunError) as caught:
            function([1, 2])
        assert caught.value.file == name
        assert caught.value.caret.split("\n")[0] == f"  function h(a) = {text};"
    with pytest.raises(nesl.RunError) as caught:
        h([1])
    assert caught.value.file.startswith(f"<function h at {os.path.basename(__file__)}:")
    assert caught.value.caret.split("\n")[0].strip() == "a[9];"
    with pytest.raises(nesl.RunError) as caught:
        nesl.evaluate("[1, 2][5]")
    assert caught.value.file == f"<evaluate at {line().split(':')[0]}:{inspect.currentframe().f_lineno - 1}>"
    with pytest.raises(nesl.TextError) as caught:
        nesl.define("function h(x) = y")
    assert caught.value.file.startswith("<define at test_scopes.py:")


def test_texts_of_one_name(session):
    functions = []
    for index in (7, 8):
        functions.append(session.define(f"function h{index}(a) = a[{index}]", "mine.nesl"))
    for index in (7, 8):
        with pytest.raises(nesl.RunError) as caught:
            getattr(functions[0], f"h{index}")([1])
        assert caught.value.file == "mine.nesl"
        assert caught.value.caret.split("\n")[0] == f"  function h{index}(a) = a[{index}];"


def test_programs_without_a_file():
    space = {"nesl": nesl}
    exec("names = nesl.define('function h(a) = a[7]')", space)
    with pytest.raises(nesl.RunError) as caught:
        space["names"].h([1])
    assert caught.value.file == "<define>"


def test_profiles_have_all_scopes():
    summed = nesl.define("function summed(x) = plus_scan(x)").summed
    with nesl.profile() as profile:
        summed(np.ones(1000))
    assert "+_SCAN" in str(profile)
