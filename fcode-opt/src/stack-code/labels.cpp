#include "labels.h"

#include <algorithm>

#include <fmt/format.h>

#include "vcode/reader.h"

namespace vcode::letform {
namespace {

/// Maximal length of labels: the classic interpreter stores them in arrays of 50 characters.
constexpr std::size_t kLongestLabel = 49;

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-+*/%<>=!._").find(c) != std::string_view::npos;
}
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

}  // namespace

std::string Labels::make(std::string_view wanted) {
  std::string label(wanted.substr(0, kLongestLabel));
  std::replace_if(
      label.begin(), label.end(), [](char c) { return !is_word_character(c); }, '_');
  // A label that does not begin with a letter might be read as a number.
  if (label.empty() || !is_letter(label[0])) label.insert(0, 1, '_').resize(std::min(label.size(), kLongestLabel));
  if (!can_name_function(label)) label = label.substr(0, kLongestLabel - 1) + "_";
  int& made = used_[label];
  if (made++ == 0) return label;
  // The number replaces the end of a label that would be too long.
  std::string numbered;
  do {
    std::string number = fmt::format("_{}", made++);
    numbered = label.substr(0, kLongestLabel - number.size()) + number;
  } while (used_.contains(numbered));
  used_.emplace(numbered, 1);
  return numbered;
}

}  // namespace vcode::letform
