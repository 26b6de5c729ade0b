// Comma-separated values: RFC 4180, with LF or CR LF at the end of a line.
#include <algorithm>
#include <charconv>
#include <cstdint>

#include <fmt/format.h>

#include "files/file_formats.h"
#include "files/whole_file.h"

namespace interp {

using vcode::Suffix;

namespace {

/// What a row of the file is in NESL.
struct Row {
  enum class Field : std::uint8_t { kInt, kFloat, kBool, kText };
  bool any_length = false;  ///< a sequence of `fields[0]`; else a tuple
  std::vector<Field> fields = {};
};

/// The row of "[(int, float)]", "[int]" or "[[float]]".
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
      if (field == Row::Field::kText) add(Suffix::kInt);
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
  std::vector<std::size_t> first_;  // of the vectors of a field
};

class CsvReader {
  static constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // spreadsheets put it before UTF-8

 public:
  explicit CsvReader(const FileRequest& request)
      : request_(request),
        row_(row_of(request)),
        text_(read_whole_file(request)),
        begin_(text_.data() + (view_of(text_).starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0)),
        at_(begin_),
        end_(text_.data() + text_.size()),
        columns_(request, row_) {}

  /// The line with the names of the columns.
  void read_names() {
    if (at_ == end_) fail(at_, "the line with the names of the columns is missing");
    std::size_t count = 0;
    while (true) {
      const char* const place = at_;
      FileElements<std::int64_t> codes(request_.memory);
      read_text(codes);
      const std::string name(codes.begin(), codes.end());
      if (count < request_.names.size() && name != request_.names[count])
        fail(place, fmt::format("the column is named '{}', not '{}'", name, request_.names[count]));
      ++count;
      if (at_ == end_ || *at_ != ',') break;
      ++at_;
    }
    if (!request_.names.empty() && count != request_.names.size())
      fail(at_, fmt::format("{} column{} named, not {}", count, count == 1 ? " is" : "s are", request_.names.size()));
    end_line();
  }

  FileValue read() {
    std::size_t rows = 0;
    for (; at_ != end_; ++rows) read_row();
    return columns_.finish(rows);
  }

 private:
  void read_row() {
    std::size_t fields = 0;
    const bool is_empty = row_.any_length && at_field_end() && *at_ != ',';
    while (!is_empty) {
      if (!row_.any_length && fields == row_.fields.size())
        fail(at_, fmt::format("there are more fields than {}", fields));
      read_field(row_.any_length ? 0 : fields);
      ++fields;
      if (at_ == end_ || *at_ != ',') break;
      ++at_;
    }
    if (!row_.any_length && fields < row_.fields.size())
      fail(at_, fmt::format("{} field{} where {} are expected", fields, fields == 1 ? "" : "s", row_.fields.size()));
    if (row_.any_length) columns_.row_lengths().ints.push_back(static_cast<std::int64_t>(fields));
    end_line();
  }

  void end_line() {
    if (at_ != end_ && *at_ == '\r') ++at_;
    if (at_ != end_ && *at_ != '\n') fail(at_, "a comma or the end of the line is expected");
    if (at_ != end_) ++at_;
  }

  void read_field(std::size_t field) {
    FileVector& to = columns_.of_field(field);
    switch (row_.fields[field]) {
      case Row::Field::kInt:
        to.ints.push_back(read_int());
        break;
      case Row::Field::kFloat:
        to.floats.push_back(read_number<double>("a float"));
        break;
      case Row::Field::kBool:
        to.bools.push_back(read_bool());
        break;
      case Row::Field::kText:
        to.ints.push_back(read_text(columns_.text_of_field(field).ints));
        break;
    }
  }

  std::int64_t read_int() {
    const char* const begin = at_;
    const auto x = read_number<std::int64_t>("an int");
    if (!request_.wide_ints && x != static_cast<std::int32_t>(x))
      fail(begin, fmt::format("{} is no int of 32 bits", x));
    return x;
  }

  template <class T>
  T read_number(const char* what) {
    skip_blanks();
    const char* const begin = at_;
    if (at_ != end_ && *at_ == '+' && end_ - at_ > 1 && at_[1] != '-') ++at_;
    T x{};
    const auto [end, error] = std::from_chars(at_, end_, x);
    if (error == std::errc::result_out_of_range) fail(begin, fmt::format("'{}' is out of range", field_text(begin)));
    if (error != std::errc()) fail(begin, fmt::format("'{}' is not {}", field_text(begin), what));
    at_ = end;
    skip_blanks();
    if (!at_field_end()) fail(begin, fmt::format("'{}' is not {}", field_text(begin), what));
    return x;
  }

  bool read_bool() {
    skip_blanks();
    const char* const begin = at_;
    std::string word = field_text(begin);
    while (word.ends_with(' ')) word.pop_back();
    at_ += field_text(begin).size();
    for (const char* yes : {"T", "t", "True", "true", "1"})
      if (word == yes) return true;
    for (const char* no : {"F", "f", "False", "false", "0"})
      if (word == no) return false;
    fail(begin, fmt::format("'{}' is not a bool", word));
  }

  /// Appends the characters of a field, quoted or not, and returns their number.
  std::int64_t read_text(FileElements<std::int64_t>& to) {
    const std::size_t before = to.size();
    const char* const begin = at_;
    if (at_ == end_ || *at_ != '"') {
      for (; !at_field_end(); ++at_) to.push_back(static_cast<unsigned char>(*at_));
      return static_cast<std::int64_t>(to.size() - before);
    }
    for (++at_; at_ != end_; ++at_) {
      if (*at_ == '"' && (++at_ == end_ || *at_ != '"')) return static_cast<std::int64_t>(to.size() - before);
      to.push_back(static_cast<unsigned char>(*at_));
    }
    fail(begin, "the closing quote is missing");
  }

  void skip_blanks() {
    while (at_ != end_ && *at_ == ' ') ++at_;
  }
  bool at_field_end() const { return at_ == end_ || *at_ == ',' || *at_ == '\n' || (*at_ == '\r' && at_line_end()); }
  bool at_line_end() const { return at_ + 1 == end_ || at_[1] == '\n'; }
  std::string field_text(const char* begin) const {
    const char* const end = std::find_if(begin, end_, [](char c) { return c == ',' || c == '\n' || c == '\r'; });
    return {begin, end};
  }

  /// Lines are counted when they are needed.
  [[noreturn]] void fail(const char* place, const std::string& message) const {
    const char* const begin = begin_;
    const auto line = std::count(begin, place, '\n') + 1;
    const char* const line_begin = std::find(std::reverse_iterator(place), std::reverse_iterator(begin), '\n').base();
    throw FileError(fmt::format("{}:{}:{}: {}", request_.name, line, place - line_begin + 1, message));
  }

  const FileRequest& request_;
  const Row row_;
  const FileBytes text_;
  const char* const begin_;
  const char* at_;
  const char* const end_;
  Columns columns_;
};

void append_text(std::string& to, const std::string& field) {
  if (field.find_first_of(",\"\r\n") == std::string::npos) {
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

FileValue read_csv(const FileRequest& request) { return CsvReader(request).read(); }

FileValue read_named_csv(const FileRequest& request) {
  CsvReader reader(request);
  reader.read_names();
  return reader.read();
}

namespace {

void append_rows(const Row& row, const FileColumns& value, std::string& text) {
  std::vector<std::size_t> used(value.size(), 0);  // of each vector, the elements written
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
          text += vector.bools[element] != 0 ? 'T' : 'F';
          break;
        case Row::Field::kText: {
          const std::int64_t length = vector.ints[element];
          ++at;
          const std::int64_t* const codes = value[at].ints.data() + used[at];
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
