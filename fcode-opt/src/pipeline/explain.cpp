#include "explain.h"

#include <algorithm>

#include <fmt/format.h>

#include "ir/walk.h"

namespace fcode_opt {
namespace {

std::string size_text(const vcode::Program& program) {
  std::size_t instructions = 0, moves = 0;
  for (const vcode::Function& function : program.functions) {
    instructions += function.body.size();
    moves += static_cast<std::size_t>(
        std::count_if(function.body.begin(), function.body.end(), [](const vcode::Instruction& instruction) {
          return instruction.statement == vcode::Statement::kCopy || instruction.statement == vcode::Statement::kPop ||
                 instruction.statement == vcode::Statement::kCpop;
        }));
  }
  return fmt::format("{} functions, {} instructions, {} of them COPY, POP or CPOP", program.functions.size(),
                     instructions, moves);
}

}  // namespace

std::size_t count_bindings(const vcode::letform::Program& program) {
  std::size_t count = 0;
  for (const vcode::letform::Function& function : program.functions) count += vcode::letform::count_bindings(function);
  return count;
}

std::string explain_conversion(const vcode::Program& program, const base::Source& source,
                               const vcode::letform::Converted& converted) {
  std::string text;
  for (const vcode::letform::KeptFunction& kept : converted.kept) {
    const vcode::Function& function = program.functions[kept.function];
    const base::Span span = kept.span.end > 0 ? kept.span : function.span;
    const base::Source::Position position = source.position(span.begin);
    text += fmt::format("{}:{}:{}: {} stays stack code: {}\n", source.name(), position.line, position.column,
                        function.name, kept.reason);
  }
  return text;
}

std::string explain_sizes(const vcode::Program& before, const vcode::Program& after) {
  return fmt::format("before: {}\nafter:  {}\n", size_text(before), size_text(after));
}

}  // namespace fcode_opt
