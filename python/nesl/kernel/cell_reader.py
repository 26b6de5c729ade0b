"""Cells of notebooks: statements of NESL, and commands that begin with a percent sign, as those of `nesl repl` with a colon."""

from __future__ import annotations

import re
import shlex
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ..errors import ArgumentError, TextError
from ..session import Session
from .value_tables import Bundle, bundle_of

_TYPE, _VCODE, _FUSION = 1, 2, 3  # nesl_property


class CellReader:
    """Runs cells in a session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def read(self, cell: str, name: str) -> Iterator[Bundle]:
        """Runs a cell, which errors call `name`: the values of its statements that are expressions, and the replies of its
        commands, each as soon as it is known."""
        begin = 0
        while (found := _command_at(cell, begin)) is not None:
            end, text = found.end, _blank(cell[:found.begin]) + cell[found.begin:found.end]
            if found.command is None:
                raise TextError(f"there is no command %{found.name}: %help lists all")
            yield from found.command.run(self, text, name)
            begin = end
        yield from self._values(_blank(cell[:begin]) + cell[begin:], name)

    def _values(self, text: str, name: str) -> Iterator[Bundle]:
        return map(bundle_of, self._session._values(text, name))

    def _help(self, text: str, name: str) -> Iterator[Bundle]:
        if text.strip():
            return self._describe(text, name)
        return _shown(_HELP + "".join(f"  %{' '.join([command, use.argument]):<24} {use.summary}\n" for command, use in COMMANDS.items()))

    def _describe(self, text: str, name: str) -> Iterator[Bundle]:
        return _shown(self.description(_word(text)))

    def description(self, name: str) -> str:
        """Type and documentation of a name. Raises TextError if it is undefined."""
        type, documentation, _ = self._session._native.describe(name)
        return "\n".join([f"{name.lower()} : {type}", *(f"  {line.strip()}" for line in documentation.strip().splitlines())])

    def _find(self, text: str, name: str) -> Iterator[Bundle]:
        word, found = _word(text).lower(), []
        for known in sorted(set(self.names())):
            type, documentation, _ = self._session._native.describe(known)
            if word in known or word in documentation.lower():
                found.append(f"{known} : {type}")
        return _shown("\n".join(found) or f"nothing has to do with {word}")

    def names(self) -> list[str]:
        """All names that cells can use."""
        return self._session._native.vocabulary()

    def _load(self, text: str, name: str) -> Iterator[Bundle]:
        self._session.load(_word(text))
        return iter(())

    def _set(self, text: str, name: str) -> Iterator[Bundle]:
        words = text.split()
        if len(words) != 2 or words[0] != "seed" or not words[1].isdecimal():
            raise ArgumentError("%set seed NUMBER sets the seed of random numbers; a kernel has no other settings")
        self._session.set_seed(int(words[1]))
        return iter(())

    def _examine(self, property: int, text: str) -> Iterator[Bundle]:
        told = self._session._native.examine(text.strip().encode(), property)
        return _shown(told.rstrip("\n") or "nothing to fuse: no operation over vectors")

    def _time(self, text: str, name: str) -> Iterator[Bundle]:
        values = self._session._values(text, name)
        seconds = 0.0
        while True:
            begin = time.perf_counter()
            value = next(values, None)
            seconds += time.perf_counter() - begin
            if value is None:
                break
            yield bundle_of(value)
        yield from _shown(f"{_duration(seconds)}, with the time to compile")

    def _profile(self, text: str, name: str) -> Iterator[Bundle]:
        with self._session.profile() as profile:
            yield from self._values(text, name)
        yield from _shown(profile.text.rstrip("\n") or "no operation ran")


class Command(NamedTuple):
    argument: str
    summary: str
    is_line: bool  # its argument is the rest of the line, not of the cell
    run: Callable[[CellReader, str, str], Iterator[Bundle]]


COMMANDS = {
    "apropos": Command("WORD", "names that have to do with something", True, CellReader._find),
    "describe": Command("NAME", "type and documentation of a name", True, CellReader._describe),
    "doc": Command("NAME", "the same", True, CellReader._describe),
    "explain": Command("EXPRESSION", "which operations are fused into kernels, and which not and why", False,
                       lambda reader, text, name: reader._examine(_FUSION, text)),
    "help": Command("", "this text", True, CellReader._help),
    "load": Command("FILE", "reads the statements of a file", True, CellReader._load),
    "profile": Command("STATEMENTS", "where the time goes", False, CellReader._profile),
    "set": Command("seed NUMBER", "the seed of random numbers", True, CellReader._set),
    "time": Command("STATEMENTS", "how long they take", False, CellReader._time),
    "type": Command("EXPRESSION", "its type", False, lambda reader, text, name: reader._examine(_TYPE, text)),
    "vcode": Command("EXPRESSION", "the code that it is compiled to", False, lambda reader, text, name: reader._examine(_VCODE, text)),
}

_HELP = """Statements end with ; and the last of a cell needs none. The values of expressions are shown.

  {x * x : x in [1, 2, 3]};                 in parallel for each element
  v = [3, 1, 2];                            a variable
  function double(x) = 2 * x;               a function
  plot([1, 4, 9], ("title", "x", "y"), "squares.svg");  a plot, which is shown

Tab completes names, Shift-Tab shows their types and documentation. A cell can begin with commands:

"""


class _Found(NamedTuple):
    name: str
    command: Command | None
    begin: int  # of the argument
    end: int


def _command_at(cell: str, begin: int) -> _Found | None:
    """The command that a cell begins with from a position on. A comment, %text%, is none."""
    match = re.compile(r"\s*(?:(%%?|:)([a-z_]+)|(describe|apropos)(?=[ \t]))(?![\w%])", re.IGNORECASE).match(cell, begin)
    if match is None:
        return None
    name = (match[2] or match[3]).lower()
    line_end = cell.find("\n", match.end())
    line_end = len(cell) if line_end < 0 else line_end
    command = COMMANDS.get(name)
    if match[1] and match[1] != ":" and cell.count("%", match.end(), line_end if command else len(cell)) % 2:
        return None
    return _Found(name, command, match.end(), line_end if command is None or command.is_line else len(cell))


def _blank(text: str) -> str:
    """Blanks in the place of a text, so that what follows keeps its line and column."""
    return re.sub(r"[^\n]", " ", text)


def _word(text: str) -> str:
    """The argument of a command: a word, or a string in quotes."""
    try:
        words = shlex.split(text.strip().rstrip(";"))
    except ValueError:
        words = []
    if len(words) != 1:
        raise ArgumentError("the command needs one name" if text.strip() else "the command needs a name")
    return words[0]


def _shown(text: str) -> Iterator[Bundle]:
    return iter([{"text/plain": text}])


def _duration(seconds: float) -> str:
    return f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"
