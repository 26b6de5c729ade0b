#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/check.h"
#include "base/diagnostics.h"
#include "nesl_types.h"

namespace nesl {

/// Visible local variables. Inner ones hide outer ones of the same name.
class Scope {
 public:
  struct Local {
    std::uint32_t number;
    Type* type;
    base::Span bound;  ///< where the pattern names it
  };

  void add(const std::string& name, Local local) {
    std::size_t& innermost = innermost_.try_emplace(name, kNone).first->second;
    entries_.push_back({&name, local, innermost});
    innermost = entries_.size() - 1;
  }
  const Local* find(const std::string& name) const {
    auto at = innermost_.find(name);
    return at == innermost_.end() || at->second == kNone ? nullptr : &entries_[at->second].local;
  }
  std::size_t size() const { return entries_.size(); }
  /// Drops all but the first `size` variables.
  void shrink(std::size_t size) {
    VC_CHECK(size <= entries_.size());
    for (; entries_.size() > size; entries_.pop_back())
      innermost_.find(*entries_.back().name)->second = entries_.back().hidden;
  }
  /// Calls visit(name) for every visible variable.
  template <class Visit>
  void for_each_name(Visit visit) const {
    for (const auto& [name, entry] : innermost_)
      if (entry != kNone) visit(name);
  }

 private:
  static constexpr std::size_t kNone = SIZE_MAX;
  struct Entry {
    const std::string* name;  // name in the pattern, which outlives the scope
    Local local;
    std::size_t hidden;  // entry of the same name in an outer scope, or kNone
  };
  std::vector<Entry> entries_;
  std::unordered_map<std::string, std::size_t> innermost_;
};

}  // namespace nesl
