#pragma once

namespace nesl {

/// Use of the compiled program.
struct CodeTarget {
  bool print_checks = true;  ///< if false, the interpreter reports failed checks, by their sites
  bool masks = false;        ///< fusion follows, so that the optimizer computes by masks what is cheap
  /// Whether checks without numbers are ASSERT, and index checks BOUND; only our own interpreter has these
  /// operations, and fusion puts them into kernels.
  bool has_asserts() const { return masks && !print_checks; }
  /// Whether our own interpreter runs the program, with operations beyond the VCODE of 1995.
  bool has_extensions() const { return !print_checks; }
};

}  // namespace nesl
