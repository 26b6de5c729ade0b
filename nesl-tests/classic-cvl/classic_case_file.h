#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace classic {

/// The elements of a vector; each type's are doubles exactly.
struct Elements {
  char type = 'z';  ///< z, b, d as in names of functions
  std::vector<double> values;
};

enum class ArgumentKind : std::uint8_t {
  kVector,         ///< of elements
  kOut,            ///< room for `n` elements
  kInOut,          ///< elements, which may change
  kSame,           ///< the handle of argument `same`
  kDescriptor,     ///< of the lengths that the elements are
  kDescriptorOut,  ///< room for one of n elements in m segments
  kHost,           ///< an array of the client
  kHostOut,        ///< room for `n` elements of the client
  kInt,
  kDouble,
  kScratch,
};

struct Argument {
  std::string name;
  ArgumentKind kind = ArgumentKind::kVector;
  Elements elements = {};  ///< of a number the only one
  std::int64_t n = 0, m = 0;
  std::string same = {};
};

/// The 64-bit FNV-1a hash of elements as little-endian ints of 4 bytes or doubles.
std::uint64_t hash_of(const Elements& elements);

struct Expectation {
  std::string name;                        ///< of an argument, or "return"
  Elements elements = {};                  ///< with a hash, the first four and the last four
  std::optional<std::uint64_t> hash = {};  ///< of all `n`
  std::int64_t n = 0;
  std::string below = {};  ///< the argument whose elements are upper bounds
};

struct Case {
  int number = 0;
  int line = 0;
  std::string function;
  double tolerance = 0;  ///< relative
  std::vector<Argument> arguments;
  std::vector<Expectation> results;
};

/// The cases of a file; its beginning describes the format. Throws std::runtime_error, with file and line, if it is not
/// in that format.
std::vector<Case> read_cases(const std::string& path);

}  // namespace classic
