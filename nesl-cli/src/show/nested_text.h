#pragma once

#include <string>

#include "show/step.h"

namespace nesl_cli {

/// The value of a step as NESL writes it, for all instances together: nesting levels are brackets around instances, and
/// a point stands in place of instances that a filter or branch leaves out: `[[1, ·], [9]]`. Elements that were not
/// kept, and what would be longer than `longest` characters, are three points.
std::string nested_text(const Step& step, std::size_t longest);
/// Type of that value: `[[int]]`.
std::string nested_type(const Step& step);

/// Stands for an instance that a filter or branch leaves out.
inline constexpr const char* kLeftOutText = "·";
inline constexpr const char* kCutText = "…";

}  // namespace nesl_cli
