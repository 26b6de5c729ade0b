"""The examples of docs/python.md."""

import doctest
from pathlib import Path


def test_the_manual():
    result = doctest.testfile(str(Path(__file__).parents[2] / "docs" / "python.md"), module_relative=False)
    assert result.failed == 0
    assert result.attempted > 15
