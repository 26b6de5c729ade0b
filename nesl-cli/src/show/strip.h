#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "show/step.h"

namespace nesl_cli {

/// A cell of a strip.
struct Cell {
  enum class State {
    kUsual,
    kLeftOut,  ///< below an instance that a filter or branch leaves out: there is nothing
    kNothing,  ///< below an empty segment
    kCut,      ///< stands for all that was not kept
  };
  State state = State::kUsual;
  std::string text = {};
  std::size_t columns = 1;
  /// Segments have colours, and their elements the colour of their segment. `shade` alternates among the segments of a
  /// colour.
  std::size_t colour = 0;
  bool shade = false;
};

/// A row of a strip: a descriptor, flags, or a vector.
struct StripRow {
  enum class Kind { kLengths, kFlags, kElements };
  Kind kind = Kind::kLengths;
  std::string label = {};
  std::int64_t length = 0;  ///< number of entries of the whole descriptor or vector
  std::vector<Cell> cells = {};
};

/// Vectors that are divided alike, below the descriptors that divide them: each segment is as wide as its elements
/// below. Every row has the same number of columns.
struct Strip {
  std::vector<StripRow> rows;
  std::size_t columns = 0;
};

/// The vectors of a step: one strip, or several if parts of a tuple are divided in different ways.
std::vector<Strip> strips_of(const Step& step);

}  // namespace nesl_cli
