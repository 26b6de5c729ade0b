#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "base/check.h"
#include "fcode-opt/letform.h"

namespace vcode::letform {

/// Constants of a program, without duplicates.
class ConstantPool {
 public:
  /// Merges equal constants and removes constants that no binding uses.
  explicit ConstantPool(Program& program);

  std::uint32_t add(Constant constant);
  const Constant& operator[](std::uint32_t index) const {
    VC_CHECK(index < constants_.size());
    return constants_[index];
  }

 private:
  std::vector<Constant>& constants_;
  std::unordered_map<std::string, std::uint32_t> indices_;
};

}  // namespace vcode::letform
