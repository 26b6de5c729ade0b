// The coordinate and array formats of Matrix Market: https://math.nist.gov/MatrixMarket/formats.html
#include <algorithm>
#include <cctype>
#include <sstream>

#include <fmt/format.h>

#include "files/file_formats.h"
#include "files/file_text.h"
#include "files/whole_file.h"

namespace interp {

using vcode::Suffix;

namespace {

struct Entry {
  std::int64_t row, column;
  double x;
};

class MatrixReader {
 public:
  explicit MatrixReader(const FileRequest& request)
      : request_(request),
        text_(read_whole_file(request)),
        begin_(text_.data() + (view_of(text_).starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0)),
        at_(begin_),
        end_(text_.data() + text_.size()),
        entries_(request.memory) {}

  FileValue read() {
    read_banner();
    skip_comments();
    skip_blanks();
    const char* const size = at_;
    rows_ = read_size("the number of rows");
    columns_ = read_size("the number of columns");
    const std::int64_t promised = is_array_ ? 0 : read_size("the number of entries");
    if (symmetry_ != Symmetry::kGeneral && rows_ != columns_)
      fail(size, fmt::format("a matrix that is {} has as many rows as columns, not {} rows and {} columns",
                             name_of_symmetry(), rows_, columns_));
    end_line("the size of the matrix is complete");
    if (is_array_)
      read_array();
    else
      for (std::int64_t k = 0; k < promised; ++k) read_entry();
    skip_comments();
    if (at_ != end_)
      fail(at_, is_array_ ? fmt::format("'{}' is more than the numbers that a matrix of this size has", word())
                          : fmt::format("the matrix has more than the {} entries promised", promised));
    return by_rows();
  }

 private:
  static constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  /// Symmetry of the matrix. Files of symmetric matrices have no entries above the diagonal.
  enum class Symmetry : std::uint8_t { kGeneral, kSymmetric, kSkew };

  const char* name_of_symmetry() const { return symmetry_ == Symmetry::kSkew ? "skew-symmetric" : "symmetric"; }

  void read_banner() {
    const std::string_view text(at_, static_cast<std::size_t>(end_ - at_));
    std::istringstream words{std::string(text.substr(0, text.find_first_of("\r\n")))};
    std::string banner, object, format, field, symmetry;
    words >> banner >> object >> format >> field >> symmetry;
    for (std::string* word : {&banner, &object, &format, &field, &symmetry})
      std::transform(word->begin(), word->end(), word->begin(), [](unsigned char c) { return std::tolower(c); });
    if ((banner != "%%matrixmarket" && banner != "%matrixmarket") || object != "matrix")
      fail(at_, "this is no matrix of Matrix Market");
    if (format != "coordinate" && format != "array")
      fail(at_, fmt::format("the format is '{}': only coordinate and array are read", format));
    is_array_ = format == "array";
    has_numbers_ = field != "pattern";
    if ((field != "real" && field != "integer" && field != "pattern") || (is_array_ && !has_numbers_))
      fail(at_, fmt::format("entries that are '{}' are not read: only real and integer, and pattern in the format "
                            "coordinate",
                            field));
    if (symmetry != "general" && symmetry != "symmetric" && symmetry != "skew-symmetric")
      fail(at_, fmt::format("a matrix that is '{}' is not read: only general, symmetric and skew-symmetric", symmetry));
    symmetry_ = symmetry == "general"     ? Symmetry::kGeneral
                : symmetry == "symmetric" ? Symmetry::kSymmetric
                                          : Symmetry::kSkew;
    skip_line();
  }

  std::int64_t read_size(const char* what) {
    skip_blanks();
    const char* const begin = at_;
    const std::int64_t size = read_int(what);
    if (size < 0 || size > INT32_MAX) fail(begin, fmt::format("{} is {}, not from 0 to {}", what, size, INT32_MAX));
    return size;
  }

  void read_entry() {
    skip_comments();
    const std::int64_t row = read_index(rows_, "row"), column = read_index(columns_, "column");
    if (has_numbers_) skip_blanks();
    const char* const begin = at_;
    const double x = has_numbers_ ? read_float() : 1.0;
    end_line(has_numbers_ ? "an entry is a row, a column and a number" : "an entry of a pattern is a row and a column");
    if (symmetry_ == Symmetry::kSkew && row == column && x != 0)
      fail(begin, "the diagonal of a skew-symmetric matrix is 0");
    add(row, column, x);
  }

  /// Reads all entries, column by column; of a symmetric matrix, the entries on and below the diagonal.
  void read_array() {
    for (std::int64_t column = 0; rows_ > 0 && column < columns_; ++column) {
      const std::int64_t first = symmetry_ == Symmetry::kGeneral     ? 0
                                 : symmetry_ == Symmetry::kSymmetric ? column
                                                                     : column + 1;
      for (std::int64_t row = first; row < rows_; ++row) {
        skip_comments();
        if (const double x = read_float(); x != 0) add(row, column, x);
      }
    }
  }

  void add(std::int64_t row, std::int64_t column, double x) {
    entries_.push_back({row, column, x});
    if (symmetry_ == Symmetry::kGeneral || row == column) return;
    entries_.push_back({column, row, symmetry_ == Symmetry::kSkew ? -x : x});
  }

  std::int64_t read_index(std::int64_t count, const char* what) {
    skip_blanks();
    const char* const begin = at_;
    const std::int64_t index = read_int(what);
    if (index >= 1 && index <= count) return index - 1;
    fail(begin, fmt::format("there is no {} {}: they are 1 to {}", what, index, count));
  }

  std::int64_t read_int(const char* what) {
    const std::string_view text = require_word(what);
    std::int64_t x = 0;
    if (parse_int(text, x) != NumberText::kNumber)
      fail(at_, fmt::format("'{}' is found where {} is expected", text, what));
    at_ += text.size();
    return x;
  }

  double read_float() {
    const std::string_view text = require_word("a number");
    double x = 0;
    NumberText result = parse_float(text, request_.wide_floats, x);
    if (result == NumberText::kNoNumber) {
      std::string fortran(text);  // Fortran's notation of exponents, 1.5D+3
      if (const std::size_t d = fortran.find_first_of("dD"); d != std::string::npos) fortran[d] = 'e';
      result = parse_float(fortran, request_.wide_floats, x);
    }
    if (result == NumberText::kNoNumber) fail(at_, fmt::format("'{}' is found where a number is expected", text));
    if (result == NumberText::kOutOfRange)
      fail(at_, fmt::format("'{}' is out of range{}", text, request_.wide_floats ? "" : " of floats of 32 bits"));
    at_ += text.size();
    return x;
  }

  std::string_view word() const { return {at_, static_cast<std::size_t>(std::find_if(at_, end_, is_blank) - at_)}; }

  std::string_view require_word(const char* what) {
    skip_blanks();
    if (at_ == end_) fail(at_, fmt::format("the file ends where {} is expected", what));
    return word();
  }

  FileValue by_rows() {
    std::stable_sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
      return a.row != b.row ? a.row < b.row : a.column < b.column;
    });
    FileValue value;
    const auto rows = static_cast<std::size_t>(rows_);
    add_outer_sequence(value, request_, rows);
    FileVector& lengths = value.emplace_back(Suffix::kSegdes, *request_.memory);
    FileVector& columns = value.emplace_back(Suffix::kInt, *request_.memory);
    FileVector& numbers = value.emplace_back(Suffix::kFloat, *request_.memory);
    lengths.ints.assign(rows, 0);
    columns.ints.reserve(entries_.size());
    numbers.floats.reserve(entries_.size());
    for (const Entry& entry : entries_) {
      ++lengths.ints[static_cast<std::size_t>(entry.row)];
      columns.ints.push_back(entry.column);
      numbers.floats.push_back(entry.x);
    }
    return value;
  }

  static bool is_line_end(char c) { return c == '\r' || c == '\n'; }
  static bool is_blank(char c) { return c == ' ' || c == '\t' || is_line_end(c); }
  void skip_blanks() { at_ = std::find_if_not(at_, end_, is_blank); }
  void skip_line() { at_ = std::find_if(at_, end_, is_line_end); }
  /// Skips comments and empty lines.
  void skip_comments() {
    for (skip_blanks(); at_ != end_ && *at_ == '%'; skip_blanks()) skip_line();
  }
  /// Fails, with the reason `why`, if the line has more text.
  void end_line(const char* why) {
    at_ = std::find_if_not(at_, end_, [](char c) { return c == ' ' || c == '\t'; });
    if (at_ != end_ && !is_line_end(*at_)) fail(at_, fmt::format("'{}' is too much: {}", word(), why));
  }

  [[noreturn]] void fail(const char* location, const std::string& message) const {
    const TextLocation at = location_behind({begin_, static_cast<std::size_t>(location - begin_)});
    throw FileError(fmt::format("{}:{}:{}: {}", request_.name, at.line, at.column, message));
  }

  const FileRequest& request_;
  const FileBytes text_;
  const char* const begin_;
  const char* at_;
  const char* const end_;
  std::int64_t rows_ = 0, columns_ = 0;
  bool is_array_ = false;
  bool has_numbers_ = true;
  Symmetry symmetry_ = Symmetry::kGeneral;
  FileElements<Entry> entries_;
};

}  // namespace

FileValue read_matrix_market(const FileRequest& request) {
  if (request.type != "[[(int, float)]]") refuse_type(request);
  return MatrixReader(request).read();
}

FileContent matrix_market_content(const FileRequest& request, const FileColumns& value) {
  if (request.type != "[[(int, float)]], int") refuse_type(request);
  const std::span<const std::int64_t> lengths = value[1].ints, columns = value[2].ints;
  const std::int64_t width = value[4].ints[0];
  fmt::memory_buffer text;
  fmt::format_to(std::back_inserter(text), "%%MatrixMarket matrix coordinate real general\n{} {} {}\n", lengths.size(),
                 width, columns.size());
  std::size_t at = 0;
  for (std::size_t row = 0; row < lengths.size(); ++row)
    for (std::int64_t k = 0; k < lengths[row]; ++k, ++at) {
      if (columns[at] < 0 || columns[at] >= width)
        throw FileError(fmt::format("{}: row {} has an entry in column {}, but the matrix has {} columns", request.name,
                                    row, columns[at], width));
      fmt::format_to(std::back_inserter(text), "{} {} {}\n", row + 1, columns[at] + 1, value[3].floats[at]);
    }
  return {fmt::to_string(text)};
}

}  // namespace interp
