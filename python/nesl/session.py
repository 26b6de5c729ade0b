"""Sessions, the functions in them, and the session whose scopes nesl.load() and nesl.define() use."""

from __future__ import annotations

import contextlib
import inspect
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any

from . import _nesl
from .conversion import decode, encode
from .errors import ArgumentError


class Function:
    """A NESL function. It is compiled for the types of the arguments when they first occur."""

    def __init__(self, session: Session, name: str) -> None:
        self._session = session
        self._name = name
        self._compiled: dict[tuple[str, ...], _nesl.Function] = {}
        self._generation = session._generation
        self.__name__ = name

    def __call__(self, *arguments: Any) -> Any:
        session = self._session
        values = self._encode(arguments)
        if self._generation != session._generation:  # the name may mean something else by now
            self._compiled.clear()
            self._generation = session._generation
        types = tuple([value.type for value in values])
        compiled = self._compiled.get(types)
        if compiled is None:
            compiled = self._compiled[types] = session._native.lookup(self._name, ", ".join(types))
        return decode(compiled(values))

    def explain(self, *arguments: Any) -> str:
        """For arguments of these types: what fusion makes kernels of, and of what not and why, below the operations. ""
        if there are none on vectors."""
        return self._session._native.explain(self._name, ", ".join(value.type for value in self._encode(arguments)))

    def _encode(self, arguments: tuple[Any, ...]) -> list[_nesl.Value]:
        if not arguments:
            raise ArgumentError(f"{self._name} takes arguments, but is given none")
        session = self._session
        values: list[_nesl.Value] = []
        for argument in arguments:
            try:
                values.append(encode(session._native, argument))
            except ArgumentError as error:
                raise type(error)(f"argument {len(values) + 1} of {self._name}: {error.message}") from None
            except RecursionError:
                raise ArgumentError(f"argument {len(values) + 1} of {self._name}: lists are nested too deep") from None
        return values

    def __repr__(self) -> str:
        return f"<NESL function {self._name}>"


class Namespace:
    """What a session has: its functions as attributes, names.quicksort, its variables as items, names["x"]. Iterating gives
    the names that its texts have defined, in their order."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def __iter__(self) -> Iterator[str]:
        return iter(self._session._native.names())

    def __len__(self) -> int:
        return len(self._session._native.names())

    def __contains__(self, name: object) -> bool:
        return name in self._session._native.names()

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self]

    def __repr__(self) -> str:
        return f"<NESL namespace: {', '.join(self)}>"

    def __getattr__(self, name: str) -> Function:
        if name.startswith("_"):
            raise AttributeError(name)
        function = Function(self._session, name)
        self.__dict__[name] = function
        return function

    def __getitem__(self, name: str) -> Any:
        return decode(self._session._native.lookup(name, "")([]))


class Profile:
    """Tables of the operations and functions that ran, the most expensive first: its text, when the with statement has
    ended."""

    text = ""

    def __str__(self) -> str:
        return self.text


class Session:
    """Definitions and variables, a vector library, and its memory; as the prompt of the nesl command.

    A definition replaces an earlier one of the same name. Any thread may use a session, one at a time; different
    sessions do not wait for each other. A session is also a context manager that closes it.

    backend       the vector library: "cpu", "cuda", or "auto" for the best that works
    threads       of a vector library that has several; 0: all processors
    memory        most bytes for vectors and stacks; 0: what the machine has
    stack         most bytes for calls inside each other; 0: a quarter of that
    seed          of random numbers, which begin anew with each call
    sandbox       programs may open no files, start no processes and load no other files
    optimize      the level of optimization, 0 to 2
    int_bits, float_bits  of NESL's numbers, 32 or 64; arrays of these are not copied
    kernel_cache  the folder for compiled kernels, "off" for none; None: the user's
    """

    def __init__(self, *, backend: str = "cpu", threads: int = 0, memory: int = 0, stack: int = 0, seed: int = 0,
                 sandbox: bool = False, optimize: int = 2, int_bits: int = 64, float_bits: int = 64,
                 kernel_cache: str | os.PathLike[str] | None = None) -> None:
        for name, number, bits in (("threads", threads, 31), ("memory", memory, 64), ("stack", stack, 64),
                                   ("seed", seed, 64), ("optimize", optimize, 31), ("int_bits", int_bits, 31),
                                   ("float_bits", float_bits, 31)):
            _require_number(name, number, bits)
        cache = None if kernel_cache is None else os.fspath(kernel_cache)
        self._native = _nesl.Session(backend, threads, memory, stack, seed, bool(sandbox), optimize, int_bits, float_bits, cache)
        self._generation = 0

    def scope(self) -> Session:
        """A session with definitions and variables of its own, which shares all else with this one: the vector library, its
        memory and threads, the seed. It ends with this one, or earlier."""
        scope = Session.__new__(Session)
        scope._native = self._native.open_scope()
        scope._generation = 0
        return scope

    def load(self, file: str | os.PathLike[str]) -> Namespace:
        """Reads the statements of a file: definitions, and assignments, which are computed at once."""
        try:
            self._native.load_file(os.fspath(file))
        finally:
            self._generation += 1  # afterwards, so that no other thread takes an old meaning for a new one
        return Namespace(self)

    def define(self, text: str, name: str | None = None) -> Namespace:
        """Reads the statements of a text, which errors call `name`, or else after the place of the call. The last one needs
        no semicolon."""
        self._read(text, name or _place("define"))
        return Namespace(self)

    def function(self, python_function: Callable[..., Any]) -> Function:
        """Decorator: the NESL function of this name and these parameters, whose body is the docstring. Annotations that
        are strings are the NESL types of parameters."""
        body = inspect.getdoc(python_function)
        name = python_function.__name__
        if not body:
            raise ArgumentError(f"{name} has no docstring, which would be its body in NESL")
        parameters = []
        for parameter in inspect.signature(python_function).parameters.values():
            annotation = parameter.annotation
            typed = isinstance(annotation, str)
            parameters.append(f"{parameter.name} : {annotation}" if typed else parameter.name)
        self._read(f"function {name}({', '.join(parameters)}) =\n{body}", _place(f"function {name}"))
        return Function(self, name)

    def evaluate(self, expression: str) -> Any:
        """The value of a NESL expression. Statements may stand before it."""
        value = self._read(expression, _place("evaluate"))
        if value is None:
            raise ArgumentError(f"{_shortened(expression)} does not end with an expression, whose value would be the result")
        return decode(value)

    def _read(self, text: str, name: str) -> _nesl.Value | None:
        """Reads the statements of a text; the value of the last one, if it is an expression."""
        try:
            return self._native.evaluate(name, text if text.rstrip().endswith((";", "$")) else text + ";")
        finally:
            self._generation += 1  # as above; of a text with errors, what is right has taken effect

    @contextlib.contextmanager
    def profile(self) -> Iterator[Profile]:
        """Measures what the session runs inside of a with statement. Only one can be open; calls take longer meanwhile."""
        profile = Profile()
        self._native.profile_begin()
        try:
            yield profile
        finally:
            profile.text = self._native.profile_end()

    def set_seed(self, seed: int) -> None:
        """Of random numbers in the calls that follow."""
        _require_number("seed", seed, 64)
        self._native.set_seed(seed)

    def cancel(self) -> None:
        """Stops what another thread runs in the session, with nesl.Cancelled."""
        self._native.cancel()

    def close(self) -> None:
        """Waits for the call that runs, and ends the session. Arrays that came from it stay."""
        self._native.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def _require_number(name: str, number: int, bits: int) -> None:
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < 1 << bits:
        raise ArgumentError(f"{name} must be an int from 0 to 2**{bits} - 1, but is {number!r}")


def _place(what: str) -> str:
    """What errors call a text: `what`, and the line of the program that hands it over."""
    frame = sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] == "nesl":
        frame = frame.f_back
    file = frame.f_code.co_filename
    return f"<{what}>" if file.startswith("<") else f"<{what} at {os.path.basename(file)}:{frame.f_lineno}>"


def _shortened(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")


_default: Session | None = None


def default_session() -> Session:
    """The session whose scopes nesl.load(), nesl.define() and the others open; opened itself when it is first used."""
    global _default
    if _default is None:
        _default = Session()
    return _default


def load(file: str | os.PathLike[str]) -> Namespace:
    """Session.load() in a scope of its own of the default session."""
    return default_session().scope().load(file)


def define(text: str) -> Namespace:
    """Session.define() in a scope of its own of the default session."""
    return default_session().scope().define(text)


def evaluate(expression: str) -> Any:
    """Session.evaluate() in a scope of its own of the default session, which ends with it."""
    with default_session().scope() as scope:
        return scope.evaluate(expression)


def profile() -> contextlib.AbstractContextManager[Profile]:
    """Session.profile() of the default session and all its scopes."""
    return default_session().profile()


def function(python_function: Callable[..., Any]) -> Function:
    """Session.function() in a scope of its own of the default session."""
    return default_session().scope().function(python_function)
