#pragma once

#include <cstdint>
#include <limits>
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

/// Starts of the only segment of a table.
inline constexpr std::int64_t kWhole[] = {0, std::numeric_limits<std::int64_t>::max()};
/// An address for the elements of an empty table.
inline constexpr std::uint64_t kNoElement = 0;

/// Names the source of each member that stays the same during a run: of tables, of which starts are those of one
/// segment; of inputs that are made from values per segment; and of the state of scans and PACKs. Calls of `to`:
/// - operand(member, value): the address of its elements; table(member, value): an address, even if there are none
/// - length(member, value): the number of its elements
/// - distance(member, descriptor): 0 if it has one segment, otherwise 1; whole(member, descriptor): the opposite
/// - starts(member, descriptor): kWhole, which callers replace if it has several segments
/// - carry(member, scan), identity(member, scan, monoid, type), position(member, PACK)
template <class To>
void name_sources(const kernels::LoopPlan& plan, const kernels::Loop& loop, To&& to) {
  using kernels::Loop;
  const auto descriptor_of = [&](const auto& part) {
    return plan.segmentations[static_cast<std::size_t>(part.segmentation)];
  };
  for (const Loop::Input& input : loop.inputs) {
    if (!input.is_made()) continue;
    to.operand(input.per_segment, input.segments);
    if (!input.is_constant) to.distance(input.step, descriptor_of(input));
    if (input.access == Loop::Access::kProgression) to.operand(input.strides, input.stride);
    if (input.access != Loop::Access::kSlice) continue;
    to.operand(input.source, input.table);
    to.length(input.length, input.table);
  }
  for (const Loop::Table& table : loop.tables) {
    to.table(table.elements, table.value);
    to.length(table.length, table.value);
    to.starts(table.starts, table.descriptor);
    to.distance(table.step, table.descriptor);
  }
  for (const Loop::Scan& scan : loop.scans) {
    to.carry(scan.carry, scan.number);
    to.whole(scan.whole, descriptor_of(scan));
    to.identity(scan.identity, scan.number, vcode::info(scan.step->op).monoid,
                plan.values[scan.step->operands[0]].type);
  }
  for (const Loop::Pack& pack : loop.packs) {
    to.position(pack.position, pack.number);
    if (pack.counts) to.distance(pack.distance, descriptor_of(pack));
  }
}

/// Sets the members of name_sources(). Elements add to the state: `carries` are the accumulations of the preceding
/// elements, by the kernel's scans; `positions` the numbers of the next kept elements, by its PACKs.
void set_constants(Arguments& arguments, const kernels::LoopPlan& plan, const kernels::Loop& loop,
                   const KernelCall& call, const ScanKernels& scans, std::span<Slot> carries,
                   std::span<std::int64_t> positions);

}  // namespace cvl::cpu
