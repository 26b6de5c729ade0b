#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>

#include "../frame/peer_run.h"

namespace program_peers {
namespace {

constexpr std::int32_t kSide = 1080, kEmpty = std::numeric_limits<std::int32_t>::max();
constexpr double kPi = 3.14159265358979323846;

struct Corner {
  double x, y, z;
};
using Triangle = std::array<Corner, 3>;
/// Height, place and depth in a picture.
using Place = std::tuple<std::int32_t, std::int32_t, std::int32_t>;

Corner operator-(const Corner& a, const Corner& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }

std::int32_t rounded(double x) { return std::int32_t(std::floor(x + 0.5)); }

Place projected(const Corner& c) {
  const double near = 1400.0 / (c.z + 4.0);
  return {rounded(540.0 + near * c.y), rounded(540.0 + near * c.x), rounded(20000.0 * (c.z + 1.6))};
}

std::int32_t shade(const Triangle& t) {
  const Corner a = t[1] - t[0], b = t[2] - t[0];
  const double x = a.y * b.z - a.z * b.y, y = a.z * b.x - a.x * b.z, z = a.x * b.y - a.y * b.x;
  return std::int32_t(255.0 * std::fabs(0.36 * x - 0.48 * y + 0.8 * z) /
                      std::max(std::sqrt(x * x + y * y + z * z), 1.0e-9));
}

std::int32_t between(std::int32_t top, std::int32_t bottom, std::int32_t from, std::int32_t to, std::int32_t y) {
  return top == bottom ? to : from + (to - from) * (y - top) / (bottom - top);
}

/// Draws a triangle: of the points of one place the one with the least depth remains.
void draw(const Triangle& triangle, std::int32_t* picture) {
  const std::int32_t gray = shade(triangle);
  std::array<Place, 3> places{projected(triangle[0]), projected(triangle[1]), projected(triangle[2])};
  std::sort(places.begin(), places.end());
  const auto [top, ax, az] = places[0];
  const auto [middle, bx, bz] = places[1];
  const auto [bottom, cx, cz] = places[2];
  for (std::int32_t y = top; y <= bottom; ++y) {
    const bool upper = y < middle;
    std::int32_t left = upper ? between(top, middle, ax, bx, y) : between(middle, bottom, bx, cx, y);
    std::int32_t left_z = upper ? between(top, middle, az, bz, y) : between(middle, bottom, bz, cz, y);
    std::int32_t right = between(top, bottom, ax, cx, y), right_z = between(top, bottom, az, cz, y);
    if (left >= right) std::swap(left, right), std::swap(left_z, right_z);
    for (std::int32_t x = left; x <= right; ++x) {
      std::int32_t& point = picture[y * kSide + x];
      point = std::min(point, 256 * between(left, right, left_z, right_z, x) + gray);
    }
  }
}

Corner corner(std::int64_t i, std::int64_t j, std::int64_t n) {
  const double up = kPi * double(i) / double(n), around = kPi * double(j) / double(n);
  const double radius = 1.0 + 0.1 * std::sin(9.0 * up) * std::cos(7.0 * around);
  return {radius * std::sin(up) * std::cos(around), radius * std::cos(up), radius * std::sin(up) * std::sin(around)};
}

Triangle triangle_of(std::int64_t t, std::int64_t n) {
  const std::int64_t i = t / 2 / (2 * n), j = t / 2 % (2 * n);
  const Corner b = corner(i, j + 1, n), c = corner(i + 1, j, n);
  if (t % 2 == 0) return {corner(i, j, n), b, c};
  return {b, corner(i + 1, j + 1, n), c};
}

}  // namespace
}  // namespace program_peers

// Each thread draws its triangles into a picture of its own.
PROGRAM_PEER(rendering) {
  constexpr std::int64_t kPoints = std::int64_t(kSide) * kSide;
  const std::int64_t n = run.n(), count = 4 * n * n, threads = run.team().threads();
  const Buffer<Triangle> triangles(count, [n](std::int64_t t) { return triangle_of(t, n); });
  const Buffer<std::int32_t> pictures(threads * kPoints);
  run.time([&] {
    run.team().for_chunks(count, (count + threads - 1) / threads,
                          [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
                            std::int32_t* const picture = pictures.data() + chunk * kPoints;
                            std::fill_n(picture, kPoints, kEmpty);
                            for (std::int64_t t = begin; t < end; ++t) draw(triangles[t], picture);
                          });
    for (std::int64_t other = 1; other < threads; ++other)
      for (std::int64_t p = 0; p < kPoints; ++p) pictures[p] = std::min(pictures[p], pictures[other * kPoints + p]);
  });
  std::int32_t covered = 0, gray = 0;
  std::uint32_t depths = 0;
  for (std::int64_t p = 0; p < kPoints; ++p) {
    if (pictures[p] == kEmpty) continue;
    ++covered, gray += pictures[p] & 255;
    depths += std::uint32_t(pictures[p] >> 8) * std::uint32_t(p);
  }
  run.result(covered, gray, std::int32_t(depths));
  run.cost(4.0 * kPoints + double(sizeof(Triangle)) * count, 40.0 * count);
  run.report();
}
