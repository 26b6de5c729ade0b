#include "result_text.h"

#include <charconv>
#include <cmath>
#include <iterator>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "base/check.h"
#include "base/stop_request.h"
#include "cvl/dispatch.h"
#include "cvl/integer_at.h"
#include "nesl-compiler/escapes.h"

namespace nesl_cli {

using nesl::ValueShape;
using runtime::Value;
using Kind = nesl::ValueShape::Kind;

namespace {

/// A value divided into its vectors on the host and the offsets of its sequences.
struct Node {
  const ValueShape* shape = nullptr;
  std::vector<Node> parts = {};
  cvl::Operand elements = {};              ///< of a node of scalars
  std::int64_t regular_length = -1;        ///< of a node of sequences: the length of each, or -1 if they differ
  std::vector<std::int64_t> offsets = {};  ///< of a node of sequences of different lengths: their offsets

  std::int64_t begin(std::int64_t k) const {
    return regular_length >= 0 ? k * regular_length : offsets[static_cast<std::size_t>(k)];
  }
};

/// Reads entries in order. The entries must outlive the nodes, which point to their elements.
class EntryReader {
 public:
  EntryReader(std::span<const Value> entries, runtime::Evaluator& evaluator)
      : entries_(entries), evaluator_(evaluator) {}

  /// Reads the node of a shape. False if memory runs out.
  bool read(const ValueShape& shape, Node& node) {
    node.shape = &shape;
    if (shape.kind == Kind::kSequence && !read_descriptor(node)) return false;
    if (shape.kind < Kind::kSequence) return read_vector(node);
    node.parts.resize(shape.parts.size());
    for (std::size_t k = 0; k < shape.parts.size(); ++k)
      if (!read(shape.parts[k], node.parts[k])) return false;
    return true;
  }

 private:
  const Value& next_entry() {
    VC_CHECK(at_ < entries_.size());
    return entries_[at_++];
  }

  bool read_vector(Node& node) {
    const Value& value = next_entry();
    node.elements = {value.type(), value.length(), evaluator_.heap().host_data(value)};
    return node.elements.data != nullptr || node.elements.length == 0;
  }

  bool read_descriptor(Node& node) {
    const Value& value = next_entry();
    if (value.tag() == Value::Tag::kSingle) {
      node.regular_length = value.elements();
      return true;
    }
    node.regular_length = value.segdes()->regular_length;
    if (node.regular_length >= 0) return true;
    const Value lengths = evaluator_.lengths_of(value);
    if (lengths.tag() == Value::Tag::kNone) return false;
    const cvl::Operand operand{lengths.type(), lengths.length(), evaluator_.heap().host_data(lengths)};
    if (operand.data == nullptr) return false;
    node.offsets.reserve(static_cast<std::size_t>(operand.length) + 1);
    std::int64_t offset = 0;
    for (std::int64_t k = 0; k < operand.length; ++k) {
      node.offsets.push_back(offset);
      offset += cvl::integer_at(operand, k);
    }
    node.offsets.push_back(offset);
    return true;
  }

  std::span<const Value> entries_;
  runtime::Evaluator& evaluator_;
  std::size_t at_ = 0;
};

void append_utf8(std::string& out, std::int64_t code) {
  auto tail = [&](int shift) { out += static_cast<char>(0x80 | (code >> shift & 0x3F)); };
  if (code < 0x800) {
    out += static_cast<char>(0xC0 | code >> 6);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | code >> 12);
    tail(6);
  } else {
    out += static_cast<char>(0xF0 | code >> 18);
    tail(12);
    tail(6);
  }
  tail(0);
}

// Codes from -128 to 255 are bytes, signed or unsigned; larger codes are code points of Unicode.
void append_character(std::string& out, std::int64_t code) {
  constexpr std::int64_t kLastUnicode = 0x10FFFF;
  if (code >= -128 && code <= 255)
    out += static_cast<char>(code);
  else if (code > 255 && code <= kLastUnicode)
    append_utf8(out, code);
  else
    out += '?';
}

/// Appends a character of a string.
void append_escaped(std::string& out, std::int64_t code) {
  const bool is_ascii = code >= 0 && code < 0x80;
  if (const auto* escape = is_ascii ? nesl::find_escape(&nesl::Escape::character, static_cast<char>(code)) : nullptr)
    (out += '\\') += escape->letter;
  else
    append_character(out, code);
}

std::string float_element(const cvl::Operand& elements, std::int64_t k, bool classic) {
  if (elements.type == vcode::ElemType::kF32) return float_text(static_cast<const float*>(elements.data)[k], classic);
  return float_text(static_cast<const double*>(elements.data)[k], classic);
}

class Printer {
 public:
  Printer(std::string& out, const ResultStyle& style) : out_(out), style_(style), longest_(style.longest()) {}

  void print(const Node& node, std::int64_t k) {
    switch (node.shape->kind) {
      case Kind::kInt:
        fmt::format_to(std::back_inserter(out_), "{}", cvl::integer_at(node.elements, k));
        break;
      case Kind::kFloat:
        out_ += float_element(node.elements, k, style_.classic);
        break;
      case Kind::kBool:
        out_ += cvl::integer_at(node.elements, k) != 0 ? 'T' : 'F';
        break;
      case Kind::kChar:
        out_ += '`';
        append_character(out_, cvl::integer_at(node.elements, k));
        break;
      case Kind::kSequence:
        if (node.parts[0].shape->kind == Kind::kChar && node.begin(k + 1) > node.begin(k))
          print_string(node.parts[0], node.begin(k), node.begin(k + 1));
        else
          print_sequence(node, k);
        break;
      case Kind::kPair:
        print_tuple(node, k);
        break;
      case Kind::kData:
        out_ += node.shape->name;
        if (node.parts[0].shape->kind == Kind::kPair) return print_tuple(node.parts[0], k);
        out_ += '(';
        print(node.parts[0], k);
        out_ += ')';
        break;
      case Kind::kFunction:
        out_ += "fn";
        break;
    }
  }

 private:
  void print_string(const Node& characters, std::int64_t begin, std::int64_t end) {
    out_ += '"';
    const std::int64_t shown = std::min(end - begin, style_.string_length);
    for (std::int64_t j = begin; j < begin + shown; ++j) append_escaped(out_, cvl::integer_at(characters.elements, j));
    out_ += '"';
    if (shown < end - begin) out_ += "...";
  }

  void print_sequence(const Node& node, std::int64_t k) {
    const std::int64_t begin = node.begin(k), length = node.begin(k + 1) - begin;
    if (length == 0 && node.parts[0].shape->kind == Kind::kChar) {
      out_ += "\"\"";
      return;
    }
    out_ += '[';
    std::int64_t shown = 0;
    for (; shown < std::min(length, style_.print_length) && out_.size() < longest_; ++shown) {
      base::check_stop();
      if (shown > 0) out_ += ", ";
      print(node.parts[0], begin + shown);
    }
    if (length > shown) out_ += shown > 0 ? ",..." : "...";
    out_ += ']';
  }

  /// Prints a tuple; pairs nested to the right form one tuple.
  void print_tuple(const Node& node, std::int64_t k) {
    out_ += '(';
    const Node* rest = &node;
    for (; rest->shape->kind == Kind::kPair; rest = &rest->parts[1]) {
      print(rest->parts[0], k);
      out_ += ", ";
    }
    print(*rest, k);
    out_ += ')';
  }

  std::string& out_;
  const ResultStyle& style_;
  const std::size_t longest_;
};

}  // namespace

std::optional<std::string> result_text(const ValueShape& shape, std::span<const Value> entries,
                                       runtime::Evaluator& evaluator, const ResultStyle& style) {
  Node node;
  if (!EntryReader(entries, evaluator).read(shape, node)) return std::nullopt;
  std::string text;
  Printer(text, style).print(node, 0);
  return text;
}

std::string scalar_text(ValueShape::Kind kind, const cvl::Operand& elements, std::int64_t k, bool classic) {
  if (kind == Kind::kFloat) return float_element(elements, k, classic);
  const std::int64_t code = cvl::integer_at(elements, k);
  if (kind == Kind::kBool) return code != 0 ? "T" : "F";
  if (kind == Kind::kInt) return fmt::format("{}", code);
  std::string text;
  append_escaped(text, code);
  return text;
}

template <class Float>
std::string float_text(Float x, bool classic) {
  constexpr Float kSmallest = static_cast<Float>(1e-3), kLarge = 1e7;
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x < 0 ? "-inf" : "inf";
  if (x == 0) return "0.0";
  char text[40];
  if (classic) {
    // The shortest digits of the number rounded to 15 digits.
    const char* digits = std::to_chars(text, text + sizeof text, x, std::chars_format::scientific, 14).ptr;
    double rounded = 0;
    std::from_chars(text, digits, rounded);
    if constexpr (std::is_same_v<Float, float>) return float_text<double>(rounded, false);
    x = static_cast<Float>(rounded);
  }
  const Float magnitude = std::fabs(x);
  const bool positional = magnitude >= kSmallest && magnitude < kLarge;
  const char* end =
      std::to_chars(text, text + sizeof text, x, positional ? std::chars_format::fixed : std::chars_format::scientific)
          .ptr;
  const std::string_view all(text, static_cast<std::size_t>(end - text));
  const std::size_t e = all.find('e');
  std::string result(all.substr(0, e));
  if (result.find('.') == result.npos) result += ".0";
  if (e == all.npos) return result;
  int exponent = 0;
  const char* digits = all.data() + e + 1;
  std::from_chars(*digits == '+' ? digits + 1 : digits, end, exponent);
  return result + fmt::format("E{}", exponent);
}

template std::string float_text(float x, bool classic);
template std::string float_text(double x, bool classic);

}  // namespace nesl_cli
