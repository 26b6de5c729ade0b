#include "classic_heap.h"

#include <numeric>
#include <stdexcept>

namespace classic {
namespace {

constexpr int kHeapDoubles = 40000000;

std::vector<int> ints(const std::vector<double>& values) { return {values.begin(), values.end()}; }

}  // namespace

Heap::Heap() : start_(alo_foz(siz_fod(kHeapDoubles))) {
  if (start_ == vec_p{}) throw std::runtime_error("no memory for the heap");
}
Heap::~Heap() { fre_fov(start_); }

vec_p Heap::take(int units) {
  const vec_p v = add_fov(start_, taken_);
  taken_ += units;
  if (taken_ > siz_fod(kHeapDoubles)) throw std::runtime_error("the heap is full");
  return v;
}

vec_p Heap::vector(char type, std::int64_t n) {
  const int length = static_cast<int>(n);
  return take(type == 'd' ? siz_fod(length) : type == 'b' ? siz_fob(length) : siz_foz(length));
}

vec_p Heap::vector(const Elements& elements) {
  const vec_p v = vector(elements.type, static_cast<std::int64_t>(elements.values.size()));
  write(v, elements);
  return v;
}

vec_p Heap::descriptor(const std::vector<double>& lengths) {
  const int m = static_cast<int>(lengths.size());
  const int n = static_cast<int>(std::accumulate(lengths.begin(), lengths.end(), 0.0));
  const vec_p sd = take(siz_fos(n, m));
  const vec_p l = vector({'z', lengths});
  mke_fov(sd, l, n, m, take(mke_fov_scratch(n, m)));
  return sd;
}

void write(vec_p v, const Elements& elements) {
  const int n = static_cast<int>(elements.values.size());
  if (elements.type == 'd') {
    std::vector<double> values = elements.values;
    return c2v_fud(v, values.data(), n, v);
  }
  std::vector<int> values = ints(elements.values);
  elements.type == 'b' ? c2v_fub(v, values.data(), n, v) : c2v_fuz(v, values.data(), n, v);
}

Elements read(vec_p v, char type, std::int64_t n) {
  const int length = static_cast<int>(n);
  Elements elements{type, std::vector<double>(static_cast<std::size_t>(n))};
  if (type == 'd') {
    v2c_fud(elements.values.data(), v, length, v);
    return elements;
  }
  std::vector<int> values(static_cast<std::size_t>(n));
  type == 'b' ? v2c_fub(values.data(), v, length, v) : v2c_fuz(values.data(), v, length, v);
  elements.values.assign(values.begin(), values.end());
  return elements;
}

Elements read_descriptor(vec_p sd, int n, int m, Heap& heap) {
  const vec_p l = heap.vector('z', m);
  len_fos(l, sd, n, m, heap.take(len_fos_scratch(n, m)));
  return read(l, 'z', m);
}

}  // namespace classic
