#pragma once

#include <stdexcept>
#include <string>

#include "cvl/backend.h"

namespace interp {

/// Ends a run with a message. report_error() adds the location.
class RunError : public std::runtime_error {
 public:
  /// Cause of the error: the program, or its environment (memory, time, an interrupt).
  enum class Blame : std::uint8_t { kProgram, kSurroundings };

  explicit RunError(const std::string& message, Blame blame = Blame::kProgram, int exit_status = 1)
      : std::runtime_error(message), blame_(blame), exit_status_(exit_status) {}
  /// Error of an operation; message and fault are those of the evaluator.
  RunError(const std::string& message, const cvl::Fault& fault)
      : RunError(message, fault.kind == cvl::FaultKind::kOutOfMemory ? Blame::kSurroundings : Blame::kProgram) {
    fault_ = fault;
  }

  Blame blame() const { return blame_; }
  /// The element at fault and its value; kind kNone if no element is at fault.
  const cvl::Fault& fault() const { return fault_; }
  int exit_status() const { return exit_status_; }

 private:
  Blame blame_;
  int exit_status_;
  cvl::Fault fault_;
};

}  // namespace interp
