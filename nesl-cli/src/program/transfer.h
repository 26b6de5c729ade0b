#pragma once

#include "runtime/evaluator.h"

namespace nesl_cli {

/// Copies a vector or descriptor to the memory of another vector library. kNone if memory runs out.
runtime::Value transfer(const runtime::Value& value, runtime::Evaluator& from, runtime::Evaluator& to);

}  // namespace nesl_cli
