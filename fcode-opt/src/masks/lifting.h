#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "fcode-opt/letform.h"
#include "ir/expression.h"
#include "passes/constant_pool.h"
#include "passes/definitions.h"

namespace vcode::letform {

/// Most arithmetic operations, of both branches of a conditional together, that are computed for every element. If all
/// elements take the cheaper branch, packing would have saved nearly all of these operations, but would have ended the
/// kernel, which costs a traversal or two: some nanoseconds for each element.
inline constexpr double kMaskCost = 64;
/// Operations that may be added for each vector that packing would read and write. Of 8, 16 and 24, with 8 the inverse
/// of the normal distribution in option_pricing, 143 operations, is packed.
inline constexpr double kMovingCost = 16;
/// Cost of a gather for each element, in arithmetic operations, if its index follows from those of the apply-to-eaches,
/// so that neighbouring elements are read without a check.
inline constexpr double kRunCost = 1;

/// Straight-line code that computes, for all elements, values that a program computes for the elements that flags
/// choose. The elements that were packed are taken from where they were before; operations that could fault for the
/// others are guarded:
///   before:  a, s = PACK x f u     b = / INT a a     c = BPERMUTE INT z b v s
///   after:   b = / INT x (SELECT INT f x 1)          c = BFPERMUTE INT z b f v u
/// Values for elements that are not chosen are unspecified.
class Lifting {
 public:
  /// Why values cannot be computed for all elements.
  struct Failure {
    std::string reason;
  };
  Lifting(Function& function, ConstantPool& pool, Definitions& definitions, double budget)
      : function_(function), pool_(pool), definitions_(definitions), budget_(budget) {}
  virtual ~Lifting() = default;
  Lifting(const Lifting&) = delete;
  Lifting& operator=(const Lifting&) = delete;

  /// The bindings made so far, and their cost in arithmetic operations for each element.
  std::vector<Binding>& made() { return made_; }
  double cost() const { return cost_; }
  /// Adds an operation with one result, unless there is an equal one.
  Var make(Op op, Suffix suffix, std::vector<Var> operands);
  Var make_constant(Suffix type, int number);

 protected:
  /// The elements that are chosen.
  struct Mask {
    Var flags = kNoVar;               ///< kNoVar: all of them
    Var all = kNoVar;                 ///< descriptor of all elements, which has one segment
    const Binding* around = nullptr;  ///< its nest is that of operations on all elements
  };
  struct Lifted {
    Var var = kNoVar;
    bool chosen = false;  ///< has a value for each element, valid for the chosen ones; else the value is the program's
    bool scalar = false;  ///< chosen, though the program's value is a scalar
  };
  /// A binding of the program, and the mask under which it runs.
  struct Source {
    const Binding* binding = nullptr;
    Mask mask = {};
  };

  /// The binding that makes a value; null if the value exists outside of the code that is lifted.
  virtual Source source(Var v) const = 0;
  /// Lifts a binding other than a map or a gather: calls become() for its results.
  virtual void lift_other(const Binding& binding, const Mask& mask) = 0;
  /// Lifts a value, with everything that it needs, unless that is done. Like all functions here, throws a Failure if
  /// that is impossible or costs more than the budget.
  Lifted lift(Var v);
  void lift_binding(const Binding& binding, const Mask& mask);
  void become(Var v, Lifted lifted) { lifted_.insert_or_assign(v, lifted); }
  /// A value that is the same for all elements, or has no element for each of them.
  virtual Var lift_shared(Var v);
  /// A value that source() does not know.
  virtual Lifted lift_outside(Var v) { return {v, false}; }
  /// The value for each element; `scalar`: the program's value is a scalar.
  Var spread(Lifted value, bool scalar, const Mask& mask);

  /// Adds a binding, unless one has made the same results; returns these.
  std::vector<Var> make(Binding binding, const std::vector<Kind>& kinds);
  void charge(double cost);
  /// Adds the binding again, with these operands in place of its own.
  std::vector<Var> make_again(const Binding& binding, std::vector<Var> operands, const Mask& mask);

  std::unordered_map<Var, Lifted> lifted_;
  std::unordered_map<Var, std::uint32_t> reads_;  ///< number of times that each value was lifted
  std::unordered_set<Var> flags_;  ///< flags of the branches that are lifted, which begin the nests of their operations
  Function& function_;
  ConstantPool& pool_;
  Definitions& definitions_;

 private:
  void lift_elementwise(const Binding& binding, const Mask& mask);
  void lift_gather(const Binding& binding, const Mask& mask);
  bool can_fault(const Binding& binding, Var last_operand) const;
  void guard(const Binding& binding, std::vector<Var>& operands, const Mask& mask);
  void charge(const Binding& binding);
  bool is_regular(Var v, bool up, int depth) const;
  bool is_regular(Op op, std::span<const Var> operands, bool up, int depth) const;
  std::vector<Var> nest_of(const Binding& binding, const Mask& mask) const;

  const double budget_;
  double cost_ = 0;
  std::vector<Binding> made_;
  std::unordered_map<Expression, std::vector<Var>, ExpressionHash> known_;
};

/// Whether a binding can fault, by its site: the NESL compiler gives a message to every operation that may.
inline bool may_fault(const Binding& binding) { return binding.site != kNoSite && !binding.location_only; }

}  // namespace vcode::letform
