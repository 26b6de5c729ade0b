// Programs with an error of the validator must never work. Random programs run on a machine whose values are nothing
// but kinds and whose branches are chosen at random; if such a run succeeds, the validator must not have reported any
// instruction on its path.

#include <memory>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "symbolic_run.h"
#include "vcode_testing.h"

namespace vcode::testing {
namespace {

struct StackValue {
  Kind kind;
  std::shared_ptr<std::pair<StackValue, StackValue>> parts = {};
};

class KindMachine {
 public:
  enum class Outcome { kSuccess, kFailure, kEndless };

  KindMachine(const Program& program, bool strict, std::uint32_t seed)
      : program_(program), strict_(strict), dice_(seed) {}

  Outcome run() {
    struct Frame {
      std::uint32_t function, next;
    };
    std::vector<Frame> frames{{program_.entry, 0}};
    while (!frames.empty()) {
      if (++steps_ > 500) return Outcome::kEndless;
      auto [f, at] = frames.back();
      const std::vector<Instruction>& body = program_.functions[f].body;
      if (at == body.size()) {
        frames.pop_back();
        continue;
      }
      const Instruction& i = body[at];
      visited_.insert(i.span.begin);
      frames.back().next = at + 1;
      if (!has_operands(i)) return Outcome::kFailure;
      if (i.statement == Statement::kCall)
        frames.push_back({i.target, 0});
      else if (i.statement == Statement::kElse)
        frames.back().next = i.target;
      else if (i.statement == Statement::kIf)
        frames.back().next = branch(i);
      else if (i.op == Op::kExit && i.statement == Statement::kOp)
        return Outcome::kSuccess;
      else if (!execute(i))
        return Outcome::kFailure;
    }
    return Outcome::kSuccess;
  }

  const std::set<std::uint32_t>& visited() const { return visited_; }

 private:
  bool has_operands(const Instruction& i) const {
    int count = operand_count(program_, i);
    if (static_cast<int>(stack_.size()) < count) return false;
    for (int k = 0; k < count; ++k)
      if (!(kinds::one(stack_.end()[k - count].kind) & operand_rule(program_, i, k, strict_).kinds)) return false;
    return true;
  }

  std::uint32_t branch(const Instruction& i) {
    stack_.pop_back();
    return dice_() % 2 ? static_cast<std::uint32_t>(&i - body_of(i)) + 1 : i.target + 1;
  }
  const Instruction* body_of(const Instruction& i) const {
    for (const Function& function : program_.functions)
      if (&i >= function.body.data() && &i < function.body.data() + function.body.size()) return function.body.data();
    return nullptr;
  }

  bool execute(const Instruction& i) {
    auto count = static_cast<std::size_t>(i.count), depth = static_cast<std::size_t>(i.depth);
    switch (i.statement) {
      case Statement::kOp: {
        const Signature& signature = info(i.op).signature;
        stack_.resize(stack_.size() - static_cast<std::size_t>(signature.operand_count), StackValue{Kind::kInt});
        for (int r = 0; r < signature.result_count; ++r)
          stack_.push_back({Signature::kind(signature.results[static_cast<std::size_t>(r)], i.suffix)});
        return true;
      }
      case Statement::kConst:
        stack_.push_back({suffix_kind(program_.constants[i.target].type)});
        return true;
      case Statement::kFused: {
        const Kernel& kernel = program_.kernels[i.target];
        stack_.resize(stack_.size() - kernel.input_count, StackValue{Kind::kInt});
        for (KernelVar v : kernel.outputs) stack_.push_back({kernel.values[v].kind});
        return true;
      }
      case Statement::kPair: {
        auto parts = std::make_shared<std::pair<StackValue, StackValue>>(stack_.end()[-2], stack_.back());
        stack_.pop_back();
        stack_.back() = {Kind::kPair, parts};
        return true;
      }
      case Statement::kUnpair: {
        auto parts = stack_.back().parts;
        stack_.back() = parts->first;
        stack_.push_back(parts->second);
        return true;
      }
      case Statement::kCopy:
      case Statement::kPop:
      case Statement::kCpop: {
        if (count == 0) return true;
        if (stack_.size() < count + depth) return false;
        auto end = stack_.end() - static_cast<std::ptrdiff_t>(depth), begin = end - static_cast<std::ptrdiff_t>(count);
        std::vector<StackValue> block(begin, end);
        if (i.statement != Statement::kCopy) stack_.erase(begin, end);
        if (i.statement != Statement::kPop) stack_.insert(stack_.end(), block.begin(), block.end());
        return true;
      }
      default:
        return true;
    }
  }

  const Program& program_;
  bool strict_;
  std::mt19937 dice_;
  std::vector<StackValue> stack_;
  std::set<std::uint32_t> visited_;
  int steps_ = 0;
};

/// A random program, with a small vocabulary so that its words often match.
std::string random_program(std::mt19937& dice, bool may_branch_and_recur = true) {
  auto pick = [&](int n) { return static_cast<int>(dice() % static_cast<unsigned>(n)); };
  constexpr const char* kPlain[] = {
      "CONST INT 1", "CONST INT 1", "CONST BOOL T", "CONST FLOAT 1.0", "CONST SEGDES 1", "NOT INT",
      "NOT BOOL",    "FLOOR",       "I_TO_F",       "MAKE_SEGDES",     "LENGTHS",        "+ INT",
      "LENGTH INT",  "PAIR",        "PAIR",         "UNPAIR",          "WRITE INT",      "EXIT"};
  const int functions = 1 + pick(4);
  auto callee = [&](int caller) {
    return may_branch_and_recur ? pick(functions) : caller + 1 + pick(functions - caller - 1);
  };
  std::string text;
  for (int f = 0; f < functions; ++f) {
    text += fmt::format("FUNC f{}\n", f);
    for (int i = pick(3) + (f == 0); i > 0; --i) text += fmt::format("{}\n", kPlain[pick(5)]);
    std::vector<bool> open;  // whether each open IF has its ELSE
    for (int left = pick(8); left > 0; --left) {
      int choice = pick(may_branch_and_recur ? 20 : f + 1 < functions ? 14 : 11);
      if (choice < 8)
        text += fmt::format("{}\n", kPlain[pick(std::size(kPlain))]);
      else if (choice < 11)
        text += fmt::format("{} {} {}\n", (const char*[]){"COPY", "POP", "CPOP"}[pick(3)], pick(3), pick(3));
      else if (choice < 14)
        text += fmt::format("CALL f{}\n", callee(f));
      else if (choice < 17)
        text += pick(2) ? "CONST BOOL T IF\n" : "IF\n", open.push_back(false);
      else if (!open.empty() && !open.back() && choice < 19)
        text += "ELSE\n", open.back() = true;
      else if (!open.empty())
        text += "ENDIF\n", open.pop_back();
    }
    for (; !open.empty(); open.pop_back()) text += "ENDIF\n";
    text += "RET\n";
  }
  return text;
}

/// The location of a message in the function whose stack it shows: its outermost call.
std::uint32_t outermost(const base::Diagnostic& d) {
  std::uint32_t position = d.span.begin;
  for (const base::Diagnostic::Note& note : d.notes)
    if (note.located) position = note.span.begin;
  return position;
}

TEST(ValidatorSoundness, ReportedInstructionsNeverWork) {
  int successes = 0, complaints = 0, passed_by = 0;
  for (std::uint32_t seed = 0; seed < 20'000; ++seed) {
    std::mt19937 dice(seed);
    bool strict = seed % 4 == 0;
    base::Source source("p", random_program(dice));
    base::Diagnostics diagnostics;
    Program program = parse_vcode(source, diagnostics).value();
    validate(program, {}, strict, diagnostics);
    complaints += diagnostics.has_errors();
    for (std::uint32_t run = 0; run < 6; ++run) {
      KindMachine machine(program, strict, run);
      if (machine.run() != KindMachine::Outcome::kSuccess) continue;
      ++successes;
      passed_by += diagnostics.has_errors();
      for (const base::Diagnostic& d : diagnostics.all())
        ASSERT_FALSE(machine.visited().count(outermost(d))) << "seed " << seed << "\n"
                                                            << source.text() << base::render(source, d);
    }
  }
  // Guards against random programs of too few sorts, which would make the test meaningless.
  EXPECT_GT(successes, 5000);
  EXPECT_GT(complaints, 2000);
  EXPECT_GT(passed_by, 100);
}

TEST(ValidatorSoundness, FailingCodeWithoutBranchesIsRejected) {
  // Without branches nothing is left to run time, so accepted programs must work.
  int accepted = 0;
  for (std::uint32_t seed = 0; seed < 20'000; ++seed) {
    std::mt19937 dice(seed);
    base::Source source("p", random_program(dice, false));
    base::Diagnostics diagnostics;
    Program program = parse_vcode(source, diagnostics).value();
    validate(program, {}, false, diagnostics);
    KindMachine::Outcome outcome = KindMachine(program, false, 0).run();
    accepted += !diagnostics.has_errors();
    ASSERT_EQ(outcome == KindMachine::Outcome::kSuccess, !diagnostics.has_errors())
        << "seed " << seed << "\n"
        << source.text() << base::render(source, diagnostics);
  }
  EXPECT_GT(accepted, 500);
}

}  // namespace
}  // namespace vcode::testing
