#include "recorder.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/check.h"
#include "cvl/integer_at.h"
#include "text/result_text.h"

namespace nesl_cli {

using nesl::ValueShape;
using nesl::WatchPoint;
using runtime::Value;

namespace {

constexpr std::size_t kNoPoint = std::numeric_limits<std::size_t>::max();

/// Number of the watch point whose function has this name.
std::size_t point_number(std::string_view name) {
  if (!name.starts_with(nesl::kWatchFunction)) return kNoPoint;
  const std::string_view digits = name.substr(nesl::kWatchFunction.size());
  std::size_t number = kNoPoint;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

}  // namespace

Recorder::Recorder(const std::vector<WatchPoint>& points, const vcode::Program& program, runtime::Evaluator& evaluator,
                   const ShowLimits& limits)
    : points_(points), evaluator_(evaluator), limits_(limits), frames_(1) {
  for (const vcode::Function& function : program.functions) point_of_.push_back(point_number(function.name));
}

void Recorder::note(std::uint32_t function, const Value* top) {
  const std::size_t number = point_of_.at(function);
  if (number == kNoPoint) return;
  const WatchPoint& point = points_.at(number);
  if (point.kind == WatchPoint::Kind::kReturn) {
    frames_.pop_back();
    return;
  }
  const bool is_call = point.kind == WatchPoint::Kind::kCall;
  // Only calls matter behind the last step that is recorded.
  if (!is_call && steps_.size() >= limits_.steps) {
    ++omitted_;
    return;
  }
  const Value* next = top - point.levels.size() - (is_call ? 0 : nesl::entry_count(point.shape));
  std::vector<LayerPtr> inner;
  for (const WatchPoint::Level& level : point.levels)
    inner.push_back(steps_.size() >= limits_.steps ? nullptr : read_layer(*next++, level));
  if (is_call) return enter(point, std::move(inner));

  const Frame& frame = frames_.back();
  Step step;
  step.point = &point;
  if (!point.function.empty())
    step.recursion = static_cast<std::size_t>(
        std::count_if(frames_.begin(), frames_.end(), [&](const Frame& f) { return f.function == point.function; }));
  step.levels = frame.levels;
  step.levels.insert(step.levels.end(), inner.begin(), inner.end());
  step.levels.resize(end_of(point, point.level));
  read_value(point.shape, next, step.value);
  VC_CHECK(next == top);
  steps_.push_back(std::move(step));
}

std::size_t Recorder::end_of(const WatchPoint& point, int level) const {
  if (level == 0) return 0;
  const Frame& frame = frames_.back();
  if (level <= point.own) return frame.ends.at(static_cast<std::size_t>(level) - 1);
  return frame.levels.size() + static_cast<std::size_t>(level - point.own);
}

void Recorder::enter(const WatchPoint& point, std::vector<LayerPtr> inner) {
  Frame frame;
  frame.function = point.function;
  for (const int level : point.callers) frame.ends.push_back(end_of(point, level));
  frame.levels = frames_.back().levels;
  frame.levels.insert(frame.levels.end(), inner.begin(), inner.end());
  frame.levels.resize(frame.ends.empty() ? 0 : frame.ends.back());
  frames_.push_back(std::move(frame));
}

LayerPtr Recorder::read_layer(const Value& value, const WatchPoint::Level& level) {
  auto layer = std::make_shared<Layer>();
  layer->is_subset = level.is_subset;
  layer->label = level.label;
  layer->outer = value.is_segdes() ? value.segments() : value.length();
  const auto kept = std::min(layer->outer, static_cast<std::int64_t>(limits_.elements));
  layer->starts = {0};
  if (value.tag() == Value::Tag::kSingle) {
    layer->numbers = {value.elements()};
  } else {
    const Value numbers = value.is_segdes() ? evaluator_.lengths_of(value) : value;
    if (numbers.tag() != Value::Tag::kNone) {
      const cvl::Operand operand{numbers.type(), numbers.length(), evaluator_.heap().host_data(numbers)};
      for (std::int64_t k = 0; k < kept && operand.data != nullptr; ++k)
        layer->numbers.push_back(cvl::integer_at(operand, k));
      if (level.is_subset && operand.data != nullptr)
        for (std::int64_t k = 0; k < operand.length; ++k) layer->inner += cvl::integer_at(operand, k);
    }
  }
  if (value.is_segdes()) layer->inner = value.elements();
  for (const std::int64_t number : layer->numbers) layer->starts.push_back(layer->starts.back() + number);
  return layer;
}

void Recorder::read_value(const ValueShape& shape, const Value*& next, FlatTree& tree) {
  tree.shape = &shape;
  if (shape.kind == ValueShape::Kind::kSequence) {
    tree.segments = read_layer(*next++, {});
  } else if (shape.kind < ValueShape::Kind::kSequence) {
    const Value& value = *next++;
    const cvl::Operand elements{value.type(), value.length(), evaluator_.heap().host_data(value)};
    tree.length = elements.length;
    const auto kept = std::min(tree.length, static_cast<std::int64_t>(limits_.elements));
    for (std::int64_t k = 0; k < kept && elements.data != nullptr; ++k)
      tree.texts.push_back(scalar_text(shape.kind, elements, k));
    return;
  }
  tree.parts.resize(shape.parts.size());
  for (std::size_t k = 0; k < shape.parts.size(); ++k) read_value(shape.parts[k], next, tree.parts[k]);
}

}  // namespace nesl_cli
