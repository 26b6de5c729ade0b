#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/function_kernels.h"

namespace cvl::cpu {

/// Number of head flags, all false, that precede and follow the flags of a range: compiled code reads the flags of
/// whole vectors.
inline constexpr std::int64_t kHeadMargin = 64;

/// Compiled form of a region of a kernel: computes elements [begin, end) of the index space. True if an element is at
/// fault. The words of `vectors` are, in this order:
/// - for each input, then for each output: the address at which element 0 would be;
/// - a number whose bit k says whether output k is written past the cache. Such an output must be Output::only_out, and
/// its first element in this call must be at an address that is a multiple of 64;
/// - for each table: the address of its elements (any address if it has none), their number, and two words that only a
/// SegmentsFunction reads;
/// - for each scan: the address of the accumulation of the preceding elements, to which these elements are added; the
/// address of the identity element; and the address at which the head flag of element 0 would be, with kHeadMargin
/// flags around those of the range;
/// - for each PACK: the address at which element 0 of the result would be, and the address of the index of the next
/// kept element, which is advanced;
/// - for each scatter: the address of target 0, the number of targets, and the address of the sum of the hashes of
/// targets (see position_hash.h), to which the hashes of these targets are added.
using RegionFunction = bool(const void* const* vectors, std::int64_t begin, std::int64_t end);

/// Compiled form of a region as a loop nest: an outer loop over segments [first, last], an inner one over those of
/// their elements that are in a range. Also computes the results of folds. True if an element is at fault, or a slice
/// is not within its table. A fold over a segment without elements gives the empty value; over a segment without
/// elements in the range, the identity element.
///
/// The words of `vectors` begin as for a RegionFunction, except for
/// - an input that DIST, INDEX or SLICE generates from one value per segment (Region::Generated): the address of the
/// value for segment 0;
/// - a scan: there are no head flags, since regions with scans have one segment;
/// - a table: its last two words are the address of the start of its segment 0, followed in memory by the starts of the
/// next segments and the end of the last one, and 1. If the table has one segment, they are the address of a 0 followed
/// by a large number, and 0.
/// These words follow:
/// - for each fold: the address of the result for segment 0; if the fold is the carry of a scan, for the last segment;
/// - for each arg-reduction, if the region can compute one segment a lane: the address of the index for segment 0,
/// which this function does not use;
/// - for each generated input: the distance in elements between the values of neighbouring segments, 0 or 1; then for
/// INDEX the address of the strides, for SLICE the address of the table and its length;
/// - the address of the start of segment 0, followed in memory by the starts of the next segments and the end of the
/// last one; the begin of the range; its end.
using SegmentsFunction = RegionFunction;

/// Compiled form of a region with one segment a lane: computes the results of arg-reductions for segments [first,
/// last]. `vectors` is as for a SegmentsFunction, except that the range is not used: each segment is computed as a
/// whole. Only inputs that DIST generates may have a single value for all segments. True if an element is at fault, or
/// a slice is not within its table.
using AcrossFunction = RegionFunction;

/// Compiled functions of a region. `elements` is null if the region is not compiled, `segments` if it has no loop nest
/// over segments, `across` if it cannot be computed with one segment a lane.
struct CompiledRegion {
  RegionFunction* elements = nullptr;
  SegmentsFunction* segments = nullptr;
  AcrossFunction* across = nullptr;
};

/// A compiled function in memory.
struct NativeSymbol {
  std::string name;
  std::uintptr_t address = 0;
  std::int64_t bytes = 0;  ///< size of its machine code
};

/// Machine code in memory. Its functions may be called until it is destroyed.
class NativeCode {
 public:
  virtual ~NativeCode() = default;
  /// Size of all functions together.
  virtual std::int64_t bytes() const = 0;
  /// All functions.
  virtual std::vector<NativeSymbol> symbols() const = 0;
  /// The function of this name; there must be one.
  virtual RegionFunction* function(const std::string& name) const = 0;
};

/// Function that the library with LLVM exports as native_kernels_compile: compiles LLVM assembly to an object file;
/// empty, with a sentence in `error`, on failure. The functions in the assembly name the processor they are for. Any
/// thread may call it.
using CompileFn = std::string(const std::string& assembly, std::string& error);

/// Function that the library with LLVM's linker exports as native_kernels_load: relocates an object file; null, with a
/// sentence in `error`, for a file that is no such object. The code may call `functions`, which must live as long as
/// the process, and those of the process. With `for_debuggers`, registers it with GDB. Any thread may call it.
using LoadFn = NativeCode*(const std::string& object, bool for_debuggers, const std::vector<VectorFunction>& functions,
                           std::string& error);

}  // namespace cvl::cpu
