// Kernels compiled for AArch64 and run by qemu, on the same data as compiled for x86-64: results have the same bits.

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "../vcode/child_process.h"
#include "cross_compiler.h"
#include "cvl/dispatch.h"
#include "cvl/loader.h"
#include "image_calls.h"
#include "read_text.h"
#include "tested_kernels.h"
#include "vcode/kernel_rules.h"

namespace cvl::conformance {
namespace {

using kernels::Loop;

constexpr std::size_t kImageBytes = std::size_t{64} << 20;

/// A machine for which loops are compiled, and how its programs are compiled and run.
struct Machine {
  const char *target, *compiler;
  std::vector<std::string> runner;
};

/// A call of a loop.
struct TestedCall {
  std::string function, title;
  std::vector<ImageResult> results;
};

class OnBothMachines : public testing::Test {
 protected:
  void SetUp() override {
#if !defined(__x86_64__)
    GTEST_SKIP() << "other tests run the kernels of this machine";
#endif
    if (std::string(NESL_AARCH64_CXX).empty() || std::string(NESL_QEMU_AARCH64).empty())
      GTEST_SKIP() << "there is no compiler or no qemu for AArch64; scripts/setup --aarch64 installs them";
    if (!CrossCompiler::knows("aarch64-linux-gnu")) GTEST_SKIP() << "LLVM was not built for AArch64";
    std::string error;
    backend_ = load_backend("cpu", default_backend_directories(), {.threads = 1, .native = "off"}, error);
    ASSERT_NE(backend_, nullptr) << error;
  }

  /// Adds the calls of all forms of a kernel's loop, and its assembly for both machines.
  void add(KernelCase tried, vcode::Widths widths) {
    tried.kernel.name = fmt::format("k{}", kernels_);
    const vcode::KernelFacts facts = vcode::look_at(tried.kernel);
    ASSERT_EQ(facts.error, "") << tried.title;
    const kernels::LoopPlan plan(tried.kernel, facts, widths);
    ASSERT_EQ(kernels::verify_plan(plan), "") << tried.title;
    bool is_called = false;
    for (const auto& [form, suffix] :
         {std::pair(Loop::Form::kFlat, ""), {Loop::Form::kNest, "_nest"}, {Loop::Form::kLanes, "_lanes"}}) {
      if (!plan.whole.loop.has(form)) continue;
      std::optional<std::vector<ImageResult>> results = add_call(image_, plan, tried, form);
      if (!results) continue;
      calls_.push_back({tried.kernel.name + suffix, tried.title, std::move(*results)});
      is_called = true;
    }
    if (!is_called) return;
    ++kernels_;
    const std::unique_ptr<KernelPlan> planned = backend_->plan_kernel(tried.kernel, facts, widths, "");
    for (const Machine& machine : machines_) {
      const std::string assembly = backend_->kernel_assembly(*planned, machine.target);
      std::string error;
      const std::string object = compiler_.object(assembly, error);
      ASSERT_NE(object, "") << error << assembly;
      write(fmt::format("{}-{}.o", tried.kernel.name, machine.target), object);
      static const std::regex kFunction(R"(declare <2 x double> @(nesl_baseline_(\w+)_(f64|f32))\((.*)\))");
      for (std::sregex_iterator at(assembly.begin(), assembly.end(), kFunction), end; at != end; ++at)
        functions_.insert({(*at)[1], (*at)[2], (*at)[3] == "f32", (*at)[4].str().find(',') != std::string::npos});
    }
  }

  /// The image after all calls on a machine.
  std::string run(const Machine& machine) {
    write("image", image_.content());
    write("loops.cpp", table());
    const std::string program = std::string("run-") + machine.target;
    std::vector<std::string> compile = {machine.compiler,
                                        "-std=c++20",
                                        "-O2",
                                        "-static",
                                        "-ffp-contract=off",
                                        "-fwrapv",
                                        "-fno-trapping-math",
                                        "-fno-math-errno",
                                        "-Wno-psabi",
                                        "-DCVL_ISA=baseline",
                                        "-DNDEBUG",
                                        "-o",
                                        program};
    for (const char* folder : {NESL_IMAGE_FOLDERS}) compile.insert(compile.end(), {"-I", folder});
    compile.insert(compile.end(),
                   {"-idirafter", "/usr/include", NESL_RUN_LOOPS, NESL_VECTOR_MATH, NESL_FUNCTIONS, "loops.cpp"});
    for (int k = 0; k < kernels_; ++k) compile.push_back(fmt::format("k{}-{}.o", k, machine.target));
    const ProcessResult compiled = run_process(compile, directory_.path(), "", {});
    EXPECT_EQ(compiled.exit_status, 0) << compiled.errors;
    if (compiled.exit_status != 0) return "";
    std::vector<std::string> command = machine.runner;
    command.insert(command.end(), {(directory_.path() / program).string(), "image", "result"});
    const ProcessResult ran = run_process(command, directory_.path(), "", {});
    EXPECT_EQ(ran.exit_status, 0) << ran.errors;
    return read_text(directory_.path() / "result");
  }

  /// Compares the results of all calls. Returns the number of calls without a fault.
  int expect_same(const std::string& expected, const std::string& found) const {
    ImageHead head, other;
    std::memcpy(&head, expected.data(), sizeof head);
    std::memcpy(&other, found.data(), sizeof other);
    int whole = 0;
    for (std::size_t k = 0; k < calls_.size(); ++k) {
      SCOPED_TRACE(calls_[k].function + ": " + calls_[k].title);
      EXPECT_NE(head.call[k].is_at_fault, -1);
      EXPECT_EQ(other.call[k].is_at_fault, head.call[k].is_at_fault);
      if (head.call[k].is_at_fault != 0) continue;
      ++whole;
      for (const ImageResult& result : calls_[k].results) {
        std::size_t elements = result.elements;
        if (result.count != 0) std::memcpy(&elements, &expected[result.count], sizeof elements);
        with_type(result.type, [&]<class T>() {
          for (std::size_t e = 0; e < elements; ++e)
            EXPECT_TRUE(is_same<T>(&found[result.begin + e * sizeof(T)], &expected[result.begin + e * sizeof(T)]))
                << result.name << ", element " << e;
        });
      }
    }
    return whole;
  }

  /// Whether elements have the same bits, or are NaN: the bits of those depend on the processor.
  template <class T>
  static bool is_same(const char* a, const char* b) {
    T x, y;
    std::memcpy(&x, a, sizeof x);
    std::memcpy(&y, b, sizeof y);
    return std::memcmp(a, b, sizeof(T)) == 0 || (x != x && y != y);
  }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(directory_.path() / name, std::ios::binary) << text;
  }

  const std::vector<Machine> machines_ = {{"sse2", NESL_HOST_CXX, {}}, {"neon", NESL_AARCH64_CXX, {NESL_QEMU_AARCH64}}};
  LoopImage image_{kImageBytes};
  std::vector<TestedCall> calls_;

 private:
  /// A function of registers that a loop calls.
  struct Function {
    std::string symbol, name;
    bool rounded = false, has_two = false;
    auto operator<=>(const Function&) const = default;  // NOLINT(modernize-use-nullptr): compares with 0
  };

  /// C++ text with the table of loops, and the functions that they call.
  std::string table() const {
    std::string text = "#define LOOP(name) extern \"C\" bool name(const void*, long, long);\n";
    for (const TestedCall& call : calls_) text += "LOOP(" + call.function + ")\n";
    text +=
        "extern bool (*const loops[])(const void*, long, long);\nbool (*const loops[])(const void*, long, long) = {";
    for (const TestedCall& call : calls_) text += call.function + ", ";
    text +=
        "};\nconst void* function_of_registers(const char*, bool);\n"
        "typedef double Doubles __attribute__((vector_size(16)));\n";
    for (const Function& f : functions_)
      text += fmt::format(
          "extern \"C\" Doubles {0}({1}) {{\n  static const auto f = reinterpret_cast<Doubles (*)({1})>("
          "const_cast<void*>(function_of_registers(\"{2}\", {3})));\n  return f({4});\n}}\n",
          f.symbol, f.has_two ? "Doubles a, Doubles b" : "Doubles a", f.name, f.rounded, f.has_two ? "a, b" : "a");
    return text;
  }

  CrossCompiler compiler_;
  BackendPtr backend_;
  ScratchDirectory directory_;
  std::set<Function> functions_;
  int kernels_ = 0;
};

constexpr vcode::Widths kWidths[] = {{vcode::ElemType::kI32, vcode::ElemType::kF64},
                                     {vcode::ElemType::kI64, vcode::ElemType::kF32}};

TEST_F(OnBothMachines, KernelsHaveTheSameBits) {
  for (const vcode::Widths widths : kWidths)
    for (const KernelCase& tried : tested_kernels(widths)) {
      add(tried, widths);
      if (HasFatalFailure()) return;
    }
  const std::string expected = run(machines_[0]), found = run(machines_[1]);
  ASSERT_EQ(expected.size(), kImageBytes);
  ASSERT_EQ(found.size(), kImageBytes);
  EXPECT_GT(calls_.size(), 40u);
  EXPECT_GT(expect_same(expected, found), 30);
}

}  // namespace
}  // namespace cvl::conformance
