// The extension module nesl._nesl: the functions of nesl.h as Python objects, for the package nesl/.

#include <pybind11/stl.h>

#include <optional>
#include <string>

#include "arrow_arrays.h"
#include "device_arrays.h"
#include "library_objects.h"

namespace nesl_python {

namespace {

std::shared_ptr<Session> open_session(const std::string& backend, int threads, size_t memory, size_t stack,
                                      uint64_t seed, bool sandbox, int optimize, int int_bits, int float_bits,
                                      const std::optional<std::string>& kernel_cache,
                                      const std::optional<std::string>& devices, const std::optional<std::string>& mpi,
                                      int communicator) {
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
  options.devices = devices ? devices->c_str() : nullptr;
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
  py::class_<Session, std::shared_ptr<Session>> sessions(module, "Session");
  sessions
      .def(py::init(&open_session), "backend"_a, "threads"_a, "memory"_a, "stack"_a, "seed"_a, "sandbox"_a,
           "optimize"_a, "int_bits"_a, "float_bits"_a, "kernel_cache"_a, "devices"_a = py::none(), "mpi"_a = py::none(),
           "communicator"_a = 0)
      .def_readonly("int_bits", &Session::int_bits)
      .def_readonly("float_bits", &Session::float_bits)
      .def("close", &Session::close)
      .def("cancel", [](Session& session) { nesl_cancel(session.handle); })
      .def("set_seed",
           [](Session& session, uint64_t seed) { checked([&] { return nesl_set_seed(session.handle, seed); }); })
      .def("refuse", [](Session& session) { checked([&] { return nesl_refuse(session.handle); }); })
      .def("open_scope", [](const std::shared_ptr<Session>& session) { return std::make_shared<Session>(session); })
      .def("evaluate", &Session::evaluate)
      .def("evaluate_next", &Session::evaluate_next)
      .def("examine", &Session::examine)
      .def("vocabulary", &Session::vocabulary)
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
      .def("show",
           [](Session& session, const std::string& expression, std::size_t steps, std::size_t elements) {
             const char *text = nullptr, *html = nullptr;
             interruptible(
                 session.handle,
                 [&] { return nesl_show(session.handle, expression.c_str(), steps, elements, &text, &html); }, [] {});
             return std::pair(std::string(text), std::string(html));
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
  py::class_<Function>(module, "Function")
      .def("__call__", &Function::operator())
      .def_property_readonly("result", &Function::result_type);
  py::class_<Value> values(module, "Value");
  values
      .def_property_readonly("kind",
                             [](const Value& value) { return static_cast<int>(nesl_value_kind(value.handle())); })
      .def_property_readonly("type", &Value::type)
      .def_property_readonly("fields", &Value::fields)
      .def_property_readonly("text", &Value::text)
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
      .def("nest", &Value::nest)
      .def("nest_like", &Value::nest_like);
  add_arrow(module);
  add_devices(module, sessions, values);
  module.def("text_state", [](const std::string& text) { return static_cast<int>(nesl_state_of_text(text.c_str())); });
  module.def("tuple", [](const std::vector<const Value*>& parts) { return combined(parts, nesl_tuple); });
  module.def("zip", [](const std::vector<const Value*>& parts) { return combined(parts, nesl_zip); });
}

}  // namespace nesl_python
