// Kernels compiled for the vectors of every processor, on whatever machine this is.

#include <gtest/gtest.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cvl/loader.h"
#include "kernels/chosen_kernels.h"
#include "random_kernel.h"
#include "segmentation.h"
#include "vcode/kernel_rules.h"

namespace cvl::conformance {
namespace {

using vcode::ElemType;

/// An error of LLVM's, as text.
std::string taken(char* message) {
  const std::string text = message != nullptr ? message : "";
  LLVMDisposeMessage(message);
  return text;
}

/// Object files for the machine that the assembly names.
class CrossCompiler {
 public:
  CrossCompiler() {
    LLVMInitializeAllTargetInfos();
    LLVMInitializeAllTargets();
    LLVMInitializeAllTargetMCs();
    LLVMInitializeAllAsmPrinters();
  }
  /// Whether LLVM was built for this kind of machine.
  static bool knows(const std::string& triple) {
    LLVMTargetRef target = nullptr;
    char* message = nullptr;
    const bool known = LLVMGetTargetFromTriple(triple.c_str(), &target, &message) == 0;
    LLVMDisposeMessage(message);
    return known;
  }
  /// Empty, with an error, if the assembly is not valid.
  std::string object(const std::string& assembly, std::string& error) const {
    const std::unique_ptr<LLVMOpaqueContext, decltype(&LLVMContextDispose)> context(LLVMContextCreate(),
                                                                                    LLVMContextDispose);
    LLVMModuleRef parsed = nullptr;
    char* message = nullptr;
    if (LLVMParseIRInContext(context.get(),
                             LLVMCreateMemoryBufferWithMemoryRangeCopy(assembly.data(), assembly.size(), "kernel"),
                             &parsed, &message) != 0) {
      error = taken(message);
      return "";
    }
    const std::unique_ptr<LLVMOpaqueModule, decltype(&LLVMDisposeModule)> module(parsed, LLVMDisposeModule);
    const bool invalid = LLVMVerifyModule(module.get(), LLVMReturnStatusAction, &message) != 0;
    error = taken(message);
    if (invalid) return "";
    LLVMTargetRef target = nullptr;
    if (LLVMGetTargetFromTriple(LLVMGetTarget(module.get()), &target, &message) != 0) {
      error = taken(message);
      return "";
    }
    const std::unique_ptr<LLVMOpaqueTargetMachine, decltype(&LLVMDisposeTargetMachine)> machine(
        LLVMCreateTargetMachine(target, LLVMGetTarget(module.get()), "", "", LLVMCodeGenLevelDefault, LLVMRelocPIC,
                                LLVMCodeModelDefault),
        LLVMDisposeTargetMachine);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine.get());
    LLVMSetModuleDataLayout(module.get(), layout);
    LLVMDisposeTargetData(layout);
    LLVMMemoryBufferRef emitted = nullptr;
    if (LLVMTargetMachineEmitToMemoryBuffer(machine.get(), module.get(), LLVMObjectFile, &message, &emitted) != 0) {
      error = taken(message);
      return "";
    }
    std::string bytes(LLVMGetBufferStart(emitted), LLVMGetBufferSize(emitted));
    LLVMDisposeMemoryBuffer(emitted);
    return bytes;
  }
};

/// The processor that an ELF file is for (e_machine).
int machine_of(const std::string& object) {
  std::uint16_t machine = 0;
  if (object.size() > 20) std::memcpy(&machine, object.data() + 18, sizeof machine);
  return machine;
}
constexpr int kX86 = 62, kAArch64 = 183;

std::uint64_t seed() {
  const char* const text = std::getenv("NESL_TEST_SEED");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 1;
}

/// Of each form of kernels that the conformance suite runs, some.
std::vector<KernelCase> kernels(vcode::Widths widths, Rng& rng) {
  constexpr std::int64_t kElements = 65;  // for data that nobody reads
  std::vector<KernelCase> cases;
  for (int k = 0; k < 20; ++k) cases.push_back(random_kernel(kElements, widths, rng));
  const Segmentation halves = {"two", {kElements / 2, kElements - kElements / 2}};
  for (int k = 0; k < 4; ++k)
    for (auto [suffix, type] :
         {std::pair(vcode::Suffix::kInt, widths.int_type), std::pair(vcode::Suffix::kFloat, widths.float_type)})
      cases.push_back(folding_case(suffix, type, widths, kElements, halves, rng));
  cases.push_back(dividing_case(widths, kElements, {"one", {kElements}}, 0, rng));
  for (const vcode::Kind kind : {vcode::Kind::kInt, vcode::Kind::kFloat, vcode::Kind::kBool})
    for (int k = 0; k < 2; ++k) cases.push_back(gathering_case(kind, widths, kElements, 100, rng));
  for (int k = 0; k < 2; ++k) cases.push_back(neighbours_case(vcode::Kind::kFloat, widths, halves, rng));
  return cases;
}

/// All elementwise rows of ops.def under all their suffixes, each computed of inputs.
KernelCase all_rows() {
  KernelCase made;
  vcode::Kernel& kernel = made.kernel;
  kernel.name = "rows";
  for (const vcode::Kind kind : {vcode::Kind::kInt, vcode::Kind::kFloat, vcode::Kind::kBool})
    for (int k = 0; k < vcode::Signature::kMaxRoles; ++k) kernel.values.push_back({fmt::format("x{}", k), kind});
  kernel.input_count = static_cast<std::uint32_t>(kernel.values.size());
  for (const vcode::OpInfo& row : vcode::all_ops()) {
    if (row.op_class != vcode::OpClass::kElementwise) continue;
    vcode::for_each_suffix<vcode::suffixes::kAny | vcode::suffixes::kNone>([&]<vcode::Suffix suffix>() {
      if (!row.takes(suffix)) return;
      vcode::Kernel::Step step{.op = row.op, .suffix = suffix};
      for (int k = 0; k < row.signature.operand_count; ++k) {
        const vcode::Kind kind = vcode::Signature::kind(row.signature.operands[static_cast<std::size_t>(k)], suffix);
        const int first = kind == vcode::Kind::kInt ? 0 : kind == vcode::Kind::kFloat ? 1 : 2;
        step.operands.push_back(static_cast<vcode::KernelVar>(first * vcode::Signature::kMaxRoles + k));
      }
      const auto result = static_cast<vcode::KernelVar>(kernel.values.size());
      kernel.values.push_back({std::string(row.name), vcode::Signature::kind(row.signature.results[0], suffix)});
      step.results = {result};
      kernel.steps.push_back(std::move(step));
      kernel.outputs.push_back(result);
    });
  }
  return made;
}

class Targets : public testing::TestWithParam<std::string_view> {
 protected:
  CrossCompiler compiler_;
  BackendPtr backend_;

  void SetUp() override {
    std::string error;
    backend_ = load_backend("cpu", default_backend_directories(), {.threads = 1, .native = "off"}, error);
    ASSERT_NE(backend_, nullptr) << error;
    if (!CrossCompiler::knows(is_arm() ? "aarch64-linux-gnu" : "x86_64-linux-gnu"))
      GTEST_SKIP() << "LLVM was not built for it";
  }
  bool is_arm() const { return GetParam() == "neon"; }
  std::string assembly(const KernelCase& tried, vcode::Widths widths) {
    const vcode::KernelFacts facts = vcode::look_at(tried.kernel);
    EXPECT_EQ(facts.error, "") << tried.title;
    return backend_->kernel_assembly(*backend_->plan_kernel(tried.kernel, facts, widths, ""), GetParam());
  }
  /// Compiles it, and looks for what another processor would not have.
  void expect_compiled(const std::string& text) {
    std::string error;
    const std::string object = compiler_.object(text, error);
    ASSERT_NE(object, "") << error << text;
    EXPECT_EQ(machine_of(object), is_arm() ? kAArch64 : kX86);
    if (!is_arm()) return;
    EXPECT_EQ(text.find("x86"), text.npos) << text;
    EXPECT_EQ(text.find("avx"), text.npos) << text;
  }
};

/// Whose code this machine cannot run.
class OtherMachine : public Targets {};

constexpr vcode::Widths kWidths[] = {{ElemType::kI32, ElemType::kF64}, {ElemType::kI64, ElemType::kF32}};

TEST_P(Targets, CompileAllElementwiseRows) {
  const KernelCase tried = all_rows();
  for (const vcode::Widths widths : kWidths) {
    const std::string text = assembly(tried, widths);
    for (const vcode::Kernel::Step& step : tried.kernel.steps) {
      const std::string comment =
          fmt::format("; {} = {}\n", tried.kernel.values[step.results[0]].name, vcode::info(step.op).text);
      EXPECT_NE(text.find(comment), text.npos) << comment;
    }
    expect_compiled(text);
  }
}

std::string name_of(const testing::TestParamInfo<std::string_view>& target) { return std::string(target.param); }

INSTANTIATE_TEST_SUITE_P(, Targets, testing::ValuesIn(kNativeTargets), name_of);

/// What the conformance suite runs on the processors that compile this; most of its kernels take LLVM some ten
/// milliseconds for vectors of 16 bytes.
TEST_P(OtherMachine, CompilesKernelsOfEachForm) {
  int compiled = 0;
  for (const vcode::Widths widths : kWidths) {
    Rng rng(seed());
    for (const KernelCase& tried : kernels(widths, rng)) {
      const std::string text = assembly(tried, widths);
      if (text.empty()) continue;  // nothing to gain
      ++compiled;
      expect_compiled(text);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(compiled, 30);
}

#if defined(__aarch64__)
INSTANTIATE_TEST_SUITE_P(, OtherMachine, testing::Values("sse2"), name_of);
#else
INSTANTIATE_TEST_SUITE_P(, OtherMachine, testing::Values("neon"), name_of);
#endif

}  // namespace
}  // namespace cvl::conformance
