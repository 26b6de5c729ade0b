#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cvl::cuda {

/// File name under which compilers see the text of a kernel, so that their messages name its lines.
inline constexpr const char* kTextName = "kernel.cpp";

/// The first line of a compiler's messages that contains an error; the very first line if none does.
std::string first_error(std::string_view messages);

/// The step of a kernel that the first error in its text concerns; none if the error is outside the text of a step.
std::optional<std::uint32_t> step_of_error(std::string_view text, std::string_view messages);

}  // namespace cvl::cuda
