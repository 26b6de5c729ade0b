#pragma once

#include <stdexcept>
#include <string>

namespace interp {

/// Ends a run: the program did something that cannot be done. The machine adds where.
class RunError : public std::runtime_error {
 public:
  explicit RunError(const std::string& message, int exit_status = 1)
      : std::runtime_error(message), exit_status_(exit_status) {}
  int exit_status() const { return exit_status_; }

 private:
  int exit_status_;
};

}  // namespace interp
