#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/check.h"
#include "fcode-opt/letform.h"

namespace nesl {

using vcode::Kind;
using vcode::Op;
using vcode::Suffix;
using vcode::suffix_of;
using vcode::letform::Var;
namespace letform = vcode::letform;

/// Source location of an instruction, and the nest that locates its elements in the enclosing apply-to-eaches (see
/// letform::Binding).
struct Location {
  std::uint32_t site = vcode::kNoSite;
  std::vector<Var> nest = {};
  bool outermost = false;  ///< the nest is complete: the nest of the calling instruction does not extend it
};

/// Builder of one let-form function. Eliminates common subexpressions: an operation without side effects whose operands
/// equal those of an earlier one, in the same or an enclosing block, yields the earlier results.
class Emitter {
 public:
  /// Site of operations emitted without a Location (or kNoSite), and the inlined call that contains the current code.
  struct Here {
    std::uint32_t site = vcode::kNoSite, inlined = vcode::kNoCall;
  };
  Emitter(letform::Program& program, std::string name, std::function<Here()> here);

  Var parameter(Kind kind, std::string name);
  /// Emits an operation of the operation table; `location` is for operations that can fail. A BYTE for which the table
  /// has INT only is converted.
  std::vector<Var> op_all(Op op, Suffix suffix, std::vector<Var> operands, const Location* location = nullptr);
  /// Emits an operation with a single result.
  Var op(Op op, Suffix suffix, std::vector<Var> operands, const Location* location = nullptr) {
    VC_CHECK(vcode::info(op).signature.result_count == 1);
    return op_all(op, suffix, std::move(operands), location)[0];
  }
  /// Emits an operation that reads the clock after the given values have been computed. No operation after the start of
  /// a timer is replaced by an earlier one.
  std::vector<Var> clock(Op op, std::vector<Var> awaited);
  Var constant(vcode::Constant constant);
  /// A vector of characters as BYTEs, or as INTs.
  Var as_bytes(Var characters) {
    return kind(characters) == Kind::kByte ? characters : op(Op::kIntToByte, Suffix::kNone, {characters});
  }
  Var as_ints(Var characters) {
    return kind(characters) == Kind::kByte ? op(Op::kByteToInt, Suffix::kNone, {characters}) : characters;
  }
  Var integer(std::int64_t value);
  Var boolean(bool value);
  std::vector<Var> call(std::uint32_t function, std::vector<Var> operands, const std::vector<Kind>& results,
                        const Location& location);

  /// Opens a block, which receives all bindings until end_block(), after those it has. Blocks nest.
  void begin_block(letform::Block block = {});
  letform::Block end_block(std::vector<Var> results);
  /// Emits IF condition THEN then_block ELSE else_block.
  std::vector<Var> conditional(Var condition, letform::Block then_block, letform::Block else_block);
  /// A value that the next conditional for each element, or step, makes.
  Var declare(Kind kind) { return fresh(kind, false); }
  /// Emits a conditional for each element (letform::Binding::kLiftedIf), with these operands; `where` is the location
  /// of operations on all elements.
  void lifted_conditional(std::vector<Var> operands, letform::Block then_block, letform::Block else_block,
                          std::vector<Var> results, const Location& where);
  /// Emits a step of a loop (letform::Binding::kSteps) whose block computes new values of the results.
  void steps(std::vector<Var> operands, letform::Block block, std::vector<Var> results, std::uint32_t site);
  /// Emits IF with the blocks that the callables emit; each callable returns the results of its block.
  template <class Then, class Else>
  std::vector<Var> conditional(Var condition, Then&& then_part, Else&& else_part) {
    begin_block();
    auto then_results = then_part();
    auto then_block = end_block(std::move(then_results));
    begin_block();
    auto else_results = else_part();
    return conditional(condition, std::move(then_block), end_block(std::move(else_results)));
  }

  /// Number of values of the function.
  std::size_t size() const { return function_.values.size(); }
  Kind kind(Var var) const { return function_.values[var].kind; }
  /// Whether a value is an INDEX, or computed from one by elementwise operations. Such a value need not be in memory,
  /// and its elements are often consecutive.
  bool is_from_index(Var var) const { return is_from_index_[var]; }
  void set_from_index(Var var, bool is) { is_from_index_[var] = is; }
  /// Value of a scalar INT or BOOL constant; nothing for any other variable.
  std::optional<std::int64_t> known_integer(Var var) const;

  /// Values stored under a key until the current block ends.
  using Key = std::vector<std::uint64_t>;
  const std::vector<Var>* find(const Key& key) const;
  void remember(Key key, std::vector<Var> vars);
  /// Drops all values stored in the current and the enclosing blocks.
  void forget();

  letform::Function finish(std::vector<Var> results);

 private:
  struct Scope {
    letform::Block block;
    std::vector<const Key*> keys;  ///< keys stored in this block
  };
  void locate(letform::Binding& binding, const Location& location) const;
  std::vector<Var> op_of_ints(Op op, std::vector<Var> operands, const Location* location);
  Var fresh(Kind kind, bool scalar);
  std::vector<Var> append(letform::Binding binding, const std::vector<Kind>& kinds);

  letform::Program& program_;
  const std::function<Here()> here_;
  letform::Function function_;
  std::vector<bool> is_from_index_;  ///< for each value
  std::vector<Scope> scopes_;
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  std::unordered_map<Key, std::vector<Var>, Hash> known_;
  std::map<Var, std::int64_t> integers_;
};

}  // namespace nesl
