"""Arrays of NESL's values for libraries of Arrow, by the C data interface, which needs no such library.

https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _nesl
from .errors import ArgumentTypeError

Node = tuple[Any, ...]  # (format, name, length, buffers, children), as _nesl.arrow_capsules reads it

_FORMATS = {"?": "b", "i": "i", "l": "l", "q": "l", "f": "f", "d": "g"}  # of dtype.char


def capsules(node: Node) -> tuple[Any, Any]:
    """The capsules of schema and array for __arrow_c_array__; buffers are shared but for those of bools and strings."""
    schema, array = _nesl.arrow_capsules(node)
    return schema, array


def node_of(value: Any, name: str) -> Node:
    """The node of an array, of a list of strings, or of an object with a method `_arrow_node`."""
    if hasattr(value, "_arrow_node"):
        node: Node = value._arrow_node(name)
        return node
    if isinstance(value, list) and all(isinstance(text, str) for text in value):
        texts = [text.encode("utf-8") for text in value]
        offsets = np.cumsum([0] + [len(text) for text in texts], dtype=np.int64)
        return "U", name, len(texts), (None, offsets, np.frombuffer(b"".join(texts), dtype="S1")), ()
    array = np.ascontiguousarray(value)
    if array.ndim != 1 or array.dtype.char not in _FORMATS:
        raise ArgumentTypeError(f"an array of {array.dtype} of {array.ndim} dimensions has no format in Arrow")
    buffer = np.packbits(array, bitorder="little") if array.dtype.char == "?" else array
    return _FORMATS[array.dtype.char], name, len(array), (None, buffer), ()


def list_node(name: str, offsets: np.ndarray, elements: Node) -> Node:
    """The node of lists, of which list k has the elements from offsets[k] to offsets[k + 1]."""
    return "+L", name, len(offsets) - 1, (None, offsets), (elements,)


def struct_node(name: str, length: int, fields: list[Node]) -> Node:
    """The node of structs, one node a field."""
    return "+s", name, length, (None,), tuple(fields)
