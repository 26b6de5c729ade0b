#include "machine/source_location.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "base/diagnostics.h"

namespace interp {

using vcode::InstructionSite;
using vcode::Site;

namespace {

bool is_located(const vcode::Program& program, std::uint32_t site) {
  return site != vcode::kNoSite && !program.sites[site].site.file.empty();
}

/// The site of the last step with a location outside of libraries; or null.
const Site* last_step(const vcode::Program& program, const vcode::Kernel& kernel) {
  for (auto step = kernel.steps.rbegin(); step != kernel.steps.rend(); ++step)
    if (is_located(program, step->site)) return &program.sites[step->site].site;
  return nullptr;
}

const vcode::Kernel* kernel_at(const vcode::Program& program, LinkedProgram::Origin origin) {
  const std::vector<vcode::Instruction>& body = program.functions[origin.function].body;
  const bool is_kernel =
      origin.instruction < body.size() && body[origin.instruction].statement == vcode::Statement::kFused;
  return is_kernel ? &program.kernels[body[origin.instruction].target] : nullptr;
}

/// The source function whose code, with what was inlined into it, has this site.
const std::string& outermost_function(const vcode::Program& program, const InstructionSite& site) {
  if (site.inlined == vcode::kNoCall) return site.site.function;
  std::uint32_t call = site.inlined;
  while (program.inlined[call].around != vcode::kNoCall) call = program.inlined[call].around;
  return program.inlined[call].function;
}

}  // namespace

std::string kernel_location(const vcode::Program& program, const vcode::Kernel& kernel) {
  const Site* const site = last_step(program, kernel);
  if (site == nullptr) return "";
  return base::printable(fmt::format("{}{}{}:{}:{}", site->function, site->function.empty() ? "" : ":", site->file,
                                     site->line, site->column));
}

std::vector<std::uint32_t> kernel_lines(const vcode::Program& program, const vcode::Kernel& kernel) {
  const Site* const last = last_step(program, kernel);
  if (last == nullptr) return {};
  std::set<std::uint32_t> lines;
  for (const vcode::Kernel::Step& step : kernel.steps)
    if (is_located(program, step.site) && program.sites[step.site].site.file == last->file)
      lines.insert(program.sites[step.site].site.line);
  return {lines.begin(), lines.end()};
}

const InstructionSite* location_of(const vcode::Program& program, LinkedProgram::Origin origin) {
  const std::vector<vcode::Instruction>& body = program.functions[origin.function].body;
  return last_location(program, body, std::min<std::size_t>(origin.instruction + 1, body.size()));
}

const Site* line_of(const vcode::Program& program, LinkedProgram::Origin origin) {
  if (const vcode::Kernel* kernel = kernel_at(program, origin))
    if (const Site* site = last_step(program, *kernel)) return site;
  // Calls that the compiler has made of a body have no location: they are of the line before them.
  const std::vector<vcode::Instruction>& body = program.functions[origin.function].body;
  const auto is_in_source = [&](const vcode::Instruction& instruction) {
    return is_located(program, instruction.site);
  };
  const auto after =
      body.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(origin.instruction + 1, body.size()));
  const auto before = std::find_if(std::make_reverse_iterator(after), body.rend(), is_in_source);
  if (before != body.rend()) return &program.sites[before->site].site;
  const auto first = std::find_if(after, body.end(), is_in_source);
  return first == body.end() ? nullptr : &program.sites[first->site].site;
}

bool has_locations(const vcode::Program& program) {
  return std::any_of(program.sites.begin(), program.sites.end(),
                     [](const InstructionSite& site) { return !site.site.file.empty(); });
}

std::string shown_name(const std::string& function) { return function.empty() ? "(top level)" : function; }

std::string source_function(const vcode::Program& program, std::uint32_t function) {
  const vcode::Function& compiled = program.functions[function];
  const auto is_in_source = [&](const auto& instruction) { return is_located(program, instruction.site); };
  for (const vcode::Instruction& instruction : compiled.body) {
    if (is_in_source(instruction)) return shown_name(outermost_function(program, program.sites[instruction.site]));
    if (instruction.statement != vcode::Statement::kFused) continue;
    const vcode::Kernel& kernel = program.kernels[instruction.target];
    const auto step = std::find_if(kernel.steps.begin(), kernel.steps.end(), is_in_source);
    if (step != kernel.steps.end()) return shown_name(outermost_function(program, program.sites[step->site]));
  }
  if (!has_locations(program)) return compiled.name;
  std::string name = compiled.name.substr(0, compiled.name.find_last_not_of("0123456789") + 1);
  if (name.ends_with('_')) name.pop_back();
  if (name.ends_with("_EACH")) name.resize(name.size() - 5);
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name;
}

}  // namespace interp
