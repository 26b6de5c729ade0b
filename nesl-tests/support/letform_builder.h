#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "fcode-opt/letform.h"

namespace vcode::letform::testing {

/// Builds one function of a program for tests.
class Builder {
 public:
  Builder(Program& program, std::string name) : program_(program), number_(program.functions.size()) {
    program.functions.emplace_back().name = std::move(name);
    blocks_.emplace_back();
  }

  std::uint32_t number() const { return static_cast<std::uint32_t>(number_); }

  Var value(Kind kind, std::string name = {}, bool scalar = false) {
    function().values.push_back({kind, scalar, std::move(name)});
    return static_cast<Var>(function().values.size() - 1);
  }
  Var parameter(Kind kind, std::string name = {}, bool scalar = false) {
    function().parameters.push_back(value(kind, std::move(name), scalar));
    return function().parameters.back();
  }

  Var constant(Constant constant) {
    Kind kind = suffix_kind(constant.type);
    bool scalar = constant.size() == 1;
    program_.constants.push_back(std::move(constant));
    Binding binding{.form = Binding::Form::kConst, .target = static_cast<std::uint32_t>(program_.constants.size() - 1)};
    return add(std::move(binding), {value(kind, {}, scalar)})[0];
  }
  Var constant(int number) { return constant(Constant{.type = Suffix::kInt, .ints = {number}}); }
  Var constant(bool flag) { return constant(Constant{.type = Suffix::kBool, .bools = {flag}}); }
  Var constant(double number) { return constant(Constant{.type = Suffix::kFloat, .floats = {number}}); }
  Var constant(std::vector<std::int64_t> numbers) {
    return constant(Constant{.type = Suffix::kInt, .bracketed = true, .ints = std::move(numbers)});
  }

  std::vector<Var> ops(Op op, Suffix suffix, std::vector<Var> operands) {
    const Signature& signature = info(op).signature;
    std::vector<Var> results;
    for (int k = 0; k < signature.result_count; ++k)
      results.push_back(value(Signature::kind(signature.results[static_cast<std::size_t>(k)], suffix)));
    return add({.op = op, .suffix = suffix, .operands = std::move(operands)}, std::move(results));
  }
  /// Adds an operation, and returns its first result.
  Var op(Op op, Suffix suffix, std::vector<Var> operands) { return ops(op, suffix, std::move(operands))[0]; }

  std::vector<Var> call(const Builder& callee, std::vector<Var> operands) {
    std::vector<Var> results;
    const Function& called = program_.functions[callee.number_];
    for (Var v : called.body.results) results.push_back(value(called.values[v].kind));
    return add({.form = Binding::Form::kCall, .target = callee.number(), .operands = std::move(operands)},
               std::move(results));
  }

  using Branch = std::function<std::vector<Var>()>;
  std::vector<Var> choose(Var condition, const Branch& then, const Branch& otherwise) {
    return choose(Binding{.form = Binding::Form::kIf, .operands = {condition}}, then, otherwise);
  }
  /// A conditional for each element, with operands as in LiftedIf.
  std::vector<Var> lifted_if(std::vector<Var> operands, const Branch& then, const Branch& otherwise) {
    return choose(Binding{.form = Binding::Form::kLiftedIf, .operands = std::move(operands)}, then, otherwise);
  }
  /// A step of a loop; `step` computes the next values from the present ones. The site has the name of the loop.
  std::vector<Var> steps(std::vector<Var> operands, const Site& loop,
                         const std::function<std::vector<Var>(const std::vector<Var>&)>& step) {
    std::vector<Var> values;
    for (Var v : operands) values.push_back(value(function().values[v].kind));
    blocks_.emplace_back();
    blocks_.back().results = step(values);
    Binding binding{.form = Binding::Form::kSteps, .operands = std::move(operands)};
    binding.blocks.push_back(std::move(blocks_.back()));
    blocks_.pop_back();
    add(std::move(binding), values);
    at(loop);
    return values;
  }

  /// Gives the last binding a site.
  void at(Site site, std::vector<Var> nest = {}, bool outermost = false) {
    program_.sites.push_back(std::move(site));
    Binding& binding = blocks_.back().bindings.back();
    binding.site = static_cast<std::uint32_t>(program_.sites.size() - 1);
    binding.nest = std::move(nest);
    binding.outermost = outermost;
  }

  /// Makes the last binding, which reads the clock, wait for values.
  void waits_for(std::vector<Var> values) { blocks_.back().bindings.back().nest = std::move(values); }

  /// Sets preliminary results, for calls of the function before its end: values of the same kinds as its results.
  void will_return(std::vector<Var> results) { function().body.results = std::move(results); }
  void ret(std::vector<Var> results) {
    blocks_.back().results = std::move(results);
    function().body = std::move(blocks_.back());
  }

 private:
  Function& function() { return program_.functions[number_]; }
  std::vector<Var> choose(Binding binding, const Branch& then, const Branch& otherwise) {
    for (const Branch* branch : {&then, &otherwise}) {
      blocks_.emplace_back();
      blocks_.back().results = (*branch)();
      binding.blocks.push_back(std::move(blocks_.back()));
      blocks_.pop_back();
    }
    std::vector<Var> results;
    for (Var v : binding.blocks[0].results) results.push_back(value(function().values[v].kind));
    return add(std::move(binding), std::move(results));
  }
  std::vector<Var> add(Binding binding, std::vector<Var> results) {
    binding.results = results;
    blocks_.back().bindings.push_back(std::move(binding));
    return results;
  }

  Program& program_;
  std::size_t number_;
  std::vector<Block> blocks_;  ///< open blocks, the innermost last
};

}  // namespace vcode::letform::testing
