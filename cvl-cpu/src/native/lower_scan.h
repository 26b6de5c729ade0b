#pragma once

#include <string>

#include "native/llvm_text.h"
#include "vcode/ops.h"

namespace cvl::cpu {

/// The accumulation of a scan, which passes from one round of a loop to the next: some lanes that are all equal, of
/// integers if truth values are scanned. Its type:
std::string carry_type(const LlvmText& text, ElemType elements);
/// Appends its load from an element, and the store of it there.
LaneValue load_carry(LlvmText& text, ElemType elements, const std::string& address);
void store_carry(LlvmText& text, ElemType elements, const LaneValue& carry, const std::string& address);

/// Appends the exclusive scan of a vector of elements by a row of ops.def, and makes `carry` the accumulation with it.
/// Segments begin where bits of `heads` are 1, an integer of a bit for each lane, and nowhere if it is empty. Floats
/// are associated as by the loops of group_scan.h, if the number of the element in lane 0 is a multiple of the number
/// of lanes. `neutral` is what an accumulation starts from, loaded as a carry is: where lanes are moved, a constant
/// zero would become an expansion, which takes twice the time of all else on a processor with AVX-512 (decision 058).
LaneValue lower_scan(LlvmText& text, const vcode::OpInfo& scan, const LaneValue& elements, LaneValue& carry,
                     const LaneValue& neutral, const std::string& heads);

}  // namespace cvl::cpu
