#include "source_generator.h"

namespace evaluator {

SourceTree SourceGenerator::text(int depth) {
  const SourceType text = sequence_of(kChar);
  const std::string name = fresh_name();
  switch (below(7)) {
    case 0:
      return fill(text, "@(%)", {type(2)}, depth);
    case 1:
      return fill(text, "@(%)", {kInt}, depth);
    case 2:
      return fill(text, (chance(50) ? "{lowercase(" : "{uppercase(") + name + ") : " + name + " in %}", {text}, depth);
    case 3:
      return fill(text, "(% || rem(%, 12))", {text, kInt}, depth);
    case 4:
      return fill(text, "flatten({" + name + " ++ \";\" : " + name + " in %})", {sequence_of(text)}, depth);
    case 5:
      return fill(text, "format(%, mod(%, 4))", {kInt, kInt}, depth);
    default:
      return fill(text, "abrev_string(%)", {type(2)}, depth);
  }
}

SourceTree SourceGenerator::texts(int depth) {
  const SourceType text = sequence_of(kChar), texts = sequence_of(text);
  const std::string name = fresh_name();
  switch (below(4)) {
    case 0:
      return fill(texts, "wordify(%)", {text}, depth);
    case 1:
      return fill(texts, "linify({select(" + name + " == `;, code_char(10), " + name + ") : " + name + " in %})",
                  {text}, depth);
    case 2:
      return fill(texts, "group_by_space(%, % ++ \" \")", {text, text}, depth);
    default:
      return fill(texts, "justify_text(%, 1 + mod(%, 9))", {text, kInt}, depth);
  }
}

SourceTree SourceGenerator::scatter(const SourceType& type, int depth) {
  const SourceType& element = type.parts[0];
  const std::string target = fresh_name(), item = fresh_name(), updates = fresh_name();
  const std::string head = "(let " + target + " = %", place = "mod(" + item + ", #" + target + ")";
  switch (below(4)) {
    case 0:
      return fill(type, head + " in permute(" + target + ", rank({% : " + item + " in " + target + "})))", {type, kInt},
                  depth);
    case 1:
      return fill(type,
                  head + " in if #" + target + " == 0 then % else rep(" + target + ", %, mod(%, #" + target + ")))",
                  {type, type, element, kInt}, depth);
    case 2:
      return fill(type,
                  head + "; " + updates + " = {" + item + " in % | #" + target + " > 0} in put({% : " + item + " in " +
                      updates + "}, {" + place + " : " + item + " in " + updates + "}, " + target + "))",
                  {type, sequence_of(kInt), element}, depth);
    default:
      return fill(type,
                  head + "; " + updates + " = {" + item + " in % | #" + target + " > 0} in cond_put({% : " + item +
                      " in " + updates + "}, {" + place + " : " + item + " in " + updates + "}, {% : " + item + " in " +
                      updates + "}, " + target + "))",
                  {type, sequence_of(kInt), element, kBool}, depth);
  }
}

SourceTree SourceGenerator::set(const SourceType& type, int depth) {
  const SourceType& element = type.parts[0];
  if (element.kind == Kind::kPair && chance(60)) {
    const SourceType &key = element.parts[0], &value = element.parts[1];
    if (value == kInt) return fill(type, "histogram(%)", {sequence_of(key)}, depth);
    if (value.kind == Kind::kSequence) {
      const std::string function = key == kInt && chance(50) ? "int_collect" : "collect";
      return fill(type, function + "(%)", {sequence_of(pair_of(key, value.parts[0]))}, depth);
    }
  }
  if (element == kInt && chance(30)) return fill(type, "name(%)", {sequence_of(this->type(2))}, depth);
  static const std::string kFunctions[] = {"unique(%)", "union(%, %)", "intersection(%, %)", "set_difference(%, %)"};
  return fill(type, kFunctions[below(4)], {type, type}, depth);
}

}  // namespace evaluator
