#pragma once

#include <functional>
#include <vector>

#include "definitions.h"
#include "fcode-opt/shapes.h"

namespace vcode::letform {

/// Identities of operations on whole vectors, most of which hold only for certain shapes.
///   before:  i = INDEX 0 1 s   b = BPERMUTE a i s s   c, t = PACK b (DIST true s) s   d = DIST (DIST x s) t
///   after:   i = INDEX 0 1 s   c is a, t is s   d = DIST x (the single descriptor of as many elements)
/// Does not change an operation that may fault, for example with an index out of range. O(log n) for each operation.
class VectorIdentities {
 public:
  using MakeConstant = std::function<Var(Constant)>;
  /// `make_constant` binds a constant before the operation being visited.
  VectorIdentities(const Definitions& definitions, const ConstantPool& pool, Shapes& shapes, MakeConstant make_constant)
      : definitions_(definitions), pool_(pool), shapes_(shapes), make_constant_(std::move(make_constant)) {}

  /// Existing values that equal the results of an operation; empty if there are none.
  std::vector<Var> known_results(const Binding& operation) const;
  /// Replaces an operation by a cheaper one, or by one with fewer dependences. Returns whether it has.
  bool make_cheaper(Binding& operation) const;

 private:
  bool is_uniform(Var v, std::int64_t number) const;
  static bool adds_up(const Definitions::Definition& made);
  bool counts_up(Var index, Var descriptor) const;
  std::vector<Var> known_comparison(const Binding& operation) const;
  std::vector<Var> known_pack(const Binding& operation) const;
  std::vector<Var> known_reduction(const Binding& operation) const;
  std::int64_t known_position(Var index, Var data) const;
  std::vector<Var> known_extract(const Binding& operation) const;
  bool extract_earlier(Binding& operation) const;
  bool add_two(Binding& operation) const;
  bool distribute_once(Binding& operation) const;
  bool count_instead_of_adding(Binding& operation) const;

  const Definitions& definitions_;
  const ConstantPool& pool_;
  Shapes& shapes_;
  MakeConstant make_constant_;
};

}  // namespace vcode::letform
