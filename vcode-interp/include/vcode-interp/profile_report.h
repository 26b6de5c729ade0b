#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "vcode-interp/profile.h"

namespace interp {

/// Facts that a report adds to the figures of a profile.
struct ProfileContext {
  /// Bytes per second that long vectors are read and written with on this machine; 0: unknown.
  double bandwidth = 0;
  /// The text of a line of a source file; empty if unknown. May be unset.
  std::function<std::string(const std::string& file, std::uint32_t line)> source_line = {};
};

/// Tables per source line, with kernels below their lines; per function, without the instructions of its callees; and
/// per instruction: the most expensive row first. Then what became of compiling the kernels.
std::string profile_table(const Profile& profile, const ProfileContext& context);
/// A page in HTML: the source as a heat map, with the same figures. It refers to no other files.
std::string profile_page(const Profile& profile, const ProfileContext& context);
/// The events in the JSON format that Perfetto and chrome://tracing read, by threads.
std::string chrome_trace(const Profile& profile);

}  // namespace interp
