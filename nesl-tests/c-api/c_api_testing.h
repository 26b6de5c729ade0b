#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "nesl.h"

namespace c_api {

/// Fails the test if there is an error. Frees the error.
inline void expect_no_error(nesl_error* error) {
  EXPECT_EQ(error, nullptr) << nesl_error_report(error);
  nesl_error_free(error);
}

/// The message of an error, which must be of this class. Frees the error.
inline std::string message_of(nesl_error* error, nesl_error_class kind = NESL_ERROR_ARGUMENT) {
  EXPECT_EQ(nesl_error_kind(error), kind) << nesl_error_report(error);
  const std::string message = nesl_error_message(error);
  EXPECT_EQ(std::string(nesl_error_report(error)).find('\0'), std::string::npos);
  nesl_error_free(error);
  return message;
}

/// A session that frees its values at the end.
class Session {
 public:
  explicit Session(const char* text = "", nesl_options options = NESL_OPTIONS_INIT) {
    options.kernel_cache = "off";
    expect_no_error(nesl_open(&options, &session_));
    expect_no_error(nesl_load(session_, "test.nesl", text));
  }
  ~Session() {
    for (nesl_value* value : values_) nesl_value_free(value);
    for (nesl_function* function : functions_) nesl_function_free(function);
    nesl_close(session_);
  }
  Session(const Session&) = delete;

  nesl_session* get() const { return session_; }

  /// Registers a value for freeing, and returns it.
  nesl_value* keep(nesl_value* value) { return values_.emplace_back(value); }
  template <class Function, class... Arguments>
  nesl_value* make(Function* function, Arguments... arguments) {
    nesl_value* value = nullptr;
    expect_no_error(function(arguments..., &value));
    return keep(value);
  }

  nesl_value* integer(std::int64_t number) { return make(nesl_int, session_, number); }
  nesl_value* number(double x) { return make(nesl_float, session_, x); }
  nesl_value* array(nesl_element element, const void* data, std::size_t length) {
    return make(nesl_array, session_, element, data, length);
  }
  nesl_value* ints(const std::vector<std::int32_t>& numbers) {
    return array(NESL_INT32, numbers.data(), numbers.size());
  }
  nesl_value* floats(const std::vector<double>& numbers) { return array(NESL_FLOAT64, numbers.data(), numbers.size()); }
  nesl_value* string(const std::string& text) { return array(NESL_CHAR8, text.data(), text.size()); }
  nesl_value* nested(nesl_value* elements, const std::vector<std::int64_t>& offsets) {
    return make(nesl_nest, elements, offsets.data(), offsets.size() - 1);
  }
  nesl_value* tuple(std::vector<nesl_value*> parts) { return make(nesl_tuple, parts.data(), parts.size()); }
  nesl_value* zip(std::vector<nesl_value*> parts) { return make(nesl_zip, parts.data(), parts.size()); }

  nesl_function* lookup(const char* name, const char* types) {
    nesl_function* function = nullptr;
    expect_no_error(nesl_lookup(session_, name, types, &function));
    return functions_.emplace_back(function);
  }
  nesl_value* call(const nesl_function* function, std::vector<nesl_value*> arguments) {
    nesl_value* result = nullptr;
    expect_no_error(nesl_call(function, arguments.data(), arguments.size(), &result));
    return keep(result);
  }
  nesl_error* failing_call(const nesl_function* function, std::vector<nesl_value*> arguments) {
    nesl_value* result = nullptr;
    nesl_error* error = nesl_call(function, arguments.data(), arguments.size(), &result);
    EXPECT_NE(error, nullptr);
    EXPECT_EQ(result, nullptr);
    return error;
  }

 private:
  nesl_session* session_ = nullptr;
  std::vector<nesl_value*> values_;
  std::vector<nesl_function*> functions_;
};

/// The text of a value and its type, as NESL writes them: "[1, 2] : [int]".
inline std::string shown(nesl_value* value) {
  const char* text = nullptr;
  expect_no_error(nesl_value_text(value, &text));
  const char* type = nesl_value_type(value);
  return text == nullptr || type == nullptr ? "" : std::string(text) + " : " + type;
}

template <class T>
std::vector<T> elements_of(nesl_value* value, nesl_element element) {
  const void* data = nullptr;
  std::size_t length = 0;
  expect_no_error(nesl_data(value, element, &data, &length));
  const T* first = static_cast<const T*>(data);
  return std::vector<T>(first, first + length);
}

inline std::vector<std::int64_t> offsets_of(nesl_value* value) {
  const std::int64_t* offsets = nullptr;
  std::size_t length = 0;
  expect_no_error(nesl_offsets(value, &offsets, &length));
  return offsets == nullptr ? std::vector<std::int64_t>() : std::vector<std::int64_t>(offsets, offsets + length + 1);
}

}  // namespace c_api
