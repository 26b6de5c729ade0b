#include "kernels/nvrtc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>

#include "generated/compiler_messages.h"
#include "generated/generated_kernel.h"
#include "kernels/kernel_compiler.h"
#include "vcode_testing.h"

namespace cvl::cuda {
namespace {

using ::testing::HasSubstr;

std::string message_of(const Nvrtc& nvrtc, const std::string& text) {
  try {
    nvrtc.compile(text, {"sm_90"});
    return "";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

TEST(Nvrtc, NamesAMissingLibrary) {
  EXPECT_THAT(message_of(Nvrtc({"libno-such-nvrtc.so"}), ""),
              HasSubstr("NVRTC cannot be opened: libno-such-nvrtc.so: cannot open shared object file"));
}

TEST(Nvrtc, NamesAMissingFunction) {
  EXPECT_EQ(message_of(Nvrtc({"libc.so.6"}), ""), "NVRTC has no nvrtcCreateProgram");
}

/// Skipped where NVRTC is not installed. Needs no device.
TEST(Nvrtc, MakesCubinsOfGeneratedKernels) {
  const Nvrtc nvrtc;
  const std::string wrong = message_of(nvrtc, "wrong");
  if (wrong.starts_with("NVRTC cannot be opened")) GTEST_SKIP() << wrong;
  EXPECT_THAT(wrong, HasSubstr("NVRTC says: kernel.cpp(1): error: "));
  const vcode::Program program = vcode::testing::read_good(
      "FCODE 1\nKERNEL 0 k (x FLOAT i INT s SEGDES) OVER x\ny = * FLOAT x x\nz = EXP y\nj = / INT i i\n"
      "t = +_REDUCE FLOAT z s\nm = MAX_SCAN INT j s\nOUT t m\nRET\nFUNC MAIN CONST INT 1 RET\n");
  for (const vcode::Widths widths : {vcode::Widths{}, vcode::Widths{vcode::ElemType::kI64, vcode::ElemType::kF32}}) {
    const GeneratedKernel kernel = generate_kernel(program.kernels[0], program.constants, widths);
    EXPECT_THAT(nvrtc.compile(complete_text(kernel), {"sm_90"}), HasSubstr("kernel_0"));
  }
}

TEST(Nvrtc, ContractsOnlyOnRequest) {
  const DeviceTarget exact{"sm_90"}, contracting{"sm_90", true};
  EXPECT_NE(Nvrtc::target(exact), Nvrtc::target(contracting));
  const Nvrtc nvrtc;
  if (message_of(nvrtc, "").starts_with("NVRTC cannot be opened")) GTEST_SKIP() << "there is no NVRTC";
  const vcode::Program program = vcode::testing::read_good(
      "FCODE 1\nKERNEL 0 k (x FLOAT) OVER x\ny = * FLOAT x x\nz = + FLOAT y x\nOUT z\nRET\nFUNC MAIN CONST INT 1 "
      "RET\n");
  const std::string text = complete_text(generate_kernel(program.kernels[0], program.constants, {}));
  const std::string code = nvrtc.compile(text, exact);
  EXPECT_EQ(nvrtc.compile(text, exact), code);
  EXPECT_NE(nvrtc.compile(text, contracting), code);
}

/// Includes errors in support code that a step uses.
TEST(Nvrtc, ErrorsNameTheirStep) {
  const Nvrtc nvrtc;
  if (message_of(nvrtc, "").starts_with("NVRTC cannot be opened")) GTEST_SKIP() << "there is no NVRTC";
  const vcode::Program program = vcode::testing::read_good(
      "FCODE 1\nKERNEL 0 k (x FLOAT s SEGDES) OVER x\ny = EXP x\nz = * FLOAT y y\nt = +_REDUCE FLOAT z s\nOUT t\n"
      "RET\nFUNC MAIN CONST INT 1 RET\n");
  const std::string text = complete_text(generate_kernel(program.kernels[0], program.constants, {}));
  const auto refused = [&](const std::string& right, const std::string& wrong) -> std::optional<std::uint32_t> {
    std::string changed = text;
    changed.replace(changed.rfind(right), right.size(), wrong);
    try {
      nvrtc.compile(changed, {"sm_90"});
      return std::nullopt;
    } catch (const CompileError& error) {
      return step_of_error(changed, error.messages());
    }
  };
  EXPECT_EQ(refused("rows::Multiply", "rows::Missing"), 1u);
  EXPECT_EQ(refused("TileSums<Plain<monoids::Sum, f64>>", "TileSums<Plain<monoids::Sum, Missing>>"), 2u);
  EXPECT_EQ(refused("rows::Exp::eval<f64>(x_0)", "rows::Exp::eval<f64>(&x_0)"), 0u);
}

}  // namespace
}  // namespace cvl::cuda
