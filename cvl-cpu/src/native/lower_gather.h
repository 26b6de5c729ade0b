#pragma once

#include <string>

#include "native/lower_elementwise.h"
#include "regions/lane_strides.h"

namespace cvl::cpu {

/// A vector that gathers read, as a function has it.
struct GatherTable {
  std::string address;
  std::string bound;   ///< how many elements it has, in all lanes of the indices' type, as gather_bound() makes it
  std::string is_far;  ///< an i1: whether it is too large for the caches near the processor, as gather_is_far() says
};

/// The bound of a table from its number of elements, an i64. A number that indices cannot reach becomes the least one
/// that is out of reach.
std::string gather_bound(LlvmText& text, const std::string& elements, ElemType index);

std::string gather_is_far(LlvmText& text, const std::string& elements, ElemType result);

/// Has the processor load the elements, stored as `result`, that lanes with the indices at this address will gather, if
/// the table is far and the i1 `inside` says that there are indices.
void fetch_gathered(LlvmText& text, const GatherTable& table, ElemType result, ElemType index,
                    const std::string& address, const std::string& inside);

/// Appends the instructions of BPERMUTE or, with `flags`, of BFPERMUTE, for elements stored as `result`. A lane at
/// fault reads no element but the first; neither does one whose flag is false, which cannot be at fault, or one that is
/// not in `present`, if that is not empty. Lanes whose indices are one of these strides apart are one load.
LoweredOperation lower_gather(LlvmText& text, const GatherTable& table, ElemType result, const LaneValue& index,
                              const LaneValue* flags, const std::string& present, const Strides& strides);

}  // namespace cvl::cpu
