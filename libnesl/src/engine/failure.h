#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "nesl.h"

namespace nesl_c {

/// The contents of an error object; see the nesl_error_ functions of nesl.h.
struct Failure {
  nesl_error_class kind = NESL_ERROR_INTERNAL;
  std::string message;
  std::string report;  ///< whole lines
  std::string file = {}, function = {};
  std::uint32_t line = 0, column = 0;
  std::vector<std::int64_t> path = {};  ///< the outermost index first
  bool path_complete = false;
};

/// Exception that carries a failure to the functions of nesl.h.
class Failed : public std::exception {
 public:
  explicit Failed(Failure failure) : failure_(std::move(failure)) {}
  /// A failure without a location.
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

/// Throws the error of an invalid argument.
[[noreturn]] inline void refuse(std::string message) { throw Failed(NESL_ERROR_ARGUMENT, std::move(message)); }

}  // namespace nesl_c
