#include <gtest/gtest.h>

#include "ir/effects.h"
#include "letform_builder.h"
#include "safety.h"

namespace vcode::letform::testing {
namespace {

TEST(Effects, TableStatesFaultingAndCommutingOperations) {
  std::string faulting, commuting;
  for (const OpInfo& row : all_ops())
    for (int s = 0; s < kSuffixes; ++s) {
      const auto suffix = static_cast<Suffix>(s);
      if (!row.takes(suffix) || row.op_class == OpClass::kSystem) continue;
      auto append = [&](std::string& list) { ((list += row.text) += suffix == Suffix::kFloat ? ".f" : "") += ' '; };
      if (row.can_fault(suffix) && suffix != Suffix::kBool && suffix != Suffix::kByte) append(faulting);
      if (row.commutes()) append(commuting);
    }
  EXPECT_EQ(faulting,
            "/ % LSHIFT RSHIFT FLOOR CEIL TRUNC ROUND ASSERT REQUIRE BOUND +_PERMUTE +_PERMUTE.f *_PERMUTE *_PERMUTE.f "
            "MAX_PERMUTE MAX_PERMUTE.f MIN_PERMUTE MIN_PERMUTE.f AND_PERMUTE OR_PERMUTE XOR_PERMUTE "
            "PERMUTE PERMUTE.f DPERMUTE DPERMUTE.f FPERMUTE FPERMUTE.f "
            "BPERMUTE BPERMUTE.f BFPERMUTE BFPERMUTE.f DFPERMUTE DFPERMUTE.f LATEST LATEST.f EXTRACT EXTRACT.f REPLACE "
            "REPLACE.f SLICE "
            "SLICE.f APPEND APPEND.f APPEND3 APPEND3.f MERGE MERGE.f MERGE_SEGS MERGE_SEGS.f RAND MAKE_SEGDES ");
  EXPECT_EQ(commuting, "+ +.f * *.f = =.f != !=.f AND AND OR OR XOR XOR HYPOT ");
}

TEST(Effects, EffectsPropagateToCallers) {
  Program program;
  auto function = [&](const char* name, const std::function<void(Builder&, Var)>& write) {
    Builder f(program, name);
    Var a = f.parameter(Kind::kInt);
    write(f, a);
    f.ret({});
    return f;
  };
  function("divides", [](Builder& f, Var a) { f.op(Op::kDivide, Suffix::kInt, {a, a}); });
  function("halves", [](Builder& f, Var a) { f.op(Op::kDivide, Suffix::kInt, {a, f.constant(2)}); });
  Builder writes = function("writes", [](Builder& f, Var a) { f.ops(Op::kWrite, Suffix::kInt, {a}); });
  Builder calls = function("calls", [&](Builder& f, Var a) {
    f.choose(
        f.constant(true), [&] { return f.call(writes, {a}); }, [] { return std::vector<Var>{}; });
  });
  function("calls again", [&](Builder& f, Var a) { f.call(calls, {a}); });
  function("makes",
           [](Builder& f, Var a) { f.op(Op::kMakeSegdes, Suffix::kNone, {f.op(Op::kLength, Suffix::kInt, {a})}); });
  EXPECT_EQ(functions_with_effects(program, length_facts(program)),
            (std::vector<bool>{true, false, true, true, true, false}));
}

}  // namespace
}  // namespace vcode::letform::testing
