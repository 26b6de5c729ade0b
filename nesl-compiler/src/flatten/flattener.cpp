// The whole program: globals, forms of types, source locations.
#include "flattener.h"

#include <fmt/format.h>

#include "base/check.h"

namespace nesl {

namespace {

/// A nest of more than three times as many levels keeps this many at each end, more than a report shows, and one entry
/// for all those between. Otherwise code nested n deep would have n * n entries.
constexpr int kNestEnds = 32;

/// Thrown after an error has been reported, because compilation cannot continue.
struct CompileError {};

/// Variables of a value except those captured by functions in it.
void append_data_leaves(const FlatValue& value, std::vector<Var>& leaves) {
  if (value.kind == FlatValue::Kind::kFunction) return;
  if (value.kind != FlatValue::Kind::kPair) leaves.push_back(value.var);
  for (const auto& part : value.parts) append_data_leaves(*part, leaves);
}

}  // namespace

Flattener::Flattener(TypeStore& types, const Definition& serial_map, base::Diagnostics& diagnostics, Target target)
    : types_(types), serial_map_(serial_map), diagnostics_(diagnostics), target_(target) {}

void Flattener::fail(Span span, std::string message) {
  diagnostics_.error(span, std::move(message)).code = "type";
  throw CompileError{};
}

void Flattener::fail_here(std::string message) { fail(body_->position.span, std::move(message)); }

ValuePtr Flattener::in_frame(Frame& frame, const std::function<ValuePtr()>& work) {
  Frame* outer = frame_;
  frame_ = &frame;
  ValuePtr value = work();
  frame_ = outer;
  return value;
}

ValuePtr Flattener::form_of(Type* type, int level_number, std::vector<Kind>& kinds) {
  type = resolve(type);
  auto leaf = [&](Kind kind) {
    kinds.push_back(kind);
    return static_cast<Var>(kinds.size() - 1);
  };
  switch (type->kind) {
    case Type::Kind::kInt:
    case Type::Kind::kChar:
    case Type::Kind::kVariable:  // any type would do; INT has one leaf
      return scalar_value(leaf(Kind::kInt), level_number);
    case Type::Kind::kFloat:
      return scalar_value(leaf(Kind::kFloat), level_number);
    case Type::Kind::kBool:
      return scalar_value(leaf(Kind::kBool), level_number);
    case Type::Kind::kSequence: {
      Var descriptor = leaf(Kind::kSegdes);
      return sequence_value(descriptor, form_of(type->arguments[0], 0, kinds), level_number);
    }
    case Type::Kind::kPair: {
      ValuePtr first = form_of(type->arguments[0], level_number, kinds);
      return pair_value(first, form_of(type->arguments[1], level_number, kinds));
    }
    case Type::Kind::kData:
      return form_of(contents(type), level_number, kinds);
    case Type::Kind::kFunction:
      break;
  }
  fail_here("a function value that is not known at compile time");
}

ValuePtr Flattener::placeholder(Type* type) {
  std::vector<Kind> kinds;
  const ValuePtr form = form_of(type, 0, kinds);
  auto fill_in = [&](auto& self, const FlatValue& value) -> ValuePtr {
    if (value.kind == FlatValue::Kind::kScalar) return scalar_value(zero(kinds[value.var]), 0);
    if (value.kind == FlatValue::Kind::kPair) {
      ValuePtr first = self(self, *value.parts[0]);
      return pair_value(first, self(self, *value.parts[1]));
    }
    auto empty = [&](Var number) {
      vcode::Constant c;
      c.bracketed = true;
      if (kinds[number] != Kind::kSegdes) {
        c.type = suffix_of(kinds[number]);
        return emit().constant(std::move(c));
      }
      return emit().op(Op::kMakeSegdes, Suffix::kNone, {emit().constant(std::move(c))});
    };
    const ValuePtr elements = rebuild(value.parts[0], empty, [](int l) { return l; });
    return sequence_value(emit().op(Op::kMakeSegdes, Suffix::kNone, {emit().integer(0)}), elements, 0);
  };
  return fill_in(fill_in, *form);
}

// --- globals and the whole program ------------------------------------------------------------------------------

ValuePtr Flattener::global_value(const Definition& global, const std::vector<Type*>& instantiation) {
  if (auto it = body_->globals.find(&global); it != body_->globals.end()) return it->second;
  VC_CHECK(is_computed_in_place(global));
  const GlobalStatement& statement = *global.statement;
  Frame frame{nullptr, statement.source,
              std::make_shared<Substitution>(Substitution{global.scheme.quantified, instantiation}), global.prelude};
  return in_frame(frame, [&] {
    bind(*statement.pattern, lower(*statement.value));
    return frame.locals.at(global.local);
  });
}

void Flattener::run_global(const GlobalStatement& statement) {
  Frame frame{nullptr, statement.source, std::make_shared<Substitution>()};
  in_frame(frame, [&] {
    bind(*statement.pattern, lower(*statement.value));
    return ValuePtr();
  });
  // A variable assigned several times has one definition: the last committed value counts.
  for_each_variable(*statement.pattern, [&](const Pattern& variable) {
    for (const Definition* global : statement.globals)
      if (global->name == variable.name && !is_computed_in_place(*global))
        body_->globals[global] = frame.locals.at(variable.local);
  });
}

std::optional<letform::Program> Flattener::compile(const GlobalStatement& statement,
                                                   const std::vector<Definition*>& given,
                                                   const std::vector<const GlobalStatement*>& before) {
  program_ = {};
  program_.functions.emplace_back();
  applies_ = statement.parameter != nullptr;
  Body body{Emitter(program_, "MAIN", [this] { return here_and_around(); })};
  body_ = &body;
  try {
    for (Definition* global : given) body.globals[global] = parameter_of(global->scheme.type, global->name);
    for (const GlobalStatement* earlier : before) run_needed(*earlier);
    for (Definition* global : facts_.globals(*statement.value)) run_needed(global);
    Frame frame{nullptr, statement.source, std::make_shared<Substitution>()};
    ValuePtr value = in_frame(frame, [&] {
      if (const Pattern* own = statement.parameter.get()) bind(*own, parameter_of(own->type, "argument"));
      return lower(*statement.value);
    });
    std::vector<Var> results;
    append_data_leaves(*value, results);
    program_.functions[0] = body.emitter.finish(std::move(results));
  } catch (const CompileError&) {
    return std::nullopt;
  }
  body_ = nullptr;
  return std::move(program_);
}

void Flattener::run_needed(const GlobalStatement& statement) {
  for (Definition* global : facts_.globals(*statement.value)) run_needed(global);
  run_global(statement);
}

void Flattener::run_needed(const Definition* global) {
  if (!body_->globals.contains(global)) run_needed(*global->statement);
}

// --- source locations -------------------------------------------------------------------------------------------

std::uint32_t Flattener::site(std::string message, std::string values) {
  vcode::Site s;
  s.message = std::move(message);
  s.values = std::move(values);
  const Position& position = body_->position;
  if (position.source != nullptr) {
    auto at = position.source->position(position.span.begin);
    s.file = position.source->name();
    s.line = at.line;
    s.column = at.column;
    s.function = position.function == nullptr ? "" : position.function->name;
  }
  if (program_.sites.empty() || program_.sites.back() != s) program_.sites.push_back(std::move(s));
  return static_cast<std::uint32_t>(program_.sites.size() - 1);
}

std::uint32_t Flattener::here() {
  const Position& position = body_->position;
  if (position.source == nullptr) return vcode::kNoSite;
  const auto [found, is_new] = locations_.try_emplace({position.source, position.span.begin, position.function});
  if (is_new) found->second = site("");
  return found->second;
}

Emitter::Here Flattener::here_and_around() {
  const bool is_known = body_->position.source != nullptr && frame_ != nullptr;
  return {here(), is_known ? frame_->inlined : vcode::kNoCall};
}

std::uint32_t Flattener::inlined_here(const Definition& definition) {
  // A call whose arguments come from a caller in another language has no location in a source text.
  const bool is_callers = applies_ && body_->position.function == nullptr;
  if (definition.prelude || body_->position.source == nullptr || is_callers) return frame_->inlined;
  program_.inlined.push_back({here(), frame_->inlined});
  return static_cast<std::uint32_t>(program_.inlined.size() - 1);
}

Var Flattener::between(int outer, int inner) {
  for (int n = outer + 1; n <= inner; ++n)
    if (level(n).flags == letform::kNoVar) return grouping(outer, inner);
  return origin(outer, inner);  // only subsets, which add no position to that of the outer element
}

Location Flattener::location(std::string message, std::vector<Var> inner, std::string values) {
  Location p;
  p.site = site(std::move(message), std::move(values));
  p.nest = std::move(inner);
  const int first = static_cast<int>(body_->own_levels) + 1;
  for (int n = depth(); n >= first; --n) {
    if (n == depth() - kNestEnds && n - first > 2 * kNestEnds) {
      p.nest.push_back(between(first + kNestEnds, n));
      n = first + kNestEnds;
    }
    const Level& l = level(n);
    p.nest.push_back(l.flags != letform::kNoVar ? l.flags : l.link);
  }
  p.outermost = body_->levels.size() < std::max<std::size_t>(body_->own_levels, 1);
  return p;
}

}  // namespace nesl
