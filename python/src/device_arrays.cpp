#include "device_arrays.h"

#include <pybind11/stl.h>

#include <type_traits>
#include <utility>

// The structures of DLPack; every library declares them itself.
extern "C" {

struct DLDevice {
  int32_t device_type;
  int32_t device_id;
};

struct DLDataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

struct DLTensor {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
};

struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor*);
};

struct DLPackVersion {
  uint32_t major;
  uint32_t minor;
};

struct DLManagedTensorVersioned {
  DLPackVersion version;
  void* manager_ctx;
  void (*deleter)(DLManagedTensorVersioned*);
  uint64_t flags;
  DLTensor dl_tensor;
};
}

namespace nesl_python {

namespace {

// --- DLPack -----------------------------------------------------------------------------------------------------

constexpr const char* kTensor = "dltensor";
constexpr const char* kUsedTensor = "used_dltensor";
constexpr const char* kVersionedTensor = "dltensor_versioned";
constexpr const char* kUsedVersionedTensor = "used_dltensor_versioned";

/// Takes the tensor of a capsule. Returns its description, and a capsule that deletes it.
template <typename Managed>
std::pair<const DLTensor*, py::capsule> taken(const py::capsule& capsule, const char* used) {
  auto* const managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule.ptr(), capsule.name()));
  if constexpr (std::is_same_v<Managed, DLManagedTensorVersioned>)
    if (managed != nullptr && managed->version.major > 1)
      throw py::value_error("the capsule has a version of DLPack that is not known");
  if (managed == nullptr || PyCapsule_SetName(capsule.ptr(), used) != 0) throw py::error_already_set();
  return {&managed->dl_tensor, py::capsule(managed, [](void* owned) {
            auto* const tensor = static_cast<Managed*>(owned);
            if (tensor->deleter != nullptr) tensor->deleter(tensor);
          })};
}

/// The tuple (device type, device number, type code, bits, lanes, shape, strides, address, owner) of a capsule, which
/// cannot be read again. Strides, in elements, are None for a tensor by rows without gaps.
py::tuple read_dlpack(const py::capsule& capsule) {
  const std::string name = capsule.name() == nullptr ? "" : capsule.name();
  if (name != kTensor && name != kVersionedTensor)
    throw py::value_error("this is no capsule of DLPack, or one that has been used");
  const auto [tensor, owner] = name == kTensor ? taken<DLManagedTensor>(capsule, kUsedTensor)
                                               : taken<DLManagedTensorVersioned>(capsule, kUsedVersionedTensor);
  const auto dimensions = static_cast<size_t>(tensor->ndim);
  py::tuple shape(dimensions);
  py::tuple strides(dimensions);
  for (size_t k = 0; k < dimensions; ++k) {
    shape[k] = tensor->shape[k];
    strides[k] = tensor->strides == nullptr ? 0 : tensor->strides[k];
  }
  return py::make_tuple(tensor->device.device_type, tensor->device.device_id, tensor->dtype.code, tensor->dtype.bits,
                        tensor->dtype.lanes, shape, tensor->strides == nullptr ? py::none() : py::object(strides),
                        reinterpret_cast<std::uintptr_t>(tensor->data) + tensor->byte_offset, owner);
}

/// A tensor of one dimension, and the object that it keeps alive.
struct OwnedTensor {
  DLManagedTensor managed = {};
  int64_t length = 0;
  PyObject* owner = nullptr;
};

void delete_tensor(DLManagedTensor* managed) {
  const auto* const owned = static_cast<OwnedTensor*>(managed->manager_ctx);
  release_object(owned->owner);
  delete owned;
}

/// The capsule of a tensor of one dimension.
py::capsule make_dlpack(std::uintptr_t address, int64_t length, uint8_t code, uint8_t bits, int device_type,
                        int device_number, const py::object& owner) {
  auto* const owned = new OwnedTensor;
  owned->length = length;
  owned->owner = owner.inc_ref().ptr();
  owned->managed = {.dl_tensor = {.data = reinterpret_cast<void*>(address),
                                  .device = {device_type, device_number},
                                  .ndim = 1,
                                  .dtype = {code, bits, 1},
                                  .shape = &owned->length,
                                  .strides = nullptr,
                                  .byte_offset = 0},
                    .manager_ctx = owned,
                    .deleter = delete_tensor};
  return py::capsule(&owned->managed, kTensor, [](PyObject* capsule) {
    if (PyCapsule_IsValid(capsule, kTensor) == 0) return;  // a consumer has taken the tensor
    auto* const managed = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, kTensor));
    managed->deleter(managed);
  });
}

// --- the session's device ---------------------------------------------------------------------------------------

Value borrow_on_device(Session& session, const py::dtype& dtype, std::uintptr_t address, size_t length,
                       const py::object& owner) {
  const nesl_element element = element_of(dtype);
  return session.lend(owner, [&](void (*release)(void*), void* lent, nesl_value** made) {
    return nesl_borrow_on_device(session.handle, element, reinterpret_cast<const void*>(address), length, release, lent,
                                 made);
  });
}

/// Copies bytes on the device to a contiguous array.
void copy_to_host(const Session& session, py::array array, std::uintptr_t address) {
  void* const to = array.mutable_data();
  const auto bytes = static_cast<size_t>(array.nbytes());
  checked([&] { return nesl_copy_to_host(session.handle, to, reinterpret_cast<const void*>(address), bytes); });
}

/// Address and number of the elements on the device.
std::pair<std::uintptr_t, size_t> data_on_device(const Value& value) {
  const void* data = nullptr;
  size_t length = 0;
  const nesl_element element = element_of(value.dtype());
  checked([&] { return nesl_data_on_device(value.handle(), element, &data, &length); });
  return {reinterpret_cast<std::uintptr_t>(data), length};
}

const Session* engine_of(const Session* session) {
  while (session->parent != nullptr) session = session->parent.get();
  return session;
}

}  // namespace

void add_devices(py::module_& module, py::class_<Session, std::shared_ptr<Session>>& session,
                 py::class_<Value>& value) {
  module.def("dlpack_read", &read_dlpack);
  module.def("dlpack_make", &make_dlpack);
  session.def_readonly("device", &Session::device)
      .def("await_stream",
           [](const Session& self, std::uintptr_t stream) {
             checked([&] { return nesl_await_stream(self.handle, stream); });
           })
      .def("await_event", [](const Session& self,
                             std::uintptr_t event) { checked([&] { return nesl_await_event(self.handle, event); }); })
      .def("borrow_on_device", &borrow_on_device)
      .def("copy_to_host", &copy_to_host)
      .def("can_use",
           [](const Session& self, const Value& other) { return engine_of(&self) == engine_of(other.session.get()); });
  value.def("on_device", &data_on_device)
      .def_property_readonly("dtype", &Value::dtype)
      .def_readonly("session", &Value::session);
}

}  // namespace nesl_python
