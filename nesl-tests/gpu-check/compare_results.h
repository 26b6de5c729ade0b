#pragma once

#include <string>

/// How far floats may differ: by `relative` of the larger one, plus `absolute`.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
};

/// What two vector libraries may differ by on programs with FLOATs of this many bits (32 or 64), because they
/// associate sums and round functions differently.
Tolerance float_tolerance(int bits);

/// Compares two texts: numbers written with a point, an exponent, or as inf or nan may differ by the tolerance,
/// everything else must be the same. Returns the first difference in words; empty if there is none.
std::string first_difference(const std::string& expected, const std::string& found, Tolerance tolerance);
