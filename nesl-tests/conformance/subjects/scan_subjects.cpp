#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "subjects.h"
#include "visit_type.h"

namespace cvl::conformance {

namespace {

using vcode::OpClass;
using vcode::OpInfo;

/// Permitted differences of sums and products from the oracle's, for each element of the result. A float operation on n
/// numbers, associated in any way, is off by at most n roundings of the sum of magnitudes (or of the product). The
/// oracle's own error comes on top.
std::vector<double> error_bounds(const OpInfo& row, const HostVector& a, const Segmentation& segments) {
  std::vector<double> bounds;
  visit_type(a.type, [&]<class T>() {
    if constexpr (std::is_floating_point_v<T>) {
      const bool is_sum = row.monoid == vcode::Monoid::kSum;
      std::size_t e = 0;
      for (std::int64_t length : segments.lengths) {
        double magnitude = is_sum ? 0 : 1;
        auto bound = [&](std::int64_t n) {
          return 2.0 * static_cast<double>(n + 1) * std::numeric_limits<T>::epsilon() * magnitude;
        };
        for (std::int64_t j = 0; j < length; ++j, ++e) {
          if (row.op_class == OpClass::kScan) bounds.push_back(bound(j));
          double v = std::fabs(double(a.as<T>()[e]));
          magnitude = is_sum ? magnitude + v : magnitude * v;
        }
        if (row.op_class == OpClass::kReduce) bounds.push_back(bound(length));
      }
    }
  });
  return bounds;
}

Call make_call(const OpInfo& row, const TypeVariant& variant, HostVector a, const Segmentation& segments,
               Agreement agreement, const char* flavour) {
  const bool is_scan = row.op_class == OpClass::kScan;
  Call call;
  call.title = fmt::format("{} {} of {} elements, {}", row.text, variant.name, a.length, flavour);
  call.results = {{variant.results[0], is_scan ? a.length : segments.segments()}};
  if (is_scan) call.reusable = {0};
  call.operands = {std::move(a)};
  call.segmentations = {segments};
  call.agreement = std::move(agreement);
  call.issue = [op_class = row.op_class, monoid = row.monoid](Backend& backend, const Placed& placed) {
    if (op_class == OpClass::kScan)
      backend.run(Scan{monoid, placed.operands[0], placed.descriptors[0], placed.results[0]});
    else if (op_class == OpClass::kReduce)
      backend.run(Reduce{monoid, placed.operands[0], placed.descriptors[0], placed.results[0]});
    else
      backend.run(ArgReduce{monoid, placed.operands[0], placed.descriptors[0], placed.results[0]});
  };
  return call;
}

/// Numbers close to 1, whose products neither overflow nor vanish.
HostVector factors(ElemType type, std::int64_t length, Rng& rng) {
  HostVector a = moderate_values(type, length, rng);
  visit_type(type, [&]<class T>() {
    if constexpr (std::is_floating_point_v<T>)
      for (T& v : a.as<T>()) v = 1 + v / 1024;
  });
  return a;
}

/// Adds a few infinities and NaNs, which must not affect other segments.
void sprinkle_specials(HostVector& a, Rng& rng) {
  visit_type(a.type, [&]<class T>() {
    if constexpr (std::is_floating_point_v<T>) {
      using Limits = std::numeric_limits<T>;
      for (int k = 0; k < 3 && a.length > 0; ++k)
        a.as<T>()[rng.below(a.length)] = rng.chance(0.3)   ? Limits::quiet_NaN()
                                         : rng.chance(0.5) ? Limits::infinity()
                                                           : -Limits::infinity();
    }
  });
}

/// Floats below the empty value of MAX, or above that of MIN: infinities among them.
HostVector beyond_empty_value(Monoid monoid, ElemType type, std::int64_t length, Rng& rng) {
  HostVector a(type, length);
  visit_type(type, [&]<class T>() {
    if constexpr (std::is_floating_point_v<T>) {
      const T sign = monoid == Monoid::kMax ? T(-1) : T(1);
      const bool only_infinite = rng.chance(0.2);
      for (T& v : a.as<T>())
        v = sign *
            (only_infinite || rng.chance(0.05) ? std::numeric_limits<T>::infinity() : T((2 + rng.unit()) * 1e36));
    }
  });
  return a;
}

/// Few different numbers, so that the extreme occurs often, and segments of NaN alone.
HostVector few_different(ElemType type, std::int64_t length, Rng& rng) {
  HostVector a(type, length);
  const std::int64_t different = 1 + rng.below(5);
  const double nans = rng.chance(0.5) ? 0 : rng.unit();
  visit_type(type, [&]<class T>() {
    for (T& v : a.as<T>()) {
      v = static_cast<T>(rng.below(different));
      if constexpr (std::is_floating_point_v<T>) {
        if (rng.chance(0.1)) v = -v;
        if (rng.chance(nans)) v = std::numeric_limits<T>::quiet_NaN();
      } else if (rng.chance(0.1)) {
        v = rng.chance(0.5) ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
      }
    }
  });
  return a;
}

/// Only -0.0, whose sums are 0.0.
HostVector negative_zeros(ElemType type, std::int64_t length) {
  HostVector a(type, length);
  visit_type(type, [&]<class T>() {
    for (T& v : a.as<T>()) v = T(-T(0));
  });
  return a;
}

void calls(const OpInfo& row, const TypeVariant& variant, const Sizes& sizes, Rng& rng, const CallSink& sink) {
  const ElemType type = variant.operands[0];
  const bool is_float = type == ElemType::kF32 || type == ElemType::kF64;
  const bool rounds = is_float && (row.monoid == Monoid::kSum || row.monoid == Monoid::kProduct);
  const Agreement exact{is_float ? Agreement::Kind::kValue : Agreement::Kind::kBits, {}};
  for (std::int64_t length : sizes.lengths) {
    for (const Segmentation& segments : sizes.cuts(length, rng)) {
      HostVector a = associative_values(row.monoid, type, length, rng);
      sink(make_call(row, variant, std::move(a), segments, exact, "exact in any order"));
      if (is_float && row.selects())
        sink(make_call(row, variant, beyond_empty_value(row.monoid, type, length, rng), segments, exact,
                       "all of them beyond the empty value"));
      if (is_float && row.monoid == Monoid::kSum)
        sink(make_call(row, variant, negative_zeros(type, length), segments, {}, "all of them -0.0"));
      if (row.op_class == OpClass::kArgReduce)
        sink(make_call(row, variant, few_different(type, length, rng), segments, exact, "few of them different"));
      if (!rounds) continue;
      a = row.monoid == Monoid::kSum ? moderate_values(type, length, rng) : factors(type, length, rng);
      if (rng.chance(0.3)) sprinkle_specials(a, rng);
      Agreement bounded{Agreement::Kind::kBound, error_bounds(row, a, segments)};
      sink(make_call(row, variant, std::move(a), segments, std::move(bounded), "rounded"));
    }
  }
}

}  // namespace

std::vector<Subject> scan_subjects() {
  std::vector<Subject> subjects;
  for (const OpInfo& row : vcode::all_ops()) {
    if (row.op_class != OpClass::kScan && row.op_class != OpClass::kReduce && row.op_class != OpClass::kArgReduce)
      continue;
    for (const TypeVariant& variant : type_variants(row))
      subjects.push_back({variant.name, [&row, variant](const Sizes& sizes, Rng& rng, const CallSink& sink) {
                            calls(row, variant, sizes, rng, sink);
                          }});
  }
  return subjects;
}

}  // namespace cvl::conformance
