#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/stop_request.h"
#include "fcode-opt/passes.h"
#include "ir/walk.h"
#include "passes/constant_pool.h"
#include "passes/definitions.h"

namespace vcode::letform {
namespace {

/// Hoists the packs of lifted conditionals in one function.
class PackHoister {
 public:
  PackHoister(ConstantPool& pool, Function& function)
      : pool_(pool), function_(function), definitions_(function.values.size()), bound_(function.values.size()) {
    for (const Var v : function.parameters) bound_[v] = true;
  }

  void run(Block& block) {
    std::vector<Var> answered;
    std::vector<Binding> old = std::exchange(block.bindings, {});
    for (std::size_t k = 0; k < old.size(); ++k) {
      const std::optional<Asked> asked = asked_by(old[k]);
      if (asked && !answers_.contains(asked->flags))
        if (const std::optional<Packed> packed = hoist_from(old, k, asked->flags, block.bindings)) {
          count(asked->flags, *packed, block.bindings);
          answered.push_back(asked->flags);
        }
      rename_uses(old[k], [&](std::vector<Var>& values) { answer(values); });
      if (old[k].form == Binding::Form::kIf)
        for (Block& branch : old[k].blocks) run(branch);
      bind(old[k]);
      block.bindings.push_back(std::move(old[k]));
    }
    answer(block.results);
    for (const Var flags : answered) answers_.erase(flags);
  }

 private:
  enum Question : std::uint8_t { kSome, kOthers, kMixed, kQuestions };
  /// A scalar BOOL that tells of flags whether some are true, some are false, or both.
  struct Asked {
    Var flags;
    Question question;
  };
  /// Elements that were packed by flags, or by their opposites.
  struct Packed {
    Var elements;
    Suffix suffix;
    bool by_flags;
  };
  using Moved = std::unordered_set<const Binding*>;

  std::optional<Asked> asked_by(Var condition) const {
    const Definitions::Definition& made = definitions_.of(condition);
    if (definitions_.is_op(condition, Op::kOrReduce) && made.suffix == Suffix::kBool) {
      const Var flags = made.operands[0];
      if (definitions_.is_op(flags, Op::kNot)) return Asked{definitions_.of(flags).operands[0], kOthers};
      return Asked{flags, kSome};
    }
    if (!definitions_.is_op(condition, Op::kAnd)) return std::nullopt;
    const std::optional<Asked> a = asked_by(made.operands[0]), b = asked_by(made.operands[1]);
    if (!a || !b || a->flags != b->flags || a->question == b->question) return std::nullopt;
    return Asked{a->flags, kMixed};
  }
  /// The question that decides an IF; nothing for another binding or condition.
  std::optional<Asked> asked_by(const Binding& binding) const {
    return binding.form == Binding::Form::kIf ? asked_by(binding.operands[0]) : std::nullopt;
  }

  // --- Packs ---

  /// Hoists packs by the flags from an IF, from the later IFs of the block that ask about the same flags, and from such
  /// IFs inside. Returns one of them. They may move across all operations, since they cannot fault.
  std::optional<Packed> hoist_from(std::vector<Binding>& bindings, std::size_t first, Var flags,
                                   std::vector<Binding>& to) {
    std::optional<Packed> packed;
    Moved moved;
    for (std::size_t k = first; k < bindings.size() && !reads_clock(bindings[k]); ++k)
      if (const std::optional<Asked> asked = asked_by(bindings[k]); asked && asked->flags == flags)
        gather(bindings[k], flags, to, moved, packed);
    for (std::size_t k = first; k < bindings.size() && !moved.empty(); ++k) remove(bindings[k], moved);
    helpers_.clear();
    return packed;
  }
  void gather(Binding& choice, Var flags, std::vector<Binding>& to, Moved& moved, std::optional<Packed>& packed) {
    for (Block& branch : choice.blocks)
      for (Binding& binding : branch.bindings) {
        if (reads_clock(binding)) break;
        definitions_.note(binding);
        if (const std::optional<Asked> asked = asked_by(binding); asked && asked->flags == flags) {
          gather(binding, flags, to, moved, packed);
        } else if (is_helper(binding)) {
          helpers_.emplace(binding.results[0], &binding);
        } else if (packs(binding, flags)) {
          for (const Var v : binding.operands) move_helper(v, to, moved);
          packed = Packed{binding.results[0], binding.suffix, binding.operands[1] == flags};
          move(binding, to, moved);
        }
      }
  }
  /// Whether a binding makes an operand of packs from values in front of the IF.
  bool is_helper(const Binding& binding) const {
    if (binding.form == Binding::Form::kConst) return true;
    return binding.form == Binding::Form::kOp &&
           (is_of_segments(binding.op) || (binding.op == Op::kNot && binding.suffix == Suffix::kBool)) &&
           are_available(binding.operands);
  }
  /// Whether the operation makes a number for each segment that is not data of the program.
  static bool is_of_segments(Op op) { return op == Op::kLengths || op == Op::kOffsets || op == Op::kIndex; }
  bool are_available(const std::vector<Var>& values) const {
    return std::all_of(values.begin(), values.end(), [&](Var v) { return bound_[v] || helpers_.contains(v); });
  }
  /// Whether a binding packs lengths, starts or numbers of segments, or the flags themselves, by the flags or by their
  /// opposites.
  bool packs(const Binding& binding, Var flags) const {
    if (binding.form != Binding::Form::kOp || binding.op != Op::kPack || !are_available(binding.operands)) return false;
    const Var x = binding.operands[0], by = binding.operands[1];
    if (by != flags && !(definitions_.is_op(by, Op::kNot) && definitions_.of(by).operands[0] == flags)) return false;
    return x == by || (definitions_.of(x).form == Binding::Form::kOp && is_of_segments(definitions_.of(x).op));
  }
  void move_helper(Var v, std::vector<Binding>& to, Moved& moved) {
    const auto found = helpers_.find(v);
    if (found == helpers_.end() || moved.contains(found->second)) return;
    for (const Var operand : found->second->operands) move_helper(operand, to, moved);
    move(*found->second, to, moved);
  }
  void move(const Binding& binding, std::vector<Binding>& to, Moved& moved) {
    moved.insert(&binding);
    Binding& hoisted = to.emplace_back(binding);
    hoisted.nest.clear();
    hoisted.location_only = hoisted.site != kNoSite;
    hoisted.outermost = false;
    bind(hoisted);
  }
  static void remove(Binding& choice, const Moved& moved) {
    if (choice.form != Binding::Form::kIf) return;
    for (Block& branch : choice.blocks) {
      for (Binding& binding : branch.bindings) remove(binding, moved);
      std::erase_if(branch.bindings, [&](const Binding& binding) { return moved.contains(&binding); });
    }
  }

  // --- Questions ---

  /// Answers all questions about flags by the number of elements that were packed by them.
  void count(Var flags, const Packed& packed, std::vector<Binding>& to) {
    const auto add = [&](Kind kind, Binding binding) {
      binding.results = {static_cast<Var>(function_.values.size())};
      function_.values.push_back({kind, true});
      bound_.resize(function_.values.size());
      bind(binding);
      return to.emplace_back(std::move(binding)).results[0];
    };
    const auto add_length = [&](Var v, Suffix suffix) {
      return add(Kind::kInt, {.op = Op::kLength, .suffix = suffix, .operands = {v}});
    };
    const auto compare = [&](Op op, Var a, Var b) {
      return add(Kind::kBool, {.op = op, .suffix = Suffix::kInt, .operands = {a, b}});
    };
    const Var kept = add_length(packed.elements, packed.suffix), all = add_length(flags, Suffix::kBool);
    const std::uint32_t zero = pool_.add({.type = Suffix::kInt, .ints = {0}});
    const Var some = compare(Op::kGreater, kept, add(Kind::kInt, {.form = Binding::Form::kConst, .target = zero}));
    const Var others = compare(Op::kLess, kept, all);
    const Var mixed = add(Kind::kBool, {.op = Op::kAnd, .suffix = Suffix::kBool, .operands = {some, others}});
    answers_[flags] = packed.by_flags ? Answers{some, others, mixed} : Answers{others, some, mixed};
  }
  void answer(std::vector<Var>& values) const {
    if (answers_.empty()) return;
    for (Var& v : values)
      if (const std::optional<Asked> asked = asked_by(v))
        if (const auto found = answers_.find(asked->flags); found != answers_.end()) v = found->second[asked->question];
  }
  void bind(const Binding& binding) {
    definitions_.note(binding);
    for (const Var v : binding.results) bound_[v] = true;
  }

  using Answers = std::array<Var, kQuestions>;
  ConstantPool& pool_;
  Function& function_;
  Definitions definitions_;
  std::vector<bool> bound_;                          ///< whether a value is visible here
  std::unordered_map<Var, const Binding*> helpers_;  ///< in the branches that are being searched
  std::unordered_map<Var, Answers> answers_;         ///< by flags
};

}  // namespace

/// Pass "hoist-packs": packs the lengths and starts of sequences for the branches of a lifted conditional in front of
/// it, in the traversal that computes the flags, and decides by the numbers of packed elements.
///   before:  g = NOT BOOL f   a = OR_REDUCE BOOL f s   b = OR_REDUCE BOOL g s   c = AND BOOL a b
///            d = IF a then (IF c then x = LENGTHS t  y, u = PACK INT x f s  yield … else …) else …
///   after:   x = LENGTHS t   y, u = PACK INT x f s   n = LENGTH INT y   m = LENGTH BOOL f
///            a = > INT n 0   b = < INT n m   c = AND BOOL a b
///            d = IF a then (IF c then yield … else …) else …
/// Where all elements take the branch, the PACK is computed in vain, which takes about as long as the flags. A device
/// then tells the host numbers of flags and of packed elements at once. Data of the program stay where they are. Only
/// for programs whose lengths agree, where PACK cannot fail. O(n) for each vector of flags.
void hoist_packs(Program& program) {
  if (!program.lengths_agree) return;
  ConstantPool pool(program);
  for (Function& function : program.functions) {
    base::check_stop();
    PackHoister(pool, function).run(function.body);
  }
  remove_dead_bindings(program);
}

}  // namespace vcode::letform
