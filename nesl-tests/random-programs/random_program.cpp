#include "random_program.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "operand_maker.h"

namespace property {

using vcode::LengthVar;
using vcode::OpClass;
using vcode::Role;
using vcode::RoleType;
using What = Node::What;

namespace {

/// Whether a row only moves elements, so that its float operands may be inexact.
bool only_moves(const OpInfo& row) {
  return (row.op_class == OpClass::kVector && row.op != Op::kRankUp && row.op != Op::kRankDown) ||
         row.op == Op::kSelect;
}

class Generator : private OperandMaker {
 public:
  Generator(Rng& rng, RandomProgram& program) : OperandMaker(rng, program), main_(program.main) {}

  void run(int nodes) {
    enter(main_);
    for (int k = 0; k < nodes; ++k) {
      try {
        step();
      } catch (const NoOperand&) {
        // Operations appended before the exception stay.
      }
    }
    main_.results = choose_results();
    leave();
  }

 private:
  /// Makes a nested block the one being filled, until its destruction.
  class Nesting {
   public:
    Nesting(Generator& generator, Block& block, std::vector<ValueId> visible) : generator_(generator) {
      generator_.enter(block, std::move(visible));
      ++generator_.depth_;
    }
    ~Nesting() {
      --generator_.depth_;
      generator_.leave();
    }
    Nesting(const Nesting&) = delete;

   private:
    Generator& generator_;
  };

  /// Whether the segments of a descriptor are indexed by elements of another one, so that empty segments should be
  /// rare.
  static bool is_indexed(const OpInfo& row, const Role& role) {
    const auto& operands = row.signature.operands;
    return std::any_of(operands.begin(), operands.begin() + row.signature.operand_count,
                       [&](const Role& other) { return other.name == "i" && other.length != role.length; });
  }

  /// The operands of an operation whose lengths depend on each other in ways that signatures do not express; empty for
  /// other operations.
  std::vector<ValueId> operands_together(Op op, Suffix suffix) {
    const Kind kind = vcode::suffix_kind(suffix);
    switch (op) {
      case Op::kSlice:
        return slice_operands(kind);
      case Op::kAppend:
        return append_operands(kind, 2);
      case Op::kAppend3:
        return append_operands(kind, 3);
      case Op::kMerge:
        return merge_operands(kind, suffix);
      case Op::kMergeSegments:
        return merge_segments_operands(kind);
      default:
        return {};
    }
  }

  /// Appends a row of the operation table with operands found or made for it.
  void random_operation() {
    static const std::vector<OpInfo> kRows = [] {
      std::vector<OpInfo> rows;
      for (const OpInfo& row : vcode::all_ops())
        if (row.op_class != OpClass::kSystem) rows.push_back(row);
      return rows;
    }();
    const OpInfo& row = kRows[static_cast<std::size_t>(rng_.below(static_cast<std::int64_t>(kRows.size())))];
    std::vector<Suffix> suffixes;
    for (int s = 0; s < vcode::kSuffixes; ++s)
      if (row.takes(static_cast<Suffix>(s))) suffixes.push_back(static_cast<Suffix>(s));
    const Suffix suffix = pick(suffixes);
    if (std::vector<ValueId> together = operands_together(row.op, suffix); !together.empty())
      return void(operation(row.op, suffix, together));
    const vcode::Signature& signature = row.signature;

    std::map<LengthVar, LengthId> bound{{vcode::kScalarLength, kScalar}};
    std::map<std::string_view, ValueId> named;
    auto bound_or = [&](LengthVar var, LengthId otherwise) {
      auto known = bound.find(var);
      return known == bound.end() ? otherwise : known->second;
    };
    // Descriptors first: they determine the lengths of all other operands.
    for (int k = 0; k < signature.operand_count; ++k) {
      const Role& role = signature.operands[k];
      if (role.type != RoleType::kSegdes) continue;
      ValueId s;
      if (row.op == Op::kFpermute && role.name == "s2") {
        // Room for every element whose flag may be true.
        ValueId lengths = single(Op::kLengths, Suffix::kNone, {named.at("s1")});
        ValueId more = mask(random_ints(info(named.at("s1")).segments), 3);
        s = single(Op::kMakeSegdes, Suffix::kNone, {single(Op::kAdd, Suffix::kInt, {lengths, more})});
        const ValueInfo& from = info(named.at("s1"));
        set_estimate(info(s).length, estimate(from.length) + 3 * estimate(from.segments));
      } else {
        s = descriptor(bound_or(role.segments, -1), bound_or(role.length, -1), is_indexed(row, role));
      }
      bound[role.segments] = info(s).segments;
      bound[role.length] = info(s).length;
      named[role.name] = s;
    }
    std::vector<ValueId> operands;
    for (int k = 0; k < signature.operand_count; ++k) {
      const Role& role = signature.operands[k];
      if (role.type == RoleType::kSegdes) {
        operands.push_back(named.at(role.name));
        continue;
      }
      if (!bound.contains(role.length)) bound[role.length] = some_length();
      const LengthId length = bound[role.length];
      std::optional<ValueId> careful = careful_operand(row, suffix, role, length, named);
      Kind kind = role.type == RoleType::kVector ? vcode::suffix_kind(suffix) : vcode::Signature::kind(role, suffix);
      if (rng_.chance(0.002)) {  // of any length: errors found only at run time are compared, too
        operands.push_back(
            pick(visible([&](const ValueInfo& v) { return v.kind == kind && (v.exact || only_moves(row)); })));
        continue;
      }
      operands.push_back(careful ? *careful : vector(kind, length, !only_moves(row)));
    }
    operation(row.op, suffix, operands);
  }

  /// A few operations, then a value of the given kind and length.
  ValueId random_result(Kind kind, LengthId length) {
    for (std::int64_t k = 1 + rng_.below(3); k > 0; --k) step();
    return vector(kind, length);
  }

  void random_if() {
    const ValueId like = visible_vector();
    Node node{What::kIf};
    // A condition may be a vector, whose first element decides.
    const auto conditions = visible([](const ValueInfo& v) { return v.kind == Kind::kBool; });
    // Repeated conditions test that the optimizer joins their IFs.
    std::vector<ValueId> asked = conditions;
    std::erase_if(asked, [&](ValueId v) { return !asked_.contains(v); });
    if (!asked.empty() && rng_.chance(0.4))
      node.operands = {pick(asked)};
    else
      node.operands = {rng_.chance(0.1) && !conditions.empty() ? pick(conditions) : vector(Kind::kBool, kScalar)};
    asked_.insert(node.operands[0]);
    ValueInfo result = info(like);
    result.exact = true;
    for (int branch = 0; branch < 2; ++branch) {
      Block block;
      {
        const Nesting nesting(*this, block, scope().visible);
        ValueId v = random_result(result.kind, result.length);
        result.exact = result.exact && info(v).exact;
        block.results = {v};
      }
      node.blocks.push_back(std::move(block));
    }
    node.results = {new_value(result)};
    append(std::move(node));
  }

  /// The parameters of a function for a call with these operands: new values with the same facts.
  std::vector<ValueId> parameters(const std::vector<ValueId>& operands) {
    std::vector<ValueId> params;
    for (ValueId v : operands) params.push_back(new_value(ValueInfo(info(v))));
    return params;
  }
  std::vector<ValueId> random_operands() {
    std::vector<ValueId> operands;
    for (std::int64_t k = 1 + rng_.below(4); k > 0; --k) operands.push_back(pick(scope().visible));
    return operands;
  }

  void random_call() {
    Node node{What::kCall};
    node.operands = random_operands();
    Block block;
    block.params = parameters(node.operands);
    {
      const Nesting nesting(*this, block, block.params);
      for (std::int64_t k = 1 + rng_.below(5); k > 0; --k) step();
      for (std::int64_t k = rng_.below(3) + 1; k > 0; --k) block.results.push_back(pick(scope().visible));
    }
    for (ValueId v : block.results) node.results.push_back(new_value(ValueInfo(info(v))));
    node.blocks.push_back(std::move(block));
    append(std::move(node));
  }

  void random_repeat() {
    Node node{What::kRepeat};
    node.operands = random_operands();
    node.operands.push_back(visible_vector());
    node.count = rng_.below(4);
    // The block's result is its next accumulator, so all facts about the accumulator must hold for the result too.
    Block block;
    block.params = parameters(node.operands);
    const ValueId accumulator = block.params.back();
    if (!info(accumulator).exact) throw NoOperand();
    {
      const Nesting nesting(*this, block, block.params);
      ValueId v = random_result(info(accumulator).kind, info(accumulator).length);
      block.results = {v};
    }
    node.results = {new_value(ValueInfo(info(accumulator)))};
    node.blocks.push_back(std::move(block));
    append(std::move(node));
  }

  void random_pair() {
    auto pairs = visible([](const ValueInfo& v) { return v.kind == Kind::kPair; });
    if (!pairs.empty() && rng_.chance(0.6)) {
      ValueId p = pick(pairs);
      Node node{What::kUnpair};
      node.operands = {p};
      for (ValueId part : {info(p).first, info(p).second}) node.results.push_back(new_value(ValueInfo(info(part))));
      append(std::move(node));
      return;
    }
    Node node{What::kPair};
    node.operands = {pick(scope().visible), pick(scope().visible)};
    ValueInfo pair{Kind::kPair};
    pair.first = node.operands[0];
    pair.second = node.operands[1];
    node.results = {new_value(pair)};
    append(std::move(node));
  }

  void step() {
    if (scope().visible.empty()) {
      new_single();
      constant(Kind::kInt);
      return;
    }
    const double choice = rng_.unit();
    const bool may_nest = depth_ < 2;
    if (choice < 0.05) {
      constexpr Kind kKinds[] = {Kind::kInt, Kind::kBool, Kind::kFloat, Kind::kByte};
      constant_vector(kKinds[rng_.below(std::ssize(kKinds))]);
    } else if (choice < 0.12) {
      if (rng_.chance(0.5)) {
        new_single();
      } else {
        const bool no_empty = rng_.chance(0.5);
        new_descriptor(some_length(), no_empty);
      }
    } else if (choice < 0.15) {
      random_pair();
    } else if (choice < 0.19 && may_nest) {
      random_if();
    } else if (choice < 0.23 && may_nest) {
      random_call();
    } else if (choice < 0.26 && may_nest) {
      random_repeat();
    } else {
      random_operation();
    }
  }

  /// Values to print: the last ones and some others, few of them long.
  std::vector<ValueId> choose_results() {
    std::vector<ValueId> results;
    int long_ones = 0;
    std::vector<ValueId> candidates = scope().visible;
    std::reverse(candidates.begin(), candidates.end());
    for (std::size_t k = 0; k < candidates.size(); ++k) {
      if (k >= 5 && !rng_.chance(0.2)) continue;
      const bool is_long = info(candidates[k]).kind != Kind::kPair && estimate(info(candidates[k]).length) > 1000;
      if (is_long && ++long_ones > 3) continue;
      results.push_back(candidates[k]);
    }
    return results;
  }

  Block& main_;
  int depth_ = 0;            ///< number of open nested blocks
  std::set<ValueId> asked_;  ///< conditions of IFs
};

}  // namespace

void add_used(const Node& node, std::set<ValueId>& used) {
  used.insert(node.operands.begin(), node.operands.end());
  if (node.what != What::kIf) return;
  for (const Block& block : node.blocks) {
    for (const Node& inner : block.nodes) add_used(inner, used);
    used.insert(block.results.begin(), block.results.end());
  }
}

RandomProgram make_program(Rng& rng, int nodes) {
  RandomProgram program;
  Generator(rng, program).run(nodes);
  return program;
}

RandomProgram slice(const RandomProgram& program, const std::vector<ValueId>& results) {
  RandomProgram sliced = program;
  sliced.main.results = results;
  sliced.main.nodes.clear();
  std::set<ValueId> used(results.begin(), results.end());
  for (auto node = program.main.nodes.rbegin(); node != program.main.nodes.rend(); ++node) {
    bool needed = std::any_of(node->results.begin(), node->results.end(), [&](ValueId v) { return used.contains(v); });
    if (!needed) continue;
    add_used(*node, used);
    sliced.main.nodes.push_back(*node);
  }
  std::reverse(sliced.main.nodes.begin(), sliced.main.nodes.end());
  return sliced;
}

std::vector<ValueId> main_values(const RandomProgram& program) {
  std::vector<ValueId> values;
  for (const Node& node : program.main.nodes) values.insert(values.end(), node.results.begin(), node.results.end());
  return values;
}

}  // namespace property
