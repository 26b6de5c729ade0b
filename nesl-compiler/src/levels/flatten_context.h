#pragma once

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "definition_frame.h"
#include "facts/expression_facts.h"
#include "nesl-compiler/watch_point.h"

namespace nesl {

/// Thrown after an error has been reported, because compilation cannot continue.
struct CompileError {};

/// State of one compilation that does not depend on nesting levels: the program, the definition whose
/// text is being compiled, and the current location, for sites, remarks and errors.
class FlattenContext {
 public:
  FlattenContext(TypeStore& types, base::Diagnostics& diagnostics, bool fuses);

  TypeStore& types() { return types_; }
  ExpressionFacts& facts() { return facts_; }
  /// Whether the optimizer will fuse the program.
  bool fuses() const { return fuses_; }
  letform::Program& program() { return program_; }
  /// Makes the sites of operations name places (Watch::kPlaces) from now on.
  void name_places() { names_places_ = true; }
  std::vector<Place> take_places() { return std::move(places_); }
  /// Begins a program. `applies`: its statement applies a function to arguments from a caller in another language.
  void begin_program(bool applies);

  Frame& frame() { return *frame_; }
  /// Makes another frame the current one and returns the previous one.
  Frame* change_frame(Frame* frame) { return std::exchange(frame_, frame); }
  ValuePtr in_frame(Frame& frame, const std::function<ValuePtr()>& work);
  /// The type with concrete types in place of the frame's type variables.
  Type* concrete(Type* type);
  std::vector<Type*> concrete(const std::vector<Type*>& types);

  Position& position() { return position_; }
  /// Moves to the location of an expression, unless it is part of the prelude. Returns the previous location.
  Position move_to(const Expr& expr);
  /// Site of an operation at the current location; message and values as in vcode::Site.
  std::uint32_t site(std::string message, std::string values = {});
  Emitter::Here here_and_around();
  /// Number of the inlined call of a definition at the current location.
  std::uint32_t inlined_here(const Definition& definition);

  void remark(const std::string& text);
  const std::vector<std::string>& remarks() const { return remarks_; }
  [[noreturn]] void fail(Span span, std::string message);
  [[noreturn]] void fail_here(std::string message) { fail(position_.span, std::move(message)); }
  [[noreturn]] void fail_at_different_functions();
  void require_same_code(const FlatValue& a, const FlatValue& b);

 private:
  /// Site of the user's current location, without a message; kNoSite outside of the user's program.
  std::uint32_t here();

  TypeStore& types_;
  base::Diagnostics& diagnostics_;
  const bool fuses_;
  ExpressionFacts facts_;
  letform::Program program_;
  bool applies_ = false;
  bool names_places_ = false;
  std::vector<Place> places_;
  Frame* frame_ = nullptr;
  Position position_;
  std::map<std::tuple<const base::Source*, std::uint32_t, std::uint32_t, const Definition*>, std::uint32_t> locations_;
  std::vector<std::string> remarks_;
};

}  // namespace nesl
