#pragma once

#include <string>
#include <string_view>

namespace cvl::cpu {

/// Address of a function of one or two registers of doubles, as LLVM assembly calls it.
struct VectorFunction {
  std::string name;  ///< see vector_function_name()
  const void* address = nullptr;
};

/// The mathematical functions of vcode/functions.h on vectors of one instruction set.
struct FunctionKernels {
  struct Entry {
    const char* name = nullptr;  ///< of the function: "exp"
    bool rounded = false;        ///< results are to be rounded to floats
    const void* address = nullptr;
  };
  static constexpr int kMost = 32;
  Entry entries[kMost];
  int count = 0;
};

/// The name of a function for registers of an instruction set: "nesl_avx2_exp_f64". `rounded`: the results are rounded
/// to floats.
std::string vector_function_name(std::string_view simd, std::string_view function, bool rounded);

}  // namespace cvl::cpu
