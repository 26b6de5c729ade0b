// The functions of nesl.h that make and read values.

#include <fmt/format.h>

#include "engine/rank_parts.h"
#include "handles.h"
#include "text/result_text.h"

using namespace nesl_c;

namespace {

/// Makes a scalar.
template <class Make>
nesl_error* scalar_call(nesl_session* session, nesl_value** value, Make&& make) {
  return guarded([&] {
    clear_location(value);
    const std::shared_ptr<Scope> scope = find_session(session);
    store_value(scope, value, [&] {
      if (scope->engine->job() != nullptr) check_on_all(*scope->engine, [] {});
      return make(*scope->engine);
    });
  });
}

nesl_error* array_call(nesl_session* session, nesl_element element, const void* data, size_t length,
                       std::optional<Lent> lent, nesl_value** value) {
  return guarded([&] {
    clear_location(value);
    const std::shared_ptr<Scope> scope = find_session(session);
    if (data == nullptr && length > 0) refuse(fmt::format("the array of {} elements is NULL", length));
    store_value(scope, value, [&] { return make_array(*scope->engine, element, data, length, lent); });
  });
}

/// Makes a value from another value.
template <class Make>
nesl_error* derived_call(const nesl_value* from, nesl_value** value, Make&& make) {
  return guarded([&] {
    clear_location(value);
    const std::shared_ptr<ValueHandle> handle = find_value(from);
    store_value(handle->scope, value, [&] { return make(*handle->scope, handle->data); });
  });
}

/// Makes a value from several values.
nesl_error* joined_call(nesl_value* const* parts, size_t count, nesl_value** value,
                        Data (*join)(std::span<const Data* const>)) {
  return guarded([&] {
    clear_location(value);
    if (parts == nullptr) refuse("the parts are NULL");
    require_parts(count);
    std::vector<std::shared_ptr<ValueHandle>> handles;
    std::vector<const Data*> data;
    for (size_t k = 0; k < count; ++k) {
      handles.push_back(find_value(parts[k]));
      if (&handles[k]->engine() != &handles[0]->engine()) refuse("the parts are values of different sessions");
      data.push_back(&handles[k]->data);
    }
    store_value(handles[0]->scope, value, [&] { return join(data); });
  });
}

/// Reads a property of a value in a turn and stores it; an error if `location` is NULL.
template <class Location, class Read>
nesl_error* reading_call(const nesl_value* value, Location* location, Read&& read) {
  return guarded([&] {
    if (location == nullptr) refuse("the place for the result is NULL");
    *location = {};
    const std::shared_ptr<ValueHandle> handle = find_value(value);
    const Engine::Turn turn(handle->engine());
    read(*handle);
  });
}

}  // namespace

extern "C" {

// --- values from the caller's data
// -------------------------------------------------------------------------------------------------------

nesl_error* nesl_int(nesl_session* session, int64_t number, nesl_value** value) {
  return scalar_call(session, value, [&](Engine& engine) { return make_int(engine, number); });
}

nesl_error* nesl_float(nesl_session* session, double number, nesl_value** value) {
  return scalar_call(session, value, [&](Engine& engine) { return make_float(engine, number); });
}

nesl_error* nesl_bool(nesl_session* session, int truth, nesl_value** value) {
  return scalar_call(session, value, [&](Engine&) { return make_bool(truth != 0); });
}

nesl_error* nesl_char(nesl_session* session, unsigned char character, nesl_value** value) {
  return scalar_call(session, value, [&](Engine& engine) { return make_char(engine, character); });
}

nesl_error* nesl_array(nesl_session* session, nesl_element element, const void* data, size_t length,
                       nesl_value** value) {
  return array_call(session, element, data, length, std::nullopt, value);
}

nesl_error* nesl_borrow(nesl_session* session, nesl_element element, const void* data, size_t length,
                        void (*release)(void* owner), void* owner, nesl_value** value) {
  return array_call(session, element, data, length, Lent{release, owner}, value);
}

nesl_error* nesl_borrow_on_device(nesl_session* session, nesl_element element, const void* data, size_t length,
                                  void (*release)(void* owner), void* owner, nesl_value** value) {
  return guarded([&] {
    clear_location(value);
    const std::shared_ptr<Scope> scope = find_session(session);
    store_value(scope, value, [&] {
      return make_array_on_device(*scope->engine, element, data, length, {release, owner});
    });
  });
}

nesl_error* nesl_nest(const nesl_value* elements, const int64_t* offsets, size_t length, nesl_value** value) {
  return derived_call(elements, value, [&](Scope& scope, const Data& data) {
    if (offsets == nullptr) refuse("the offsets are NULL");
    if (length >= static_cast<size_t>(PTRDIFF_MAX) / sizeof *offsets)
      refuse(fmt::format("memory has no addresses for the offsets of {} parts", length));
    return nest(*scope.engine, data, offsets, length);
  });
}

nesl_error* nesl_nest_like(const nesl_value* elements, const nesl_value* like, nesl_value** value) {
  return guarded([&] {
    clear_location(value);
    const std::shared_ptr<ValueHandle> flat = find_value(elements);
    const std::shared_ptr<ValueHandle> nested = find_value(like);
    if (&flat->engine() != &nested->engine()) refuse("the elements and the offsets are of different sessions");
    store_value(flat->scope, value, [&] { return nest_like(flat->data, nested->data); });
  });
}

nesl_error* nesl_tuple(nesl_value* const* parts, size_t count, nesl_value** value) {
  return joined_call(parts, count, value, tuple_of);
}

nesl_error* nesl_zip(nesl_value* const* parts, size_t count, nesl_value** value) {
  return joined_call(parts, count, value, zip);
}

nesl_error* nesl_as(const nesl_value* value, const char* type, nesl_value** result) {
  return derived_call(value, result, [&](Scope& scope, const Data& data) {
    if (type == nullptr) refuse("the type is NULL");
    scope.require_open();
    return retyped(data, scope.shape_of_type(type));
  });
}

nesl_error* nesl_elements(const nesl_value* value, nesl_value** elements) {
  return derived_call(value, elements, [](Scope&, const Data& data) { return elements_of(data); });
}

nesl_error* nesl_part(const nesl_value* value, size_t number, nesl_value** result) {
  return derived_call(value, result, [&](Scope&, const Data& data) { return part(data, number); });
}

size_t nesl_parts(const nesl_value* value) {
  const std::shared_ptr<ValueHandle> handle = values().find(value);
  return handle != nullptr ? part_count(handle->data) : 0;
}

void nesl_value_free(nesl_value* value) { values().take(value); }

// --- reading values
// -------------------------------------------------------------------------------------------------------

nesl_kind nesl_value_kind(const nesl_value* value) {
  const std::shared_ptr<ValueHandle> handle = values().find(value);
  if (handle == nullptr) return NESL_KIND_NONE;
  switch (handle->data.shape.kind) {
    case nesl::ValueShape::Kind::kInt:
      return NESL_KIND_INT;
    case nesl::ValueShape::Kind::kFloat:
      return NESL_KIND_FLOAT;
    case nesl::ValueShape::Kind::kBool:
      return NESL_KIND_BOOL;
    case nesl::ValueShape::Kind::kChar:
      return NESL_KIND_CHAR;
    case nesl::ValueShape::Kind::kSequence:
      return NESL_KIND_SEQUENCE;
    case nesl::ValueShape::Kind::kPair:
      return NESL_KIND_TUPLE;
    case nesl::ValueShape::Kind::kData:
      return NESL_KIND_RECORD;
    case nesl::ValueShape::Kind::kFunction:
      return NESL_KIND_FUNCTION;
  }
  return NESL_KIND_NONE;
}

const char* nesl_value_type(const nesl_value* value) {
  const char* type = nullptr;
  nesl_error* error = reading_call(value, &type, [&](ValueHandle& handle) {
    if (handle.type.empty()) handle.type = nesl::type_text(handle.data.shape);
    type = handle.type.c_str();
  });
  nesl_error_free(error);
  return type;
}

nesl_error* nesl_value_text(const nesl_value* value, const char** text) {
  return reading_call(value, text, [&](ValueHandle& handle) {
    if (handle.text.empty()) {
      std::optional<std::string> shown =
          nesl_cli::result_text(handle.data.shape, handle.data.entries, handle.engine().evaluator());
      if (!shown) handle.engine().fail_evaluation();
      handle.text = std::move(*shown);
    }
    *text = handle.text.c_str();
  });
}

nesl_error* nesl_get_int(const nesl_value* value, int64_t* number) {
  return reading_call(value, number, [&](ValueHandle& handle) { *number = read_int(handle.engine(), handle.data); });
}

nesl_error* nesl_get_float(const nesl_value* value, double* number) {
  return reading_call(value, number, [&](ValueHandle& handle) { *number = read_float(handle.engine(), handle.data); });
}

nesl_error* nesl_get_bool(const nesl_value* value, int* truth) {
  return reading_call(value, truth, [&](ValueHandle& handle) { *truth = read_bool(handle.engine(), handle.data); });
}

nesl_error* nesl_get_char(const nesl_value* value, unsigned char* character) {
  return reading_call(value, character,
                      [&](ValueHandle& handle) { *character = read_char(handle.engine(), handle.data); });
}

nesl_error* nesl_length(const nesl_value* value, size_t* length) {
  return reading_call(value, length, [&](ValueHandle& handle) {
    if (contents(handle.data.shape).kind != nesl::ValueShape::Kind::kSequence)
      refuse(fmt::format("a value of type {} is no sequence", nesl::type_text(handle.data.shape)));
    *length = static_cast<size_t>(handle.data.entries[0].elements());
  });
}

nesl_error* nesl_data(const nesl_value* value, nesl_element element, const void** data, size_t* length) {
  return reading_call(value, data, [&](ValueHandle& handle) {
    if (length == nullptr) refuse("the place for the length is NULL");
    auto known = handle.elements.find(element);
    if (known == handle.elements.end())
      known = handle.elements.emplace(element, read_elements(handle.engine(), handle.data, element)).first;
    *data = known->second.data;
    *length = known->second.length;
  });
}

nesl_error* nesl_data_on_device(const nesl_value* value, nesl_element element, const void** data, size_t* length) {
  return reading_call(value, data, [&](ValueHandle& handle) {
    if (length == nullptr) refuse("the place for the length is NULL");
    if (!handle.on_device || handle.on_device->element != element)
      handle.on_device = read_on_device(handle.engine(), handle.data, element);
    *data = handle.on_device->data;
    *length = handle.on_device->length;
  });
}

nesl_error* nesl_offsets(const nesl_value* value, const int64_t** offsets, size_t* length) {
  return reading_call(value, offsets, [&](ValueHandle& handle) {
    if (length == nullptr) refuse("the place for the length is NULL");
    if (!handle.offsets) handle.offsets = read_offsets(handle.engine(), handle.data);
    *offsets = handle.offsets->data;
    *length = handle.offsets->length;
  });
}

}  // extern "C"
