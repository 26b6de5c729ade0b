#pragma once

#include <string>

/// Permitted difference of floats: `relative` times the larger one, plus `absolute`.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
};

/// The permitted difference between two vector libraries for FLOATs of this many bits (32 or 64): they associate sums
/// and round functions differently.
Tolerance float_tolerance(int bits);

/// Compares two texts: numbers with a point, an exponent, or inf or nan may differ by the tolerance, everything else
/// must be the same. Returns a description of the first difference; empty if there is none.
std::string first_difference(const std::string& expected, const std::string& found, Tolerance tolerance);
