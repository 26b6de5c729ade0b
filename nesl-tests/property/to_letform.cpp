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
      letform::Block body, last{{}, {accumulator}};
      const Var goes_on = operation(body, Op::kGreater, Suffix::kInt, {counter, constant(body, 0)}, Kind::kBool);
      letform::Block again = convert(block);
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

   private:
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
      const Suffix suffix = values_[v].kind == Kind::kInt    ? Suffix::kInt
                            : values_[v].kind == Kind::kBool ? Suffix::kBool
                                                             : Suffix::kFloat;
      Binding write{.op = Op::kWrite, .suffix = Suffix::kInt};
      write.operands = {operation(block, Op::kLength, suffix, {v}, Kind::kInt)};
      write.results = {fresh(Kind::kInt, false), fresh(Kind::kBool, true)};
      block.bindings.push_back(std::move(write));
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
  letform::Program result_;
};

}  // namespace

letform::Program to_letform(const RandomProgram& program, std::uint64_t style) {
  return Converter(program, style).run();
}

}  // namespace property
