#include "kernels/device_kernel.h"

#include <algorithm>
#include <exception>
#include <type_traits>
#include <vector>

#include "cvl/dispatch.h"
#include "generated/compiler_messages.h"
#include "kernels/kernel_arguments.h"

namespace cvl::cuda {

namespace {

vcode::Constant constant_of(const Operand& operand) {
  VC_CHECK(operand.on_host && operand.length == 1);
  vcode::Constant constant;
  with_type(operand.type, [&]<class T>() {
    const T value = *static_cast<const T*>(operand.data);
    if constexpr (std::is_same_v<T, bool>)
      constant.bools = {static_cast<std::uint8_t>(value)};
    else if constexpr (std::is_floating_point_v<T>)
      constant.floats = {value};
    else
      constant.ints = {value};
  });
  return constant;
}

}  // namespace

DeviceKernel::DeviceKernel(const vcode::Kernel& kernel, const vcode::KernelFacts& facts, vcode::Widths widths,
                           std::string_view position, KernelStore& store)
    : kernel_(kernel),
      facts_(facts),
      widths_(widths),
      sums_kept_(sums_kept(kernel)),
      title_(position.empty() ? kernel.name : kernel.name + " (" + std::string(position) + ")"),
      store_(store) {
  for (std::uint32_t s = 0; s < kernel.steps.size(); ++s) {
    const std::vector<vcode::KernelVar>& results = kernel.steps[s].results;
    if (facts.producers[results[0]] == vcode::Producer::kPack && vcode::first_pack_like(kernel, s) == s)
      counts_.push_back({kernel.steps[s].operands[1], results[0], results[1]});
  }
}

DeviceKernel::~DeviceKernel() {
  for (const Variant& made : variants_)
    if (made.submitted) store_.thread().withdraw(&made);
}

bool DeviceKernel::is_faster(std::int64_t elements, bool single) {
  return elements >= store_.fewest_elements() &&
         (variant(Form::kAnySegments).is_worth_a_try() || (single && variant(Form::kOneSegment).is_worth_a_try()) ||
          (sums_kept_ && variant(Form::kPackedLengths).is_worth_a_try()));
}

std::string DeviceKernel::native_code() const {
  std::string text;
  for (const Variant& made : variants_) {
    const State state = made.now();
    if (state == State::kNew) continue;
    if (!text.empty()) text += &made == &variants_.back() ? "; for lengths " : "; for one segment ";
    text += state == State::kCompiled ? made.code.origin
            : state == State::kFailed ? "operation by operation: " + made.failure
                                      : "not compiled";
  }
  return text.empty() ? "not compiled" : text;
}

/// The form of the variant for a call. Once there is a variant for any descriptors, it also serves calls with single
/// ones, unless sums of what is kept are wanted and can be known.
Form DeviceKernel::form_for(const KernelCall& call, bool wants_sums) {
  if (wants_sums && sums_kept_ && variant(Form::kPackedLengths).now() != State::kFailed)
    for (std::uint32_t k = 0; k < kernel_.steps.size(); ++k)
      if (sums_kept(kernel_, k) && call.sum(kernel_.steps[k].operands[0]) >= 0) return Form::kPackedLengths;
  bool has_descriptors = false;
  for (vcode::KernelVar v = 0; v < kernel_.input_count; ++v) {
    if (kernel_.values[v].kind != vcode::Kind::kSegdes) continue;
    has_descriptors = true;
    if (call.descriptors[v].segments != 1) return Form::kAnySegments;
  }
  const bool is_begun = variant(Form::kOneSegment).now() != State::kNew;
  return has_descriptors && (is_begun || variant(Form::kAnySegments).now() == State::kNew) ? Form::kOneSegment
                                                                                           : Form::kAnySegments;
}

/// Generates a variant and compiles it or submits it. The text depends on the kernel and its constants but not on its
/// number, so that the cache has an entry for the same kernel of another program.
void DeviceKernel::begin_compiling(Form form, const KernelCall& call) {
  vcode::Kernel kernel = kernel_;
  std::vector<vcode::Constant> constants;
  kernel.number = 0;
  for (vcode::Kernel::Step& step : kernel.steps) {
    if (!step.is_constant()) continue;
    step.constant = static_cast<std::uint32_t>(constants.size());
    constants.push_back(constant_of(call.operands[step.results[0]]));
  }
  Variant& made = variant(form);
  made.state.store(State::kCompiling, std::memory_order_relaxed);
  made.generated = generate_kernel(kernel, constants, widths_, form);
  if (!made.generated.obstacle.empty()) return fail(made, made.generated.step, made.generated.obstacle);
  // The time at which a concurrently compiled kernel is ready must not affect results, so kernels that sum floats are
  // compiled before they run.
  if (store_.when() == Compiling::kBeforeItRuns || made.generated.rounds) return compile(made);
  try {
    made.submitted = true;
    store_.thread().submit(&made, [this, &made] { compile(made); });
  } catch (const std::exception& error) {
    fail(made, error.what());
  }
}

void DeviceKernel::compile(Variant& made) noexcept {
  try {
    const std::string text = complete_text(made.generated);
    try {
      made.code = store_.get(text);
    } catch (const CompileError& error) {
      const std::optional<std::uint32_t> step = step_of_error(text, error.messages());
      return step ? fail(made, *step, error.what()) : fail(made, error.what());
    }
    made.function = made.code.functions->function(GeneratedKernel::function(0));
    if (made.generated.has_finish) made.finish = made.code.functions->function(GeneratedKernel::finish_function(0));
    made.state.store(State::kCompiled, std::memory_order_release);
  } catch (const std::exception& error) {
    fail(made, error.what());
  }
}

void DeviceKernel::fail(Variant& made, std::string reason) {
  made.failure = std::move(reason);
  store_.report(title_, made.failure);
  made.state.store(State::kFailed, std::memory_order_release);
}

void DeviceKernel::fail(Variant& made, std::uint32_t step, const std::string& reason) {
  const std::string& name = kernel_.values[kernel_.steps[step].results[0]].name;
  fail(made, "step " + std::to_string(step) + " (" + name + "): " + reason);
}

std::int64_t DeviceKernel::filled(vcode::KernelVar result, const KernelCall& call) const {
  if (!is_packed(result)) return call.results[result].length;
  const auto step = std::find_if(kernel_.steps.begin(), kernel_.steps.end(),
                                 [&](const vcode::Kernel::Step& s) { return s.results[0] == result; });
  const auto number = static_cast<std::uint32_t>(step - kernel_.steps.begin());
  return call.kept[kernel_.steps[vcode::first_pack_like(kernel_, number)].results[0]];
}

bool DeviceKernel::run(Executor& executor, const Faults& faults, const KernelCall& call, bool awaits_kept,
                       bool wants_sums) {
  const Form form = form_for(call, wants_sums);
  const Variant& made = variant(form);
  if (made.now() == State::kNew) begin_compiling(form, call);
  if (made.now() != State::kCompiled) return false;
  if (!KernelArguments::suit(made.generated, call)) return false;
  const std::int64_t blocks = made.generated.blocks(call.elements);
  const KernelArguments arguments(executor, made.generated, faults, call);
  executor.launch_function(made.function, blocks, arguments.bytes(), made.generated.takes_tickets(blocks), title_);
  if (made.finish != nullptr) executor.launch_function(made.finish, blocks, arguments.bytes(), false, title_);
  if (!awaits_kept && form != Form::kPackedLengths) return true;
  arguments.read_kept(executor, call);
  for (std::uint32_t k = 0; k < kernel_.steps.size(); ++k)
    if (const vcode::Kernel::Step& step = kernel_.steps[k];
        form == Form::kPackedLengths && sums_kept(kernel_, k) && call.sums[step.operands[0]] < 0)
      call.sums[step.results[0]] = -1;
  return true;
}

}  // namespace cvl::cuda
