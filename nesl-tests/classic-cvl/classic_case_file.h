#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace classic {

/// The elements of a vector; doubles represent elements of each type exactly.
struct Elements {
  char type = 'z';  ///< z, b, d as in the names of functions
  std::vector<double> values;
};

enum class ArgumentKind : std::uint8_t {
  kVector,         ///< a vector with these elements
  kOut,            ///< room for a vector of `n` elements
  kInOut,          ///< a vector with these elements, which may change
  kSame,           ///< the handle of argument `same`
  kDescriptor,     ///< a descriptor whose lengths are the elements
  kDescriptorOut,  ///< room for a descriptor of n elements in m segments
  kHost,           ///< an array of the client with these elements
  kHostOut,        ///< room for an array of `n` elements of the client
  kInt,
  kDouble,
  kScratch,
};

struct Argument {
  std::string name;
  ArgumentKind kind = ArgumentKind::kVector;
  Elements elements = {};  ///< for a number, the only element
  std::int64_t n = 0, m = 0;
  std::string same = {};
};

/// The 64-bit FNV-1a hash of elements as little-endian ints of 4 bytes or doubles.
std::uint64_t hash_of(const Elements& elements);

struct Expectation {
  std::string name;                        ///< name of an argument, or "return"
  Elements elements = {};                  ///< with a hash, only the first four and the last four
  std::optional<std::uint64_t> hash = {};  ///< hash of all `n` elements
  std::int64_t n = 0;
  std::string below = {};  ///< the argument whose elements are upper bounds
};

struct Case {
  int number = 0;
  int line = 0;
  std::string function;
  double tolerance = 0;  ///< relative tolerance
  std::vector<Argument> arguments;
  std::vector<Expectation> results;
};

/// The cases of a file, whose beginning describes the format. Throws std::runtime_error, with file and line, if the
/// file is not in that format.
std::vector<Case> read_cases(const std::string& path);

}  // namespace classic
