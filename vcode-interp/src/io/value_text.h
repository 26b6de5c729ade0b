#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "io/streams.h"
#include "runtime/evaluator.h"

namespace interp {

/// Format of printed values.
struct ValueStyle {
  bool shortest_floats = false;            ///< the fewest digits that are parsed as the same FLOAT; otherwise 15 digits
  std::int64_t most_elements = INT64_MAX;  ///< elements printed of a vector; "..." stands for the others
};

/// Prints a value as one line: "( 1 2 )", "( T F )", "[ 2 0 1 ]", "( 1 2 ... )" or "pair(X,Y) ". False, with
/// Evaluator::failure(), if memory ran out.
bool print_value(runtime::Evaluator& evaluator, const runtime::Value& value, Stream& stream,
                 const ValueStyle& style = {});

/// The outcome of reading a value.
struct ReadOutcome {
  runtime::Value value;  ///< an empty vector unless read; kNone if memory ran out
  std::string message;   ///< reason why nothing was read; empty on success
};

/// Parses a value in the text format of its type (INT, FLOAT, BOOL, BYTE, SEGDES or CHAR). The value of a SEGDES is the
/// vector of its lengths. Throws RunError if the value exceeds the memory left below the limit.
ReadOutcome read_value(runtime::Evaluator& evaluator, vcode::Suffix type, Stream& stream);
/// Number of elements of a type that fit into the memory left below the limit, if each also takes `bytes` bytes as
/// text.
std::size_t most_elements(runtime::Evaluator& evaluator, vcode::ElemType type, std::size_t bytes);
/// Throws RunError: the input exceeds the memory left below the limit.
[[noreturn]] void fail_too_large();
/// Message for a stream whose read_error() is not 0.
std::string read_failure(const Stream& stream);

/// An Int vector of the (signed) character codes of `text`. kNone if memory ran out.
runtime::Value make_characters(runtime::Evaluator& evaluator, std::string_view text);

/// A Byte vector of the characters of `text`. kNone if memory ran out.
runtime::Value make_text(runtime::Evaluator& evaluator, std::string_view text);

/// The characters of an Int vector, codes modulo 256, or of a Byte vector. The elements must be on the host, or the
/// host must have memory for a copy.
std::string characters_of(runtime::Evaluator& evaluator, const runtime::Value& value);
/// Puts characters_of() a vector into a stream.
void put_characters(runtime::Evaluator& evaluator, const runtime::Value& value, Stream& stream);

/// Makes a vector with these elements, narrowed to the width of INT or FLOAT. kNone if memory ran out.
runtime::Value make_ints(runtime::Evaluator& evaluator, std::span<const std::int64_t> elements);
runtime::Value make_floats(runtime::Evaluator& evaluator, std::span<const double> elements);
runtime::Value make_bools(runtime::Evaluator& evaluator, std::span<const std::uint8_t> elements);
runtime::Value make_bytes(runtime::Evaluator& evaluator, std::span<const std::int64_t> elements);
/// An empty vector of the kind of a suffix, of Ints for SEGDES and CHAR.
runtime::Value make_empty(runtime::Evaluator& evaluator, vcode::Suffix type);

}  // namespace interp
