#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "definition.h"
#include "nesl-compiler/name_uses.h"

namespace nesl {

/// All global names of a session. Owns every Definition ever made and keeps the sources, because expressions refer to
/// definitions by pointer even after a name has been redefined.
///
/// Redefining a name with the same type keeps its Definition, so that earlier callers use the new body; with another
/// type, the name gets a new Definition. Definitions of the prelude never change: a user's `sum` does not affect
/// library functions that use the original.
class Environment {
 public:
  Environment() = default;
  Environment(const Environment&) = delete;

  /// Current definition of a name, or null.
  Definition* find(std::string_view name) const;
  /// Datatype of that name, or null. A function of the same name hides the constructor, but not the type.
  Definition* find_datatype(std::string_view name) const;

  /// Definition of a name in the library, even if the program has redefined it, or null.
  Definition* find_in_library(std::string_view name) const;
  /// Visible datatypes, sorted by name.
  std::vector<Definition*> datatypes() const;
  /// Visible datatypes with a field of that name.
  std::vector<Definition*> datatypes_with_field(std::string_view field) const;

  /// Current definitions of all names, sorted by name.
  std::vector<Definition*> sorted() const;
  /// All definitions, including those whose name has been redefined.
  std::deque<Definition>& all() { return definitions_; }

  /// Keeps a text as long as the environment.
  const base::Source& add_source(std::unique_ptr<base::Source> source);

  /// While true, new definitions become part of the library.
  void set_loading_prelude(bool loading) { loading_prelude_ = loading; }
  bool loading_prelude() const { return loading_prelude_; }
  /// Hides the names of auxiliary library functions, those without a documentation string, from programs. The library
  /// refers to them by references resolved before, or by find_in_library().
  void hide_auxiliary_names();

  /// Accepts literals of 64-bit ints, for programs that may run with these.
  void set_wide_ints(bool wide) { wide_ints_ = wide; }
  bool wide_ints() const { return wide_ints_; }

  /// Makes programs call the checked operations of the library (checked_operation()).
  void set_checks_operations(bool checks) { checks_operations_ = checks; }
  /// The function that programs call instead of a function of the library: its checked form, if operations are checked
  /// and it has one.
  Definition& checked_operation(Definition& called) const;

  /// Where analysis records the names of texts; null, the initial value: nowhere.
  void set_name_uses(NameUses* uses) { name_uses_ = uses; }
  NameUses* name_uses() const { return name_uses_; }

  /// True if the flags `recursive` and `serial_only` of definitions may be out of date; update_flags() renews them.
  void set_calls_changed(bool changed) { calls_changed_ = changed; }
  bool calls_changed() const { return calls_changed_; }

  /// Records that a definition of the name had errors, for later messages about the name.
  void set_failed(const std::string& name) { failed_.insert(name); }
  bool has_failed(const std::string& name) const { return failed_.contains(name); }

  /// Definitions, texts and names at one time.
  class Snapshot;
  Snapshot snapshot() const;
  /// Forgets everything since the snapshot. No definition in the snapshot may have changed, as those of the prelude
  /// never do.
  void return_to(const Snapshot& snapshot);

  /// Adds a definition without binding its name.
  Definition& create(Definition definition);
  /// Binds the definition's name to it.
  void bind(Definition& definition);
  /// Definition that a new one with this name and type replaces in place, or null.
  Definition* replaced_by(const std::string& name, Definition::Kind kind, const Scheme& scheme) const;

  /// Defines the variables of a top-level `pattern = value` after the value has been computed. Until then, and if the
  /// computation fails, the names keep their meaning.
  void commit(const std::shared_ptr<GlobalStatement>& statement);

 private:
  void commit(const std::shared_ptr<GlobalStatement>& statement, const Pattern& pattern,
              const std::vector<Type*>& quantified);

  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  using Names = std::unordered_map<std::string, Definition*, Hash, std::equal_to<>>;

  static std::vector<Definition*> by_name(const Names& names);

  std::deque<Definition> definitions_;
  std::vector<std::unique_ptr<base::Source>> sources_;
  Names names_;
  Names datatypes_;
  Names library_;  ///< bindings made by the prelude
  std::unordered_set<std::string> failed_;
  bool loading_prelude_ = false;
  bool calls_changed_ = false;
  bool wide_ints_ = false;
  bool checks_operations_ = false;
  NameUses* name_uses_ = nullptr;
};

class Environment::Snapshot {
  friend class Environment;
  std::size_t definitions = 0, sources = 0;
  Names names, datatypes;
};

}  // namespace nesl
