#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cvl::cuda {

/// What compilers are told that the text of a kernel is called, so that their messages name its lines.
inline constexpr const char* kTextName = "kernel.cpp";

/// The first line of a compiler's messages that tells an error; the first of all if none does.
std::string first_error(std::string_view messages);

/// The step that the first error in the text of a kernel is about, if it is in the text of a step.
std::optional<std::uint32_t> step_of_error(std::string_view text, std::string_view messages);

}  // namespace cvl::cuda
