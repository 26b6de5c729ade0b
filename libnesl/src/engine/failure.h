#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "nesl.h"

namespace nesl_c {

/// What an error object has to tell: see the functions of nesl.h.
struct Failure {
  nesl_error_class kind = NESL_ERROR_INTERNAL;
  std::string message;
  std::string report;  ///< whole lines
  std::string file = {}, function = {};
  std::uint32_t line = 0, column = 0;
  std::vector<std::int64_t> path = {};  ///< the outermost position first
  bool path_complete = false;
};

/// Carries a failure to the border of the library.
class Failed : public std::exception {
 public:
  explicit Failed(Failure failure) : failure_(std::move(failure)) {}
  /// One without a place.
  Failed(nesl_error_class kind, std::string message) {
    failure_.kind = kind;
    failure_.report = message + "\n";
    failure_.message = std::move(message);
  }
  const Failure& failure() const { return failure_; }
  const char* what() const noexcept override { return failure_.message.c_str(); }

 private:
  Failure failure_;
};

/// For what the caller has handed over.
[[noreturn]] inline void refuse(std::string message) { throw Failed(NESL_ERROR_ARGUMENT, std::move(message)); }

}  // namespace nesl_c
