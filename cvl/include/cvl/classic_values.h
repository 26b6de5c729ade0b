#pragma once

#include <time.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <type_traits>

#include "cvl.h"
#include "cvl/backend.h"

/// The common part of the libraries with the classic interface cvl.h: units, addresses that count them, values of C,
/// the clock, and how the libraries end the process.

namespace cvl::classic {

inline Operand operand(ElemType type, const void* v, int n) { return {type, n, v}; }
inline Result result(ElemType type, void* d, int n) { return {type, n, d}; }
using Operands = std::initializer_list<Operand>;
inline SegmentDescriptor single(int n) { return SegmentDescriptor::single(n); }

/// An element as a value of C: a boolean is an int, of which 0 is false.
template <ElemType type>
using Value = std::conditional_t<type == ElemType::kB8, cvl_bool, vcode::Storage<type>>;

/// The unit of clients' allocations is a cache line, so that every vector begins at one.
inline constexpr std::int64_t kUnitBytes = 64;
constexpr int units_of_bytes(std::int64_t bytes) { return static_cast<int>((bytes + kUnitBytes - 1) / kUnitBytes); }
/// Number of units of a vector of n elements.
inline int units_of(int n, ElemType type) { return units_of_bytes(n * static_cast<std::int64_t>(elem_size(type))); }

inline void* advance(void* v, int a) { return static_cast<char*>(v) + a * kUnitBytes; }
/// Number of units between two addresses, in either order.
inline int distance(const void* v1, const void* v2) {
  return static_cast<int>(std::abs(static_cast<const char*>(v1) - static_cast<const char*>(v2)) / kUnitBytes);
}
inline int compare_addresses(const void* v1, const void* v2) { return (v1 > v2) - (v1 < v2); }

inline double seconds_between(const timespec& later, const timespec& earlier) {
  return static_cast<double>(later.tv_sec - earlier.tv_sec) +
         1e-9 * static_cast<double>(later.tv_nsec - earlier.tv_nsec);
}

/// The functions of cvl.h.
enum class Function : std::uint32_t {
#define FUNCTION_MEMBER(type, name, ...) name,
#define CVL_FUNCTION(...) FUNCTION_MEMBER(__VA_ARGS__)
#define CVL_MOVE(...) FUNCTION_MEMBER(__VA_ARGS__)
#define CVL_FACILITY(...) FUNCTION_MEMBER(__VA_ARGS__)
#include "cvl/classic.def"
};
const char* name_of(Function function);

/// Prints "cvl: ", the name of the function and the fault in its arguments, and ends the process with status 1. The
/// interface cannot report errors, and a client that went on would print wrong results.
[[noreturn]] void stop(const char* function, const std::string& message);
/// Stops in the same way for a fault that an operation found.
[[noreturn]] void stop(const char* function, const Fault& fault);
/// Stops because pk2 was called with flags whose number of true elements is not the length of its result.
[[noreturn]] void stop_for_flags(std::int64_t true_flags, std::int64_t elements);
/// The number of threads in CVL_THREADS; 0 if it is not set. Stops if its value is no valid number of threads.
int wanted_threads();

}  // namespace cvl::classic
