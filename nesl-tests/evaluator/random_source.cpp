#include "random_source.h"

#include <optional>
#include <random>
#include <utility>

namespace evaluator {
namespace {

using Kind = SourceType::Kind;

const SourceType kInt{Kind::kInt}, kFloat{Kind::kFloat}, kBool{Kind::kBool}, kChar{Kind::kChar};
SourceType sequence_of(SourceType element) { return {Kind::kSequence, {std::move(element)}}; }
SourceType pair_of(SourceType first, SourceType rest) { return {Kind::kPair, {std::move(first), std::move(rest)}}; }

struct Variable {
  std::string name;
  SourceType type;
};

/// A function of the program. A recursive one counts its first parameter, an int, down to zero.
struct Function {
  std::string name;
  std::vector<SourceType> parameters;
  SourceType result;
  bool recursive = false;
};

/// Where choices come from.
class Choices {
 public:
  explicit Choices(std::uint64_t seed) : random_(seed) {}
  explicit Choices(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  int below(int n) {
    if (!bytes_) return static_cast<int>(random_() % static_cast<std::uint64_t>(n));
    if (bytes_->empty()) return 0;
    const int byte = bytes_->front();
    bytes_ = bytes_->subspan(1);
    return byte % n;
  }
  bool have_ended() const { return bytes_ && bytes_->empty(); }

 private:
  std::mt19937_64 random_;
  std::optional<std::span<const std::uint8_t>> bytes_;
};

class Generator {
 public:
  explicit Generator(Choices choices) : choices_(choices) {}

  SourceTree program() {
    SourceTree result{
        kInt, {"datatype rec(one : a, two : b, three : c) :: (a in any; b in any; c in any);\n"}, {}, false};
    const int functions = below(4), globals = below(3);
    for (int k = 0; k < functions; ++k) append(result, function(), "\n");
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

 private:
  // --- small choices ----------------------------------------------------------------------------------------------

  int below(int n) { return choices_.below(n); }
  bool chance(int percent) { return below(100) < percent; }
  std::string fresh_name() { return std::string("v") + std::to_string(next_name_++); }

  SourceType type(int depth) {
    const int choice = below(depth > 0 ? 10 : 5);
    if (choice < 2) return kInt;
    if (choice < 3) return kBool;
    if (choice < 4) return kFloat;
    if (choice < 5) return kChar;
    if (choice < 8) return sequence_of(type(depth - 1));
    return pair_of(type(depth - 1), type(depth - 1));
  }

  /// A variable in sight of this type; empty if there is none.
  std::string variable(const SourceType& type) {
    std::vector<std::string> names;
    for (const Variable& candidate : variables_) {
      if (candidate.type == type) names.push_back(candidate.name);
    }
    return names.empty() ? "" : names[below(static_cast<int>(names.size()))];
  }

  // --- putting text together ---------------------------------------------------------------------------------

  static void append(SourceTree& tree, SourceTree child, std::string text) {
    tree.children.push_back(std::move(child));
    tree.pieces.push_back(std::move(text));
  }

  /// "text" with each % replaced by an expression of the next type.
  SourceTree fill(const SourceType& type, const std::string& pattern, const std::vector<SourceType>& holes, int depth) {
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

  static SourceTree leaf(const SourceType& type, std::string text) { return {type, {std::move(text)}, {}}; }

  // --- functions ------------------------------------------------------------------------------------------------

  SourceTree function() {
    Function made{std::string("f") + std::to_string(functions_.size()), {}, type(2), chance(50)};
    variables_.clear();
    std::string parameters, typed_parameters, types;
    const int count = 1 + below(3);
    for (int k = 0; k < count; ++k) {
      made.parameters.push_back(made.recursive && k == 0 ? kInt : type(2));
      variables_.push_back({fresh_name(), made.parameters.back()});
      parameters += (k == 0 ? "" : ", ") + variables_.back().name;
      types += (k == 0 ? "" : ", ") + to_text(made.parameters.back());
      typed_parameters +=
          std::string(k == 0 ? "" : ", ") + variables_.back().name + " : " + to_text(made.parameters.back());
    }
    if (count > 1) types = "(" + types + ")";
    // Without a signature it may become polymorphic.
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
      recursive_calls_ = 0;
      counter_ = counter;
      append(result, chance(60) ? recursive_body(made) : expression(made.result, 4), ";");
      recursive_ = nullptr;
    } else {
      result.pieces.back() += " ";
      append(result, expression(made.result, 4), ";");
    }
    variables_.clear();
    functions_.push_back(std::move(made));
    return result;
  }

  /// An expression that certainly calls the function it is part of, once or for several elements.
  SourceTree recursive_body(const Function& function) {
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

  /// A call of a function with this result; false if there is none.
  bool call(const SourceType& type, int depth, SourceTree& tree) {
    std::vector<const Function*> candidates;
    for (const Function& candidate : functions_) {
      if (candidate.result == type) candidates.push_back(&candidate);
    }
    // Two recursive calls in one body are enough to show everything, and more take too long.
    if (recursive_ != nullptr && recursive_->result == type && chance(60) && recursive_calls_ < 2) {
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
        append(tree, expression(kInt, depth - 2), ", 4)");
      } else {
        append(tree, expression(chosen.parameters[k], depth - 2), "");
      }
    }
    tree.pieces.back() += ")";
    return true;
  }

  // --- expressions ------------------------------------------------------------------------------------------------

  SourceTree expression(const SourceType& type, int depth) {
    const std::string name = variable(type);
    if (depth <= 0 || choices_.have_ended()) return !name.empty() && chance(70) ? leaf(type, name) : constant(type);
    if (!name.empty() && chance(25)) return leaf(type, name);
    const int choice = below(100);
    SourceTree tree;
    if (choice < 12) return fill(type, "(if % then % else %)", {kBool, type, type}, depth);
    if (choice < 22) return let(type, depth);
    if (choice < 34 && call(type, depth, tree)) return tree;
    if (choice < 44) return element(type, depth);
    if (choice < 47) return fill(type, "select(%, %, %)", {kBool, type, type}, depth);
    if (choice < 50) return lambda(type, depth);
    return by_type(type, depth);
  }

  SourceTree by_type(const SourceType& type, int depth) {
    switch (type.kind) {
      case Kind::kInt:
        return int_expression(depth);
      case Kind::kFloat:
        return float_expression(depth);
      case Kind::kBool:
        return bool_expression(depth);
      case Kind::kChar:
        return fill(kChar, "code_char(97 + mod(%, 26))", {kInt}, depth);
      case Kind::kSequence:
        return sequence_expression(type, depth);
      case Kind::kPair:
        return fill(type, "(%, %)", {type.parts[0], type.parts[1]}, depth);
    }
    return constant(type);
  }

  SourceTree constant(const SourceType& type) {
    switch (type.kind) {
      case Kind::kInt:
        return leaf(type, std::to_string(below(7)));
      case Kind::kFloat:
        return leaf(type, std::to_string(below(5)) + (chance(50) ? ".5" : ".0"));
      case Kind::kBool:
        return leaf(type, chance(50) ? "t" : "f");
      case Kind::kChar:
        return leaf(type, std::string("`") + "abcXYZ 09;%\""[below(12)]);
      case Kind::kSequence:
        if (type.parts[0] == kChar) return leaf(type, chance(30) ? "\"\"" : "\"hello\"");
        if (chance(12)) return leaf(type, std::string("([] ") + to_text(type.parts[0]) + ")");
        return literal(type, 0);
      case Kind::kPair:
        break;
    }
    SourceTree tree{type, {"("}, {}};
    append(tree, constant(type.parts[0]), ", ");
    append(tree, constant(type.parts[1]), ")");
    return tree;
  }

  SourceTree literal(const SourceType& type, int depth) {
    SourceTree tree{type, {"["}, {}};
    const int length = 1 + below(3);
    for (int k = 0; k < length; ++k) append(tree, expression(type.parts[0], depth - 1), k + 1 < length ? ", " : "");
    tree.pieces.back() += "]";
    return tree;
  }

  /// Generates with more variables in sight.
  SourceTree expression_with(const std::vector<Variable>& more, const SourceType& type, int depth) {
    const std::size_t before = variables_.size();
    variables_.insert(variables_.end(), more.begin(), more.end());
    SourceTree tree = expression(type, depth);
    variables_.resize(before);
    return tree;
  }

  SourceTree let(const SourceType& result, int depth) {
    const SourceType bound = type(2);
    SourceTree tree{result, {"(let "}, {}};
    std::vector<Variable> variables;
    if (bound.kind == Kind::kPair) {
      variables = {{fresh_name(), bound.parts[0]}, {fresh_name(), bound.parts[1]}};
      tree.pieces.back() += "(" + variables[0].name + ", " + variables[1].name + ")";
    } else {
      variables = {{fresh_name(), bound}};
      tree.pieces.back() += variables[0].name;
    }
    tree.pieces.back() += " = ";
    append(tree, expression(bound, depth - 1), " in ");
    append(tree, expression_with(variables, result, depth - 1), ")");
    return tree;
  }

  SourceTree lambda(const SourceType& result, int depth) {
    const Variable parameter{fresh_name(), type(1)};
    if (chance(50)) {
      const std::string name = fresh_name();
      SourceTree tree{result, {"(let " + name + " = (" + parameter.name + " => "}, {}};
      append(tree, expression_with({parameter}, result, depth - 1), ") in (if ");
      append(tree, expression(kBool, depth - 2), " then " + name + "(");
      append(tree, expression(parameter.type, depth - 2), ") else " + name + "(");
      append(tree, expression(parameter.type, depth - 2), ")))");
      return tree;
    }
    SourceTree tree{result, {"(" + parameter.name + " => "}, {}};
    append(tree, expression_with({parameter}, result, depth - 1), ")(");
    append(tree, expression(parameter.type, depth - 1), ")");
    return tree;
  }

  /// Part of something larger.
  SourceTree element(const SourceType& type, int depth) {
    const int choice = below(10);
    if (choice < 1) return fill(type, "first(%)", {pair_of(type, this->type(1))}, depth);
    if (choice < 2) return fill(type, "rest(%)", {pair_of(this->type(1), type)}, depth);
    if (choice < 3) return field(type, depth);
    const std::string sequence = variable(sequence_of(type));
    if (!sequence.empty()) return element_of(sequence, type, depth);
    if (choice < 6) return by_type(type, depth);
    const std::string name = fresh_name();
    SourceTree tree{type, {"(let " + name + " = "}, {}};
    append(tree, expression(sequence_of(type), depth - 1), " in ");
    append(tree, element_of(name, type, depth - 1), ")");
    return tree;
  }

  /// A field of a value made for it.
  SourceTree field(const SourceType& type, int depth) {
    const SourceType first = this->type(1), second = this->type(1);
    const std::string name = fresh_name();
    switch (below(4)) {
      case 0:
        return fill(type, "rec(%, %, %).one", {type, first, second}, depth);
      case 1:
        return fill(type, "(let " + name + " = rec(%, %, %) in " + name + ".two)", {first, type, second}, depth);
      case 2:
        return fill(type, "(let " + name + " = if % then rec(%, %, %) else rec(%, %, %) in " + name + ".three)",
                    {kBool, first, second, type, first, second, type}, depth);
      default:
        return fill(type, "(" + name + " => " + name + ".one.two)(rec(rec(%, %, 1), %, 2))", {first, type, second},
                    depth);
    }
  }

  /// Some element; a few may be out of bounds.
  SourceTree element_of(const std::string& sequence, const SourceType& type, int depth) {
    if (chance(3)) return fill(type, sequence + "[%]", {kInt}, depth);
    if (chance(5)) return fill(type, sequence + "[mod(%, max(#" + sequence + ", 1))]", {kInt}, depth);
    return fill(type, "(if #" + sequence + " == 0 then % else " + sequence + "[mod(%, #" + sequence + ")])",
                {type, kInt}, depth);
  }

  SourceTree int_expression(int depth) {
    const SourceType ints = sequence_of(kInt);
    switch (below(16)) {
      case 0:
      case 1:
        return fill(kInt, "(% + %)", {kInt, kInt}, depth);
      case 2:
        return fill(kInt, "(% - %)", {kInt, kInt}, depth);
      case 3:
        return fill(kInt, "(% * %)", {kInt, kInt}, depth);
      case 4:
        return fill(kInt, "(% / %)", {kInt, kInt}, depth);
      case 5:
        return fill(kInt, "max(%, %)", {kInt, kInt}, depth);
      case 6:
        return fill(kInt, "min(%, %)", {kInt, kInt}, depth);
      case 7:
        return fill(kInt, "mod(%, 5)", {kInt}, depth);
      case 8:
        return fill(kInt, "rem(%, %)", {kInt, kInt}, depth);
      case 9:
      case 10:
        return fill(kInt, "#%", {sequence_of(type(1))}, depth);
      case 11:
        return fill(kInt, "sum(%)", {ints}, depth);
      case 12:
        return fill(kInt, chance(50) ? "max_val(%)" : "min_val(%)", {ints}, depth);
      case 13:
        return fill(kInt, "count(%)", {sequence_of(kBool)}, depth);
      case 14:
        return fill(kInt, "(- %)", {kInt}, depth);
      default:
        return fill(kInt, "char_code(%)", {kChar}, depth);
    }
  }

  // Sums and differences of small halves are exact, so that the order of additions does not matter.
  SourceTree float_expression(int depth) {
    switch (below(6)) {
      case 0:
        return fill(kFloat, "(% + %)", {kFloat, kFloat}, depth);
      case 1:
        return fill(kFloat, "(% - %)", {kFloat, kFloat}, depth);
      case 2:
        return fill(kFloat, "max(%, %)", {kFloat, kFloat}, depth);
      case 3:
        return fill(kFloat, "sum(%)", {sequence_of(kFloat)}, depth);
      case 4:
        return fill(kFloat, "abs(%)", {kFloat}, depth);
      default:
        return fill(kFloat, "float(mod(%, 1000))", {kInt}, depth);
    }
  }

  SourceTree bool_expression(int depth) {
    const SourceType any = type(1);
    switch (below(9)) {
      case 0:
        return fill(kBool, "(% < %)", {kInt, kInt}, depth);
      case 1:
        return fill(kBool, "(% >= %)", {kFloat, kFloat}, depth);
      case 2:
        return fill(kBool, "(% > %)", {kChar, kChar}, depth);
      case 3:
        return fill(kBool, "(% and %)", {kBool, kBool}, depth);
      case 4:
        return fill(kBool, "(% or %)", {kBool, kBool}, depth);
      case 5:
        return fill(kBool, "not(%)", {kBool}, depth);
      case 6:
        return fill(kBool, "eql(%, %)", {any, any}, depth);
      case 7:
        return fill(kBool, chance(50) ? "any(%)" : "all(%)", {sequence_of(kBool)}, depth);
      default:
        return fill(kBool, "(% == %)", {kInt, kInt}, depth);
    }
  }

  SourceTree sequence_expression(const SourceType& type, int depth) {
    const SourceType& element = type.parts[0];
    const bool number = element == kInt || element == kFloat;
    const int choice = below(100);
    if (choice < 40) return each(type, depth);
    if (choice < 50) return literal(type, depth);
    if (choice < 55) return fill(type, "dist(%, mod(%, 4))", {element, kInt}, depth);
    if (choice < 60) return fill(type, chance(80) ? "(% ++ %)" : "([] ++ % ++ %)", {type, type}, depth);
    if (choice < 64) return fill(type, "reverse(%)", {type}, depth);
    if (choice < 68) return fill(type, "rotate(%, %)", {type, kInt}, depth);
    if (choice < 70) return fill(type, "flatten(%)", {sequence_of(type)}, depth);
    if (choice < 71 && chance(20)) return fill(type, "(% <- %)", {type, sequence_of(pair_of(kInt, element))}, depth);
    if (choice < 75) return write(type, depth);
    if (choice < 80) return gather(type, depth);
    if (choice < 83) return drop(type, depth);
    if (choice < 88 && element == kInt) return range(depth);
    if (choice < 91 && number) return fill(type, chance(50) ? "plus_scan(%)" : "sort(%)", {type}, depth);
    if (choice < 94 && element == kInt) return fill(type, "rank(%)", {type}, depth);
    if (choice < 94 && element.kind == Kind::kSequence) return fill(type, "bottop(%)", {element}, depth);
    if (choice < 97 && element.kind == Kind::kSequence) {
      return fill(type, "group_by(%, 1 + mod(%, 3))", {element, kInt}, depth);
    }
    if (choice < 97 && element.kind == Kind::kPair) return zip(type, depth);
    if (choice < 98) return fields(type, depth);
    return each(type, depth);
  }

  /// A field of each element.
  SourceTree fields(const SourceType& type, int depth) {
    const std::string element = fresh_name(), record = fresh_name();
    return fill(
        type,
        "{" + record + ".two : " + record + " in {rec(" + element + ", " + element + ", %) : " + element + " in %}}",
        {this->type(1), type}, depth);
  }

  SourceTree gather(const SourceType& type, int depth) {
    const std::string name = fresh_name(), index = fresh_name();
    return fill(type,
                "(let " + name + " = % in (" + name + " -> {mod(" + index + ", #" + name + ") : " + index +
                    " in % | #" + name + " > 0}))",
                {type, sequence_of(kInt)}, depth);
  }

  SourceTree range(int depth) {
    const std::string name = fresh_name();
    return fill(sequence_of(kInt), "(let " + name + " = % in [" + name + " : " + name + " + mod(%, 5)])", {kInt, kInt},
                depth);
  }

  SourceTree zip(const SourceType& type, int depth) {
    const SourceType first = sequence_of(type.parts[0].parts[0]), second = type.parts[0].parts[1];
    if (chance(5)) return fill(type, "zip(%, %)", {first, sequence_of(second)}, depth);
    const std::string name = fresh_name(), element = fresh_name();
    return fill(type, "(let " + name + " = % in zip(" + name + ", {% : " + element + " in " + name + "}))",
                {first, second}, depth);
  }

  /// Writes to places that exist.
  SourceTree write(const SourceType& type, int depth) {
    const std::string name = fresh_name(), place = fresh_name(), value = fresh_name();
    return fill(type,
                "(let " + name + " = % in (" + name + " <- {(mod(" + place + ", #" + name + "), " + value + ") : (" +
                    place + ", " + value + ") in % | #" + name + " > 0}))",
                {type, sequence_of(pair_of(kInt, type.parts[0]))}, depth);
  }

  SourceTree drop(const SourceType& type, int depth) {
    if (chance(5)) return fill(type, "drop(%, %)", {type, kInt}, depth);
    const std::string name = fresh_name();
    return fill(type, "(let " + name + " = % in drop(" + name + ", rem(%, #" + name + " + 1)))", {type, kInt}, depth);
  }

  SourceTree each(const SourceType& result, int depth) {
    const SourceType source = type(2);
    const Variable sequence{fresh_name(), sequence_of(source)}, element{fresh_name(), source};
    SourceTree tree{result, {"(let " + sequence.name + " = "}, {}};
    append(tree, expression(sequence.type, depth - 2), " in {");
    std::vector<Variable> variables{sequence, element};
    std::string bindings = element.name + " in " + sequence.name;
    if (chance(30)) {
      variables.push_back({fresh_name(), kInt});
      bindings += "; " + variables.back().name + " in index(#" + sequence.name + ")";
    }
    const bool second = chance(2);
    if (second) variables.push_back({fresh_name(), kInt});
    append(tree, expression_with(variables, result.parts[0], depth - 1), " : " + bindings);
    if (second) {
      tree.pieces.back() += "; " + variables.back().name + " in ";
      append(tree, expression(sequence_of(kInt), depth - 2), "");
    }
    if (chance(30)) {
      tree.pieces.back() += " | ";
      append(tree, expression_with(variables, kBool, depth - 2), "");
    }
    tree.pieces.back() += "})";
    return tree;
  }

  Choices choices_;
  int next_name_ = 0;
  std::vector<Variable> variables_;
  std::vector<Function> functions_;
  const Function* recursive_ = nullptr;  // the one whose body is being written
  std::string counter_;                  // and its first parameter
  int recursive_calls_ = 0;
};

}  // namespace

SourceTree random_program(std::uint64_t seed) { return Generator(Choices(seed)).program(); }
SourceTree random_program(std::span<const std::uint8_t> choices) { return Generator(Choices(choices)).program(); }

}  // namespace evaluator
