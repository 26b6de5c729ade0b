#include "masks/pack_branches.h"

#include <functional>
#include <unordered_set>
#include <utility>

#include "base/check.h"

namespace vcode::letform {
namespace {

using Form = Binding::Form;

class Packer {
 public:
  Packer(Function& function, ConstantPool& pool, Binding choice, std::vector<Binding>& to)
      : function_(function), pool_(pool), choice_(std::move(choice)), to_(&to) {}

  void run() {
    for (const std::size_t k : {0, 1}) compute_branch(k);
    std::vector<std::size_t> merged, written[2];  // the results that both branches pack, or only this one
    for (std::size_t k = 0; k < choice_.results.size(); ++k) {
      const bool first = packed_.contains(branches_[0][k]), second = packed_.contains(branches_[1][k]);
      if (first && second)
        merged.push_back(k);
      else if (first || second)
        written[first ? 0 : 1].push_back(k);
      else
        select(k);
    }
    choose(
        merged, kMixed, [&] { return merge(merged); }, [&] { return either(merged); });
    for (const std::size_t b : {0, 1})
      choose(
          written[b], b == 0 ? kSome : kSomeOthers, [&] { return overlay(written[b], b); },
          [&] { return values_of(written[b], 1 - b); });
  }

 private:
  using Vars = std::vector<Var>;

  Var flags(std::size_t branch) const { return choice_.operands[branch == 0 ? kFlags : kOthers]; }
  Var all() const { return choice_.operands[kAll]; }
  Kind kind(Var v) const { return function_.values[v].kind; }

  Var new_value(Kind kind) {
    function_.values.push_back({kind, false, {}});
    return static_cast<Var>(function_.values.size() - 1);
  }

  Vars make(Op op, Suffix suffix, Vars operands) {
    const Signature& signature = info(op).signature;
    Vars results;
    for (std::size_t r = 0; r < static_cast<std::size_t>(signature.result_count); ++r)
      results.push_back(new_value(Signature::kind(signature.results[r], suffix)));
    to_->push_back({.op = op,
                    .suffix = suffix,
                    .operands = std::move(operands),
                    .results = results,
                    .site = choice_.site,
                    .location_only = choice_.site != kNoSite,
                    .inlined = choice_.inlined});
    return results;
  }

  Var make_constant(Constant constant) {
    const Var result = new_value(suffix_kind(constant.type));
    function_.values[result].scalar = constant.size() == 1;
    to_->push_back({.form = Form::kConst, .target = pool_.add(std::move(constant)), .results = {result}});
    return result;
  }
  Var number(std::int64_t value) { return make_constant({.type = Suffix::kInt, .ints = {value}}); }

  Var zeros(Kind kind) {
    Constant zero{.type = suffix_of(kind)};
    if (kind == Kind::kBool) zero.bools = {0};
    if (kind == Kind::kFloat) zero.floats = {0.0};
    if (kind == Kind::kInt || kind == Kind::kByte) zero.ints = {0};
    return make(Op::kDist, suffix_of(kind), {make_constant(std::move(zero)), all()})[0];
  }

  /// Emits IF with the blocks that the callables emit, each of which returns the results of its block.
  template <class Then, class Else>
  void branch(Var condition, Vars results, Then&& then_part, Else&& else_part) {
    Binding choice{.form = Form::kIf, .operands = {condition}, .results = std::move(results), .blocks = {{}, {}}};
    std::vector<Binding>* const around = to_;
    to_ = &choice.blocks[0].bindings;
    choice.blocks[0].results = then_part();
    to_ = &choice.blocks[1].bindings;
    choice.blocks[1].results = else_part();
    to_ = around;
    to_->push_back(std::move(choice));
  }

  /// Computes a branch for its elements, if there are any. Its values for all elements are zeros where it has none.
  void compute_branch(std::size_t k) {
    Block& block = choice_.blocks[k];
    std::unordered_set<Var> inside;
    for (const Binding& binding : block.bindings) inside.insert(binding.results.begin(), binding.results.end());
    Vars inner, outer;
    for (std::size_t r = 0; r < block.results.size(); ++r) {
      Var& v = block.results[r];
      if (v == kNoVar)
        v = zeros(kind(choice_.results[r]));
      else if (inside.contains(v)) {
        inner.push_back(v);
        v = outer.emplace_back(new_value(kind(v)));
        packed_.insert(v);
      }
    }
    branches_[k] = block.results;
    if (block.bindings.empty()) return;
    branch(
        choice_.operands[k == 0 ? kSome : kSomeOthers], outer,
        [&] {
          *to_ = std::move(block.bindings);
          return inner;
        },
        [&] {
          Vars empty;
          for (Var v : inner) empty.push_back(make_constant({.type = suffix_of(kind(v)), .bracketed = true}));
          return empty;
        });
  }

  template <class Then, class Else>
  void choose(const std::vector<std::size_t>& numbers, LiftedIf condition, Then&& then_part, Else&& else_part) {
    Vars results;
    for (const std::size_t k : numbers) results.push_back(choice_.results[k]);
    if (!results.empty()) branch(choice_.operands[condition], std::move(results), then_part, else_part);
  }

  Vars values_of(const std::vector<std::size_t>& numbers, std::size_t of_branch) const {
    Vars values;
    for (const std::size_t k : numbers) values.push_back(branches_[of_branch][k]);
    return values;
  }

  /// The results of the branch that all elements take.
  Vars either(const std::vector<std::size_t>& numbers) {
    Vars results;
    for (const std::size_t k : numbers) results.push_back(new_value(kind(choice_.results[k])));
    branch(
        choice_.operands[kSome], results, [&] { return values_of(numbers, 0); }, [&] { return values_of(numbers, 1); });
    return results;
  }

  /// Numbers of the elements that take a branch, and their descriptor.
  Vars positions(std::size_t of_branch) {
    const Var numbers = make(Op::kIndex, Suffix::kNone, {number(0), number(1), all()})[0];
    return make(Op::kPack, Suffix::kInt, {numbers, flags(of_branch), all()});
  }

  Vars merge(const std::vector<std::size_t>& numbers) {
    Vars results;
    for (const std::size_t k : numbers)
      results.push_back(
          make(Op::kMerge, suffix_of(kind(choice_.results[k])), {flags(0), branches_[0][k], branches_[1][k]})[0]);
    return results;
  }

  /// The results of the other branch, overwritten where elements take this one.
  Vars overlay(const std::vector<std::size_t>& numbers, std::size_t of_branch) {
    const Vars targets = positions(of_branch);
    Vars results;
    for (const std::size_t k : numbers)
      results.push_back(make(Op::kDpermute, suffix_of(kind(choice_.results[k])),
                             {branches_[of_branch][k], targets[0], branches_[1 - of_branch][k], targets[1], all()})[0]);
    return results;
  }

  void select(std::size_t k) {
    const Var result = choice_.results[k];
    to_->push_back({.op = Op::kSelect,
                    .suffix = suffix_of(kind(result)),
                    .operands = {flags(0), branches_[0][k], branches_[1][k]},
                    .results = {result}});
  }

  Function& function_;
  ConstantPool& pool_;
  Binding choice_;
  std::vector<Binding>* to_;
  Vars branches_[2];                ///< the results of each branch
  std::unordered_set<Var> packed_;  ///< those that only elements of the branch have
};

}  // namespace

void pack_branches(Function& function, ConstantPool& pool, Binding choice, std::vector<Binding>& to) {
  Packer(function, pool, std::move(choice), to).run();
}

}  // namespace vcode::letform
