#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "nesl_types.h"

namespace nesl {

/// Reason why two types cannot be unified: the innermost parts that clash.
struct Mismatch {
  enum class Kind : std::uint8_t {
    kShape,     ///< different constructors
    kClass,     ///< `left` does not belong to `type_class`
    kInfinite,  ///< a variable would contain itself
    kTooLarge,  ///< more than kMaxTypeSize parts
  };
  Kind kind;
  Type* left = nullptr;
  Type* right = nullptr;
  TypeClass type_class = TypeClass::kAny;
};

/// Makes two types equal by linking variables, or returns why that is impossible and links nothing. Two variables of
/// classes of which neither contains the other (kLogical and kOrdinal or kNumber) become int, the member they share.
class Unifier {
 public:
  explicit Unifier(TypeStore& types) : types_(types) {}
  std::optional<Mismatch> unify(Type* left, Type* right);

 private:
  bool merge(Type* left, Type* right);
  bool bind(Type* variable, Type* type);
  /// Restricts the variables in a type so that it is ordinal; false if it cannot be.
  bool restrict_to_ordinal(Type* type);
  bool occurs(Type* variable, Type* type);
  bool spend(std::uint32_t steps);
  void remember(Type* variable) { changed_.emplace_back(variable, variable->type_class); }

  TypeStore& types_;
  std::vector<std::pair<Type*, TypeClass>> changed_;  // variables changed by this call, with their previous classes
  std::uint32_t steps_ = 0;
  Mismatch mismatch_{};
};

}  // namespace nesl
