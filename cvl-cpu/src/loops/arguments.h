#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "base/check.h"
#include "cvl/backend.h"
#include "kernels/loop_plan.h"
#include "kernels/scan_kernels.h"

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

/// Sets the members that stay the same during a run: for tables, of which starts are those of one segment; for inputs
/// that are made from values per segment; and for the state of scans and PACKs. Elements add to it: `carries` are the
/// accumulations of the preceding elements, by the kernel's scans; `positions` the numbers of the next kept elements,
/// by its PACKs.
void set_constants(Arguments& arguments, const kernels::LoopPlan& plan, const kernels::Loop& loop,
                   const KernelCall& call, const ScanKernels& scans, std::span<Slot> carries,
                   std::span<std::int64_t> positions);

}  // namespace cvl::cpu
