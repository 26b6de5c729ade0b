#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/diagnostics.h"

namespace nesl_c {

/// Texts that errors quote. Each is known by a key, which programs have for its name: the name, with a mark behind it
/// if an earlier text has that name. So an error in a function of an earlier text quotes that one, and not a later one.
class Texts {
 public:
  /// The key of a text, the same for texts with the same name and content.
  const std::string& add(const std::string& name, const std::string& text);
  /// A line of a text; empty if it does not have it.
  std::string_view line(const std::string& key, std::uint32_t number) const;

  /// A message or a key without marks.
  static std::string without_marks(std::string text);

 private:
  std::map<std::string, base::Source> texts_;  // by key
};

}  // namespace nesl_c
