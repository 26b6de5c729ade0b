#include "io/value_text.h"

#include <errno.h>
#include <string.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <new>

#include <fmt/format.h>

#include "base/address_space.h"
#include "base/check.h"
#include "cvl/dispatch.h"
#include "io/run_error.h"

namespace interp {

using cvl::ElemType;
using runtime::Evaluator;
using runtime::Value;
using vcode::Suffix;

namespace {

// Prints like "%.14e" of the C library, by the faster std::to_chars, which gives the same digits and exponent.
// The sign of a NaN depends on the processor and is omitted.
template <class T>
char* print_float(char* at, char* end, T x, bool shortest) {
  if (std::isnan(x)) return std::copy_n("nan", 3, at);
  if (shortest) {
    char* last = std::to_chars(at, end, x, std::chars_format::scientific).ptr;
    // Constants of VCODE have a point, so printed numbers have one too.
    char* exponent = std::find(at, last, 'e');
    if (exponent == last || std::find(at, exponent, '.') != exponent) return last;
    std::copy_backward(exponent, last, last + 2);
    std::copy_n(".0", 2, exponent);
    return last + 2;
  }
  return std::to_chars(at, end, static_cast<double>(x), std::chars_format::scientific, 14).ptr;
}

template <class T>
void print_elements(const T* elements, std::int64_t n, Stream& stream, [[maybe_unused]] bool shortest_floats) {
  VC_CHECK(n == 0 || elements != nullptr);
  char text[48];
  text[0] = ' ';
  for (std::int64_t k = 0; k < n; ++k) {
    char* end;
    if constexpr (std::is_same_v<T, bool>) {
      text[1] = elements[k] ? 'T' : 'F';
      end = text + 2;
    } else if constexpr (std::is_floating_point_v<T>) {
      end = print_float(text + 1, text + sizeof text, elements[k], shortest_floats);
    } else {
      end = std::to_chars(text + 1, text + sizeof text, elements[k]).ptr;
    }
    stream.put({text, static_cast<std::size_t>(end - text)});
  }
}

bool print_bracketed(Evaluator& evaluator, const Value& vector, std::string_view open, std::string_view close,
                     Stream& stream, const ValueStyle& style) {
  const void* data = evaluator.heap().host_data(vector);
  if (data == nullptr && vector.length() > 0) return false;
  stream.put(open);
  const std::int64_t printed = std::min(vector.length(), style.most_elements);
  cvl::with_type(vector.type(), [&]<class T>() {
    print_elements(static_cast<const T*>(data), printed, stream, style.shortest_floats);
  });
  if (printed < vector.length()) stream.put(" ...");
  stream.put(close);
  return true;
}

template <class T, class From>
Value make_vector(Evaluator& evaluator, std::span<const From> elements) {
  if (elements.size() == 1) return Value::scalar(static_cast<T>(elements[0]));
  const auto n = static_cast<std::int64_t>(elements.size());
  runtime::Heap& heap = evaluator.heap();
  if (evaluator.makes_on_host(n)) {
    runtime::VectorObject* v = heap.make_vector(vcode::kElemTypeOf<T>, n);
    if (v == nullptr) return Value();
    for (std::size_t k = 0; k < elements.size(); ++k) static_cast<T*>(v->host)[k] = static_cast<T>(elements[k]);
    return Value::adopt(v);
  }
  runtime::VectorObject* v = heap.make_device_vector(vcode::kElemTypeOf<T>, n);
  if (v == nullptr) return Value();
  std::unique_ptr<T[]> staged(new T[elements.size()]);
  for (std::size_t k = 0; k < elements.size(); ++k) staged[k] = static_cast<T>(elements[k]);
  heap.device().upload(v->device, staged.get(), elements.size() * sizeof(T));
  return Value::adopt(v);
}

bool is_blank(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

void skip_blanks(Stream& stream) {
  while (is_blank(stream.peek())) stream.get();
}

// Reads characters up to a blank, `close` or the end.
std::string read_word(Stream& stream, char close) {
  std::string word;
  for (int c = stream.peek(); c != Stream::kEnd && !is_blank(c) && c != close; c = stream.peek()) {
    word.push_back(static_cast<char>(c));
    stream.get();
  }
  return word;
}

bool parse_int(std::string_view word, ElemType type, std::int64_t& x) {
  if (word.starts_with('+') && !word.starts_with("+-")) word.remove_prefix(1);
  auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), x);
  if (error != std::errc() || end != word.data() + word.size()) return false;
  return type == ElemType::kI64 ||
         (x >= std::numeric_limits<std::int32_t>::min() && x <= std::numeric_limits<std::int32_t>::max());
}

bool parse_float(const std::string& word, double& x) {
  char* end = nullptr;
  x = std::strtod(word.c_str(), &end);
  return !word.empty() && end == word.c_str() + word.size();
}

// Reads elements up to `close`. one_element() reads one element and returns false on failure. More than `most` elements
// exceed the memory limit.
template <class F>
bool read_elements(Stream& stream, char close, std::size_t most, F&& one_element) {
  for (std::size_t read = 0;; ++read) {
    if (read > most) fail_too_large();
    skip_blanks(stream);
    const int c = stream.peek();
    if (c == close) {
      stream.get();
      return true;
    }
    if (c == Stream::kEnd || !one_element()) return false;
  }
}

}  // namespace

bool print_value(Evaluator& evaluator, const Value& value, Stream& stream, const ValueStyle& style) {
  if (value.is_pair()) {
    stream.put(fmt::format("pair({},{}) \n", vcode::kind_name(value.pair()->first.kind()),
                           vcode::kind_name(value.pair()->second.kind())));
    return true;
  }
  if (!value.is_segdes()) return print_bracketed(evaluator, value, "(", " )\n", stream, style);
  // The length of a single segment may exceed the range of INT.
  if (value.tag() == Value::Tag::kSingle) {
    stream.put(fmt::format("[ {} ]\n", value.elements()));
    return true;
  }
  Value lengths = evaluator.lengths_of(value);
  return lengths.tag() != Value::Tag::kNone && print_bracketed(evaluator, lengths, "[", " ]\n", stream, style);
}

namespace {

/// The characters [first, first + count) of a vector of codes.
std::string characters_among(Evaluator& evaluator, const Value& value, std::int64_t first, std::int64_t count) {
  const void* data = evaluator.heap().host_data(value);
  VC_CHECK(data != nullptr || count == 0);
  if (value.type() == ElemType::kU8)
    return std::string(static_cast<const char*>(data) + first, static_cast<std::size_t>(count));
  VC_CHECK(value.is_vector() && value.kind() == vcode::Kind::kInt);
  std::string text(static_cast<std::size_t>(count), '\0');
  cvl::with_int(value.type(), [&]<class I>() {
    const I* const codes = static_cast<const I*>(data) + first;
    for (std::size_t k = 0; k < text.size(); ++k) text[k] = static_cast<char>(codes[k]);
  });
  return text;
}

}  // namespace

std::string characters_of(Evaluator& evaluator, const Value& value) {
  return characters_among(evaluator, value, 0, value.length());
}

void put_characters(Evaluator& evaluator, const Value& value, Stream& stream) {
  constexpr std::int64_t kPart = 64 * 1024;  // small enough for the cache
  for (std::int64_t first = 0; first < value.length(); first += kPart)
    stream.put(characters_among(evaluator, value, first, std::min(kPart, value.length() - first)));
}

Value make_ints(Evaluator& evaluator, std::span<const std::int64_t> elements) {
  return cvl::with_int(evaluator.widths().int_type,
                       [&]<class I>() { return make_vector<I, std::int64_t>(evaluator, elements); });
}

Value make_floats(Evaluator& evaluator, std::span<const double> elements) {
  return evaluator.widths().float_type == ElemType::kF64 ? make_vector<double, double>(evaluator, elements)
                                                         : make_vector<float, double>(evaluator, elements);
}

Value make_bools(Evaluator& evaluator, std::span<const std::uint8_t> elements) {
  return make_vector<bool, std::uint8_t>(evaluator, elements);
}

Value make_characters(Evaluator& evaluator, std::string_view text) {
  const std::span codes(reinterpret_cast<const signed char*>(text.data()), text.size());
  return cvl::with_int(evaluator.widths().int_type,
                       [&]<class I>() { return make_vector<I, signed char>(evaluator, codes); });
}

Value make_bytes(Evaluator& evaluator, std::span<const std::int64_t> elements) {
  return make_vector<std::uint8_t, std::int64_t>(evaluator, elements);
}

Value make_text(Evaluator& evaluator, std::string_view text) {
  return make_vector<std::uint8_t, char>(evaluator, std::span(text.data(), text.size()));
}

Value make_empty(Evaluator& evaluator, Suffix type) {
  switch (type) {
    case Suffix::kFloat:
      return make_floats(evaluator, {});
    case Suffix::kBool:
      return make_bools(evaluator, {});
    case Suffix::kByte:
      return make_bytes(evaluator, {});
    default:
      return make_ints(evaluator, {});
  }
}

std::size_t most_elements(Evaluator& evaluator, ElemType type, std::size_t bytes) {
  const cvl::MemoryUse memory = evaluator.heap().device().memory_use();
  return (memory.limit - std::min(memory.live, memory.limit)) / (vcode::elem_size(type) + bytes);
}

void fail_too_large() {
  throw RunError(fmt::format("out of memory: what is read does not fit ({})", base::memory_advice()),
                 RunError::Blame::kSurroundings);
}

std::string read_failure(const Stream& stream) {
  if (stream.read_error() != EBADF) return strerror(stream.read_error());
  return stream.fd() == 0 ? "standard input is closed" : "the stream is not open for reading";
}

ReadOutcome read_value(Evaluator& evaluator, Suffix type, Stream& stream) {
  VC_CHECK(type != Suffix::kNone);
  const char open = type == Suffix::kSegdes ? '[' : type == Suffix::kChar ? '"' : '(';
  const char close = type == Suffix::kSegdes ? ']' : type == Suffix::kChar ? '"' : ')';
  const ElemType int_type = evaluator.widths().int_type;
  const auto empty = [&] { return make_empty(evaluator, type); };

  skip_blanks(stream);
  const bool at_end = stream.peek() == Stream::kEnd;
  if (at_end && stream.read_error() != 0) return {empty(), "input error: " + read_failure(stream)};
  if (stream.peek() != open) return {empty(), fmt::format("vinterp: input error: vector must start with {}", open)};
  stream.get();

  // During the read, an element takes 64 bits, a character one byte.
  const bool is_text = type == Suffix::kChar;
  const ElemType element =
      is_text ? int_type : evaluator.widths().of(vcode::suffix_kind(type == Suffix::kSegdes ? Suffix::kInt : type));
  const std::size_t most = most_elements(evaluator, element, is_text ? 1 : sizeof(std::int64_t));
  std::vector<std::int64_t> ints;
  std::vector<double> floats;
  std::vector<std::uint8_t> bools;
  std::string text;
  bool complete = false;
  switch (type) {
    case Suffix::kChar: {
      int c = stream.get();
      for (; c != Stream::kEnd && c != close; c = stream.get()) {
        if (text.size() == most) fail_too_large();
        text.push_back(static_cast<char>(c));
      }
      complete = c == close;
      break;
    }
    case Suffix::kBool:
      complete = read_elements(stream, close, most, [&] {
        const int c = stream.peek();
        if (c != 'T' && c != 'F') return false;
        stream.get();
        bools.push_back(c == 'T');
        return true;
      });
      break;
    case Suffix::kFloat:
      complete = read_elements(stream, close, most, [&] {
        double x = 0;
        const bool good = parse_float(read_word(stream, close), x);
        floats.push_back(x);
        return good;
      });
      break;
    default:
      complete = read_elements(stream, close, most, [&] {
        std::int64_t x = 0;
        const bool good = parse_int(read_word(stream, close), int_type, x) && (type == Suffix::kInt || x >= 0) &&
                          (type != Suffix::kByte || x <= 255);
        ints.push_back(x);
        return good;
      });
  }
  if (!complete) return {empty(), fmt::format("input error: vector must end with {}", close)};
  switch (type) {
    case Suffix::kChar:
      return {make_characters(evaluator, text), ""};
    case Suffix::kBool:
      return {make_bools(evaluator, bools), ""};
    case Suffix::kByte:
      return {make_bytes(evaluator, ints), ""};
    case Suffix::kFloat:
      return {make_floats(evaluator, floats), ""};
    default:
      return {make_ints(evaluator, ints), ""};
  }
}

}  // namespace interp
