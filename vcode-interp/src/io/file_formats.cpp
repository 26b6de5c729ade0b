#include "io/file_formats.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "io/whole_file.h"

namespace interp {

using vcode::Suffix;

namespace {

FileVector characters(std::string_view text) {
  FileVector codes;
  codes.ints.resize(text.size());
  std::transform(text.begin(), text.end(), codes.ints.begin(), [](char c) { return static_cast<unsigned char>(c); });
  return codes;
}

FileValue read_lines(const FileRequest& request) {
  const std::string text = read_whole_file(request);
  FileVector lengths{.kind = Suffix::kSegdes};
  std::string all;
  all.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::size_t last = end > at && end < text.size() && text[end - 1] == '\r' ? end - 1 : end;
    all.append(text, at, last - at);
    lengths.ints.push_back(static_cast<std::int64_t>(last - at));
    at = end + 1;
  }
  FileVector outer = outer_sequence(lengths.ints.size());
  return {std::move(outer), std::move(lengths), characters(all)};
}

template <class T>
std::vector<T> numbers_of(const FileRequest& request, std::string_view bytes) {
  if (bytes.size() % sizeof(T) != 0)
    throw FileError(
        fmt::format("{}: {} bytes are not a whole number of elements of {}", request.name, bytes.size(), sizeof(T)));
  std::vector<T> numbers(bytes.size() / sizeof(T));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

FileValue read_binary(const FileRequest& request) {
  const std::string bytes = read_whole_file(request);
  FileVector elements;
  if (request.type == "[char]") {
    elements = characters(bytes);
  } else if (request.type == "[int]") {
    elements.ints = numbers_of<std::int64_t>(request, bytes);
    const auto narrow = [](std::int64_t x) { return x == static_cast<std::int32_t>(x); };
    const auto wide = std::find_if_not(elements.ints.begin(), elements.ints.end(), narrow);
    if (!request.wide_ints && wide != elements.ints.end())
      throw FileError(fmt::format("{}: element {} is {}, which is no int of 32 bits", request.name,
                                  wide - elements.ints.begin(), *wide));
  } else if (request.type == "[float]") {
    elements.kind = Suffix::kFloat;
    elements.floats = numbers_of<double>(request, bytes);
  } else {
    refuse_type(request);
  }
  const std::size_t count = elements.kind == Suffix::kFloat ? elements.floats.size() : elements.ints.size();
  return {outer_sequence(count), std::move(elements)};
}

std::string binary_bytes(const FileRequest& request, const FileValue& value) {
  if (request.type == "[float]") return std::string(bytes_of(value[1].floats.data(), value[1].floats.size()));
  if (request.type == "[int]") return std::string(bytes_of(value[1].ints.data(), value[1].ints.size()));
  if (request.type != "[char]") refuse_type(request);
  return std::string(value[1].ints.begin(), value[1].ints.end());
}

struct Format {
  const char* name;
  FileValue (*read)(const FileRequest&);
  std::string (*bytes)(const FileRequest&, const FileValue&);
};

const Format& format_of(const FileRequest& request) {
  static constexpr Format kFormats[] = {
      {"lines", read_lines, nullptr}, {"binary", read_binary, binary_bytes},           {"csv", read_csv, csv_text},
      {"npy", read_npy, npy_bytes},   {"mtx", read_matrix_market, matrix_market_text}, {"png", nullptr, png_bytes},
  };
  const auto* found = std::find_if(std::begin(kFormats), std::end(kFormats),
                                   [&](const Format& format) { return format.name == request.format; });
  if (found == std::end(kFormats)) throw FileError(fmt::format("there is no file format '{}'", request.format));
  return *found;
}

}  // namespace

void fail_file(const FileRequest& request, const std::string& message) {
  throw FileError(fmt::format("{}: {}", request.name, message));
}

void require_memory(const FileRequest& request, std::size_t elements) {
  if (elements > request.most_bytes / (2 * sizeof(std::int64_t)))
    fail_file(request, fmt::format("it promises a sequence of {} elements, but of the memory {} bytes are left",
                                   elements, request.most_bytes));
}

void refuse_type(const FileRequest& request) {
  fail_file(request,
            fmt::format("a value of type {} is nothing for a file of format {}", request.type, request.format));
}

FileValue read_file_value(const FileRequest& request) {
  const Format& format = format_of(request);
  if (format.read == nullptr) throw FileError(fmt::format("files of format {} are only written", request.format));
  FileValue value = format.read(request);
  for (const FileVector& vector : value)
    if (vector.kind == Suffix::kSegdes && !request.wide_ints)
      for (const std::int64_t length : vector.ints)
        if (length > std::numeric_limits<std::int32_t>::max())
          fail_file(request, fmt::format("a sequence of {} elements needs ints of 64 bits (--int=64)", length));
  return value;
}

void write_file_value(const FileRequest& request, const FileValue& value) {
  const Format& format = format_of(request);
  if (format.bytes == nullptr) throw FileError(fmt::format("files of format {} are only read", request.format));
  write_whole_file(request.name, format.bytes(request, value));
}

}  // namespace interp
