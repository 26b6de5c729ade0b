// The array files of NumPy, versions 1 to 3: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "files/file_formats.h"
#include "files/file_text.h"
#include "files/npy_array.h"
#include "files/whole_file.h"

namespace interp {

using vcode::Suffix;

namespace {

static_assert(std::endian::native == std::endian::little, "the bytes of an element are copied as they are");

constexpr std::string_view kMagic = "\x93NUMPY";

/// Element type of a file: 'i' signed, 'u' unsigned, 'f' float, 'b' bool; and its size in bytes.
struct ElementType {
  char kind = 'i';
  std::size_t bytes = 0;
  bool big_endian = false;
};

struct Header {
  ElementType element;
  bool by_columns = false;
  std::vector<std::int64_t> shape = {};
};

/// Parses the header: a dictionary in Python's notation, of strings, numbers, tuples and lists.
class HeaderDictionary {
 public:
  HeaderDictionary(const FileRequest& request, std::string_view text) : request_(request), text_(text) {
    skip_blanks();
    if (!take('{')) fail();
    for (skip_blanks(); !take('}'); skip_blanks()) {
      const std::string_view key = string();
      skip_blanks();
      if (!take(':')) fail();
      skip_blanks();
      entries_.emplace_back(key, value());
      take(',');
    }
  }

  std::string_view at(std::string_view key) const {
    for (const auto& [known, value] : entries_)
      if (known == key) return value;
    fail_file(request_, fmt::format("the header of the .npy file has no '{}'", key));
  }

  /// The text between the quotes of a string; nothing if the value is no string.
  static std::optional<std::string_view> content(std::string_view value) {
    const bool quoted = value.size() >= 2 && (value[0] == '\'' || value[0] == '"') && value.back() == value[0];
    return quoted ? std::optional(value.substr(1, value.size() - 2)) : std::nullopt;
  }

 private:
  void skip_blanks() { text_.remove_prefix(std::min(text_.find_first_not_of(" \n"), text_.size())); }
  bool take(char c) {
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }
  std::string_view string() {
    const std::size_t end = text_.empty() ? text_.npos : text_.find(text_[0], 1);
    if (end == text_.npos || !content(text_.substr(0, end + 1))) fail();
    const std::string_view found = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return found;
  }
  /// Reads a value, up to the comma or brace behind it.
  std::string_view value() {
    const std::string_view all = text_;
    for (int depth = 0; !text_.empty();) {
      const char c = text_[0];
      if (c == '\'' || c == '"') {
        string();
        continue;
      }
      if (depth == 0 && (c == ',' || c == '}')) break;
      if (c == '(' || c == '[') ++depth;
      if (c == ')' || c == ']') --depth;
      text_.remove_prefix(1);
    }
    std::string_view found = all.substr(0, all.size() - text_.size());
    while (found.ends_with(' ')) found.remove_suffix(1);
    return found;
  }
  [[noreturn]] void fail() const { fail_file(request_, "the header of the .npy file is no dictionary"); }

  const FileRequest& request_;
  std::string_view text_;
  std::vector<std::pair<std::string_view, std::string_view>> entries_;
};

ElementType element_type(const FileRequest& request, std::string_view text) {
  const std::optional<std::string_view> name = HeaderDictionary::content(text);
  if (!name) fail_file(request, "the elements are records, which NESL has no type for: save each field as an array");
  if (name->starts_with("|O"))
    fail_file(request, "the file holds pickled Python objects (dtype object), which are never read");
  const bool ordered = !name->empty() && std::string_view("<>|=").find((*name)[0]) != std::string_view::npos;
  const std::string_view type = name->substr(ordered ? 1 : 0);
  for (const std::string_view known : {"b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"})
    if (type == known) return {known[0], static_cast<std::size_t>(known[1] - '0'), name->starts_with('>')};
  fail_file(request, fmt::format("elements of dtype '{}' are neither ints, floats nor bools", *name));
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

/// Reads the header and removes it from `bytes`.
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
  const HeaderDictionary dictionary(request, text);
  return {element_type(request, dictionary.at("descr")), dictionary.at("fortran_order") == "True",
          shape_in(request, dictionary.at("shape"))};
}

/// The bits of a float of 16 bits.
enum class Half : std::uint16_t {};

double float_of(Half half) {
  const auto bits = static_cast<unsigned>(half);
  const int exponent = static_cast<int>(bits >> 10 & 31);
  const int fraction = static_cast<int>(bits & 1023);
  constexpr int kInfinite = 31, kBias = 15, kFractionBits = 10;
  double x = 0;
  if (exponent == kInfinite)
    x = fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  else if (exponent == 0)
    x = std::ldexp(fraction, 1 - kBias - kFractionBits);
  else
    x = std::ldexp(fraction + (1 << kFractionBits), exponent - kBias - kFractionBits);
  return (bits >> 15) != 0 ? -x : x;
}

/// Converts elements of type From to type To, in row-major order.
template <class From, class To>
void convert(const Header& header, std::string_view bytes, FileElements<To>& to) {
  to.resize(bytes.size() / sizeof(From));
  if constexpr (std::is_same_v<From, To>) {
    if (!header.by_columns && !header.element.big_endian) {
      if (!to.empty()) std::memcpy(to.data(), bytes.data(), bytes.size());
      return;
    }
  }
  const auto element = [&](std::size_t k) {
    std::array<char, sizeof(From)> of_one;
    std::memcpy(of_one.data(), bytes.data() + k * sizeof(From), sizeof(From));
    if (header.element.big_endian) std::reverse(of_one.begin(), of_one.end());
    const auto x = std::bit_cast<From>(of_one);
    if constexpr (std::is_same_v<From, Half>)
      return static_cast<To>(float_of(x));
    else
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

void convert_floats(const Header& header, std::string_view bytes, FileElements<double>& to) {
  switch (header.element.bytes) {
    case 2:
      return convert<Half>(header, bytes, to);
    case 4:
      return convert<float>(header, bytes, to);
    default:
      return convert<double>(header, bytes, to);
  }
}

/// The index of element k in row-major order, as text: "[7]", or "[2][1]" of two dimensions.
std::string location_of(const Header& header, std::size_t k) {
  if (header.shape.size() < 2) return fmt::format("[{}]", k);
  const auto columns = static_cast<std::size_t>(header.shape[1]);
  return fmt::format("[{}][{}]", k / columns, k % columns);
}

/// `first`: number of the first of these elements in the array.
void require_fitting(const FileRequest& request, const Header& header, std::size_t first,
                     const FileElements<std::int64_t>& ints) {
  for (std::size_t k = 0; k < ints.size(); ++k) {
    const bool wrapped = header.element.kind == 'u' && ints[k] < 0;
    if (!wrapped && (request.wide_ints || ints[k] == static_cast<std::int32_t>(ints[k]))) continue;
    const std::string number = wrapped ? fmt::to_string(static_cast<std::uint64_t>(ints[k])) : fmt::to_string(ints[k]);
    fail_file(request, fmt::format("element {} is {}, which does not fit into an int of {} bits",
                                   location_of(header, first + k), number, request.wide_ints ? 64 : 32));
  }
}

void require_fitting(const FileRequest& request, const Header& header, std::size_t first,
                     const FileElements<double>& floats) {
  if (request.wide_floats || header.element.bytes < sizeof(double)) return;
  const auto found = std::find_if(floats.begin(), floats.end(), overflows_narrow_float);
  if (found == floats.end()) return;
  fail_file(request,
            fmt::format("element {} is {}, which is out of range of floats of 32 bits",
                        location_of(header, first + static_cast<std::size_t>(found - floats.begin())), *found));
}

/// Appends consecutive elements, from number `first` of the array on.
void append_elements(const FileRequest& request, const Header& header, std::size_t first, std::string_view bytes,
                     std::string_view type, FileValue& value) {
  const auto mismatch = [&] {
    fail_file(request, fmt::format("the elements have dtype {}{}, which is not {}", header.element.kind,
                                   header.element.bytes, type));
  };
  const Suffix suffix = type == "float" ? Suffix::kFloat : type == "bool" ? Suffix::kBool : Suffix::kInt;
  FileVector& elements = value.emplace_back(suffix, *request.memory);
  const char kind = header.element.kind;
  if (type == "float") {
    if (kind == 'b') mismatch();
    if (kind == 'f')
      convert_floats(header, bytes, elements.floats);
    else
      convert_ints(header, bytes, elements.floats);
    require_fitting(request, header, first, elements.floats);
  } else if (type == "bool") {
    if (kind != 'b') mismatch();
    convert<std::uint8_t>(header, bytes, elements.bytes);
    for (std::uint8_t& byte : elements.bytes) byte = byte != 0 ? 1 : 0;
  } else {
    if (kind != 'i' && kind != 'u') mismatch();
    convert_ints(header, bytes, elements.ints);
    require_fitting(request, header, first, elements.ints);
  }
}

/// The element type and the number of dimensions of a type such as [int] or [[float]].
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

namespace {

/// Checks that an array has so many dimensions, and that `bytes` bytes are its elements.
void check_shape(const FileRequest& request, std::string_view type, std::size_t dimensions, const Header& header,
                 std::size_t bytes) {
  if (header.shape.size() != dimensions)
    fail_file(request, fmt::format("the array has {} dimensions, a value of type {} has {}", header.shape.size(), type,
                                   dimensions));
  // The shape may be wrong, so the product is checked for overflow.
  std::size_t expected = header.element.bytes;
  for (const std::int64_t length : header.shape)
    if (__builtin_mul_overflow(expected, static_cast<std::size_t>(length), &expected))
      fail_file(request, "the shape in the header of the .npy file is wrong");
  if (bytes != expected)
    fail_file(request, fmt::format("the header of the .npy file promises {} bytes of elements, but there are {}",
                                   expected, bytes));
}

}  // namespace

void append_npy(const FileRequest& request, std::string_view type, std::string_view bytes, FileValue& value) {
  const auto [element, dimensions] = element_of(request, type);
  const Header header = take_header(request, bytes);
  check_shape(request, type, dimensions, header, bytes.size());
  const auto rows = static_cast<std::size_t>(header.shape[0]);
  add_outer_sequence(value, request, rows);
  if (dimensions == 2) value.emplace_back(Suffix::kSegdes, *request.memory).ints.resize(rows, header.shape[1]);
  append_elements(request, header, 0, bytes, element, value);
}

FileValue read_npy(const FileRequest& request) {
  npy_columns(request, request.type);  // refuses other types before the file is read
  const FileBytes bytes = read_whole_file(request);
  FileValue value;
  append_npy(request, request.type, view_of(bytes), value);
  return value;
}

FileValue read_npy_part(const FileRequest& request, const SharedFile& file, const PartOf& part_of) {
  const auto [element, dimensions] = element_of(request, request.type);
  constexpr std::size_t kLongestHeader = std::size_t{1} << 16;
  const FileBytes beginning = file.read(0, std::min(file.size(), kLongestHeader));
  std::string_view behind = view_of(beginning);
  const Header header = take_header(request, behind);
  const std::size_t begin = beginning.size() - behind.size();
  check_shape(request, request.type, dimensions, header, file.size() - begin);
  if (header.by_columns && dimensions == 2) throw NotInParts();
  const std::int64_t rows = header.shape[0], columns = dimensions == 2 ? header.shape[1] : 1;
  const auto own_rows = static_cast<std::size_t>(part_of(rows).second);
  FileValue value;
  add_outer_sequence(value, request, own_rows);
  if (dimensions == 2) value.emplace_back(Suffix::kSegdes, *request.memory).ints.resize(own_rows, columns);
  const auto [first, count] = part_of(rows * columns);
  const FileBytes bytes = file.read(begin + static_cast<std::size_t>(first) * header.element.bytes,
                                    static_cast<std::size_t>(count) * header.element.bytes);
  append_elements(request, header, static_cast<std::size_t>(first), view_of(bytes), element, value);
  return value;
}

std::string npy_header(std::string_view element, std::string_view shape) {
  const char* descr = element == "int" ? "<i8" : element == "float" ? "<f8" : "|b1";
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, shape);
  // The elements begin at a multiple of 64 bytes.
  constexpr std::size_t kFixed = 10, kAlignment = 64;
  header.append(kAlignment - 1 - (kFixed + header.size()) % kAlignment, ' ');
  header += '\n';
  std::string bytes(kMagic);
  bytes += {1, 0, static_cast<char>(header.size() & 255), static_cast<char>(header.size() >> 8)};
  return bytes + header;
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
  std::string bytes = npy_header(element, shape);
  const FileColumn& elements = value[dimensions];
  if (element == "int") return {std::move(bytes), bytes_of(elements.ints)};
  if (element == "float") return {std::move(bytes), bytes_of(elements.floats)};
  return {std::move(bytes), bytes_of(elements.bytes)};
}

FileContent npy_content(const FileRequest& request, const FileColumns& value) {
  return npy_file(request, request.type, value);
}

}  // namespace interp
