#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/evaluator.h"
#include "show/step.h"
#include "vcode/program.h"

namespace nesl_cli {

/// Limits of a viewer.
struct ShowLimits {
  std::size_t steps = 200;    ///< later steps are counted only
  std::size_t elements = 24;  ///< of each vector; further ones are not shown
};

/// Records the steps of a run of a program with watch points (nesl::WatchPoint).
class Recorder {
 public:
  /// `points` must outlive the recorder and its steps.
  Recorder(const std::vector<nesl::WatchPoint>& points, const vcode::Program& program, runtime::Evaluator& evaluator,
           const ShowLimits& limits);

  /// To be called before each call of a function of the program, as RunOptions::watch_calls says.
  void note(std::uint32_t function, const runtime::Value* top);

  const std::vector<Step>& steps() const { return steps_; }
  /// Number of steps that were not recorded.
  std::size_t omitted() const { return omitted_; }

 private:
  /// A call that has not returned: its nesting levels.
  struct Frame {
    std::vector<LayerPtr> levels;   ///< all those around the function's code, outermost first
    std::vector<std::size_t> ends;  ///< for each own level of the function: the number of `levels` up to it
    std::string function;
  };

  LayerPtr read_layer(const runtime::Value& value, const nesl::WatchPoint::Level& level);
  void read_value(const nesl::ValueShape& shape, const runtime::Value*& next, FlatTree& tree);
  void enter(const nesl::WatchPoint& point, std::vector<LayerPtr> inner);
  /// Number of levels, in the frame's and then the point's, up to a nesting level of the function.
  std::size_t end_of(const nesl::WatchPoint& point, int level) const;

  const std::vector<nesl::WatchPoint>& points_;
  std::vector<std::size_t> point_of_;  ///< of each function of the program: its point, or that of none
  runtime::Evaluator& evaluator_;
  const ShowLimits limits_;
  std::vector<Frame> frames_;
  std::vector<Step> steps_;
  std::size_t omitted_ = 0;
};

}  // namespace nesl_cli
