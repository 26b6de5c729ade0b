// The extension module nesl._nesl: the functions of nesl.h as Python objects, for the package nesl/. Objects free their
// handles when they are destroyed. Calls of the library release the interpreter's lock, since another thread may use
// the session for long; the end of a loan acquires it.

#include <nesl.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "arrow_arrays.h"
#include "forks.h"
#include "keyboard_interrupt.h"

namespace py = pybind11;

namespace nesl_python {

namespace {

/// A Python string of a text that may contain arbitrary bytes, of a file or of a program's strings.
py::object printable(const char* text) {
  PyObject* const decoded = PyUnicode_DecodeUTF8(text, static_cast<Py_ssize_t>(std::strlen(text)), "backslashreplace");
  if (decoded == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(decoded);
}

/// Frees an error of the library and raises its exception (nesl/errors.py).
void raise(nesl_error* error) {
  const std::unique_ptr<nesl_error, void (*)(nesl_error*)> owned(error, nesl_error_free);
  const int64_t* positions = nullptr;
  const size_t length = nesl_error_path(error, &positions, nullptr);
  py::tuple path(length);
  for (size_t k = 0; k < length; ++k) path[k] = positions[k];
  const py::object exception =
      py::module_::import("nesl.errors")
          .attr("from_library")(static_cast<int>(nesl_error_kind(error)), printable(nesl_error_message(error)),
                                printable(nesl_error_report(error)), printable(nesl_error_file(error)),
                                printable(nesl_error_function(error)), nesl_error_line(error), nesl_error_column(error),
                                path);
  PyErr_SetObject(py::type::of(exception).ptr(), exception.ptr());
  throw py::error_already_set();
}

/// Calls the library without the interpreter's lock. Raises an error as an exception.
template <typename Call>
void checked(const Call& call) {
  nesl_error* error = nullptr;
  {
    const py::gil_scoped_release unlocked;
    error = call();
  }
  if (error != nullptr) raise(error);
}

/// Makes a call that may run for long: Ctrl-C cancels it. If Python then raises an exception, `discard` frees the
/// result of the call, which may have succeeded before the cancellation.
template <typename Call, typename Discard>
void interruptible(nesl_session* session, const Call& call, const Discard& discard) {
  nesl_error* error = nullptr;
  bool pressed = false;
  {
    const py::gil_scoped_release unlocked;
    const KeyboardInterrupt interrupt(session);
    error = call();
    pressed = interrupt.pressed();
  }
  if (pressed && PyErr_CheckSignals() != 0) {
    nesl_error_free(error);
    discard();
    throw py::error_already_set();
  }
  if (error != nullptr) raise(error);
}

/// Ends a loan of an array. After the end of the interpreter, the array is not released.
void release_array(void* array) {
  if (Py_IsInitialized() == 0) return;
  const PyGILState_STATE state = PyGILState_Ensure();
  Py_DECREF(static_cast<PyObject*>(array));
  PyGILState_Release(state);
}

/// Frees a handle, unless this process is a fork of the one that made it.
template <auto free>
struct Deleter {
  unsigned forks = fork_count();
  template <typename Handle>
  void operator()(Handle* handle) const {
    if (forks != fork_count()) return;
    const py::gil_scoped_release unlocked;
    free(handle);
  }
};

/// A description of a name: type, documentation and parts.
using Description = std::tuple<py::object, py::object, std::vector<std::string>>;

std::vector<std::string> lines_of(const char* text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

class Value;
class Function;

/// A session. Its functions and values keep it alive.
struct Session : std::enable_shared_from_this<Session> {
  nesl_session* handle = nullptr;
  int int_bits;
  int float_bits;
  const unsigned forks = fork_count();

  const std::shared_ptr<Session> parent;  ///< the session of a scope, which ends the scope with it; else null

  explicit Session(const nesl_options& options) : int_bits(options.int_bits), float_bits(options.float_bits) {
    checked([&] { return nesl_open(&options, &handle); });
  }
  explicit Session(std::shared_ptr<Session> of)
      : int_bits(of->int_bits), float_bits(of->float_bits), parent(std::move(of)) {
    checked([&] { return nesl_open_scope(parent->handle, &handle); });
  }
  Session(const Session&) = delete;
  ~Session() { close(); }

  void close() {
    if (forks != fork_count()) return;
    const py::gil_scoped_release unlocked;
    nesl_close(handle);
  }
  template <typename Make>
  Value value(const Make& make);
  Value borrow(const py::array& array);
  std::optional<Value> evaluate(const std::string& name, const std::string& text);
  std::vector<std::string> names() const;
  std::uint64_t definitions() const;
  Description describe(const std::string& name) const;
  /// The names of the fields of a datatype; none if it has none, or is not known any more.
  std::vector<std::string> fields_of(const std::string& datatype);
  Function lookup(const std::string& name, const std::string& types);

 private:
  std::map<std::string, std::vector<std::string>> fields_;  ///< by datatype
  std::uint64_t fields_after_ = 0;                          ///< number of definitions that `fields_` is about
};

class Value {
 public:
  Value(std::shared_ptr<Session> of, nesl_value* handle) : session(std::move(of)), handle_(handle) {}

  const std::shared_ptr<Session> session;

  nesl_value* handle() const { return handle_.get(); }
  const char* type() const { return nesl_value_type(handle()); }

  template <typename Number, typename Get>
  Number get(const Get& read) const {
    Number number{};
    checked([&] { return read(handle(), &number); });
    return number;
  }

  /// The elements of a sequence of scalars, as a read-only array that keeps the value alive. Other values may share the
  /// elements.
  static py::array elements_array(const py::object& self) {
    const Value& value = self.cast<const Value&>();
    const std::string type = value.type();
    nesl_element element = NESL_CHAR8;
    const char* dtype = "S1";
    if (type == "[int]") {
      element = value.session->int_bits == 64 ? NESL_INT64 : NESL_INT32;
      dtype = element == NESL_INT64 ? "i8" : "i4";
    } else if (type == "[float]") {
      element = value.session->float_bits == 64 ? NESL_FLOAT64 : NESL_FLOAT32;
      dtype = element == NESL_FLOAT64 ? "f8" : "f4";
    } else if (type == "[bool]") {
      element = NESL_BOOL8;
      dtype = "?";
    }
    const void* data = nullptr;
    size_t length = 0;
    checked([&] { return nesl_data(value.handle(), element, &data, &length); });
    return read_only(dtype, data, length, self);
  }

  static py::array offsets_array(const py::object& self) {
    const Value& value = self.cast<const Value&>();
    const int64_t* offsets = nullptr;
    size_t length = 0;
    checked([&] { return nesl_offsets(value.handle(), &offsets, &length); });
    return read_only("i8", offsets, length + 1, self);
  }

  Value elements() const {
    return made([&](nesl_value** made) { return nesl_elements(handle(), made); });
  }
  Value part(size_t number) const {
    return made([&](nesl_value** made) { return nesl_part(handle(), number, made); });
  }
  Value as(const std::string& type) const {
    return made([&](nesl_value** made) { return nesl_as(handle(), type.c_str(), made); });
  }
  Value nest(const py::array_t<int64_t, py::array::c_style>& offsets) const {
    const int64_t* const data = offsets.data();
    const auto length = static_cast<size_t>(offsets.size()) - 1;
    return made([&](nesl_value** made) { return nesl_nest(handle(), data, length, made); });
  }

  /// Session::fields_of() the datatype of a record or of the records of a sequence.
  std::vector<std::string> fields() const {
    std::string name = type();
    if (name.starts_with('[')) name = name.substr(1, name.size() - 2);
    return session->fields_of(name.substr(0, name.find('(')));
  }

 private:
  static py::array read_only(const char* dtype, const void* data, size_t length, const py::object& owner) {
    py::array array(py::dtype(dtype), {length}, {}, data, owner);
    py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
    return array;
  }

  template <typename Make>
  Value made(const Make& make) const {
    return session->value(make);
  }

  std::unique_ptr<nesl_value, Deleter<nesl_value_free>> handle_;
};

std::vector<nesl_value*> handles_of(const std::vector<const Value*>& values) {
  std::vector<nesl_value*> handles;
  for (const Value* value : values) handles.push_back(value->handle());
  return handles;
}

class Function {
 public:
  Function(std::shared_ptr<Session> of, nesl_function* handle) : session_(std::move(of)), handle_(handle) {}

  Value operator()(const std::vector<const Value*>& arguments) const {
    const std::vector<nesl_value*> handles = handles_of(arguments);
    nesl_value* result = nullptr;
    interruptible(
        session_->handle, [&] { return nesl_call(handle_.get(), handles.data(), handles.size(), &result); },
        [&] { nesl_value_free(result); });
    return Value(session_, result);
  }

 private:
  std::shared_ptr<Session> session_;
  std::unique_ptr<nesl_function, Deleter<nesl_function_free>> handle_;
};

template <typename Make>
Value Session::value(const Make& make) {
  nesl_value* made = nullptr;
  checked([&] { return make(&made); });
  return Value(shared_from_this(), made);
}

/// Makes a value that borrows the elements of a contiguous array of one dimension and keeps the array alive.
Value Session::borrow(const py::array& array) {
  nesl_element element = NESL_CHAR8;
  const py::dtype dtype = array.dtype();
  const bool wide = dtype.itemsize() == 8;
  switch (dtype.kind()) {
    case 'b':
      element = NESL_BOOL8;
      break;
    case 'i':
      element = wide ? NESL_INT64 : NESL_INT32;
      break;
    case 'f':
      element = wide ? NESL_FLOAT64 : NESL_FLOAT32;
      break;
    default:
      break;
  }
  const void* const data = array.data();
  const auto length = static_cast<size_t>(array.size());
  PyObject* const owner = array.inc_ref().ptr();
  try {
    return value(
        [&](nesl_value** made) { return nesl_borrow(handle, element, data, length, release_array, owner, made); });
  } catch (...) {
    array.dec_ref();
    throw;
  }
}

Function Session::lookup(const std::string& name, const std::string& types) {
  nesl_function* found = nullptr;
  interruptible(
      handle, [&] { return nesl_lookup(handle, name.c_str(), types.c_str(), &found); },
      [&] { nesl_function_free(found); });
  return Function(shared_from_this(), found);
}

/// Reads a text. Returns the value of its last statement; nothing if that is no expression.
std::optional<Value> Session::evaluate(const std::string& name, const std::string& text) {
  nesl_value* found = nullptr;
  interruptible(
      handle, [&] { return nesl_evaluate(handle, name.c_str(), text.c_str(), &found); },
      [&] { nesl_value_free(found); });
  if (found == nullptr) return std::nullopt;
  return Value(shared_from_this(), found);
}

std::vector<std::string> Session::names() const {
  const char* lines = nullptr;
  checked([&] { return nesl_names(handle, &lines); });
  return lines_of(lines);
}

std::uint64_t Session::definitions() const {
  std::uint64_t count = 0;
  checked([&] { return nesl_definitions(handle, &count); });
  return count;
}

Description Session::describe(const std::string& name) const {
  const char *type = nullptr, *documentation = nullptr, *parts = nullptr;
  checked([&] { return nesl_describe(handle, name.c_str(), &type, &documentation, &parts); });
  return {printable(type), printable(documentation), lines_of(parts)};
}

std::vector<std::string> Session::fields_of(const std::string& datatype) {
  std::uint64_t count = 0;
  {
    const py::gil_scoped_release unlocked;
    nesl_error_free(nesl_definitions(handle, &count));  // fails if the session has ended
  }
  if (count != fields_after_) fields_.clear();
  fields_after_ = count;
  if (const auto known = fields_.find(datatype); known != fields_.end()) return known->second;
  std::vector<std::string> fields;
  {
    const py::gil_scoped_release unlocked;
    const char *type = nullptr, *documentation = nullptr, *parts = nullptr;
    nesl_error* const error = nesl_describe(handle, datatype.c_str(), &type, &documentation, &parts);
    if (error == nullptr) fields = lines_of(parts);
    nesl_error_free(error);
  }
  if (count == fields_after_) fields_[datatype] = fields;
  return fields;
}

template <typename Make>
Value combined(const std::vector<const Value*>& parts, const Make& make) {
  const std::vector<nesl_value*> handles = handles_of(parts);
  return parts.front()->session->value([&](nesl_value** made) { return make(handles.data(), handles.size(), made); });
}

std::shared_ptr<Session> open_session(const std::string& backend, int threads, size_t memory, size_t stack,
                                      uint64_t seed, bool sandbox, int optimize, int int_bits, int float_bits,
                                      const std::optional<std::string>& kernel_cache,
                                      const std::optional<std::string>& mpi, int communicator) {
  nesl_options options = NESL_OPTIONS_INIT;
  options.backend = backend.c_str();
  options.threads = threads;
  options.memory = memory;
  options.stack = stack;
  options.seed = seed;
  options.sandbox = sandbox ? 1 : 0;
  options.optimize = optimize;
  options.int_bits = int_bits;
  options.float_bits = float_bits;
  options.kernel_cache = kernel_cache ? kernel_cache->c_str() : nullptr;
  options.mpi = mpi ? mpi->c_str() : nullptr;
  options.communicator = communicator;
  return std::make_shared<Session>(options);
}

/// Refuses NumPy 2 with a pybind11 before 2.12, which would read the fields of a dtype at their offsets of NumPy 1.
void require_known_numpy() {
  constexpr int kFirstForNumpy2 = 0x020C0000;
  if (PYBIND11_VERSION_HEX >= kFirstForNumpy2) return;
  const auto version = py::module_::import("numpy").attr("__version__").cast<std::string>();
  if (!version.starts_with("1."))
    throw py::import_error(
        "nesl was built with pybind11 " PYBIND11_TOSTRING(PYBIND11_VERSION_MAJOR) "." PYBIND11_TOSTRING(
            PYBIND11_VERSION_MINOR) ", which does not know NumPy " +
        version + ": build it with 2.12 or later");
}

}  // namespace

PYBIND11_MODULE(_nesl, module) {
  using namespace py::literals;
  require_known_numpy();
  note_main_thread();
  watch_forks();
  module.attr("version") = nesl_version();
  py::class_<Session, std::shared_ptr<Session>>(module, "Session")
      .def(py::init(&open_session), "backend"_a, "threads"_a, "memory"_a, "stack"_a, "seed"_a, "sandbox"_a,
           "optimize"_a, "int_bits"_a, "float_bits"_a, "kernel_cache"_a, "mpi"_a = py::none(), "communicator"_a = 0)
      .def_readonly("int_bits", &Session::int_bits)
      .def("close", &Session::close)
      .def("cancel", [](Session& session) { nesl_cancel(session.handle); })
      .def("set_seed",
           [](Session& session, uint64_t seed) { checked([&] { return nesl_set_seed(session.handle, seed); }); })
      .def("refuse", [](Session& session) { checked([&] { return nesl_refuse(session.handle); }); })
      .def("open_scope", [](const std::shared_ptr<Session>& session) { return std::make_shared<Session>(session); })
      .def("evaluate", &Session::evaluate)
      .def("names", &Session::names)
      .def("definitions", &Session::definitions)
      .def("describe", &Session::describe)
      .def("load",
           [](Session& session, const std::string& name, const std::string& text) {
             interruptible(
                 session.handle, [&] { return nesl_load(session.handle, name.c_str(), text.c_str()); }, [] {});
           })
      .def("load_file",
           [](Session& session, const std::string& file) {
             interruptible(
                 session.handle, [&] { return nesl_load_file(session.handle, file.c_str()); }, [] {});
           })
      .def("lookup", &Session::lookup)
      .def("profile_begin", [](Session& session) { checked([&] { return nesl_profile_begin(session.handle); }); })
      .def("profile_end",
           [](Session& session) {
             const char* text = nullptr;
             checked([&] { return nesl_profile_end(session.handle, &text); });
             return std::string(text);
           })
      .def("explain",
           [](Session& session, const std::string& name, const std::string& types) {
             const char* text = nullptr;
             interruptible(
                 session.handle, [&] { return nesl_explain(session.handle, name.c_str(), types.c_str(), &text); },
                 [] {});
             return std::string(text);
           })
      .def("borrow", &Session::borrow)
      .def("from_int",
           [](Session& session, int64_t number) {
             return session.value([&](nesl_value** made) { return nesl_int(session.handle, number, made); });
           })
      .def("from_float",
           [](Session& session, double number) {
             return session.value([&](nesl_value** made) { return nesl_float(session.handle, number, made); });
           })
      .def("from_bool",
           [](Session& session, bool truth) {
             return session.value([&](nesl_value** made) { return nesl_bool(session.handle, truth ? 1 : 0, made); });
           })
      .def("from_char", [](Session& session, unsigned char character) {
        return session.value([&](nesl_value** made) { return nesl_char(session.handle, character, made); });
      });
  py::class_<Function>(module, "Function").def("__call__", &Function::operator());
  py::class_<Value>(module, "Value")
      .def_property_readonly("kind",
                             [](const Value& value) { return static_cast<int>(nesl_value_kind(value.handle())); })
      .def_property_readonly("type", &Value::type)
      .def_property_readonly("fields", &Value::fields)
      .def_property_readonly("parts", [](const Value& value) { return nesl_parts(value.handle()); })
      .def("get_int", [](const Value& value) { return value.get<int64_t>(nesl_get_int); })
      .def("get_float", [](const Value& value) { return value.get<double>(nesl_get_float); })
      .def("get_bool", [](const Value& value) { return value.get<int>(nesl_get_bool) != 0; })
      .def("get_char", [](const Value& value) { return static_cast<int>(value.get<unsigned char>(nesl_get_char)); })
      .def("array", [](const py::object& self) { return Value::elements_array(self); })
      .def("offsets", [](const py::object& self) { return Value::offsets_array(self); })
      .def("elements", &Value::elements)
      .def("part", &Value::part)
      .def("as_type", &Value::as)
      .def("nest", &Value::nest);
  add_arrow(module);
  module.def("tuple", [](const std::vector<const Value*>& parts) { return combined(parts, nesl_tuple); });
  module.def("zip", [](const std::vector<const Value*>& parts) { return combined(parts, nesl_zip); });
}

}  // namespace nesl_python
