"""Types of columns: those of NESL and of Arrow."""

from __future__ import annotations

from typing import Any

import pyarrow

from .errors import ArgumentError, ArgumentTypeError
from .functions import Function
from .widening import Tree, parse, text_of


def element_type(function: Function, types: list[str]) -> Tree:
    """The type of the elements of the result of a function of columns, whose elements have these types."""
    result = parse(function._result_type([f"[{type}]" for type in types]))
    if isinstance(result, str) or result[0] != "[":
        raise ArgumentError(f"{function.__name__} must return a sequence, with an element for each row, but returns a value of the type "
                            f"{text_of(result)}")
    return result[1]


def arrow_type(tree: Tree, int_bits: int = 64, float_bits: int = 64) -> pyarrow.DataType:
    """The type of Arrow for values of a type of NESL."""
    if tree == "int":
        return pyarrow.int64() if int_bits == 64 else pyarrow.int32()
    if tree == "float":
        return pyarrow.float64() if float_bits == 64 else pyarrow.float32()
    if tree == "bool":
        return pyarrow.bool_()
    if tree == ("[", "char"):
        return pyarrow.large_string()
    if not isinstance(tree, str) and tree[0] == "[":
        return pyarrow.large_list(arrow_type(tree[1], int_bits, float_bits))
    if not isinstance(tree, str) and tree[0] == "(":
        return pyarrow.struct([(str(k), arrow_type(part, int_bits, float_bits)) for k, part in enumerate(tree[1:])])
    raise ArgumentTypeError(f"values of the NESL type {text_of(tree)} cannot be elements of a column: numbers, bools, strings, lists and "
                            "tuples can")


def nesl_type(type: pyarrow.DataType) -> str:
    """The type of NESL of values of a type of Arrow."""
    types = pyarrow.types
    if types.is_integer(type):
        return "int"
    if types.is_floating(type):
        return "float"
    if types.is_boolean(type):
        return "bool"
    if types.is_string(type) or types.is_large_string(type) or type == getattr(pyarrow, "string_view", lambda: None)():
        return "[char]"
    if types.is_dictionary(type):
        return nesl_type(type.value_type)
    if types.is_list(type) or types.is_large_list(type) or types.is_fixed_size_list(type):
        return f"[{nesl_type(type.value_type)}]"
    if types.is_struct(type) and type.num_fields > 0:
        parts = [nesl_type(type.field(k).type) for k in range(type.num_fields)]
        return f"({', '.join(parts)})" if len(parts) > 1 else parts[0]
    raise ArgumentTypeError(f"values of Arrow's type {type} have no NESL type")


def column_of(function: Function, columns: list[Any], type: pyarrow.DataType) -> pyarrow.Array:
    """The result of a function of columns as a column with elements of this type, one for each row."""
    result = function(*columns)
    if len(result) != len(columns[0]):
        raise ArgumentError(f"{function.__name__} must return an element for each row, but returns {len(result)} for {len(columns[0])} rows")
    return pyarrow.array(result).cast(type)
