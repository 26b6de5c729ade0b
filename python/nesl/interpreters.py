"""Refuses subinterpreters, before the extension module is loaded, whose initialization would wait for ever in one."""

import importlib


def require_main_interpreter() -> None:
    """Raises ImportError in an interpreter of the process beside its first one."""
    for name in ("_interpreters", "_xxsubinterpreters"):  # the second before Python 3.13
        try:
            interpreters = importlib.import_module(name)
        except ImportError:
            continue
        if interpreters.get_current() != interpreters.get_main():
            raise ImportError("nesl works in the main interpreter of a process only, and this is a subinterpreter")
        return
