#include "random_data.h"

#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "vcode/arith.h"
#include "visit_type.h"

namespace cvl::conformance {

using vcode::ElemType;
using vcode::Monoid;

namespace {

template <class T>
std::vector<T> specials() {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_same_v<T, bool>) {
    return {};
  } else if constexpr (std::is_same_v<T, std::uint8_t>) {
    return {0, 1, 127, 128, 255};
  } else if constexpr (std::is_integral_v<T>) {
    constexpr T kBits = sizeof(T) * 8;
    return {0,
            1,
            -1,
            2,
            -2,
            3,
            7,
            -7,
            31,
            32,
            33,
            kBits - 1,
            kBits,
            Limits::min(),
            Limits::max(),
            Limits::min() + 1,
            Limits::max() - 1};
  } else {
    // The edges of both integer ranges, where the conversions to INT begin to fail.
    std::vector<T> values{0,
                          -T(0),
                          1,
                          -1,
                          T(0.5),
                          T(-0.5),
                          T(1.5),
                          T(-1.5),
                          T(2.5),
                          T(-2.5),
                          T(0.49999999999999994),
                          Limits::infinity(),
                          -Limits::infinity(),
                          Limits::quiet_NaN(),
                          Limits::max(),
                          Limits::lowest(),
                          Limits::min(),
                          Limits::denorm_min(),
                          -Limits::denorm_min(),
                          Limits::epsilon(),
                          T(1e36f),
                          T(-1e36f),
                          T(710),
                          T(-746),
                          T(89),
                          T(-104)};
    for (T edge : {T(0x1p31), T(0x1p63)})
      for (T sign : {T(1), T(-1)})
        for (T offset : {T(-1.5), T(-1), T(-0.75), T(-0.5), T(-0.25), T(0), T(0.25), T(0.5), T(0.75), T(1), T(1.5)})
          values.push_back(sign * (edge + offset));
    for (T edge : {T(0x1p31), T(0x1p63), T(0x1p23), T(0x1p52)}) {
      values.push_back(std::nextafter(edge, T(0)));
      values.push_back(-std::nextafter(edge, T(0)));
      values.push_back(std::nextafter(edge, Limits::max()));
      values.push_back(-std::nextafter(edge, Limits::max()));
    }
    return values;
  }
}

template <class T>
T any_value(Rng& rng, const std::vector<T>& special) {
  std::uint64_t word = rng.next();
  if constexpr (std::is_same_v<T, bool>) {
    return word & 1;
  } else {
    std::uint64_t choice = word & 15;
    if (choice == 0) return special[static_cast<std::size_t>(rng.below(static_cast<std::int64_t>(special.size())))];
    if constexpr (std::is_integral_v<T>) {
      if (choice < 8) return static_cast<T>(static_cast<std::int64_t>(word >> 4) % 1000);
      return static_cast<T>(rng.next());
    } else {
      if (choice == 1) {
        using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
        return std::bit_cast<T>(static_cast<Bits>(rng.next()));
      }
      if (choice < 8) return static_cast<T>(rng.unit() * 2 - 1);
      return static_cast<T>((rng.unit() * 2 - 1) * static_cast<double>(std::int64_t{1} << (word >> 59)));
    }
  }
}

}  // namespace

HostVector special_values(ElemType type) {
  HostVector vector;
  visit_type(type, [&]<class T>() {
    if constexpr (std::is_same_v<T, bool>) {
      vector = HostVector(type, 2);
      vector.as<bool>()[1] = true;
    } else {
      std::vector<T> values = specials<T>();
      vector = HostVector(type, static_cast<std::int64_t>(values.size()));
      std::copy(values.begin(), values.end(), vector.as<T>().begin());
    }
  });
  return vector;
}

HostVector any_values(ElemType type, std::int64_t length, Rng& rng) {
  HostVector vector(type, length);
  visit_type(type, [&]<class T>() {
    const std::vector<T> special = specials<T>();
    for (T& v : vector.as<T>()) v = any_value<T>(rng, special);
  });
  return vector;
}

HostVector moderate_values(ElemType type, std::int64_t length, Rng& rng) {
  if (type != ElemType::kF32 && type != ElemType::kF64) return any_values(type, length, rng);
  HostVector vector(type, length);
  visit_type(type, [&]<class T>() {
    for (T& v : vector.as<T>()) v = static_cast<T>((rng.unit() * 2 - 1) * 16);
  });
  return vector;
}

HostVector associative_values(Monoid monoid, ElemType type, std::int64_t length, Rng& rng) {
  HostVector vector = any_values(type, length, rng);
  visit_type(type, [&]<class T>() {
    std::span<T> values = vector.as<T>();
    if constexpr (std::is_floating_point_v<T>) {
      // Small integers have exact sums; signs and a few powers of two have exact products.
      if (monoid == Monoid::kSum)
        for (T& v : values) v = static_cast<T>(rng.below(17) - 8);
      if (monoid == Monoid::kProduct) {
        for (T& v : values) v = rng.next() & 1 ? T(1) : T(-1);
        for (int k = 0; k < 60 && length > 0; ++k) values[rng.below(length)] *= rng.next() & 1 ? T(2) : T(0.5);
      }
    } else {
      // Most elements are the identity element: otherwise a long conjunction or product is constant after a few
      // elements.
      if (monoid == Monoid::kAll || monoid == Monoid::kAny || monoid == Monoid::kProduct) {
        T identity = monoid == Monoid::kAll ? vcode::all_ones<T>() : monoid == Monoid::kAny ? T(0) : T(1);
        std::int64_t rarity = 1 + rng.below(std::max<std::int64_t>(1, length / 4));
        for (T& v : values) {
          if (rng.below(rarity) != 0)
            v = identity;
          else if (monoid == Monoid::kAll)
            v = vcode::bit_not(T(T(1) << rng.below(std::is_same_v<T, bool> ? 1 : sizeof(T) * 8 - 1)));
          else if (monoid == Monoid::kAny)
            v = T(T(1) << rng.below(std::is_same_v<T, bool> ? 1 : sizeof(T) * 8 - 1));
          else if (monoid == Monoid::kProduct)
            v = T(static_cast<std::uint64_t>(v) | 1);  // odd, so that no product becomes 0
        }
      }
    }
  });
  return vector;
}

HostVector random_flags(std::int64_t length, double p, Rng& rng) {
  HostVector vector(ElemType::kB8, length);
  for (bool& v : vector.as<bool>()) v = rng.chance(p);
  return vector;
}

HostVector random_keys(ElemType type, std::int64_t length, std::int64_t distinct, bool with_specials, Rng& rng) {
  HostVector pool = any_values(type, distinct, rng);
  HostVector vector(type, length);
  visit_type(type, [&]<class T>() {
    const std::vector<T> special = specials<T>();
    for (T& v : vector.as<T>()) {
      v = pool.as<T>()[rng.below(distinct)];
      if (!special.empty() && rng.below(16) == 0) v = special[rng.below(static_cast<std::int64_t>(special.size()))];
      if constexpr (std::is_floating_point_v<T>)
        if (!with_specials && !std::isfinite(v)) v = T(1);
    }
  });
  return vector;
}

}  // namespace cvl::conformance
