#include "recognize/recognize_checks.h"

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/stop_request.h"
#include "fcode-opt/shapes.h"
#include "passes/constant_pool.h"
#include "passes/definitions.h"

namespace vcode::letform {
namespace {

using Form = Binding::Form;

/// Finds checks in one function, in the order of its bindings.
class CheckFinder {
 public:
  CheckFinder(Program& program, const ConstantPool& pool, Function& function, const ShapeFacts& facts)
      : program_(program),
        pool_(pool),
        function_(function),
        definitions_(function.values.size()),
        shapes_(program, function, facts),
        same_as_(function.values.size()) {
    for (Var v = 0; v < same_as_.size(); ++v) same_as_[v] = v;
  }

  void run() { run(function_.body); }

 private:
  void run(Block& block) {
    const std::size_t bounded_before = bounded_.size();
    std::vector<Binding> old = std::exchange(block.bindings, {});
    take(std::move(old), block);
    replace(block.results);
    for (; bounded_.size() > bounded_before; bounded_.pop_back()) same_as_[bounded_.back()] = bounded_.back();
  }

  /// Appends bindings to a block, with checks in place of conditionals.
  void take(std::vector<Binding> bindings, Block& block) {
    for (Binding& binding : bindings) {
      rename(binding);
      if (binding.form != Form::kIf) {
        definitions_.note(binding);
        shapes_.note(binding);
        block.bindings.push_back(std::move(binding));
      } else if (const std::optional<Ending> ending = ending_of(binding)) {
        block.bindings.push_back(check(*ending));
        shapes_.note(block.bindings.back());
        Block& good = binding.blocks[0];
        take(std::move(good.bindings), block);
        for (std::size_t k = 0; k < binding.results.size(); ++k)
          same_as_[binding.results[k]] = same_as_[good.results[k]];
      } else if (const std::optional<Bound> bound = bound_of(binding)) {
        block.bindings.push_back(check_indices(*bound));
        shapes_.note(block.bindings.back());
      } else {
        choose(binding);
        block.bindings.push_back(std::move(binding));
      }
    }
  }

  void choose(Binding& binding) {
    Shapes::Branch branches[2];
    for (std::size_t k = 0; k < 2; ++k) {
      const Shapes::Mark mark = shapes_.enter();
      run(binding.blocks[k]);
      branches[k] = shapes_.leave(mark, binding.blocks[k].results);
    }
    shapes_.note_if(binding, branches[0], branches[1]);
  }

  /// A branch that only writes a message and ends the program, and runs unless all `flags` are true.
  struct Ending {
    std::string said;
    const Binding& exit;
    Var flags;
  };

  std::optional<Ending> ending_of(const Binding& choice) {
    const Var condition = choice.operands[0];
    if (!shapes_.is_single(condition)) return {};
    const Var flags = flags_of(condition);
    std::string said;
    std::unordered_map<Var, const Constant*> constants;
    for (const Binding& binding : choice.blocks[1].bindings) {
      if (binding.form == Form::kConst) {
        constants[binding.results[0]] = &pool_[binding.target];
        continue;
      }
      if (binding.form != Form::kOp) return {};
      if (binding.op == Op::kExit) {
        // The report of ASSERT is about the first false flag. The report of EXIT is the same if its nest begins with
        // these flags.
        const bool same = !has_site(binding) || (!binding.nest.empty() && same_as_[binding.nest[0]] == flags);
        return said.empty() || !same ? std::nullopt : std::optional(Ending{said, binding, flags});
      }
      if (binding.op != Op::kWrite || binding.suffix != Suffix::kChar) return {};
      const auto inside = constants.find(binding.operands[0]);
      const Constant* text =
          inside != constants.end() ? inside->second : definitions_.constant(binding.operands[0], pool_);
      if (text == nullptr || !add_text(*text, said)) return {};
    }
    return {};
  }

  /// Flags that are all true if the condition is.
  Var flags_of(Var condition) const {
    const bool is_all =
        definitions_.is_op(condition, Op::kAndReduce) && definitions_.of(condition).suffix == Suffix::kBool;
    return is_all ? definitions_.of(condition).operands[0] : condition;
  }

  /// A branch that provokes the error of EXTRACT for the first of the indices that is not below its length.
  struct Bound {
    Var lengths, indices;
    const Binding& extract;
  };

  std::optional<Bound> bound_of(const Binding& choice) {
    const Var condition = choice.operands[0], flags = flags_of(condition);
    const Block& report = choice.blocks[1];
    if (!shapes_.is_single(condition) || !choice.results.empty() || !choice.blocks[0].bindings.empty()) return {};
    if (report.bindings.empty() || !definitions_.is_op(flags, Op::kAnd)) return {};
    for (const Binding& binding : report.bindings) {
      if (binding.form == Form::kOp && info(binding.op).op_class == OpClass::kSystem) return {};
      if (binding.form != Form::kOp && binding.form != Form::kConst) return {};
      definitions_.note(binding);
    }
    const Binding& extract = report.bindings.back();
    if (extract.op != Op::kExtract || !has_site(extract)) return {};
    const auto& both = definitions_.of(flags).operands;
    for (const auto& [low, high] : {std::pair{both[0], both[1]}, std::pair{both[1], both[0]}}) {
      if (!definitions_.is_op(low, Op::kGreaterEqual) || !definitions_.is_op(high, Op::kLess)) continue;
      const Var indices = definitions_.of(high).operands[0], lengths = definitions_.of(high).operands[1];
      if (definitions_.of(low).operands[0] != indices || uniform(definitions_.of(low).operands[1]) != 0) continue;
      const auto is_first = [&](Var chosen, Var of_first, int otherwise) {
        if (!definitions_.is_op(chosen, Op::kSelect)) return false;
        const auto& parts = definitions_.of(chosen).operands;
        return is_first_false(parts[0], flags) && parts[1] == of_first && uniform(parts[2]) == otherwise;
      };
      const Var zeros = extract.operands[0], segments = extract.operands[2];
      const bool same = uniform(zeros) == 0 && is_first(extract.operands[1], indices, 0) &&
                        definitions_.is_op(segments, Op::kMakeSegdes) &&
                        is_first(definitions_.of(segments).operands[0], lengths, 1);
      if (same) return Bound{lengths, indices, extract};
    }
    return {};
  }

  /// Whether `v` is true for the first false one of the flags only.
  bool is_first_false(Var v, Var flags) {
    const auto is_not = [&](Var x, Var of) {
      return definitions_.is_op(x, Op::kNot) && definitions_.of(x).operands[0] == of;
    };
    if (!definitions_.is_op(v, Op::kAnd)) return false;
    const auto& both = definitions_.of(v).operands;
    for (const auto& [wrong, rest] : {std::pair{both[0], both[1]}, std::pair{both[1], both[0]}}) {
      if (!is_not(wrong, flags) || !definitions_.is_op(rest, Op::kNot)) continue;
      const Var before = definitions_.of(rest).operands[0];
      if (definitions_.is_op(before, Op::kOrScan) && definitions_.of(before).operands[0] == wrong &&
          shapes_.is_single(definitions_.of(before).operands[1]))
        return true;
    }
    return false;
  }

  /// The INT that all elements of a value are, or -1 if it is not known.
  std::int64_t uniform(Var v) const {
    const Constant* constant = definitions_.uniform(v, pool_);
    return constant != nullptr && constant->type == Suffix::kInt ? constant->ints[0] : -1;
  }

  /// BOUND, whose result replaces the indices in the rest of the block.
  Binding check_indices(const Bound& bound) {
    Binding check{
        .op = Op::kBound, .operands = {bound.lengths, bound.indices}, .results = {static_cast<Var>(same_as_.size())}};
    function_.values.push_back({Kind::kInt, function_.values[bound.indices].scalar});
    same_as_.push_back(check.results[0]);
    check.site = bound.extract.site;
    check.nest = bound.extract.nest;
    check.outermost = bound.extract.outermost;
    check.inlined = bound.extract.inlined;
    rename(check);
    same_as_[bound.indices] = check.results[0];
    bounded_.push_back(bound.indices);
    return check;
  }

  /// Appends a text to the message of a site. Returns false if a site cannot contain the text.
  static bool add_text(const Constant& text, std::string& said) {
    for (const std::int64_t code : text.ints) {
      const bool printable = code >= ' ' && code <= '~' && code != '|' && code != '}';
      if (!printable && code != '\n') return false;
      said += static_cast<char>(code);
    }
    return true;
  }

  Binding check(const Ending& ending) {
    Binding check{.op = Op::kAssert, .operands = {ending.flags}, .results = {static_cast<Var>(same_as_.size())}};
    function_.values.push_back({Kind::kBool, function_.values[ending.flags].scalar});
    same_as_.push_back(check.results[0]);
    check.site = site_of(ending);
    if (has_site(ending.exit)) {
      const std::vector<Var>& nest = ending.exit.nest;
      check.nest.assign(nest.begin() + 1, nest.end());
      replace(check.nest);
      check.outermost = ending.exit.outermost;
      check.inlined = ending.exit.inlined;
    }
    return check;
  }

  static bool has_site(const Binding& exit) { return exit.site != kNoSite && !exit.location_only; }

  std::uint32_t site_of(const Ending& ending) {
    const std::uint32_t of_exit = has_site(ending.exit) ? ending.exit.site : kNoSite;
    const auto [known, is_new] = sites_.try_emplace({of_exit, ending.said}, program_.sites.size());
    if (is_new) {
      Site site = of_exit == kNoSite ? Site{} : program_.sites[of_exit];
      site.said = ending.said;
      program_.sites.push_back(std::move(site));
    }
    return known->second;
  }

  void replace(std::vector<Var>& values) const {
    for (Var& v : values) v = same_as_[v];
  }
  void rename(Binding& binding) const {
    replace(binding.operands);
    replace(binding.nest);
  }

  Program& program_;
  const ConstantPool& pool_;
  Function& function_;
  Definitions definitions_;
  Shapes shapes_;
  std::vector<Var> same_as_;  ///< replacements of values: results of removed conditionals, and indices after checks
  std::vector<Var> bounded_;  ///< indices that BOUND has checked in the blocks around
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> sites_;
};

}  // namespace

/// before:  g = AND_REDUCE BOOL f s
///          x = IF g then a = + INT b c  yield a else WRITE CHAR "wrong"  EXIT
/// after:   g = AND_REDUCE BOOL f s   ASSERT f  (site: says "wrong")   a = + INT b c
/// and those that only provoke the error of an index as BOUND (expand_bound() has the program before).
/// The site of an ASSERT contains the message; message and exit status stay the same. A conditional stays if its
/// message has characters that no site can contain. O(n log n).
void recognize_checks(Program& program) {
  const ConstantPool pool(program);
  const ShapeFacts facts = find_shape_facts(program);
  for (Function& function : program.functions) {
    base::check_stop();
    CheckFinder(program, pool, function, facts).run();
  }
}

}  // namespace vcode::letform
