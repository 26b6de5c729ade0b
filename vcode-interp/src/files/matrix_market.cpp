// The coordinate and array formats of Matrix Market: https://math.nist.gov/MatrixMarket/formats.html
#include "files/matrix_market.h"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "files/file_formats.h"
#include "files/file_text.h"
#include "files/whole_file.h"

namespace interp {

using vcode::Suffix;

namespace {

using Symmetry = MatrixHead::Symmetry;

/// Calls f(row, column) for each number of an array, from number `first` on, until f returns false.
template <class F>
void for_each_place(const MatrixHead& head, std::int64_t first, F&& f) {
  for (std::int64_t column = 0; head.rows > 0 && column < head.columns; ++column) {
    const std::int64_t begin = head.first_row(column), count = head.rows - begin;
    if (first >= count) {
      first -= count;
      continue;
    }
    for (std::int64_t row = begin + std::exchange(first, 0); row < head.rows; ++row)
      if (!f(row, column)) return;
  }
}

/// Adds an entry of the file, and of a symmetric matrix the one on the other side of the diagonal.
void add(const MatrixHead& head, FileElements<MatrixEntry>& entries, MatrixEntry entry) {
  entries.push_back(entry);
  if (head.symmetry == Symmetry::kGeneral || entry.row == entry.column) return;
  entries.push_back({entry.column, entry.row, head.symmetry == Symmetry::kSkew ? -entry.x : entry.x});
}

class MatrixReader {
 public:
  MatrixReader(const FileRequest& request, FileBytes text, MatrixHead head = {})
      : request_(request),
        text_(std::move(text)),
        begin_(text_.data()),
        at_(begin_),
        end_(text_.data() + text_.size()),
        head_(head) {}

  /// The file as a whole.
  FileElements<MatrixEntry> read() {
    read_head();
    FileElements<MatrixEntry> entries(request_.memory);
    if (head_.is_array)
      for_each_place(head_, 0, [&](std::int64_t row, std::int64_t column) {
        skip_comments();
        if (const double x = read_float(); x != 0) add(head_, entries, {row, column, x});
        return true;
      });
    else
      for (std::int64_t k = 0; k < head_.promised; ++k) add(head_, entries, read_entry());
    skip_comments();
    if (at_ != end_)
      fail(at_, head_.is_array ? fmt::format("'{}' is more than the numbers that a matrix of this size has", word())
                               : fmt::format("the matrix has more than the {} entries promised", head_.promised));
    return entries;
  }

  void read_head() {
    if (view_of(text_).starts_with(kByteOrderMark)) at_ = begin_ += kByteOrderMark.size();
    read_banner();
    skip_comments();
    skip_blanks();
    const char* const size = at_;
    head_.rows = read_size("the number of rows");
    head_.columns = read_size("the number of columns");
    if (!head_.is_array) head_.promised = read_size("the number of entries");
    if (head_.symmetry != Symmetry::kGeneral && head_.rows != head_.columns)
      fail(size, fmt::format("a matrix that is {} has as many rows as columns, not {} rows and {} columns",
                             name_of_symmetry(), head_.rows, head_.columns));
    end_line("the size of the matrix is complete");
    if (head_.is_array) head_.promised = head_.numbers();
  }
  const MatrixHead& head() const { return head_; }
  /// The number of bytes up to the end of the line that was read last; throws NotInParts if it does not end with LF.
  std::size_t behind_line() const {
    const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
    const std::size_t end = rest.starts_with("\r\n") ? 2 : rest.starts_with('\n') ? 1 : 0;
    if (end == 0) throw NotInParts();
    return static_cast<std::size_t>(at_ - text_.data()) + end;
  }

  /// All entries of lines behind the head.
  FileElements<MatrixEntry> read_entries() {
    FileElements<MatrixEntry> entries(request_.memory);
    for (skip_comments(); at_ != end_; skip_comments()) entries.push_back(read_entry());
    return entries;
  }
  FileElements<double> read_numbers() {
    FileElements<double> numbers(request_.memory);
    for (skip_comments(); at_ != end_; skip_comments()) numbers.push_back(read_float());
    return numbers;
  }

 private:
  static constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

  const char* name_of_symmetry() const { return head_.symmetry == Symmetry::kSkew ? "skew-symmetric" : "symmetric"; }

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
    head_.is_array = format == "array";
    head_.has_numbers = field != "pattern";
    if ((field != "real" && field != "integer" && field != "pattern") || (head_.is_array && !head_.has_numbers))
      fail(at_, fmt::format("entries that are '{}' are not read: only real and integer, and pattern in the format "
                            "coordinate",
                            field));
    if (symmetry != "general" && symmetry != "symmetric" && symmetry != "skew-symmetric")
      fail(at_, fmt::format("a matrix that is '{}' is not read: only general, symmetric and skew-symmetric", symmetry));
    head_.symmetry = symmetry == "general"     ? Symmetry::kGeneral
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

  MatrixEntry read_entry() {
    skip_comments();
    const std::int64_t row = read_index(head_.rows, "row"), column = read_index(head_.columns, "column");
    if (head_.has_numbers) skip_blanks();
    const char* const begin = at_;
    const double x = head_.has_numbers ? read_float() : 1.0;
    end_line(head_.has_numbers ? "an entry is a row, a column and a number"
                               : "an entry of a pattern is a row and a column");
    if (head_.symmetry == Symmetry::kSkew && row == column && x != 0)
      fail(begin, "the diagonal of a skew-symmetric matrix is 0");
    return {row, column, x};
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
  const char* begin_;
  const char* at_;
  const char* const end_;
  MatrixHead head_;
};

/// Most bytes of the lines in front of the entries, if ranks read parts of a file.
constexpr std::size_t kMostHead = std::size_t{1} << 16;

}  // namespace

std::int64_t MatrixHead::numbers() const {
  return symmetry == Symmetry::kGeneral     ? rows * columns
         : symmetry == Symmetry::kSymmetric ? rows * (rows + 1) / 2
                                            : rows * (rows - 1) / 2;
}

std::int64_t MatrixHead::first_row(std::int64_t column) const {
  return symmetry == Symmetry::kGeneral ? 0 : symmetry == Symmetry::kSymmetric ? column : column + 1;
}

MatrixPart::MatrixPart(const FileRequest& request, const SharedFile& file, std::size_t part, std::size_t parts)
    : entries_(request.memory), numbers_(request.memory) {
  if (request.type != "[[(int, float)]]") throw NotInParts();  // a mistake
  FileBytes begin = file.read(0, std::min(file.size(), kMostHead));
  begin.resize(view_of(begin).rfind('\n') + 1);
  MatrixReader of_head(request, std::move(begin));
  of_head.read_head();
  head_ = of_head.head();
  const std::size_t first = of_head.behind_line(), bytes = file.size() - first;
  const auto share = [&](std::size_t k) { return first + bytes / parts * k; };
  MatrixReader reader(request, file.read_lines(share(part), part + 1 == parts ? file.size() : share(part + 1)), head_);
  if (head_.is_array)
    numbers_ = reader.read_numbers();
  else
    entries_ = reader.read_entries();
}

FileElements<MatrixEntry> MatrixPart::take_entries(std::int64_t first) {
  FileElements<MatrixEntry> entries(entries_.get_allocator());
  for (const MatrixEntry& entry : entries_) add(head_, entries, entry);
  auto number = numbers_.begin();
  if (!numbers_.empty())
    for_each_place(head_, first, [&](std::int64_t row, std::int64_t column) {
      if (*number != 0) add(head_, entries, {row, column, *number});
      return ++number != numbers_.end();
    });
  entries_.clear();
  numbers_.clear();
  return entries;
}

FileValue matrix_by_rows(const FileRequest& request, FileElements<MatrixEntry> entries, std::int64_t begin,
                         std::int64_t end) {
  std::stable_sort(entries.begin(), entries.end(), [](const MatrixEntry& a, const MatrixEntry& b) {
    return a.row != b.row ? a.row < b.row : a.column < b.column;
  });
  FileValue value;
  const auto rows = static_cast<std::size_t>(end - begin);
  add_outer_sequence(value, request, rows);
  FileVector& lengths = value.emplace_back(Suffix::kSegdes, *request.memory);
  FileVector& columns = value.emplace_back(Suffix::kInt, *request.memory);
  FileVector& numbers = value.emplace_back(Suffix::kFloat, *request.memory);
  lengths.ints.assign(rows, 0);
  columns.ints.reserve(entries.size());
  numbers.floats.reserve(entries.size());
  for (const MatrixEntry& entry : entries) {
    ++lengths.ints[static_cast<std::size_t>(entry.row - begin)];
    columns.ints.push_back(entry.column);
    numbers.floats.push_back(entry.x);
  }
  return value;
}

FileValue read_matrix_market(const FileRequest& request) {
  if (request.type != "[[(int, float)]]") refuse_type(request);
  MatrixReader reader(request, read_whole_file(request));
  FileElements<MatrixEntry> entries = reader.read();
  return matrix_by_rows(request, std::move(entries), 0, reader.head().rows);
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
