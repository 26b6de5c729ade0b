#pragma once

namespace nesl {

/// Use of the compiled program.
struct CodeTarget {
  bool masks = false;  ///< fusion follows, so that masks cost less than packing
};

}  // namespace nesl
