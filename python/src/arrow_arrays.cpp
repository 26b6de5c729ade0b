#include "arrow_arrays.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace py = pybind11;

// The structures of Arrow's C data interface; every library declares them itself.
extern "C" {

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

struct ArrowDeviceArray {
  ArrowArray array;
  int64_t device_id;
  int32_t device_type;
  void* sync_event;
  int64_t reserved[3];
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};
}

namespace nesl_python {

namespace {

constexpr const char* kSchema = "arrow_schema";
constexpr const char* kArray = "arrow_array";
constexpr const char* kDeviceArray = "arrow_device_array";
constexpr const char* kStream = "arrow_array_stream";

/// The structure with the member `release`.
template <typename Struct>
Struct* releasable(Struct* given) {
  return given;
}
ArrowArray* releasable(ArrowDeviceArray* given) { return &given->array; }

/// Frees the structure that a capsule points to.
template <typename Struct>
void destroy(PyObject* capsule) {
  auto* const owned = static_cast<Struct*>(PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule)));
  if (releasable(owned)->release != nullptr) releasable(owned)->release(releasable(owned));
  delete owned;
}

template <typename Struct>
py::capsule make_capsule(const char* name) {
  return py::capsule(new Struct{}, name, &destroy<Struct>);
}

template <typename Struct>
Struct* in_capsule(const py::capsule& capsule, const char* name) {
  auto* const found = static_cast<Struct*>(PyCapsule_GetPointer(capsule.ptr(), name));
  if (found == nullptr) throw py::error_already_set();
  if (releasable(found)->release == nullptr) throw py::value_error("the Arrow array has been released");
  return found;
}

// --- reading ----------------------------------------------------------------------------------------------------

/// The object that keeps buffers alive, and where these are.
struct Owner {
  py::object object;
  bool on_device = false;  ///< not in memory of the host
};

/// A read-only array of the elements of a buffer; an empty array if there is no buffer. Of a buffer on a device, the
/// tuple (dtype, address, count).
py::object elements(const ArrowArray* array, int64_t buffer, const char* dtype, int64_t first, int64_t count,
                    const Owner& owner) {
  const py::dtype type(dtype);
  const void* const data = array == nullptr || buffer >= array->n_buffers ? nullptr : array->buffers[buffer];
  if (data == nullptr) return py::array(type, py::ssize_t{0});
  const char* const address = static_cast<const char*>(data) + first * type.itemsize();
  if (owner.on_device) return py::make_tuple(dtype, reinterpret_cast<std::uintptr_t>(address), count);
  py::array view(type, {count}, {}, address, owner.object);
  py::detail::array_proxy(view.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return view;
}

/// NumPy's name of the element type of a format; null if elements have no fixed size.
const char* dtype_of(const std::string& format) {
  constexpr std::pair<const char*, const char*> kTypes[] = {
      {"c", "i1"}, {"C", "u1"}, {"s", "i2"}, {"S", "u2"}, {"i", "i4"}, {"I", "u4"},
      {"l", "i8"}, {"L", "u8"}, {"e", "f2"}, {"f", "f4"}, {"g", "f8"},
  };
  for (const auto& [known, dtype] : kTypes)
    if (format == known) return dtype;
  return nullptr;
}

/// The buffers with the texts of string views. The last buffer of the array has their lengths.
py::list viewed_buffers(const ArrowArray* array, const Owner& owner) {
  py::list buffers;
  constexpr int64_t kBefore = 2;  // validity and views
  if (array == nullptr) return buffers;
  if (owner.on_device) throw py::value_error("string views on a device cannot be read: cast them to strings");
  const auto* const lengths = static_cast<const int64_t*>(array->buffers[array->n_buffers - 1]);
  for (int64_t k = kBefore; k < array->n_buffers - 1; ++k)
    buffers.append(elements(array, k, "u1", 0, lengths[k - kBefore], owner));
  return buffers;
}

/// The tuple (format, length, offset, validity, values, text, children) of an array; of an empty array if it is null.
/// `validity` is a bitmap or None. `values` has the elements, a bitmap of them, offsets, or the bytes of views. `text`
/// has the characters of texts, a list of the buffers of views, or the lengths of list views. The format "dictionary"
/// has indices as values, and as its only child the elements that they choose. The characters of texts on a device have
/// an unknown count, -1.
py::tuple node_of(const ArrowSchema* schema, const ArrowArray* array, const Owner& owner) {
  const std::string format = schema->dictionary == nullptr ? schema->format : "dictionary";
  const int64_t length = array == nullptr ? 0 : array->length;
  const int64_t offset = array == nullptr ? 0 : array->offset;
  const int64_t bitmap_bytes = (offset + length + 7) / 8;
  const bool is_text = format == "u" || format == "z" || format == "U" || format == "Z";
  const bool is_wide = format == "U" || format == "Z" || format == "+L";
  py::object validity = py::none(), values = py::none(), text = py::none();
  if (array != nullptr && array->null_count != 0 && array->n_buffers > 0 && array->buffers[0] != nullptr)
    validity = elements(array, 0, "u1", 0, bitmap_bytes, owner);
  if (schema->dictionary != nullptr) {
    values = elements(array, 1, dtype_of(schema->format), offset, length, owner);
  } else if (format == "b") {
    values = elements(array, 1, "u1", 0, bitmap_bytes, owner);
  } else if (const char* const dtype = dtype_of(format)) {
    values = elements(array, 1, dtype, offset, length, owner);
  } else if (is_text || format == "+l" || format == "+L") {
    values = elements(array, 1, is_wide ? "i8" : "i4", offset, length + 1, owner);
    if (is_text && owner.on_device) {
      text = elements(array, 2, "S1", 0, -1, owner);
    } else if (is_text && py::len(values) > 0) {
      const void* const last = values.cast<py::array>().data(length);
      const int64_t bytes = is_wide ? *static_cast<const int64_t*>(last) : *static_cast<const int32_t*>(last);
      text = elements(array, 2, "S1", 0, bytes, owner);
    }
  } else if (format == "+vl" || format == "+vL") {
    const char* const ints = format == "+vL" ? "i8" : "i4";
    values = elements(array, 1, ints, offset, length, owner);
    text = elements(array, 2, ints, offset, length, owner);
  } else if (format == "vu" || format == "vz") {
    constexpr int64_t kViewBytes = 16;
    values = elements(array, 1, "u1", offset * kViewBytes, length * kViewBytes, owner);
    text = viewed_buffers(array, owner);
  }
  if (schema->dictionary != nullptr) {
    const py::tuple chosen = node_of(schema->dictionary, array == nullptr ? nullptr : array->dictionary, owner);
    return py::make_tuple(format, length, offset, validity, values, text, py::make_tuple(chosen));
  }
  py::tuple children(schema->n_children);
  for (int64_t k = 0; k < schema->n_children; ++k)
    children[static_cast<size_t>(k)] =
        node_of(schema->children[k], array == nullptr ? nullptr : array->children[k], owner);
  return py::make_tuple(format, length, offset, validity, values, text, children);
}

py::tuple import_array(const py::capsule& schema, const py::capsule& array) {
  return node_of(in_capsule<ArrowSchema>(schema, kSchema), in_capsule<ArrowArray>(array, kArray), {array});
}

/// The tuple (device type, device number, event, node) of an array on any device; the event is 0 if there is none.
py::tuple import_device_array(const py::capsule& schema, const py::capsule& array) {
  constexpr int32_t kHost = 1;
  auto* const found = in_capsule<ArrowDeviceArray>(array, kDeviceArray);
  const auto event = found->sync_event == nullptr ? 0 : *static_cast<const std::uintptr_t*>(found->sync_event);
  return py::make_tuple(
      found->device_type, found->device_id, event,
      node_of(in_capsule<ArrowSchema>(schema, kSchema), &found->array, {array, found->device_type != kHost}));
}

/// The nodes of the parts of a stream; the node of an empty array if there are no parts.
py::list import_stream(const py::capsule& capsule) {
  auto* const stream = in_capsule<ArrowArrayStream>(capsule, kStream);
  const auto require = [&](int status) {
    const char* const message = status == 0 ? nullptr : stream->get_last_error(stream);
    if (status != 0) throw py::value_error(message == nullptr ? "the Arrow stream cannot be read" : message);
  };
  const py::capsule schema = make_capsule<ArrowSchema>(kSchema);
  auto* const described = static_cast<ArrowSchema*>(PyCapsule_GetPointer(schema.ptr(), kSchema));
  require(stream->get_schema(stream, described));
  py::list nodes;
  while (true) {
    const py::capsule array = make_capsule<ArrowArray>(kArray);
    auto* const part = static_cast<ArrowArray*>(PyCapsule_GetPointer(array.ptr(), kArray));
    require(stream->get_next(stream, part));
    if (part->release == nullptr) break;
    nodes.append(node_of(described, part, {array}));
  }
  if (nodes.empty()) nodes.append(node_of(described, nullptr, {}));
  return nodes;
}

// --- writing ----------------------------------------------------------------------------------------------------

/// The data that an exported structure owns.
template <typename Struct>
struct Exported {
  std::string format, name;          // of a schema
  std::vector<py::object> arrays;    // of an array
  std::vector<const void*> buffers;  // addresses of `arrays`
  std::vector<std::unique_ptr<Struct>> children;
  std::vector<Struct*> pointers;
};

template <typename Struct>
void release(Struct* released) {
  if (Py_IsInitialized() != 0) {
    const py::gil_scoped_acquire locked;
    auto* const exported = static_cast<Exported<Struct>*>(released->private_data);
    for (const auto& child : exported->children)
      if (child->release != nullptr) child->release(child.get());
    delete exported;
  }
  released->release = nullptr;
}

/// Makes the structures of a tree (format, name, length, buffers, children), whose buffers are arrays, tuples of an
/// address on a device and its owner, or None. The first buffer is the bitmap of the elements that are not null; the
/// number of nulls is declared unknown.
void export_node(const py::tuple& node, ArrowSchema* schema, ArrowArray* array) {
  auto described = std::make_unique<Exported<ArrowSchema>>();
  auto owned = std::make_unique<Exported<ArrowArray>>();
  described->format = node[0].cast<std::string>();
  described->name = node[1].cast<std::string>();
  for (const py::handle buffer : node[3].cast<py::sequence>()) {
    owned->arrays.push_back(py::reinterpret_borrow<py::object>(buffer));
    if (py::isinstance<py::tuple>(buffer))
      owned->buffers.push_back(reinterpret_cast<const void*>(buffer.cast<py::tuple>()[0].cast<std::uintptr_t>()));
    else
      owned->buffers.push_back(buffer.is_none() ? nullptr : buffer.cast<py::array>().data());
  }
  for (const py::handle child : node[4].cast<py::sequence>()) {
    described->pointers.push_back(described->children.emplace_back(new ArrowSchema{}).get());
    owned->pointers.push_back(owned->children.emplace_back(new ArrowArray{}).get());
    export_node(child.cast<py::tuple>(), described->pointers.back(), owned->pointers.back());
  }
  const auto children = static_cast<int64_t>(owned->pointers.size());
  const bool may_have_nulls = !owned->buffers.empty() && owned->buffers[0] != nullptr;
  constexpr int64_t kNullable = 2, kUncounted = -1;
  *schema = {.format = described->format.c_str(),
             .name = described->name.c_str(),
             .metadata = nullptr,
             .flags = may_have_nulls ? kNullable : 0,
             .n_children = children,
             .children = described->pointers.data(),
             .dictionary = nullptr,
             .release = &release<ArrowSchema>,
             .private_data = described.release()};
  *array = {.length = node[2].cast<int64_t>(),
            .null_count = may_have_nulls ? kUncounted : 0,
            .offset = 0,
            .n_buffers = static_cast<int64_t>(owned->buffers.size()),
            .n_children = children,
            .buffers = owned->buffers.data(),
            .children = owned->pointers.data(),
            .dictionary = nullptr,
            .release = &release<ArrowArray>,
            .private_data = owned.release()};
}

py::tuple export_array(const py::tuple& node) {
  const py::capsule schema = make_capsule<ArrowSchema>(kSchema), array = make_capsule<ArrowArray>(kArray);
  export_node(node, static_cast<ArrowSchema*>(PyCapsule_GetPointer(schema.ptr(), kSchema)),
              static_cast<ArrowArray*>(PyCapsule_GetPointer(array.ptr(), kArray)));
  return py::make_tuple(schema, array);
}

py::tuple export_device_array(const py::tuple& node, int32_t device_type, int64_t device_number) {
  const py::capsule schema = make_capsule<ArrowSchema>(kSchema), array = make_capsule<ArrowDeviceArray>(kDeviceArray);
  auto* const exported = static_cast<ArrowDeviceArray*>(PyCapsule_GetPointer(array.ptr(), kDeviceArray));
  exported->device_type = device_type;
  exported->device_id = device_number;
  export_node(node, static_cast<ArrowSchema*>(PyCapsule_GetPointer(schema.ptr(), kSchema)), &exported->array);
  return py::make_tuple(schema, array);
}

}  // namespace

void add_arrow(py::module_& module) {
  module.def("arrow_array", &import_array);
  module.def("arrow_device_array", &import_device_array);
  module.def("arrow_stream", &import_stream);
  module.def("arrow_capsules", &export_array);
  module.def("arrow_device_capsules", &export_device_array);
}

}  // namespace nesl_python
