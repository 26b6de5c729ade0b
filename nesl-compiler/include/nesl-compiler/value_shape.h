#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nesl {

/// Structure of a value of a NESL type: enough to read and print the value.
///
/// Entries of a value on the stack of a program, from the deepest to the top:
///
///   kInt, kChar, kFloat, kBool   an Int, Byte, Float or Bool vector of length 1
///   kSequence                    a descriptor of one segment, then the entries of the elements, all together
///   kPair, kData, kFunction      the entries of the parts
///
/// Inside a sequence each vector has one element, and each descriptor one segment, for each element of the sequence.
struct ValueShape {
  enum class Kind : std::uint8_t {
    kInt,
    kFloat,
    kBool,
    kChar,
    kSequence,  ///< parts[0]: the element type
    kPair,      ///< parts[0], parts[1]
    kData,      ///< parts[0]: the contents; name: that of the datatype
    kFunction,  ///< parts: the captured values
  };
  Kind kind = Kind::kInt;
  std::string name = {};
  std::vector<ValueShape> parts = {};
  std::string type = {};  ///< for kData: the type with its arguments, as NESL writes it

  friend bool operator==(const ValueShape&, const ValueShape&) = default;
};

/// Type of the values of a shape, in NESL's syntax: `[(int, point)]`. A function is `fn`.
std::string type_text(const ValueShape& shape);
/// Number of stack entries of a value.
std::size_t entry_count(const ValueShape& shape);

struct Type;

/// Shape of the values of a type without variables, with the contents of datatypes. Functions count as capturing
/// nothing.
ValueShape shape_of(Type* type);

}  // namespace nesl
