#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "definition.h"

namespace nesl {

/// All global names of a session. It owns every Definition ever made and keeps their sources, because
/// expressions refer to definitions by pointer even after the name stands for another one.
///
/// A name that is defined again keeps its Definition if the type is the same, so that earlier callers use the
/// new body, and gets a new one otherwise. Definitions of the prelude never change that way: a user's `sum`
/// leaves the library functions that use the original one alone.
class Environment {
 public:
  Environment() = default;
  Environment(const Environment&) = delete;

  /// What the name stands for, or null.
  Definition* find(std::string_view name) const;
  /// The datatype of that name, or null. A function of the same name hides the constructor, not the type.
  Definition* find_datatype(std::string_view name) const;

  /// What the name stands for in the library, whatever the program has defined, or null.
  Definition* find_in_library(std::string_view name) const;
  /// The datatypes in sight, by name.
  std::vector<Definition*> datatypes() const;
  /// Those that have a field of that name.
  std::vector<Definition*> datatypes_with_field(std::string_view field) const;

  /// All definitions that a name stands for, by name.
  std::vector<Definition*> sorted() const;
  /// All definitions, also those whose name has been given to another.
  std::deque<Definition>& all() { return definitions_; }

  /// Keeps a text alive as long as the session.
  const base::Source& add_source(std::unique_ptr<base::Source> source);

  /// While set, definitions become part of the library.
  void set_loading_prelude(bool loading) { loading_prelude_ = loading; }
  bool loading_prelude() const { return loading_prelude_; }
  /// Takes the names of the library's auxiliary functions, those without a text, from programs. What the library itself
  /// refers to is found before, or by find_in_library().
  void hide_auxiliary_names();

  /// Whether programs may run with ints of 64 bits, so that larger literals are no errors.
  void set_wide_ints(bool wide) { wide_ints_ = wide; }
  bool wide_ints() const { return wide_ints_; }

  /// Set if the flags `recursive` and `serial_only` of definitions may be out of date, for update_flags().
  void set_calls_changed(bool changed) { calls_changed_ = changed; }
  bool calls_changed() const { return calls_changed_; }

  /// Remembers that a definition of the name had errors, so that later messages can say so.
  void set_failed(const std::string& name) { failed_.insert(name); }
  bool has_failed(const std::string& name) const { return failed_.contains(name); }

  /// The definitions, texts and names at one time.
  class Snapshot;
  Snapshot snapshot() const;
  /// Forgets everything since the snapshot. No definition in it may have changed: those of the prelude never do.
  void return_to(const Snapshot& snapshot);

  /// Makes a definition that no name stands for yet.
  Definition& create(Definition definition);
  /// Lets the definition's name stand for it.
  void bind(Definition& definition);
  /// The definition whose body a new one with this name and type replaces, or null.
  Definition* replaced_by(const std::string& name, Definition::Kind kind, const Scheme& scheme) const;

  /// Defines the variables of a top-level `pattern = value` after the value has been computed. Until then, or if the
  /// computation fails, their names stand for what they stood for before.
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
  Names library_;  ///< what the prelude has bound
  std::unordered_set<std::string> failed_;
  bool loading_prelude_ = false;
  bool calls_changed_ = false;
  bool wide_ints_ = false;
};

class Environment::Snapshot {
  friend class Environment;
  std::size_t definitions = 0, sources = 0;
  Names names, datatypes;
};

}  // namespace nesl
