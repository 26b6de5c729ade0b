#include "completion_items.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "editing/hover_text.h"
#include "nesl-compiler/cursor.h"
#include "terminal/completion.h"

namespace nesl_cli {

namespace {

CompletionItem item_of(const nesl::Description& description) {
  using Kind = CompletionItem::Kind;
  const Kind kind = description.is_datatype   ? Kind::kDatatype
                    : description.is_function ? Kind::kFunction
                                              : Kind::kVariable;
  return {description.name, kind, description.type};
}

/// Splits the argument of a function type, (a, [b]) -> c, at its commas; one range for an argument without parentheses.
std::vector<std::pair<std::size_t, std::size_t>> argument_ranges(std::string_view type) {
  std::vector<std::pair<std::size_t, std::size_t>> ranges;
  const bool is_tuple = type.starts_with('(');
  int depth = 0;
  for (std::size_t at = 0, begin = is_tuple ? 1 : 0; at < type.size(); ++at) {
    const char c = type[at];
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    const bool comma = is_tuple && c == ',' && depth == 1;
    const bool end = is_tuple ? depth == 0 : depth == 0 && type.substr(at).starts_with(" -> ");
    if (!comma && !end) continue;
    ranges.emplace_back(begin, at);
    if (end) return ranges;
    begin = at + 2;
  }
  return {};
}

}  // namespace

std::vector<CompletionItem> completion_items(const nesl::Session& session, std::string_view text,
                                             std::uint32_t offset) {
  const nesl::CursorContext context = nesl::cursor_context(text, offset);
  if (!context.in_code) return {};
  const std::string_view prefix = text.substr(context.word.begin, offset - context.word.begin);
  std::map<std::string, CompletionItem> items;
  const auto offer = [&](const CompletionItem& item) {
    if (begins_with(item.label, prefix)) items.try_emplace(item.label, item);
  };
  for (const std::string& name : session.names()) {
    const std::optional<nesl::Description> description = session.describe(name);
    if (!description) continue;
    if (!context.after_dot) offer(item_of(*description));
    if (context.after_dot && description->is_datatype)
      for (const std::string& field : description->parts)
        offer({field, CompletionItem::Kind::kField, fmt::format("field of {}", name)});
  }
  if (!context.after_dot) {
    for (const std::string& name : context.names) offer({name, CompletionItem::Kind::kVariable});
    for (const std::string& word : nesl::reserved_words()) offer({word, CompletionItem::Kind::kKeyword});
  }
  std::vector<CompletionItem> sorted;
  for (auto& [name, item] : items) sorted.push_back(std::move(item));
  return sorted;
}

std::optional<SignatureHelp> signature_help(const nesl::Session& session, std::string_view text, std::uint32_t offset) {
  const nesl::CursorContext cursor = nesl::cursor_context(text, offset);
  if (!cursor.in_code || !cursor.call) return std::nullopt;
  const std::optional<nesl::Description> description = session.describe(cursor.call->function);
  if (!description || !description->is_function) return std::nullopt;
  SignatureHelp help{.label = description->name, .documentation = documentation_text(*description)};
  if (const auto parameters = session.parameters_of(cursor.call->function)) {
    // The classes of type variables follow once, behind all parameters.
    constexpr std::string_view kContext = " :: ";
    const auto without_context = [&](const std::string& type) { return type.substr(0, type.find(kContext)); };
    help.label += '(';
    for (const nesl::Parameter& parameter : *parameters) {
      if (!help.parameters.empty()) help.label += ", ";
      const std::size_t begin = help.label.size();
      help.label += fmt::format("{} : {}", parameter.name, without_context(parameter.type));
      help.parameters.emplace_back(begin, help.label.size());
    }
    help.label += ')';
    if (const std::size_t context = description->type.find(kContext); context != std::string::npos)
      help.label += description->type.substr(context);
  } else {
    help.label += " : ";
    for (const auto& [begin, end] : argument_ranges(description->type))
      help.parameters.emplace_back(help.label.size() + begin, help.label.size() + end);
    help.label += description->type;
  }
  help.active = cursor.call->argument;
  return help;
}

}  // namespace nesl_cli
