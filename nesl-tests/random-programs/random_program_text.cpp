#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "random_program.h"

namespace property {

using cvl::conformance::Rng;
using What = Node::What;

namespace {

/// Converts blocks to stack code, and keeps track of the values on the stack.
class StackWriter {
 public:
  StackWriter(const RandomProgram& program, std::uint64_t style) : program_(program), rng_(style) {}

  std::string write() {
    std::string main = function("MAIN", program_.main);
    for (const std::string& f : functions_) main += "\n" + f;
    return main;
  }

 private:
  using Stack = std::vector<ValueId>;
  static constexpr ValueId kCounter = -2;    ///< counter of a repetition, on its stack
  static constexpr ValueId kCondition = -3;  ///< condition of an IF whose second branch runs before it

  std::string function(const std::string& name, const Block& block) {
    std::string text = fmt::format("FUNC {}\n", name);
    Stack stack = block.params;
    body(block, stack, 0, text);
    return text + "RET\n";
  }

  /// Writes a block on top of a stack whose lowest `base` values must stay. Its results are left above these.
  void body(const Block& block, Stack& stack, std::size_t base, std::string& text) {
    std::map<ValueId, std::size_t> last_use;
    for (std::size_t k = 0; k < block.nodes.size(); ++k) {
      std::set<ValueId> used;
      add_used(block.nodes[k], used);
      for (ValueId v : used) last_use[v] = k;
    }
    for (ValueId v : block.results) last_use[v] = block.nodes.size();
    for (std::size_t k = 0; k < block.nodes.size(); ++k) {
      node(block.nodes[k], stack, base, text, [&](ValueId v) { return last_use[v] <= k; });
      drop_dead(stack, base, text, [&](ValueId v) { return !last_use.contains(v) || last_use[v] <= k; });
      if (rng_.chance(0.1)) shuffle(stack, base, text);
      if (rng_.chance(0.02)) check(text);
    }
    fetch(block.results, stack, base, text, [](ValueId) { return true; });
    const std::size_t count = block.results.size();
    const std::size_t rest = stack.size() - base - count;
    if (rest > 0) text += fmt::format("POP {} {}\n", rest, count);
    stack.erase(stack.begin() + static_cast<std::ptrdiff_t>(base),
                stack.begin() + static_cast<std::ptrdiff_t>(base + rest));
  }

  /// Brings values to the top of the stack, in order. A value for which `dies` holds is moved instead of copied, unless
  /// it lies below `base` or is needed again.
  template <class Dies>
  void fetch(const std::vector<ValueId>& values, Stack& stack, std::size_t base, std::string& text, Dies dies) {
    std::size_t fetched = 0;
    // Values that are on top already, in order, and are not needed later, can stay.
    const bool in_place =
        stack.size() - base >= values.size() &&
        std::equal(values.begin(), values.end(), stack.end() - static_cast<std::ptrdiff_t>(values.size())) &&
        std::set<ValueId>(values.begin(), values.end()).size() == values.size() &&
        std::all_of(values.begin(), values.end(), dies);
    if (in_place) return;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const ValueId v = values[k];
      // The topmost copy below the values fetched already.
      auto below = stack.end() - static_cast<std::ptrdiff_t>(fetched);
      auto found = std::find(std::make_reverse_iterator(below), stack.rend(), v);
      const auto depth = static_cast<std::size_t>(found - stack.rbegin());
      const bool again =
          std::find(values.begin() + static_cast<std::ptrdiff_t>(k) + 1, values.end(), v) != values.end();
      const bool move = dies(v) && !again && stack.size() - 1 - depth >= base && rng_.chance(0.9);
      text += fmt::format("{} 1 {}\n", move ? "CPOP" : "COPY", depth);
      if (move) stack.erase(stack.end() - 1 - static_cast<std::ptrdiff_t>(depth));
      stack.push_back(v);
      ++fetched;
    }
  }

  template <class Dead>
  void drop_dead(Stack& stack, std::size_t base, std::string& text, Dead dead) {
    for (std::size_t at = stack.size(); at-- > base;) {
      if (!dead(stack[at]) || !rng_.chance(0.6)) continue;
      text += fmt::format("POP 1 {}\n", stack.size() - 1 - at);
      stack.erase(stack.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }

  /// Moves some values to the top.
  void shuffle(Stack& stack, std::size_t base, std::string& text) {
    const auto size = static_cast<std::int64_t>(stack.size() - base);
    if (size < 2) return;
    const std::int64_t depth = rng_.below(size), count = rng_.below(size - depth) + 1;
    text += fmt::format("CPOP {} {}\n", count, depth);
    std::rotate(stack.end() - depth - count, stack.end() - depth, stack.end());
  }

  /// Writes a check that fails now and then, in the form that compilers write.
  static void check(std::string& text) {
    text +=
        "CONST INT 50\nRAND\nCONST INT 49\n!= INT\nIF\nELSE\nCONST CHAR \"ERROR\"\nWRITE CHAR\nPOP 2 0\nCONST INT 0\n"
        "EXIT\nPOP 1 0\nENDIF\n";
  }

  /// Runs the second branch before the IF, which then needs no ELSE.
  void if_without_else(const Node& n, const Stack& stack, std::string& text) {
    Stack then = stack, otherwise = stack;
    otherwise.push_back(kCondition);
    body(n.blocks[1], otherwise, otherwise.size(), text);
    text += "CPOP 1 1\nIF\nPOP 1 0\n";
    body(n.blocks[0], then, then.size(), text);
    text += "ENDIF\n";
  }

  template <class Dies>
  void node(const Node& n, Stack& stack, std::size_t base, std::string& text, Dies dies) {
    // The condition of an IF may be used in its branches again.
    fetch(n.operands, stack, base, text, [&](ValueId v) { return n.what != What::kIf && dies(v); });
    stack.resize(stack.size() - n.operands.size());
    switch (n.what) {
      case What::kConst:
        text += n.text + "\n";
        break;
      case What::kOp:
        text += vcode::info(n.op).text;
        if (n.suffix != Suffix::kNone) text += fmt::format(" {}", vcode::suffix_name(n.suffix));
        text += "\n";
        break;
      case What::kPair:
        text += "PAIR\n";
        break;
      case What::kUnpair:
        text += "UNPAIR\n";
        break;
      case What::kIf: {
        if (rng_.chance(0.3)) {
          if_without_else(n, stack, text);
          break;
        }
        text += "IF\n";
        Stack then = stack, otherwise = stack;
        body(n.blocks[0], then, stack.size(), text);
        text += "ELSE\n";
        body(n.blocks[1], otherwise, stack.size(), text);
        text += "ENDIF\n";
        break;
      }
      case What::kCall: {
        const std::string name = fmt::format("F{}", functions_.size());
        functions_.emplace_back();
        functions_[std::stoul(name.substr(1))] = function(name, n.blocks[0]);
        text += fmt::format("CALL {}\n", name);
        break;
      }
      case What::kRepeat:
        repeat(n, text);
        break;
    }
    stack.insert(stack.end(), n.results.begin(), n.results.end());
  }

  void repeat(const Node& n, std::string& text) {
    const std::size_t number = functions_.size();
    functions_.emplace_back();
    const std::size_t invariants = n.operands.size() - 1;
    // Stack: invariants, accumulator, counter.
    std::string f = fmt::format("FUNC F{}\nCOPY 1 0\nCONST INT 0\n> INT\nIF\nCONST INT 1\n- INT\n", number);
    Stack stack = n.blocks[0].params;
    stack.push_back(kCounter);
    body(n.blocks[0], stack, stack.size(), f);
    f += fmt::format("POP 1 2\nCPOP 1 1\nCALL F{}\nENDIF\nRET\n", number);
    functions_[number] = std::move(f);
    text += fmt::format("CONST INT {}\nCALL F{}\nPOP 1 0\n", n.count, number);
    if (invariants > 0) text += fmt::format("POP {} 1\n", invariants);
  }

  const RandomProgram& program_;
  Rng rng_;
  std::vector<std::string> functions_;
};

}  // namespace

std::string print_program(const RandomProgram& program, std::uint64_t style) {
  return StackWriter(program, style).write();
}

}  // namespace property