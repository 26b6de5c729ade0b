// Parts of the standard library that the texts in front of generated kernels use, for NVRTC, which has no headers of its
// own. This file is not compiled by itself: it stands for each of <cmath>, <cstdint>, <cstring>, <limits> and <type_traits>.

#ifndef NVRTC_STANDARD
#define NVRTC_STANDARD

namespace std {

using uint8_t = unsigned char;
using int32_t = int;
using uint32_t = unsigned;
using int64_t = long;
using uint64_t = unsigned long;

template <class A, class B>
constexpr bool is_same_v = false;
template <class A>
constexpr bool is_same_v<A, A> = true;
template <class T>
constexpr bool is_floating_point_v = is_same_v<T, float> || is_same_v<T, double>;
template <class T>
constexpr bool is_integral_v = is_same_v<T, bool> || is_same_v<T, unsigned char> || is_same_v<T, int> ||
                               is_same_v<T, unsigned> || is_same_v<T, long> || is_same_v<T, unsigned long>;
template <bool condition, class A, class B>
struct conditional {
  using type = A;
};
template <class A, class B>
struct conditional<false, A, B> {
  using type = B;
};
template <bool condition, class A, class B>
using conditional_t = typename conditional<condition, A, B>::type;
template <class T>
struct type_identity {
  using type = T;
};
template <class T>
struct make_unsigned {
  using type = conditional_t<sizeof(T) == 8, unsigned long, unsigned>;
};

template <class T>
struct numeric_limits;
template <>
struct numeric_limits<bool> {
  static constexpr bool lowest() { return false; }
  static constexpr bool min() { return false; }
  static constexpr bool max() { return true; }
};
template <>
struct numeric_limits<int> {
  static constexpr int max() { return 0x7fffffff; }
  static constexpr int min() { return -max() - 1; }
  static constexpr int lowest() { return min(); }
};
template <>
struct numeric_limits<long> {
  static constexpr long max() { return 0x7fffffffffffffff; }
  static constexpr long min() { return -max() - 1; }
  static constexpr long lowest() { return min(); }
};
template <>
struct numeric_limits<float> {
  static constexpr float max() { return 0x1.fffffep127f; }
  static constexpr float lowest() { return -max(); }
  static constexpr float infinity() { return __builtin_bit_cast(float, 0x7f800000); }
};
template <>
struct numeric_limits<double> {
  static constexpr double max() { return 0x1.fffffffffffffp1023; }
  static constexpr double lowest() { return -max(); }
  static constexpr double infinity() { return __builtin_bit_cast(double, 0x7ff0000000000000); }
};

using ::ceil;
using ::copysign;
using ::fabs;
using ::floor;
using ::memcpy;
using ::round;
using ::sqrt;
using ::trunc;

}  // namespace std

#define UINT64_MAX 0xffffffffffffffff

#endif
