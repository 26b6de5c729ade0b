#include "constant_pool.h"

#include <utility>

#include "ir/walk.h"

namespace vcode::letform {
namespace {

/// String that differs for constants that differ in any bit.
std::string key(const Constant& constant) {
  std::string bytes{static_cast<char>(constant.type), static_cast<char>(constant.stream.has_value())};
  auto append = [&](const auto& elements) {
    bytes.append(reinterpret_cast<const char*>(elements.data()), elements.size() * sizeof(elements[0]));
  };
  append(constant.ints);
  append(constant.floats);
  append(constant.bools);
  return bytes;
}

}  // namespace

ConstantPool::ConstantPool(Program& program) : constants_(program.constants) {
  std::vector<Constant> old = std::exchange(constants_, {});
  std::vector<std::uint32_t> indices(old.size(), UINT32_MAX);
  for (Function& function : program.functions)
    for_each_binding(function.body, [&](Binding& binding) {
      if (binding.form != Binding::Form::kConst) return;
      std::uint32_t& index = indices[binding.target];
      if (index == UINT32_MAX) index = add(std::move(old[binding.target]));
      binding.target = index;
    });
}

std::uint32_t ConstantPool::add(Constant constant) {
  constant.bracketed = constant.type != Suffix::kChar && constant.size() != 1;
  auto [it, is_new] = indices_.try_emplace(key(constant), static_cast<std::uint32_t>(constants_.size()));
  if (is_new) constants_.push_back(std::move(constant));
  return it->second;
}

}  // namespace vcode::letform
