// Sparse matrices in the coordinate format of Matrix Market: https://math.nist.gov/MatrixMarket/formats.html
#include <algorithm>
#include <charconv>
#include <sstream>

#include <fmt/format.h>

#include "files/file_formats.h"
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
        at_(text_.data()),
        end_(at_ + text_.size()),
        entries_(request.memory) {}

  FileValue read() {
    read_banner();
    while (at_ != end_ && (*at_ == '%' || *at_ == '\n' || *at_ == '\r')) skip_line();
    const auto rows = read_number<std::int64_t>("the number of rows");
    const auto columns = read_number<std::int64_t>("the number of columns");
    const auto count = read_number<std::int64_t>("the number of entries");
    if (rows < 0 || rows > INT32_MAX || columns < 0 || columns > INT32_MAX || count < 0)
      fail("the size of the matrix is wrong");
    for (std::int64_t k = 0; k < count; ++k) read_entry(rows, columns);
    skip_blanks();
    if (at_ != end_) fail(fmt::format("the matrix has more than the {} entries promised", count));
    return by_rows(rows);
  }

 private:
  void read_banner() {
    const std::string_view text = view_of(text_);
    std::istringstream words{std::string(text.substr(0, text.find('\n')))};
    std::string banner, object, format, field, symmetry;
    words >> banner >> object >> format >> field >> symmetry;
    for (std::string* word : {&object, &format, &field, &symmetry})
      std::transform(word->begin(), word->end(), word->begin(), [](unsigned char c) { return std::tolower(c); });
    if (banner != "%%MatrixMarket" || object != "matrix") fail("this is no matrix of Matrix Market");
    if (format != "coordinate")
      fail(fmt::format("the format is '{}': only sparse matrices (coordinate) are read", format));
    if (field != "real" && field != "integer" && field != "pattern")
      fail(fmt::format("entries that are '{}' are not read: only real, integer and pattern", field));
    if (symmetry != "general" && symmetry != "symmetric" && symmetry != "skew-symmetric")
      fail(fmt::format("a matrix that is '{}' is not read: only general, symmetric and skew-symmetric", symmetry));
    has_numbers_ = field != "pattern";
    mirror_ = symmetry == "general" ? 0 : symmetry == "symmetric" ? 1 : -1;
    skip_line();
  }

  void read_entry(std::int64_t rows, std::int64_t columns) {
    const auto row = read_index(rows, "row");
    const auto column = read_index(columns, "column");
    const double x = has_numbers_ ? read_number<double>("a number") : 1.0;
    entries_.push_back({row, column, x});
    if (mirror_ == 0 || row == column) return;
    if (column >= rows) fail("a symmetric matrix has as many rows as columns");
    entries_.push_back({column, row, mirror_ * x});
  }

  std::int64_t read_index(std::int64_t count, const char* what) {
    skip_blanks();
    const char* const begin = at_;
    const auto index = read_number<std::int64_t>(what);
    if (index >= 1 && index <= count) return index - 1;
    at_ = begin;
    fail(fmt::format("there is no {} {}: they are 1 to {}", what, index, count));
  }

  template <class T>
  T read_number(const char* what) {
    skip_blanks();
    T x{};
    const char* const first = at_ != end_ && *at_ == '+' && end_ - at_ > 1 && at_[1] != '-' ? at_ + 1 : at_;
    const auto [end, error] = std::from_chars(first, end_, x);
    if (at_ == end_) fail(fmt::format("the file ends where {} is expected", what));
    if (error != std::errc() || (end != end_ && !is_blank(*end))) {
      const std::string word(at_, std::find_if(at_, end_, is_blank));
      fail(fmt::format("'{}' is found where {} is expected", word, what));
    }
    at_ = end;
    return x;
  }

  FileValue by_rows(std::int64_t rows) {
    std::stable_sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
      return a.row != b.row ? a.row < b.row : a.column < b.column;
    });
    FileValue value;
    add_outer_sequence(value, request_, static_cast<std::size_t>(rows));
    FileVector& lengths = value.emplace_back(Suffix::kSegdes, *request_.memory);
    FileVector& columns = value.emplace_back(Suffix::kInt, *request_.memory);
    FileVector& numbers = value.emplace_back(Suffix::kFloat, *request_.memory);
    lengths.ints.assign(static_cast<std::size_t>(rows), 0);
    columns.ints.reserve(entries_.size());
    numbers.floats.reserve(entries_.size());
    for (const Entry& entry : entries_) {
      ++lengths.ints[static_cast<std::size_t>(entry.row)];
      columns.ints.push_back(entry.column);
      numbers.floats.push_back(entry.x);
    }
    return value;
  }

  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
  void skip_blanks() { at_ = std::find_if_not(at_, end_, is_blank); }
  void skip_line() {
    at_ = std::find(at_, end_, '\n');
    if (at_ != end_) ++at_;
  }
  [[noreturn]] void fail(const std::string& message) const {
    const char* const begin = text_.data();
    const auto line = std::count(begin, at_, '\n') + 1;
    const char* const line_begin = std::find(std::reverse_iterator(at_), std::reverse_iterator(begin), '\n').base();
    throw FileError(fmt::format("{}:{}:{}: {}", request_.name, line, at_ - line_begin + 1, message));
  }

  const FileRequest& request_;
  const FileBytes text_;
  const char* at_;
  const char* const end_;
  bool has_numbers_ = true;
  int mirror_ = 0;  ///< what an entry is multiplied by on the other side of the diagonal; 0: it has no other side
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
