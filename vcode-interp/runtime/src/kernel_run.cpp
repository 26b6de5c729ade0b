#include "kernel_run.h"

#include <algorithm>
#include <new>
#include <string>
#include <string_view>

#include "base/check.h"
#include "known_lengths.h"
#include "vcode/kernel_rules.h"

namespace runtime {

using vcode::Kernel;
using vcode::KernelVar;
using vcode::Producer;

namespace {

/// Whether the sum of a step's result follows from the sums of its operands.
bool is_summable(const Kernel::Step& step) {
  const bool is_int = step.suffix == vcode::Suffix::kInt;
  return (step.op == Op::kAdd && is_int) || (step.op == Op::kSumReduce && is_int) || step.op == Op::kBoolToInt ||
         (step.op == Op::kNot && step.suffix == vcode::Suffix::kBool);
}

}  // namespace

KernelRun::KernelRun(const Kernel& kernel, const vcode::KernelFacts& facts, const std::vector<Value>& constants,
                     KernelPlan& plan, vcode::Widths widths, bool is_exact)
    : kernel_(kernel), plan_(plan), is_exact_(is_exact), shapes_(kernel, facts), values_(constants) {
  const std::size_t n = kernel.values.size();
  operands_.resize(n);
  descriptors_.resize(n);
  results_.resize(n);
  kept_.resize(n);
  sums_.resize(n, -1);
  call_ = {0, operands_, descriptors_, results_, kept_, sums_};
  outputs_.resize(kernel.outputs.size());
  has_heads_.resize(kernel.input_count);
  seen_.resize(kernel.input_count);
  for (KernelVar v = 0; v < kernel.input_count; ++v) {
    const vcode::Kind kind = kernel.values[v].kind;
    if (kind != vcode::Kind::kSegdes) operands_[v].type = widths.of(kind);
  }
  has_plain_outputs_ = std::ranges::all_of(kernel.outputs, [&](KernelVar v) {
    return v >= kernel.input_count && facts.producers[v] != Producer::kConstant;
  });
  const auto fill = [&](KernelVar v, bool is_packed) {
    filled_.push_back({v, widths.of(kernel.values[v].kind), is_packed, false});
  };
  for (std::uint32_t s = 0; s < kernel.steps.size(); ++s) {
    const KernelVar v = result_of(s);
    if (kernel.steps[s].is_constant()) {
      constants_.push_back(v);
      continue;
    }
    const Producer producer = facts.producers[v];
    note_descriptors(kernel.steps[s], producer);
    if (kernel.repeated == 0 && is_summable(kernel.steps[s])) summable_.push_back(s);
    if (producer == Producer::kPack) {
      const std::uint32_t first = first_pack_like(kernel, s);
      const std::vector<KernelVar>& of = kernel.steps[s].operands;
      packs_.push_back({v, result_of(s, 1), of[0], of[1], result_of(first), result_of(first, 1)});
      fill(v, true);
      if (first == s) filled_.push_back({result_of(s, 1), widths.int_type, false, true});
    } else if (vcode::is_reduction(producer) || producer == Producer::kEpilogue ||
               std::find(kernel.outputs.begin(), kernel.outputs.end(), v) != kernel.outputs.end()) {
      fill(v, false);
    }
  }
}

KernelRun::Outcome KernelRun::in_one_go(Evaluator& evaluator, Value* base) {
  const Outcome outcome = run(evaluator, base);
  if (outcome == Outcome::kDone) {
    // No value is an output twice. Constants are not moved, as the next run needs them.
    if (!has_plain_outputs_)
      for (std::size_t k = 0; k < outputs_.size(); ++k) {
        const KernelVar v = kernel_.outputs[k];
        outputs_[k] = v < kernel_.input_count ? std::move(base[v]) : values_[v];
      }
    for (KernelVar v = 0; v < kernel_.input_count; ++v) base[v].reset();
    for (std::size_t k = 0; k < outputs_.size(); ++k)
      new (base + k) Value(std::move(has_plain_outputs_ ? values_[kernel_.outputs[k]] : outputs_[k]));
  }
  for (const Filled& filled : filled_) values_[filled.value].reset();
  for (const Pack& pack : packs_) values_[pack.descriptor].reset();
  return outcome;
}

KernelRun::Outcome KernelRun::run(Evaluator& evaluator, Value* inputs) {
  if (kernel_.steps.size() >= Evaluator::kRecent) return Outcome::kImpossible;
  Placement on_device{evaluator.at_, false};
  if (evaluator.at_.unified) {
    if (!place_like_before(inputs) && !place_inputs(on_device, inputs)) return Outcome::kImpossible;
  } else {
    const auto nothing = [](auto&&...) {};
    if (!shapes_.bind(inputs, nothing, nothing)) return Outcome::kImpossible;
    if (!evaluator.begin_kernel(kernel_)) return Outcome::kFailed;
    (void)place_inputs(on_device, inputs);
  }
  if (!on_device.succeeded() || !place_results(evaluator, on_device)) return without_memory(evaluator);
  Backend& device = evaluator.heap().device();
  if (!evaluator.at_.unified) find_sums(inputs);
  call_.elements = shapes_.length(kernel_.over);
  const bool ran = device.run_kernel(plan_, call_);
  if (device.has_fault()) {
    const Fault fault = device.take_fault();
    if (evaluator.is_of_latest_kernel(fault, kernel_))
      return fault.kind == FaultKind::kOutOfMemory ? without_memory(evaluator, fault) : Outcome::kImpossible;
    (void)evaluator.fail_late(fault);
    return Outcome::kFailed;
  }
  if (!ran) return Outcome::kImpossible;
  if (!packs_.empty() && !finish_packs(evaluator)) return without_memory(evaluator);
  if (!evaluator.at_.unified) note_sums(inputs);
  return Outcome::kDone;
}

/// Finds the sums of the inputs that are known.
void KernelRun::find_sums(const Value* inputs) {
  std::fill(sums_.begin(), sums_.end(), -1);
  for (KernelVar v = 0; v < kernel_.input_count; ++v) sums_[v] = known_sum(inputs[v]);
}

/// Notes the numbers of true flags that PACKs have counted, the sums that the backend has told, and all that follow.
void KernelRun::note_sums(const Value* inputs) {
  for (const Pack& pack : packs_) {
    sums_[pack.flags] = kept_[pack.first];
    if (pack.source < kernel_.input_count && is_each_known(inputs[pack.source]))
      note(values_[pack.elements], Known::kEach, inputs[pack.source].vector()->number);
    note_sum_of(pack.elements, sums_[pack.elements], inputs);
  }
  // Flags whose opposites a PACK has counted.
  for (const std::uint32_t s : summable_)
    if (const KernelVar flags = kernel_.steps[s].operands[0];
        kernel_.steps[s].op == Op::kNot && sums_[flags] < 0 && sums_[result_of(s)] >= 0)
      sums_[flags] = shapes_.length(flags) - sums_[result_of(s)];
  for (const std::uint32_t s : summable_) {
    const std::vector<KernelVar>& of = kernel_.steps[s].operands;
    const std::int64_t sum = sums_[of[0]];
    sums_[result_of(s)] = kernel_.steps[s].op == Op::kAdd               ? joined_sum(sum, sums_[of[1]])
                          : kernel_.steps[s].op == Op::kNot && sum >= 0 ? shapes_.length(of[0]) - sum
                                                                        : sum;
    note_sum_of(result_of(s), sums_[result_of(s)], inputs);
    if (kernel_.steps[s].op == Op::kNot) note_sum_of(of[0], sum, inputs);
  }
  for (const Pack& pack : packs_)
    if (sums_[pack.flags] >= 0) note_sum_of(pack.flags, sums_[pack.flags], inputs);
}

void KernelRun::note_sum_of(KernelVar v, std::int64_t sum, const Value* inputs) {
  note_sum(v < kernel_.input_count ? inputs[v] : values_[v], sum);
}

/// The outcome if there is no memory for the kernel. Its steps may need less. But where a device adds floats, steps do
/// so in another order, and results must not depend on the memory that is free.
KernelRun::Outcome KernelRun::without_memory(Evaluator& evaluator, const std::optional<Fault>& fault) const {
  if (is_exact_ || !plan_.associates_otherwise() || evaluator.heap().device().has_fault()) return Outcome::kImpossible;
  constexpr std::string_view kWho = "the kernel";
  (void)evaluator.fail(fault ? evaluator.fault_sentence(std::string(kWho), *fault, "") : evaluator.memory_failure(kWho),
                       {.kind = FaultKind::kOutOfMemory});
  evaluator.failed_step_ = 0;
  return Outcome::kFailed;
}

/// Notes which descriptors tell the segments of elements. Of a gather's table and of a scatter's result only the
/// beginnings of segments are read.
void KernelRun::note_descriptors(const Kernel::Step& step, Producer producer) {
  const int table = producer == Producer::kGather    ? vcode::descriptor_like(step, 0)
                    : producer == Producer::kScatter ? vcode::descriptor_like(step, -1)
                                                     : -1;
  for (int k = 0; k < std::ssize(step.operands); ++k)
    if (const KernelVar v = step.operands[static_cast<std::size_t>(k)]; k != table && v < kernel_.input_count)
      has_heads_[v] = true;
}

/// Binds the lengths of the inputs, and notes where these and the constants are. False if kinds or lengths do not
/// match.
bool KernelRun::place_inputs(Placement& at, Value* inputs) {
  const bool unified = at.at.unified;
  Operand* const operands = operands_.data();
  const auto place_vector = [&](KernelVar v, Value& input, std::int64_t length) {
    if (!unified) return void(operands[v] = at.operand(input));
    // The type is the same in all runs.
    operands[v].length = length;
    operands[v].data = input.is_scalar() ? input.scalar_data() : input.vector()->device;
  };
  const auto place_descriptor = [&](KernelVar v, const Value& input) {
    descriptors_[v] = has_heads_[v] ? at.descriptor(input) : at.descriptor_of_starts(input);
  };
  seen_[0] = {};  // until all lengths are bound; there is an input, which the kernel goes over
  if (!shapes_.bind(inputs, place_vector, place_descriptor)) return false;
  for (const KernelVar v : constants_)
    if (operands_[v].data == nullptr) operands_[v] = at.operand(values_[v]);
  for (KernelVar v = 0; v < kernel_.input_count; ++v)
    seen_[v] = {inputs[v].head(), inputs[v].is_segdes() ? inputs[v].elements() : inputs[v].length()};
  return true;
}

/// Notes where the inputs are if they are like those of the last run, and have no descriptor of several segments: what
/// follows from their kinds and lengths is then known. Programs with short vectors run a kernel in a loop. Only where
/// memory is unified.
bool KernelRun::place_like_before(Value* inputs) {
  Operand* operand = operands_.data();
  for (const Seen& seen : seen_) {
    Value& input = *inputs++;
    if (input.head() != seen.head) return false;
    if (input.is_scalar()) {
      operand->data = input.scalar_data();
    } else if (input.tag() == Value::Tag::kVector) {
      const VectorObject& vector = *input.vector();
      if (vector.length != seen.length) return false;
      operand->data = vector.device;
    } else if (input.tag() != Value::Tag::kSingle || input.elements() != seen.length) {
      return false;
    }
    ++operand;
  }
  return true;
}

bool KernelRun::place_results(Evaluator& evaluator, Placement results) {
  for (const auto& [v, type, is_packed, is_descriptor] : filled_) {
    if (is_packed) {
      // A vector object even for length 1, as the number of kept elements is not known yet.
      VectorObject* object = evaluator.heap().make_device_vector(type, shapes_.length(kernel_.over), true);
      if (object == nullptr) return false;
      values_[v] = Value::adopt(object);
      results_[v] = {object->type, object->length, object->device};
    } else {
      const std::int64_t length = is_descriptor ? shapes_.segments(v) : shapes_.length(v);
      VC_CHECK(length >= 0);
      values_[v] = results.fresh(type, length);
      results_[v] = results.result(values_[v]);
    }
  }
  return !results.out_of_memory;
}

/// Truncates the results of PACKs to their lengths, and makes their descriptors.
bool KernelRun::finish_packs(Evaluator& evaluator) {
  for (const Pack& pack : packs_) {
    const std::int64_t kept = kept_[pack.first];
    Value &elements = values_[pack.elements], &descriptor = values_[pack.descriptor];
    elements = trimmed(evaluator, std::move(elements), kept);
    if (elements.tag() == Value::Tag::kNone) return false;
    if (pack.first != pack.elements) {
      descriptor = values_[pack.first_descriptor];
    } else if (shapes_.segments(pack.descriptor) == 1) {
      descriptor = Value::single_segment(kept);
    } else {
      keep_read(evaluator.heap(), evaluator.at_.host_limit, descriptor);
      descriptor = evaluator.heap().make_segdes(std::move(descriptor), kept);
    }
    if (descriptor.tag() == Value::Tag::kNone) return false;
  }
  return true;
}

/// The first `length` elements of a vector. They are copied in two cases: on a device with separate memory if the
/// unused part of the vector exceeds the used part by more than a copy is worth; with unified memory if they fit into
/// the block of a header, and are not there. Else the vector is truncated in place.
Value KernelRun::trimmed(Evaluator& evaluator, Value vector, std::int64_t length) {
  // In bytes. A launch takes as long as copying megabytes, so that memory must be scarce.
  constexpr std::size_t kLeast = 1 << 16, kShare = 4096;
  Heap& heap = evaluator.heap();
  VectorObject* object = vector.vector();
  if (evaluator.at_.unified && (length == 1 || (length <= Heap::kInlineLimit && object->device_bytes > 0)))
    return heap.view(object->type, object->host, length);
  heap.shrink(object, length);
  const std::size_t wanted = static_cast<std::size_t>(length) * elem_size(object->type);
  if (evaluator.at_.unified || object->device_bytes < 2 * wanted + kLeast ||
      object->device_bytes < 2 * wanted + heap.device().memory_use().limit / kShare)
    return vector;
  Placement on_device{evaluator.at_, false};
  Value copy = on_device.fresh(object->type, length);
  if (on_device.out_of_memory) return Value();
  if (length == 0) return copy;
  const std::int64_t first = 0;
  heap.device().run(Slice{{object->type, object->length, object->device},
                          {ElemType::kI64, 1, &first, true},
                          SegmentDescriptor::single(length),
                          on_device.result(copy)});
  return copy;
}

bool Evaluator::run_kernel(const PreparedKernel& kernel, Value* base) {
  const Value& over = base[kernel.step_code().over()];
  const std::int64_t elements = over.is_segdes() ? over.elements() : over.is_vector() ? over.length() : 0;
  const bool single = !over.is_segdes() || over.segments() == 1;
  // Results must not depend on whether host or backend computes them.
  const bool same = kernel.is_exact() || elements > at_.host_limit;
  if (kernel.plan() != nullptr && same && kernel.plan()->is_faster(elements, single)) {
    const KernelRun::Outcome outcome = kernel.run().in_one_go(*this, base);
    if (outcome != KernelRun::Outcome::kImpossible) return outcome == KernelRun::Outcome::kDone;
  }
  return run_steps(kernel, base);
}

bool Evaluator::begin_kernel(const Kernel& kernel) {
  if (at_.unified) return true;
  const auto steps = static_cast<std::uint32_t>(kernel.steps.size());
  if (issued_ + steps - settled_ >= kRecent && !settle()) return false;
  at_.heap.device().set_site(issued_ + 1);
  for (std::uint32_t s = 0; s < steps; ++s)
    recent_[++issued_ % kRecent] = {site_, s, kernel.steps[s].op, kernel.steps[s].suffix};
  return true;
}

bool Evaluator::is_of_latest_kernel(const Fault& fault, const Kernel& kernel) const {
  return at_.unified || issued_ - fault.site < kernel.steps.size();
}

/// Applies the steps one after the other. Programs with short vectors spend most of their time here, so a step should
/// cost about as much as an instruction outside of kernels.
bool Evaluator::run_steps(const PreparedKernel& kernel, Value* base) {
  const StepCode& code = kernel.step_code();
  if (kernel_values_.size() < code.values()) kernel_values_.resize(code.values());
  Value* values = kernel_values_.data();
  Value* stack = kernel_stack_.data();
  const StepCode::Operand* next = code.operands();
  // All destinations are kNone, so that placement new suffices; an assignment would also release the old value.
  const auto take = [&](Value* to) {
    const StepCode::Operand operand = *next++;
    Value& value = values[operand.value];
    if (operand.last)
      new (to) Value(std::move(value));
    else
      new (to) Value(value);
  };
  for (KernelVar v = 0; v < code.inputs(); ++v) new (values + v) Value(std::move(base[v]));
  for (const KernelVar v : code.constants()) new (values + v) Value(kernel.constant(v));
  for (const StepCode::CodedStep& step : code.steps()) {
    for (int k = 0; k < step.operands; ++k) take(stack + k);
    step_ = step.number;
    if (!apply(step.op, step.suffix, stack)) {
      if (!late_site_) failed_step_ = step.number;
      // Messages about the failure read the inputs that no step has consumed.
      for (int k = step.operands; k-- > 0;) values[(--next)->value] = std::move(stack[k]);
      for (KernelVar v = 0; v < code.inputs(); ++v) base[v] = std::move(values[v]);
      std::fill(kernel_values_.begin(), kernel_values_.end(), Value());
      kernel_stack_.fill(Value());
      return false;
    }
    for (int k = 0; k < step.results; ++k) new (values + step.first_result + k) Value(std::move(stack[k]));
  }
  for (std::uint32_t k = 0; k < code.outputs(); ++k) take(base + k);
  for (const KernelVar v : code.left()) values[v].reset();
  return true;
}

}  // namespace runtime
