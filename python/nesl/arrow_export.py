"""Arrays of NESL's values for libraries of Arrow, by the C data interface, which needs no such library.

https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _nesl
from .errors import ArgumentTypeError

# (format, name, length, buffers, children), as _nesl.arrow_capsules reads it; buffers may be a nesl.DeviceArray, too
Node = tuple[Any, ...]

FORMATS = {"?": "b", "i": "i", "l": "l", "q": "l", "f": "f", "d": "g"}  # of dtype.char


def capsules(node: Node) -> tuple[Any, Any]:
    """The capsules of schema and array for __arrow_c_array__; buffers are shared but for those of bools and strings."""
    schema, array = _nesl.arrow_capsules(_host_node(node))
    return schema, array


def device_capsules(node: Node) -> tuple[Any, Any]:
    """The capsules of schema and array for __arrow_c_device_array__: on the device on which the node has a buffer, with copies
    there of buffers of the host, which are offsets for the most part; on the host if it has none."""
    first = _device_buffer(node)
    if first is None:
        schema, array = _nesl.arrow_device_capsules(node, 1, -1)
    else:
        schema, array = _nesl.arrow_device_capsules(_device_node(node, first), *first.device)
    return schema, array


def _is_on_device(buffer: Any) -> bool:
    return hasattr(buffer, "__cuda_array_interface__")


def _host_node(node: Node) -> Node:
    format, name, length, buffers, children = node
    arrays = [np.asarray(buffer) if _is_on_device(buffer) else buffer for buffer in buffers]
    if format == "b" and _is_on_device(buffers[1]):
        arrays[1] = np.packbits(arrays[1], bitorder="little")
    return format, name, length, tuple(arrays), tuple(map(_host_node, children))


def _device_buffer(node: Node) -> Any:
    found = [buffer for buffer in node[3] if _is_on_device(buffer)]
    found += [buffer for buffer in map(_device_buffer, node[4]) if buffer is not None]
    return found[0] if found else None


def _device_node(node: Node, first: Any) -> Node:
    """The node with buffers on the device of `first`, as pairs of the address and the owner."""
    format, name, length, buffers, children = node
    if format in ("b", "U"):
        raise ArgumentTypeError("bools and strings have no format of Arrow on a device: bools are bytes there, and strings on the host")
    pairs: list[Any] = []
    for buffer in buffers:
        owner = buffer if buffer is None or _is_on_device(buffer) else first.beside(buffer)
        pairs.append(None if owner is None else (owner.address, owner))
        if owner is not None:
            format = ("+L" if owner.dtype.itemsize == 8 else "+l") if format == "+L" else FORMATS[owner.dtype.char]
    return format, name, length, tuple(pairs), tuple(_device_node(child, first) for child in children)


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
    if array.ndim != 1 or array.dtype.char not in FORMATS:
        raise ArgumentTypeError(f"an array of {array.dtype} of {array.ndim} dimensions has no format in Arrow")
    buffer = np.packbits(array, bitorder="little") if array.dtype.char == "?" else array
    return FORMATS[array.dtype.char], name, len(array), (None, buffer), ()


def list_node(name: str, offsets: np.ndarray, elements: Node) -> Node:
    """The node of lists, of which list k has the elements from offsets[k] to offsets[k + 1]."""
    return "+L", name, len(offsets) - 1, (None, offsets), (elements,)


def struct_node(name: str, length: int, fields: list[Node]) -> Node:
    """The node of structs, one node a field."""
    return "+s", name, length, (None,), tuple(fields)
