#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

#include "oracle.h"
#include "subjects.h"
#include "visit_type.h"

namespace cvl::conformance {

namespace {

using vcode::OpInfo;

constexpr std::uint32_t kSite = 17;

std::vector<Operand> as_operands(const std::vector<HostVector>& vectors) {
  std::vector<Operand> operands;
  for (const HostVector& v : vectors) operands.push_back({v.type, v.length, v.bytes.data()});
  return operands;
}

/// Computes the faults of single elements with the oracle.
class FaultFinder {
 public:
  FaultFinder(const OpInfo& row, const TypeVariant& variant, const std::vector<HostVector>& operands)
      : result_type_(variant.results[0]), operands_(as_operands(operands)) {
    element_ = find_element_fn(row.op, operands_, result_type_);
  }

  FaultKind operator()(std::int64_t e) const {
    // The operands are shifted so that element e is the first, and its result falls into the scratch space.
    alignas(8) std::byte scratch[8];
    std::array<Operand, vcode::Signature::kMaxRoles> moved;
    for (std::size_t k = 0; k < operands_.size(); ++k) {
      moved[k] = operands_[k];
      moved[k].data =
          static_cast<const std::byte*>(moved[k].data) + static_cast<std::size_t>(e) * elem_size(moved[k].type);
    }
    return element_(std::span(moved.data(), operands_.size()), {result_type_, 1, scratch}, 0);
  }

 private:
  ElemType result_type_;
  std::vector<Operand> operands_;
  ElementFn element_;
};

void set_number(HostVector& vector, std::int64_t e, int number) {
  visit_type(vector.type, [&]<class T>() { vector.as<T>()[e] = T(number); });
}

void copy_element(HostVector& to, std::int64_t e, const HostVector& from, std::int64_t f) {
  std::size_t size = elem_size(to.type);
  std::memcpy(to.bytes.data() + static_cast<std::size_t>(e) * size,
              from.bytes.data() + static_cast<std::size_t>(f) * size, size);
}

/// Removes faults: no row faults on ones, or else on ones and a zero at the end.
void repair(const OpInfo& row, const TypeVariant& variant, std::vector<HostVector>& operands) {
  const FaultFinder fault_of(row, variant, operands);
  for (std::int64_t e = 0; e < operands[0].length; ++e)
    if (fault_of(e) != FaultKind::kNone)
      for (HostVector& operand : operands) set_number(operand, e, 1);
  for (std::int64_t e = 0; e < operands[0].length; ++e)
    if (fault_of(e) != FaultKind::kNone) set_number(operands.back(), e, 0);
}

/// Every combination of special values.
std::vector<HostVector> special_combinations(const TypeVariant& variant) {
  std::vector<HostVector> pools;
  std::int64_t combinations = 1;
  for (ElemType type : variant.operands) {
    pools.push_back(special_values(type));
    combinations *= pools.back().length;
  }
  std::vector<HostVector> operands;
  std::int64_t period = 1;
  for (const HostVector& pool : pools) {
    HostVector operand(pool.type, combinations);
    for (std::int64_t e = 0; e < combinations; ++e) copy_element(operand, e, pool, e / period % pool.length);
    operands.push_back(std::move(operand));
    period *= pool.length;
  }
  return operands;
}

Call make_call(const OpInfo& row, const TypeVariant& variant, std::vector<HostVector> operands) {
  Call call;
  call.title = fmt::format("{} {} of {} elements", row.text, variant.name, operands[0].length);
  call.results = {{variant.results[0], operands[0].length}};
  for (std::size_t k = 0; k < operands.size(); ++k)
    if (elem_size(operands[k].type) == elem_size(variant.results[0])) call.reusable.push_back(static_cast<int>(k));
  call.operands = std::move(operands);
  call.issue = [op = row.op](Backend& backend, const Placed& placed) {
    backend.set_site(kSite);
    backend.run(Elementwise{op, placed.operands, placed.results[0]});
  };
  return call;
}

std::vector<HostVector> any_operands(const TypeVariant& variant, std::int64_t length, Rng& rng) {
  std::vector<HostVector> operands;
  for (ElemType type : variant.operands) operands.push_back(any_values(type, length, rng));
  return operands;
}

/// Calls with a special value as the last operand of all elements, for which libraries may have loops of their own.
void same_last_operand(const OpInfo& row, const TypeVariant& variant, Rng& rng, const CallSink& sink) {
  const HostVector special = special_values(variant.operands.back());
  for (std::int64_t value = 0; value < special.length; ++value) {
    std::vector<HostVector> operands = any_operands(variant, 300, rng);
    for (std::int64_t e = 0; e < operands.back().length; ++e) copy_element(operands.back(), e, special, value);
    repair(row, variant, operands);
    sink(make_call(row, variant, std::move(operands)));
  }
}

void good_calls(const OpInfo& row, const TypeVariant& variant, const Sizes& sizes, Rng& rng, const CallSink& sink) {
  std::vector<HostVector> special = special_combinations(variant);
  repair(row, variant, special);
  sink(make_call(row, variant, std::move(special)));
  for (std::int64_t length : sizes.lengths) {
    std::vector<HostVector> operands = any_operands(variant, length, rng);
    repair(row, variant, operands);
    sink(make_call(row, variant, std::move(operands)));
  }
  same_last_operand(row, variant, rng, sink);
}

/// Calls with each kind of fault that special values cause, at the first, a middle and the last element, with a second
/// fault behind it that must not be reported.
void bad_calls(const OpInfo& row, const TypeVariant& variant, const Sizes& sizes, Rng& rng, const CallSink& sink) {
  std::vector<HostVector> special = special_combinations(variant);
  const FaultFinder fault_of(row, variant, special);
  std::vector<std::pair<FaultKind, std::int64_t>> culprits;
  for (std::int64_t e = 0; e < special[0].length; ++e) {
    FaultKind kind = fault_of(e);
    auto seen = std::count_if(culprits.begin(), culprits.end(), [&](auto& c) { return c.first == kind; });
    if (kind != FaultKind::kNone && seen < 3) culprits.emplace_back(kind, e);
  }
  if (culprits.empty()) return;
  for (std::int64_t length : sizes.lengths) {
    if (length == 0) continue;
    std::vector<HostVector> operands = any_operands(variant, length, rng);
    repair(row, variant, operands);
    for (std::int64_t position : {std::int64_t{0}, length / 2, length - 1}) {
      for (auto [kind, culprit] : culprits) {
        std::vector<HostVector> bad = operands;
        std::int64_t later = position + rng.below(length - position);
        for (std::size_t k = 0; k < bad.size(); ++k) {
          copy_element(bad[k], later, special[k], culprits.front().second);
          copy_element(bad[k], position, special[k], culprit);
        }
        sink(make_call(row, variant, std::move(bad)));
      }
    }
  }
}

}  // namespace

std::vector<Subject> elementwise_subjects() {
  std::vector<Subject> subjects;
  for (const OpInfo& row : vcode::all_ops()) {
    if (row.op_class != vcode::OpClass::kElementwise) continue;
    for (const TypeVariant& variant : type_variants(row)) {
      Subject subject{variant.name, [&row, variant](const Sizes& sizes, Rng& rng, const CallSink& sink) {
                        good_calls(row, variant, sizes, rng, sink);
                      }};
      std::vector<HostVector> special = special_combinations(variant);
      const FaultFinder fault_of(row, variant, special);
      bool can_fault = false;
      for (std::int64_t e = 0; e < special[0].length && !can_fault; ++e) can_fault = fault_of(e) != FaultKind::kNone;
      if (can_fault)
        subject.bad_calls = [&row, variant](const Sizes& sizes, Rng& rng, const CallSink& sink) {
          bad_calls(row, variant, sizes, rng, sink);
        };
      subjects.push_back(std::move(subject));
    }
  }
  return subjects;
}

}  // namespace cvl::conformance
