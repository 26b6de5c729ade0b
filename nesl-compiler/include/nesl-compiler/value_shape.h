#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nesl {

/// The parts of a value of a NESL type, as far as printing needs them.
///
/// On the stack of a program a value is, from the deepest entry to the top:
///
///   kInt, kChar, kFloat, kBool   an Int, Int, Float or Bool vector of length 1
///   kSequence                    a descriptor of one segment, then the entries of the elements, all together
///   kPair, kData, kFunction      the entries of the parts
///
/// Inside a sequence the vectors have one element, and the descriptors one segment, for each element.
struct ValueShape {
  enum class Kind : std::uint8_t {
    kInt,
    kFloat,
    kBool,
    kChar,
    kSequence,  ///< parts[0]: an element
    kPair,      ///< parts[0], parts[1]
    kData,      ///< parts[0]: the contents; name: of the datatype
    kFunction,  ///< parts: what it has captured
  };
  Kind kind = Kind::kInt;
  std::string name = {};
  std::vector<ValueShape> parts = {};
  std::string type = {};  ///< of kData: with the arguments of the datatype, as NESL writes it

  friend bool operator==(const ValueShape&, const ValueShape&) = default;
};

/// The type that has the shape, as NESL writes it: `[(int, point)]`. A function is `fn`.
std::string type_text(const ValueShape& shape);
/// The number of entries of a value.
std::size_t entry_count(const ValueShape& shape);

struct Type;

/// The shape of a type without variables, the contents of datatypes included. Functions are taken to capture
/// nothing.
ValueShape shape_of(Type* type);

}  // namespace nesl
