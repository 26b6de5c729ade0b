#include "slow_idioms.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace nesl {

namespace {

using Locals = std::unordered_set<std::uint32_t>;

/// The library function that an expression names; null for all others.
const Definition* library_function(const Expr& expr) {
  const auto* const name = std::get_if<Name>(&expr.node);
  return name != nullptr && name->definition != nullptr && name->definition->prelude ? name->definition : nullptr;
}

/// The argument of a call of one of these library functions; null if an expression is something else.
const Expr* argument_of(const Expr& expr, std::initializer_list<std::string_view> functions) {
  const auto* const call = std::get_if<Call>(&expr.node);
  const Definition* const callee = call == nullptr ? nullptr : library_function(*call->function);
  const bool is_one = callee != nullptr && std::ranges::find(functions, callee->name) != functions.end();
  return is_one ? call->argument.get() : nullptr;
}

/// Both arguments of such a call, or nulls.
std::pair<const Expr*, const Expr*> arguments_of(const Expr& expr, std::initializer_list<std::string_view> functions) {
  const Expr* const argument = argument_of(expr, functions);
  const auto* const pair = argument == nullptr ? nullptr : std::get_if<Pair>(&argument->node);
  if (pair == nullptr) return {};
  return {pair->first.get(), pair->rest.get()};
}

bool is_local(const Expr& expr, std::uint32_t local) {
  const auto* const name = std::get_if<Name>(&expr.node);
  return name != nullptr && name->definition == nullptr && name->local == local;
}

/// Whether an expression is this library function of a local variable.
bool is_of_local(const Expr& expr, std::string_view function, std::uint32_t local) {
  const Expr* const argument = argument_of(expr, {function});
  return argument != nullptr && is_local(*argument, local);
}

bool is_literal(const Expr& expr) {
  return std::holds_alternative<SequenceLiteral>(expr.node) || std::holds_alternative<StringLiteral>(expr.node) ||
         std::holds_alternative<EmptySequence>(expr.node);
}

std::size_t nesting(Type* type) {
  type = resolve(type);
  return type->kind == Type::Kind::kSequence ? 1 + nesting(type->arguments[0]) : 0;
}

/// All variables that an expression binds.
void add_bound(const Expr& expr, Locals& bound) {
  const auto add = [&](const Pattern& pattern) {
    for_each_variable(pattern, [&](const Pattern& variable) { bound.insert(variable.local); });
  };
  if (const auto* let = std::get_if<Let>(&expr.node))
    for (const auto& [pattern, value] : let->bindings) add(*pattern);
  if (const auto* lambda = std::get_if<Lambda>(&expr.node)) add(*lambda->parameter);
  if (const auto* each = std::get_if<Each>(&expr.node))
    for (const auto& [pattern, value] : each->bindings) add(*pattern);
  for_each_child(expr, [&](const Expr& child) { add_bound(child, bound); });
}

/// Parameters of functions, by their functions and numbers.
using Parameters = std::set<std::pair<const Definition*, std::uint32_t>>;

/// An expression and where it is: in the body of a function, or in the value of a statement.
struct Place {
  const Expr& expr;
  const Definition* function;  ///< null in a statement
  bool is_serial;              ///< the program evaluates it outside of apply-to-eaches, for one sequence at a time
  const Locals* varying;  ///< variables of the innermost apply-to-each around the expression; null if there is none
  ExpressionFacts& facts;
  const Parameters& constants;  ///< those for which all calls from outside of the function have literals
  const std::unordered_map<std::uint32_t, const Expr*>& once;  ///< values of variables that are read once, where bound

  /// The value of a variable that is read once, without an apply-to-each between; else the expression itself.
  const Expr& value_of(const Expr& e) const {
    const auto* const name = std::get_if<Name>(&e.node);
    if (name == nullptr || name->definition != nullptr) return e;
    const auto found = once.find(name->local);
    return found == once.end() ? e : value_of(*found->second);
  }

  bool varies(const Expr& e) const {
    return varying != nullptr &&
           std::ranges::any_of(facts.free_locals(e), [&](std::uint32_t local) { return varying->contains(local); });
  }
};

// --- the idioms: each function says whether an expression has its form ----------------------------------------

const Expr* sorted_argument(const Place& place, const Expr& expr) {
  const Expr& value = place.value_of(expr);
  if (const Expr* const s = argument_of(value, {"sort"})) return s;
  const Expr* const reversed = argument_of(value, {"reverse"});
  return reversed == nullptr ? nullptr : argument_of(place.value_of(*reversed), {"sort"});
}

/// sort(s)[i]. Short sequences, of apply-to-eaches, are sorted faster than kth_smallest finds an element, but not the
/// first one.
bool reads_one_of_sorted(const Place& place) {
  const auto [sequence, index] = arguments_of(place.expr, {"elt"});
  const auto* const literal = index == nullptr ? nullptr : std::get_if<IntLiteral>(&index->node);
  return (place.is_serial || (literal != nullptr && literal->digits == "0")) && sequence != nullptr &&
         sorted_argument(place, *sequence) != nullptr;
}

/// take(sort(s), 10)
bool takes_few_of_sorted(const Place& place) {
  const auto [sequence, count] = arguments_of(place.expr, {"take"});
  return place.is_serial && sequence != nullptr && std::holds_alternative<IntLiteral>(count->node) &&
         sorted_argument(place, *sequence) != nullptr;
}

/// Whether all reads of a variable in an expression are arguments of #.
bool only_length(const Expr& expr, std::uint32_t local) {
  if (is_local(expr, local)) return false;
  if (is_of_local(expr, "#", local) || is_of_local(expr, "length", local)) return true;
  bool good = true;
  for_each_child(expr, [&](const Expr& child) { good = good && only_length(child, local); });
  return good;
}

/// {(key, #values) : (key, values) in collect(pairs)}
bool counts_by_collecting(const Place& place) {
  const auto* const each = std::get_if<Each>(&place.expr.node);
  if (each == nullptr || each->bindings.size() != 1) return false;
  const auto& [pattern, sequence] = each->bindings.front();
  if (argument_of(place.value_of(*sequence), {"collect"}) == nullptr) return false;
  if (pattern->kind != Pattern::Kind::kPair || pattern->parts[1]->kind != Pattern::Kind::kVariable) return false;
  const std::uint32_t values = pattern->parts[1]->local;
  return only_length(*each->body, values) && (each->filter == nullptr || only_length(*each->filter, values));
}

/// The sequence whose elements are compared with a value, and that value: contains(s, v), find(v, s) and
/// any({x == v : x in s}).
std::pair<const Expr*, const Expr*> search_of(const Expr& expr) {
  if (const auto [s, v] = arguments_of(expr, {"contains"}); s != nullptr) return {s, v};
  if (const auto [v, s] = arguments_of(expr, {"find"}); s != nullptr) return {s, v};
  const Expr* const flags = argument_of(expr, {"any"});
  const auto* const each = flags == nullptr ? nullptr : std::get_if<Each>(&flags->node);
  if (each == nullptr || each->bindings.size() != 1 || each->filter != nullptr) return {};
  const Pattern& x = *each->bindings.front().first;
  const auto [a, b] = arguments_of(*each->body, {"==", "eql", "same"});
  if (a == nullptr || x.kind != Pattern::Kind::kVariable || is_local(*a, x.local) == is_local(*b, x.local)) return {};
  return {each->bindings.front().second.get(), is_local(*a, x.local) ? b : a};
}

/// {x in a | contains(b, x)}: characters, and constants of the program, are few.
bool searches_for_each(const Place& place) {
  const auto [sequence, value] = search_of(place.expr);
  if (sequence == nullptr || nesting(sequence->type) != nesting(value->type) + 1) return false;
  if (resolve(resolve(sequence->type)->arguments[0])->kind == Type::Kind::kChar || is_literal(*sequence)) return false;
  const auto* const name = std::get_if<Name>(&sequence->node);
  const Definition* const global = name == nullptr ? nullptr : name->definition;
  if (global != nullptr && global->statement != nullptr && is_literal(*global->statement->value)) return false;
  return place.varies(*value) && !place.varies(*sequence);
}

/// flatten({if p(x) then [g(x)] else [] : x in s})
bool joins_choices(const Place& place) {
  const Expr* const argument = argument_of(place.expr, {"flatten"});
  const auto* const each = argument == nullptr ? nullptr : std::get_if<Each>(&place.value_of(*argument).node);
  const auto* const choice = each == nullptr ? nullptr : std::get_if<If>(&each->body->node);
  if (choice == nullptr || each->serial) return false;
  const auto is_one = [](const Expr& e) {
    const auto* const literal = std::get_if<SequenceLiteral>(&e.node);
    return literal != nullptr && literal->elements.size() == 1;
  };
  const auto is_none = [](const Expr& e) { return std::holds_alternative<EmptySequence>(e.node); };
  return (is_one(*choice->then_branch) && is_none(*choice->else_branch)) ||
         (is_none(*choice->then_branch) && is_one(*choice->else_branch));
}

/// Whether evaluating an expression for one element after another may differ from doing so for all at once: it does
/// input or output, takes times, draws random numbers, or calls a function that is not known here.
bool needs_order(const Expr& expr, ExpressionFacts& facts, std::unordered_set<const Definition*>& seen) {
  if (std::holds_alternative<Time>(expr.node)) return true;
  if (const auto* call = std::get_if<Call>(&expr.node)) {
    const auto* const callee = std::get_if<Name>(&call->function->node);
    if (callee == nullptr || callee->definition == nullptr) return true;
  }
  if (const auto* name = std::get_if<Name>(&expr.node); name != nullptr && name->definition != nullptr) {
    const Definition& used = *name->definition;
    if (used.serial_only || used.intrinsic == Intrinsic::kWriteText || facts.side_effects(used).draws) return true;
    if (seen.insert(&used).second && used.body != nullptr && needs_order(*used.body, facts, seen)) return true;
  }
  bool needs = false;
  for_each_child(expr, [&](const Expr& child) { needs = needs || needs_order(child, facts, seen); });
  return needs;
}

/// map(g, s), {* g(x) : x in s}
bool applies_serially(const Place& place) {
  std::unordered_set<const Definition*> seen;
  if (const auto [function, sequence] = arguments_of(place.expr, {"map"}); function != nullptr) {
    if (const auto* lambda = std::get_if<Lambda>(&function->node))
      return !needs_order(*lambda->body, place.facts, seen);
    const auto* const name = std::get_if<Name>(&function->node);
    return name != nullptr && name->definition != nullptr && !needs_order(*function, place.facts, seen);
  }
  const auto* const each = std::get_if<Each>(&place.expr.node);
  if (each == nullptr || !each->serial) return false;
  return !needs_order(*each->body, place.facts, seen) &&
         (each->filter == nullptr || !needs_order(*each->filter, place.facts, seen));
}

/// A parameter of a function and the argument for it.
using Passed = std::pair<const Pattern*, const Expr*>;

/// Splits the argument of a call as the pattern of the parameters; empty if it is not written as so many arguments.
std::vector<Passed> passed(const Pattern& parameter, const Expr& argument) {
  if (parameter.kind == Pattern::Kind::kVariable) return {{&parameter, &argument}};
  const auto* const pair = std::get_if<Pair>(&argument.node);
  if (parameter.kind != Pattern::Kind::kPair || pair == nullptr) return {};
  std::vector<Passed> first = passed(*parameter.parts[0], *pair->first),
                      rest = passed(*parameter.parts[1], *pair->rest);
  if (first.empty() || rest.empty()) return {};
  first.insert(first.end(), rest.begin(), rest.end());
  return first;
}

/// The parameters of the function around a call of itself, each with its argument; empty for other expressions.
std::vector<Passed> own_call(const Place& place) {
  const auto* const call = std::get_if<Call>(&place.expr.node);
  const auto* const callee = call == nullptr ? nullptr : std::get_if<Name>(&call->function->node);
  if (callee == nullptr || place.function == nullptr || callee->definition != place.function) return {};
  return passed(*place.function->parameter, *call->argument);
}

/// f(drop(s, 1)) in f(s). In apply-to-eaches the rest is a slice.
bool drops_first_in_recursion(const Place& place) {
  if (!place.is_serial) return false;
  return std::ranges::any_of(own_call(place), [&](const Passed& p) {
    const auto [s, n] = arguments_of(place.value_of(*p.second), {"drop"});
    return s != nullptr && is_local(*s, p.first->local) && std::holds_alternative<IntLiteral>(n->node) &&
           !place.constants.contains({place.function, p.first->local});
  });
}

/// f(s, i + 1, sum + g(s[i])) in f(s, i, sum)
bool accumulates_one_by_one(const Place& place) {
  if (!place.is_serial) return false;
  const std::vector<Passed> arguments = own_call(place);
  const auto is_kept = [&](const Expr& e) {
    return std::ranges::any_of(
        arguments, [&](const Passed& p) { return is_local(e, p.first->local) && is_local(*p.second, p.first->local); });
  };
  const auto is_counted = [&](std::uint32_t local) {
    return std::ranges::any_of(arguments, [&](const Passed& p) {
      const auto [i, step] = arguments_of(*p.second, {"+", "-"});
      return p.first->local == local && i != nullptr && is_local(*i, local) &&
             std::holds_alternative<IntLiteral>(step->node);
    });
  };
  const auto reads_element = [&](const auto& self, const Expr& e) -> bool {
    const auto [s, i] = arguments_of(e, {"elt"});
    const auto* const index = i == nullptr ? nullptr : std::get_if<Name>(&i->node);
    if (index != nullptr && index->definition == nullptr && is_kept(*s) && is_counted(index->local)) return true;
    bool reads = false;
    for_each_child(e, [&](const Expr& child) { reads = reads || self(self, child); });
    return reads;
  };
  // Neither the accumulator nor another parameter that changes.
  const auto is_independent = [&](const Expr& e) {
    return std::ranges::all_of(place.facts.free_locals(e), [&](std::uint32_t local) {
      return is_counted(local) || std::ranges::all_of(arguments, [&](const Passed& p) {
               return p.first->local != local || is_local(*p.second, local);
             });
    });
  };
  return std::ranges::any_of(arguments, [&](const Passed& p) {
    const auto [a, b] = arguments_of(*p.second, {"+", "*", "max", "min", "and", "or"});
    if (a == nullptr || is_local(*a, p.first->local) == is_local(*b, p.first->local)) return false;
    const Expr& added = is_local(*a, p.first->local) ? *b : *a;
    return reads_element(reads_element, added) && is_independent(added);
  });
}

/// A form of expressions, and the advice for it: the cost, and the form that computes the same with less.
struct Idiom {
  bool (*has_form)(const Place& place);
  std::string_view advice;
};

constexpr Idiom kIdioms[] = {
    {reads_one_of_sorted,
     "sorts all elements to read one: kth_smallest(s, i) has work n, min_val, max_val and median read each element "
     "once"},
    {takes_few_of_sorted,
     "sorts all elements to take few: sort({x in s | x <= kth_smallest(s, k - 1)}) sorts the k smallest"},
    {counts_by_collecting,
     "moves the values of each key next to each other to count them: histogram(keys) counts without moving any"},
    {searches_for_each,
     "compares all elements of a sequence for each element of another: a create_table of the one, and search_table "
     "for the others, or intersection and set_difference, read each element once"},
    {joins_choices,
     "makes a sequence of none or one for each element, and copies all: {g(x) : x in s | p(x)} writes the elements "
     "that stay, once"},
    {applies_serially,
     "calls the function for one element after the other: {g(x) : x in s} computes all elements at once"},
    {drops_first_in_recursion,
     "copies the rest of the sequence for each call, n * n / 2 elements in all: pass the index of the first one"},
    {accumulates_one_by_one,
     "reads one element for each call: sum, product, max_val, min_val, any or all of {g(x) : x in s} read all at "
     "once"},
};

/// Finds the parameters whose arguments are literals in all calls from outside of their functions.
class CallArguments {
 public:
  void look_at(const Expr& expr, const Definition* function) {
    const auto* const call = std::get_if<Call>(&expr.node);
    const auto* const callee = call == nullptr ? nullptr : std::get_if<Name>(&call->function->node);
    if (callee != nullptr && callee->definition != nullptr && callee->definition->parameter != nullptr &&
        callee->definition != function)
      for (const Passed& p : passed(*callee->definition->parameter, *call->argument))
        (is_literal(*p.second) ? literal_ : other_).insert({callee->definition, p.first->local});
    for_each_child(expr, [&](const Expr& child) { look_at(child, function); });
  }

  Parameters constants() const {
    Parameters found;
    std::set_difference(literal_.begin(), literal_.end(), other_.begin(), other_.end(),
                        std::inserter(found, found.end()));
    return found;
  }

 private:
  Parameters literal_, other_;
};

/// Goes over the functions and statements of a program.
class Search {
 public:
  Search(ExpressionFacts& facts, const Parameters& constants) : facts_(facts), constants_(constants) {}

  void look_at(const Expr& body, const base::Source& source, const Definition* function, bool is_serial) {
    source_ = &source;
    function_ = function;
    is_serial_ = is_serial;
    locals_.clear();
    once_.clear();
    count(body, 0);
    for (const auto& [local, known] : locals_)
      if (known.value != nullptr && known.reads == 1 && !known.in_each) once_[local] = known.value;
    visit(body, nullptr);
  }

  std::vector<SlowIdiom> take() {
    std::ranges::sort(found_, {}, [](const SlowIdiom& i) { return std::tie(i.file, i.line, i.column, i.advice); });
    return std::move(found_);
  }

 private:
  struct Known {
    const Expr* value = nullptr;  ///< null: not bound by let as a whole
    int reads = 0, depth = 0;
    bool in_each = false;  ///< read deeper in apply-to-eaches or functions than it is bound
  };

  void count(const Expr& expr, int depth) {
    if (const auto* name = std::get_if<Name>(&expr.node); name != nullptr && name->definition == nullptr) {
      Known& known = locals_[name->local];
      ++known.reads;
      known.in_each |= depth > known.depth;
    }
    if (const auto* let = std::get_if<Let>(&expr.node))
      for (const auto& [pattern, value] : let->bindings)
        if (pattern->kind == Pattern::Kind::kVariable) locals_[pattern->local] = {value.get(), 0, depth};
    if (const auto* each = std::get_if<Each>(&expr.node)) {
      for (const auto& [pattern, value] : each->bindings) count(*value, depth);
      if (each->filter) count(*each->filter, depth + 1);
      return count(*each->body, depth + 1);
    }
    const int deeper = std::holds_alternative<Lambda>(expr.node) ? 1 : 0;
    for_each_child(expr, [&](const Expr& child) { count(child, depth + deeper); });
  }

  void visit(const Expr& expr, const Locals* varying) {
    const Place place{expr, function_, is_serial_ && varying == nullptr, varying, facts_, constants_, once_};
    for (const Idiom& idiom : kIdioms)
      if (idiom.has_form(place)) {
        const base::Source::Position at = source_->position(expr.span.begin);
        found_.push_back({std::string(source_->name()), at.line, at.column, std::string(idiom.advice)});
      }
    const auto* const each = std::get_if<Each>(&expr.node);
    if (each == nullptr) return for_each_child(expr, [&](const Expr& child) { visit(child, varying); });
    for (const auto& [pattern, value] : each->bindings) visit(*value, varying);
    Locals bound;
    for (const auto& [pattern, value] : each->bindings)
      for_each_variable(*pattern, [&](const Pattern& variable) { bound.insert(variable.local); });
    if (each->filter) add_bound(*each->filter, bound);
    add_bound(*each->body, bound);
    if (each->filter) visit(*each->filter, &bound);
    visit(*each->body, &bound);
  }

  ExpressionFacts& facts_;
  const Parameters& constants_;
  const base::Source* source_ = nullptr;
  const Definition* function_ = nullptr;
  bool is_serial_ = false;
  std::unordered_map<std::uint32_t, Known> locals_;
  std::unordered_map<std::uint32_t, const Expr*> once_;
  std::vector<SlowIdiom> found_;
};

}  // namespace

std::vector<SlowIdiom> find_slow_idioms(const std::vector<const GlobalStatement*>& statements, ExpressionFacts& facts) {
  // The functions that the program reaches, and whether it does so outside of apply-to-eaches and functions without a
  // name. Those that it reaches both ways are looked at once more.
  std::unordered_map<const Definition*, bool> reached;
  std::vector<const Definition*> open;
  const auto reach = [&](const auto& self, const Expr& expr, bool is_serial) -> void {
    const auto* const name = std::get_if<Name>(&expr.node);
    const Definition* const used = name == nullptr ? nullptr : name->definition;
    if (used != nullptr && !used->prelude && used->body != nullptr) {
      const auto [found, is_new] = reached.try_emplace(used, is_serial);
      if (is_new || (is_serial && !found->second)) open.push_back(used);
      found->second = found->second || is_serial;
    }
    const auto* const each = std::get_if<Each>(&expr.node);
    const bool within = is_serial && each == nullptr && !std::holds_alternative<Lambda>(expr.node);
    for_each_child(expr, [&](const Expr& child) { self(self, child, within); });
    if (each == nullptr || !is_serial) return;
    for (const auto& [pattern, value] : each->bindings) self(self, *value, true);
  };
  for (const GlobalStatement* statement : statements) reach(reach, *statement->value, true);
  while (!open.empty()) {
    const Definition& function = *open.back();
    open.pop_back();
    reach(reach, *function.body, reached.at(&function));
  }
  CallArguments arguments;
  for (const GlobalStatement* statement : statements) arguments.look_at(*statement->value, nullptr);
  for (const auto& [function, is_serial] : reached) arguments.look_at(*function->body, function);
  const Parameters constants = arguments.constants();
  Search search(facts, constants);
  for (const GlobalStatement* statement : statements)
    search.look_at(*statement->value, *statement->source, nullptr, true);
  for (const auto& [function, is_serial] : reached)
    search.look_at(*function->body, *function->source, function, is_serial);
  return search.take();
}

}  // namespace nesl
