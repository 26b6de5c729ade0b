#pragma once

#include <cstdint>
#include <memory_resource>
#include <vector>

#include "base/check.h"
#include "cvl/backend.h"
#include "kernels/loop_plan.h"

namespace cvl::cpu {

/// The argument of a LoopFunction: the values of the members of a loop's ArgumentStruct.
class Arguments {
 public:
  Arguments(const kernels::ArgumentStruct& members, std::pmr::polymorphic_allocator<> memory)
      : words_(members.members().size(), 0, memory) {}

  void set(kernels::Member member, const void* address) {
    VC_CHECK(member.number < words_.size());
    words_[member.number] = reinterpret_cast<std::uintptr_t>(address);
  }
  void set(kernels::Member member, std::int64_t number) {
    VC_CHECK(member.number < words_.size());
    words_[member.number] = static_cast<std::uint64_t>(number);
  }
  const void* data() const { return words_.data(); }

 private:
  std::pmr::vector<std::uint64_t> words_;
};

/// Sets the members for tables and for inputs that are made from values per segment: they are the same for all
/// elements. Starts are those of tables of one segment.
void set_operands(Arguments& arguments, const kernels::LoopPlan& plan, const kernels::Loop& loop,
                  const KernelCall& call);

}  // namespace cvl::cpu
