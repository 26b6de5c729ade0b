#include <cub/device/device_radix_sort.cuh>

#include "device_array.h"
#include "device_peers.h"
#include "radix_tree.h"

namespace bench::cuda {
namespace {

/// The bodies of barnes_hut.nesl.
struct MakeBody {
  Body* bodies;

  __host__ __device__ static float spread(float u) {
    const float v = 2.0f * u - 1.0f;
    return 0.5f + 0.49f * v * (v < 0 ? -v : v);
  }
  __host__ __device__ void operator()(std::int64_t i) const {
    bodies[i] = {spread(float(i * 28411 % 75011) / 75011.0f), spread(float(i * 12553 % 75013) / 75013.0f),
                 1.0f + float(i % 4)};
  }
};

/// The square of side 2^-32 that a body is in.
struct MakeCode {
  const Body* bodies;
  std::uint64_t* codes;
  std::int32_t* numbers;

  __host__ __device__ static std::uint64_t apart(float coordinate) {
    std::uint64_t bits = std::uint32_t(double(coordinate) * 4294967296.0);
    bits = (bits | bits << 16) & 0x0000ffff0000ffff;
    bits = (bits | bits << 8) & 0x00ff00ff00ff00ff;
    bits = (bits | bits << 4) & 0x0f0f0f0f0f0f0f0f;
    bits = (bits | bits << 2) & 0x3333333333333333;
    return (bits | bits << 1) & 0x5555555555555555;
  }
  __host__ __device__ void operator()(std::int64_t i) const {
    codes[i] = apart(bodies[i].y) << 1 | apart(bodies[i].x);
    numbers[i] = std::int32_t(i);
  }
};

struct BuildNode {
  RadixTree tree;
  __host__ __device__ void operator()(std::int64_t i) const { tree.build(std::int32_t(i)); }
};

/// Inserts body k into the tree, and sums each node above it whose second child is now complete.
struct SumUp {
  RadixTree tree;
  const Body* bodies;
  const std::int32_t* numbers;

  __device__ void operator()(std::int64_t k) const {
    std::int32_t node = tree.n - 1 + std::int32_t(k);
    tree.bodies[node] = bodies[numbers[k]];
    while (node != 0) {
      node = tree.parent[node];
      __threadfence();
      if (atomicAdd(tree.children_in + node, 1) == 0) return;
      __threadfence();
      tree.bodies[node] = centre(tree.bodies + tree.left[node], tree.bodies + tree.right[node]);
    }
  }
  __host__ __device__ static Body centre(const volatile Body* a, const volatile Body* b) {
    const float mass = a->mass + b->mass;
    return {(a->mass * a->x + b->mass * b->x) / mass, (a->mass * a->y + b->mass * b->y) / mass, mass};
  }
};

/// Computes the force on body k. A square acts as one mass in its centre of mass if its side is below 0.3 distances.
/// Nodes that are half a square never act as one mass.
struct Attract {
  RadixTree tree;
  const std::int32_t* numbers;
  float2* forces;

  __host__ __device__ bool looks_small(std::int32_t node, float square_of_distance) const {
    const int bits = tree.prefix[node];
    if (bits % 2 != 0) return false;
    const float side = 1.0f / float(std::uint64_t{1} << (bits / 2));
    return side * side < 0.09f * square_of_distance;
  }
  __host__ __device__ void operator()(std::int64_t k) const {
    constexpr int kDeepest = 64 + 32;  // number of bits that distinguish two bodies
    std::int32_t waiting[kDeepest + 1];
    int depth = 0;
    const Body self = tree.bodies[tree.n - 1 + k];
    float2 force{0, 0};
    waiting[depth++] = 0;
    while (depth > 0) {
      const std::int32_t node = waiting[--depth];
      const Body whole = tree.bodies[node];
      const float dx = whole.x - self.x, dy = whole.y - self.y, square = dx * dx + dy * dy;
      if (node >= tree.n - 1 || looks_small(node, square)) {
        const float soft = square + 1.0e-6f, strength = whole.mass / (soft * sqrtf(soft));
        force.x += strength * dx;
        force.y += strength * dy;
      } else {
        waiting[depth++] = tree.right[node];
        waiting[depth++] = tree.left[node];
      }
    }
    forces[numbers[k]] = force;
  }
};

class BarnesHut final : public Peer {
 public:
  explicit BarnesHut(std::int64_t n)
      : n_(n),
        bodies_(n),
        codes_(n),
        sorted_codes_(n),
        numbers_(n),
        sorted_numbers_(n),
        left_(n),
        right_(n),
        parent_(2 * n),
        children_in_(n),
        prefix_(n),
        nodes_(2 * n),
        forces_(n) {
    for_each(n, MakeBody{bodies_.data()});
  }

  void issue() override {
    for_each(n_, MakeCode{bodies_.data(), codes_.data(), numbers_.data()});
    scratch_.run([&](void* scratch, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairs(scratch, bytes, codes_.data(), sorted_codes_.data(), numbers_.data(),
                                             sorted_numbers_.data(), n_);
    });
    check(cudaMemsetAsync(children_in_.data(), 0, std::size_t(n_) * sizeof(std::int32_t)));
    const RadixTree tree{std::int32_t(n_), sorted_codes_.data(), left_.data(),        right_.data(),
                         parent_.data(),   prefix_.data(),       children_in_.data(), nodes_.data()};
    for_each(n_ - 1, BuildNode{tree});
    for_each(n_, SumUp{tree, bodies_.data(), sorted_numbers_.data()});
    for_each(n_, Attract{tree, sorted_numbers_.data(), forces_.data()});
  }
  double result() override { return forces_.at(n_ / 2).x; }

 private:
  std::int64_t n_;
  DeviceArray<Body> bodies_;
  DeviceArray<std::uint64_t> codes_, sorted_codes_;
  DeviceArray<std::int32_t> numbers_, sorted_numbers_, left_, right_, parent_, children_in_;
  DeviceArray<std::uint8_t> prefix_;
  DeviceArray<Body> nodes_;
  DeviceArray<float2> forces_;
  Scratch scratch_;
};

}  // namespace

std::unique_ptr<Peer> make_barnes_hut(std::int64_t bodies) { return std::make_unique<BarnesHut>(bodies); }

}  // namespace bench::cuda
