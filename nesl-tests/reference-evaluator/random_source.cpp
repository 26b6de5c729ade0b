#include "source_generator.h"

namespace evaluator {

SourceTree SourceGenerator::program() {
  SourceTree result{
      kInt, {"datatype rec(one : a, two : b, three : c) :: (a in any; b in any; c in any);\n"}, {}, false};
  const int functions = below(4), globals = below(3);
  for (int k = 0; k < functions; ++k) append(result, chance(15) ? mutual_functions() : function(), "\n");
  std::vector<Variable> known;
  for (int k = 0; k < globals; ++k) {
    known.push_back({std::string("g") + std::to_string(k), sequence_of(type(2))});
    result.pieces.back() += known.back().name + " = ";
    append(result, expression(known.back().type, 3), ";\n");
  }
  const SourceType main = chance(70) ? sequence_of(type(2)) : type(2);
  append(result, expression_with(known, main, 5), ";\n");
  return result;
}

SourceType SourceGenerator::type(int depth) {
  const int choice = below(depth > 0 ? 10 : 5);
  if (choice < 2) return kInt;
  if (choice < 3) return kBool;
  if (choice < 4) return kFloat;
  if (choice < 5) return kChar;
  if (choice < 8) return sequence_of(type(depth - 1));
  // Separate statements: in arguments of one call the order, and so the program of a seed, would depend on the
  // compiler.
  SourceType rest = type(depth - 1);
  return pair_of(type(depth - 1), std::move(rest));
}

std::string SourceGenerator::variable(const SourceType& type) {
  std::vector<std::string> names;
  for (const Variable& candidate : variables_) {
    if (candidate.type == type) names.push_back(candidate.name);
  }
  return names.empty() ? "" : names[below(static_cast<int>(names.size()))];
}

SourceTree SourceGenerator::fill(const SourceType& type, const std::string& pattern,
                                 const std::vector<SourceType>& holes, int depth) {
  SourceTree tree{type, {""}, {}};
  std::size_t hole = 0;
  for (const char c : pattern) {
    if (c == '%') {
      append(tree, expression(holes[hole++], depth - 1), "");
    } else {
      tree.pieces.back() += c;
    }
  }
  return tree;
}

SourceTree SourceGenerator::function() {
  Function made{std::string("f") + std::to_string(functions_.size()), {}, {}, chance(50)};
  made.loops = made.recursive && chance(40);
  // Loops over scalars have their own compilation.
  const auto some_type = [&] { return type(made.loops && chance(70) ? 0 : 2); };
  made.result = some_type();
  variables_.clear();
  std::string parameters, typed_parameters, types;
  const int count = 1 + below(3);
  for (int k = 0; k < count; ++k) {
    made.parameters.push_back(made.recursive && k == 0 ? kInt : some_type());
    variables_.push_back({fresh_name(), made.parameters.back()});
    parameters += (k == 0 ? "" : ", ") + variables_.back().name;
    types += (k == 0 ? "" : ", ") + to_text(made.parameters.back());
    typed_parameters +=
        std::string(k == 0 ? "" : ", ") + variables_.back().name + " : " + to_text(made.parameters.back());
  }
  if (count > 1) types = "(" + types + ")";
  // A function without a signature may become polymorphic.
  std::string signature;
  if (chance(30)) {
    parameters = typed_parameters;
    if (chance(50)) signature = std::string(" : ") + to_text(made.result);
  } else if (chance(60)) {
    signature = " : " + types + std::string(" -> ") + to_text(made.result);
  }
  SourceTree result{kInt, {"function " + made.name + "(" + parameters + ")" + signature + " ="}, {}, false};
  if (made.recursive) {
    const std::string counter = variables_[0].name;
    result.pieces.back() += " if " + counter + " <= 0 then ";
    append(result, expression(made.result, 2), " else ");
    recursive_ = &made;
    recursive_calls_ = made.loops ? kMostRecursiveCalls : 0;
    counter_ = counter;
    if (made.loops) {
      append(result, loop_body(made), ";");
    } else if (chance(40)) {
      recursive_calls_ = kMostRecursiveCalls;
      append(result, branching_body({made}, 2), ";");
    } else {
      append(result, chance(60) ? recursive_body(made) : expression(made.result, 4), ";");
    }
    recursive_ = nullptr;
  } else {
    result.pieces.back() += " ";
    append(result, expression(made.result, 4), ";");
  }
  variables_.clear();
  functions_.push_back(std::move(made));
  return result;
}

SourceTree SourceGenerator::recursive_body(const Function& function) {
  const bool parallel = chance(50);
  const Variable value{fresh_name(), parallel ? sequence_of(function.result) : function.result};
  SourceTree tree{function.result, {"(let " + value.name + " = "}, {}, false};
  if (parallel) tree.pieces.back() += "{";
  tree.pieces.back() += function.name + "(" + counter_ + " - 1";
  for (std::size_t k = 1; k < function.parameters.size(); ++k) {
    tree.pieces.back() += ", ";
    append(tree, expression(function.parameters[k], 2), "");
  }
  tree.pieces.back() += parallel ? ") : " + fresh_name() + " in index(2)} in " : ") in ";
  append(tree, expression_with({value}, function.result, 3), ")");
  return tree;
}

SourceTree SourceGenerator::loop_body(const Function& function) {
  SourceTree tree{function.result, {"(if "}, {}, false};
  append(tree, expression(kBool, 3), " then ");
  append(tree, expression(function.result, 2), " else " + function.name + "(" + counter_ + " - 1");
  for (std::size_t k = 1; k < function.parameters.size(); ++k) {
    tree.pieces.back() += ", ";
    append(tree, expression(function.parameters[k], 2), "");
  }
  tree.pieces.back() += "))";
  return tree;
}

SourceTree SourceGenerator::mutual_functions() {
  const SourceType result = type(1);
  std::vector<Function> group;
  std::vector<std::string> heads;
  std::vector<std::vector<Variable>> variables(2);
  for (int f = 0; f < 2; ++f) {
    Function made{std::string("f") + std::to_string(functions_.size() + static_cast<std::size_t>(f)), {}, result, true};
    std::string head = "function " + made.name + "(";
    const int count = 1 + below(3);
    for (int k = 0; k < count; ++k) {
      made.parameters.push_back(k == 0 ? kInt : type(1));
      variables[f].push_back({fresh_name(), made.parameters.back()});
      head += std::string(k == 0 ? "" : ", ") + variables[f].back().name + " : " + to_text(made.parameters.back());
    }
    heads.push_back(head + ") : " + to_text(result));
    group.push_back(std::move(made));
  }
  SourceTree tree{kInt, {heads[1] + ";\n"}, {}, false};
  for (std::size_t f = 0; f < 2; ++f) {
    variables_ = variables[f];
    counter_ = variables_[0].name;
    tree.pieces.back() += heads[f] + " = if " + counter_ + " <= 0 then ";
    append(tree, expression(result, 2), " else ");
    append(tree, branching_body(group, 2), f == 0 ? ";\n" : ";");
  }
  variables_.clear();
  for (Function& made : group) functions_.push_back(std::move(made));
  return tree;
}

SourceTree SourceGenerator::branching_body(const std::vector<Function>& group, int depth) {
  SourceTree tree{group[0].result, {"(if "}, {}, false};
  append(tree, expression(kBool, 2), " then ");
  append(tree, depth > 0 && chance(30) ? branching_body(group, depth - 1) : branch(group), " else ");
  append(tree, depth > 0 && chance(50) ? branching_body(group, depth - 1) : branch(group), ")");
  return tree;
}

SourceTree SourceGenerator::branch(const std::vector<Function>& group) {
  const SourceType& result = group[0].result;
  const auto some_call = [&] { return counted_call(group[below(static_cast<int>(group.size()))]); };
  const int choice = below(10);
  if (choice < 2) return expression(result, 2);
  if (choice < 6) return some_call();
  const Variable value{fresh_name(), result};
  SourceTree tree{result, {"(let " + value.name + " = "}, {}, false};
  append(tree, some_call(), " in ");
  if (choice == 9) {
    variables_.push_back(value);
    append(tree, some_call(), ")");
    variables_.pop_back();
  } else {
    append(tree, expression_with({value}, result, 2), ")");
  }
  return tree;
}

SourceTree SourceGenerator::counted_call(const Function& function) {
  SourceTree tree{function.result, {function.name + "(" + counter_ + " - 1"}, {}, false};
  for (std::size_t k = 1; k < function.parameters.size(); ++k) {
    tree.pieces.back() += ", ";
    append(tree, expression(function.parameters[k], 2), "");
  }
  tree.pieces.back() += ")";
  return tree;
}

bool SourceGenerator::call(const SourceType& type, int depth, SourceTree& tree) {
  std::vector<const Function*> candidates;
  for (const Function& candidate : functions_) {
    if (candidate.result == type) candidates.push_back(&candidate);
  }
  if (recursive_ != nullptr && recursive_->result == type && chance(60) && recursive_calls_ < kMostRecursiveCalls) {
    candidates.assign(1, recursive_);
  }
  if (candidates.empty()) return false;
  const Function& chosen = *candidates[below(static_cast<int>(candidates.size()))];
  tree = {type, {chosen.name + "("}, {}};
  for (std::size_t k = 0; k < chosen.parameters.size(); ++k) {
    if (k > 0) tree.pieces.back() += ", ";
    if (k == 0 && &chosen == recursive_) {
      tree.pieces.back() += counter_ + " - 1";
      ++recursive_calls_;
    } else if (k == 0 && chosen.recursive) {
      tree.pieces.back() += "rem(";
      append(tree, expression(kInt, depth - 2), chosen.loops ? ", 20)" : ", 4)");
    } else {
      append(tree, expression(chosen.parameters[k], depth - 2), "");
    }
  }
  tree.pieces.back() += ")";
  return true;
}

SourceTree random_program(std::uint64_t seed) { return SourceGenerator(SourceChoices(seed)).program(); }
SourceTree random_program(std::span<const std::uint8_t> choices) {
  return SourceGenerator(SourceChoices(choices)).program();
}

}  // namespace evaluator
