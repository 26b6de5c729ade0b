"""Types of NESL as trees, and which ints of arguments a function takes as floats.

A tree is ("[", element), ("(", part, part, ...), ("->", parameter, result), or the text of any other type: int, point.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Union

Tree = Union[str, tuple["Tree", ...]]

_TOKEN = re.compile(r"\s*(\[|\]|\(|\)|,|->|::.*|\w+)")
_SCALARS = frozenset({"int", "float", "bool", "char"})


def parse(text: str) -> Tree:
    """The tree of a type. What follows a `::` is left out."""
    tokens = [token for token in _TOKEN.findall(text) if not token.startswith("::")]
    return _Parser(tokens).function()


class _Parser:
    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._next = 0

    def _take(self) -> str:
        self._next += 1
        return self._tokens[self._next - 1]

    def _at(self, token: str) -> bool:
        return self._next < len(self._tokens) and self._tokens[self._next] == token

    def function(self) -> Tree:
        left = self._simple()
        if not self._at("->"):
            return left
        self._take()
        return ("->", left, self.function())

    def _simple(self) -> Tree:
        token = self._take()
        if token == "[":
            element = self.function()
            self._take()
            return ("[", element)
        if token == "(":
            parts = self._parts()
            return parts[0] if len(parts) == 1 else ("(", *parts)
        if not self._at("("):
            return token
        self._take()
        return f"{token}({', '.join(map(text_of, self._parts()))})"  # a datatype with arguments

    def _parts(self) -> list[Tree]:
        parts = [self.function()]
        while self._take() == ",":
            parts.append(self.function())
        return parts


def text_of(tree: Tree) -> str:
    if isinstance(tree, str):
        return tree
    if tree[0] == "[":
        return f"[{text_of(tree[1])}]"
    if tree[0] == "->":
        return f"({text_of(tree[1])} -> {text_of(tree[2])})"
    return f"({', '.join(map(text_of, tree[1:]))})"


def parameters_of(function: Tree, count: int) -> list[Tree]:
    """The types of `count` arguments of a function; [] if it cannot have so many, or is no function."""
    if isinstance(function, str) or function[0] != "->":
        return []
    whole = function[1]
    parts = list(whole[1:]) if count > 1 and whole[0] == "(" else [whole]
    if len(parts) > count > 1:
        parts[count - 1:] = [("(", *parts[count - 1:])]
    return parts if len(parts) == count else []


def widened(arguments: Sequence[str], function: str) -> list[str]:
    """The types of arguments with float in place of int where a function of that type needs floats: where it has float,
    or a type variable that stands for floats elsewhere. [] if that changes nothing, or does not suffice."""
    given = [parse(argument) for argument in arguments]
    variables: dict[str, Tree | None] = {}
    parameters = parameters_of(parse(function), len(given))
    if not parameters:
        return []
    for parameter, argument in zip(parameters, given):
        _note_variables(parameter, argument, variables)
    wide = [text_of(_widened(parameter, argument, variables)) for parameter, argument in zip(parameters, given)]
    return [] if wide == [text_of(argument) for argument in given] else wide


def _same_shape(one: Tree, other: Tree) -> bool:
    return not isinstance(one, str) and not isinstance(other, str) and one[0] == other[0] and len(one) == len(other)


def _note_variables(parameter: Tree, argument: Tree, variables: dict[str, Tree | None]) -> None:
    """Joins the types that stand for each variable; None if they have no joint type."""
    if isinstance(parameter, str):
        if parameter not in _SCALARS:
            known = variables.get(parameter, argument)
            variables[parameter] = None if known is None else _joint(known, argument)
    elif _same_shape(parameter, argument):
        for part, given in zip(parameter[1:], argument[1:]):
            _note_variables(part, given, variables)


def _joint(one: Tree, other: Tree) -> Tree | None:
    """The type with floats wherever one of the two types has an int and the other a float."""
    if one == other:
        return one
    if {one, other} == {"int", "float"}:
        return "float"
    if not _same_shape(one, other):
        return None
    parts = [_joint(a, b) for a, b in zip(one[1:], other[1:])]
    return None if None in parts else (one[0], *parts)


def _widened(parameter: Tree, argument: Tree, variables: dict[str, Tree | None]) -> Tree:
    if isinstance(parameter, str):
        if parameter in _SCALARS:
            return "float" if (parameter, argument) == ("float", "int") else argument
        return variables.get(parameter) or argument
    if not _same_shape(parameter, argument):
        return argument
    return (parameter[0], *[_widened(part, given, variables) for part, given in zip(parameter[1:], argument[1:])])
