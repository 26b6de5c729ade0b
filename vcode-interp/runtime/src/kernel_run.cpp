#include "kernel_run.h"

#include <algorithm>
#include <new>

#include "vcode/check.h"

namespace runtime {

using vcode::Kernel;
using vcode::KernelVar;
using vcode::Producer;
using vcode::Role;
using vcode::RoleType;
using vcode::Signature;

static_assert(vcode::kFewElements >= kShortLimit);

KernelRun::KernelRun(Evaluator& evaluator, const PreparedKernel& kernel, Value* inputs)
    : ev_(evaluator), prepared_(kernel), kernel_(kernel.kernel()), inputs_(inputs) {
  values_.resize(kernel_.values.size());
}

void KernelRun::leave_outputs() {
  std::pmr::vector<Value> outputs(&memory_);
  outputs.reserve(kernel_.outputs.size());
  for (const KernelVar v : kernel_.outputs) outputs.push_back(v < kernel_.input_count ? inputs_[v] : values_[v]);
  for (KernelVar v = 0; v < kernel_.input_count; ++v) inputs_[v].reset();
  for (std::size_t k = 0; k < outputs.size(); ++k) new (inputs_ + k) Value(std::move(outputs[k]));
}

bool KernelRun::in_one_go() {
  VC_CHECK(prepared_.plan() != nullptr);
  if (!bind_shapes() || !place_operands() || !place_results()) return false;
  Backend& device = ev_.heap().device();
  device.run_kernel(*prepared_.plan(), {shapes_[kernel_.over].length, operands_, maps_, results_, kept_});
  if (device.has_fault()) {
    (void)device.take_fault();
    return false;
  }
  return finish_packs();
}

/// Returns false if a kind or a length does not match the operations' signatures.
bool KernelRun::bind_shapes() {
  shapes_.resize(kernel_.values.size());
  for (KernelVar v = 0; v < kernel_.input_count; ++v) {
    const Value& input = inputs_[v];
    if (input.is_pair() || input.tag() == Value::Tag::kNone || input.kind() != kernel_.values[v].kind) return false;
    shapes_[v] = input.is_segdes() ? Shape{input.elements(), input.segments()} : Shape{input.length(), -1};
  }
  return std::all_of(kernel_.steps.begin(), kernel_.steps.end(), [&](const auto& step) { return bind_step(step); });
}

bool KernelRun::bind_step(const Kernel::Step& step) {
  if (step.is_constant()) {
    shapes_[step.results[0]].length = 1;
    return true;
  }
  const Signature& signature = vcode::info(step.op).signature;
  std::array<std::int64_t, vcode::kMaxLengthVars + 1> lengths{1, -1, -1, -1, -1, -1, -1};
  auto bind = [&](vcode::LengthVar var, std::int64_t n) {
    if (lengths[var] < 0) lengths[var] = n;
    return lengths[var] == n;
  };
  for (int k = 0; k < signature.operand_count; ++k) {
    const Role& role = signature.operands[static_cast<std::size_t>(k)];
    const Shape& shape = shapes_[step.operands[static_cast<std::size_t>(k)]];
    if (!bind(role.length, shape.length)) return false;
    if (role.type == RoleType::kSegdes && !bind(role.segments, shape.segments)) return false;
  }
  for (std::size_t k = 0; k < step.results.size(); ++k) {
    const Role& role = signature.results[k];
    shapes_[step.results[k]] = {lengths[role.length], role.type == RoleType::kSegdes ? lengths[role.segments] : -1};
    if (follows_the_index_space(step.results[k]) && lengths[role.length] != shapes_[kernel_.over].length) return false;
  }
  return true;
}

bool KernelRun::follows_the_index_space(KernelVar v) const {
  switch (prepared_.facts().producers[v]) {
    case Producer::kMap:
    case Producer::kSpread:
    case Producer::kGather:
    case Producer::kScan:
      return true;
    case Producer::kInput:
    case Producer::kConstant:
    case Producer::kReduce:
    case Producer::kEpilogue:
    case Producer::kScatter:
    case Producer::kPack:
      break;
  }
  return false;
}

bool KernelRun::place_operands() {
  operands_.resize(kernel_.values.size());
  maps_.resize(kernel_.values.size());
  Placement operands = on_device();
  for (KernelVar v = 0; v < kernel_.values.size(); ++v) {
    if (v < kernel_.input_count && kernel_.values[v].kind == vcode::Kind::kSegdes) {
      maps_[v] = operands.map(inputs_[v]);
    } else if (v < kernel_.input_count) {
      operands_[v] = operands.operand(inputs_[v]);
    } else if (prepared_.facts().producers[v] == Producer::kConstant) {
      values_[v] = prepared_.constant(v);
      operands_[v] = operands.operand(values_[v]);
    }
  }
  return operands.succeeded();
}

bool KernelRun::place_results() {
  results_.resize(kernel_.values.size());
  kept_.assign(kernel_.values.size(), 0);
  Placement results = on_device();
  auto place = [&](KernelVar v) {
    values_[v] = results.fresh(ev_.widths().of(kernel_.values[v].kind), shapes_[v].length);
    results_[v] = results.result(values_[v]);
  };
  for (std::uint32_t s = 0; s < kernel_.steps.size() && !results.out_of_memory; ++s) {
    if (kernel_.steps[s].is_constant()) continue;
    const KernelVar v = result_of(s);
    const Producer producer = prepared_.facts().producers[v];
    if (producer == Producer::kPack) {
      if (!place_pack(s)) return false;
    } else if (producer == Producer::kReduce || producer == Producer::kEpilogue || prepared_.is_output(v)) {
      place(v);
    }
  }
  return !results.out_of_memory;
}

bool KernelRun::place_pack(std::uint32_t s) {
  Placement results = on_device();
  const KernelVar kept = result_of(s, 0), descriptor = result_of(s, 1);
  // A vector object, never a scalar held in place, as the number of kept elements is not known yet.
  VectorObject* object =
      ev_.heap().make_device_vector(ev_.widths().of(kernel_.values[kept].kind), shapes_[kernel_.over].length);
  if (object == nullptr) return false;
  values_[kept] = Value::adopt(object);
  results_[kept] = {object->type, object->length, object->device};
  if (first_pack_like(kernel_, s) != s) return true;
  values_[descriptor] = results.fresh(ev_.widths().int_type, shapes_[descriptor].segments);
  results_[descriptor] = results.result(values_[descriptor]);
  return !results.out_of_memory;
}

/// Cuts the results of PACKs to their lengths, and makes their descriptors.
bool KernelRun::finish_packs() {
  for (std::uint32_t s = 0; s < kernel_.steps.size(); ++s) {
    if (kernel_.steps[s].is_constant() || prepared_.facts().producers[result_of(s)] != Producer::kPack) continue;
    const std::uint32_t first = first_pack_like(kernel_, s);
    const std::int64_t kept = kept_[result_of(first)];
    values_[result_of(s)] = trimmed(std::move(values_[result_of(s)]), kept);
    if (values_[result_of(s)].tag() == Value::Tag::kNone) return false;
    Value& descriptor = values_[result_of(s, 1)];
    if (first != s)
      descriptor = values_[result_of(first, 1)];
    else if (shapes_[result_of(s, 1)].segments == 1)
      descriptor = Value::single_segment(kept);
    else
      descriptor = ev_.heap().make_segdes(std::move(descriptor), kept);
    if (descriptor.tag() == Value::Tag::kNone) return false;
  }
  return true;
}

Value KernelRun::trimmed(Value vector, std::int64_t length) {
  Heap& heap = ev_.heap();
  VectorObject* object = vector.vector();
  if (length > Heap::kInlineLimit) {
    heap.shrink(object, length);
    return vector;
  }
  Placement short_result{ev_.at_};
  Value copy = short_result.fresh(object->type, length);
  if (short_result.out_of_memory) return Value();
  const Result to = short_result.result(copy);
  heap.device().download(to.data, object->device, static_cast<std::size_t>(length) * elem_size(object->type));
  return copy;
}

bool Evaluator::run_kernel(const PreparedKernel& kernel, Value* base) {
  const Value& over = base[kernel.step_code().over()];
  const std::int64_t elements = over.is_segdes() ? over.elements() : over.is_vector() ? over.length() : 0;
  if (kernel.plan() != nullptr && elements > vcode::kFewElements) {
    KernelRun run(*this, kernel, base);
    if (run.in_one_go()) {
      run.leave_outputs();
      return true;
    }
  }
  return run_steps(kernel, base);
}

/// Programs with short vectors spend most of their time here: a step must not cost noticeably more than an instruction
/// outside a kernel.
bool Evaluator::run_steps(const PreparedKernel& kernel, Value* base) {
  const StepCode& code = kernel.step_code();
  if (kernel_values_.size() < code.values()) kernel_values_.resize(code.values());
  Value* values = kernel_values_.data();
  Value* stack = kernel_stack_.data();
  const StepCode::Operand* next = code.operands();
  // All destinations hold no value, so that placement new replaces an assignment, which would release the old value.
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
      // The inputs that are still there tell more about the failure.
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
