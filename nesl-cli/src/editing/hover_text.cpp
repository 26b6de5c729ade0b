#include "hover_text.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "nesl-compiler/cursor.h"

namespace nesl_cli {

namespace {

constexpr std::string_view kBlanks = " \t\r\n";

std::string_view without_blanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  return begin == text.npos ? "" : text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

/// The documentation with a paragraph about work and depth behind it, unless it says something about them itself.
std::string with_cost(std::string documentation, const std::string& cost) {
  const bool says_it =
      documentation.find("Work ") != documentation.npos && documentation.find("depth") != documentation.npos;
  if (says_it || cost.empty()) return documentation;
  return fmt::format("{}{}{}", documentation, documentation.empty() ? "" : "\n\n", cost);
}

/// Signature of a name: `name(parameters) : type`.
std::string signature(const nesl::Description& description) {
  std::string text = description.name;
  if (!description.parts.empty()) text += fmt::format("({})", fmt::join(description.parts, ", "));
  return description.type.empty() ? text : fmt::format("{} : {}", text, description.type);
}

std::optional<nesl::Description> word_of_language(std::string_view word) {
  const std::vector<nesl::Description>& words = nesl::language_words();
  const auto found = std::find_if(words.begin(), words.end(), [&](const auto& w) { return w.name == word; });
  return found == words.end() ? std::nullopt : std::optional(*found);
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

}  // namespace

std::string comment_above(std::string_view text, std::uint32_t offset) {
  const std::size_t line = offset == 0 ? 0 : text.rfind('\n', offset - 1) + 1;
  const std::string_view before = text.substr(0, line);
  const std::size_t last = before.find_last_not_of(kBlanks);
  if (last == before.npos || last == 0 || before[last] != '%') return {};
  if (std::count(before.begin() + static_cast<std::ptrdiff_t>(last), before.end(), '\n') != 1) return {};
  const std::size_t begin = before.rfind('%', last - 1);
  if (begin == before.npos) return {};
  // A comment behind other code of its line documents that code.
  const std::size_t comment_line = begin == 0 ? 0 : before.rfind('\n', begin - 1) + 1;
  if (!without_blanks(before.substr(comment_line, begin - comment_line)).empty()) return {};
  std::string comment;
  std::string_view rest = without_blanks(before.substr(begin + 1, last - begin - 1));
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    comment += fmt::format("{}{}", comment.empty() ? "" : "\n", without_blanks(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return comment;
}

std::string documentation_text(const nesl::Description& description) {
  std::string_view rest = without_blanks(description.doc);
  std::string text, costs;
  while (!rest.empty()) {
    std::size_t end = rest.find(". ");
    end = end == rest.npos ? rest.size() : end + 1;
    const std::string_view sentence = rest.substr(0, end);
    const bool is_cost = sentence.starts_with("Work ") && sentence.find("depth") != sentence.npos;
    std::string& part = is_cost ? costs : text;
    part += fmt::format("{}{}", part.empty() ? "" : " ", sentence);
    rest = without_blanks(rest.substr(end));
  }
  if (!costs.empty()) text += fmt::format("{}{}", text.empty() ? "" : "\n\n", costs);
  return text;
}

std::optional<HoverText> hover_text(const ProgramAnalysis& program, std::uint32_t offset) {
  const nesl::Session& session = program.session();
  if (const std::optional<nesl::NameUse> use = program.name_at(offset)) {
    const nesl::NameUses& names = session.names_in_texts();
    const nesl::Place declared = names.declaration(*use);
    std::string comment;
    if (names.definition(*use) != nullptr && declared.source != nullptr)
      comment = comment_above(declared.source->text(), declared.span.begin);
    const nesl::Description description = session.describe(*use);
    return HoverText{
        signature(description),
        with_cost(description.doc.empty() ? comment : documentation_text(description), session.cost_of(*use)),
        program.place_in_file(use->place).span};
  }
  const nesl::CursorContext context = nesl::cursor_context(program.source().text(), offset);
  if (!context.in_code || context.word.begin == context.word.end) return std::nullopt;
  const std::string word = lower_case(program.source().text(context.word));
  std::optional<nesl::Description> found = word_of_language(word);
  if (found) return HoverText{signature(*found), documentation_text(*found), context.word};
  if (!context.after_dot) found = session.describe(word);
  if (!found) return std::nullopt;
  return HoverText{signature(*found), with_cost(documentation_text(*found), session.cost_of(word)), context.word};
}

}  // namespace nesl_cli
