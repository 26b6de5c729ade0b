#include "files/file_formats.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <limits>
#include <new>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "files/file_text.h"
#include "files/whole_file.h"

namespace interp {

using vcode::Suffix;

namespace {

FileValue parse_lines(const FileRequest& request, TextPart part) {
  const std::string_view text = view_of(part.text);
  FileVector lengths(Suffix::kSegdes, *request.memory), characters(Suffix::kByte, *request.memory);
  characters.bytes.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::size_t last = end > at && end < text.size() && text[end - 1] == '\r' ? end - 1 : end;
    characters.bytes.insert(characters.bytes.end(), text.begin() + at, text.begin() + last);
    lengths.ints.push_back(static_cast<std::int64_t>(last - at));
    at = end + 1;
  }
  FileValue value;
  add_outer_sequence(value, request, lengths.ints.size());
  value.push_back(std::move(lengths));
  value.push_back(std::move(characters));
  return value;
}

FileValue read_lines(const FileRequest& request) { return parse_lines(request, {read_whole_file(request)}); }

template <class T>
void take_numbers(const FileRequest& request, std::string_view bytes, FileElements<T>& numbers) {
  if (bytes.size() % sizeof(T) != 0)
    throw FileError(
        fmt::format("{}: {} bytes are not a whole number of elements of {}", request.name, bytes.size(), sizeof(T)));
  numbers.resize(bytes.size() / sizeof(T));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
}

/// The value of consecutive elements, from number `first` of the file on.
FileValue binary_value(const FileRequest& request, std::int64_t first, std::string_view bytes) {
  const Suffix kind = request.type == "[float]"  ? Suffix::kFloat
                      : request.type == "[char]" ? Suffix::kByte
                                                 : Suffix::kInt;
  FileVector elements(kind, *request.memory);
  if (request.type == "[char]") {
    take_numbers(request, bytes, elements.bytes);
  } else if (request.type == "[int]") {
    take_numbers(request, bytes, elements.ints);
    const auto narrow = [](std::int64_t x) { return x == static_cast<std::int32_t>(x); };
    const auto wide = std::find_if_not(elements.ints.begin(), elements.ints.end(), narrow);
    if (!request.wide_ints && wide != elements.ints.end())
      throw FileError(fmt::format("{}: element {} is {}, which is no int of 32 bits", request.name,
                                  first + (wide - elements.ints.begin()), *wide));
  } else if (request.type == "[float]") {
    take_numbers(request, bytes, elements.floats);
    const auto wide = std::find_if(elements.floats.begin(), elements.floats.end(), overflows_narrow_float);
    if (!request.wide_floats && wide != elements.floats.end())
      throw FileError(fmt::format("{}: element {} is {}, which is out of range of floats of 32 bits", request.name,
                                  first + (wide - elements.floats.begin()), *wide));
  } else {
    refuse_type(request);
  }
  const std::size_t count = elements.ints.size() + elements.floats.size() + elements.bytes.size();
  FileValue value;
  add_outer_sequence(value, request, count);
  value.push_back(std::move(elements));
  return value;
}

FileValue read_binary(const FileRequest& request) {
  const FileBytes file = read_whole_file(request);
  return binary_value(request, 0, view_of(file));
}

FileValue read_binary_part(const FileRequest& request, const SharedFile& file, const PartOf& part_of) {
  const std::size_t size = request.type == "[char]" ? 1 : sizeof(std::int64_t);
  if (file.size() % size != 0) throw NotInParts();  // a mistake
  const auto [first, count] = part_of(static_cast<std::int64_t>(file.size() / size));
  const FileBytes bytes = file.read(static_cast<std::size_t>(first) * size, static_cast<std::size_t>(count) * size);
  return binary_value(request, first, view_of(bytes));
}

FileContent binary_content(const FileRequest& request, const FileColumns& value) {
  if (request.type == "[float]") return {"", bytes_of(value[1].floats)};
  if (request.type == "[int]") return {"", bytes_of(value[1].ints)};
  if (request.type != "[char]") refuse_type(request);
  return {"", bytes_of(value[1].bytes)};
}

struct Format {
  const char* name;
  FileValue (*read)(const FileRequest&);
  FileContent (*content)(const FileRequest&, const FileColumns&);
  PartKind part = PartKind::kNone;
  FileValue (*read_part)(const FileRequest&, const SharedFile&, const PartOf&) = nullptr;
  FileValue (*parse_part)(const FileRequest&, TextPart) = nullptr;
};

const Format& format_of(const FileRequest& request) {
  static constexpr Format kFormats[] = {
      {"lines", read_lines, nullptr, PartKind::kLines, nullptr, parse_lines},
      {"binary", read_binary, binary_content, PartKind::kElements, read_binary_part},
      {"csv", read_csv, csv_content, PartKind::kLines, nullptr, parse_csv},
      {"named-csv", read_named_csv, named_csv_content},
      {"npy", read_npy, npy_content, PartKind::kElements, read_npy_part},
      {"npz", read_npz, npz_content},
      {"npz-compressed", nullptr, compressed_npz_content},
      {"mtx", read_matrix_market, matrix_market_content, PartKind::kMatrix},
      {"png", nullptr, png_content},
      {"plot", nullptr, plot_content},
      {"scatter", nullptr, plot_content},
      {"histogram", nullptr, plot_content},
  };
  const auto* found = std::find_if(std::begin(kFormats), std::end(kFormats),
                                   [&](const Format& format) { return format.name == request.format; });
  if (found == std::end(kFormats)) throw FileError(fmt::format("there is no file format '{}'", request.format));
  return *found;
}

/// Checks that columns have the type of the request: VCODE programs may write any vectors. Characters may be INTs.
class CheckedColumns {
 public:
  CheckedColumns(const FileRequest& request, FileColumns columns) : request_(request), columns_(std::move(columns)) {
    check_tuple(request_.type, 1);
    if (at_ != columns_.size()) fail();
  }
  const FileColumns& columns() const { return columns_; }

 private:
  /// Checks `count` values of a tuple type, given without parentheses.
  void check_tuple(std::string_view type, std::size_t count) {
    std::size_t begin = 0;
    int depth = 0;
    for (std::size_t k = 0; k <= type.size(); ++k) {
      const char c = k == type.size() ? ',' : type[k];
      if (c == '(' || c == '[') ++depth;
      if (c == ')' || c == ']') --depth;
      if (c != ',' || depth > 0) continue;
      check_one(type.substr(begin, k - begin), count);
      begin = k + 2;
    }
  }

  void check_one(std::string_view type, std::size_t count) {
    if (type.starts_with('(') && type.ends_with(')')) return check_tuple(type.substr(1, type.size() - 2), count);
    const bool is_sequence = type.starts_with('[') && type.ends_with(']');
    if (!is_sequence && type != "int" && type != "char" && type != "float" && type != "bool") refuse_type(request_);
    const Suffix kind = is_sequence       ? Suffix::kSegdes
                        : type == "float" ? Suffix::kFloat
                        : type == "bool"  ? Suffix::kBool
                        : type == "char"  ? Suffix::kByte
                                          : Suffix::kInt;
    if (at_ == columns_.size()) fail();
    FileColumn& column = columns_[at_++];
    if (kind == Suffix::kByte && column.kind == Suffix::kInt) {
      const std::vector<std::uint8_t>& codes = characters_.emplace_back(column.ints.begin(), column.ints.end());
      column = {.kind = kind, .bytes = codes};
    }
    if (column.kind != kind) fail();
    if (column.ints.size() + column.floats.size() + column.bytes.size() != count) fail();
    if (!is_sequence) return;
    const auto elements = std::accumulate(column.ints.begin(), column.ints.end(), std::int64_t{0});
    check_tuple(type.substr(1, type.size() - 2), static_cast<std::size_t>(elements));
  }

  [[noreturn]] void fail() const {
    fail_file(request_, fmt::format("what is written is no value of type {}", request_.type));
  }

  const FileRequest& request_;
  FileColumns columns_;
  std::deque<std::vector<std::uint8_t>> characters_;  ///< of columns that were INTs
  std::size_t at_ = 0;
};

}  // namespace

void fail_file(const FileRequest& request, const std::string& message) {
  throw FileError(fmt::format("{}: {}", request.name, message));
}

void refuse_type(const FileRequest& request) {
  fail_file(request,
            fmt::format("a value of type {} is nothing for a file of format {}", request.type, request.format));
}

namespace {

/// Calls read(), which reads a value of the request.
template <class Read>
FileValue checked_value(const FileRequest& request, Read&& read) {
  FileValue value;
  const char* const too_large = "what it holds does not fit into the memory that is left (see --memory)";
  try {
    value = read();
  } catch (const std::bad_alloc&) {
    fail_file(request, too_large);
  } catch (const std::length_error&) {  // more elements than a vector can have
    fail_file(request, too_large);
  }
  for (const FileVector& vector : value)
    if (vector.kind == Suffix::kSegdes && !request.wide_ints)
      for (const std::int64_t length : vector.ints)
        if (length > std::numeric_limits<std::int32_t>::max())
          fail_file(request, fmt::format("a sequence of {} elements needs ints of 64 bits (--int=64)", length));
  return value;
}

}  // namespace

FileValue read_file_value(const FileRequest& request) {
  const Format& format = format_of(request);
  if (format.read == nullptr) throw FileError(fmt::format("files of format {} are only written", request.format));
  return checked_value(request, [&] { return format.read(request); });
}

PartKind part_kind(const FileRequest& request) { return format_of(request).part; }

FileValue read_elements(const FileRequest& request, const SharedFile& file, const PartOf& part_of) {
  return checked_value(request, [&] { return format_of(request).read_part(request, file, part_of); });
}

FileValue read_text_part(const FileRequest& request, TextPart part) {
  return checked_value(request, [&] { return format_of(request).parse_part(request, std::move(part)); });
}

void write_file_value(const FileRequest& request, const FileColumns& value) {
  const Format& format = format_of(request);
  if (format.content == nullptr) throw FileError(fmt::format("files of format {} are only read", request.format));
  const CheckedColumns checked(request, value);
  write_whole_file(request.name, format.content(request, checked.columns()));
}

}  // namespace interp
