"""NESL in Python: nested data-parallel functions on NumPy arrays. docs/python.md is the manual."""

from .interpreters import require_main_interpreter

require_main_interpreter()

from ._nesl import version as __version__
from .arrays import Char, Record, Strings, Tuples
from .devices import DeviceArray
from .errors import (
    ArgumentError, ArgumentTypeError, Cancelled, Error, InternalError, ResourceError, RunError, TextError,
)
from .functions import Function
from .jagged import Jagged
from .session import Namespace, Profile, Session, default_session, define, evaluate, function, load, profile, show
from .steps import Steps

__all__ = [
    "ArgumentError", "ArgumentTypeError", "Cancelled", "Char", "DeviceArray", "Error", "Function", "InternalError", "Jagged", "Namespace",
    "Profile", "Record", "ResourceError", "RunError", "Session", "Steps", "Strings", "TextError", "Tuples", "__version__",
    "default_session", "define", "evaluate", "function", "load", "profile", "show",
]

def load_ipython_extension(shell: object) -> None:
    """For %load_ext nesl: the cell magic %%nesl."""
    from .notebook import load_magic

    load_magic(shell)
