"""The exceptions of the package: nesl.Error and a class for each kind of error of the library."""

from __future__ import annotations

from typing import Any


class Error(Exception):
    """What went wrong in NESL. As text it is the report: place, source line with a caret, values, element, callers.

    message   what is wrong, with the values at fault
    report    all that is known, in lines
    file      the name of the NESL text; "" if there is no place
    function  the function of the place, or ""
    line, column  of the place, from 1 on; 0 if there is none
    path      the element at fault in each apply-to-each around the place, the outermost first
    """

    def __init__(self, message: str, report: str = "", file: str = "", function: str = "", line: int = 0,
                 column: int = 0, path: tuple[int, ...] = ()) -> None:
        super().__init__(message, report, file, function, line, column, path)  # all of it, for pickle
        self.message = message
        self.report = report or message
        self.file = file
        self.function = function
        self.line = line
        self.column = column
        self.path = path

    def __str__(self) -> str:
        return self.report.strip("\n")

    @property
    def caret(self) -> str:
        """The source line of the place and the caret below it; "" if there is no place."""
        lines = self.report.split("\n")
        place = f"{self.file}:{self.line}:{self.column}:"
        found = [k for k, line in enumerate(lines) if self.line and line.startswith(place)]
        return "\n".join(lines[found[0] + 1:found[0] + 3]) if found else ""


class ArgumentError(Error, ValueError):
    """What was handed over: a value that NESL does not have, ragged offsets, a session that has ended."""


class ArgumentTypeError(ArgumentError, TypeError):
    """A value of a Python type, or with elements of a type, that NESL has nothing for."""


class TextError(Error):
    """A NESL text: syntax, types, an unknown name, a file that cannot be read."""


class RunError(Error):
    """A program while it ran: an index out of range, a division by zero, error("...")."""


class ResourceError(Error):
    """What a program runs on: memory, stack, the vector library."""


class Cancelled(Error):
    """Session.cancel() stopped the run."""


class InternalError(Error):
    """A mistake in the library."""


_CLASSES = {1: ArgumentError, 2: TextError, 3: RunError, 4: ResourceError, 5: Cancelled}  # nesl_error_class


def from_library(kind: int, *parts: Any) -> Error:
    """The exception for an error of the library; the extension calls this."""
    return _CLASSES.get(kind, InternalError)(*parts)
