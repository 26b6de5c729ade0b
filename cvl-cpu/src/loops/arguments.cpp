#include "loops/arguments.h"

namespace cvl::cpu {

using kernels::Member;
using vcode::KernelVar;

namespace {

struct Constants {
  void operand(Member member, KernelVar v) { arguments.set(member, call.operands[v].data); }
  void table(Member member, KernelVar v) {
    arguments.set(member, call.operands[v].length > 0 ? call.operands[v].data : &kNoElement);
  }
  void length(Member member, KernelVar v) { arguments.set(member, call.operands[v].length); }
  void distance(Member member, KernelVar v) {
    arguments.set(member, std::int64_t{call.descriptors[v].is_single() ? 0 : 1});
  }
  void whole(Member member, KernelVar v) {
    arguments.set(member, std::int64_t{call.descriptors[v].is_single() ? 1 : 0});
  }
  void starts(Member member, KernelVar /*table*/) { arguments.set(member, kWhole); }
  void identity(Member member, int /*scan*/, Monoid monoid, ElemType type) {
    arguments.set(member, &scans.identity.at(monoid, type));
  }
  void carry(Member member, int scan) { arguments.set(member, &carries[static_cast<std::size_t>(scan)]); }
  void position(Member member, int pack) { arguments.set(member, &positions[static_cast<std::size_t>(pack)]); }

  Arguments& arguments;
  const KernelCall& call;
  const ScanKernels& scans;
  std::span<Slot> carries;
  std::span<std::int64_t> positions;
};

}  // namespace

void set_constants(Arguments& arguments, const kernels::LoopPlan& plan, const kernels::Loop& loop,
                   const KernelCall& call, const ScanKernels& scans, std::span<Slot> carries,
                   std::span<std::int64_t> positions) {
  name_sources(plan, loop, Constants{arguments, call, scans, carries, positions});
}

}  // namespace cvl::cpu
