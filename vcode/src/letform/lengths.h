#pragma once

#include <map>
#include <vector>

#include "constant_pool.h"

namespace vcode::letform {

/// A number of elements or segments; equal ones are equal in every run. 0 is not known.
using Length = std::uint32_t;

/// Which values of a function certainly have equal lengths, as far as a pass has come.
class Lengths {
 public:
  explicit Lengths(const Function& function);

  void note(const Binding& binding, const ConstantPool& pool);
  /// Whether the result of an operation has one segment or element where its operand has: DIST to one element.
  bool is_distributed_to_one(const Binding& operation);
  /// Of LENGTH, and of LENGTHS of one segment: the number it yields; else 0.
  Length yielded(const Binding& operation);

  /// The visible scalar that holds a number, or kNoVar.
  Var holder(Length length) const;
  /// The number itself, if it is known, else -1.
  std::int64_t number(Length length) const;

  /// What becomes known in a block is forgotten behind it.
  std::size_t mark() const { return changes_.size(); }
  void roll_back(std::size_t mark);

 private:
  struct Shape {
    Length elements = 0;
    Length segments = 0;  ///< of a descriptor
    Length value = 0;     ///< of a scalar INT that is a length
  };
  Shape& shape(Var v);
  Length fresh();
  Length constant(std::int64_t number);
  void hold(Length length, Var v);
  void note_operation(const Binding& binding);
  void note_constant(Var v, const Constant& constant);

  const Function& function_;
  std::vector<Shape> shapes_;
  std::vector<Var> holders_;
  std::vector<std::int64_t> numbers_;
  std::map<std::int64_t, Length> constants_;
  std::vector<std::pair<Length, Var>> changes_;  ///< holders before
};

}  // namespace vcode::letform
