#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/function_kernels.h"

namespace cvl::cpu {

/// Head flags that there are before and behind those of a range, all false: code reads those of whole vectors.
inline constexpr std::int64_t kHeadMargin = 64;

/// What a region of a kernel is compiled to: computes elements [begin, end) of the index space. `vectors` has, for each
/// input, then for each output, the address at which element 0 would be; then a number, whose bit k tells that output
/// k, which must be Output::only_out and whose first element here is at a multiple of 64, is written past the cache;
/// then, for each table, the address of its elements, which is that of anything if it has none, their number, and two
/// words that only a SegmentsFunction reads; then,
/// for each scan, the address of the accumulation of the elements before, which becomes that with these elements, that
/// of what an accumulation starts from, and that at which the head flag of element 0 would be, with kHeadMargin flags
/// around those of the range; then, for each PACK, the address at which the element with place 0 would be, and that of
/// the place of the next kept element, which is moved on; then, for each scatter, the address of place 0, the number of
/// places, and the address of the sum of the hashes of places (see place_hash.h), to which those of these elements are
/// added. True if an element is at fault.
using RegionFunction = bool(const void* const* vectors, std::int64_t begin, std::int64_t end);

/// What a region that goes by segments is compiled to besides: computes the elements of segments [first, last], or of
/// those the ones in a range, and what they come to. `vectors` begins as for a RegionFunction, but for what is made
/// from an element for each segment (Region::Made) there is the address of that of segment 0, and no head flags: with
/// scans there is one segment; and for each table the address of where its segment 0 begins, behind which are the
/// begins of the next ones up to that behind the last, and 1; or if it has one segment, that of 0 and a large number,
/// and 0. Behind that are, for each fold, the address for what segment 0 comes to, or if it is the carry of a scan, for
/// what the last one does; if the region goes across segments, for each arg-reduction, the address for the index of
/// segment 0, which this function does not use; for each input that is made, how many elements are from one segment to
/// the next, 0 or 1, and of INDEX the address of the strides, of SLICE the address of the table and its length; at last
/// the address of where segment 0 begins, behind which are the begins of the next ones up to that behind the last, and
/// the range: where it begins, and where it ends. A segment without elements comes to the identity, one without
/// elements in the range to the neutral element. True if an element is at fault, or a slice is not in its table.
using SegmentsFunction = RegionFunction;

/// What a region that goes across segments is compiled to besides: computes what arg-reductions of segments
/// [first, last] come to. `vectors` is that of a SegmentsFunction, but for the range, which it does not use: each
/// segment is computed from begin to end. Only what DIST spreads may be one element for all segments. True if an
/// element is at fault, or a slice is not in its table.
using AcrossFunction = RegionFunction;

/// The functions of a region; null if it is not compiled, or does not go by segments or across them.
struct CompiledRegion {
  RegionFunction* elements = nullptr;
  SegmentsFunction* segments = nullptr;
  AcrossFunction* across = nullptr;
};

/// A function in memory.
struct NativeSymbol {
  std::string name;
  std::uintptr_t address = 0;
  std::int64_t bytes = 0;  ///< of machine code
};

/// Machine code in memory. The functions may be called until it is destroyed.
class NativeCode {
 public:
  virtual ~NativeCode() = default;
  /// Of all functions together.
  virtual std::int64_t bytes() const = 0;
  /// All functions.
  virtual std::vector<NativeSymbol> symbols() const = 0;
  /// The function of this name; there must be one.
  virtual RegionFunction* function(const std::string& name) const = 0;
};

/// What the library that holds LLVM does. Any thread may call it. What fails says why in `error`, in a sentence.
class NativeLibrary {
 public:
  /// All that object files depend on besides the assembly that they are made from: LLVM's version, and how it is used.
  virtual std::string version() const = 0;
  /// An object file from LLVM assembly, whose functions say for which processor they are. Empty if that fails.
  virtual std::string compile(const std::string& assembly, std::string& error) = 0;
  /// Machine code for this process from what compile() made in any process. GDB is told of it if `for_debuggers`. Null
  /// if that fails.
  virtual std::unique_ptr<NativeCode> load(const std::string& object, bool for_debuggers, std::string& error) = 0;

 protected:
  ~NativeLibrary() = default;
};

/// What that library exports under the name native_kernels_library. Code may call `functions` besides those of the
/// process. The result lives until the process ends. Null, with a sentence in `error`, if LLVM cannot be used.
using NativeLibraryFn = NativeLibrary*(const std::vector<VectorFunction>& functions, std::string& error);

}  // namespace cvl::cpu
