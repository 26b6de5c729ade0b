#include "strip.h"

#include <algorithm>

#include <fmt/format.h>

#include "nested_text.h"

namespace nesl_cli {

using Kind = nesl::ValueShape::Kind;

namespace {

/// A vector and its name in the tuple that it is part of.
struct Leaf {
  const FlatTree* vector;
  std::string name;
};

/// Vectors with the same layers around them.
struct Group {
  std::vector<LayerPtr> layers;
  std::vector<Leaf> leaves;
};

void collect(const FlatTree& tree, std::vector<LayerPtr>& layers, const std::string& name, std::vector<Group>& groups) {
  switch (tree.shape->kind) {
    case Kind::kSequence: {
      layers.push_back(tree.segments);
      collect(tree.parts[0], layers, name, groups);
      layers.pop_back();
      return;
    }
    case Kind::kPair: {
      const FlatTree* rest = &tree;
      int number = 1;
      const auto part_name = [&] { return fmt::format("{}.{}", name, number++); };
      for (; rest->shape->kind == Kind::kPair; rest = &rest->parts[1])
        collect(rest->parts[0], layers, part_name(), groups);
      collect(*rest, layers, part_name(), groups);
      return;
    }
    case Kind::kData:
      return collect(tree.parts[0], layers, name, groups);
    case Kind::kFunction:
      return;
    default:
      break;
  }
  if (groups.empty() || groups.back().layers != layers) groups.push_back({layers, {}});
  groups.back().leaves.push_back({&tree, name});
}

const char* type_name(Kind kind) {
  return kind == Kind::kInt ? "int" : kind == Kind::kFloat ? "float" : kind == Kind::kBool ? "bool" : "char";
}

class Builder {
 public:
  explicit Builder(const Group& group) : group_(group) {
    for (const LayerPtr& layer : group.layers) {
      const StripRow::Kind kind = layer->is_subset ? StripRow::Kind::kFlags : StripRow::Kind::kLengths;
      strip_.rows.push_back({kind, label_of(*layer), layer->outer, {}});
    }
    for (const Leaf& leaf : group.leaves)
      strip_.rows.push_back(
          {StripRow::Kind::kElements,
           fmt::format("{}{}{}", leaf.name, leaf.name.empty() ? "" : ": ", type_name(leaf.vector->shape->kind)),
           leaf.vector->length,
           {}});
    find_colours();
  }

  Strip run() {
    strip_.columns = add(0, 0, 0, false);
    return std::move(strip_);
  }

 private:
  static std::string label_of(const Layer& layer) {
    if (!layer.label.empty()) return layer.label;
    return layer.is_subset ? "chosen" : layer.outer == 1 ? "length" : "lengths";
  }

  /// Colours belong to the entries of the first row with several entries, if that is no row of elements; shades to the
  /// segments of the innermost row of lengths below it.
  void find_colours() {
    const std::vector<LayerPtr>& layers = group_.layers;
    coloured_ = shaded_ = kNoRow;
    for (std::size_t row = 0; row < layers.size(); ++row) {
      if (layers[row]->is_subset || layers[row]->outer <= 1) continue;
      if (coloured_ == kNoRow)
        coloured_ = row;
      else
        shaded_ = row;
    }
  }

  /// Adds the cells of instance k of row `row`, and those below it. Returns the number of their columns.
  std::size_t add(std::size_t row, std::int64_t k, std::size_t colour, bool shade) {
    if (row == coloured_) colour = static_cast<std::size_t>(k);
    if (row == shaded_) shade = k % 2 != 0;
    if (row == group_.layers.size()) {
      add_elements(k, colour, shade);
      return 1;
    }
    const Layer& layer = *group_.layers[row];
    if (is_cut_) return 0;
    const auto at = static_cast<std::size_t>(k);
    if (at >= layer.numbers.size()) return fill(row, Cell::State::kCut, colour, shade);
    std::vector<Cell>& cells = strip_.rows[row].cells;
    const std::size_t cell = cells.size();
    const std::string text =
        layer.is_subset ? (layer.numbers[at] != 0 ? "T" : "F") : fmt::format("{}", layer.numbers[at]);
    cells.push_back({Cell::State::kUsual, text, 0, colour, shade});
    std::size_t columns = 0;
    for (std::int64_t inner = layer.starts[at]; inner < layer.starts[at + 1] && !is_cut_; ++inner)
      columns += add(row + 1, inner, colour, shade);
    if (columns == 0)
      columns = fill(row + 1, layer.is_subset ? Cell::State::kLeftOut : Cell::State::kNothing, colour, shade);
    strip_.rows[row].cells[cell].columns = columns;
    return columns;
  }

  void add_elements(std::int64_t k, std::size_t colour, bool shade) {
    const auto kept = static_cast<std::int64_t>(group_.leaves[0].vector->texts.size());
    if (k >= kept) {
      fill(group_.layers.size(), Cell::State::kCut, colour, shade);
      return;
    }
    for (std::size_t leaf = 0; leaf < group_.leaves.size(); ++leaf) {
      const FlatTree& vector = *group_.leaves[leaf].vector;
      std::string text = vector.texts[static_cast<std::size_t>(k)];
      if (vector.shape->kind == Kind::kChar && text == " ") text = "␣";
      strip_.rows[group_.layers.size() + leaf].cells.push_back(
          {Cell::State::kUsual, std::move(text), 1, colour, shade});
    }
  }

  /// Fills one column, from a row on, with cells that stand for no entry.
  std::size_t fill(std::size_t row, Cell::State state, std::size_t colour, bool shade) {
    is_cut_ = is_cut_ || state == Cell::State::kCut;
    const char* const text = state == Cell::State::kCut ? kCutText : state == Cell::State::kLeftOut ? kLeftOutText : "";
    for (; row < strip_.rows.size(); ++row) strip_.rows[row].cells.push_back({state, text, 1, colour, shade});
    return 1;
  }

  const Group& group_;
  Strip strip_;
  static constexpr std::size_t kNoRow = SIZE_MAX;
  std::size_t coloured_ = kNoRow, shaded_ = kNoRow;
  bool is_cut_ = false;  ///< the column for all that was not kept is there
};

}  // namespace

std::vector<Strip> strips_of(const Step& step) {
  std::vector<Group> groups;
  std::vector<LayerPtr> layers = step.levels;
  collect(step.value, layers, "", groups);
  std::vector<Strip> strips;
  for (const Group& group : groups) strips.push_back(Builder(group).run());
  return strips;
}

}  // namespace nesl_cli
