#include "classic_cases.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace bench {
namespace {

using cvl::Backend;
using cvl::ElemType;
using cvl::Monoid;
using cvl::Op;
using cvl::Operand;
using cvl::Result;
using cvl::SegmentDescriptor;
using V = const ClassicVectors&;

constexpr auto kZ = ElemType::kI32, kB = ElemType::kB8, kD = ElemType::kF64;

/// Computes an elementwise operation on a backend.
void wise(Backend& b, Op op, std::initializer_list<Operand> operands, const Result& result) {
  b.run(cvl::Elementwise{op, {operands.begin(), operands.size()}, result});
}

SegmentDescriptor flat(V v) { return SegmentDescriptor::single(v.n); }

const ClassicCase kCases[] = {
    {"add_wuz", [](V v) { v.api.add_wuz(v.int_result, v.ints, v.more_ints, v.n, v.scratch); },
     [](Backend& b, V v) {
       wise(b, Op::kAdd, {{kZ, v.n, v.ints}, {kZ, v.n, v.more_ints}}, {kZ, v.n, v.int_result});
     },
     12},
    {"add_wud", [](V v) { v.api.add_wud(v.double_result, v.doubles, v.more_doubles, v.n, v.scratch); },
     [](Backend& b, V v) {
       wise(b, Op::kAdd, {{kD, v.n, v.doubles}, {kD, v.n, v.more_doubles}}, {kD, v.n, v.double_result});
     },
     24},
    {"div_wuz", [](V v) { v.api.div_wuz(v.int_result, v.ints, v.more_ints, v.n, v.scratch); },
     [](Backend& b, V v) {
       wise(b, Op::kDivide, {{kZ, v.n, v.ints}, {kZ, v.n, v.more_ints}}, {kZ, v.n, v.int_result});
     },
     12},
    {"max_wud", [](V v) { v.api.max_wud(v.double_result, v.doubles, v.more_doubles, v.n, v.scratch); }, nullptr, 24},
    {"lsh_wuz", [](V v) { v.api.lsh_wuz(v.int_result, v.ints, v.values, v.n, v.scratch); },
     [](Backend& b, V v) {
       wise(b, Op::kShiftLeft, {{kZ, v.n, v.ints}, {kZ, v.n, v.values}}, {kZ, v.n, v.int_result});
     },
     12},
    {"les_wud", [](V v) { v.api.les_wud(v.flag_result, v.doubles, v.more_doubles, v.n, v.scratch); },
     [](Backend& b, V v) {
       wise(b, Op::kLess, {{kD, v.n, v.doubles}, {kD, v.n, v.more_doubles}}, {kB, v.n, v.flag_result});
     },
     17},
    {"sel_wud", [](V v) { v.api.sel_wud(v.double_result, v.flags, v.doubles, v.more_doubles, v.n, v.scratch); },
     [](Backend& b, V v) {
       wise(b, Op::kSelect, {{kB, v.n, v.flags}, {kD, v.n, v.doubles}, {kD, v.n, v.more_doubles}},
            {kD, v.n, v.double_result});
     },
     25},
    {"flr_wud", [](V v) { v.api.flr_wud(v.int_result, v.doubles, v.n, v.scratch); },
     [](Backend& b, V v) {
       wise(b, Op::kFloor, {{kD, v.n, v.doubles}}, {kZ, v.n, v.int_result});
     },
     12},
    {"exp_wud", [](V v) { v.api.exp_wud(v.double_result, v.doubles, v.n, v.scratch); },
     [](Backend& b, V v) {
       wise(b, Op::kExp, {{kD, v.n, v.doubles}}, {kD, v.n, v.double_result});
     },
     16},
    {"rnd_wuz", [](V v) { v.api.rnd_wuz(v.int_result, v.ints, v.n, v.scratch); },
     [](Backend& b, V v) {
       b.run(cvl::Random{{kZ, v.n, v.ints}, {1, 1}, {kZ, v.n, v.int_result}});
     },
     8},
    {"cpy_wud", [](V v) { v.api.cpy_wud(v.double_result, v.doubles, v.n, v.scratch); }, nullptr, 16},
    {"add_sez, one segment", [](V v) { v.api.add_sez(v.int_result, v.ints, v.descriptor, v.n, 1, v.scratch); },
     [](Backend& b, V v) {
       b.run(cvl::Scan{Monoid::kSum, {kZ, v.n, v.ints}, flat(v), {kZ, v.n, v.int_result}});
     },
     8},
    {"add_sez", [](V v) { v.api.add_sez(v.int_result, v.ints, v.descriptor, v.n, v.segments, v.scratch); },
     [](Backend& b, V v) {
       b.run(cvl::Scan{Monoid::kSum, {kZ, v.n, v.ints}, v.segment_descriptor, {kZ, v.n, v.int_result}});
     },
     8.8},
    {"max_sed", [](V v) { v.api.max_sed(v.double_result, v.doubles, v.descriptor, v.n, v.segments, v.scratch); },
     [](Backend& b, V v) {
       b.run(cvl::Scan{Monoid::kMax, {kD, v.n, v.doubles}, v.segment_descriptor, {kD, v.n, v.double_result}});
     },
     16.8},
    {"add_ruz", [](V v) { v.api.add_ruz(v.ints, v.n, v.scratch); },
     [](Backend& b, V v) {
       b.run(cvl::Reduce{Monoid::kSum, {kZ, v.n, v.ints}, flat(v), {kZ, 1, v.int_result}});
     },
     4},
    {"add_rez", [](V v) { v.api.add_rez(v.results, v.ints, v.descriptor, v.n, v.segments, v.scratch); },
     [](Backend& b, V v) {
       b.run(cvl::Reduce{Monoid::kSum, {kZ, v.n, v.ints}, v.segment_descriptor, {kZ, v.segments, v.results}});
     },
     5.2},
    {"add_red, one segment", [](V v) { v.api.add_red(v.double_result, v.doubles, v.descriptor, v.n, 1, v.scratch); },
     [](Backend& b, V v) {
       b.run(cvl::Reduce{Monoid::kSum, {kD, v.n, v.doubles}, flat(v), {kD, 1, v.double_result}});
     },
     8},
    {"ext_vez", [](V v) { v.api.ext_vez(v.results, v.ints, v.values, v.descriptor, v.n, v.segments, v.scratch); },
     nullptr, 2},
    {"dis_vez", [](V v) { v.api.dis_vez(v.int_result, v.values, v.descriptor, v.n, v.segments, v.scratch); },
     [](Backend& b, V v) {
       b.run(cvl::Dist{{kZ, v.segments, v.values}, v.segment_descriptor, {kZ, v.n, v.int_result}});
     },
     5.2},
    {"ind_lez", [](V v) { v.api.ind_lez(v.int_result, v.values, v.values, v.descriptor, v.n, v.segments, v.scratch); },
     [](Backend& b, V v) {
       b.run(cvl::Index{
           {kZ, v.segments, v.values}, {kZ, v.segments, v.values}, v.segment_descriptor, {kZ, v.n, v.int_result}});
     },
     5.6},
    {"smp_pez", [](V v) { v.api.smp_pez(v.int_result, v.ints, v.places, v.descriptor, v.n, 1, v.scratch); },
     [](Backend& b, V v) {
       b.run(cvl::Scatter{{kZ, v.n, v.ints}, {kZ, v.n, v.places}, {}, {}, flat(v), flat(v), {kZ, v.n, v.int_result}});
     },
     12},
    {"bck_pez",
     [](V v) { v.api.bck_pez(v.int_result, v.ints, v.places, v.descriptor, v.n, 1, v.descriptor, v.n, 1, v.scratch); },
     [](Backend& b, V v) {
       b.run(cvl::Gather{{kZ, v.n, v.ints}, {kZ, v.n, v.places}, {}, flat(v), flat(v), {kZ, v.n, v.int_result}});
     },
     12},
    {"fpm_pez",
     [](V v) {
       v.api.fpm_pez(v.int_result, v.ints, v.places, v.flags, v.descriptor, v.n, 1, v.descriptor, v.n, 1, v.scratch);
     },
     [](Backend& b, V v) {
       const Operand flags{kB, v.n, v.flags};
       b.run(
           cvl::Scatter{{kZ, v.n, v.ints}, {kZ, v.n, v.places}, flags, {}, flat(v), flat(v), {kZ, v.n, v.int_result}});
     },
     13},
    {"dpe_pez",
     [](V v) {
       v.api.dpe_pez(v.int_result, v.ints, v.places, v.more_ints, v.descriptor, v.n, 1, v.descriptor, v.n, 1,
                     v.scratch);
     },
     [](Backend& b, V v) {
       const Operand defaults{kZ, v.n, v.more_ints};
       b.run(cvl::Scatter{
           {kZ, v.n, v.ints}, {kZ, v.n, v.places}, {}, defaults, flat(v), flat(v), {kZ, v.n, v.int_result}});
     },
     16},
    {"pk1_lev", [](V v) { v.api.pk1_lev(v.results, v.flags, v.descriptor, v.n, v.segments, v.scratch); },
     [](Backend& b, V v) {
       b.plan_pack({kB, v.n, v.flags}, v.segment_descriptor, {kZ, v.segments, v.results});
     },
     2.2},
    {"pk2_lez", [](V v) { v.api.pk2_luz(v.int_result, v.ints, v.flags, v.n, v.kept, v.scratch); }, nullptr, 7},
    {"rku_lez, one segment", [](V v) { v.api.rku_lez(v.int_result, v.places, v.descriptor, v.n, 1, v.scratch); },
     [](Backend& b, V v) {
       b.run(cvl::Rank{false, {kZ, v.n, v.places}, flat(v), {kZ, v.n, v.int_result}});
     },
     8},
    {"rku_led", [](V v) { v.api.rku_led(v.int_result, v.doubles, v.descriptor, v.n, v.segments, v.scratch); },
     [](Backend& b, V v) {
       b.run(cvl::Rank{false, {kD, v.n, v.doubles}, v.segment_descriptor, {kZ, v.n, v.int_result}});
     },
     12.8},
};

}  // namespace

std::span<const ClassicCase> classic_cases() { return kCases; }

ClassicVectors::ClassicVectors(const ClassicApi& library, int elements)
    : api(library), n(elements), heap(library.alo_foz(library.siz_fod(14 * elements + 20000))) {
  if (heap == nullptr) throw std::runtime_error("no memory for the heap");
  const int z = api.siz_foz(n), d = api.siz_fod(n), b = api.siz_fob(n);
  ints = ints_below(1000);
  more_ints = ints_below(1000);
  int_result = take(z);
  doubles = doubles_below_one();
  more_doubles = doubles_below_one();
  double_result = take(d);
  std::vector<int> host(static_cast<std::size_t>(n));
  flags = take(b);
  flag_result = take(b);
  std::iota(host.begin(), host.end(), 0);
  for (int k = n - 1; k > 0; --k) {
    random_ = random_ * 6364136223846793005u + 1;
    std::swap(host[static_cast<std::size_t>(k)], host[(random_ >> 33) % static_cast<std::uint64_t>(k + 1)]);
  }
  places = take(z);
  api.c2v_fuz(places, host.data(), n, heap);
  for (int& flag : host) kept += flag = flag * 2 < n;
  api.c2v_fub(flags, host.data(), n, heap);
  // Segments of 1 to 19 elements; the last one has the remaining elements.
  std::vector<int> lengths;
  for (int left = n; left > 0; left -= lengths.back()) {
    random_ = random_ * 6364136223846793005u + 1;
    lengths.push_back(std::min(left, 1 + static_cast<int>((random_ >> 33) % 19)));
  }
  segments = static_cast<int>(lengths.size());
  const vec_p l = take(z);
  api.c2v_fuz(l, lengths.data(), segments, heap);
  descriptor = take(api.siz_fos(n, segments));
  scratch = take(0);  // the rest of the heap
  api.mke_fov(descriptor, l, n, segments, scratch);
  segment_descriptor = {segments, n, segments == 1 ? n : -1, static_cast<const std::int64_t*>(descriptor)};
  values = take(z);
  results = take(z);
  std::fill(host.begin(), host.end(), 0);
  api.c2v_fuz(values, host.data(), n, heap);
}

ClassicVectors::~ClassicVectors() { api.fre_fov(heap); }

vec_p ClassicVectors::take(int units) {
  taken_ += units;
  return api.add_fov(heap, taken_ - units);
}

vec_p ClassicVectors::ints_below(int bound) {
  std::vector<int> host(static_cast<std::size_t>(n));
  for (int& x : host) x = 1 + static_cast<int>((random_ = random_ * 6364136223846793005u + 1) >> 33) % bound;
  const vec_p v = take(api.siz_foz(n));
  api.c2v_fuz(v, host.data(), n, heap);
  return v;
}

vec_p ClassicVectors::doubles_below_one() {
  std::vector<double> host(static_cast<std::size_t>(n));
  for (double& x : host) x = double((random_ = random_ * 6364136223846793005u + 1) >> 11) * 0x1p-53;
  const vec_p v = take(api.siz_fod(n));
  api.c2v_fud(v, host.data(), n, heap);
  return v;
}

}  // namespace bench
