#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cvl::cpu {

/// A function of a register of doubles, of the type of one or two, as LLVM assembly calls it.
struct VectorFunction {
  std::string name;  ///< see vector_function_name()
  const void* address = nullptr;
};

/// The mathematical functions of vcode/functions.h for the vectors of an instruction set.
struct FunctionKernels {
  std::vector<VectorFunction> functions;
};

/// The name of a function for registers of an instruction set, whose results are doubles, or are to be rounded to
/// floats: "nesl_avx2_exp_f64".
inline std::string vector_function_name(std::string_view simd, std::string_view function, bool rounded) {
  return "nesl_" + std::string(simd) + "_" + std::string(function) + (rounded ? "_f32" : "_f64");
}

}  // namespace cvl::cpu
