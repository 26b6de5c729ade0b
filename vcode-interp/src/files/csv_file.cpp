// Comma-separated values: RFC 4180, with LF, CR LF or CR at the end of a line.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "files/file_formats.h"
#include "files/file_text.h"
#include "files/whole_file.h"

namespace interp {

using vcode::Suffix;

namespace {

/// The type of a row in NESL.
struct Row {
  enum class Field : std::uint8_t { kInt, kFloat, kBool, kText };
  bool any_length = false;  ///< a sequence of `fields[0]`; else a tuple
  std::vector<Field> fields = {};
};

/// The row type of a request's type, such as "[(int, float)]", "[int]" or "[[float]]".
Row row_of(const FileRequest& request) {
  constexpr std::pair<std::string_view, Row::Field> kFields[] = {{"int", Row::Field::kInt},
                                                                 {"float", Row::Field::kFloat},
                                                                 {"bool", Row::Field::kBool},
                                                                 {"[char]", Row::Field::kText}};
  std::string_view type = request.type;
  const auto strip = [&](char open, char close) {
    if (!type.starts_with(open) || !type.ends_with(close)) return false;
    type = type.substr(1, type.size() - 2);
    return true;
  };
  if (!strip('[', ']')) refuse_type(request);
  Row row;
  if (type != "[char]") row.any_length = strip('[', ']');
  if (!row.any_length) strip('(', ')');
  while (true) {
    const std::size_t comma = std::min(type.find(", "), type.size());
    const auto* found = std::find_if(std::begin(kFields), std::end(kFields),
                                     [&](const auto& field) { return field.first == type.substr(0, comma); });
    if (found == std::end(kFields) || (row.any_length && (comma < type.size() || found->second == Row::Field::kText)))
      refuse_type(request);
    row.fields.push_back(found->second);
    if (comma == type.size()) return row;
    type.remove_prefix(comma + 2);
  }
}

/// The vectors of the rows read so far.
class Columns {
 public:
  Columns(const FileRequest& request, const Row& row) {
    const auto add = [&](Suffix kind) { value_.emplace_back(kind, *request.memory); };
    add(Suffix::kSegdes);
    if (row.any_length) add(Suffix::kSegdes);
    for (const Row::Field field : row.fields) {
      first_.push_back(value_.size());
      constexpr Suffix kKinds[] = {Suffix::kInt, Suffix::kFloat, Suffix::kBool, Suffix::kSegdes};
      add(kKinds[static_cast<int>(field)]);
      if (field == Row::Field::kText) add(Suffix::kByte);
    }
  }
  FileVector& of_field(std::size_t field) { return value_[first_[field]]; }
  FileVector& text_of_field(std::size_t field) { return value_[first_[field] + 1]; }
  FileVector& row_lengths() { return value_[1]; }
  FileValue finish(std::size_t rows) {
    value_[0].ints = {static_cast<std::int64_t>(rows)};
    return std::move(value_);
  }

 private:
  FileValue value_;
  std::vector<std::size_t> first_;  // number of the first vector of each field
};

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // written by spreadsheets before UTF-8

/// Options for reading a file.
struct CsvOptions {
  char separator = ',';
  std::int64_t skipped = 0;               ///< number of rows to skip at the beginning
  std::vector<std::string> missing = {};  ///< texts that stand for a missing float
  bool has_names = false;                 ///< the first row that is not skipped has the names of the columns
  std::vector<std::string> columns = {};  ///< names of the columns to read, in the order of the fields; none: all
};

/// Parses the options of a request, such as "separator=;".
CsvOptions options_of(const FileRequest& request) {
  CsvOptions options;
  for (const std::string& option : request.names) {
    const std::size_t end = std::min(option.find('='), option.size());
    const std::string name = option.substr(0, end), value = option.substr(std::min(end + 1, option.size()));
    if (name == "separator") {
      if (value.size() != 1 || value.find_first_of("\"\r\n") != std::string::npos)
        fail_file(request,
                  fmt::format("the separator '{}' is not one character that could stand between fields", value));
      options.separator = value[0];
    } else if (name == "skip") {
      if (parse_int(value, options.skipped) != NumberText::kNumber || options.skipped < 0)
        fail_file(request, fmt::format("'{}' is no number of rows to be skipped", value));
    } else if (name == "missing") {
      options.missing.push_back(value);
    } else if (name == "column") {
      options.has_names = true;
      options.columns.push_back(value);
    } else {
      fail_file(
          request,
          fmt::format("there is no option '{}' of CSV files: there are separator, skip, missing and column", name));
    }
  }
  return options;
}

class CsvReader {
 public:
  CsvReader(const FileRequest& request, CsvOptions options, TextPart part)
      : request_(request),
        options_(std::move(options)),
        row_(row_of(request)),
        part_(std::move(part)),
        text_(part_.text),
        begin_(text_.data() +
               (part_.is_first && view_of(text_).starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0)),
        at_(begin_),
        end_(text_.data() + text_.size()),
        columns_(request, row_) {}

  FileValue read() {
    // The names tell which columns to read, and only the first part has them.
    if (options_.has_names && !(part_.is_first && part_.is_last)) throw NotInParts();
    for (std::int64_t k = 0; k < options_.skipped && part_.is_first; ++k) {
      if (at_ == end_ && !part_.is_last) throw NotInParts();
      if (at_ != end_) skip_row();
    }
    if (options_.has_names) read_names();
    if (part_.is_last && !may_be_blank()) drop_blank_lines_at_end();
    std::size_t rows = 0;
    for (; at_ != end_; ++rows) sources_.empty() ? read_row() : read_chosen();
    return columns_.finish(rows);
  }

 private:
  static constexpr std::size_t kNotRead = SIZE_MAX;

  /// Reads the row with the column names, and finds those to read.
  void read_names() {
    const char* const location = at_;
    if (at_ == end_) fail(at_, "the line with the names of the columns is missing");
    std::vector<std::string> names;
    while (true) {
      names.emplace_back(read_text());
      if (!at_separator()) break;
      ++at_;
    }
    end_line();
    if (!options_.columns.empty()) choose_columns(names, location);
  }

  void choose_columns(const std::vector<std::string>& names, const char* location) {
    const std::vector<std::string>& wanted = options_.columns;
    if (!row_.any_length && wanted.size() != row_.fields.size())
      fail_file(request_, fmt::format("the number of names is {}, that of the fields of a row {}", wanted.size(),
                                      row_.fields.size()));
    sources_.assign(names.size(), kNotRead);
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      const auto found = std::find(names.begin(), names.end(), wanted[k]);
      if (found == names.end())
        fail(location,
             fmt::format("there is no column '{}': the columns are '{}'", wanted[k], fmt::join(names, "', '")));
      if (std::find(found + 1, names.end(), wanted[k]) != names.end())
        fail(location, fmt::format("there are several columns '{}'", wanted[k]));
      std::size_t& source = sources_[static_cast<std::size_t>(found - names.begin())];
      if (source != kNotRead) fail_file(request_, fmt::format("the column '{}' is named twice", wanted[k]));
      source = k;
    }
  }

  /// Whether an empty line is a row: an empty sequence of numbers, or an empty string.
  bool may_be_blank() const {
    const bool is_text = row_.fields.size() == 1 && row_.fields[0] == Row::Field::kText;
    return sources_.empty() ? row_.any_length || is_text : sources_.size() == 1 && is_text;
  }

  void drop_blank_lines_at_end() {
    const char* last = end_;
    while (last != at_ && (is_blank(last[-1]) || is_line_end(last[-1]))) --last;
    // Blanks at the end of the last row remain part of it.
    end_ = last == at_ ? at_ : std::find_if(last, end_, is_line_end);
  }

  void skip_row() {
    for (read_text(); at_separator(); read_text()) ++at_;
    end_line();
  }

  void read_row() {
    std::size_t fields = 0;
    const bool is_empty = row_.any_length && at_field_end() && !at_separator();
    while (!is_empty) {
      if (!row_.any_length && fields == row_.fields.size())
        fail(at_, fmt::format("there are more fields than {}", fields));
      read_field(row_.any_length ? 0 : fields);
      ++fields;
      if (!at_separator()) break;
      ++at_;
    }
    if (!row_.any_length && fields < row_.fields.size() && at_field_end())
      fail(at_, fmt::format("{} field{} where {} are expected", fields, fields == 1 ? "" : "s", row_.fields.size()));
    if (row_.any_length) columns_.row_lengths().ints.push_back(static_cast<std::int64_t>(fields));
    end_line();
  }

  /// Reads the fields of the chosen columns.
  void read_chosen() {
    std::size_t column = 0;
    for (;; ++column, ++at_) {
      if (column == sources_.size()) fail(at_, fmt::format("there are more fields than {}", column));
      if (sources_[column] == kNotRead)
        skip_field();
      else
        read_field(row_.any_length ? 0 : sources_[column]);
      if (!at_separator()) break;
    }
    if (++column < sources_.size() && at_field_end())
      fail(at_, fmt::format("{} field{} where {} are expected", column, column == 1 ? "" : "s", sources_.size()));
    end_line();
    if (!row_.any_length) return;
    put_in_order();
    columns_.row_lengths().ints.push_back(static_cast<std::int64_t>(options_.columns.size()));
  }

  void skip_field() {
    read_text();
    skip_blanks();
  }

  /// Moves the last numbers that were read, which have the order of the columns, to that of the names.
  void put_in_order() {
    const auto put = [&](auto& numbers) {
      const auto last = numbers.end() - static_cast<std::ptrdiff_t>(options_.columns.size());
      const std::vector read(last, numbers.end());
      auto next = read.begin();
      for (const std::size_t source : sources_)
        if (source != kNotRead) last[static_cast<std::ptrdiff_t>(source)] = *next++;
    };
    FileVector& vector = columns_.of_field(0);
    if (row_.fields[0] == Row::Field::kInt) put(vector.ints);
    if (row_.fields[0] == Row::Field::kFloat) put(vector.floats);
    if (row_.fields[0] == Row::Field::kBool) put(vector.bytes);
  }

  void end_line() {
    if (at_ != end_ && !is_line_end(*at_))
      fail(at_, options_.separator == ',' ? "a comma or the end of the line is expected"
                                          : fmt::format("'{}' or the end of the line is expected", options_.separator));
    if (at_ != end_ && *at_ == '\r') ++at_;
    if (at_ != end_ && *at_ == '\n') ++at_;
  }

  void read_field(std::size_t field) {
    FileVector& to = columns_.of_field(field);
    switch (row_.fields[field]) {
      case Row::Field::kInt:
        to.ints.push_back(read_int());
        break;
      case Row::Field::kFloat:
        to.floats.push_back(read_float());
        break;
      case Row::Field::kBool:
        to.bytes.push_back(read_bool());
        break;
      case Row::Field::kText: {
        FileElements<std::uint8_t>& codes = columns_.text_of_field(field).bytes;
        const std::string_view text = read_text();
        codes.insert(codes.end(), text.begin(), text.end());
        to.ints.push_back(static_cast<std::int64_t>(text.size()));
        break;
      }
    }
  }

  std::int64_t read_int() {
    const Word word = read_word("an int");
    std::int64_t x = 0;
    switch (parse_int(word.text, x)) {
      case NumberText::kNumber:
        break;
      case NumberText::kNoNumber:
        fail_word(word, "an int");
      case NumberText::kOutOfRange:
        fail(word.location, fmt::format("'{}' is out of range", word.text));
    }
    if (!request_.wide_ints && x != static_cast<std::int32_t>(x))
      fail(word.location, fmt::format("{} is no int of 32 bits", x));
    return x;
  }

  double read_float() {
    const Word word = read_word("a float");
    double x = 0;
    switch (parse_float(word.text, request_.wide_floats, x)) {
      case NumberText::kNumber:
        return x;
      case NumberText::kNoNumber:
        break;
      case NumberText::kOutOfRange:
        fail(word.location,
             fmt::format("'{}' is out of range{}", word.text, request_.wide_floats ? "" : " of floats of 32 bits"));
    }
    if (is_missing(word)) return std::numeric_limits<double>::quiet_NaN();
    fail_word(word, "a float");
  }

  bool read_bool() {
    const Word word = read_word("a bool");
    for (const char* yes : {"T", "t", "TRUE", "True", "true", "1"})
      if (word.text == yes) return true;
    for (const char* no : {"F", "f", "FALSE", "False", "false", "0"})
      if (word.text == no) return false;
    fail_word(word, "a bool");
  }

  /// A field without surrounding blanks, and its position in the file.
  struct Word {
    std::string_view text;
    const char* location;
  };

  /// Reads the field of a number or bool, quoted or not.
  Word read_word(const char* what) {
    skip_blanks();
    const char* const location = at_;
    std::string_view text = read_text();
    skip_blanks();
    if (!at_field_end()) fail(location, fmt::format("'{}' is not {}", unquoted(location), what));
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    return {text, location};
  }

  bool is_missing(const Word& word) const {
    return std::find(options_.missing.begin(), options_.missing.end(), word.text) != options_.missing.end();
  }

  [[noreturn]] void fail_word(const Word& word, const char* what) const {
    if (is_missing(word))
      fail(word.location, fmt::format("'{}' stands for what is missing, which can only be a float", word.text));
    fail(word.location, fmt::format("'{}' is not {}", word.text, what));
  }

  /// Reads the characters of a field, quoted or not. The result is valid until the next field is read.
  std::string_view read_text() {
    const char* const begin = at_;
    if (at_ == end_ || *at_ != '"') {
      const std::string_view text = unquoted(begin);
      at_ += text.size();
      return text;
    }
    field_.clear();
    for (++at_; at_ != end_; ++at_) {
      if (*at_ == '"' && (++at_ == end_ || *at_ != '"')) return field_;
      field_ += *at_;
    }
    fail(begin, "the closing quote is missing");
  }

  static bool is_line_end(char c) { return c == '\n' || c == '\r'; }
  bool is_blank(char c) const { return c == ' ' && c != options_.separator; }
  void skip_blanks() {
    while (at_ != end_ && is_blank(*at_)) ++at_;
  }
  bool at_separator() const { return at_ != end_ && *at_ == options_.separator; }
  bool at_field_end() const { return at_ == end_ || at_separator() || is_line_end(*at_); }
  /// The text from `begin` to the end of the field.
  std::string_view unquoted(const char* begin) const {
    const char* const end =
        std::find_if(begin, end_, [&](char c) { return c == options_.separator || is_line_end(c); });
    return {begin, static_cast<std::size_t>(end - begin)};
  }

  /// Throws FileError with line and column of the character at `location`. Lines are counted only here.
  [[noreturn]] void fail(const char* location, const std::string& message) const {
    const TextLocation at = location_behind({begin_, static_cast<std::size_t>(location - begin_)});
    throw FileError(fmt::format("{}:{}:{}: {}", request_.name, part_.lines_before + at.line, at.column, message));
  }

  const FileRequest& request_;
  const CsvOptions options_;
  const Row row_;
  const TextPart part_;
  const FileBytes& text_;
  const char* const begin_;
  const char* at_;
  const char* end_;
  std::string field_;                 // the characters of a quoted field
  std::vector<std::size_t> sources_;  // the field that each column of the file is read as, or kNotRead; empty: in order
  Columns columns_;
};

/// Appends a field, in quotes if it would be read differently without quotes.
void append_text(std::string& to, const std::string& field) {
  const bool begins_file = to.empty() && field.starts_with(kByteOrderMark);
  if (!begins_file && field.find_first_of(",\"\r\n") == std::string::npos) {
    to += field;
    return;
  }
  to += '"';
  for (const char c : field) to.append(c == '"' ? 2 : 1, c);
  to += '"';
}

template <class T>
void append_number(std::string& to, T x) {
  char text[32];
  to.append(text, std::to_chars(text, text + sizeof text, x).ptr);
}

}  // namespace

FileValue read_csv(const FileRequest& request) { return parse_csv(request, {read_whole_file(request)}); }

FileValue read_named_csv(const FileRequest& request) {
  return CsvReader(request, {.has_names = true, .columns = request.names}, {read_whole_file(request)}).read();
}

FileValue parse_csv(const FileRequest& request, TextPart part) {
  return CsvReader(request, options_of(request), std::move(part)).read();
}

namespace {

void append_rows(const Row& row, const FileColumns& value, std::string& text) {
  std::vector<std::size_t> used(value.size(), 0);  // number of elements written, for each vector
  const auto rows = static_cast<std::size_t>(value[0].ints[0]);
  for (std::size_t k = 0; k < rows; ++k) {
    const std::size_t fields = row.any_length ? static_cast<std::size_t>(value[1].ints[k]) : row.fields.size();
    std::size_t at = row.any_length ? 2 : 1;
    for (std::size_t f = 0; f < fields; ++f) {
      if (f > 0) text += ',';
      const FileColumn& vector = value[at];
      const std::size_t element = used[at]++;
      switch (row.fields[row.any_length ? 0 : f]) {
        case Row::Field::kInt:
          append_number(text, vector.ints[element]);
          break;
        case Row::Field::kFloat:
          append_number(text, vector.floats[element] + 0.0);  // -0.0 is written as 0.0
          break;
        case Row::Field::kBool:
          text += vector.bytes[element] != 0 ? 'T' : 'F';
          break;
        case Row::Field::kText: {
          const std::int64_t length = vector.ints[element];
          ++at;
          const std::uint8_t* const codes = value[at].bytes.data() + used[at];
          append_text(text, std::string(codes, codes + length));
          used[at] += static_cast<std::size_t>(length);
          break;
        }
      }
      if (!row.any_length) ++at;
    }
    text += '\n';
  }
}

}  // namespace

FileContent csv_content(const FileRequest& request, const FileColumns& value) {
  std::string text;
  append_rows(row_of(request), value, text);
  return {std::move(text)};
}

FileContent named_csv_content(const FileRequest& request, const FileColumns& value) {
  const Row row = row_of(request);
  const std::vector<std::string>& names = request.names;
  if (!row.any_length && names.size() != row.fields.size())
    fail_file(request,
              fmt::format("the number of names is {}, that of the columns {}", names.size(), row.fields.size()));
  std::string text;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (k > 0) text += ',';
    append_text(text, names[k]);
  }
  text += '\n';
  append_rows(row, value, text);
  return {std::move(text)};
}

}  // namespace interp
