"""Arrays in memory of a device, and those that other libraries have on the host. The CUDA library on its host executor
(docs/cvl-cuda.md) stands in for a device: its addresses are those of the host with the top bit changed, and the handle of a
stream or an event is a function, which does the work that is waited for."""

import copy
import ctypes
import gc
import os
import pickle
import weakref

import numpy as np
import pytest

import nesl
from nesl import _nesl
from nesl.devices import ForeignArray

TOP = 1 << 63
CUDA = (2, 0)


@pytest.fixture(scope="module")
def device():
    try:
        session = nesl.Session(backend="cuda-host", kernel_cache="off")
    except nesl.ResourceError as error:
        if "NESL_TEST_DEVICES" in os.environ:
            raise
        pytest.skip(f"the package has no library that stands in for a device: {error}")
    with session:
        session.define("function same(x) = x; function twice(x) = {y + y : y in x}; function sums(rows) = {sum(row) : row in rows}; "
                       "function positive(rows) = {{x in row | x > 0} : row in rows}; function split(x) = ({y > 0 : y in x}, (x, #x))")
        yield nesl.Namespace(session)


class OnDevice:
    """An array by rows in memory of the device, `shift` bytes behind an address that is a multiple of 64."""

    def __init__(self, array, shift=0):
        self.array = np.ascontiguousarray(array)
        self.memory = np.zeros(self.array.nbytes + 128, dtype=np.uint8)
        begin = -self.memory.ctypes.data % 64 + shift
        self.content = self.memory[begin:begin + self.array.nbytes].view(self.array.dtype)
        self.content[:] = self.array.reshape(-1)
        self.address = self.content.ctypes.data ^ TOP
        self.stream = None

    def __len__(self):
        return len(self.array)

    def computed_by_stream(self, handle_of):
        """The elements are zeros until the stream is waited for."""
        self.content[:] = 0
        self.work = ctypes.CFUNCTYPE(None)(lambda: self.content.__setitem__(slice(None), self.array.reshape(-1)))
        self.stream = handle_of(ctypes.cast(self.work, ctypes.c_void_p).value)
        return self


class CudaArray(OnDevice):
    changes = {}

    @property
    def __cuda_array_interface__(self):
        return {"shape": self.array.shape, "typestr": self.array.dtype.str, "data": (self.address, False), "strides": None,
                "stream": self.stream, "version": 3, **self.changes}


class Tensor(OnDevice):
    device = CUDA

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, *, stream=None):
        assert stream == 1
        if self.stream:
            self.work()
        code = {"i": 0, "f": 2, "b": 6}[self.array.dtype.kind]
        return _nesl.dlpack_make(self.address, self.array.size, code, 8 * self.array.itemsize, *self.device, self)


def read(array):
    """The elements at the address of an array on the device."""
    count = len(array) * array.dtype.itemsize
    return np.frombuffer((ctypes.c_char * count).from_address(array.address ^ TOP), dtype=array.dtype)


LONG = np.arange(1000.0)


@pytest.mark.parametrize("kind", [CudaArray, Tensor])
@pytest.mark.parametrize("array", [LONG, np.arange(1000), np.arange(1000) % 3 == 0])
def test_arrays_are_not_copied(device, kind, array):
    given = kind(array)
    result = device.same(given)
    assert type(result) is nesl.DeviceArray and result.address == given.address
    assert (result.dtype, result.shape, result.device) == (array.dtype, (1000,), CUDA)
    assert np.asarray(result).tolist() == array.tolist() == result.tolist() == read(result).tolist()
    assert device.same(result).address == given.address


@pytest.mark.parametrize("kind", [CudaArray, Tensor])
def test_results_stay_on_the_device(device, kind):
    result = device.twice(device.twice(kind(LONG)))
    assert read(result).tolist() == (4 * LONG).tolist()
    assert type(device.twice(LONG)) is np.ndarray
    again = device.twice(kind(read(result)))
    described = result.__cuda_array_interface__
    assert described["data"] == (result.address, False) and described["shape"] == (1000,) and described["typestr"] == "<f8"
    assert again[-1] == 8 * 999.0


def test_other_libraries_read_results(device):
    result = device.twice(CudaArray(LONG))
    assert result.__dlpack_device__() == CUDA
    capsule = result.__dlpack__(stream=7)
    type, number, code, bits, lanes, shape, strides, address, owner = _nesl.dlpack_read(capsule)
    assert (type, number, code, bits, lanes, shape, strides, address) == (2, 0, 2, 64, 1, (1000,), None, result.address)
    with pytest.raises(ValueError, match="has been used"):
        _nesl.dlpack_read(capsule)
    alive = weakref.ref(result)
    del result, capsule
    gc.collect()
    assert alive() is not None
    del owner
    gc.collect()
    assert alive() is None
    with pytest.raises(BufferError, match="cuda:0"):
        device.twice(CudaArray(LONG)).__dlpack__(copy=True)
    with pytest.raises(BufferError, match="cuda:0"):
        device.twice(CudaArray(LONG)).__dlpack__(dl_device=(1, 0))


@pytest.mark.parametrize("kind", [CudaArray, Tensor])
def test_work_on_streams_is_waited_for(device, kind):
    given = kind(LONG).computed_by_stream(lambda function: function)
    assert device.twice(given)[999] == 1998.0
    old = CudaArray(LONG)
    old.changes = {"version": 2}  # without streams: the default stream is waited for
    assert device.twice(old)[999] == 1998.0


@pytest.mark.parametrize("kind", [CudaArray, Tensor])
def test_other_alignments_and_lengths(device, kind):
    for count, shift in [(0, 0), (1, 0), (5, 8), (98, 0), (99, 0), (99, 8), (1000, 8), (1000, 32)]:
        given = kind(LONG[:count], shift)
        result = device.same(given)
        assert read(result).tolist() == LONG[:count].tolist()
        assert (result.address == given.address) == (count > 98 and shift == 0)
        assert device.twice(given).tolist() == (2 * LONG[:count]).tolist()


def test_what_is_converted(device):
    for dtype in ("f4", "i2", "u4", ">f8"):
        given = CudaArray(LONG.astype(dtype))
        assert device.twice(given).tolist() == (2 * LONG).tolist()


def test_dimensions_and_rows(device):
    table = np.arange(600.0).reshape(20, 30)
    assert device.sums(CudaArray(table)).tolist() == table.sum(axis=1).tolist()
    data = CudaArray(np.arange(1000) % 7 - 3)
    rows = device.positive(nesl.Jagged(ForeignArray(CUDA, data.array.dtype, data.address, (1000,), data), [0, 10, 10, 1000]))
    assert type(rows.data) is nesl.DeviceArray and [len(row) for row in rows] == [3, 0, 425]
    assert device.sums(rows).tolist() == [int(row.sum()) for row in rows]
    signs, same, count = device.split(data)
    assert signs.dtype == bool and read(signs).sum() == 428 and same.address == data.address and count == 1000
    columns = device.same(nesl.Tuples(CudaArray(LONG), CudaArray(np.arange(1000)))).columns
    assert [type(column) for column in columns] == [nesl.DeviceArray] * 2


def test_lists_of_arrays(device):
    assert device.sums([CudaArray(LONG), Tensor(LONG[:7]), LONG[:3], device.same(CudaArray(LONG[:2]))]).tolist() == [499500.0, 21.0, 3.0, 1.0]


def test_loans_end(device):
    given = CudaArray(LONG)
    alive = weakref.ref(given)
    result = device.same(given)
    del given
    gc.collect()
    assert alive() is not None and result[999] == 999.0
    del result
    gc.collect()
    assert alive() is None


def test_results_as_objects(device):
    result = device.twice(CudaArray(LONG))
    assert len(result) == 1000 and result[2:4].tolist() == [4.0, 6.0]
    assert np.add(result, 1)[3] == 7.0
    assert repr(device.twice(CudaArray(LONG[:3]))) == "DeviceArray([0., 2., 4.], device='cuda:0')"
    again = pickle.loads(pickle.dumps(result))
    assert type(again) is np.ndarray and again[999] == 1998.0
    assert np.asarray(result, dtype=np.float32).dtype == np.float32
    with pytest.raises(ValueError):
        np.asarray(result)[0] = 1.0  # only read
    moved = device._session.to_device((LONG, [1, 2, 3]))
    assert [type(part) for part in moved] == [nesl.DeviceArray] * 2 and read(moved[1]).tolist() == [1, 2, 3]


def test_other_sessions(device):
    result = device.twice(CudaArray(LONG))
    scope = device._session.scope()
    assert scope.define("function same(x) = x").same(result).address == result.address
    with nesl.Session(backend="cuda-host", kernel_cache="off") as other:
        same = other.define("function same(x) = x").same
        assert same(result).address == result.address
        alive = weakref.ref(result)
        kept = same(result)
        del result
        gc.collect()
        assert alive() is not None and kept[999] == 1998.0
    with pytest.raises(nesl.ArgumentTypeError, match='in memory of the device cuda:0, and .* open the session with backend="cuda"'):
        nesl.define("function same(x) = x").same(device.twice(CudaArray(LONG)))


def test_forks(device):
    result = device.twice(CudaArray(LONG))
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            result.address
        except nesl.ArgumentError as error:
            os.write(writer, error.message.encode())
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reader, 1000).startswith(b"an array on a device cannot be used in a forked process")


@pytest.mark.parametrize("changes, message", [
    ({"strides": (16,)}, "gaps between its elements"),
    ({"shape": ()}, "has no dimensions"),
    ({"mask": object()}, "mask"),
    ({"typestr": "<c16"}, "array of complex128 has no NESL value"),
    ({"data": (64, False)}, "not in memory of the device"),
    ({"shape": (1 << 62,)}, "memory has no addresses"),
])
def test_bad_arrays(device, changes, message):
    given = CudaArray(LONG)
    given.changes = changes
    with pytest.raises(nesl.ArgumentError, match=f"argument 1 of same: .*{message}"):
        device.same(given)


def test_bad_tensors(device):
    for where, message in [((2, 1), "in memory of the device cuda:1, and .* cuda:0: copy"), ((7, 0), "vulkan:0"), ((99, 3), "type 99:3")]:
        given = Tensor(LONG)
        given.device = where
        with pytest.raises(nesl.ArgumentTypeError, match=message):
            device.same(given)

    class Refusing(Tensor):
        def __dlpack__(self, **arguments):
            raise BufferError("the tensor requires a gradient")

    with pytest.raises(nesl.ArgumentTypeError, match="type Refusing cannot be read: the tensor requires a gradient"):
        device.same(Refusing(LONG))

    class Half(Tensor):
        def __dlpack__(self, **arguments):
            return _nesl.dlpack_make(self.address, 10, 4, 16, *CUDA, self)

    with pytest.raises(nesl.ArgumentTypeError, match="type 4 with 16 bits"):
        device.same(Half(LONG))


# --- Arrow --------------------------------------------------------------------------------------------------------


class Column:
    """A tree (format, name, length, buffers, children) as an array of Arrow on the device; buffers are of OnDevice."""

    def __init__(self, *node):
        self.node = node

    def __arrow_c_device_array__(self, requested_schema=None, **arguments):
        return _nesl.arrow_device_capsules(self.placed(self.node), *CUDA)

    def placed(self, node):
        format, name, length, buffers, children = node
        pairs = tuple(None if buffer is None else (buffer.address, buffer) for buffer in buffers)
        return format, name, length, pairs, tuple(map(self.placed, children))


def test_columns_of_arrow(device):
    data = OnDevice(LONG)
    result = device.same(Column("+L", "", 2, (None, OnDevice(np.array([0, 300, 1000]))), (("g", "", 1000, (None, data), ()),)))
    assert result.offsets.tolist() == [0, 300, 1000] and result.data.address == data.address
    small = device.same(Column("+l", "", 1, (None, OnDevice(np.array([2, 4], dtype="i4"))), (("l", "", 9, (None, OnDevice(np.arange(9))), ()),)))
    assert small.to_list() == [[2, 3]]
    bits = OnDevice(np.packbits(np.arange(300) % 2 == 0, bitorder="little"))
    flags, numbers = device.same(Column("+s", "", 300, (None,), (("b", "f", 300, (None, bits), ()),
                                                                  ("s", "n", 300, (None, OnDevice(np.arange(300, dtype="i2"))), ())))).columns
    assert flags.tolist() == [k % 2 == 0 for k in range(300)] and numbers.tolist() == list(range(300))
    texts = Column("u", "", 2, (None, OnDevice(np.array([0, 2, 3], dtype="i4")), OnDevice(np.frombuffer(b"abc", dtype="S1"))), ())
    assert device.same(texts) == ["ab", "c"]
    missing = Column("g", "", 9, (OnDevice(np.array([0xFF, 0xFE], dtype="u1")), OnDevice(LONG[:9])), ())
    with pytest.raises(nesl.ArgumentError, match="element 8 is null"):
        device.same(missing)
    with pytest.raises(nesl.ArgumentTypeError, match="copy it to the host first"):
        nesl.define("function same(x) = x").same(Column("g", "", 1000, (None, data), ()))


def test_results_as_columns_of_arrow(device):
    class Again:
        def __init__(self, capsules):
            self.capsules = capsules

        def __arrow_c_device_array__(self, requested_schema=None, **arguments):
            return self.capsules

    data = CudaArray(LONG)
    rows = device.same(nesl.Jagged(ForeignArray(CUDA, LONG.dtype, data.address, (1000,), data), [0, 10, 1000]))
    again = device.same(Again(rows.__arrow_c_device_array__()))
    assert again.data.address == data.address and again.offsets.tolist() == [0, 10, 1000]
    table = nesl.Tuples(rows, device.twice(CudaArray(LONG[:2])))
    read_back = device.same(Again(table.__arrow_c_device_array__()))
    assert read_back.to_list() == table.to_list()
    assert device.same(Again(device.twice(data).__arrow_c_device_array__()))[999] == 1998.0
    with pytest.raises(nesl.ArgumentTypeError, match="bools are bytes"):
        device.split(CudaArray(np.arange(1000)))[0].__arrow_c_device_array__()
    host = nesl.Jagged(np.arange(3), [0, 1, 3])
    assert device.same(Again(host.__arrow_c_device_array__())).to_list() == [[0], [1, 2]]
    copied = nesl.define("function same(x) = x").same(type("Host", (), {"__arrow_c_array__": lambda self: rows.__arrow_c_array__()})())
    assert copied.data.tolist() == LONG.tolist()


# --- the host -----------------------------------------------------------------------------------------------------


class HostTensor:
    """An array of another library, without __array__."""

    def __init__(self, array):
        self.array = array

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, **arguments):
        return self.array.__dlpack__(**arguments)


def test_tensors_of_the_host():
    same = nesl.define("function same(x) = x").same
    for array in (LONG.copy(), np.arange(1000), np.arange(600.0).reshape(20, 30)):
        result = same(HostTensor(array))
        elements = result.data if isinstance(result, nesl.Jagged) else result
        assert elements.ctypes.data == array.ctypes.data and elements.tolist() == array.reshape(-1).tolist()
    assert same(HostTensor(np.arange(10, dtype="f4"))).tolist() == list(range(10))
    assert same([HostTensor(np.arange(3)), HostTensor(np.arange(2))]).to_list() == [[0, 1, 2], [0, 1]]

    class Refusing(HostTensor):
        def __dlpack__(self, **arguments):
            raise BufferError("the tensor requires a gradient")

    with pytest.raises(nesl.ArgumentTypeError, match="the tensor requires a gradient"):
        same(Refusing(LONG))
    with pytest.raises(nesl.ArgumentTypeError, match='cuda:0.* open the session with backend="cuda"'):
        same(Tensor(LONG))
    with pytest.raises(nesl.ArgumentTypeError, match="cuda:0"):
        same(CudaArray(LONG))
    with pytest.raises(nesl.ArgumentError, match='memory of the host: open it with backend="cuda"'):
        nesl.default_session().to_device(LONG)


@pytest.mark.parametrize("library", ["torch", "jax.numpy"])
def test_libraries_with_tensors(library):
    module = pytest.importorskip(library)
    same = nesl.define("function same(x) = x; function twice(x) = {y + y : y in x}")
    tensor = module.asarray(np.arange(1000, dtype=np.int32))
    assert same.twice(tensor).tolist() == list(range(0, 2000, 2))
    if library == "torch":
        tensor = module.arange(1000, dtype=module.float64)
        assert same.same(tensor).ctypes.data == tensor.data_ptr()
        with pytest.raises(nesl.ArgumentTypeError, match="grad"):
            same.same(tensor.requires_grad_())
        assert (module.asarray(copy.copy(same.twice(tensor.detach()))) == 2 * tensor).all()
