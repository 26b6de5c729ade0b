// Compares the facts that the table of operations states with what its expressions compute from sample elements.

#include "element.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "fcode-opt/letform.h"

namespace vcode::letform {
namespace {

constexpr Widths kWidths[] = {{ElemType::kI64, ElemType::kF64}, {ElemType::kI32, ElemType::kF32}};

/// Elements that distinguish operations: zeros, limits, infinities and NaN, which faults and exceptions depend on, and
/// a few ordinary numbers. All are representable in these widths.
std::vector<Element> sample_elements(Kind kind, Widths widths) {
  std::vector<Element> all;
  if (kind == Kind::kBool) {
    for (bool b : {false, true}) all.push_back({.kind = kind, .b = b});
  } else if (kind == Kind::kInt) {
    const int unused = widths.int_type == ElemType::kI32 ? 32 : 0;
    using Limits = std::numeric_limits<std::int64_t>;
    for (std::int64_t i : {0, 1, -1, 6, -45, 1000}) all.push_back({.kind = kind, .i = i});
    for (std::int64_t i : {Limits::min(), Limits::max()}) all.push_back({.kind = kind, .i = i >> unused});
  } else {
    using Limits = std::numeric_limits<double>;
    const double large = widths.float_type == ElemType::kF32 ? std::numeric_limits<float>::max() : Limits::max();
    for (double f : {0.0, -0.0, 1.0, -1.0, 0.5, -7.25, large, -large, Limits::infinity(), -Limits::infinity(),
                     Limits::quiet_NaN()})
      all.push_back({.kind = kind, .f = f});
  }
  return all;
}

using Visit = std::function<bool(const OpInfo&, Suffix, Widths, const std::vector<Element>&)>;

/// Calls visit(operands) for all combinations of sample operands of an operation until it returns true. Returns whether
/// it did.
bool any_combination(const OpInfo& row, Suffix suffix, Widths widths, const Visit& visit) {
  std::vector<Element> operands;
  const std::function<bool()> choose = [&] {
    const std::size_t k = operands.size();
    if (k == static_cast<std::size_t>(row.signature.operand_count)) return visit(row, suffix, widths, operands);
    for (const Element& sample : sample_elements(Signature::kind(row.signature.operands[k], suffix), widths)) {
      operands.push_back(sample);
      const bool found = choose();
      operands.pop_back();
      if (found) return true;
    }
    return false;
  };
  return choose();
}

bool is_faulty(const OpInfo& row, Suffix suffix, Widths widths, const std::vector<Element>& operands) {
  return evaluate(row.op, suffix, widths, operands.data()).fault != FaultKind::kNone;
}

/// Calls check(row, suffix, widths) for each elementwise operation.
void for_each_elementwise(const std::function<void(const OpInfo&, Suffix, Widths)>& check) {
  for (const OpInfo& row : all_ops()) {
    if (row.op_class != OpClass::kElementwise) continue;
    for (int s = 0; s < kSuffixes; ++s)
      for (Widths widths : kWidths)
        if (const auto suffix = static_cast<Suffix>(s); row.takes(suffix)) {
          SCOPED_TRACE(std::string(row.text) + " " + std::string(suffix_name(suffix)));
          check(row, suffix, widths);
        }
  }
}

TEST(TableFacts, CanFaultIfSomeSampleFaults) {
  for_each_elementwise([](const OpInfo& row, Suffix suffix, Widths widths) {
    EXPECT_EQ(row.can_fault(suffix), any_combination(row, suffix, widths, is_faulty));
  });
}

TEST(TableFacts, LastOperandIsRiskIfSomeSampleFaultsWithIt) {
  for_each_elementwise([](const OpInfo& row, Suffix suffix, Widths widths) {
    const auto last = static_cast<std::size_t>(row.signature.operand_count - 1);
    if (last == 0) return;  // of an only operand, risk is the fault itself
    for (const Element& sample : sample_elements(Signature::kind(row.signature.operands[last], suffix), widths)) {
      const bool found = any_combination(row, suffix, widths, [&](auto&, auto, auto, const auto& operands) {
        return is_same(operands[last], sample) && is_faulty(row, suffix, widths, operands);
      });
      EXPECT_EQ(is_risk(row.op, suffix, widths, sample), found) << sample.i << " " << sample.f << " " << sample.b;
    }
  });
}

TEST(TableFacts, NoSampleFaultsWithFaultlessOperand) {
  for_each_elementwise([](const OpInfo& row, Suffix suffix, Widths widths) {
    const auto last = static_cast<std::size_t>(row.signature.operand_count - 1);
    const auto faultless = faultless_operand(row.op, suffix);
    if (!faultless) return;
    for (const int number : {*faultless, 0, 1, -1}) {
      const bool found = any_combination(row, suffix, widths, [&](auto&, auto, auto, const auto& operands) {
        const Element& e = operands[last];
        const double value = e.kind == Kind::kFloat ? e.f : e.kind == Kind::kBool ? double(e.b) : double(e.i);
        return value == number && is_faulty(row, suffix, widths, operands);
      });
      EXPECT_FALSE(found && is_faultless(row.op, suffix, number)) << number;
    }
    EXPECT_TRUE(is_faultless(row.op, suffix, *faultless));
  });
}

TEST(TableFacts, CommutesUnlessSomeSampleContradicts) {
  for_each_elementwise([](const OpInfo& row, Suffix suffix, Widths widths) {
    const Signature& signature = row.signature;
    if (signature.operand_count != 2 || signature.operands[0].type != signature.operands[1].type) {
      EXPECT_FALSE(row.commutes());
      return;
    }
    const bool differs = any_combination(row, suffix, widths, [&](auto&, auto, auto, const auto& operands) {
      const Element turned[] = {operands[1], operands[0]};
      const ElementResult a = evaluate(row.op, suffix, widths, operands.data());
      const ElementResult b = evaluate(row.op, suffix, widths, turned);
      return a.fault != b.fault || !is_same(a.value, b.value);
    });
    EXPECT_EQ(row.commutes(), !differs);
  });
}

TEST(TableFacts, CancelingOperationsYieldOneResultForEqualOperands) {
  for_each_elementwise([](const OpInfo& row, Suffix suffix, Widths widths) {
    const Signature& signature = row.signature;
    const Kind kind = Signature::kind(signature.operands[0], suffix);
    if (signature.operand_count != 2 || signature.operands[1].type != RoleType::kSuffix || kind == Kind::kFloat) {
      EXPECT_FALSE(row.cancels(suffix));
      return;
    }
    bool same = true;
    std::optional<ElementResult> first;
    for (const Element& sample : sample_elements(kind, widths)) {
      const Element both[] = {sample, sample};
      const ElementResult result = evaluate(row.op, suffix, widths, both);
      if (!first) first = result;
      same = same && result.fault == FaultKind::kNone && is_same(result.value, first->value);
    }
    EXPECT_EQ(row.cancels(suffix), same);
  });
}

TEST(TableFacts, RightIdentitySecondOperandChangesNoSample) {
  for_each_elementwise([](const OpInfo& row, Suffix suffix, Widths widths) {
    const Signature& signature = row.signature;
    const std::optional<Element> right_identity = find_right_identity(row.op, suffix, widths);
    if (signature.operand_count != 2) {
      EXPECT_FALSE(right_identity.has_value());
      return;
    }
    const Kind kind = Signature::kind(signature.operands[0], suffix);
    std::vector<Element> candidates = sample_elements(Signature::kind(signature.operands[1], suffix), widths);
    if (right_identity) candidates.push_back(*right_identity);
    for (const Element& candidate : candidates) {
      bool changes = Signature::kind(signature.results[0], suffix) != kind;
      for (const Element& sample : sample_elements(kind, widths)) {
        const Element operands[] = {sample, candidate};
        const ElementResult result = evaluate(row.op, suffix, widths, operands);
        changes = changes || result.fault != FaultKind::kNone || !is_same(result.value, sample);
      }
      EXPECT_EQ(right_identity && is_same(*right_identity, candidate), !changes)
          << candidate.i << " " << candidate.f << " " << candidate.b;
    }
  });
}

}  // namespace
}  // namespace vcode::letform
