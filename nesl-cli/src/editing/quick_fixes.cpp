#include "quick_fixes.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "nesl-compiler/cursor.h"
#include "nesl-compiler/outline.h"

namespace nesl_cli {

namespace {

/// The rest of a text behind a beginning; nothing if it begins otherwise.
std::optional<std::string_view> behind(std::string_view text, std::string_view beginning) {
  return text.starts_with(beginning) ? std::optional(text.substr(beginning.size())) : std::nullopt;
}

bool is_number(std::string_view text) { return !text.empty() && text.find_first_not_of("0123456789") == text.npos; }

/// Collects the fixes of one diagnostic.
class Fixes {
 public:
  Fixes(const nesl::Session& session, const base::Source& source, const base::Diagnostic& diagnostic)
      : session_(session), source_(source), span_(diagnostic.span), message_(diagnostic.message) {}

  void read_message();
  void read_note(std::string_view note);
  std::vector<QuickFix> take() { return std::move(fixes_); }

 private:
  void add(std::string title, base::Span span, std::string text) {
    fixes_.push_back({std::move(title), {{span, std::move(text)}}});
  }
  void change_to(base::Span span, const std::string& text) { add(fmt::format("Change to {}", text), span, text); }
  void replace_lookalike();
  void mark_comment();
  void declare(std::string_view function);
  char following() const { return span_.end < source_.text().size() ? source_.text()[span_.end] : '\0'; }

  const nesl::Session& session_;
  const base::Source& source_;
  const base::Span span_;
  const std::string& message_;
  std::vector<QuickFix> fixes_;
};

void Fixes::read_message() {
  constexpr std::string_view kUnterminated = "missing ; or $", kColon = "a colon is missing between ",
                             kType = " and its type: ";
  const std::string_view message = message_;
  if (message.starts_with(kUnterminated)) {
    const std::uint32_t end = nesl::end_of_code_before(source_.text(), span_.begin);
    add("Add the missing ;", {end, end}, ";");
  } else if (message.starts_with(kColon) && message.find(kType) != message.npos) {
    change_to(span_, std::string(message.substr(message.find(kType) + kType.size())));
  } else if (message.starts_with("the word function is missing")) {
    add("Add the word function", {span_.begin, span_.begin}, "function ");
  } else if (message == "a comment is written % like this %") {
    mark_comment();
  } else {
    replace_lookalike();
  }
}

/// "X is a dash; write -": replaces the character, and the one that closes a quotation.
void Fixes::replace_lookalike() {
  constexpr std::string_view kWrite = "; write ";
  const std::size_t write = message_.rfind(kWrite);
  if (message_.find(" is a ") == message_.npos || write == message_.npos) return;
  const std::string named = message_.substr(write + kWrite.size());
  const std::string meant = named == "an ordinary blank" ? std::string(1, ' ') : named;
  QuickFix fix{meant == " " ? "Change to a blank" : fmt::format("Change to {}", meant), {{span_, meant}}};
  if (meant == "\"") {
    const std::string_view line = source_.text().substr(0, source_.text().find('\n', span_.end));
    for (std::size_t at = span_.end; at + 2 < line.size(); ++at) {
      const std::string_view quote = line.substr(at, 3);
      if (quote != "\xE2\x80\x9C" && quote != "\xE2\x80\x9D" && quote != "\xE2\x80\x9E") continue;
      fix.changes.push_back({{static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + 3)}, meant});
      break;
    }
  }
  fixes_.push_back(std::move(fix));
}

/// Makes a NESL comment of one that begins with # or //, or stands between /* and */.
void Fixes::mark_comment() {
  const std::string_view text = source_.text();
  const bool is_block = source_.text(span_) == "/*";
  std::size_t end = is_block ? text.find("*/", span_.end) : std::min(text.find('\n', span_.end), text.size());
  if (end == text.npos || text.substr(span_.end, end - span_.end).find('%') != text.npos) return;
  if (!is_block && text[end - 1] == '\r') --end;
  const auto at = static_cast<std::uint32_t>(end);
  fixes_.push_back(
      {"Make it a comment of NESL", {{span_, "%"}, {{at, is_block ? at + 2 : at}, is_block ? "%" : " %"}}});
}

/// Declares a function that is defined further down in front of the statement that uses it.
void Fixes::declare(std::string_view function) {
  const std::optional<nesl::Description> found = session_.describe(function);
  if (!found || !found->is_function || found->prelude) return;
  for (const nesl::OutlineItem& item : nesl::outline(source_)) {
    if (span_.begin < item.span.begin || item.span.end < span_.end) continue;
    const std::uint32_t at = item.span.begin;
    add(fmt::format("Declare {} before this", function), {at, at},
        fmt::format("function {}(x) : {};\n", function, found->type));
    return;
  }
}

void Fixes::read_note(std::string_view note) {
  const std::string_view text = source_.text(span_);
  const std::string suggested = nesl::suggested_name(note);
  const std::optional<std::string_view> literal = behind(note, "as a float it is ");
  const std::optional<std::string_view> wanted = behind(note, "write ");
  const std::optional<std::string_view> later =
      behind(note, "it is defined further down: declare it before this place, function ");
  if (!suggested.empty())
    change_to(nesl::cursor_context(source_.text(), span_.begin).word, suggested);
  else if (literal)
    change_to(span_, std::string(literal->substr(0, literal->find(';'))));
  else if (wanted && is_number(text) && *wanted == fmt::format("{}.0", text))
    change_to(span_, std::string(*wanted));
  else if (later)
    declare(later->substr(0, later->find('(')));
  else if (note == "== compares" && text == "=")
    change_to(span_, "==");
  else if (note.starts_with("not(a) negates") && text == "!" && following() == '=')
    change_to({span_.begin, span_.end + 1}, "/=");
  else if (note == "and joins conditions" && text == "&")
    change_to({span_.begin, following() == '&' ? span_.end + 1 : span_.end}, "and");
  else if (note.starts_with("it is written else if") && message_.ends_with("is no word of NESL"))
    change_to(span_, "else if");
}

}  // namespace

std::vector<QuickFix> quick_fixes(const nesl::Session& session, const base::Source& source,
                                  const base::Diagnostic& diagnostic) {
  if (diagnostic.span.end > source.text().size()) return {};
  Fixes fixes(session, source, diagnostic);
  fixes.read_message();
  for (const base::Diagnostic::Note& note : diagnostic.notes)
    if (!note.located) fixes.read_note(note.message);
  return fixes.take();
}

std::vector<TextChange> changed_lines(std::string_view before, std::string_view after) {
  if (before == after) return {};
  const std::size_t shorter = std::min(before.size(), after.size());
  std::size_t begin = 0, end = 0;  // bytes that are the same at the beginning and at the end
  while (begin < shorter && before[begin] == after[begin]) ++begin;
  begin = begin == 0 ? 0 : before.rfind('\n', begin - 1) + 1;
  while (end < shorter - begin && before[before.size() - end - 1] == after[after.size() - end - 1]) ++end;
  const std::size_t line = before.find('\n', before.size() - end);
  end = line == before.npos ? 0 : before.size() - line - 1;
  return {{{static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(before.size() - end)},
           std::string(after.substr(begin, after.size() - end - begin))}};
}

}  // namespace nesl_cli
