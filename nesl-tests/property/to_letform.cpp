#include "to_letform.h"

#include <map>
#include <stdexcept>

#include <fmt/format.h>

#include "vcode/reader.h"

namespace property {
namespace {

namespace letform = vcode::letform;
using cvl::conformance::Rng;
using letform::Binding;
using letform::Var;
using Form = Binding::Form;
using What = Node::What;

vcode::Constant parse_constant(const std::string& text) {
  const vcode::Source source("constant", "FUNC f " + text + " RET");
  vcode::Diagnostics diagnostics;
  const auto program = vcode::parse_vcode(source, diagnostics);
  if (!program) throw std::logic_error(vcode::render(source, diagnostics));
  return program->constants.at(0);
}

class Converter {
 public:
  Converter(const RandomProgram& program, std::uint64_t style) : program_(program), rng_(style) {}

  letform::Program run() {
    for (const char* file : {"a.nesl", ""})
      for (const char* message : {"it failed", ""}) result_.sites.push_back({file, 1, 2, "f", message});
    add_function("MAIN");
    FunctionWriter(*this, 0).write(program_.main);
    return std::move(result_);
  }

 private:
  std::uint32_t add_function(std::string name) {
    result_.functions.emplace_back().name = std::move(name);
    return static_cast<std::uint32_t>(result_.functions.size() - 1);
  }
  std::uint32_t add_constant(vcode::Constant constant) {
    result_.constants.push_back(std::move(constant));
    return static_cast<std::uint32_t>(result_.constants.size() - 1);
  }
  const ValueInfo& info(ValueId v) const { return program_.values[static_cast<std::size_t>(v)]; }

  static Suffix suffix_of(Kind kind) {
    return kind == Kind::kInt     ? Suffix::kInt
           : kind == Kind::kBool  ? Suffix::kBool
           : kind == Kind::kFloat ? Suffix::kFloat
                                  : Suffix::kSegdes;
  }

  /// (x, counter) -> x, after as many calls of itself. One for each kind, so that its callers are many.
  std::uint32_t returning_function(Kind kind) {
    auto [it, is_new] = returning_functions_.try_emplace(kind, 0);
    if (is_new) {
      it->second = add_function(fmt::format("returns_{}", vcode::kind_name(kind)));
      FunctionWriter(*this, it->second).write_returning(kind);
    }
    return it->second;
  }

  /// Writes the function with this number.
  class FunctionWriter {
   public:
    FunctionWriter(Converter& all, std::uint32_t number) : all_(all), number_(number) {}

    void write(const Block& block) {
      std::vector<Var> parameters = bind(block.params);
      letform::Block body = convert(block);
      finish(std::move(parameters), std::move(body));
    }

    /// (invariants, accumulator, counter) -> accumulator
    void write_repeat(const Block& block) {
      std::vector<Var> parameters = bind(block.params);
      const Var accumulator = parameters.back(), counter = fresh(Kind::kInt, true);
      std::vector<Var> arguments(parameters.begin(), parameters.end() - 1);
      parameters.push_back(counter);
      repeat(std::move(parameters), std::move(arguments), counter, convert(block), {{}, {accumulator}});
    }

    void write_returning(Kind kind) {
      const Var x = fresh(kind, false), counter = fresh(Kind::kInt, true);
      repeat({x, counter}, {}, counter, {{}, {x}}, {{}, {x}});
    }

   private:
    /// While the counter is positive, the function calls itself with these arguments, what `again` yields, and a
    /// counter that is smaller by one; then it yields what `last` yields.
    void repeat(std::vector<Var> parameters, std::vector<Var> arguments, Var counter, letform::Block again,
                letform::Block last) {
      const Var accumulator = last.results.at(0);
      letform::Block body;
      const Var goes_on = operation(body, Op::kGreater, Suffix::kInt, {counter, constant(body, 0)}, Kind::kBool);
      arguments.push_back(again.results.at(0));
      arguments.push_back(operation(again, Op::kSubtract, Suffix::kInt, {counter, constant(again, 1)}, Kind::kInt));
      Binding call{.form = Form::kCall, .target = number_, .operands = arguments};
      call.results = {like(accumulator)};
      again.results = call.results;
      again.bindings.push_back(std::move(call));
      Binding choice{.form = Form::kIf, .operands = {goes_on}};
      choice.results = {like(accumulator)};
      body.results = choice.results;
      choice.blocks = {std::move(again), std::move(last)};
      body.bindings.push_back(std::move(choice));
      finish(std::move(parameters), std::move(body));
    }

    Var fresh(Kind kind, bool scalar) {
      values_.push_back({kind, scalar});
      return static_cast<Var>(values_.size() - 1);
    }
    Var like(Var v) { return fresh(values_[v].kind, values_[v].scalar); }

    /// New values for those of the random program; a pair has several.
    std::vector<Var> bind(const std::vector<ValueId>& ids) {
      std::vector<Var> all;
      for (ValueId id : ids) {
        std::vector<Var>& parts = vars_[id];
        parts.clear();
        add_parts(id, parts);
        all.insert(all.end(), parts.begin(), parts.end());
      }
      return all;
    }
    void add_parts(ValueId id, std::vector<Var>& parts) {
      const ValueInfo& value = all_.info(id);
      if (value.kind == Kind::kPair) {
        add_parts(value.first, parts);
        add_parts(value.second, parts);
      } else {
        parts.push_back(fresh(value.kind, value.kind == Kind::kSegdes ? value.segments == 0 : value.length == 0));
      }
    }
    std::vector<Var> use(const std::vector<ValueId>& ids) {
      std::vector<Var> all;
      for (ValueId id : ids) all.insert(all.end(), vars_.at(id).begin(), vars_.at(id).end());
      return all;
    }

    Var operation(letform::Block& block, Op op, Suffix suffix, std::vector<Var> operands, Kind kind) {
      Binding binding{.op = op, .suffix = suffix, .operands = std::move(operands)};
      binding.results = {fresh(kind, true)};
      block.bindings.push_back(std::move(binding));
      return block.bindings.back().results[0];
    }
    Var constant(letform::Block& block, std::int64_t value) {
      Binding binding{.form = Form::kConst};
      binding.target = all_.add_constant({.type = Suffix::kInt, .ints = {value}});
      binding.results = {fresh(Kind::kInt, true)};
      block.bindings.push_back(std::move(binding));
      return block.bindings.back().results[0];
    }

    letform::Block convert(const Block& block) {
      const std::size_t outer = visible_.size();
      letform::Block result;
      for (const Node& node : block.nodes) {
        convert(node, result);
        for (ValueId id : node.results)
          for (Var v : vars_.at(id)) visible_.push_back(v);
        if (!node.results.empty() && all_.rng_.chance(0.05)) write_out(vars_.at(node.results[0])[0], result);
      }
      result.results = use(block.results);
      visible_.resize(outer);
      return result;
    }

    /// Writes the number of elements to standard error.
    void write_out(Var v, letform::Block& block) {
      if (values_[v].kind == Kind::kSegdes) return;
      Binding write{.op = Op::kWrite, .suffix = Suffix::kInt};
      write.operands = {operation(block, Op::kLength, suffix_of(values_[v].kind), {v}, Kind::kInt)};
      write.results = {fresh(Kind::kInt, false), fresh(Kind::kBool, true)};
      block.bindings.push_back(std::move(write));
    }

    // --- the same values in a roundabout way, for the passes to find out

    Var disguised(Var v, letform::Block& block) {
      const Kind kind = values_[v].kind;
      if (all_.rng_.chance(0.3)) {
        Binding call{.form = Form::kCall, .target = all_.returning_function(kind), .operands = {v}};
        call.operands.push_back(constant(block, all_.rng_.below(3)));
        call.results = {like(v)};
        block.bindings.push_back(std::move(call));
        return block.bindings.back().results[0];
      }
      if (kind == Kind::kSegdes) return descriptor_again(v, block);
      if (all_.rng_.chance(0.5)) return moved_to_itself(v, block);
      Binding choice{.form = Form::kIf};
      const Var length = operation(block, Op::kLength, suffix_of(kind), {v}, Kind::kInt);
      choice.operands = {operation(block, Op::kLess, Suffix::kInt, {length, constant(block, 4)}, Kind::kBool)};
      for (int k = 0; k < 2; ++k) {
        letform::Block branch;
        branch.results = {moved_to_itself(v, branch)};
        choice.blocks.push_back(std::move(branch));
      }
      choice.results = {like(v)};
      block.bindings.push_back(std::move(choice));
      return block.bindings.back().results[0];
    }

    /// All of it packed, gathered or permuted to where it is.
    Var moved_to_itself(Var v, letform::Block& block) {
      const Suffix suffix = suffix_of(values_[v].kind);
      const Var whole = whole_of(v, block);
      Binding move{.op = Op::kPack, .suffix = suffix, .results = {like(v)}};
      if (all_.rng_.chance(0.4)) {
        Binding flag{.form = Form::kConst};
        flag.target = all_.add_constant({.type = Suffix::kBool, .bools = {1}});
        flag.results = {fresh(Kind::kBool, true)};
        block.bindings.push_back(flag);
        move.operands = {v, vector(block, Op::kDist, Suffix::kBool, {flag.results[0], whole}, Kind::kBool), whole};
        move.results.push_back(fresh(Kind::kSegdes, true));
      } else {
        const Var places =
            vector(block, Op::kIndex, Suffix::kNone, {constant(block, 0), constant(block, 1), whole}, Kind::kInt);
        const bool gather = all_.rng_.chance(0.5);
        move.op = gather ? Op::kBpermute : Op::kPermute;
        move.operands = {v, places, whole};
        if (gather) move.operands.push_back(whole_of(places, block));
      }
      block.bindings.push_back(std::move(move));
      return block.bindings.back().results[0];
    }

    /// Of its lengths, or of sums of ones.
    Var descriptor_again(Var s, letform::Block& block) {
      Var lengths = vector(block, Op::kLengths, Suffix::kNone, {s}, Kind::kInt);
      if (all_.rng_.chance(0.5)) {
        const Var sum = operation(block, Op::kSumReduce, Suffix::kInt, {lengths, whole_of(lengths, block)}, Kind::kInt);
        const Var all = operation(block, Op::kMakeSegdes, Suffix::kNone, {sum}, Kind::kSegdes);
        const Var ones = vector(block, Op::kDist, Suffix::kInt, {constant(block, 1), all}, Kind::kInt);
        lengths = vector(block, Op::kSumReduce, Suffix::kInt, {ones, s}, Kind::kInt);
      }
      return vector(block, Op::kMakeSegdes, Suffix::kNone, {lengths}, Kind::kSegdes);
    }

    Var whole_of(Var v, letform::Block& block) {
      const Var length = operation(block, Op::kLength, suffix_of(values_[v].kind), {v}, Kind::kInt);
      return operation(block, Op::kMakeSegdes, Suffix::kNone, {length}, Kind::kSegdes);
    }
    Var vector(letform::Block& block, Op op, Suffix suffix, std::vector<Var> operands, Kind kind) {
      const Var v = operation(block, op, suffix, std::move(operands), kind);
      values_[v].scalar = false;
      return v;
    }

    void convert(const Node& node, letform::Block& block) {
      Binding binding;
      if (node.what == What::kPair) {
        vars_[node.results[0]] = use(node.operands);
        return;
      }
      if (node.what == What::kUnpair) {
        const std::vector<Var> parts = vars_.at(node.operands[0]);
        std::vector<Var> first;
        add_parts(node.results[0], first);  // only to count them
        const auto middle = parts.begin() + static_cast<std::ptrdiff_t>(first.size());
        vars_[node.results[0]].assign(parts.begin(), middle);
        vars_[node.results[1]].assign(middle, parts.end());
        return;
      }
      binding.operands = use(node.operands);
      for (Var& v : binding.operands)
        if (all_.rng_.chance(0.1)) v = disguised(v, block);
      switch (node.what) {
        case What::kConst:
          binding.form = Form::kConst;
          binding.target = all_.add_constant(parse_constant(node.text));
          break;
        case What::kOp:
          binding.op = node.op;
          binding.suffix = node.suffix;
          break;
        case What::kIf:
          binding.form = Form::kIf;
          for (const Block& inner : node.blocks) binding.blocks.push_back(convert(inner));
          break;
        case What::kCall:
          binding.form = Form::kCall;
          binding.target = all_.add_function(fmt::format("call_{}", all_.result_.functions.size()));
          FunctionWriter(all_, binding.target).write(node.blocks[0]);
          break;
        default:
          binding.form = Form::kCall;
          binding.target = all_.add_function(fmt::format("repeat_{}", all_.result_.functions.size()));
          FunctionWriter(all_, binding.target).write_repeat(node.blocks[0]);
          binding.operands.push_back(constant(block, node.count));
          break;
      }
      add_site(binding);
      binding.results = bind(node.results);
      block.bindings.push_back(std::move(binding));
    }

    void add_site(Binding& binding) {
      if (!all_.rng_.chance(0.3)) return;
      binding.site = static_cast<std::uint32_t>(all_.rng_.below(static_cast<std::int64_t>(all_.result_.sites.size())));
      binding.outermost = all_.rng_.chance(0.3);
      for (Var v : visible_)
        if ((values_[v].kind == Kind::kInt || values_[v].kind == Kind::kSegdes) && all_.rng_.chance(0.05))
          binding.nest.push_back(v);
    }

    void finish(std::vector<Var> parameters, letform::Block body) {
      letform::Function& function = all_.result_.functions[number_];
      function.values = std::move(values_);
      function.parameters = std::move(parameters);
      function.body = std::move(body);
    }

    Converter& all_;
    std::uint32_t number_;
    std::vector<letform::ValueInfo> values_;
    std::map<ValueId, std::vector<Var>> vars_;
    std::vector<Var> visible_;
  };

  const RandomProgram& program_;
  Rng rng_;
  std::map<Kind, std::uint32_t> returning_functions_;
  letform::Program result_;
};

}  // namespace

letform::Program to_letform(const RandomProgram& program, std::uint64_t style) {
  return Converter(program, style).run();
}

}  // namespace property
