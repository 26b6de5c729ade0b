#include <utility>

#include "random_source.h"

namespace evaluator {
namespace {

using Kind = SourceType::Kind;

void collect(SourceTree& tree, std::vector<SourceTree*>& nodes) {
  if (tree.replaceable) nodes.push_back(&tree);
  for (SourceTree& child : tree.children) collect(child, nodes);
}

/// The simplest expression of a type.
std::string plainest(const SourceType& type) {
  switch (type.kind) {
    case Kind::kInt:
      return "1";
    case Kind::kFloat:
      return "1.0";
    case Kind::kBool:
      return "t";
    case Kind::kChar:
      return "`a";
    case Kind::kSequence:
      return std::string("[") + plainest(type.parts[0]) + "]";
    case Kind::kPair:
      return std::string("(") + plainest(type.parts[0]) + std::string(", ") + plainest(type.parts[1]) + ")";
  }
  return "";
}

}  // namespace

std::string to_text(const SourceType& type) {
  switch (type.kind) {
    case Kind::kInt:
      return "int";
    case Kind::kFloat:
      return "float";
    case Kind::kBool:
      return "bool";
    case Kind::kChar:
      return "char";
    case Kind::kSequence:
      return std::string("[") + to_text(type.parts[0]) + "]";
    case Kind::kPair:
      return std::string("(") + to_text(type.parts[0]) + std::string(", ") + to_text(type.parts[1]) + ")";
  }
  return "";
}

std::string to_text(const SourceTree& tree) {
  std::string text = tree.pieces[0];
  for (std::size_t k = 0; k < tree.children.size(); ++k) text += to_text(tree.children[k]) + tree.pieces[k + 1];
  return text;
}

SourceTree shrink(SourceTree program, const std::function<bool(const std::string&)>& fails) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    std::vector<SourceTree*> nodes;
    collect(program, nodes);
    for (SourceTree* node : nodes) {
      std::vector<SourceTree> candidates{{node->type, {plainest(node->type)}, {}}};
      for (const SourceTree& child : node->children) {
        if (child.replaceable && child.type == node->type) candidates.push_back(child);
      }
      for (SourceTree& candidate : candidates) {
        if (to_text(candidate).size() >= to_text(*node).size()) continue;
        std::swap(*node, candidate);
        if (fails(to_text(program))) {
          smaller = true;
          break;
        }
        std::swap(*node, candidate);
      }
      if (smaller) break;  // the nodes below are gone
    }
  }
  return program;
}

}  // namespace evaluator
