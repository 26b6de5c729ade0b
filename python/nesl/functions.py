"""Functions of a session as callable objects."""

from __future__ import annotations

import contextlib
import inspect
import keyword
from collections.abc import Callable
from typing import Any

from . import _nesl
from .conversion import decode, decode_on_device, with_floats
from .devices import is_on_device
from .errors import ArgumentError, ArgumentTypeError, Error, TextError
from .widening import Tree, parameters_of, parse, text_of, widened


class _OfInstances:
    """An attribute that instances compute, and for which the class has a value of its own."""

    def __init__(self, compute: Callable[[Any], Any], of_class: Any) -> None:
        self._compute = compute
        self._of_class = of_class

    def __get__(self, instance: Any, owner: type) -> Any:
        return self._of_class if instance is None else self._compute(instance)


class Function:
    __doc__ = _OfInstances(lambda function: function._documentation(), """A NESL function, which is compiled for the types of the
    arguments when they first occur. Arguments can have the names of parameters. Ints are taken where the function needs
    floats. A function is pickled as the texts and the options of its session.""")
    __signature__ = _OfInstances(lambda function: function._signature(), None)

    def __init__(self, session: Any, name: str) -> None:
        self._session = session  # a nesl.Session, which this module does not import
        self._name = name
        self._compiled: dict[tuple[str, ...], tuple[_nesl.Function, list[Tree]]] = {}
        self._generation = session._generation
        self.__name__ = name

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        session = self._session
        values = self._encode(arguments, named)
        if self._generation != session._generation:  # the definition may have changed
            self._compiled.clear()
            self._generation = session._generation
        types = tuple([value.type for value in values])
        compiled = self._compiled.get(types)
        if compiled is None:
            compiled = self._compiled[types] = self._compile(types)
        function, wide = compiled
        if wide:
            values = [with_floats(session._native, value, type) for value, type in zip(values, wide)]
        result = function(values)
        if session._is_on_device and (any(map(is_on_device, arguments)) or any(map(is_on_device, named.values()))):
            return decode_on_device(result)
        return decode(result)

    def explain(self, *arguments: Any, **named: Any) -> str:
        """Explains fusion for arguments of these types: the operations on vectors, and below them which of them form
        kernels, which do not, and why. "" if the function has no operations on vectors."""
        types = tuple(value.type for value in self._encode(arguments, named))
        _, wide = self._compile(types)
        return self._session._native.explain(self._name, ", ".join(map(text_of, wide) if wide else types))

    def _compile(self, types: tuple[str, ...]) -> tuple[_nesl.Function, list[Tree]]:
        """The function for arguments of these types, and the types to which these are widened before; [] if they are not."""
        native = self._session._native
        try:
            return native.lookup(self._name, ", ".join(types)), []
        except TextError:
            with contextlib.suppress(TextError):
                wide = widened(types, native.describe(self._name)[0])
                if wide:
                    return native.lookup(self._name, ", ".join(wide)), [parse(type) for type in wide]
            raise

    def _result_type(self, types: list[str]) -> str:
        """The type of the result for arguments of these types."""
        return self._compile(tuple(types))[0].result

    def _encode(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> list[_nesl.Value]:
        if named:
            arguments = self._in_order(arguments, named)
        if not arguments:
            raise ArgumentError(f"{self._name} takes arguments, but is given none")
        values: list[_nesl.Value] = []
        for argument in arguments:
            try:
                values.append(self._session._encode(argument))
            except ArgumentError as error:
                raise type(error)(f"argument {len(values) + 1} of {self._name}: {error.message}") from None
            except RecursionError:
                raise ArgumentError(f"argument {len(values) + 1} of {self._name}: lists are nested too deep") from None
        return values

    def _in_order(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
        """The arguments in the order of the parameters."""
        parameters = self._session._native.describe(self._name)[2]
        rest = {name.lower(): argument for name, argument in named.items()}
        ordered = list(arguments)
        for parameter in parameters[len(arguments):]:
            if parameter not in rest:
                break
            ordered.append(rest.pop(parameter))
        for name in rest:
            if name not in parameters:
                known = f"its parameters are {', '.join(parameters)}" if parameters else "its parameters have no names"
                raise ArgumentTypeError(f"{self._name} has no parameter {name}: {known}")
            if name in parameters[:len(arguments)]:
                raise ArgumentTypeError(f"{self._name} is given its parameter {name} twice")
            raise ArgumentTypeError(f"{self._name} is given its parameter {name}, but not {parameters[len(ordered)]} before it")
        return tuple(ordered)

    def _signature(self) -> inspect.Signature:
        type, _, names = self._session._native.describe(self._name)
        tree = parse(type)
        types = parameters_of(tree, len(names)) if names else _parts_of(tree)
        plain = names and all(name.isidentifier() and not keyword.iskeyword(name) for name in names)
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD if plain else inspect.Parameter.POSITIONAL_ONLY
        parameters = [inspect.Parameter(names[k] if plain else f"argument_{k + 1}", kind, annotation=text_of(part))
                      for k, part in enumerate(types)]
        result = inspect.Signature.empty if isinstance(tree, str) or tree[0] != "->" else text_of(tree[2])
        return inspect.Signature(parameters, return_annotation=result)

    def _documentation(self) -> str:
        type, documentation, _ = self._session._native.describe(self._name)
        return f"{self._name} : {type}\n\n{documentation}".rstrip()

    def __reduce__(self) -> tuple[Any, ...]:
        return Function, (self._session, self._name)

    def __repr__(self) -> str:
        try:
            return f"<NESL function {self._name} : {self._session._native.describe(self._name)[0]}>"
        except Error:
            return f"<NESL function {self._name}>"


def _parts_of(function: Tree) -> list[Tree]:
    """The types of all parameters of a function."""
    whole = function[1] if function[0] == "->" else ()
    return list(whole[1:]) if whole and whole[0] == "(" else [whole] if whole else []
