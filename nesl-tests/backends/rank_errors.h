#pragma once

#include <exception>
#include <span>

#include "cvl/backend.h"

namespace cvl::conformance {

/// Throws what a rank of a job has thrown, if any has. Ranks that throw BackendLost only say that another one has
/// failed.
inline void rethrow_error_of_ranks(std::span<const std::exception_ptr> errors) {
  std::exception_ptr thrown;
  for (const std::exception_ptr& error : errors) {
    if (error == nullptr) continue;
    try {
      std::rethrow_exception(error);
    } catch (const BackendLost&) {
      if (thrown == nullptr) thrown = error;
    } catch (...) {
      thrown = error;
    }
  }
  if (thrown != nullptr) std::rethrow_exception(thrown);
}

}  // namespace cvl::conformance
