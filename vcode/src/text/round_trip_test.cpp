// Property: any printed program is read back as an equal one. The programs are random and need not make sense.

#include <bit>
#include <cmath>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <fmt/format.h>

#include "vcode/printer.h"
#include "vcode_testing.h"
#include "words.h"

namespace vcode::testing {
namespace {

rc::Gen<std::string> label() {
  static constexpr std::string_view kCharacters = "-+*/%<>=!._ABYZabyz0189";
  return rc::gen::map(rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(
                          rc::gen::inRange<int>(0, static_cast<int>(kCharacters.size())))),
                      [](const std::vector<int>& picks) {
                        std::string text = "x";  // not a number, not a reserved word
                        for (int i : picks) text += kCharacters[static_cast<std::size_t>(i)];
                        return text;
                      });
}

double any_finite() {
  double value = *rc::gen::arbitrary<double>();
  if (*rc::gen::inRange(0, 2)) {
    auto bits = *rc::gen::arbitrary<std::uint64_t>();
    value = std::bit_cast<double>(bits);
  }
  return std::isfinite(value) ? value : 0.5;
}

Constant any_constant(Suffix type) {
  Constant constant;
  constant.type = type;
  constant.bracketed = constant.type != Suffix::kChar && *rc::gen::arbitrary<bool>();
  if (constant.type == Suffix::kInt && !constant.bracketed && *rc::gen::arbitrary<bool>()) {
    constant.stream = static_cast<Stream>(*rc::gen::inRange(-1, 3));
    constant.ints = {static_cast<int>(*constant.stream)};
    return constant;
  }
  int size = constant.bracketed || constant.type == Suffix::kChar ? *rc::gen::inRange(0, 5) : 1;
  for (int i = 0; i < size; ++i) {
    if (constant.type == Suffix::kFloat)
      constant.floats.push_back(any_finite());
    else if (constant.type == Suffix::kBool)
      constant.bools.push_back(*rc::gen::arbitrary<bool>());
    else if (constant.type == Suffix::kInt)
      constant.ints.push_back(*rc::gen::arbitrary<std::int64_t>());
    else if (constant.type == Suffix::kSegdes)
      constant.ints.push_back(*rc::gen::inRange<std::int64_t>(0, INT64_MAX));
    else
      constant.ints.push_back(*rc::gen::distinctFrom(rc::gen::inRange<std::int64_t>(-128, 128), std::int64_t{'"'}));
  }
  return constant;
}

Constant any_constant() {
  return any_constant(*rc::gen::element(Suffix::kInt, Suffix::kBool, Suffix::kFloat, Suffix::kSegdes, Suffix::kChar));
}

Instruction any_op() {
  const OpInfo& row = all_ops()[*rc::gen::inRange(0, kOps)];
  std::vector<Suffix> suffixes;
  for (int s = 0; s < kSuffixes; ++s)
    if (row.takes(static_cast<Suffix>(s))) suffixes.push_back(static_cast<Suffix>(s));
  Instruction instruction;
  instruction.op = row.op;
  instruction.suffix = *rc::gen::elementOf(suffixes);
  return instruction;
}

std::uint32_t any_site(Program& program) {
  if (*rc::gen::inRange(0, 4) > 0) return kNoSite;
  // No brackets, bars, line ends or '<', with which an inlined call begins: sites cannot contain them.
  auto text = rc::gen::container<std::string>(
      rc::gen::oneOf(rc::gen::inRange<char>(' ', '<'), rc::gen::inRange<char>('=', 'z'), rc::gen::just(':')));
  auto number = rc::gen::arbitrary<std::uint32_t>();
  auto nest = rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(0, 100));
  program.sites.push_back({{*text, *number, *number, *text, *text, *text}, *nest, *rc::gen::arbitrary<bool>()});
  return static_cast<std::uint32_t>(program.sites.size() - 1);
}

std::vector<Instruction> any_body(Program& program) {
  std::vector<Instruction> body;
  struct OpenIf {
    std::uint32_t last;
    bool has_else;
  };
  std::vector<OpenIf> open;
  auto add = [&](Statement statement) -> Instruction& {
    body.emplace_back().statement = statement;
    return body.back();
  };
  auto here = [&] { return static_cast<std::uint32_t>(body.size()); };
  auto close = [&](Statement statement) {
    body[open.back().last].target = here();
    open.back().last = here();
    add(statement);
    if (statement == Statement::kEndif) open.pop_back();
  };
  auto count = rc::gen::inRange<std::int64_t>(0, INT64_MAX);
  for (int left = *rc::gen::inRange(0, 20); left > 0; --left) {
    Statement statement = static_cast<Statement>(*rc::gen::inRange(0, static_cast<int>(Statement::kFused) + 1));
    switch (statement) {
      case Statement::kOp:
        body.push_back(any_op());
        break;
      case Statement::kConst:
        program.constants.push_back(any_constant());
        add(statement).target = static_cast<std::uint32_t>(program.constants.size() - 1);
        break;
      case Statement::kCopy:
      case Statement::kPop:
      case Statement::kCpop:
        add(statement).count = *count;
        body.back().depth = *count;
        break;
      case Statement::kCall:
        add(statement).target =
            *rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(program.functions.size()));
        break;
      case Statement::kFused:
        if (program.kernels.empty()) break;
        add(statement).target = *rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(program.kernels.size()));
        break;
      case Statement::kIf:
        open.push_back({here(), false});
        add(statement);
        break;
      case Statement::kElse:
        if (open.empty() || open.back().has_else) break;
        open.back().has_else = true;
        close(statement);
        break;
      case Statement::kEndif:
        if (!open.empty()) close(statement);
        break;
      default:
        add(statement);
    }
  }
  while (!open.empty()) close(Statement::kEndif);
  for (Instruction& instruction : body) instruction.site = any_site(program);
  return body;
}

/// A kernel of elementwise operations on INT, with a reduction at the end.
Kernel any_kernel(Program& program, std::int64_t number) {
  Kernel kernel;
  kernel.number = number;
  kernel.name = *label();
  kernel.values = {{"a", Kind::kInt}, {"b", Kind::kInt}, {"s", Kind::kSegdes}};
  kernel.input_count = 3;
  kernel.over = *rc::gen::element<KernelVar>(0, 2);
  auto add = [&](Kernel::Step step) {
    step.results = {static_cast<KernelVar>(kernel.values.size())};
    step.site = any_site(program);
    kernel.values.push_back({fmt::format("v{}", kernel.values.size()), Kind::kInt});
    kernel.steps.push_back(std::move(step));
    return kernel.steps.back().results[0];
  };
  Constant one = any_constant(Suffix::kInt);
  while (one.size() != 1) one = any_constant(*rc::gen::element(Suffix::kInt, Suffix::kChar));
  program.constants.push_back(one);
  KernelVar constant = add({.constant = static_cast<std::uint32_t>(program.constants.size() - 1)});
  KernelVar last = add({.op = Op::kDist, .suffix = Suffix::kInt, .operands = {constant, 2}});
  last = add({.op = Op::kAdd, .suffix = Suffix::kInt, .operands = {last, 0}});
  for (int left = *rc::gen::inRange(1, 6); left > 0; --left)
    last = add({.op = *rc::gen::element(Op::kAdd, Op::kXor), .suffix = Suffix::kInt, .operands = {last, left % 2u}});
  kernel.outputs = {add({.op = Op::kMaxReduce, .suffix = Suffix::kInt, .operands = {last, 2}}), last};
  return kernel;
}

Program any_program() {
  Program program;
  program.is_fcode = *rc::gen::arbitrary<bool>();
  if (program.is_fcode)
    for (int k = *rc::gen::inRange(0, 3); k > 0; --k) program.kernels.push_back(any_kernel(program, k));
  auto names = *rc::gen::nonEmpty(rc::gen::container<std::set<std::string>>(label()));
  for (const std::string& name : names) program.functions.emplace_back().name = name;
  if (*rc::gen::arbitrary<bool>()) {
    program.entry = *rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(program.functions.size()));
    program.functions[program.entry].name = "MAIN";
  }
  for (Function& function : program.functions) {
    auto types = rc::gen::container<std::vector<Suffix>>(
        rc::gen::element(Suffix::kInt, Suffix::kBool, Suffix::kFloat, Suffix::kSegdes, Suffix::kChar));
    if (*rc::gen::arbitrary<bool>()) function.annotation = {*types, *types};
    function.body = any_body(program);
  }
  return program;
}

RC_GTEST_PROP(RoundTrip, PrintedProgramsAreReadBack, ()) {
  Program program = any_program();
  std::string text = print_vcode(program);
  base::Source source("p", text);
  base::Diagnostics diagnostics;
  std::optional<Program> read = parse_vcode(source, diagnostics);
  if (!read) RC_FAIL(base::render(source, diagnostics) + text);
  RC_ASSERT(*read == program);
  RC_ASSERT(print_vcode(*read) == text);
}

RC_GTEST_PROP(RoundTrip, ValidatorSurvivesSenselessPrograms, ()) {
  Program program = any_program();
  base::Diagnostics diagnostics;
  validate(program, {}, *rc::gen::arbitrary<bool>(), diagnostics);
  RC_ASSERT(diagnostics.all().size() <= 21u);
}

RC_GTEST_PROP(RoundTrip, GarbageIsRejectedOrReadBack, ()) {
  std::vector<std::string_view> words(instruction_words().begin(), instruction_words().end());
  for (std::string_view word : {"FUNC",  "MAIN", "RET", "INT", "FLOAT", "BOOL", "(",  ")", "1",      "2.5",  "T",
                                "\"s\"", "f",    "I",   "O",   "{",     "}",    "\"", ";", "KERNEL", "FCODE"})
    words.insert(words.end(), 5, word);
  std::string text = "FUNC MAIN ";
  for (std::string_view word : *rc::gen::container<std::vector<std::string_view>>(rc::gen::elementOf(words)))
    (text += word) += ' ';
  base::Source source("p", text);
  base::Diagnostics diagnostics;
  std::optional<Program> program = parse_vcode(source, diagnostics);
  RC_ASSERT(program.has_value() != diagnostics.has_errors());
  if (program) RC_ASSERT(read_good(print_vcode(*program)) == *program);
}

}  // namespace
}  // namespace vcode::testing
