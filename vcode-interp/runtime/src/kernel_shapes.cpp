#include "kernel_shapes.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "vcode/kernel_rules.h"
#include "vcode/signature.h"

namespace runtime {

using vcode::Kernel;
using vcode::KernelVar;
using vcode::Producer;
using vcode::Role;
using vcode::RoleType;
using vcode::Signature;

namespace {

/// Disjoint sets of numbers (union-find).
class Sets {
 public:
  explicit Sets(std::size_t n) : parents_(n) { std::iota(parents_.begin(), parents_.end(), 0U); }
  std::uint32_t find(std::uint32_t x) {
    while (parents_[x] != x) x = parents_[x] = parents_[parents_[x]];
    return x;
  }
  void join(std::uint32_t x, std::uint32_t y) {
    x = find(x);
    y = find(y);
    parents_[std::max(x, y)] = std::min(x, y);
  }

 private:
  std::vector<std::uint32_t> parents_;
};

/// The numbers in the sets: 0 stands for length 1; each value has one number for its length and one for its segments.
std::uint32_t length_of(KernelVar v) { return 2 * v + 1; }
std::uint32_t segments_of(KernelVar v) { return 2 * v + 2; }

/// The element types of a kind, a bit each; none for a descriptor.
constexpr std::uint8_t types_of(Kind kind) {
  const auto bits = [](auto... types) {
    return static_cast<std::uint8_t>((0U | ... | (1U << static_cast<int>(types))));
  };
  return kind == Kind::kBool    ? bits(ElemType::kB8)
         : kind == Kind::kInt   ? bits(ElemType::kI32, ElemType::kI64)
         : kind == Kind::kByte  ? bits(ElemType::kU8)
         : kind == Kind::kFloat ? bits(ElemType::kF32, ElemType::kF64)
                                : bits();
}

bool follows_the_index_space(Producer producer) {
  return producer == Producer::kMap || producer == Producer::kSpread || producer == Producer::kGather ||
         producer == Producer::kScan;
}

void join_lengths(const Kernel::Step& step, Sets& sets) {
  const Signature& signature = vcode::info(step.op).signature;
  constexpr std::uint32_t kFree = UINT32_MAX;
  std::array<std::uint32_t, vcode::kMaxLengthVars + 1> known;
  known.fill(kFree);
  known[vcode::kScalarLength] = 0;
  const auto join = [&](vcode::LengthVar var, std::uint32_t number) {
    if (known[var] == kFree) known[var] = number;
    sets.join(known[var], number);
  };
  const auto join_role = [&](const Role& role, KernelVar v) {
    join(role.length, length_of(v));
    if (role.type == RoleType::kSegdes) join(role.segments, segments_of(v));
  };
  for (std::size_t k = 0; k < step.operands.size(); ++k) join_role(signature.operands[k], step.operands[k]);
  for (std::size_t k = 0; k < step.results.size(); ++k) join_role(signature.results[k], step.results[k]);
}

}  // namespace

KernelShapes::KernelShapes(const Kernel& kernel, const vcode::KernelFacts& facts) : classes_(kernel.values.size()) {
  const std::size_t numbers = 2 * kernel.values.size() + 1;
  Sets sets(numbers);
  for (const Kernel::Step& step : kernel.steps) {
    if (step.is_constant())
      sets.join(0, length_of(step.results[0]));
    else
      join_lengths(step, sets);
    for (const KernelVar v : step.results)
      if (follows_the_index_space(facts.producers[v])) sets.join(length_of(v), length_of(kernel.over));
  }
  std::vector<std::uint32_t> class_of(numbers, 0);
  std::uint32_t classes = 1;
  for (std::uint32_t x = 1; x < numbers; ++x) class_of[x] = sets.find(x) == x ? classes++ : class_of[sets.find(x)];
  for (KernelVar v = 0; v < kernel.values.size(); ++v) classes_[v] = {class_of[length_of(v)], class_of[segments_of(v)]};
  for (KernelVar v = 0; v < kernel.input_count; ++v) inputs_.push_back({types_of(kernel.values[v].kind), classes_[v]});
  lengths_.resize(classes);
}

}  // namespace runtime
