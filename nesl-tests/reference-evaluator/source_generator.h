#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "random_source.h"

namespace evaluator {

/// The source of a generator's choices.
class SourceChoices {
 public:
  explicit SourceChoices(std::uint64_t seed) : random_(seed) {}
  explicit SourceChoices(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  /// A number in [0, n); 0 when the bytes have ended.
  int below(int n) {
    if (!bytes_) return static_cast<int>(random_() % static_cast<std::uint64_t>(n));
    if (bytes_->empty()) return 0;
    const int byte = bytes_->front();
    bytes_ = bytes_->subspan(1);
    return byte % n;
  }
  bool have_ended() const { return bytes_ && bytes_->empty(); }

 private:
  std::mt19937_64 random_;
  std::optional<std::span<const std::uint8_t>> bytes_;
};

/// Generates one random NESL program. Each expression is generated for a given type; `depth` limits its nesting.
class SourceGenerator {
 public:
  explicit SourceGenerator(SourceChoices choices) : choices_(choices) {}

  SourceTree program();

 private:
  using Kind = SourceType::Kind;
  inline static const SourceType kInt{Kind::kInt}, kFloat{Kind::kFloat}, kBool{Kind::kBool}, kChar{Kind::kChar};
  static SourceType sequence_of(SourceType element) { return {Kind::kSequence, {std::move(element)}}; }
  static SourceType pair_of(SourceType first, SourceType rest) {
    return {Kind::kPair, {std::move(first), std::move(rest)}};
  }

  struct Variable {
    std::string name;
    SourceType type;
  };
  /// A function of the program. A recursive one counts its first parameter, an int, down to zero.
  struct Function {
    std::string name;
    std::vector<SourceType> parameters;
    SourceType result;
    bool recursive = false;
    bool loops = false;  ///< tail-recursive: its only call of itself comes last
  };

  // ---- Small choices

  int below(int n) { return choices_.below(n); }
  bool chance(int percent) { return below(100) < percent; }
  std::string fresh_name() { return std::string("v") + std::to_string(next_name_++); }
  SourceType type(int depth);
  /// A variable in scope of this type; empty if there is none.
  std::string variable(const SourceType& type);

  // ---- Text

  static void append(SourceTree& tree, SourceTree child, std::string text) {
    tree.children.push_back(std::move(child));
    tree.pieces.push_back(std::move(text));
  }
  /// The pattern with each % replaced by an expression of the next type.
  SourceTree fill(const SourceType& type, const std::string& pattern, const std::vector<SourceType>& holes, int depth);
  static SourceTree leaf(const SourceType& type, std::string text) { return {type, {std::move(text)}, {}}; }

  // ---- Functions

  SourceTree function();
  /// An expression that certainly calls its own function, once or for several elements.
  SourceTree recursive_body(const Function& function);
  /// An expression that ends, or ends with a call of its own function.
  SourceTree loop_body(const Function& function);
  /// Two functions that call themselves and each other.
  SourceTree mutual_functions();
  /// A conditional whose branches call functions of `group`, as tail calls or not.
  SourceTree branching_body(const std::vector<Function>& group, int depth);
  SourceTree branch(const std::vector<Function>& group);
  SourceTree counted_call(const Function& function);
  /// A call of a function with this result; false if there is none.
  bool call(const SourceType& type, int depth, SourceTree& tree);

  // ---- Expressions of any type

  SourceTree expression(const SourceType& type, int depth);
  /// An expression with more variables in scope.
  SourceTree expression_with(const std::vector<Variable>& more, const SourceType& type, int depth);
  SourceTree constant(const SourceType& type);
  SourceTree let(const SourceType& result, int depth);
  SourceTree lambda(const SourceType& result, int depth);
  /// A part of a pair, record or sequence.
  SourceTree element(const SourceType& type, int depth);
  /// A field of a record made for it.
  SourceTree field(const SourceType& type, int depth);
  /// An element of a sequence variable; a few indices are out of range.
  SourceTree element_of(const std::string& sequence, const SourceType& type, int depth);
  /// An element of an element of a sequence variable; some indices are out of range.
  SourceTree element_of_row(const std::string& rows, const SourceType& type, int depth);

  // ---- Expressions with an operation of their type

  SourceTree by_type(const SourceType& type, int depth);
  SourceTree int_expression(int depth);
  SourceTree float_expression(int depth);
  SourceTree bool_expression(int depth);
  SourceTree sequence_expression(const SourceType& type, int depth);
  SourceTree literal(const SourceType& type, int depth);
  /// A field of each element.
  SourceTree fields(const SourceType& type, int depth);
  /// A sequence split in two by flags, each part mapped, and merged again.
  SourceTree parted(const SourceType& type, int depth);
  SourceTree gather(const SourceType& type, int depth);
  SourceTree range(int depth);
  SourceTree zip(const SourceType& type, int depth);
  /// A scatter whose indices are in range.
  SourceTree write(const SourceType& type, int depth);
  SourceTree drop(const SourceType& type, int depth);
  /// A library function whose result is a string.
  SourceTree text(int depth);
  /// A string cut into pieces.
  SourceTree texts(int depth);
  /// Elements written to places in range, of a permutation or not, by condition or not.
  SourceTree scatter(const SourceType& type, int depth);
  /// Different elements, or elements by key.
  SourceTree set(const SourceType& type, int depth);
  SourceTree each(const SourceType& result, int depth);
  /// For each element of one sequence, an expression for each element of another, or the sum of these numbers.
  SourceTree product(const SourceType& result, int depth);

  SourceChoices choices_;
  int next_name_ = 0;
  std::vector<Variable> variables_;  ///< variables in scope
  std::vector<Function> functions_;
  /// Limit of recursive calls in one body: more take too long and test nothing new.
  static constexpr int kMostRecursiveCalls = 2;
  const Function* recursive_ = nullptr;  ///< the recursive function whose body is being generated
  std::string counter_;                  ///< the first parameter of that function
  int recursive_calls_ = 0;
};

}  // namespace evaluator
