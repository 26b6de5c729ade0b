#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "fcode-opt/letform.h"

namespace nesl {

using vcode::Kind;
using vcode::Op;
using vcode::Suffix;
using vcode::suffix_of;
using vcode::letform::Var;
namespace letform = vcode::letform;

/// A point of the source that an instruction is made for, with what leads from its elements outwards.
struct Place {
  std::uint32_t site = vcode::kNoSite;
  std::vector<Var> nest = {};
  bool outermost = false;  ///< the nest ends here, whatever the caller does
};

/// Builds one let-form function. Operations without effects that were already emitted where they are visible
/// from the current block are not emitted again.
class Emitter {
 public:
  /// `here` gives the site, or kNoSite, of operations that have no place of their own.
  Emitter(letform::Program& program, std::string name, std::function<std::uint32_t()> here);

  Var parameter(Kind kind, std::string name);
  /// An operation of the table; `place` for those that can fail.
  std::vector<Var> op_all(Op op, Suffix suffix, std::vector<Var> operands, const Place* place = nullptr);
  /// One that has a single result.
  Var op(Op op, Suffix suffix, std::vector<Var> operands, const Place* place = nullptr) {
    return op_all(op, suffix, std::move(operands), place)[0];
  }
  Var constant(vcode::Constant constant);
  Var integer(std::int64_t value);
  Var boolean(bool value);
  std::vector<Var> call(std::uint32_t function, std::vector<Var> operands, std::vector<Kind> results,
                        const Place& place);

  /// Opens a block, whose bindings are then emitted into. Blocks nest.
  void begin_block();
  letform::Block end_block(std::vector<Var> results);
  /// IF condition THEN then_block ELSE else_block.
  std::vector<Var> conditional(Var condition, letform::Block then_block, letform::Block else_block);
  /// Both blocks from callables that return the results.
  template <class Then, class Else>
  std::vector<Var> conditional(Var condition, Then&& then_part, Else&& else_part) {
    begin_block();
    auto then_results = then_part();
    auto then_block = end_block(std::move(then_results));
    begin_block();
    auto else_results = else_part();
    return conditional(condition, std::move(then_block), end_block(std::move(else_results)));
  }

  /// How many values the function has.
  std::size_t size() const { return function_.values.size(); }
  Kind kind(Var var) const { return function_.values[var].kind; }
  /// The integer or bool a value certainly is, if it is a scalar constant.
  std::optional<std::int64_t> known_integer(Var var) const;

  /// Remembers values under a key for as long as the current block is visible.
  using Key = std::vector<std::uint64_t>;
  const std::vector<Var>* find(const Key& key) const;
  void remember(Key key, std::vector<Var> vars);

  letform::Function finish(std::vector<Var> results);

 private:
  struct Scope {
    letform::Block block;
    std::vector<const Key*> keys;  ///< remembered in this block
  };
  Var fresh(Kind kind, bool scalar);
  std::vector<Var> append(letform::Binding binding, const std::vector<Kind>& kinds);

  letform::Program& program_;
  const std::function<std::uint32_t()> here_;
  letform::Function function_;
  std::vector<Scope> scopes_;
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  std::unordered_map<Key, std::vector<Var>, Hash> known_;
  std::map<Var, std::int64_t> integers_;
};

}  // namespace nesl
