#include "token_cursor.h"

#include <charconv>

#include <fmt/format.h>

#include "base/check.h"
#include "site_comment.h"

namespace vcode {

std::string quoted(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  const std::string shown = base::printable(base::cut_text(text, kLongest));
  return text.size() <= kLongest ? shown : shown + "...";
}

std::optional<std::int64_t> to_int(std::string_view text) {
  VC_CHECK(!text.empty());
  if (text.front() == '+') text.remove_prefix(1);
  std::int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  return value;
}

void TokenCursor::advance() {
  last_ = token_;
  for (;;) {
    token_ = lexer_.next();
    word_ = {};
    switch (token_.kind) {
      case TokenKind::kStray:
        report_stray();
        continue;
      case TokenKind::kUnterminatedComment:
        cut_off_ = true;
        error({token_.span.begin, token_.span.begin + 1}, "this comment has no closing }");
        continue;
      case TokenKind::kUnterminatedString:
        cut_off_ = true;
        error({token_.span.begin, token_.span.begin + 1}, "this string has no closing quote");
        continue;
      case TokenKind::kWord:
        word_ = find_word(text());
        return;
      default:
        return;
    }
  }
}

void TokenCursor::report_stray() {
  char c = text().front();
  if (c == '}')
    error(token_.span, "unexpected }; a comment ends at the first }");
  else if (c > ' ' && c <= '~')
    error(token_.span, fmt::format("unexpected character {}", c));
  else
    error(token_.span, fmt::format("unexpected byte 0x{:02X}", static_cast<unsigned char>(c)));
}

void TokenCursor::error(base::Span span, std::string message, std::vector<base::Diagnostic::Note> notes) {
  if (cut_off_ && token_.kind == TokenKind::kEnd) return;
  errors_.add(span, std::move(message), std::move(notes));
}

std::optional<std::int64_t> TokenCursor::read_count(base::Span statement, std::string_view complaint) {
  if (token_.kind != TokenKind::kInteger) {
    error(begins_statement() ? statement : token_.span, fmt::format("{}, not {}", complaint, found()));
    return std::nullopt;
  }
  base::Span span = token_.span;
  std::optional<std::int64_t> value = to_int(text());
  std::string number(text());
  advance();
  if (!value || *value < 0) {
    error(span, value ? fmt::format("{}, which cannot be negative", complaint)
                      : fmt::format("{} does not fit in 64 bits", quoted(number)));
    return std::nullopt;
  }
  return value;
}

std::optional<Suffix> TokenCursor::read_suffix(base::Span mnemonic, const OpInfo& op) {
  if (!is(WordClass::kType)) {
    if (op.takes(Suffix::kNone)) return Suffix::kNone;
    error(mnemonic, fmt::format("{} needs a type: {}", op.text, suffix_list(op)));
    return std::nullopt;
  }
  const Suffix suffix = word_.type;
  base::Span whole{mnemonic.begin, token_.span.end};
  advance();
  if (op.takes(suffix)) return suffix;
  error(whole,
        fmt::format("{} {} does not exist: {} takes {}", op.text, suffix_name(suffix), op.text, suffix_list(op)));
  return std::nullopt;
}

std::uint32_t TokenCursor::read_site(Program& program) {
  std::string_view all = source_.text();
  std::size_t at = last_.span.end;
  while (at < all.size() && (all[at] == ' ' || all[at] == '\t')) ++at;
  if (at + 1 >= all.size() || all[at] != '{' || all[at + 1] != '@') return kNoSite;
  std::size_t close = all.find('}', at);
  if (close == all.npos) return kNoSite;
  std::optional<InstructionSite> site = parse_site(all.substr(at + 2, close - at - 2), program.inlined, call_numbers_);
  if (!site) return kNoSite;
  program.sites.push_back(std::move(*site));
  return static_cast<std::uint32_t>(program.sites.size() - 1);
}

}  // namespace vcode
