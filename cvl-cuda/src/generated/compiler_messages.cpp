#include "generated/compiler_messages.h"

#include <algorithm>
#include <charconv>

#include "generated/generated_kernel.h"

namespace cvl::cuda {
namespace {

/// The number at the beginning of a text; 0 if there is none.
std::uint32_t leading_number(std::string_view text) {
  std::uint32_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// The last of the lines that are named before the second error. Templates and functions precede the kernel that uses
/// them, so of the line of a template and the lines of its instantiations, the last is the line in the kernel.
std::uint32_t last_line(std::string_view messages) {
  const std::size_t first = messages.find("error: "), second = messages.find("error: ", messages.find('\n', first));
  if (second != messages.npos) messages = messages.substr(0, messages.rfind('\n', second));
  std::uint32_t last = 0;
  // NVRTC writes "kernel.cpp(12)" and "at line 12", other compilers "kernel.cpp:12".
  const std::string name = kTextName;
  for (const std::string& word : {name + "(", name + ":", std::string("at line ")})
    for (std::size_t at = messages.find(word); at != messages.npos; at = messages.find(word, at + 1))
      last = std::max(last, leading_number(messages.substr(at + word.size())));
  return last;
}

/// Line `number`, counted from 1; empty if the text has fewer lines.
std::string_view line_of(std::string_view text, std::uint32_t number) {
  std::size_t begin = 0;
  while (--number > 0)
    if ((begin = text.find('\n', begin) + 1) == 0) return "";
  return text.substr(begin, text.find('\n', begin) - begin);
}

}  // namespace

std::string first_error(std::string_view messages) {
  const std::size_t error = messages.find("error"),
                    begin = error == messages.npos ? 0 : messages.rfind('\n', error) + 1;
  return std::string(messages.substr(begin, messages.find('\n', begin) - begin));
}

std::optional<std::uint32_t> step_of_error(std::string_view text, std::string_view messages) {
  const std::uint32_t number = last_line(messages);
  if (number == 0) return std::nullopt;
  const std::string_view line = line_of(text, number);
  const std::size_t mark = line.rfind(kStepMark);
  if (mark == line.npos) return std::nullopt;
  return leading_number(line.substr(mark + kStepMark.size()));
}

}  // namespace cvl::cuda
