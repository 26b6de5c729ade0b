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

/// Sums of floats depend on their association, which is another one in a generated kernel than in its steps.
bool folds_floats(const vcode::Kernel& kernel) {
  return std::any_of(kernel.steps.begin(), kernel.steps.end(), [](const vcode::Kernel::Step& step) {
    if (step.is_constant() || step.suffix != vcode::Suffix::kFloat) return false;
    const vcode::OpClass folds = vcode::info(step.op).op_class;
    return folds == vcode::OpClass::kReduce || folds == vcode::OpClass::kScan;
  });
}

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
                           std::string_view place, KernelStore& store)
    : kernel_(kernel),
      facts_(facts),
      widths_(widths),
      title_(place.empty() ? kernel.name : kernel.name + " (" + std::string(place) + ")"),
      store_(store) {}

DeviceKernel::~DeviceKernel() {
  if (submitted_) store_.thread().withdraw(this);
}

bool DeviceKernel::is_faster(std::int64_t elements, bool) {
  const State state = state_.load(std::memory_order_acquire);
  return elements >= store_.fewest_elements() && (state == State::kNew || state == State::kCompiled);
}

std::string DeviceKernel::native_code() const {
  switch (state_.load(std::memory_order_acquire)) {
    case State::kCompiled:
      return code_.origin;
    case State::kFailed:
      return "operation by operation: " + failure_;
    default:
      return "not compiled";
  }
}

/// What is generated depends on the kernel and its constants, but not on its number, so that the same kernel of another
/// program is found in the cache.
void DeviceKernel::begin_compiling(const KernelCall& call) {
  vcode::Kernel kernel = kernel_;
  std::vector<vcode::Constant> constants;
  kernel.number = 0;
  for (vcode::Kernel::Step& step : kernel.steps) {
    if (!step.is_constant()) continue;
    step.constant = static_cast<std::uint32_t>(constants.size());
    constants.push_back(constant_of(call.operands[step.results[0]]));
  }
  state_.store(State::kCompiling, std::memory_order_relaxed);
  generated_ = generate_kernel(kernel, constants, widths_);
  if (!generated_.obstacle.empty()) return fail(generated_.step, generated_.obstacle);
  // When a kernel that compiles beside the run is ready depends on time, which results may not.
  if (store_.when() == Compiling::kBeforeItRuns || folds_floats(kernel_)) return compile();
  try {
    submitted_ = true;
    store_.thread().submit(this, [this] { compile(); });
  } catch (const std::exception& error) {
    fail(error.what());
  }
}

void DeviceKernel::compile() noexcept {
  try {
    const std::string text = complete_text(generated_);
    try {
      code_ = store_.get(text);
    } catch (const CompileError& error) {
      const std::optional<std::uint32_t> step = step_of_error(text, error.messages());
      return step ? fail(*step, error.what()) : fail(error.what());
    }
    function_ = code_.functions->function(GeneratedKernel::function(0));
    if (generated_.has_finish) finish_ = code_.functions->function(GeneratedKernel::finish_function(0));
    state_.store(State::kCompiled, std::memory_order_release);
  } catch (const std::exception& error) {
    fail(error.what());
  }
}

void DeviceKernel::fail(std::string reason) {
  failure_ = std::move(reason);
  store_.report(title_, failure_);
  state_.store(State::kFailed, std::memory_order_release);
}

void DeviceKernel::fail(std::uint32_t step, const std::string& reason) {
  const std::string& name = kernel_.values[kernel_.steps[step].results[0]].name;
  fail("step " + std::to_string(step) + " (" + name + "): " + reason);
}

std::int64_t DeviceKernel::filled(vcode::KernelVar result, const KernelCall& call) const {
  const bool is_packed =
      facts_.producers[result] == vcode::Producer::kPack && kernel_.values[result].kind != vcode::Kind::kSegdes;
  if (!is_packed) return call.results[result].length;
  const auto step = std::find_if(kernel_.steps.begin(), kernel_.steps.end(),
                                 [&](const vcode::Kernel::Step& s) { return s.results[0] == result; });
  const auto number = static_cast<std::uint32_t>(step - kernel_.steps.begin());
  return call.kept[kernel_.steps[vcode::first_pack_like(kernel_, number)].results[0]];
}

bool DeviceKernel::run(Executor& executor, const Faults& faults, const KernelCall& call) {
  if (state_.load(std::memory_order_acquire) == State::kNew) begin_compiling(call);
  if (state_.load(std::memory_order_acquire) != State::kCompiled) return false;
  if (!KernelArguments::suit(generated_, call)) return false;
  const std::int64_t blocks = kernel_tiles(call.elements);
  const KernelArguments arguments(executor, generated_, faults, call);
  executor.launch_function(function_, blocks, arguments.bytes(), arguments.has_ticket());
  if (finish_ != nullptr) executor.launch_function(finish_, blocks, arguments.bytes(), false);
  arguments.read_kept(executor, call.kept);
  return true;
}

}  // namespace cvl::cuda
