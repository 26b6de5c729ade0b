#include "source_generator.h"

namespace evaluator {

SourceTree SourceGenerator::sequence_expression(const SourceType& type, int depth) {
  const SourceType& element = type.parts[0];
  const bool number = element == kInt || element == kFloat;
  const int choice = below(100);
  if (element == kChar && chance(25)) return text(depth);
  if (element == sequence_of(kChar) && chance(25)) return texts(depth);
  if (choice < 32) return each(type, depth);
  if (choice < 36) return set(type, depth);
  if (choice < 40 && (number || element.kind == Kind::kSequence)) return product(type, depth);
  if (choice < 50) return literal(type, depth);
  if (choice < 55) return fill(type, "dist(%, mod(%, 4))", {element, kInt}, depth);
  if (choice < 60) return fill(type, chance(80) ? "(% ++ %)" : "([] ++ % ++ %)", {type, type}, depth);
  if (choice < 62) return fill(type, "reverse(%)", {type}, depth);
  if (choice < 64) return fill(type, chance(50) ? "previous(%, %)" : "next(%, %)", {type, element}, depth);
  if (choice < 68) return fill(type, "rotate(%, %)", {type, kInt}, depth);
  if (choice < 70) return fill(type, "flatten(%)", {sequence_of(type)}, depth);
  if (choice < 71 && chance(20)) return fill(type, "(% <- %)", {type, sequence_of(pair_of(kInt, element))}, depth);
  if (choice < 75) return chance(50) ? write(type, depth) : scatter(type, depth);
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
  return chance(50) ? parted(type, depth) : each(type, depth);
}

SourceTree SourceGenerator::literal(const SourceType& type, int depth) {
  SourceTree tree{type, {"["}, {}};
  const int length = 1 + below(3);
  for (int k = 0; k < length; ++k) append(tree, expression(type.parts[0], depth - 1), k + 1 < length ? ", " : "");
  tree.pieces.back() += "]";
  return tree;
}

SourceTree SourceGenerator::fields(const SourceType& type, int depth) {
  const std::string element = fresh_name(), record = fresh_name();
  return fill(
      type,
      "{" + record + ".two : " + record + " in {rec(" + element + ", " + element + ", %) : " + element + " in %}}",
      {this->type(1), type}, depth);
}

SourceTree SourceGenerator::parted(const SourceType& type, int depth) {
  const SourceType source = chance(50) ? type.parts[0] : this->type(1);
  const Variable sequence{fresh_name(), sequence_of(source)}, element{fresh_name(), source}, index{fresh_name(), kInt};
  const std::string flags = fresh_name(), parts = fresh_name();
  SourceTree tree{type, {"(let " + sequence.name + " = "}, {}};
  append(tree, expression(sequence.type, depth - 2), "; " + flags + " = {mod(" + index.name + " + ");
  append(tree, expression_with({sequence, element, index}, kInt, depth - 2),
         ", 3) == 0 : " + element.name + " in " + sequence.name + "; " + index.name + " in index(#" + sequence.name +
             ")}; " + parts + " = split(" + sequence.name + ", " + flags + ") in flag_merge(" + flags);
  for (const char* part : {"[0]", "[1]"}) {
    tree.pieces.back() += ", {";
    if (source == type.parts[0] && chance(50))
      tree.pieces.back() += element.name;
    else
      append(tree, expression_with({sequence, element}, type.parts[0], depth - 1), "");
    tree.pieces.back() += " : " + element.name + " in " + parts + part + "}";
  }
  tree.pieces.back() += "))";
  return tree;
}

SourceTree SourceGenerator::gather(const SourceType& type, int depth) {
  const std::string name = fresh_name(), index = fresh_name();
  return fill(type,
              "(let " + name + " = % in (" + name + " -> {mod(" + index + ", #" + name + ") : " + index + " in % | #" +
                  name + " > 0}))",
              {type, sequence_of(kInt)}, depth);
}

SourceTree SourceGenerator::range(int depth) {
  const std::string name = fresh_name();
  return fill(sequence_of(kInt), "(let " + name + " = % in [" + name + " : " + name + " + mod(%, 5)])", {kInt, kInt},
              depth);
}

SourceTree SourceGenerator::zip(const SourceType& type, int depth) {
  const SourceType first = sequence_of(type.parts[0].parts[0]), second = type.parts[0].parts[1];
  if (chance(5)) return fill(type, "zip(%, %)", {first, sequence_of(second)}, depth);
  const std::string name = fresh_name(), element = fresh_name();
  return fill(type, "(let " + name + " = % in zip(" + name + ", {% : " + element + " in " + name + "}))",
              {first, second}, depth);
}

SourceTree SourceGenerator::write(const SourceType& type, int depth) {
  const std::string name = fresh_name(), place = fresh_name(), value = fresh_name();
  if (type.parts[0].kind == Kind::kSequence &&
      chance(50)) {  // of rows, most of which are as long as those they replace
    return fill(type,
                "(let " + name + " = % in (" + name + " <- {(" + place + ", {% : " + value + " in " + name + "[" +
                    place + "]}) : " + place + " in index(#" + name + ") | % > 0}))",
                {type, type.parts[0].parts[0], kInt}, depth);
  }
  return fill(type,
              "(let " + name + " = % in (" + name + " <- {(mod(" + place + ", #" + name + "), " + value + ") : (" +
                  place + ", " + value + ") in % | #" + name + " > 0}))",
              {type, sequence_of(pair_of(kInt, type.parts[0]))}, depth);
}

SourceTree SourceGenerator::drop(const SourceType& type, int depth) {
  if (chance(5)) return fill(type, "drop(%, %)", {type, kInt}, depth);
  const std::string name = fresh_name();
  return fill(type, "(let " + name + " = % in drop(" + name + ", rem(%, #" + name + " + 1)))", {type, kInt}, depth);
}

SourceTree SourceGenerator::each(const SourceType& result, int depth) {
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

SourceTree SourceGenerator::product(const SourceType& result, int depth) {
  const bool sums = result.parts[0].kind != Kind::kSequence;
  const SourceType first = type(1), second = type(1), inner = sums ? result.parts[0] : result.parts[0].parts[0];
  const std::vector<Variable> variables = {{fresh_name(), sequence_of(first)},
                                           {fresh_name(), sequence_of(second)},
                                           {fresh_name(), first},
                                           {fresh_name(), second}};
  SourceTree tree{result, {"(let " + variables[0].name + " = "}, {}};
  append(tree, expression(variables[0].type, depth - 2), "; " + variables[1].name + " = ");
  append(tree, expression(variables[1].type, depth - 2), sums ? " in {sum({" : " in {{");
  append(tree, expression_with(variables, inner, depth - 1),
         " : " + variables[3].name + " in " + variables[1].name + (sums ? "})" : "}"));
  tree.pieces.back() += " : " + variables[2].name + " in " + variables[0].name + "})";
  return tree;
}

}  // namespace evaluator
