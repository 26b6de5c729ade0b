#include "vcode-interp/explain_program.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "machine/source_location.h"
#include "profile/shown_rows.h"
#include "report/code_size.h"
#include "report/explain_updates.h"

namespace interp {

namespace {

/// Most names of operations in a list.
constexpr std::size_t kShownOperations = 10;

std::string name_of(vcode::Op op, vcode::Suffix suffix) {
  std::string text(vcode::info(op).text);
  if (suffix != vcode::Suffix::kNone) (text += ' ') += vcode::suffix_name(suffix);
  return text;
}

void add_once(std::vector<std::string>& names, std::string name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
}

std::string list_of(const std::vector<std::string>& names) {
  if (names.size() <= kShownOperations) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{} and {} more", fmt::join(names.begin(), names.begin() + kShownOperations, ", "),
                     names.size() - kShownOperations);
}

std::string kernel_sentence(const vcode::Program& program, const vcode::Kernel& kernel, cvl::Backend& backend,
                            vcode::Widths widths) {
  std::vector<std::string> operations;
  for (const vcode::Kernel::Step& step : kernel.steps)
    if (!step.is_constant()) add_once(operations, name_of(step.op, step.suffix));
  const Profile::Kernel shown{{}, kernel_lines(program, kernel)};
  return fmt::format("{}: {}; machine code: {}", kernel_text(fmt::format("FUSED {}", kernel.number), shown),
                     list_of(operations), code_size(kernel, kernel_location(program, kernel), backend, widths));
}

}  // namespace

std::vector<PlacedText> explain_program(const vcode::Program& program, cvl::Backend& backend, vcode::Widths widths) {
  std::vector<PlacedText> texts;
  // Operations outside of kernels, by lines, or functions of libraries.
  std::map<std::tuple<std::string, std::uint32_t, std::string>, std::pair<vcode::Site, std::vector<std::string>>> alone;
  for (std::uint32_t f = 0; f < program.functions.size(); ++f) {
    const std::vector<vcode::Instruction>& body = program.functions[f].body;
    for (std::uint32_t i = 0; i < body.size(); ++i) {
      const vcode::Instruction& in = body[i];
      const vcode::Site* const line = line_of(program, {f, i});
      const vcode::Site location = line != nullptr ? *line : vcode::Site{.function = source_function(program, f)};
      if (in.statement == vcode::Statement::kFused)
        texts.push_back({location, kernel_sentence(program, program.kernels[in.target], backend, widths)});
      if (in.statement == vcode::Statement::kCall && !program.functions[in.target].piece_operands.empty())
        texts.push_back({location, fmt::format("{} may run in pieces", source_function(program, in.target))});
      if (in.statement != vcode::Statement::kOp) continue;
      const vcode::OpClass op_class = vcode::info(in.op).op_class;
      if (op_class == vcode::OpClass::kElementwise || op_class == vcode::OpClass::kSystem) continue;
      auto& [where, names] = alone[{location.file, location.line, line != nullptr ? "" : location.function}];
      where = location;
      add_once(names, name_of(in.op, in.suffix));
    }
  }
  for (const auto& [line, operations] : alone)
    texts.push_back({operations.first, "in no kernel: " + list_of(operations.second)});
  std::ranges::move(explain_updates(program), std::back_inserter(texts));
  return texts;
}

}  // namespace interp
