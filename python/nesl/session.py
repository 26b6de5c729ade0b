"""Sessions, and the session whose scopes nesl.load() and nesl.define() use."""

from __future__ import annotations

import contextlib
import inspect
import os
import sys
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from . import _nesl
from .conversion import decode, decode_on_device, encode
from .devices import HOST
from .errors import ArgumentError, ArgumentTypeError, Error
from .functions import Function
from .ranks import ranks_of
from .steps import Steps

Text = tuple[str, "str | bytes"]  # the name and the content of a text


class Namespace:
    """The names of a session: functions as attributes, names.quicksort, and variables as items, names["x"]. Iterating gives
    the names that texts of the session have defined, in the order of their first definition."""

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

    def __reduce__(self) -> tuple[Any, ...]:
        return Namespace, (self._session,)


class Profile:
    """A profile: tables of the lines, functions and operations that ran, the most expensive first. `text` is set at the end
    of the with statement."""

    text = ""

    def __str__(self) -> str:
        return self.text


class Session:
    """Definitions and variables, a vector library, and its memory; as the prompt of the nesl command.

    A definition replaces an earlier one of the same name. Any thread may use a session, one at a time; different
    sessions do not wait for each other. A session is also a context manager that closes it. It is pickled as its options
    and the texts with definitions that it has read, which are read again where it is loaded, once for all that is pickled
    of it; so is a session in a forked process, with one thread, when it is used there.

    backend       the vector library: "cpu", "cuda", or "auto" for the best that works
    threads       number of threads of the vector library; 0: one for each processor
    memory        most bytes for vectors and stacks; 0: the memory of the machine
    stack         most bytes for nested calls; 0: a quarter of `memory`
    seed          seed of random numbers, which restart with each call
    sandbox       programs cannot open files, start processes or load other files
    optimize      optimization level, 0 to 2
    int_bits, float_bits  widths of NESL's numbers, 32 or 64; arrays of these widths are not copied
    kernel_cache  folder for compiled kernels; "off": none; None: the user's
    devices       numbers of the GPUs of the vector library, as [0, 1]: vectors are in memory of the first, and pieces of
                  large calls run on the others, too; None: the first. Of several ranks each takes one; None: of all
    comm          a communicator of mpi4py: the session is one of all its ranks, which make the same calls, and each of
                  which passes its part of each array and gets its part of each result; None: of this process alone
    """

    def __init__(self, *, backend: str = "cpu", threads: int = 0, memory: int = 0, stack: int = 0, seed: int = 0,
                 sandbox: bool = False, optimize: int = 2, int_bits: int = 64, float_bits: int = 64,
                 kernel_cache: str | os.PathLike[str] | None = None, devices: Sequence[int] | None = None,
                 comm: Any = None) -> None:
        for name, number, bits in (("threads", threads, 31), ("memory", memory, 64), ("stack", stack, 64),
                                   ("seed", seed, 64), ("optimize", optimize, 31), ("int_bits", int_bits, 31),
                                   ("float_bits", float_bits, 31)):
            _require_number(name, number, bits)
        cache = None if kernel_cache is None else os.fspath(kernel_cache)
        self._options: dict[str, Any] = {
            "backend": backend, "threads": threads, "memory": memory, "stack": stack, "seed": seed, "sandbox": bool(sandbox),
            "optimize": optimize, "int_bits": int_bits, "float_bits": float_bits, "kernel_cache": cache,
            "devices": None if devices is None else ",".join(str(device) for device in devices)}
        self._ranks = ranks_of(comm)
        self._begin(None)

    def _begin(self, parent: Session | None) -> None:
        self._parent = parent  # the session of a scope
        self._texts: list[Text] = []  # those that have defined something
        self._definitions = 0  # how many the library has counted
        self._generation = 0  # rises when names may have changed
        self._is_closed = False
        self._reading = threading.RLock()
        self._native = self._opened()
        self._is_on_device = self._native.device[0] != HOST  # whether the vectors are in memory of a device
        _processes.add(self)

    def _opened(self) -> _nesl.Session:
        if self._parent is not None:
            return self._parent._native.open_scope()
        return _nesl.Session(**{**self._options, **_processes.options(), **self._ranks})

    def __getattr__(self, name: str) -> Any:
        if name != "_native" or "_reading" not in vars(self):
            raise AttributeError(f"a session has no attribute {name}")
        with self._reading:
            if "_native" not in vars(self):  # in a forked process
                if self._is_closed:
                    raise ArgumentError("the session has ended")
                self._native = self._opened()
                self._read_again(self._texts)
            return vars(self)["_native"]

    def _read_again(self, texts: list[Text]) -> None:
        for name, text in texts:
            with contextlib.suppress(Error):  # as when the text was read first: what is right has taken effect
                self._native.evaluate(name, _ended(text))
        self._texts = texts
        self._definitions = self._native.definitions()
        self._generation += 1

    def _encode(self, argument: Any) -> _nesl.Value:
        """The native value of an argument. If one of several ranks has none, this raises an error on all."""
        try:
            return encode(self._native, argument)
        except Exception:
            if self._ranks:
                with contextlib.suppress(Error):
                    self._native.refuse()
            raise

    def scope(self) -> Session:
        """A session with definitions and variables of its own, which shares all else with this one: the vector library, its
        memory and threads, the seed. It ends with this one, or earlier."""
        scope = Session.__new__(Session)
        scope._options = self._options
        scope._ranks = self._ranks
        scope._begin(self)
        return scope

    def __reduce__(self) -> tuple[Any, ...]:
        if self._ranks:
            raise ArgumentTypeError("a session of several ranks cannot be pickled")
        return _session_of, (tuple(sorted(self._options.items())), tuple(self._texts))

    def load(self, file: str | os.PathLike[str]) -> Namespace:
        """Reads the statements of a file: definitions, and assignments, which are computed at once."""
        name = os.fspath(file)
        with self._noting(name, lambda: _content(name)):
            self._native.load_file(name)
        return Namespace(self)

    def define(self, text: str, name: str | None = None) -> Namespace:
        """Reads the statements of a text, which errors call `name`, or else after the place of the call. The last one needs
        no semicolon."""
        self._read(text, name or caller_place("define"))
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
        self._read(f"function {name}({', '.join(parameters)}) =\n{body}", caller_place(f"function {name}"))
        return Function(self, name)

    def evaluate(self, expression: str) -> Any:
        """The value of a NESL expression, which statements may precede."""
        value = self._read(expression, caller_place("evaluate"))
        if value is None:
            raise ArgumentError(f"{_shortened(expression)} does not end with an expression, whose value would be the result")
        return decode(value)

    def show(self, expression: str, *, steps: int = 200, elements: int = 24) -> Steps:
        """Runs an expression and shows, step by step, how it is computed on flat vectors: the first `steps` steps, with the
        first `elements` elements of each vector."""
        if steps < 1 or elements < 1:
            raise ArgumentError("steps and elements are at least 1")
        return Steps(expression, *self._native.show(expression, steps, elements))

    def _read(self, text: str, name: str) -> _nesl.Value | None:
        """Reads the statements of a text; the value of the last one, if it is an expression."""
        with self._noting(name, lambda: text):
            return self._native.evaluate(name, _ended(text))

    def _values(self, text: str, name: str) -> Iterator[_nesl.Value]:
        """Reads the statements of a text one by one: the values of those that are expressions, each before the next statement
        is computed."""
        if "\0" in text:
            raise ArgumentError("the text contains a character with the code 0")
        content = _ended(text).encode("utf-8", "surrogatepass")
        end = 0
        while end < len(content):
            with self._noting(name, lambda: text):
                value, end = self._native.evaluate_next(name, content, end)
            if value is not None:
                yield value

    @contextlib.contextmanager
    def _noting(self, name: str, text: Callable[[], str | bytes]) -> Iterator[None]:
        """Keeps the text that is read in a with statement, if it defines anything."""
        with self._reading:
            try:
                yield
            finally:
                definitions = self._native.definitions()
                if definitions != self._definitions:
                    self._definitions = definitions
                    self._generation += 1  # after the reading, so that no thread takes an old definition for the new one
                    self._texts.append((name, text()))

    @contextlib.contextmanager
    def profile(self) -> Iterator[Profile]:
        """Profiles the runs of the session inside of a with statement. Only one profile can be open; calls take longer while
        it is."""
        profile = Profile()
        self._native.profile_begin()
        try:
            yield profile
        finally:
            profile.text = self._native.profile_end()

    def set_seed(self, seed: int) -> None:
        """Sets the seed of random numbers for later calls."""
        _require_number("seed", seed, 64)
        self._native.set_seed(seed)
        self._options["seed"] = seed

    def cancel(self) -> None:
        """Cancels the call that another thread runs in the session; that call raises nesl.Cancelled."""
        self._native.cancel()

    def to_device(self, value: Any) -> Any:
        """The value with its arrays of numbers in memory of the device of the session, as nesl.DeviceArray."""
        if not self._is_on_device:
            raise ArgumentError('the vectors of the session are in memory of the host: open it with backend="cuda"')
        return decode_on_device(encode(self._native, value))

    def close(self) -> None:
        """Waits for the running call and ends the session. Arrays that it has returned stay valid."""
        self._is_closed = True
        if "_native" in vars(self):
            self._native.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def _require_number(name: str, number: int, bits: int) -> None:
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < 1 << bits:
        raise ArgumentError(f"{name} must be an int from 0 to 2**{bits} - 1, but is {number!r}")


def caller_place(what: str) -> str:
    """The name of a text in errors: `what`, and the line of the Python program that passes the text."""
    frame = sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] == "nesl":
        frame = frame.f_back
    file = frame.f_code.co_filename
    return f"<{what}>" if file.startswith("<") else f"<{what} at {os.path.basename(file)}:{frame.f_lineno}>"


def _ended(text: str | bytes) -> str | bytes:
    """The text with the end of its last statement."""
    if isinstance(text, bytes):
        return text
    return text if text.rstrip().endswith((";", "$")) else text + ";"


def _content(file: str) -> bytes:
    with open(file, "rb") as opened:
        return opened.read()


def _shortened(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")


class _Processes:
    """The sessions of this process, and those that it has of the process that has forked it, whose threads stay behind: they
    open again when they are used."""

    def __init__(self) -> None:
        self._sessions: weakref.WeakSet[Session] = weakref.WeakSet()
        self._have_opened = False  # a session, in this process or before
        self._is_fork = False  # of a process that has opened a session
        os.register_at_fork(after_in_child=self._enter_fork)

    def add(self, session: Session) -> None:
        self._have_opened = True
        self._sessions.add(session)

    def options(self) -> dict[str, int]:
        """The options that all sessions have: one thread where those of oneTBB would not start again."""
        return {"threads": 1} if self._is_fork else {}

    def _enter_fork(self) -> None:
        self._is_fork = self._have_opened
        for session in list(self._sessions):
            session._reading = threading.RLock()
            if not session._is_closed:
                vars(session).pop("_native", None)


_processes = _Processes()
_default: Session | None = None

# Sessions that were pickled: one for each set of options, and scopes of these for the texts, the one used last at the end.
_engines: dict[tuple[Any, ...], Session] = {}
_loaded: OrderedDict[tuple[Any, ...], Session] = OrderedDict()
_MOST_LOADED = 64


def _session_of(options: tuple[Any, ...], texts: tuple[Text, ...]) -> Session:
    """The session that was pickled with these options and texts."""
    key = (options, texts)
    session = _loaded.get(key)
    if session is None or tuple(session._texts) != texts:
        if options not in _engines:
            _engines[options] = Session(**dict(options))
        session = _loaded[key] = _engines[options].scope()
        session._read_again(list(texts))
        if len(_loaded) > _MOST_LOADED:
            _loaded.popitem(last=False)
    _loaded.move_to_end(key)
    return session


def default_session() -> Session:
    """The session in which nesl.load(), nesl.define() and the like open scopes. It is opened on first use."""
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


def show(expression: str, *, steps: int = 200, elements: int = 24) -> Steps:
    """Session.show() in a scope of its own of the default session, which ends with it."""
    with default_session().scope() as scope:
        return scope.show(expression, steps=steps, elements=elements)


def profile() -> contextlib.AbstractContextManager[Profile]:
    """Session.profile() of the default session and all its scopes."""
    return default_session().profile()


def function(python_function: Callable[..., Any]) -> Function:
    """Session.function() in a scope of its own of the default session."""
    return default_session().scope().function(python_function)
