#include "basic_block.h"

#include <algorithm>

#include "base/check.h"
#include "vcode/kernel_rules.h"

namespace fcode_opt {
namespace {

using letform::Binding;
using vcode::Op;
using vcode::Producer;
using vcode::Reader;

constexpr std::string_view kOutside = "one of them cannot be in a kernel";

/// Value with one element for each element of an operation's index space.
Var space_value(const Binding& binding, Producer producer) {
  if (!vcode::is_reduction(producer) && producer != Producer::kScatter && producer != Producer::kPack)
    return binding.results[0];
  return binding.operands[0];
}

class Builder {
 public:
  Builder(const letform::Program& program, const letform::Function& function, const letform::Block& block,
          std::size_t begin, std::size_t end, const std::vector<std::uint32_t>& uses, letform::Shapes& shapes,
          const BasicBlockRules& rules)
      : program_(program),
        uses_(uses),
        shapes_(shapes),
        rules_(rules),
        begin_(begin),
        basic_block_{function, &block.bindings[begin], {}, {}, {}, {}} {
    basic_block_.nodes.resize(end - begin);
  }

  BasicBlock run() {
    for (std::uint32_t n = 0; n < basic_block_.size(); ++n) add(n);
    for (std::uint32_t n = 0; n < basic_block_.size(); ++n)
      for (Var v : basic_block_.bindings[n].results) basic_block_.nodes[n].escapes |= uses_[v] > seen_uses_[v];
    find_carries();
    return std::move(basic_block_);
  }

 private:
  void add(std::uint32_t n) {
    const Binding& binding = basic_block_.bindings[n];
    Node& node = basic_block_.nodes[n];
    classify(binding, node, rules_.lengths_agree[begin_ + n]);
    for (std::size_t k = 0; k < binding.operands.size(); ++k) {
      const Var v = binding.operands[k];
      ++seen_uses_[v];
      connect(v, n, reader(binding, node, static_cast<int>(k)));
    }
    for (Var v : binding.nest) {
      // Nests of free nodes do not count: free nodes cannot fault, so rewrite() drops their nests.
      if (node.role == Node::Role::kFree)
        ++seen_uses_[v];
      else
        connect_whole(v, n);
    }
    if (node.role != Node::Role::kFree && last_check_ != kNoNumber) basic_block_.edges.push_back({last_check_, n});
    if (binding.form == Binding::Form::kOp && vcode::info(binding.op).checks()) last_check_ = n;
    if (binding.form == Binding::Form::kOp && vcode::info(binding.op).draws()) {
      if (last_random_ != kNoNumber) basic_block_.edges.push_back({last_random_, n});
      last_random_ = n;
    }
    for (Var v : binding.results) basic_block_.definers[v] = n;
  }

  void classify(const Binding& binding, Node& node, bool lengths_agree) {
    if (binding.form == Binding::Form::kConst && program_.constants[binding.target].size() == 1 &&
        program_.constants[binding.target].type != vcode::Suffix::kSegdes) {
      node.role = Node::Role::kFree;
      node.producer = Producer::kConstant;
      return;
    }
    if (binding.form != Binding::Form::kOp) return;
    const Producer producer = vcode::producer_of(binding.op);
    if (producer == Producer::kInput || (vcode::has_defaults(binding.op) && !has_new_defaults(binding))) return;
    const Var space = space_value(binding, producer);
    if (shapes_.is_single(space)) return;
    const bool is_free = binding.op == Op::kDist && lengths_agree;
    if (rules_.only_elementwise && producer != Producer::kMap) {
      if (is_free && is_constant(binding.operands[0])) node.role = Node::Role::kFree;
    } else {
      node.role = is_free ? Node::Role::kFree : Node::Role::kKernel;
    }
    if (node.role == Node::Role::kOther) return;
    node.producer = producer;
    node.can_be_repeated =
        producer == Producer::kMap || (binding.op == Op::kIndex && shapes_.is_single(binding.operands.back()));
    if (node.role == Node::Role::kKernel) node.space = space_number(space);
    if (vcode::is_reduction(producer)) node.segments = space_number(binding.results[0]);
  }

  /// Whether defaults of a scatter are made for it, in one segment. Others are often the last value of a vector that is
  /// updated; a scatter by itself writes in place there. Loops scatter to one segment only.
  bool has_new_defaults(const Binding& scatter) {
    if (!shapes_.is_single(scatter.operands.back())) return false;
    const std::uint32_t definer =
        basic_block_.definer(scatter.operands[static_cast<std::size_t>(vcode::defaults_of(scatter.op))]);
    return definer != kNoNumber && basic_block_.bindings[definer].form == Binding::Form::kOp &&
           basic_block_.bindings[definer].op == Op::kDist;
  }

  bool is_constant(Var v) const {
    const std::uint32_t definer = basic_block_.definer(v);
    return definer != kNoNumber && basic_block_.nodes[definer].producer == Producer::kConstant;
  }

  /// Number of the index space of a value. Spaces are few; the first node of each represents it.
  std::uint32_t space_number(Var v) {
    for (std::uint32_t s = 0; s < spaces_.size(); ++s)
      if (shapes_.same_elements(spaces_[s], v)) return s;
    spaces_.push_back(v);
    return static_cast<std::uint32_t>(spaces_.size() - 1);
  }

  static Reader reader(const Binding& binding, const Node& node, int k) {
    return node.role == Node::Role::kKernel ? vcode::reader_of(binding.op, k) : Reader::kOutput;
  }

  /// Whether an elementwise operation goes over the results of a reduction, segment by segment.
  static bool is_epilogue(const Node& producer, const Node& consumer) {
    return producer.segments != kNoNumber && producer.segments == consumer.space && consumer.space != producer.space &&
           consumer.producer == Producer::kMap;
  }

  /// Adds edges for a value that node n reads.
  void connect(Var v, std::uint32_t n, Reader reader) {
    const std::uint32_t from = basic_block_.definer(v);
    if (from == kNoNumber) return;
    const Node &producer = basic_block_.nodes[from], &consumer = basic_block_.nodes[n];
    if (producer.role == Node::Role::kFree) {
      // The operand of a free node must be computed before a kernel that contains a copy of the free node.
      for (Var inner : basic_block_.bindings[from].operands) connect(inner, n, Reader::kSpread);
      if (consumer.role == Node::Role::kKernel && vcode::obstacle(producer.producer, reader).empty()) {
        basic_block_.nodes[n].reads_spread |= producer.producer == Producer::kSpread;
        return;
      }
      if (consumer.role != Node::Role::kFree) --seen_uses_[v];  // the value is needed as a vector
      basic_block_.edges.push_back({from, n, v, kOutside});
      return;
    }
    std::string_view obstacle = kOutside;
    if (is_epilogue(producer, consumer))
      obstacle = {};
    else if (producer.role == Node::Role::kKernel && consumer.role == Node::Role::kKernel)
      obstacle = producer.space != consumer.space && vcode::obstacle(producer.producer, reader).empty()
                     ? "they go over different index spaces"
                     : vcode::obstacle(producer.producer, reader);
    basic_block_.edges.push_back({from, n, v, obstacle});
  }

  /// Adds an edge for a value in the nest of node n, which must be computed completely before node n.
  void connect_whole(Var v, std::uint32_t n) {
    const std::uint32_t from = basic_block_.definer(v);
    if (from != kNoNumber)
      basic_block_.edges.push_back({from, n, letform::kNoVar, "its errors are located by the other"});
  }

  void find_carries() {
    VC_CHECK(std::is_sorted(basic_block_.edges.begin(), basic_block_.edges.end(),
                            [](const Edge& a, const Edge& b) { return a.to < b.to; }));
    basic_block_.waits_for.resize(basic_block_.size());
    for (std::uint32_t scan = 0; scan < basic_block_.size(); ++scan) {
      if (basic_block_.nodes[scan].role != Node::Role::kKernel || basic_block_.nodes[scan].producer != Producer::kScan)
        continue;
      std::vector<bool>& waits = basic_block_.waits_for[scan];
      std::vector<bool> depends(basic_block_.size());
      waits.resize(basic_block_.size());
      depends[scan] = true;
      for (const Edge& edge : basic_block_.edges) {
        if (!depends[edge.from]) continue;
        depends[edge.to] = true;
        const Binding& reader = basic_block_.bindings[edge.to];
        if (basic_block_.nodes[edge.to].role != Node::Role::kKernel || edge.value == letform::kNoVar) continue;
        for (std::size_t k = 0; k < reader.operands.size(); ++k)
          if (reader.operands[k] == edge.value &&
              !vcode::obstacle(Producer::kScan, vcode::reader_of(reader.op, static_cast<int>(k))).empty())
            waits[edge.to] = true;
      }
    }
  }

  const letform::Program& program_;
  const std::vector<std::uint32_t>& uses_;  ///< of each value of the function
  letform::Shapes& shapes_;
  const BasicBlockRules& rules_;
  std::size_t begin_;
  BasicBlock basic_block_;
  std::unordered_map<Var, std::uint32_t> seen_uses_;  ///< uses of each value that do not need a vector in memory
  std::vector<Var> spaces_;
  std::uint32_t last_random_ = kNoNumber;
  std::uint32_t last_check_ = kNoNumber;  ///< the last check: nodes after it may rely on it, so they must not run
                                          ///< before it
};

}  // namespace

int element_bytes(const letform::Function& function, Var v) {
  const vcode::Kind kind = function.values[v].kind;
  return kind == vcode::Kind::kSegdes ? 0 : static_cast<int>(vcode::elem_size(vcode::Widths{}.of(kind)));
}

BasicBlock make_basic_block(const letform::Program& program, const letform::Function& function,
                            const letform::Block& block, std::size_t begin, std::size_t end,
                            const std::vector<std::uint32_t>& uses, letform::Shapes& shapes,
                            const BasicBlockRules& rules) {
  return Builder(program, function, block, begin, end, uses, shapes, rules).run();
}

}  // namespace fcode_opt
