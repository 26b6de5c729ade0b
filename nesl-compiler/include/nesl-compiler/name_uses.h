#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "nesl-compiler/place.h"

namespace nesl {

struct Definition;
struct Type;

/// A name that stands in a text, and its meaning.
struct NameUse {
  Place place;
  const Definition* definition = nullptr;  ///< of a function, datatype or global variable
  Place declared{};                        ///< of a local variable or a field: where it is bound
  Type* type = nullptr;                    ///< null for the name of a type
  bool binds = false;                      ///< the name is bound or defined here
};

/// The names of texts, recorded while these are analysed, also in statements with errors of types. Texts, definitions
/// and types belong to the session: its reset() forgets the names too.
class NameUses {
 public:
  /// Records a use of the name, unless its place has another text: the parser inserts names, as elt for a[i].
  void add(std::string_view name, NameUse use);
  /// Records that a definition stands at a place where a name is bound.
  void define(const Place& place, const Definition& definition);
  void clear();

  /// The use at or directly before a position; null if no name is there. A binding without `in`, {a}, counts as a use.
  const NameUse* find(const base::Source& source, std::uint32_t offset) const;
  /// The definition that a name has now; null for a local variable, a field, or after an error in the definition.
  const Definition* definition(const NameUse& use) const;
  /// Where the name is declared: of a function that is defined again with the same type, the last definition.
  Place declaration(const NameUse& use) const;
  /// Every place of a name in a text once, in order.
  std::vector<NameUse> in_text(const base::Source& source) const;
  /// Every use in all texts; where a name is bound and used at once, {a}, both.
  std::vector<NameUse> every() const;

 private:
  using Key = std::pair<const base::Source*, std::uint32_t>;
  static Key key(const Place& place) { return {place.source, place.span.begin}; }
  Place resolved(const Place& declared) const;

  std::map<Key, std::vector<NameUse>> uses_;
  std::map<Key, const Definition*> definitions_;
};

}  // namespace nesl
