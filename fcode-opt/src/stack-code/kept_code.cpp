#include "kept_code.h"

#include "base/check.h"

namespace vcode::letform {

KeptCode::KeptCode(const Program& program, const vcode::Program& original, InlinedCalls& calls, vcode::Program& result)
    : program_(program),
      original_(original),
      calls_(calls),
      result_(result),
      numbers_(original.functions.size(), kNoFunction),
      constants_(original.constants.size(), UINT32_MAX) {}

void KeptCode::place(const Function& function, std::uint32_t number) {
  if (function.linkage == Linkage::kInternal || number == kNoFunction) return;
  VC_CHECK(function.original != kNoFunction);
  numbers_[function.original] = number;
  if (function.linkage == Linkage::kExternal) to_write_.push_back(function.original);
}

std::uint32_t KeptCode::number_of(std::uint32_t original) {
  std::uint32_t& number = numbers_[original];
  if (number == kNoFunction) {
    number = static_cast<std::uint32_t>(result_.functions.size());
    result_.functions.emplace_back();
    to_write_.push_back(original);
  }
  return number;
}

void KeptCode::write(Labels& labels) {
  for (std::size_t k = 0; k < to_write_.size(); ++k) write_function(to_write_[k], labels);
}

void KeptCode::write_function(std::uint32_t original, Labels& labels) {
  const vcode::Function& function = original_.functions[original];
  vcode::Function written = function;
  const bool is_entry = program_.functions[program_.entry].original == original;
  if (!is_entry) written.name = labels.make(function.name);
  for (Instruction& instruction : written.body) {
    if (instruction.statement == Statement::kCall) instruction.target = number_of(instruction.target);
    if (instruction.statement == Statement::kConst) {
      std::uint32_t& constant = constants_[instruction.target];
      if (constant == UINT32_MAX) {
        constant = static_cast<std::uint32_t>(result_.constants.size());
        result_.constants.push_back(original_.constants[instruction.target]);
      }
      instruction.target = constant;
    }
    if (instruction.site == kNoSite) continue;
    result_.sites.push_back(original_.sites[instruction.site]);
    result_.sites.back().inlined = calls_.take(result_.sites.back().inlined);
    instruction.site = static_cast<std::uint32_t>(result_.sites.size() - 1);
  }
  result_.functions[numbers_[original]] = std::move(written);
}

}  // namespace vcode::letform
