#pragma once

#include <cstdint>
#include <string>

namespace nesl {

/// An expression in the form of a slow idiom, and the advice for it: the cost, and a form with less.
struct SlowIdiom {
  std::string file;
  std::uint32_t line = 0, column = 0;
  std::string advice;
};

}  // namespace nesl
