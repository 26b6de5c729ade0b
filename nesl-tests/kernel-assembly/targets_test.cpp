// Kernels compiled for the vector instructions of every processor, whatever the processor of this machine.

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cross_compiler.h"
#include "cvl/loader.h"
#include "tested_kernels.h"
#include "vcode/kernel_rules.h"

namespace cvl::conformance {
namespace {

using vcode::ElemType;

/// The processor that an ELF file is for (e_machine).
int machine_of(const std::string& object) {
  std::uint16_t machine = 0;
  if (object.size() > 20) std::memcpy(&machine, object.data() + 18, sizeof machine);
  return machine;
}
constexpr int kX86 = 62, kAArch64 = 183;

/// All elementwise rows of ops.def under all their suffixes, each applied to inputs.
KernelCase all_rows() {
  KernelCase made;
  vcode::Kernel& kernel = made.kernel;
  kernel.name = "rows";
  using enum vcode::Kind;
  for (const vcode::Kind kind : {kInt, kBool, kFloat, kByte})  // by their numbers
    for (int k = 0; k < vcode::Signature::kMaxRoles; ++k) kernel.values.push_back({fmt::format("x{}", k), kind});
  kernel.input_count = static_cast<std::uint32_t>(kernel.values.size());
  for (const vcode::OpInfo& row : vcode::all_ops()) {
    if (row.op_class != vcode::OpClass::kElementwise) continue;
    vcode::for_each_suffix<vcode::suffixes::kAny | vcode::suffixes::kNone>([&]<vcode::Suffix suffix>() {
      if (!row.takes(suffix)) return;
      vcode::Kernel::Step step{.op = row.op, .suffix = suffix};
      for (int k = 0; k < row.signature.operand_count; ++k) {
        const vcode::Kind kind = vcode::Signature::kind(row.signature.operands[static_cast<std::size_t>(k)], suffix);
        const int first = static_cast<int>(kind) * vcode::Signature::kMaxRoles;
        step.operands.push_back(static_cast<vcode::KernelVar>(first + k));
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
  /// Compiles the assembly, and rejects references to functions that another processor lacks.
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

/// Targets whose code this machine cannot run.
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

/// The conformance suite runs these kernels on the processors that compile them. LLVM takes some ten milliseconds for
/// most of them, for vectors of 16 bytes.
TEST_P(OtherMachine, CompilesKernelsOfEachForm) {
  int compiled = 0;
  for (const vcode::Widths widths : kWidths) {
    for (const KernelCase& tried : tested_kernels(widths)) {
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
