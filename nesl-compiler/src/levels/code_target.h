#pragma once

namespace nesl {

/// Use of the compiled program.
struct CodeTarget {
  bool masks = false;  ///< fusion follows, so that the optimizer computes by masks what is cheap
};

}  // namespace nesl
