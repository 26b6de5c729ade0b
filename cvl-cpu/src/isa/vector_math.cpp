/// The functions of vcode/functions.h in registers of doubles, whatever the type of the elements: for loops over
/// elements and, one register at a time, for compiled kernels. Each lane has the same bits as the function computes for
/// one number.

#include "isa/vector_math.h"

#include "base/check.h"
#include "vcode/lanes/angles.h"
#include "vcode/lanes/exponentials.h"

namespace cvl::cpu::CVL_ISA {
namespace {

using Doubles = Register<double>;
typedef float Floats __attribute__((vector_size(kRegisterBytes / 2)));
constexpr int64_t kWidth = kRegisterLanes<double>;

inline Doubles load_doubles(const double* p) { return load<Doubles>(p); }
inline Doubles load_doubles(const float* p) { return __builtin_convertvector(load<Floats>(p), Doubles); }
inline void store_doubles(double* p, Doubles x) { store(p, x); }
inline void store_doubles(float* p, Doubles x) { store(p, __builtin_convertvector(x, Floats)); }

/// T is the type to which results are rounded.
template <class Row, class T>
struct FunctionOf;
#define CVL_FUNCTION(Row, name)                                                           \
  template <class T>                                                                      \
  struct FunctionOf<vcode::ops::Row, T> {                                                 \
    static Doubles apply(Doubles a, Doubles) { return vcode::lanes::name##_lanes<T>(a); } \
    static Doubles call(Doubles a) { return vcode::lanes::name##_lanes<T>(a); }           \
  };
#define CVL_FUNCTION2(Row, name)                                                               \
  template <class T>                                                                           \
  struct FunctionOf<vcode::ops::Row, T> {                                                      \
    static Doubles apply(Doubles a, Doubles b) { return vcode::lanes::name##_lanes<T>(a, b); } \
    static Doubles call(Doubles a, Doubles b) { return vcode::lanes::name##_lanes<T>(a, b); }  \
  };
VC_FUNCTIONS(CVL_FUNCTION, CVL_FUNCTION2)
#undef CVL_FUNCTION
#undef CVL_FUNCTION2

}  // namespace

/// Computes the function of all elements; the last register is filled up with ones.
template <class Row, int kSingle, class T>
void apply_function(T* result, const T* a, const T* b, int64_t n) {
  const Doubles one_a = double(a[0]) - Doubles{}, one_b = double(b[0]) - Doubles{};
  const auto apply = [&](const T* x, const T* y) {
    return FunctionOf<Row, T>::apply(kSingle & 1 ? one_a : load_doubles(x), kSingle & 2 ? one_b : load_doubles(y));
  };
  int64_t e = 0;
  for (; e + kWidth <= n; e += kWidth) store_doubles(result + e, apply(a + e, b + e));
  if (e == n) return;
  T rest_a[kWidth], rest_b[kWidth];
  for (int64_t k = 0; k < kWidth; ++k) {
    rest_a[k] = e + k < n && !(kSingle & 1) ? a[e + k] : T(1);
    rest_b[k] = e + k < n && !(kSingle & 2) ? b[e + k] : T(1);
  }
  T rest[kWidth];
  store_doubles(rest, apply(rest_a, rest_b));
  std::memcpy(result + e, rest, static_cast<std::size_t>(n - e) * sizeof(T));
}

#define CVL_APPLY(Row, single)                                                                                        \
  template void apply_function<vcode::ops::Row, single>(double* result, const double* a, const double* b, int64_t n); \
  template void apply_function<vcode::ops::Row, single>(float* result, const float* a, const float* b, int64_t n);
#define CVL_APPLY1(Row, name) CVL_APPLY(Row, 0)
#define CVL_APPLY2(Row, name) CVL_APPLY(Row, 0) CVL_APPLY(Row, 1) CVL_APPLY(Row, 2) CVL_APPLY(Row, 3)
VC_FUNCTIONS(CVL_APPLY1, CVL_APPLY2)

void add_functions(Kernels& kernels) {
  FunctionKernels& functions = kernels.function;
  const auto add = [&](const char* name, bool rounded, auto* function) {
    VC_CHECK(functions.count < FunctionKernels::kMost);
    functions.entries[functions.count++] = {name, rounded, reinterpret_cast<const void*>(function)};
  };
#define CVL_ADD(Row, name)                                       \
  add(#name, false, &FunctionOf<vcode::ops::Row, double>::call); \
  add(#name, true, &FunctionOf<vcode::ops::Row, float>::call);
  VC_FUNCTIONS(CVL_ADD, CVL_ADD)
}

}  // namespace cvl::cpu::CVL_ISA
