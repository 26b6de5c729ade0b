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

/// In descending order of preference.
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
      const std::vector<VectorFunction>& functions = isa.kernels().function.functions;
      all.insert(all.end(), functions.begin(), functions.end());
    }
  return all;
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
