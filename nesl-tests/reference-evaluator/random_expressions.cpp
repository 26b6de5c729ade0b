#include "source_generator.h"

namespace evaluator {

SourceTree SourceGenerator::expression(const SourceType& type, int depth) {
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

SourceTree SourceGenerator::expression_with(const std::vector<Variable>& more, const SourceType& type, int depth) {
  const std::size_t before = variables_.size();
  variables_.insert(variables_.end(), more.begin(), more.end());
  SourceTree tree = expression(type, depth);
  variables_.resize(before);
  return tree;
}

SourceTree SourceGenerator::constant(const SourceType& type) {
  switch (type.kind) {
    case Kind::kInt:
      return leaf(type, std::to_string(below(7)));
    case Kind::kFloat: {
      const std::string fraction = chance(50) ? ".5" : ".0";
      return leaf(type, std::to_string(below(5)) + fraction);
    }
    case Kind::kBool:
      return leaf(type, chance(50) ? "t" : "f");
    case Kind::kChar:
      return leaf(type, std::string("`") + "abcXYZ 09;%\""[below(12)]);
    case Kind::kSequence:
      if (type.parts[0] == kChar) {
        static const char* const kTexts[] = {"",     "hello",   "Hello",       "12",
                                             "-7 x", "a;b;;Cd", " To  be  9 ", "-2147483648"};
        return leaf(type, std::string("\"") + kTexts[below(8)] + "\"");
      }
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

SourceTree SourceGenerator::let(const SourceType& result, int depth) {
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

SourceTree SourceGenerator::lambda(const SourceType& result, int depth) {
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

SourceTree SourceGenerator::element(const SourceType& type, int depth) {
  const int choice = below(10);
  if (choice < 1) return fill(type, "first(%)", {pair_of(type, this->type(1))}, depth);
  if (choice < 2) return fill(type, "rest(%)", {pair_of(this->type(1), type)}, depth);
  if (choice < 3) return field(type, depth);
  const std::string rows = variable(sequence_of(sequence_of(type)));
  if (!rows.empty() && chance(50)) return element_of_row(rows, type, depth);
  const std::string sequence = variable(sequence_of(type));
  if (!sequence.empty()) return element_of(sequence, type, depth);
  if (choice < 6) return by_type(type, depth);
  const std::string name = fresh_name();
  SourceTree tree{type, {"(let " + name + " = "}, {}};
  append(tree, expression(sequence_of(type), depth - 1), " in ");
  append(tree, element_of(name, type, depth - 1), ")");
  return tree;
}

SourceTree SourceGenerator::field(const SourceType& type, int depth) {
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

SourceTree SourceGenerator::element_of(const std::string& sequence, const SourceType& type, int depth) {
  if (chance(3)) return fill(type, sequence + "[%]", {kInt}, depth);
  if (chance(5)) return fill(type, sequence + "[mod(%, max(#" + sequence + ", 1))]", {kInt}, depth);
  return fill(type, "(if #" + sequence + " == 0 then % else " + sequence + "[mod(%, #" + sequence + ")])", {type, kInt},
              depth);
}

SourceTree SourceGenerator::element_of_row(const std::string& rows, const SourceType& type, int depth) {
  if (chance(10)) return fill(type, rows + "[mod(%, 2)][%]", {kInt, kInt}, depth);
  const std::string row = fresh_name();
  std::string pattern = "(if #" + rows + " == 0 then % else ";
  if (chance(50)) {
    pattern += "let " + row + " = " + rows + "[mod(%, #" + rows + ")] in if #" + row + " == 0 then % else " + row +
               "[mod(%, #" + row + ")])";
    return fill(type, pattern, {type, kInt, type, kInt}, depth);
  }
  const std::string size = "#" + rows + "[" + row + "]";
  pattern += "(" + row + " => if " + size + " == 0 then % else " + rows + "[" + row + "][mod(%, " + size +
             ")])(mod(%, #" + rows + ")))";
  return fill(type, pattern, {type, type, kInt, kInt}, depth);
}

SourceTree SourceGenerator::by_type(const SourceType& type, int depth) {
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
      if (type == pair_of(kInt, kBool) && chance(40)) return fill(type, "parse_int(%)", {sequence_of(kChar)}, depth);
      return fill(type, "(%, %)", {type.parts[0], type.parts[1]}, depth);
  }
  return constant(type);
}

SourceTree SourceGenerator::int_expression(int depth) {
  const SourceType ints = sequence_of(kInt);
  switch (below(18)) {
    case 16:
      return fill(kInt, "first(parse_int(%))", {sequence_of(kChar)}, depth);
    case 17:
      return fill(kInt, "find(%, %)", {kChar, sequence_of(kChar)}, depth);
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
      return chance(90) ? fill(kInt, chance(50) ? "max_val([%] ++ %)" : "min_val([%] ++ %)", {kInt, ints}, depth)
                        : fill(kInt, chance(50) ? "max_val(%)" : "min_val(%)", {ints}, depth);
    case 13:
      return fill(kInt, "count(%)", {sequence_of(kBool)}, depth);
    case 14:
      return fill(kInt, "(- %)", {kInt}, depth);
    default:
      return fill(kInt, "char_code(%)", {kChar}, depth);
  }
}

// Sums and differences of small halves are exact, so that the order of additions does not matter.
SourceTree SourceGenerator::float_expression(int depth) {
  switch (below(7)) {
    case 6:
      return fill(kFloat, "first(parse_float(@(mod(%, 1000)) ++ \".5\"))", {kInt}, depth);
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

SourceTree SourceGenerator::bool_expression(int depth) {
  const SourceType any = type(1);
  switch (below(11)) {
    case 9:
      return fill(kBool, "string_eql(%, %)", {sequence_of(kChar), sequence_of(kChar)}, depth);
    case 10:
      return fill(kBool, "contains(%, %)", {sequence_of(any), any}, depth);
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

}  // namespace evaluator
