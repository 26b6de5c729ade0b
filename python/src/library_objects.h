#pragma once

#include <nesl.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "forks.h"
#include "keyboard_interrupt.h"

/// The handles of nesl.h as objects, which free them when they are destroyed. Calls of the library release the
/// interpreter's lock, since another thread may use the session for long; the end of a loan acquires it.
namespace nesl_python {

namespace py = pybind11;

/// Frees an error of the library and raises its exception (nesl/errors.py).
[[noreturn]] void raise(nesl_error* error);

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

/// Ends a loan of an object. After the end of the interpreter, the object is not released.
void release_object(void* object);

/// The type of the elements of an array in nesl.h.
nesl_element element_of(const py::dtype& dtype);

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

class Value;
class Function;

/// A session. Its functions and values keep it alive.
struct Session : std::enable_shared_from_this<Session> {
  nesl_session* handle = nullptr;
  int int_bits;
  int float_bits;
  std::pair<int, int> device;  ///< of nesl_device()
  const unsigned forks = fork_count();

  const std::shared_ptr<Session> parent;  ///< the session of a scope, which ends the scope with it; else null

  explicit Session(const nesl_options& options) : int_bits(options.int_bits), float_bits(options.float_bits) {
    checked([&] { return nesl_open(&options, &handle); });
    checked([&] { return nesl_device(handle, &device.first, &device.second); });
  }
  explicit Session(std::shared_ptr<Session> of)
      : int_bits(of->int_bits), float_bits(of->float_bits), device(of->device), parent(std::move(of)) {
    checked([&] { return nesl_open_scope(parent->handle, &handle); });
  }
  Session(const Session&) = delete;
  ~Session() { close(); }

  void close() {
    if (forks != fork_count()) return;
    const py::gil_scoped_release unlocked;
    nesl_close(handle);
  }
  /// The session whose engine this one uses.
  const Session* root() const { return parent ? parent->root() : this; }
  template <typename Make>
  Value value(const Make& make);
  /// Makes a value that keeps an object alive: make(release, owner, made) gives the owner to the library.
  template <typename Make>
  Value lend(const py::object& owner, const Make& make);
  /// Makes a value that borrows the elements of a contiguous array of one dimension and keeps the array alive.
  Value borrow(const py::array& array);
  std::optional<Value> evaluate(const std::string& name, const std::string& text);
  /// Reads one statement, from a byte of the text on: its value, if it is an expression, and its end.
  std::pair<std::optional<Value>, size_t> evaluate_next(const std::string& name, const std::string& text,
                                                        size_t position);
  py::object examine(const std::string& text, int property);
  std::vector<std::string> vocabulary() const;
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

  /// The value as the nesl command prints it.
  py::object text() const;

  template <typename Number, typename Get>
  Number get(const Get& read) const {
    Number number{};
    checked([&] { return read(handle(), &number); });
    return number;
  }

  /// NumPy's type of the elements of a sequence of scalars.
  py::dtype dtype() const {
    const std::string of = type();
    if (of == "[int]") return py::dtype(session->int_bits == 64 ? "i8" : "i4");
    if (of == "[float]") return py::dtype(session->float_bits == 64 ? "f8" : "f4");
    return py::dtype(of == "[bool]" ? "?" : "S1");
  }

  /// The elements of a sequence of scalars, as a read-only array that keeps the value alive. Other values may share the
  /// elements.
  static py::array elements_array(const py::object& self) {
    const Value& value = self.cast<const Value&>();
    const py::dtype dtype = value.dtype();
    const nesl_element element = element_of(dtype);
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
    return read_only(py::dtype("i8"), offsets, length + 1, self);
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
  /// The elements with the offsets of another value; none if that is of another session.
  std::optional<Value> nest_like(const Value& like) const {
    if (session->root() != like.session->root()) return std::nullopt;
    return made([&](nesl_value** made) { return nesl_nest_like(handle(), like.handle(), made); });
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
  static py::array read_only(const py::dtype& dtype, const void* data, size_t length, const py::object& owner) {
    py::array array(dtype, {length}, {}, data, owner);
    py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
    return array;
  }

  template <typename Make>
  Value made(const Make& make) const {
    return session->value(make);
  }

  std::unique_ptr<nesl_value, Deleter<nesl_value_free>> handle_;
};

inline std::vector<nesl_value*> handles_of(const std::vector<const Value*>& values) {
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
  const char* result_type() const { return nesl_function_result_type(handle_.get()); }

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

template <typename Make>
Value Session::lend(const py::object& owner, const Make& make) {
  PyObject* const lent = owner.inc_ref().ptr();
  try {
    return value([&](nesl_value** made) { return make(release_object, lent, made); });
  } catch (...) {
    owner.dec_ref();
    throw;
  }
}

template <typename Make>
Value combined(const std::vector<const Value*>& parts, const Make& make) {
  const std::vector<nesl_value*> handles = handles_of(parts);
  return parts.front()->session->value([&](nesl_value** made) { return make(handles.data(), handles.size(), made); });
}

}  // namespace nesl_python
