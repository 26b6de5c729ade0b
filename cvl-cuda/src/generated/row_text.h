#pragma once

#include <string>

#include "vcode/op.h"

namespace cvl::cuda {

/// A row of ops.def, as C++ text that behaves like the structure of that name in vcode::ops: eval() of an elementwise
/// operation, and fault() if it can be at fault. The expressions are those of the table, so every row has a text.
std::string elementwise_text(vcode::Op op);
/// The same of vcode::monoids: neutral(), identity() and combine().
std::string monoid_text(vcode::Monoid monoid);
/// What monoid_text() calls it.
std::string_view monoid_name(vcode::Monoid monoid);

}  // namespace cvl::cuda
