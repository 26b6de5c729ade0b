"""Arrays in memory of a device, without copies: those of other libraries, by __cuda_array_interface__ and DLPack, and those
of NESL.

https://nvidia.github.io/numba-cuda/user/cuda_array_interface.html, https://data-apis.org/array-api/latest/design_topics/data_interchange.html
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from . import _nesl
from .arrow_export import FORMATS, Node, capsules, device_capsules
from .errors import ArgumentError, ArgumentTypeError

HOST, CUDA = 1, 2  # types of devices in DLPack and Arrow
_READ_BY_NUMPY = frozenset({HOST, 3, 13})  # of the host, pinned, and managed
_NAMES = {2: "cuda", 7: "vulkan", 8: "metal", 10: "rocm", 14: "oneapi"}
_CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}  # of types in DLPack, by dtype.kind
_KINDS = {code: kind for kind, code in _CODES.items()}

Device = tuple[int, int]  # its type and its number


def device_name(device: Device) -> str:
    return f"{_NAMES.get(device[0], f'device of type {device[0]}')}:{device[1]}"


class ForeignArray:
    """Elements of another library in memory of a device, one behind the other; `owner` keeps them alive."""

    def __init__(self, device: Device, dtype: np.dtype, address: int, shape: tuple[int, ...], owner: Any) -> None:
        self.device = device
        self.dtype = dtype
        self.address = address
        self.shape = shape
        self.owner = owner

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, index: slice) -> ForeignArray:
        """The elements of a slice, without a step, of an array of one dimension."""
        begin, end, _ = index.indices(len(self))
        address = self.address + begin * self.dtype.itemsize
        return ForeignArray(self.device, self.dtype, address, (max(end - begin, 0),), self.owner)

    def on_host(self, session: _nesl.Session) -> np.ndarray:
        """A copy."""
        array = np.empty(self.shape, dtype=self.dtype)
        session.copy_to_host(array, self.address)
        return array


class DeviceArray:
    """A result in memory of the device of a session, which other libraries of the process can use without a copy: by
    __cuda_array_interface__, DLPack (torch.from_dlpack, cupy.from_dlpack) and, a column, Arrow's device interface. Nobody may
    write to it. numpy.asarray() copies it to the host, as do indices, which give what they give of that array."""

    ndim = 1

    def __init__(self, value: _nesl.Value, device: Device) -> None:
        self._value = value
        self._process = os.getpid()
        self._host: np.ndarray | None = None
        self.device = device
        self.dtype = value.dtype

    @property
    def address(self) -> int:
        return self.in_process().on_device()[0]

    @property
    def shape(self) -> tuple[int]:
        return self.in_process().on_device()[1:]

    def in_process(self) -> _nesl.Value:
        """The value; an error in a process that was forked, where devices cannot be used."""
        if self._process != os.getpid():
            raise ArgumentError("an array on a device cannot be used in a forked process: copy it to the host before")
        return self._value

    def __len__(self) -> int:
        return self.shape[0]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if self._host is None:
            if copy is False:
                raise ValueError("an array on a device is not one of NumPy without a copy")
            self._host = self.in_process().array()
        found = self._host if dtype is None else self._host.astype(dtype, copy=False)
        return found.copy() if copy and found is self._host else found

    def __getitem__(self, index: Any) -> Any:
        return np.asarray(self)[index]

    def tolist(self) -> list[Any]:
        return np.asarray(self).tolist()

    def __reduce__(self) -> tuple[Any, ...]:
        return np.array, (np.asarray(self),)

    def __repr__(self) -> str:
        return f"DeviceArray({np.array2string(np.asarray(self), separator=', ')}, device={device_name(self.device)!r})"

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        # The flag of arrays that are only read is not set, since PyTorch refuses such arrays.
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (self.address, False), "strides": None,
                "stream": None, "version": 3}

    def __dlpack_device__(self) -> Device:
        return self.device

    def __dlpack__(self, *, stream: Any = None, max_version: Any = None, dl_device: Device | None = None,
                   copy: bool | None = None) -> Any:
        if copy or dl_device not in (None, self.device):
            raise BufferError(f"an array on {device_name(self.device)} is not copied for DLPack")
        return _nesl.dlpack_make(self.address, len(self), _CODES[self.dtype.kind], 8 * self.dtype.itemsize, *self.device, self)

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        return capsules(self._arrow_node(""))

    def __arrow_c_device_array__(self, requested_schema: object = None, **kwargs: object) -> tuple[object, object]:
        return device_capsules(self._arrow_node(""))

    def _arrow_node(self, name: str) -> Node:
        return FORMATS[self.dtype.char], name, len(self), (None, self), ()

    def beside(self, array: np.ndarray) -> DeviceArray:
        """A copy of an array of the host on the same device, with the width of the session."""
        return DeviceArray(self.in_process().session.borrow(array), self.device)


def is_on_device(item: Any) -> bool:
    """Whether a value of Python, or a part of it, is in memory of a device that the host cannot read."""
    if isinstance(item, (np.ndarray, int, float, str)):
        return False
    if isinstance(item, (ForeignArray, DeviceArray)):
        return True
    if isinstance(item, tuple):
        return any(map(is_on_device, item))
    if hasattr(item, "columns") and isinstance(item.columns, tuple):  # Tuples
        return any(map(is_on_device, item.columns))
    if hasattr(item, "offsets") and hasattr(item, "data"):  # Jagged
        return is_on_device(item.data)
    if hasattr(item, "__dlpack_device__"):
        return _device_of(item)[0] not in _READ_BY_NUMPY
    if hasattr(item, "__arrow_c_device_array__"):
        return not getattr(item, "is_cpu", False)  # of pyarrow
    return hasattr(item, "__cuda_array_interface__")


def has_device_interface(item: Any) -> bool:
    return isinstance(item, ForeignArray) or hasattr(item, "__dlpack_device__") or hasattr(item, "__cuda_array_interface__")


def read(session: _nesl.Session, item: Any) -> np.ndarray | ForeignArray | _nesl.Value:
    """An array of the host, elements on the device of the session, or a value of the session, without a copy, of an object
    with an interface for devices. Work of other libraries that computes the elements is waited for."""
    if isinstance(item, DeviceArray):
        value = item.in_process()
        if session.can_use(value):
            return value
        return ForeignArray(on_device_of(session, item.device, item), item.dtype, item.address, item.shape, item)
    if isinstance(item, ForeignArray):
        on_device_of(session, item.device, item)
        return item
    if hasattr(item, "__dlpack_device__"):
        device = _device_of(item)
        if device[0] in _READ_BY_NUMPY:
            return _of_host(item)
        return _of_dlpack(session, item, on_device_of(session, device, item))
    return _of_cuda_array(session, item)


def _device_of(item: Any) -> Device:
    type, number = item.__dlpack_device__()
    return int(type), int(number)


def on_device_of(session: _nesl.Session, device: Device, item: Any) -> Device:
    """The device; an error if the session's vectors are elsewhere."""
    own = session.device
    if own == device:
        return device
    what = f"a value of the type {type(item).__name__} is in memory of the device {device_name(device)}"
    if own[0] == HOST:
        raise ArgumentTypeError(f"{what}, and the vectors of the session in that of the host: copy it to the host first, or open the "
                                'session with backend="cuda"')
    raise ArgumentTypeError(f"{what}, and the vectors of the session in that of {device_name(own)}: copy it there first")


def _of_host(item: Any) -> np.ndarray:
    try:
        return np.from_dlpack(item)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise ArgumentTypeError(f"a value of the type {type(item).__name__} cannot be read: {error}") from None


def _of_dlpack(session: _nesl.Session, item: Any, device: Device) -> ForeignArray:
    legacy_default_stream = 1
    try:
        try:
            capsule = item.__dlpack__(stream=legacy_default_stream, max_version=(1, 0))
        except TypeError:  # of a library that knows no versions
            capsule = item.__dlpack__(stream=legacy_default_stream)
        _, _, code, bits, lanes, shape, strides, address, owner = _nesl.dlpack_read(capsule)
    except (BufferError, RuntimeError, ValueError) as error:
        raise ArgumentTypeError(f"a value of the type {type(item).__name__} cannot be read: {error}") from None
    session.await_stream(legacy_default_stream)  # which the other library has made wait for its work
    if code not in _KINDS or lanes != 1:
        raise ArgumentTypeError(f"an array of DLPack's type {code} with {bits} bits has no NESL value")
    dtype = np.dtype(f"{_KINDS[code]}{bits // 8}")
    _require_rows(item, shape, None if strides is None else tuple(dtype.itemsize * step for step in strides), dtype)
    return ForeignArray(device, dtype, address, shape, owner)


def _of_cuda_array(session: _nesl.Session, item: Any) -> ForeignArray:
    described = item.__cuda_array_interface__
    device = session.device
    if device[0] != CUDA:
        on_device_of(session, (CUDA, 0), item)
    if described.get("mask") is not None:
        raise ArgumentError("an array on a device with a mask may lack elements, and NESL has no missing values: fill it first")
    stream = described.get("stream", 1 if described.get("version", 0) < 3 else None)
    if stream is not None:
        session.await_stream(int(stream))
    shape = tuple(int(length) for length in described["shape"])
    dtype = np.dtype(described["typestr"])
    _require_rows(item, shape, described.get("strides"), dtype)
    return ForeignArray(device, dtype, int(described["data"][0] or 0), shape, item)


def _require_rows(item: Any, shape: tuple[int, ...], strides: tuple[int, ...] | None, dtype: np.dtype) -> None:
    """An error unless the elements are by rows and without gaps."""
    if not shape:
        raise ArgumentTypeError(f"a value of the type {type(item).__name__} on a device has no dimensions: item() makes it a number")
    if strides is None or 0 in shape:
        return
    step = dtype.itemsize
    for length, stride in zip(reversed(shape), reversed(strides)):
        if length > 1 and stride != step:
            raise ArgumentError(f"a value of the type {type(item).__name__} on a device has gaps between its elements, or another order: "
                                "make a contiguous copy first")
        step *= length
