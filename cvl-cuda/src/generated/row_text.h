#pragma once

#include <string>

#include "vcode/op.h"

namespace cvl::cuda {

/// A row of ops.def, as C++ text that behaves like the structure of that name in vcode::ops: eval() of an elementwise
/// operation, and fault() if it can be at fault. The expressions are copied from the table, so every row has a text.
std::string elementwise_text(vcode::Op op);
/// A monoid of ops.def as C++ text, like its structure in vcode::monoids: identity(), empty_value() and combine().
std::string monoid_text(vcode::Monoid monoid);
/// The name of the structure that monoid_text() defines.
std::string_view monoid_name(vcode::Monoid monoid);

}  // namespace cvl::cuda
