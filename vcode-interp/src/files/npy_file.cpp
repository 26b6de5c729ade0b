// The array files of NumPy, versions 1 to 3: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#include <bit>
#include <charconv>
#include <cstring>

#include <fmt/format.h>

#include "files/file_formats.h"
#include "files/npy_array.h"
#include "files/whole_file.h"

namespace interp {

using vcode::Suffix;

namespace {

static_assert(std::endian::native == std::endian::little, "the bytes of an element are copied as they are");

constexpr std::string_view kMagic = "\x93NUMPY";

/// Rows without elements take no bytes of the file, so that only this limits their number.
constexpr std::int64_t kMostEmptyRows = 1 << 24;

/// The element types that a file may have: 'i' signed, 'u' unsigned, 'f' float, 'b' bool, and the bytes of each.
struct ElementType {
  char kind = 'i';
  std::size_t bytes = 0;
};

struct Header {
  ElementType element;
  bool by_columns = false;
  std::vector<std::int64_t> shape = {};
};

/// What stands behind the key in the dictionary of the header.
std::string_view entry(const FileRequest& request, std::string_view header, std::string_view key) {
  const std::size_t at = header.find(fmt::format("'{}':", key));
  if (at == std::string_view::npos) fail_file(request, fmt::format("the header of the .npy file has no '{}'", key));
  header.remove_prefix(at + key.size() + 3);
  header.remove_prefix(std::min(header.find_first_not_of(' '), header.size()));
  return header;
}

ElementType element_type(const FileRequest& request, std::string_view text) {
  if (!text.starts_with('\''))
    fail_file(request, "the elements are records, which NESL has no type for: save each field as an array");
  const std::string_view name = text.substr(1, text.find('\'', 1) - 1);
  if (name.starts_with("|O"))
    fail_file(request, "the file holds pickled Python objects (dtype object), which are never read");
  const bool single = name == "|b1" || name == "|i1" || name == "|u1";
  if (name.starts_with('>'))
    fail_file(request,
              fmt::format("the elements are big-endian ({}): convert them with astype('<{}')", name, name.substr(1)));
  for (const std::string_view known : {"<i2", "<i4", "<i8", "<u2", "<u4", "<u8", "<f4", "<f8"})
    if (name == known) return {known[1], static_cast<std::size_t>(known[2] - '0')};
  if (!single) fail_file(request, fmt::format("elements of dtype '{}' are neither ints, floats nor bools", name));
  return {name[1], 1};
}

std::vector<std::int64_t> shape_in(const FileRequest& request, std::string_view text) {
  std::vector<std::int64_t> shape;
  const char* at = text.data();
  const char* const end = at + text.size();
  if (at == end || *at++ != '(') fail_file(request, "the header of the .npy file has no shape");
  while (true) {
    while (at != end && (*at == ' ' || *at == ',')) ++at;
    if (at != end && *at == ')') return shape;
    std::int64_t length = -1;
    const auto [last, error] = std::from_chars(at, end, length);
    if (error != std::errc() || length < 0) fail_file(request, "the shape in the header of the .npy file is wrong");
    at = last;
    shape.push_back(length);
  }
}

/// Reads the header and cuts it off.
Header take_header(const FileRequest& request, std::string_view& bytes) {
  if (!bytes.starts_with(kMagic)) fail_file(request, "this is no .npy file");
  const auto byte = [&](std::size_t k) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[k])); };
  if (bytes.size() > 6 && (byte(6) < 1 || byte(6) > 3))
    fail_file(request, fmt::format("version {} of the .npy format is not known", byte(6)));
  const std::size_t fixed = bytes.size() > 6 && byte(6) >= 2 ? 12 : 10;
  if (bytes.size() < fixed) fail_file(request, "the .npy file ends within its header");
  std::size_t length = byte(8) | byte(9) << 8;
  if (fixed == 12) length |= byte(10) << 16 | byte(11) << 24;
  if (bytes.size() - fixed < length) fail_file(request, "the .npy file ends within its header");
  const std::string_view text = bytes.substr(fixed, length);
  bytes.remove_prefix(fixed + length);
  return {element_type(request, entry(request, text, "descr")),
          entry(request, text, "fortran_order").starts_with("True"), shape_in(request, entry(request, text, "shape"))};
}

/// The elements of type From, by rows, as numbers of type To.
template <class From, class To>
void convert(const Header& header, std::string_view bytes, FileElements<To>& to) {
  to.resize(bytes.size() / sizeof(From));
  if constexpr (std::is_same_v<From, To>) {
    if (!header.by_columns) {
      if (!to.empty()) std::memcpy(to.data(), bytes.data(), bytes.size());
      return;
    }
  }
  const auto element = [&](std::size_t k) {
    From x;
    std::memcpy(&x, bytes.data() + k * sizeof x, sizeof x);
    return static_cast<To>(x);
  };
  const bool transposed = header.by_columns && header.shape.size() == 2;
  const std::size_t rows = transposed ? static_cast<std::size_t>(header.shape[0]) : to.size();
  const std::size_t columns = transposed ? static_cast<std::size_t>(header.shape[1]) : 1;
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c) to[r * columns + c] = element(c * rows + r);
}

template <class To>
void convert_ints(const Header& header, std::string_view bytes, FileElements<To>& to) {
  const bool is_signed = header.element.kind == 'i';
  switch (header.element.bytes) {
    case 1:
      return is_signed ? convert<std::int8_t>(header, bytes, to) : convert<std::uint8_t>(header, bytes, to);
    case 2:
      return is_signed ? convert<std::int16_t>(header, bytes, to) : convert<std::uint16_t>(header, bytes, to);
    case 4:
      return is_signed ? convert<std::int32_t>(header, bytes, to) : convert<std::uint32_t>(header, bytes, to);
    default:
      return is_signed ? convert<std::int64_t>(header, bytes, to) : convert<std::uint64_t>(header, bytes, to);
  }
}

void require_fitting(const FileRequest& request, const Header& header, const FileElements<std::int64_t>& ints) {
  for (std::size_t k = 0; k < ints.size(); ++k) {
    const bool wrapped = header.element.kind == 'u' && ints[k] < 0;
    if (wrapped || (!request.wide_ints && ints[k] != static_cast<std::int32_t>(ints[k])))
      fail_file(request, fmt::format("element {} does not fit into an int of {} bits", k, request.wide_ints ? 64 : 32));
  }
}

void append_elements(const FileRequest& request, const Header& header, std::string_view bytes, std::string_view type,
                     FileValue& value) {
  const auto mismatch = [&] {
    fail_file(request, fmt::format("the elements have dtype {}{}, which is not {}", header.element.kind,
                                   header.element.bytes, type));
  };
  const Suffix suffix = type == "float" ? Suffix::kFloat : type == "bool" ? Suffix::kBool : Suffix::kInt;
  FileVector& elements = value.emplace_back(suffix, *request.memory);
  const char kind = header.element.kind;
  if (type == "float") {
    if (kind == 'b') mismatch();
    if (kind != 'f')
      convert_ints(header, bytes, elements.floats);
    else if (header.element.bytes == 4)
      convert<float>(header, bytes, elements.floats);
    else
      convert<double>(header, bytes, elements.floats);
  } else if (type == "bool") {
    if (kind != 'b') mismatch();
    convert<std::uint8_t>(header, bytes, elements.bools);
    for (std::uint8_t& byte : elements.bools) byte = byte != 0 ? 1 : 0;
  } else {
    if (kind != 'i' && kind != 'u') mismatch();
    convert_ints(header, bytes, elements.ints);
    require_fitting(request, header, elements.ints);
  }
}

/// The type of the elements of [type] or [[type]], and the number of dimensions.
std::pair<std::string_view, std::size_t> element_of(const FileRequest& request, std::string_view type) {
  std::size_t dimensions = 0;
  for (; type.starts_with('['); ++dimensions) type = type.substr(1, type.size() - 2);
  if (dimensions < 1 || dimensions > 2 || (type != "int" && type != "float" && type != "bool")) refuse_type(request);
  return {type, dimensions};
}

}  // namespace

std::size_t npy_columns(const FileRequest& request, std::string_view type) {
  return element_of(request, type).second + 1;
}

void append_npy(const FileRequest& request, std::string_view type, std::string_view bytes, FileValue& value) {
  const auto [element, dimensions] = element_of(request, type);
  const Header header = take_header(request, bytes);
  if (header.shape.size() != dimensions)
    fail_file(request, fmt::format("the array has {} dimensions, a value of type {} has {}", header.shape.size(), type,
                                   dimensions));
  // As the size may be a lie, it is never multiplied before it is known to be small.
  std::size_t expected = header.element.bytes;
  for (const std::int64_t length : header.shape)
    if (__builtin_mul_overflow(expected, static_cast<std::size_t>(length), &expected))
      fail_file(request, "the shape in the header of the .npy file is wrong");
  if (bytes.size() != expected)
    fail_file(request, fmt::format("the header of the .npy file promises {} bytes of elements, but there are {}",
                                   expected, bytes.size()));
  const auto rows = static_cast<std::size_t>(header.shape[0]);
  add_outer_sequence(value, request, rows);
  if (dimensions == 2) {
    if (header.shape[1] == 0 && header.shape[0] > kMostEmptyRows)
      fail_file(request, fmt::format("the header of the .npy file promises {} rows without elements", rows));
    value.emplace_back(Suffix::kSegdes, *request.memory).ints.resize(rows, header.shape[1]);
  }
  append_elements(request, header, bytes, element, value);
}

FileValue read_npy(const FileRequest& request) {
  npy_columns(request, request.type);  // refuses other types before the file is read
  const FileBytes bytes = read_whole_file(request);
  FileValue value;
  append_npy(request, request.type, view_of(bytes), value);
  return value;
}

FileContent npy_file(const FileRequest& request, std::string_view type, std::span<const FileColumn> value) {
  const auto [element, dimensions] = element_of(request, type);
  std::string shape = fmt::format("{},", value[0].ints[0]);
  if (dimensions == 2) {
    const std::span<const std::int64_t> lengths = value[1].ints;
    for (std::size_t k = 0; k < lengths.size(); ++k)
      if (lengths[k] != lengths[0])
        fail_file(request, fmt::format("an array has rows of one length, but row 0 has {} elements and row {} has {}",
                                       lengths[0], k, lengths[k]));
    shape += fmt::format(" {}", lengths.empty() ? 0 : lengths[0]);
  }
  const char* descr = element == "int" ? "<i8" : element == "float" ? "<f8" : "|b1";
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, shape);
  // Elements begin at a multiple of 64.
  constexpr std::size_t kFixed = 10, kAlignment = 64;
  header.append(kAlignment - 1 - (kFixed + header.size()) % kAlignment, ' ');
  header += '\n';
  std::string bytes(kMagic);
  bytes += {1, 0, static_cast<char>(header.size() & 255), static_cast<char>(header.size() >> 8)};
  bytes += header;
  const FileColumn& elements = value[dimensions];
  if (element == "int") return {std::move(bytes), bytes_of(elements.ints)};
  if (element == "float") return {std::move(bytes), bytes_of(elements.floats)};
  return {std::move(bytes), bytes_of(elements.bools)};
}

FileContent npy_content(const FileRequest& request, const FileColumns& value) {
  return npy_file(request, request.type, value);
}

}  // namespace interp
