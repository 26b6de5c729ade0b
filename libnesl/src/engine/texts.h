#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/diagnostics.h"

namespace nesl_c {

/// Texts that errors quote, by keys. The key of a text is its name, followed by a mark if an earlier text has the same
/// name; programs have the key in place of the name. So an error in a function of an earlier text quotes that text, and
/// no later one of the same name.
class Texts {
 public:
  /// Adds a text and returns its key. Texts with the same name and content have the same key.
  const std::string& add(const std::string& name, const std::string& text);
  /// A line of a text; empty if there is no such line.
  std::string_view line(const std::string& key, std::uint32_t number) const;

  /// A message or a key without marks.
  static std::string without_marks(std::string text);

 private:
  std::map<std::string, base::Source> texts_;  // by key
};

}  // namespace nesl_c
