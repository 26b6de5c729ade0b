#include "nested_text.h"

#include <algorithm>

namespace nesl_cli {

using Kind = nesl::ValueShape::Kind;

namespace {

class Printer {
 public:
  Printer(const Step& step, std::size_t longest) : step_(step), longest_(longest) {}

  std::string run() {
    print_instance(0, 0);
    return std::move(out_);
  }

 private:
  /// Prints instance k of the first `depth` levels.
  void print_instance(std::size_t depth, std::int64_t k) {
    if (depth == step_.levels.size()) return print_value(step_.value, k);
    const Layer& layer = *step_.levels[depth];
    if (!is_kept(layer, k)) return cut();
    const auto at = static_cast<std::size_t>(k);
    if (!layer.is_subset)
      print_elements(layer, k, [&](std::int64_t element) { print_instance(depth + 1, element); });
    else if (layer.numbers[at] != 0)
      print_instance(depth + 1, layer.starts[at]);
    else
      out_ += kLeftOutText;
  }

  void print_value(const FlatTree& tree, std::int64_t k) {
    switch (tree.shape->kind) {
      case Kind::kSequence:
        return print_sequence(tree, k);
      case Kind::kPair:
        return print_tuple(tree, k);
      case Kind::kData:
        out_ += tree.shape->name;
        if (tree.parts[0].shape->kind == Kind::kPair) return print_tuple(tree.parts[0], k);
        out_ += '(';
        print_value(tree.parts[0], k);
        out_ += ')';
        return;
      case Kind::kFunction:
        out_ += "fn";
        return;
      default:
        break;
    }
    if (k >= static_cast<std::int64_t>(tree.texts.size())) return cut();
    if (tree.shape->kind == Kind::kChar) out_ += '`';
    out_ += tree.texts[static_cast<std::size_t>(k)];
  }

  void print_tuple(const FlatTree& tree, std::int64_t k) {
    out_ += '(';
    const FlatTree* rest = &tree;
    for (; rest->shape->kind == Kind::kPair; rest = &rest->parts[1]) {
      print_value(rest->parts[0], k);
      out_ += ", ";
    }
    print_value(*rest, k);
    out_ += ')';
  }

  void print_sequence(const FlatTree& tree, std::int64_t k) {
    if (!is_kept(*tree.segments, k)) return cut();
    const FlatTree& elements = tree.parts[0];
    if (elements.shape->kind != Kind::kChar)
      return print_elements(*tree.segments, k, [&](std::int64_t element) { print_value(elements, element); });
    const std::int64_t begin = tree.segments->starts[static_cast<std::size_t>(k)];
    const std::int64_t end = begin + tree.segments->numbers[static_cast<std::size_t>(k)];
    const auto kept = static_cast<std::int64_t>(elements.texts.size());
    out_ += '"';
    for (std::int64_t j = begin; j < std::min(end, kept); ++j) out_ += elements.texts[static_cast<std::size_t>(j)];
    if (end > kept) out_ += kCutText;
    out_ += '"';
  }

  template <class Print>
  void print_elements(const Layer& layer, std::int64_t k, Print&& print) {
    const std::int64_t begin = layer.starts[static_cast<std::size_t>(k)];
    const std::int64_t end = begin + layer.numbers[static_cast<std::size_t>(k)];
    out_ += '[';
    for (std::int64_t j = begin; j < end; ++j) {
      if (j > begin) out_ += ", ";
      if (out_.size() > longest_ || is_cut_) {
        cut();
        break;
      }
      print(j);
      if (is_cut_) break;
    }
    out_ += ']';
  }

  static bool is_kept(const Layer& layer, std::int64_t k) {
    return k < static_cast<std::int64_t>(layer.numbers.size());
  }
  /// Ends the text: what follows has not been kept either. The open brackets are closed.
  void cut() {
    if (!is_cut_) out_ += kCutText;
    is_cut_ = true;
  }

  const Step& step_;
  const std::size_t longest_;
  std::string out_;
  bool is_cut_ = false;
};

}  // namespace

std::string nested_text(const Step& step, std::size_t longest) { return Printer(step, longest).run(); }

std::string nested_type(const Step& step) {
  std::string type = nesl::type_text(*step.value.shape);
  for (const LayerPtr& layer : step.levels)
    if (!layer->is_subset) type = "[" + type + "]";
  return type;
}

}  // namespace nesl_cli
