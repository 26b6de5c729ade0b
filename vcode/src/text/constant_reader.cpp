#include "constant_reader.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "base/check.h"

namespace vcode {
namespace {

/// The nearest double; nothing if the number is too large. Numbers that are too small become zero or denormal.
std::optional<double> to_float(std::string_view text) {
  if (text.front() == '+') text.remove_prefix(1);
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) value = std::strtod(std::string(text).c_str(), nullptr);
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace

std::optional<Constant> ConstantReader::read(base::Span statement) {
  if (!in_.is(WordClass::kType)) {
    in_.error(statement,
              fmt::format("CONST needs a type (INT, BOOL, FLOAT, BYTE, SEGDES or CHAR), not {}", in_.found()));
    return std::nullopt;
  }
  Constant constant;
  constant.type = in_.word().type;
  in_.advance();
  const bool is_string =
      constant.type == Suffix::kChar || (constant.type == Suffix::kByte && in_.token().kind == TokenKind::kString);
  bool good = is_string                                                     ? read_string(constant)
              : in_.token().kind == TokenKind::kOpen                        ? read_vector(constant)
              : constant.type == Suffix::kInt && in_.is(WordClass::kStream) ? read_stream(constant)
                                                                            : read_element(constant);
  if (!good) return std::nullopt;
  return constant;
}

bool ConstantReader::read_string(Constant& constant) {
  if (in_.token().kind != TokenKind::kString) {
    in_.error(in_.here(), fmt::format("CONST CHAR needs a string in double quotes, not {}", in_.found()));
    return false;
  }
  std::string_view inside = in_.text().substr(1, in_.text().size() - 2);
  constant.ints.reserve(inside.size());
  const bool is_signed = constant.type == Suffix::kChar;
  for (char c : inside)
    constant.ints.push_back(is_signed ? static_cast<signed char>(c) : static_cast<unsigned char>(c));
  in_.advance();
  return true;
}

bool ConstantReader::read_stream(Constant& constant) {
  constant.stream = static_cast<Stream>(in_.word().value);
  constant.ints.push_back(in_.word().value);
  in_.advance();
  return true;
}

bool ConstantReader::read_vector(Constant& constant) {
  base::Span open = in_.token().span;
  constant.bracketed = true;
  for (in_.advance(); in_.token().kind != TokenKind::kClose;) {
    if (in_.token().kind == TokenKind::kEnd || in_.is(WordClass::kOp) || in_.is(WordClass::kStatement) ||
        in_.is(WordClass::kRet) || in_.is(WordClass::kFunc)) {
      in_.error(open, "this ( is not closed");
      return false;
    }
    if (in_.stopped() || !read_element(constant)) return skip_vector();
  }
  in_.advance();
  return true;
}

/// Skips past the closing bracket, if there is one before the next statement. Returns false.
bool ConstantReader::skip_vector() {
  while (!in_.stopped() && in_.token().kind != TokenKind::kClose && !in_.ends_body() && !in_.is(WordClass::kOp) &&
         !in_.is(WordClass::kStatement))
    in_.advance();
  if (in_.token().kind == TokenKind::kClose) in_.advance();
  return false;
}

bool ConstantReader::read_element(Constant& constant) {
  switch (constant.type) {
    case Suffix::kFloat:
      return read_float(constant);
    case Suffix::kBool:
      if (!in_.is(WordClass::kBool)) return reject_element("BOOL constants are T or F");
      constant.bools.push_back(static_cast<std::uint8_t>(in_.word().value));
      break;
    case Suffix::kInt:
    case Suffix::kByte:
    case Suffix::kSegdes:
      return read_int(constant);
    case Suffix::kNone:
    case Suffix::kChar:
      VC_CHECK(!"a constant of a type without elements");
      break;
  }
  in_.advance();
  return true;
}

bool ConstantReader::read_int(Constant& constant) {
  bool lengths = constant.type == Suffix::kSegdes;
  if (in_.token().kind == TokenKind::kReal) return reject_element("INT constants have no dot");
  if (in_.is(WordClass::kStream) && constant.bracketed) return reject_element("a stream cannot stand in a vector");
  if (in_.token().kind != TokenKind::kInteger)
    return reject_element(lengths                          ? "segment lengths are integers"
                          : constant.type == Suffix::kByte ? "BYTE constants are strings, or integers from 0 to 255"
                                                           : "INT constants are integers");
  std::optional<std::int64_t> value = to_int(in_.text());
  if (!value) {
    in_.error(in_.token().span, fmt::format("{} does not fit in 64 bits", quoted(in_.text())));
    return false;
  }
  if (constant.type == Suffix::kByte && (*value < 0 || *value > 255)) return reject_element("a BYTE is from 0 to 255");
  if (lengths && *value < 0) return reject_element("a segment length cannot be negative");
  constant.ints.push_back(*value);
  in_.advance();
  return true;
}

bool ConstantReader::read_float(Constant& constant) {
  if (in_.token().kind == TokenKind::kInteger)
    return reject_element(fmt::format("FLOAT constants need a dot: write {}.0", quoted(in_.text())));
  if (in_.token().kind != TokenKind::kReal)
    return reject_element("FLOAT constants are numbers with a digit before a dot, such as 0.5 or 1.0e-7");
  std::optional<double> value = to_float(in_.text());
  if (!value) {
    in_.error(in_.token().span, fmt::format("{} is too large for a FLOAT", quoted(in_.text())));
    return false;
  }
  constant.floats.push_back(*value);
  in_.advance();
  return true;
}

bool ConstantReader::reject_element(std::string_view rule) {
  in_.error(in_.here(), fmt::format("{} cannot stand here: {}", in_.found(), rule));
  if (!in_.begins_statement() || in_.is(WordClass::kLabel)) in_.advance();
  return false;
}

}  // namespace vcode
