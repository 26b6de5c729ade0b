#pragma once

#include <string>

#include "kernels/lane_strides.h"
#include "lanes/lower_elementwise.h"

namespace cvl::cpu {

using kernels::Strides;

/// The vector that a gather reads, as values of a compiled function.
struct GatherTable {
  std::string address;
  std::string bound;   ///< its number of elements, in all lanes of the indices' type, from gather_bound()
  std::string is_far;  ///< an i1: whether it is too large for the caches near the processor
  /// Memory on the stack for the indices of the lanes, where an instruction cannot gather: reading them back one by one
  /// takes fewer instructions than moving them out of a register. Else empty.
  std::string indices;
};

/// Appends what gathers of `result`s from a table with `elements` elements, an i64, need; in the entry block.
GatherTable gather_table(LlvmText& text, const std::string& address, const std::string& elements, ElemType index,
                         ElemType result);

/// Bound of indices into a table with `elements` elements, an i64. A number that indices cannot reach becomes the least
/// one that is out of reach.
std::string gather_bound(LlvmText& text, const std::string& elements, ElemType index);

/// Prefetches the elements, stored as `result`, that lanes will gather with the indices at `address`, if the table is
/// far and the i1 `inside` says that there are indices.
void fetch_gathered(LlvmText& text, const GatherTable& table, ElemType result, ElemType index,
                    const std::string& address, const std::string& inside);

/// Appends the instructions of BPERMUTE or, with `flags`, of BFPERMUTE, for elements stored as `result`. A lane at
/// fault reads no element but the first. A lane whose flag is false, or that is not in `present` (if not empty), reads
/// no element but the first and cannot be at fault. Where indices in neighbouring lanes differ by one of `strides`, a
/// single load reads all elements.
LoweredOperation lower_gather(LlvmText& text, const GatherTable& table, ElemType result, const LaneValue& index,
                              const LaneValue* flags, const std::string& present, const Strides& strides);

}  // namespace cvl::cpu
