#pragma once

#include <string>
#include <utility>

#include <fmt/format.h>

#include "vcode/kernel.h"

namespace kernels {

/// The first mistake that is found in the plan of a kernel, in words.
class PlanMistake {
 public:
  explicit PlanMistake(const vcode::Kernel& kernel) : kernel_(kernel) {}

  bool found() const { return !text_.empty(); }
  const std::string& text() const { return text_; }

  /// Notes the mistake unless `holds`, which is returned.
  template <class... Args>
  bool expect(bool holds, fmt::format_string<Args...> format, Args&&... args) {
    if (!holds && text_.empty()) text_ = fmt::format(format, std::forward<Args>(args)...);
    return holds;
  }

  std::string name(vcode::KernelVar v) const {
    return v < kernel_.values.size() ? kernel_.values[v].name : fmt::format("value {}", v);
  }
  /// The name of the first result of a step.
  std::string name(const vcode::Kernel::Step* step) const {
    return step != nullptr && !step->results.empty() ? name(step->results[0]) : "no step";
  }

 private:
  const vcode::Kernel& kernel_;
  std::string text_;
};

}  // namespace kernels
