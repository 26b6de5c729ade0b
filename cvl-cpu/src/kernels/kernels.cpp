#include "kernels/kernels.h"

namespace cvl::cpu {

namespace baseline {
const Kernels& kernels();
}
namespace avx2 {
const Kernels& kernels();
}
namespace avx512 {
const Kernels& kernels();
}

namespace {

struct Isa {
  const char* name;
  bool (*supported)();
  const Kernels& (*kernels)();
};

/// Instruction sets in descending order of preference.
constexpr Isa kIsas[] = {
#if defined(__x86_64__)
    {"avx512",
     [] {
       return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
              __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
              __builtin_cpu_supports("avx512vl");
     },
     avx512::kernels},
    {"avx2",
     [] {
       return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
              __builtin_cpu_supports("bmi2");
     },
     avx2::kernels},
#endif
    {"baseline", [] { return true; }, baseline::kernels},
};

void look_at_processor() {
#if defined(__x86_64__)
  __builtin_cpu_init();
#endif
}

}  // namespace

std::vector<VectorFunction> vector_functions() {
  look_at_processor();
  std::vector<VectorFunction> all;
  for (const Isa& isa : kIsas)
    if (isa.supported()) {
      const FunctionKernels& functions = isa.kernels().function;
      for (int k = 0; k < functions.count; ++k) {
        const FunctionKernels::Entry& entry = functions.entries[k];
        all.push_back({vector_function_name(isa.name, entry.name, entry.rounded), entry.address});
      }
    }
  return all;
}

std::string vector_function_name(std::string_view simd, std::string_view function, bool rounded) {
  return "nesl_" + std::string(simd) + "_" + std::string(function) + (rounded ? "_f32" : "_f64");
}

const Kernels* choose_kernels(const std::string& simd, std::string& error) {
  look_at_processor();
  std::string names;
  for (const Isa& isa : kIsas) {
    if (simd.empty() || simd == isa.name) {
      if (isa.supported()) return &isa.kernels();
      if (!simd.empty()) {
        error = "this processor does not have the instruction set '" + simd + "'";
        return nullptr;
      }
    }
    names += (names.empty() ? "" : ", ") + std::string(isa.name);
  }
  error = "there is no instruction set '" + simd + "'; choose one of " + names;
  return nullptr;
}

}  // namespace cvl::cpu
