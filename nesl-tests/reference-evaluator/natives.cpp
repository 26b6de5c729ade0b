#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "element_evaluator.h"
#include "vcode/arith.h"

// Functions that the evaluator implements itself: the primitives of the prelude, and library functions simple enough to
// be written a second time, so that the prelude's versions are tested, too.

namespace evaluator {
namespace {

using nesl::Type;
using Int = std::int32_t;

[[noreturn]] void fail(const std::string& message) { throw Failure{{message}}; }
void check(bool ok, const char* message) {
  if (!ok) fail(message);
}

// Ints wrap around.
Int wrap(std::int64_t value) { return static_cast<Int>(static_cast<std::uint32_t>(value)); }
Int plus(Int a, Int b) { return wrap(std::int64_t{a} + b); }
Int minus(Int a, Int b) { return wrap(std::int64_t{a} - b); }
Int times(Int a, Int b) { return wrap(std::int64_t{a} * b); }
double plus(double a, double b) { return a + b; }
double minus(double a, double b) { return a - b; }
double times(double a, double b) { return a * b; }
Int divide(Int a, Int b) {
  check(b != 0, "Divide by zero.");
  check(b != -1 || a != std::numeric_limits<Int>::min(),
        "/ INT: the quotient of the most negative INT and -1 does not fit");
  return a / b;
}
double divide(double a, double b) { return a / b; }

bool is_float(const ElementValue& value) { return std::holds_alternative<double>(value.content); }
bool is_bool(const ElementValue& value) { return std::holds_alternative<bool>(value.content); }

/// A scalar of an ordinal type as a number with the same order.
double ordinal(const ElementValue& value) {
  if (const auto* character = std::get_if<Character>(&value.content)) return character->code;
  return is_float(value) ? value.as_float() : value.as_int();
}

Int length_of(const ValuePtr& sequence) { return static_cast<Int>(sequence->as_sequence().size()); }
Sequence part(const Sequence& sequence, std::int64_t begin, std::int64_t end) {
  return Sequence(sequence.begin() + begin, sequence.begin() + end);
}
Type& part_type(const Type& type, std::size_t k) { return *nesl::resolve(type.arguments[k]); }
/// The element type of the argument of a function on sequences.
Type& element_type(const Type& type) { return part_type(part_type(type, 0), 0); }

/// a op b on numbers of either type.
template <class Operation>
ValuePtr arithmetic(const ValuePtr& argument, Operation operation) {
  const ElementValue &a = *argument->first(), &b = *argument->rest();
  return is_float(a) ? make(double{operation(a.as_float(), b.as_float())})
                     : make(Int{operation(a.as_int(), b.as_int())});
}

/// a op b on bools or, bit by bit, on ints.
template <class Operation>
ValuePtr logical(const ValuePtr& a, const ValuePtr& b, Operation operation) {
  return is_bool(*a) ? make((operation(Int{a->as_bool()}, Int{b->as_bool()}) & 1) != 0)
                     : make(Int{operation(a->as_int(), b->as_int())});
}

template <class Operation>
ValuePtr comparison(const ValuePtr& argument, Operation operation) {
  return make(bool{operation(ordinal(*argument->first()), ordinal(*argument->rest()))});
}

template <class Operation>
ValuePtr on_float(const ValuePtr& argument, Operation operation) {
  return make(double{operation(argument->as_float())});
}

Int to_int(double value) {
  if (!(value > -2147483649.0 && value < 2147483648.0)) throw Unsupported("a float out of the range of ints");
  return static_cast<Int>(value);
}

using Combine = ValuePtr (*)(const ValuePtr&, const ValuePtr&);

ValuePtr add(const ValuePtr& a, const ValuePtr& b) {
  return is_float(*a) ? make(plus(a->as_float(), b->as_float())) : make(plus(a->as_int(), b->as_int()));
}
ValuePtr multiply(const ValuePtr& a, const ValuePtr& b) {
  return is_float(*a) ? make(times(a->as_float(), b->as_float())) : make(times(a->as_int(), b->as_int()));
}
/// Of a number and NaN the number.
ValuePtr larger(const ValuePtr& a, const ValuePtr& b) {
  return ordinal(*a) < ordinal(*b) || std::isnan(ordinal(*a)) ? b : a;
}
ValuePtr smaller(const ValuePtr& a, const ValuePtr& b) {
  return ordinal(*b) < ordinal(*a) || std::isnan(ordinal(*a)) ? b : a;
}
ValuePtr disjunction(const ValuePtr& a, const ValuePtr& b) { return logical(a, b, std::bit_or<>()); }
ValuePtr conjunction(const ValuePtr& a, const ValuePtr& b) { return logical(a, b, std::bit_and<>()); }
ValuePtr exclusive(const ValuePtr& a, const ValuePtr& b) { return logical(a, b, std::bit_xor<>()); }

ValuePtr number(const Type& type, Int integer) {
  if (type.kind == Type::Kind::kFloat) return make(static_cast<double>(integer));
  return type.kind == Type::Kind::kBool ? make(integer != 0) : make(integer);
}
/// The maximum of no elements.
ValuePtr least(const Type& type) {
  if (type.kind == Type::Kind::kInt) return make(std::numeric_limits<Int>::min());
  return type.kind == Type::Kind::kChar ? make(Character{0}) : make(-std::numeric_limits<double>::infinity());
}
ValuePtr greatest(const Type& type) {
  if (type.kind == Type::Kind::kInt) return make(std::numeric_limits<Int>::max());
  return type.kind == Type::Kind::kChar ? make(Character{255}) : make(std::numeric_limits<double>::infinity());
}

ValuePtr reduce(const ValuePtr& sequence, ValuePtr start, Combine combine) {
  for (const ValuePtr& element : sequence->as_sequence()) start = combine(start, element);
  return start;
}
/// Throws Unsupported for the maximum or minimum of no floats, which the language leaves open.
ValuePtr extreme(const ValuePtr& sequence, const Type& type, const ValuePtr& start, Combine combine) {
  if (type.kind == Type::Kind::kFloat && length_of(sequence) == 0) throw Unsupported("the maximum of no floats");
  return reduce(sequence, start, combine);
}
ValuePtr scan(const ValuePtr& sequence, ValuePtr start, Combine combine) {
  Sequence result;
  for (const ValuePtr& element : sequence->as_sequence()) {
    result.push_back(start);
    start = combine(start, element);
  }
  return make(std::move(result));
}

ValuePtr empty_value(const Type& type) {
  switch (type.kind) {
    case Type::Kind::kInt:
      return make(Int{0});
    case Type::Kind::kFloat:
      return make(0.0);
    case Type::Kind::kBool:
      return make(false);
    case Type::Kind::kChar:
      return make(Character{' '});
    case Type::Kind::kSequence:
      return make(Sequence{});
    case Type::Kind::kPair:
      return make(std::pair(empty_value(part_type(type, 0)), empty_value(part_type(type, 1))));
    default:
      throw Unsupported("the empty value of this type");
  }
}

ValuePtr first_index(const ValuePtr& sequence, Combine combine) {
  const Sequence& elements = sequence->as_sequence();
  std::size_t best = 0;
  for (std::size_t k = 1; k < elements.size(); ++k) {
    if (combine(elements[best], elements[k]) != elements[best]) best = k;
  }
  return elements.empty() ? make(std::numeric_limits<Int>::max()) : make(static_cast<Int>(best));
}

ValuePtr element_at(const ValuePtr& sequence, Int index) {
  check(index >= 0 && index < length_of(sequence), "Sequence reference (a[i]) out of bounds.");
  return sequence->as_sequence()[index];
}

ValuePtr gather(const ValuePtr& sequence, const ValuePtr& indices) {
  Sequence result;
  for (const ValuePtr& index : indices->as_sequence()) {
    check(index->as_int() >= 0 && index->as_int() < length_of(sequence), "Index out of bounds for function ->.");
    result.push_back(sequence->as_sequence()[index->as_int()]);
  }
  return make(std::move(result));
}

/// Throws if a length is larger than tests may use.
void check_length(std::int64_t length) {
  check(length >= 0, "The length of a sequence must not be negative.");
  if (length > 100'000) throw Unsupported("a long sequence");
}

ValuePtr iota(Int start, Int stride, Int count) {
  check_length(count);
  Sequence result;
  for (Int k = 0; k < count; ++k) result.push_back(make(plus(start, times(k, stride))));
  return make(std::move(result));
}

ValuePtr range(Int start, Int stride, Int end) {
  check(stride >= 1 && start <= end, "In [s:e:l], e must be >= to s, and l must be positive.");
  check_length((std::int64_t{end} - start) / stride);
  Sequence result;
  for (std::int64_t k = start; k < end; k += stride) result.push_back(make(static_cast<Int>(k)));
  return make(std::move(result));
}

ValuePtr write(const ValuePtr& sequence, const ValuePtr& updates) {
  Sequence result = sequence->as_sequence();
  for (const ValuePtr& update : updates->as_sequence()) {
    const Int place = update->first()->as_int();
    check(place >= 0 && place < length_of(sequence), "Index out of bounds for function <-.");
    result[place] = update->rest();
  }
  return make(std::move(result));
}

/// Throws Unsupported where the language leaves the result open.
ValuePtr permute(const ValuePtr& sequence, const ValuePtr& places) {
  check(length_of(sequence) == length_of(places), "Bad arguments to function PERMUTE.");
  Sequence result(sequence->as_sequence().size());
  for (std::size_t k = 0; k < result.size(); ++k) {
    const Int place = places->as_sequence()[k]->as_int();
    check(place >= 0 && place < length_of(sequence), "Bad arguments to function PERMUTE.");
    result[place] = sequence->as_sequence()[k];
  }
  if (std::count(result.begin(), result.end(), nullptr) > 0) throw Unsupported("PERMUTE with a place given twice");
  return make(std::move(result));
}

ValuePtr subsequence(const ValuePtr& sequence, std::int64_t begin, std::int64_t end, const char* message) {
  check(0 <= begin && begin <= end && end <= length_of(sequence), message);
  return make(part(sequence->as_sequence(), begin, end));
}
ValuePtr take(const ValuePtr& sequence, std::int64_t n) {
  const std::int64_t length = length_of(sequence);
  check(n <= length && -n <= length, "Bounds error for function TAKE.");
  return make(n >= 0 ? part(sequence->as_sequence(), 0, n) : part(sequence->as_sequence(), length + n, length));
}
ValuePtr drop(const ValuePtr& sequence, std::int64_t n) {
  const std::int64_t length = length_of(sequence);
  check(n <= length && -n <= length, "Bounds error for function DROP.");
  return make(n >= 0 ? part(sequence->as_sequence(), n, length) : part(sequence->as_sequence(), 0, length + n));
}

ValuePtr partition(const ValuePtr& sequence, const ValuePtr& lengths) {
  std::int64_t total = 0;
  bool negative = false;
  for (const ValuePtr& length : lengths->as_sequence()) {
    total += length->as_int();
    negative = negative || length->as_int() < 0;
  }
  check(total == length_of(sequence) && !negative, "Length mismatch in function PARTITION.");
  Sequence result;
  std::int64_t begin = 0;
  for (const ValuePtr& length : lengths->as_sequence()) {
    result.push_back(make(part(sequence->as_sequence(), begin, begin + length->as_int())));
    begin += length->as_int();
  }
  return make(std::move(result));
}

ValuePtr flatten(const ValuePtr& sequence) {
  Sequence result;
  for (const ValuePtr& inner : sequence->as_sequence()) {
    result.insert(result.end(), inner->as_sequence().begin(), inner->as_sequence().end());
  }
  return make(std::move(result));
}

/// For each flag the next element of `a` if it is true, otherwise the next of `b`.
ValuePtr merge_by(const Sequence& flags, const Sequence& a, const Sequence& b) {
  Sequence result;
  auto next_of_a = a.begin(), next_of_b = b.begin();
  for (const ValuePtr& flag : flags) result.push_back(flag->as_bool() ? *next_of_a++ : *next_of_b++);
  return make(std::move(result));
}

ValuePtr transpose(const ValuePtr& rows) {
  if (length_of(rows) == 0) return rows;
  Sequence columns;
  const Int width = length_of(rows->as_sequence()[0]);
  for (const ValuePtr& row : rows->as_sequence()) {
    check(length_of(row) == width, "Lengths of subsequences are not equal in function TRANSPOSE.");
  }
  for (Int k = 0; k < width; ++k) {
    Sequence column;
    for (const ValuePtr& row : rows->as_sequence()) column.push_back(row->as_sequence()[k]);
    columns.push_back(make(std::move(column)));
  }
  return make(std::move(columns));
}

/// Indices of the elements in stable order.
std::vector<Int> sorted_indices(const ValuePtr& sequence, bool ascending) {
  const Sequence& elements = sequence->as_sequence();
  std::vector<Int> order(elements.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](Int a, Int b) {
    const double x = ordinal(*elements[a]), y = ordinal(*elements[b]);
    return ascending ? x < y : y < x;
  });
  return order;
}
ValuePtr rank(const ValuePtr& sequence, bool ascending) {
  const std::vector<Int> order = sorted_indices(sequence, ascending);
  Sequence ranks(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) ranks[order[k]] = make(static_cast<Int>(k));
  return make(std::move(ranks));
}
ValuePtr sort(const ValuePtr& sequence) {
  Sequence result;
  for (const Int index : sorted_indices(sequence, true)) result.push_back(sequence->as_sequence()[index]);
  return make(std::move(result));
}

ValuePtr pick_every_other(const ValuePtr& sequence, std::size_t first) {
  Sequence result;
  for (std::size_t k = first; k < sequence->as_sequence().size(); k += 2) result.push_back(sequence->as_sequence()[k]);
  return make(std::move(result));
}

ValuePtr power(const ValuePtr& base, Int exponent) {
  check(exponent >= 0, "The power must be nonnegative for ^ .");
  ValuePtr result = is_float(*base) ? make(1.0) : make(Int{1});
  check_length(exponent);
  for (Int k = 0; k < exponent; ++k) result = multiply(result, base);
  return result;
}

ValuePtr find(const ValuePtr& wanted, const ValuePtr& sequence) {
  for (Int k = 0; k < length_of(sequence); ++k) {
    if (equal(*wanted, *sequence->as_sequence()[k])) return make(k);
  }
  return make(Int{-1});
}

// Shorthand for the table: e the evaluator, x the argument, y its type with the result's.
#define NATIVE(name, ...)                                                  \
  {                                                                        \
    name, [](Evaluator& e, const ValuePtr& x, const Type& y) -> ValuePtr { \
      (void)e, (void)x, (void)y;                                           \
      return __VA_ARGS__;                                                  \
    }                                                                      \
  }

const std::unordered_map<std::string, Native>& natives() {
  static const std::unordered_map<std::string, Native> table = {
      // Logic and comparison.
      NATIVE("not", is_bool(*x) ? make(!x->as_bool()) : make(Int{~x->as_int()})),
      NATIVE("and", conjunction(x->first(), x->rest())),
      NATIVE("or", disjunction(x->first(), x->rest())),
      NATIVE("xor", exclusive(x->first(), x->rest())),
      NATIVE("nand", logical(x->first(), x->rest(), [](Int a, Int b) { return ~(a & b); })),
      NATIVE("nor", logical(x->first(), x->rest(), [](Int a, Int b) { return ~(a | b); })),
      NATIVE("btoi", make(Int{x->as_bool()})),
      NATIVE("select", x->first()->as_bool() ? x->rest()->first() : x->rest()->rest()),
      NATIVE("<", comparison(x, std::less<>())),
      NATIVE(">", comparison(x, std::greater<>())),
      NATIVE("<=", comparison(x, std::less_equal<>())),
      NATIVE(">=", comparison(x, std::greater_equal<>())),
      NATIVE("==", make(equal(*x->first(), *x->rest()))),
      NATIVE("eql", make(equal(*x->first(), *x->rest()))),
      NATIVE("/=", make(!equal(*x->first(), *x->rest()))),
      // Arithmetic.
      NATIVE("+", add(x->first(), x->rest())),
      NATIVE("-", arithmetic(x, [](auto a, auto b) { return minus(a, b); })),
      NATIVE("*", multiply(x->first(), x->rest())),
      NATIVE("/", arithmetic(x, [](auto a, auto b) { return divide(a, b); })),
      NATIVE("negate", is_float(*x) ? make(-x->as_float()) : make(minus(0, x->as_int()))),
      NATIVE("rem", check(x->rest()->as_int() != 0, "Divide by zero in function REM."),
             make(wrap(std::int64_t{x->first()->as_int()} % x->rest()->as_int()))),
      NATIVE("mod", check(x->rest()->as_int() != 0, "Divide by zero in function MOD."),
             [](std::int64_t a, std::int64_t b) { return make(wrap(((a % b) + b) % b)); }(x->first()->as_int(),
                                                                                          x->rest()->as_int())),
      NATIVE("max", larger(x->first(), x->rest())),
      NATIVE("min", smaller(x->first(), x->rest())),
      NATIVE("abs", is_float(*x) ? make(std::abs(x->as_float())) : make(wrap(std::abs(std::int64_t{x->as_int()})))),
      NATIVE("^", power(x->first(), x->rest()->as_int())),
      NATIVE("float", make(static_cast<double>(x->as_int()))),
      NATIVE("floor", make(to_int(std::floor(x->as_float())))),
      NATIVE("ceil", make(to_int(std::ceil(x->as_float())))),
      NATIVE("trunc", make(to_int(std::trunc(x->as_float())))),
      NATIVE("round", make(to_int(std::floor(x->as_float() + 0.5)))),
      NATIVE("sqrt", on_float(x, [](double v) { return std::sqrt(v); })),
      NATIVE("ln", on_float(x, [](double v) { return std::log(v); })),
      NATIVE("exp", on_float(x, [](double v) { return std::exp(v); })),
      NATIVE("sin", on_float(x, [](double v) { return std::sin(v); })),
      NATIVE("cos", on_float(x, [](double v) { return std::cos(v); })),
      NATIVE("char_code", make(std::get<Character>(x->content).code)),
      NATIVE("char_of_code", make(Character{x->as_int()})),
      NATIVE("empty_value", empty_value(part_type(y, 0))),
      // Scans and reductions.
      NATIVE("sum", reduce(x, number(element_type(y), 0), add)),
      NATIVE("product", reduce(x, number(element_type(y), 1), multiply)),
      NATIVE("max_val", check(length_of(x) > 0, "Maximum of no elements."), reduce(x, least(element_type(y)), larger)),
      NATIVE("min_val", check(length_of(x) > 0, "Minimum of no elements."),
             reduce(x, greatest(element_type(y)), smaller)),
      NATIVE("max_reduce", extreme(x, element_type(y), least(element_type(y)), larger)),
      NATIVE("min_reduce", extreme(x, element_type(y), greatest(element_type(y)), smaller)),
      NATIVE("any", reduce(x, number(element_type(y), 0), disjunction)),
      NATIVE("all", reduce(x, number(element_type(y), -1), conjunction)),
      NATIVE("parity", reduce(x, number(element_type(y), 0), exclusive)),
      NATIVE("plus_scan", scan(x, number(element_type(y), 0), add)),
      NATIVE("mult_scan", scan(x, number(element_type(y), 1), multiply)),
      NATIVE("max_scan", scan(x, least(element_type(y)), larger)),
      NATIVE("min_scan", scan(x, greatest(element_type(y)), smaller)),
      NATIVE("or_scan", scan(x, number(element_type(y), 0), disjunction)),
      NATIVE("and_scan", scan(x, number(element_type(y), -1), conjunction)),
      NATIVE("xor_scan", scan(x, number(element_type(y), 0), exclusive)),
      NATIVE("count", make(static_cast<Int>(std::count_if(x->as_sequence().begin(), x->as_sequence().end(),
                                                          [](const ValuePtr& flag) { return flag->as_bool(); })))),
      NATIVE("max_index", check(length_of(x) > 0, "Maximum of no elements."), first_index(x, larger)),
      NATIVE("min_index", check(length_of(x) > 0, "Minimum of no elements."), first_index(x, smaller)),
      // Sequences.
      NATIVE("#", make(length_of(x))),
      NATIVE("length", make(length_of(x))),
      NATIVE("elt", element_at(x->first(), x->rest()->as_int())),
      NATIVE("->", gather(x->first(), x->rest())),
      NATIVE("<-", write(x->first(), x->rest())),
      NATIVE("permute", permute(x->first(), x->rest())),
      NATIVE("dist", check_length(x->rest()->as_int()), make(Sequence(x->rest()->as_int(), x->first()))),
      NATIVE("index", iota(0, 1, x->as_int())),
      NATIVE("iseq", range(x->first()->as_int(), x->rest()->first()->as_int(), x->rest()->rest()->as_int())),
      // Primitives used by the definitions of other library functions.
      NATIVE("iota", iota(x->first()->as_int(), x->rest()->first()->as_int(), x->rest()->rest()->as_int())),
      NATIVE("rem_internal", make(wrap(std::int64_t{x->first()->as_int()} % x->rest()->as_int()))),
      NATIVE("subseq_nocheck",
             subsequence(x->first(), x->rest()->first()->as_int(),
                         std::int64_t{x->rest()->first()->as_int()} + x->rest()->rest()->as_int(), "")),
      NATIVE("merge_by",
             merge_by(x->first()->as_sequence(), x->rest()->first()->as_sequence(), x->rest()->rest()->as_sequence())),
      NATIVE("lshift", make(wrap(static_cast<std::uint32_t>(x->first()->as_int()) << (x->rest()->as_int() & 31)))),
      NATIVE("rshift", make(x->first()->as_int() >> (x->rest()->as_int() & 31))),
      NATIVE("int_to_any", number(part_type(y, 1), x->first()->as_int())),
      NATIVE("++", flatten(make(Sequence{x->first(), x->rest()}))),
      NATIVE("take", take(x->first(), x->rest()->as_int())),
      NATIVE("drop", drop(x->first(), x->rest()->as_int())),
      NATIVE("subseq", subsequence(x->first(), x->rest()->first()->as_int(), x->rest()->rest()->as_int(),
                                   "Bounds error for function SUBSEQ.")),
      NATIVE("reverse", make(Sequence(x->as_sequence().rbegin(), x->as_sequence().rend()))),
      NATIVE("even_elts", pick_every_other(x, 0)),
      NATIVE("odd_elts", pick_every_other(x, 1)),
      NATIVE("flatten", flatten(x)),
      NATIVE("partition", partition(x->first(), x->rest())),
      NATIVE("transpose", transpose(x)),
      NATIVE("rank", rank(x, true)),
      NATIVE("rank_down", rank(x, false)),
      NATIVE("sort", sort(x)),
      NATIVE("find", find(x->first(), x->rest())),
      // Control.
      NATIVE("check", check(x->first()->as_bool(), string_of(*x->rest()).c_str()), make(true)),
      NATIVE("check_numbers", check(x->first()->as_bool(), string_of(*x->rest()->rest()->rest()->first()).c_str()),
             make(true)),
      NATIVE("error", fail(string_of(*x)), x),
  };
  return table;
}

#undef NATIVE

}  // namespace

Native find_native(const std::string& name) {
  const auto found = natives().find(name);
  return found == natives().end() ? find_library_native(name) : found->second;
}

}  // namespace evaluator
