"""The exceptions of the package: nesl.Error and a class for each kind of error of the library."""

from __future__ import annotations

import os
import traceback
from typing import Any


class Error(Exception):
    """An error of NESL. Its text is the report: location, source line with a caret, values, element, callers.

    message   the message, with the values at fault
    report    the full report, one or several lines
    file      the name of the NESL text; "" if there is no location
    function  the function at the location, or ""
    line, column  the location, from 1 on; 0 if there is none
    path      the index of the element at fault in each apply-to-each around the location, the outermost first
    """

    def __init__(self, message: str, report: str = "", file: str = "", function: str = "", line: int = 0,
                 column: int = 0, path: tuple[int, ...] = ()) -> None:
        super().__init__(message, report, file, function, line, column, path)  # pickle needs all arguments
        self.message = message
        self.report = report or message
        self.file = file
        self.function = function
        self.line = line
        self.column = column
        self.path = path

    def __str__(self) -> str:
        return self.report.strip("\n")

    def _render_traceback_(self) -> list[str]:
        """The lines that IPython shows: the places of the user's programs, without those of this package, and the report."""
        package = os.path.dirname(__file__) + os.sep
        frames = [frame for frame in traceback.extract_tb(self.__traceback__) if not _is_machinery(frame.filename, package)]
        places = [line for entry in traceback.format_list(frames) for line in entry.rstrip("\n").split("\n")]
        return [*places, f"{type(self).__name__}: {self}"]

    @property
    def caret(self) -> str:
        """The source line of the location and the caret below it; "" if there is no location."""
        lines = self.report.split("\n")
        place = f"{self.file}:{self.line}:{self.column}:"
        found = [k for k, line in enumerate(lines) if self.line and line.startswith(place)]
        return "\n".join(lines[found[0] + 1:found[0] + 3]) if found else ""


def _is_machinery(file: str, package: str) -> bool:
    """Whether a file is of this package, or of IPython, which runs the cells of notebooks."""
    folders = file.split(os.sep)
    return file.startswith(package) or "IPython" in folders or "ipykernel" in folders


class ArgumentError(Error, ValueError):
    """An invalid argument: a value that NESL does not have, offsets that descend, a session that has ended."""


class ArgumentTypeError(ArgumentError, TypeError):
    """An argument of a Python type, or with elements of a type, that has no counterpart in NESL."""


class TextError(Error):
    """An error in a NESL text: syntax, types, an unknown name, a file that cannot be read."""


class RunError(Error):
    """An error of a running program: an index out of range, a division by zero, error("...")."""


class ResourceError(Error):
    """A failure of the environment: memory, stack, the vector library."""


class Cancelled(Error):
    """Session.cancel() stopped the run."""


class InternalError(Error):
    """A mistake in the library."""


_CLASSES = {1: ArgumentError, 2: TextError, 3: RunError, 4: ResourceError, 5: Cancelled}  # nesl_error_class


def from_library(kind: int, *parts: Any) -> Error:
    """The exception for an error of the library; the extension calls this."""
    return _CLASSES.get(kind, InternalError)(*parts)
