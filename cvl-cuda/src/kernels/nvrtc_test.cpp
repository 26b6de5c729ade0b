#include "kernels/nvrtc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "generated/generated_kernel.h"
#include "vcode_testing.h"

namespace cvl::cuda {
namespace {

using ::testing::HasSubstr;

std::string message_of(const Nvrtc& nvrtc, const std::string& text) {
  try {
    nvrtc.compile(text, "sm_90");
    return "";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

TEST(Nvrtc, ThatIsMissingIsNamed) {
  EXPECT_THAT(message_of(Nvrtc({"libno-such-nvrtc.so"}), ""),
              HasSubstr("NVRTC cannot be opened: libno-such-nvrtc.so: cannot open shared object file"));
}

TEST(Nvrtc, ThatIsSomethingElseIsNamed) {
  EXPECT_EQ(message_of(Nvrtc({"libc.so.6"}), ""), "NVRTC has no nvrtcCreateProgram");
}

/// Where there is one, which needs no device.
TEST(Nvrtc, MakesCubinsOfGeneratedKernels) {
  const Nvrtc nvrtc;
  const std::string wrong = message_of(nvrtc, "wrong");
  if (wrong.starts_with("NVRTC cannot be opened")) GTEST_SKIP() << wrong;
  EXPECT_THAT(wrong, HasSubstr("NVRTC says: kernel.cu(1): error: "));
  const vcode::Program program = vcode::testing::read_good(
      "FCODE 1\nKERNEL 0 k (x FLOAT i INT s SEGDES) OVER x\ny = * FLOAT x x\nz = EXP y\nj = / INT i i\n"
      "t = +_REDUCE FLOAT z s\nm = MAX_SCAN INT j s\nOUT t m\nRET\nFUNC MAIN CONST INT 1 RET\n");
  for (const vcode::Widths widths : {vcode::Widths{}, vcode::Widths{vcode::ElemType::kI64, vcode::ElemType::kF32}}) {
    const GeneratedKernel kernel = generate_kernel(program.kernels[0], program.constants, widths);
    EXPECT_THAT(nvrtc.compile(complete_text(kernel), "sm_90"), HasSubstr("kernel_0"));
  }
}

}  // namespace
}  // namespace cvl::cuda
