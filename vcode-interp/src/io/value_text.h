#pragma once

#include <span>
#include <string>

#include "io/streams.h"
#include "runtime/evaluator.h"

namespace interp {

/// Prints a value as one line: "( 1 2 )", "( T F )", "[ 2 0 1 ]" or "pair(X,Y) ". FLOATs have 15 digits, or
/// the fewest that are read back as the same FLOAT. False if memory ran out on the way (the evaluator's failure says
/// so).
bool print_value(runtime::Evaluator& evaluator, const runtime::Value& value, Stream& stream,
                 bool shortest_floats = false);

/// The outcome of reading a value.
struct ReadOutcome {
  runtime::Value value;  ///< an empty vector unless read; kNone if memory ran out
  std::string message;   ///< why nothing was read; empty on success
};

/// Reads a value in the text format of its type (INT, FLOAT, BOOL, SEGDES or CHAR). Throws RunError if it is larger
/// than what is left of the memory limit.
ReadOutcome read_value(runtime::Evaluator& evaluator, vcode::Suffix type, Stream& stream);
/// How many elements of a type the memory that is left has room for, each also `bytes` long as a text.
std::size_t most_elements(runtime::Evaluator& evaluator, vcode::ElemType type, std::size_t bytes);
/// Throws RunError: what is read is larger than that.
[[noreturn]] void fail_too_large();
/// Why a stream whose read_error() is not 0 could not be read.
std::string read_failure(const Stream& stream);

/// An Int vector of the (signed) character codes of `text`. kNone if memory ran out.
runtime::Value make_characters(runtime::Evaluator& evaluator, std::string_view text);

/// The characters of an Int vector whose elements the host can read or has memory to copy. Codes are taken modulo 256.
std::string characters_of(runtime::Evaluator& evaluator, const runtime::Value& value);
/// Puts them into a stream.
void put_characters(runtime::Evaluator& evaluator, const runtime::Value& value, Stream& stream);

/// A vector with these elements, narrowed to the storage of the kind. kNone if memory ran out.
runtime::Value make_ints(runtime::Evaluator& evaluator, std::span<const std::int64_t> elements);
runtime::Value make_floats(runtime::Evaluator& evaluator, std::span<const double> elements);
runtime::Value make_bools(runtime::Evaluator& evaluator, std::span<const std::uint8_t> elements);

}  // namespace interp
