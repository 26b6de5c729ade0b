#pragma once

#include <cstdint>

#include "fcode-opt/letform.h"

namespace vcode::letform {

/// IFs inside each other that a function may have: passes walk through blocks recursively.
inline constexpr std::uint32_t kDeepestIf = 300;

/// Calls visit(binding) for every binding of a block and of the blocks inside, outer ones first.
template <class AnyBlock, class Visit>
void for_each_binding(AnyBlock& block, Visit&& visit) {
  for (auto& binding : block.bindings) {
    visit(binding);
    for (auto& inner : binding.blocks) for_each_binding(inner, visit);
  }
}

}  // namespace vcode::letform
