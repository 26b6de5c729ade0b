#include "kernel_reader.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/suggestion.h"
#include "constant_reader.h"
#include "vcode/kernel_rules.h"

namespace vcode {

void KernelReader::read() {
  keyword_ = in_.token().span;
  names_.clear();
  Kernel kernel;
  in_.advance();
  bool good = read_head(kernel);
  while (good && !in_.stopped() && !in_.is_label("OUT")) good = read_step(kernel);
  good = good && !in_.stopped() && read_outputs(kernel);
  if (!good) return skip();
  kernel.span = keyword_;
  check(kernel);
  auto [it, is_new] = numbers_.try_emplace(kernel.number, static_cast<std::uint32_t>(program_.kernels.size()));
  if (!is_new)
    in_.error(keyword_, fmt::format("KERNEL {} is defined twice", kernel.number),
              {{program_.kernels[it->second].span, "the first definition", true}});
  else
    program_.kernels.push_back(std::move(kernel));
}

std::optional<std::uint32_t> KernelReader::find(std::int64_t number) const {
  auto it = numbers_.find(number);
  return it == numbers_.end() ? std::nullopt : std::optional(it->second);
}

/// Skips to the next section or function.
void KernelReader::skip() {
  while (!in_.stopped() && !in_.is(WordClass::kFunc) && !in_.is_label("KERNEL") && in_.token().kind != TokenKind::kEnd)
    in_.advance();
}

bool KernelReader::expect_word(std::string_view word, std::string_view what) {
  if (in_.is_label(word)) {
    in_.advance();
    return true;
  }
  in_.error(in_.here(), fmt::format("{}, not {}", what, in_.found()));
  return false;
}

bool KernelReader::read_head(Kernel& kernel) {
  std::optional<std::int64_t> number = in_.read_count(keyword_, "KERNEL needs a number");
  if (!number) return false;
  kernel.number = *number;
  if (!in_.is(WordClass::kLabel)) {
    in_.error(in_.here(), fmt::format("KERNEL needs a name behind its number, not {}", in_.found()));
    return false;
  }
  kernel.name = in_.text();
  in_.advance();
  if (!read_inputs(kernel) || !expect_word("OVER", "a kernel's inputs are followed by OVER and one of them"))
    return false;
  std::optional<KernelVar> over = find_value(kernel);
  kernel.over = over.value_or(0);
  if (!over || !in_.is_label("REPEATED")) return over.has_value();
  const base::Span repeated = in_.token().span;
  in_.advance();
  const std::optional<std::int64_t> count = in_.read_count(repeated, "REPEATED needs the number of values of the loop");
  kernel.repeated = static_cast<std::uint32_t>(std::min<std::int64_t>(count.value_or(0), kernel.input_count + 1));
  return count.has_value();
}

bool KernelReader::read_inputs(Kernel& kernel) {
  if (in_.token().kind != TokenKind::kOpen) {
    in_.error(in_.here(), fmt::format("KERNEL needs its inputs in ( ), not {}", in_.found()));
    return false;
  }
  for (in_.advance(); in_.token().kind != TokenKind::kClose;) {
    if (!check_name(kernel)) return false;
    std::string name(in_.text());
    in_.advance();
    if (!in_.is(WordClass::kType) || in_.word().type == Suffix::kChar) {
      in_.error(in_.here(), fmt::format("the input {} needs its type (INT, BOOL, FLOAT, BYTE or SEGDES), not {}", name,
                                        in_.found()));
      return false;
    }
    define(kernel, std::move(name), suffix_kind(in_.word().type));
    in_.advance();
  }
  in_.advance();
  kernel.input_count = static_cast<std::uint32_t>(kernel.values.size());
  return true;
}

/// Checks that the present token can name a new value.
bool KernelReader::check_name(const Kernel& kernel) {
  if (!in_.is(WordClass::kLabel)) {
    in_.error(in_.here(), in_.token().kind == TokenKind::kWord
                              ? fmt::format("{} is a reserved word and cannot name a value", in_.found())
                              : fmt::format("the name of a value was expected, not {}", in_.found()));
    return false;
  }
  if (!names_.count(std::string(in_.text()))) return true;
  in_.error(in_.token().span, fmt::format("kernel {} has a value {} already", kernel.name, in_.found()));
  return false;
}

void KernelReader::define(Kernel& kernel, std::string name, Kind kind) {
  names_[name] = static_cast<KernelVar>(kernel.values.size());
  kernel.values.push_back({std::move(name), kind});
}

/// Finds the value that the present token names.
std::optional<KernelVar> KernelReader::find_value(const Kernel& kernel) {
  if (!in_.is(WordClass::kLabel)) {
    in_.error(in_.here(), fmt::format("the name of a value was expected, not {}", in_.found()));
    return std::nullopt;
  }
  auto it = names_.find(std::string(in_.text()));
  if (it == names_.end()) {
    std::vector<std::string_view> names;
    for (const Kernel::ValueInfo& value : kernel.values) names.push_back(value.name);
    in_.error(in_.token().span, fmt::format("kernel {} has no value {}{}", kernel.name, in_.found(),
                                            base::suggestion(in_.text(), names)));
    return std::nullopt;
  }
  in_.advance();
  return it->second;
}

bool KernelReader::read_step(Kernel& kernel) {
  Kernel::Step step;
  const base::Span begin = in_.token().span;
  std::vector<std::string> results;
  do {
    if (in_.ends_body()) {
      in_.error(in_.here(), fmt::format("a kernel ends with OUT, its results, and RET, not with {}", in_.found()));
      return false;
    }
    if (!check_name(kernel)) return false;
    results.emplace_back(in_.text());
    in_.advance();
  } while (!in_.is(WordClass::kOp) || in_.word().op != Op::kEqual);
  in_.advance();
  const base::Span statement = in_.token().span;
  bool good = false;
  if (in_.is(WordClass::kStatement) && in_.word().statement == Statement::kConst) {
    in_.advance();
    good = read_constant(kernel, step, std::move(results), statement);
  } else if (in_.is(WordClass::kOp)) {
    good = read_operation(kernel, step, std::move(results));
  } else {
    in_.error(in_.here(), fmt::format("an operation or CONST was expected behind =, not {}", in_.found()));
  }
  if (!good) return false;
  step.span = in_.span_from(begin.begin);
  step.site = in_.read_site(program_);
  kernel.steps.push_back(std::move(step));
  return true;
}

bool KernelReader::read_constant(Kernel& kernel, Kernel::Step& step, std::vector<std::string> results,
                                 base::Span statement) {
  std::optional<Constant> constant = ConstantReader(in_).read(statement);
  if (!constant) return false;
  if (results.size() != 1 || constant->size() != 1 || constant->type == Suffix::kSegdes) {
    in_.error(in_.span_from(statement.begin),
              "CONST in a kernel is one element (INT, BOOL, FLOAT or a character) for one name");
    return false;
  }
  step.constant = static_cast<std::uint32_t>(program_.constants.size());
  step.results = {static_cast<KernelVar>(kernel.values.size())};
  define(kernel, std::move(results[0]), suffix_kind(constant->type));
  program_.constants.push_back(std::move(*constant));
  return true;
}

bool KernelReader::read_operation(Kernel& kernel, Kernel::Step& step, std::vector<std::string> results) {
  const OpInfo& op = info(in_.word().op);
  const base::Span mnemonic = in_.token().span;
  in_.advance();
  std::optional<Suffix> suffix = in_.read_suffix(mnemonic, op);
  if (!suffix) return false;
  if (producer_of(op.op) == Producer::kInput) {
    in_.error(mnemonic, fmt::format("{} cannot be in a kernel", op.text));
    return false;
  }
  step.op = op.op;
  step.suffix = *suffix;
  for (int k = 0; k < op.signature.operand_count; ++k) {
    std::optional<KernelVar> operand = find_value(kernel);
    if (!operand) return false;
    step.operands.push_back(*operand);
  }
  const auto count = static_cast<std::size_t>(op.signature.result_count);
  if (results.size() != count) {
    in_.error(mnemonic,
              fmt::format("{} has {} result{}, but {} name{} stand{} before it", op.text, count, count == 1 ? "" : "s",
                          results.size(), results.size() == 1 ? "" : "s", results.size() == 1 ? "s" : ""));
    return false;
  }
  for (std::size_t k = 0; k < count; ++k) {
    step.results.push_back(static_cast<KernelVar>(kernel.values.size()));
    if (names_.count(results[k])) {
      in_.error(mnemonic, fmt::format("kernel {} has a value {} already", kernel.name, results[k]));
      return false;
    }
    define(kernel, std::move(results[k]), Signature::kind(op.signature.results[k], *suffix));
  }
  return true;
}

bool KernelReader::read_outputs(Kernel& kernel) {
  for (in_.advance(); in_.is(WordClass::kLabel);) {
    std::optional<KernelVar> output = find_value(kernel);
    if (!output) return false;
    kernel.outputs.push_back(*output);
  }
  if (!in_.is(WordClass::kRet)) {
    in_.error(in_.here(), fmt::format("RET expected behind a kernel's results, not {}", in_.found()),
              {{keyword_, "the kernel begins here", true}});
    return false;
  }
  in_.advance();
  return true;
}

void KernelReader::check(const Kernel& kernel) {
  KernelFacts facts = look_at(kernel);
  if (facts.error.empty()) return;
  in_.error(facts.error_step < kernel.steps.size() ? kernel.steps[facts.error_step].span : keyword_,
            fmt::format("kernel {}: {}", kernel.name, facts.error));
}

}  // namespace vcode
