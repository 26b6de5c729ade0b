#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace base {

/// A range of bytes [begin, end) of one source text.
struct Span {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  friend bool operator==(Span, Span) = default;
};

/// A program text with the name it is reported under. Texts are limited to 4 GiB - 1.
class Source {
 public:
  struct Position {
    std::uint32_t line;    ///< from first_line, which is usually 1
    std::uint32_t column;  ///< from 1, in bytes
  };

  /// `first_line` is the number of the text's first line, for a text that is part of a longer one. `added` follows the
  /// text, as the terminator of an expression that a user need not type; messages do not show it.
  Source(std::string name, std::string text, std::uint32_t first_line = 1, std::string_view added = {});

  const std::string& name() const { return name_; }
  std::string_view text() const { return text_; }
  std::string_view text(Span span) const { return std::string_view(text_).substr(span.begin, span.end - span.begin); }
  Position position(std::uint32_t offset) const;
  /// The text of a line, without its end; empty if there is no such line.
  std::string_view line(std::uint32_t number) const;
  /// Whether the text at this offset is not the user's.
  bool is_added(std::uint32_t offset) const { return offset >= typed_; }

 private:
  std::string name_;
  std::string text_;
  std::size_t typed_;  ///< bytes of the user's text
  std::uint32_t first_line_;
  std::vector<std::uint32_t> line_starts_;
};

enum class Severity : std::uint8_t { kError, kWarning };

/// A message to the user about a location in a program.
struct Diagnostic {
  struct Note {
    Span span;
    std::string message;
    bool located = true;  ///< false: the note has no location, and `span` is unused
  };
  Severity severity = Severity::kError;
  Span span;
  std::string message;
  std::vector<Note> notes{};
  std::string code{};  ///< class of the error in languages that have classes, for example "syntax"; not shown
};

/// Collects diagnostics in the order they are found.
class Diagnostics {
 public:
  Diagnostic& error(Span span, std::string message);
  Diagnostic& warning(Span span, std::string message);
  bool has_errors() const { return errors_ > 0; }
  int errors() const { return errors_; }
  const std::vector<Diagnostic>& all() const { return all_; }

 private:
  std::vector<Diagnostic> all_;
  int errors_ = 0;
};

/// Bytes of the UTF-8 character that a text begins with: 1 to 4, or 0 if its first byte begins none. The ranges are
/// those of table 3-7, "Well-Formed UTF-8 Byte Sequences", of the Unicode Standard, version 15.
std::size_t character_length(std::string_view text);
/// Text for messages, on one line and with as many columns as characters: a control character becomes a blank, a byte
/// that is not part of a UTF-8 character becomes a question mark.
std::string printable(std::string_view text);
/// The longest beginning of a text that has at most `bytes` bytes and ends between two characters.
std::string_view cut_text(std::string_view text, std::size_t bytes);

/// Two lines, each indented by two blanks: a source line, printable, and a caret and tildes below its bytes [begin,
/// end), at least one. A long line is reduced to a window around `begin`.
std::string show_source(std::string_view line, std::size_t begin, std::size_t end);

/// "name:line:column: error: message", the source line, a caret, and the notes in the same form.
std::string render(const Source& source, const Diagnostic& diagnostic);
std::string render(const Source& source, const Diagnostics& diagnostics);

}  // namespace base
