#pragma once

#include "cvl/evaluator.h"

namespace nesl_cli {

/// The same vector or descriptor in the memory of another vector library. kNone if memory runs out.
cvl::Value transfer(const cvl::Value& value, cvl::Evaluator& from, cvl::Evaluator& to);

}  // namespace nesl_cli
