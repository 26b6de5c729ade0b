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

/// The place of an instruction in the source, and the nest that finds its elements in the apply-to-eaches around it
/// (letform::Binding says how).
struct Place {
  std::uint32_t site = vcode::kNoSite;
  std::vector<Var> nest = {};
  bool outermost = false;  ///< the nest is complete: that of the caller's place does not continue it
};

/// Builds one let-form function. An operation without side effects is emitted once: the same operation on the same
/// operands, in the same or an enclosed block, has its results (common subexpressions are eliminated).
class Emitter {
 public:
  /// The site, or kNoSite, of operations emitted without a place, and the call that was inlined around all.
  struct Here {
    std::uint32_t site = vcode::kNoSite, inlined = vcode::kNoCall;
  };
  Emitter(letform::Program& program, std::string name, std::function<Here()> here);

  Var parameter(Kind kind, std::string name);
  /// An operation of the table; `place` for those that can fail.
  std::vector<Var> op_all(Op op, Suffix suffix, std::vector<Var> operands, const Place* place = nullptr);
  /// One that has a single result.
  Var op(Op op, Suffix suffix, std::vector<Var> operands, const Place* place = nullptr) {
    VC_CHECK(vcode::info(op).signature.result_count == 1);
    return op_all(op, suffix, std::move(operands), place)[0];
  }
  /// One result for each element of the descriptor `all`, which has one segment. Where its flag is false the operation
  /// is not at fault, and the result counts for nothing. Not for operations that cannot be guarded so (see
  /// can_guard()).
  Var op_where(Var flags, Var all, Op op, Suffix suffix, std::vector<Var> operands, const Place* place);
  static bool can_guard(Op op, Suffix suffix);
  /// An operation whose operands are known to be right, though the table says that some can be at fault.
  Var op_harmless(Op op, Suffix suffix, std::vector<Var> operands, const Place* place) {
    return emit(op, suffix, std::move(operands), place, true)[0];
  }
  /// An operation that reads the clock when these values have been computed. Nothing behind the start of a timer is
  /// replaced by what was computed before.
  std::vector<Var> clock(Op op, std::vector<Var> awaited);
  Var constant(vcode::Constant constant);
  Var integer(std::int64_t value);
  Var boolean(bool value);
  std::vector<Var> call(std::uint32_t function, std::vector<Var> operands, const std::vector<Kind>& results,
                        const Place& place);

  /// Opens a block, which bindings are emitted into until end_block(). Blocks nest.
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

  // --- trials: code that is dropped if it turns out not to be straight-line code for scalars, or to cost too much

  /// Why the code of a trial is not suited. Whoever began the trial catches it, and calls drop_trial().
  struct Unsuited {
    std::string reason;
  };
  /// The operations emitted from now on may cost so much for each element, by the table of operations, before Unsuited
  /// is thrown. So do a block, a call, and operations that are not elementwise or can be at fault unguarded.
  void begin_trial(double budget);
  /// The code becomes part of the current block. Returns what it costs.
  double keep_trial();
  /// Forgets the code and its values.
  void drop_trial();
  /// For operations on levels rather than elements: within the callable they are free and may be any.
  template <class Work>
  auto outside_trial(Work&& work) {
    const std::optional<Trial> trial = std::exchange(trial_, std::nullopt);
    if constexpr (std::is_void_v<decltype(work())>) {
      work();
      trial_ = trial;
    } else {
      auto result = work();
      trial_ = trial;
      return result;
    }
  }

  /// How many values the function has.
  std::size_t size() const { return function_.values.size(); }
  Kind kind(Var var) const { return function_.values[var].kind; }
  /// Whether a value is an INDEX, or what elementwise operations compute from one: it need not be in memory, and its
  /// elements often follow each other.
  bool is_from_index(Var var) const { return is_from_index_[var]; }
  /// The number of a scalar INT or BOOL constant; nothing for any other value.
  std::optional<std::int64_t> known_integer(Var var) const;

  /// Values remembered under a key until the current block ends.
  using Key = std::vector<std::uint64_t>;
  const std::vector<Var>* find(const Key& key) const;
  void remember(Key key, std::vector<Var> vars);
  /// What was remembered in this and the enclosing blocks.
  void forget();

  letform::Function finish(std::vector<Var> results);

 private:
  struct Scope {
    letform::Block block;
    std::vector<const Key*> keys;  ///< remembered in this block
  };
  struct Trial {
    double budget, left;
    std::size_t scope, values, constants;
  };
  std::vector<Var> emit(Op op, Suffix suffix, std::vector<Var> operands, const Place* place, bool guarded);
  void charge(Op op, Suffix suffix, bool guarded, bool has_place);
  Var fresh(Kind kind, bool scalar);
  std::vector<Var> append(letform::Binding binding, const std::vector<Kind>& kinds);

  letform::Program& program_;
  const std::function<Here()> here_;
  letform::Function function_;
  std::vector<bool> is_from_index_;  ///< for each value
  std::vector<Scope> scopes_;
  std::optional<Trial> trial_;
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  std::unordered_map<Key, std::vector<Var>, Hash> known_;
  std::map<Var, std::int64_t> integers_;
};

}  // namespace nesl
