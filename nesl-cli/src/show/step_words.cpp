#include <algorithm>

#include <fmt/format.h>

#include "nested_text.h"
#include "showing.h"

namespace nesl_cli {

using nesl::WatchPoint;

std::string place_text(const nesl::Place& place, std::size_t longest) {
  std::string text;
  for (const char c : base::printable(place.source->text(place.span)))
    if (c != ' ' || (!text.empty() && text.back() != ' ')) text += c;
  if (text.size() <= longest) return text;
  return std::string(base::cut_text(text, longest - 1)) + kCutText;
}

std::string step_title(const Step& step) {
  const WatchPoint& point = *step.point;
  if (point.kind == WatchPoint::Kind::kElements) return "each " + point.name;
  if (point.kind == WatchPoint::Kind::kParameter) return fmt::format("{} of {}", point.name, point.function);
  return place_text(point.place);
}

std::string step_context(const Step& step) {
  std::string text;
  const auto add = [&](const std::string& words) { text += (text.empty() ? "" : ", ") + words; };
  if (!step.point->function.empty()) {
    add("in " + step.point->function);
    if (step.recursion > 1) add(fmt::format("call {} deep", step.recursion));
  }
  if (step.levels.empty()) return text;
  const std::int64_t count = step.levels.back()->inner;
  add(fmt::format("for {} instance{} at once", count, count == 1 ? "" : "s"));
  if (!step.point->either_way.empty()) add(fmt::format("whether {} or not", step.point->either_way));
  const auto subset =
      std::find_if(step.levels.rbegin(), step.levels.rend(), [](const LayerPtr& layer) { return layer->is_subset; });
  if (subset != step.levels.rend()) {
    const Layer& layer = **subset;
    add(fmt::format("{} of {} active{}{}", layer.inner, layer.outer, layer.label.empty() ? "" : ": ", layer.label));
  }
  return text;
}

std::vector<std::size_t> loops_of(const Showing& showing, const Step& step) {
  std::vector<std::size_t> numbers;
  if (step.point->kind != WatchPoint::Kind::kValue) return numbers;
  for (std::size_t k = 0; k < showing.loops.size(); ++k) {
    const std::vector<nesl::Place>& places = showing.loops[k].places;
    if (std::find(places.begin(), places.end(), step.point->place) != places.end()) numbers.push_back(k + 1);
  }
  return numbers;
}

std::string omission_text(const Showing& showing) {
  if (showing.omitted == 0) return "";
  return fmt::format("{} more step{} not shown: --steps=N shows N, and a smaller example is easier to follow",
                     showing.omitted, showing.omitted == 1 ? " is" : "s are");
}

}  // namespace nesl_cli
