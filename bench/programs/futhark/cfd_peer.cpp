#include <array>
#include <cmath>

#include "../frame/peer_run.h"

namespace program_peers {
namespace {

using Vector = std::array<double, 3>;

inline double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// The quantities that are kept.
struct State {
  double density;
  Vector momentum;
  double energy;

  State& add(double k, const State& s) {
    density += k * s.density;
    for (int c = 0; c < 3; ++c) momentum[c] += k * s.momentum[c];
    energy += k * s.energy;
    return *this;
  }
};

/// A state with its pressure and the sum of its speed and the speed of sound.
struct Gas {
  State state;
  double pressure, speeds;
};

constexpr State kFarAway{1.4, {1.68, 0.0, 0.0}, 3.508};

inline Gas gas_of(const State& s) {
  const double square = dot(s.momentum, s.momentum), inverse = 1.0 / s.density;
  const double pressure = 0.4 * (s.energy - 0.5 * square * inverse);
  return {s, pressure, std::sqrt(square) * inverse + std::sqrt(1.4 * pressure * inverse)};
}

struct Face {
  std::int32_t neighbour;  ///< -1: a wall; -2: the flow from far away
  Vector normal;
};

struct Element {
  double area;
  std::array<Face, 4> faces;
};

/// Adds to `change` half of what passes a face from inside, as a loss.
inline void lose_flow(const Gas& gas, const Vector& normal, State& change) {
  const State& s = gas.state;
  const double volume = 0.5 * dot(s.momentum, normal) / s.density;
  change.density -= volume * s.density;
  for (int c = 0; c < 3; ++c) change.momentum[c] -= volume * s.momentum[c] + 0.5 * gas.pressure * normal[c];
  change.energy -= volume * (s.energy + gas.pressure);
}

State change_of(const Gas& own, const Element& element, const Buffer<Gas>& gases, const Gas& far_away) {
  State change{};
  for (const Face& face : element.faces) {
    if (face.neighbour == -1) {
      for (int c = 0; c < 3; ++c) change.momentum[c] -= own.pressure * face.normal[c];
      continue;
    }
    const Gas& other = face.neighbour == -2 ? far_away : gases[face.neighbour];
    lose_flow(own, face.normal, change);
    lose_flow(other, face.normal, change);
    if (face.neighbour == -2) continue;
    const double smoothing = 0.1 * std::sqrt(dot(face.normal, face.normal)) * (own.speeds + other.speeds);
    change.add(-smoothing, own.state).add(smoothing, other.state);
  }
  return change;
}

struct Corner {
  double x, y;
};

Element element_of(std::int64_t i, std::int64_t j, std::int64_t n) {
  const auto corner = [n](std::int64_t row, std::int64_t column) {
    const std::int64_t e = 2 * (row * (n + 1) + column);
    return Corner{double(column) + 0.4 * (unit(e) - 0.5), double(row) + 0.4 * (unit(e + 1) - 0.5)};
  };
  const std::array<Corner, 4> corners{corner(i, j), corner(i, j + 1), corner(i + 1, j + 1), corner(i + 1, j)};
  const std::int64_t e = i * n + j;
  const std::array<std::int64_t, 4> neighbours{i == 0 ? -1 : e - n, j == n - 1 ? -2 : e + 1, i == n - 1 ? -1 : e + n,
                                               j == 0 ? -2 : e - 1};
  Element element{};
  for (int k = 0; k < 4; ++k) {
    const Corner a = corners[k], b = corners[(k + 1) % 4];
    element.area += 0.5 * (a.x * b.y - b.x * a.y);
    element.faces[k] = {std::int32_t(neighbours[k]), {b.y - a.y, a.x - b.x, 0.0}};
  }
  return element;
}

}  // namespace
}  // namespace program_peers

// Computes the pressure and the speeds of each element once in a stage.
PROGRAM_PEER(cfd) {
  constexpr int kSteps = 10;
  constexpr std::int64_t kGrain = 4096;
  const std::int64_t n = run.n(), elements = n * n;
  const Buffer<Element> mesh(elements, [n](std::int64_t e) { return element_of(e / n, e % n, n); });
  const Buffer<State> states(elements, [](std::int64_t e) {
    State state{};
    return state.add(1.0 + 0.1 * unit(-e), kFarAway);
  });
  const Buffer<State> before(elements);
  const Buffer<Gas> now(elements), next(elements);
  const Buffer<double> factors(elements);
  const Gas far_away = gas_of(kFarAway);
  const auto stage = [&](const Buffer<Gas>& from, const Buffer<Gas>& to, double part) {
    run.team().for_chunks(elements, kGrain, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
      for (std::int64_t e = begin; e < end; ++e) {
        State state = before[e];
        to[e] = gas_of(state.add(factors[e] / part, change_of(from[e], mesh[e], from, far_away)));
      }
    });
  };
  const auto by_chunks = [&](auto&& body) {
    run.team().for_chunks(elements, kGrain, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
      for (std::int64_t e = begin; e < end; ++e) body(e);
    });
  };
  run.time([&] {
    by_chunks([&](std::int64_t e) { now[e] = gas_of(states[e]); });
    for (int step = 0; step < kSteps; ++step) {
      by_chunks([&](std::int64_t e) {
        before[e] = now[e].state;
        factors[e] = 0.5 / (std::sqrt(mesh[e].area) * now[e].speeds);
      });
      stage(now, next, 3.0);
      stage(next, now, 2.0);
      stage(now, next, 1.0);
      by_chunks([&](std::int64_t e) { now[e] = next[e]; });
    }
  });
  State sums{};
  for (const Gas& gas : now) {
    sums.add(1.0, {gas.state.density, {}, gas.state.energy});
    for (const double m : gas.state.momentum) sums.momentum[0] += std::fabs(m);
  }
  run.result(sums.density, sums.energy, sums.momentum[0]);
  run.cost(kSteps * 3.0 * elements * double(sizeof(Element) + 2 * sizeof(Gas)),
           kSteps * 3.0 * elements * (4 * 60.0 + 40.0));
  run.report();
}
