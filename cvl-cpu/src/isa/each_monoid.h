#pragma once

#include "isa/isa.h"
#include "vcode/op_semantics.h"

namespace cvl::cpu::CVL_ISA {

/// Calls f.template operator()<M, T>() for each monoid M and the storage T of its elements that occur in
/// scans and reductions.
template <class F>
inline void for_each_monoid(F&& f) {
  auto row = [&]<class M, vcode::SuffixSet set>() {
    vcode::for_each_suffix<set>([&]<vcode::Suffix suffix>() {
      vcode::for_each_widths([&]<ElemType int_type, ElemType float_type>() {
        f.template operator()<M, Storage<vcode::Widths{int_type, float_type}.of(vcode::suffix_kind(suffix))>>();
      });
    });
  };
#define VC_SCAN(Name, text, set, M, ...) row.template operator()<vcode::monoids::M, vcode::suffixes::set>();
#include "vcode/ops.def"
}

}  // namespace cvl::cpu::CVL_ISA
