#include "library_objects.h"

#include <pybind11/stl.h>

#include <cstring>
#include <sstream>

namespace nesl_python {

namespace {

/// A Python string of a text that may contain arbitrary bytes, of a file or of a program's strings.
py::object printable(const char* text) {
  PyObject* const decoded = PyUnicode_DecodeUTF8(text, static_cast<Py_ssize_t>(std::strlen(text)), "backslashreplace");
  if (decoded == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(decoded);
}

std::vector<std::string> lines_of(const char* text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace

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

void release_object(void* object) {
  if (Py_IsInitialized() == 0) return;
  const PyGILState_STATE state = PyGILState_Ensure();
  Py_DECREF(static_cast<PyObject*>(object));
  PyGILState_Release(state);
}

nesl_element element_of(const py::dtype& dtype) {
  const bool wide = dtype.itemsize() == 8;
  switch (dtype.kind()) {
    case 'b':
      return NESL_BOOL8;
    case 'i':
      return wide ? NESL_INT64 : NESL_INT32;
    case 'f':
      return wide ? NESL_FLOAT64 : NESL_FLOAT32;
    default:
      return NESL_CHAR8;
  }
}

Value Session::borrow(const py::array& array) {
  const nesl_element element = element_of(array.dtype());
  const void* const data = array.data();
  const auto length = static_cast<size_t>(array.size());
  return lend(array, [&](void (*release)(void*), void* owner, nesl_value** made) {
    return nesl_borrow(handle, element, data, length, release, owner, made);
  });
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

std::pair<std::optional<Value>, size_t> Session::evaluate_next(const std::string& name, const std::string& text,
                                                               size_t position) {
  nesl_value* found = nullptr;
  interruptible(
      handle, [&] { return nesl_evaluate_next(handle, name.c_str(), text.c_str(), &position, &found); },
      [&] { nesl_value_free(found); });
  if (found == nullptr) return {std::nullopt, position};
  return {Value(shared_from_this(), found), position};
}

py::object Session::examine(const std::string& text, int property) {
  const char* told = nullptr;
  interruptible(
      handle, [&] { return nesl_examine(handle, text.c_str(), static_cast<nesl_property>(property), &told); }, [] {});
  return printable(told);
}

std::vector<std::string> Session::vocabulary() const {
  const char* lines = nullptr;
  checked([&] { return nesl_vocabulary(handle, &lines); });
  return lines_of(lines);
}

py::object Value::text() const {
  const char* text = nullptr;
  checked([&] { return nesl_value_text(handle(), &text); });
  return printable(text);
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

}  // namespace nesl_python
