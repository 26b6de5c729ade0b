#include "kernels/spread_inputs.h"

#include <algorithm>

#include <fmt/format.h>

#include "cvl/dispatch.h"
#include "cvl/integer_at.h"
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

void SpreadInputs::set_same(std::span<const Operand> original, std::vector<Operand>& operands) const {
  for (std::size_t k = 0; k < added_.size(); ++k) operands[inputs_ + k] = original[added_[k].value];
}

std::vector<Scratch> SpreadInputs::set_for_part(const RankGroup& group, std::int64_t begin, std::int64_t segments,
                                                std::int64_t length, std::span<const Operand> original,
                                                std::vector<Operand>& operands) const {
  std::vector<Scratch> memory;
  for (std::size_t k = 0; k < added_.size(); ++k) {
    const Operand& from = original[added_[k].value];
    memory.push_back(scratch_for(group, from.type, segments));
    with_type(from.type, [&]<class T>() {
      T* const to = memory.back().as<T>();
      std::fill_n(to, segments, *static_cast<const T*>(from.data));
      if constexpr (std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::int64_t>)
        if (added_[k].stride != kNoStride) {
          const T stride = static_cast<T>(integer_at(original[added_[k].stride], 0));
          for (std::int64_t j = 0; j < segments; ++j)
            to[j] = vcode::wrap_add(to[j], vcode::wrap_mul(static_cast<T>(begin + j * length), stride));
        }
    });
    operands[inputs_ + k] = {from.type, segments, memory.back().data()};
  }
  return memory;
}

std::vector<Scratch> SpreadInputs::set_for_segments(const RankGroup& group,
                                                    const std::function<const SegmentCut&(std::size_t)>& cut_of,
                                                    std::span<const Operand> original,
                                                    std::vector<Operand>& operands) const {
  std::vector<Scratch> memory;
  std::vector<Wanted> wanted;
  for (std::size_t k = 0; k < added_.size(); ++k) {
    const SegmentCut& cut = cut_of(added_[k].descriptor);
    const Operand& from = original[added_[k].value];
    memory.push_back(scratch_for(group, from.type, cut.touched().size()));
    wanted.push_back({from, cut.all_touched(), memory.back().data()});
    operands[inputs_ + k] = {from.type, cut.touched().size(), memory.back().data()};
  }
  fetch(group, wanted);
  // The first segment begins where earlier ranks end.
  for (std::size_t k = 0; k < added_.size(); ++k) {
    const SegmentCut& cut = cut_of(added_[k].descriptor);
    if (added_[k].stride == kNoStride || cut.touched().empty() || !cut.is_continued(group.rank())) continue;
    const std::int64_t before = cut.elements().begin - cut.start_of_first(group.rank());
    // The input of the stride follows that of the start.
    with_int(operands[inputs_ + k].type, [&]<class I>() {
      const I stride = static_cast<const I*>(operands[inputs_ + k + 1].data)[0];
      I& first = memory[k].as<I>()[0];
      first = vcode::wrap_add(first, vcode::wrap_mul(static_cast<I>(before), stride));
    });
  }
  return memory;
}

}  // namespace cvl::mpi
