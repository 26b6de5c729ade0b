#include "program_builder.h"

#include <map>

#include <fmt/format.h>

namespace property {

using vcode::LengthVar;
using vcode::OpClass;
using vcode::Role;
using vcode::RoleType;
using What = Node::What;

bool combines(const OpInfo& row) {
  return row.op_class == OpClass::kScan || row.op_class == OpClass::kReduce || row.op_class == OpClass::kAccumulate;
}

ValueId ProgramBuilder::new_value(const ValueInfo& value) {
  program_.values.push_back(value);
  return static_cast<ValueId>(program_.values.size()) - 1;
}

LengthId ProgramBuilder::new_length(double guess) {
  if (guess > kMostElements) throw NoOperand();
  program_.lengths.push_back(guess);
  return static_cast<LengthId>(program_.lengths.size()) - 1;
}

void ProgramBuilder::append(Node node) {
  scope().visible.insert(scope().visible.end(), node.results.begin(), node.results.end());
  scope().block->nodes.push_back(std::move(node));
}

ValueId ProgramBuilder::constant(Kind kind) {
  switch (kind) {
    case Kind::kInt:
      if (rng_.chance(0.15)) return constant_text(1, kScalar);
      return constant_int(rng_.chance(0.1) ? static_cast<std::int32_t>(rng_.next()) : rng_.below(20) - 5);
    case Kind::kBool:
      return constant(kind, rng_.chance(0.5) ? "T" : "F");
    case Kind::kByte:
      return constant(kind, fmt::format("{}", rng_.below(256)));
    default:
      return constant(kind, fmt::format("{:.2f}", static_cast<double>(rng_.below(4000) - 2000) / 4));
  }
}

ValueId ProgramBuilder::constant(Kind kind, const std::string& literal, LengthId length) {
  // A scalar may be written as a vector of one element.
  const bool bracketed = length == kScalar && rng_.chance(0.1);
  return written(
      kind,
      fmt::format("CONST {} {}", vcode::suffix_name(vcode::suffix_of(kind)), bracketed ? "(" + literal + ")" : literal),
      length);
}

ValueId ProgramBuilder::written(Kind kind, std::string text, LengthId length) {
  ValueId v = new_value({kind, length});
  append({What::kConst, {}, {}, std::move(text), -1, 0, {}, {v}});
  return v;
}

ValueId ProgramBuilder::constant_text(std::int64_t characters, LengthId length) {
  static constexpr std::string_view kCharacters = "Qabz 019.,;(){}\\'\n";
  std::string text;
  for (std::int64_t k = 0; k < characters; ++k)
    text += kCharacters[static_cast<std::size_t>(rng_.below(std::ssize(kCharacters)))];
  return written(Kind::kInt, "CONST CHAR \"" + text + "\"", length);
}

ValueId ProgramBuilder::constant_size(std::int64_t n) {
  ValueId v = constant_int(n);
  scope().block->nodes.back().size = n;
  return v;
}

ValueId ProgramBuilder::constant_vector(Kind kind) {
  std::int64_t n = rng_.below(12);
  if (kind == Kind::kInt && rng_.chance(0.3)) return constant_text(n, new_length(static_cast<double>(n)));
  std::string text = "(";
  for (std::int64_t k = 0; k < n; ++k)
    text += kind == Kind::kBool   ? (rng_.chance(0.5) ? "T " : "F ")
            : kind == Kind::kInt  ? fmt::format("{} ", rng_.below(100) - 30)
            : kind == Kind::kByte ? fmt::format("{} ", rng_.below(256))
                                  : fmt::format("{:.2f} ", static_cast<double>(rng_.below(4000) - 2000) / 4);
  return constant(kind, text + ")", new_length(static_cast<double>(n)));
}

std::vector<ValueId> ProgramBuilder::operation(Op op, Suffix suffix, const std::vector<ValueId>& operands) {
  const OpInfo& row = vcode::info(op);
  std::map<LengthVar, LengthId> bound{{vcode::kScalarLength, kScalar}};
  bool exact = true;
  double longest = 0;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const Role& role = row.signature.operands[k];
    const ValueInfo& operand = info(operands[k]);
    bound[role.length] = operand.length;
    if (role.type == RoleType::kSegdes) bound[role.segments] = operand.segments;
    if (operand.kind == Kind::kFloat) exact = exact && operand.exact;
    longest = std::max(longest, estimate(operand.length));
  }
  Node node{What::kOp, op, suffix};
  node.operands = operands;
  for (int k = 0; k < row.signature.result_count; ++k) {
    const Role& role = row.signature.results[k];
    // Segment lengths are small numbers (see OperandMaker::small_lengths).
    double guess = op != Op::kMakeSegdes ? longest : longest < kFew ? 16 * longest + 8 : 4 * longest;
    for (LengthVar var : {role.length, role.segments})
      if (!bound.contains(var)) bound[var] = new_length(guess);
    ValueInfo result{vcode::Signature::kind(role, suffix), bound[role.length], bound[role.segments]};
    // Results of another backend may differ in the sign of a zero.
    if (result.kind == Kind::kFloat) result.exact = exact && !row.selects();
    node.results.push_back(new_value(result));
  }
  append(node);
  return node.results;
}

ValueId ProgramBuilder::whole(ValueId v) {
  ValueId length = single(Op::kLength, vcode::suffix_of(info(v).kind), {v});
  ValueId segdes = single(Op::kMakeSegdes, Suffix::kNone, {length});
  info(segdes).length = info(v).length;
  return segdes;
}

ValueId ProgramBuilder::spread(std::int64_t c, ValueId v) {
  ValueId scalar = constant_int(c);
  return info(v).length == kScalar ? scalar : single(Op::kDist, Suffix::kInt, {scalar, whole(v)});
}

}  // namespace property
