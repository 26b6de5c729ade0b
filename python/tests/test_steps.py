"""nesl.show: the steps of an expression, as text and as a page."""

import pytest

import nesl


def test_text_and_page(tmp_path):
    steps = nesl.show("{sum(row) : row in [[1, 2], [], [3]]}")
    assert "     [3, 0, 3] : [int]\n     for 3 instances at once\n" in str(steps)
    assert str(steps).endswith("it = [3, 0, 3] : [int]\n")
    assert steps._repr_html_().startswith('<div class="nesl-show">')
    assert steps._repr_html_().count('<section class="step"') == 6
    assert repr(steps).startswith("<steps of {sum(row)")
    steps.save(tmp_path / "page.html")
    assert steps.html in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_names_of_a_session():
    with nesl.Session() as session:
        session.define("function double(v) = {2 * x : x in v}; w = [1, 2]")
        assert "v of double" in str(session.show("double(w)"))
        assert session.evaluate("double(w)").tolist() == [2, 4]


def test_limits():
    steps = nesl.show("{x + 1 : x in [0:1000]}", steps=2, elements=3)
    assert "[0, 1, 2, …] : [int]" in str(steps) and "2 more steps are not shown" in str(steps)
    with pytest.raises(nesl.ArgumentError, match="at least 1"):
        nesl.show("1", steps=0)


def test_errors():
    with pytest.raises(nesl.TextError, match="y is undefined"):
        nesl.show("y + 1")
    with pytest.raises(nesl.RunError, match="out of bounds"):
        nesl.show("[1, 2][5]")
    with pytest.raises(nesl.Error, match="no other statement"):
        nesl.show("1; 2")
