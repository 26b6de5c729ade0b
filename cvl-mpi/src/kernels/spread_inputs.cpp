#include "kernels/spread_inputs.h"

#include <type_traits>

#include <fmt/format.h>

#include "cvl/dispatch.h"
#include "exchange/range_exchange.h"
#include "vcode/arith.h"

namespace cvl::mpi {

namespace {

/// The number of operands, the first ones of a step, that get inputs of their own.
std::size_t spread_operands(const vcode::Kernel::Step& step) {
  if (step.is_constant()) return 0;
  return step.op == Op::kIndex ? 2 : step.op == Op::kDist ? 1 : 0;
}

}  // namespace

SpreadInputs::SpreadInputs(const vcode::Kernel& kernel) : inputs_(kernel.input_count), kernel_(kernel) {
  // Numbers of the added inputs are known before those of the values behind them move.
  for (const vcode::Kernel::Step& step : kernel_.steps)
    for (std::size_t k = 0; k < spread_operands(step); ++k) {
      const bool is_start = step.op == Op::kIndex && k == 0;
      added_.push_back({step.operands[k], step.operands.back(), is_start ? std::size_t{step.operands[1]} : kNoStride});
    }
  const auto moved = [&](vcode::KernelVar v) { return static_cast<vcode::KernelVar>(number(v)); };
  std::size_t next = inputs_;
  for (vcode::Kernel::Step& step : kernel_.steps) {
    const std::size_t spread = spread_operands(step);
    for (std::size_t k = 0; k < step.operands.size(); ++k)
      step.operands[k] = k < spread ? static_cast<vcode::KernelVar>(next++) : moved(step.operands[k]);
    for (vcode::KernelVar& result : step.results) result = moved(result);
  }
  for (vcode::KernelVar& output : kernel_.outputs) output = moved(output);
  std::vector<vcode::Kernel::ValueInfo> infos;
  for (std::size_t k = 0; k < added_.size(); ++k)
    infos.push_back({fmt::format("spread_{}", k), kernel.values[added_[k].value].kind});
  kernel_.values.insert(kernel_.values.begin() + static_cast<std::ptrdiff_t>(inputs_), infos.begin(), infos.end());
  kernel_.input_count += static_cast<std::uint32_t>(added_.size());
}

std::vector<Scratch> SpreadInputs::set_for_pieces(const RankGroup& group,
                                                  const std::function<const LocalSegments&(std::size_t)>& segments_of,
                                                  std::span<const Operand> original,
                                                  std::vector<Operand>& operands) const {
  std::vector<Scratch> memory;
  std::vector<Operand> touched;
  std::vector<Wanted> wanted;
  for (const Added& added : added_) {
    const SegmentCut& cut = segments_of(added.descriptor).cut();
    const Operand& from = original[added.value];
    const Scratch& values = memory.emplace_back(scratch_for(group, from.type, cut.touched().size()));
    touched.push_back({from.type, cut.touched().size(), values.data()});
    wanted.push_back({from, cut.all_touched(), values.data()});
  }
  fetch(group, wanted);
  for (std::size_t k = 0; k < added_.size(); ++k) {
    const LocalSegments& segments = segments_of(added_[k].descriptor);
    const Operand& from = touched[k];
    const Scratch& values = memory.emplace_back(scratch_for(group, from.type, segments.count()));
    with_type(from.type, [&]<class T>() {
      T* const to = values.as<T>();
      const auto* const of_segment = static_cast<const T*>(from.data);
      // The input of a stride follows that of its start.
      const auto* const stride = added_[k].stride == kNoStride ? nullptr : static_cast<const T*>(touched[k + 1].data);
      segments.for_each([&](std::int64_t piece, std::int64_t segment, std::int64_t before) {
        to[piece] = of_segment[segment];
        if constexpr (std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::int64_t>)
          if (stride != nullptr)
            to[piece] = vcode::wrap_add(to[piece], vcode::wrap_mul(static_cast<T>(before), stride[segment]));
      });
    });
    operands[inputs_ + k] = {from.type, segments.count(), values.data()};
  }
  return memory;
}

}  // namespace cvl::mpi
