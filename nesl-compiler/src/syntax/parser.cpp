#include "parser.h"

#include <algorithm>
#include <array>
#include <tuple>

#include <fmt/format.h>

#include "parse_expression.h"
#include "parse_pattern.h"
#include "parse_type.h"
#include "token_stream.h"

namespace nesl {

namespace {

/// Names that begin a command when they begin a statement.
constexpr std::array<std::string_view, 12> kCommands = {"help", "exit", "lisp",  "describe", "apropos", "get",
                                                        "set",  "show", "shell", "dump",     "edit",    "load"};
/// Names that begin a definition of the prelude when they begin a statement.
constexpr std::string_view kPrimitive = "primitive", kSpecialize = "specialize";
/// Names that begin a test or benchmark when they begin a statement and a title follows, and the word behind the title.
constexpr std::string_view kTest = "test", kBench = "bench", kFor = "for";

bool is_command(std::string_view name) {
  return std::find(kCommands.begin(), kCommands.end(), name) != kCommands.end();
}

class StatementParser {
 public:
  StatementParser(const base::Source& source, const ParseOptions& options, base::Diagnostics& diagnostics)
      : stream_(source, diagnostics), prelude_(options.prelude) {}

  std::vector<Statement> all();
  std::optional<Statement> first_test();

 private:
  using Node = decltype(Statement::node);

  Node statement();
  bool at_command() const;
  bool at_prelude_word(std::string_view word) const;
  Node function(bool specialization);
  Node primitive();
  Node datatype();
  void fields(DatatypeStatement& datatype);
  void types_of_parameters(FunctionStatement& function, PatternPtr pattern);
  Node value();
  Node command();
  bool at_name(std::string_view name) const;
  bool at_trial(std::string_view word) const;
  bool accept_for();
  Node test();
  Node bench();
  enum class Names : std::uint8_t { kPlain, kAlsoTruthValues };
  std::pair<std::string, Span> defined_name(std::string_view what, Names names = Names::kPlain);
  std::string doc();

  TokenStream stream_;
  const bool prelude_;
};

/// Whether a token is a parameter without parentheses, or was probably meant as one.
bool begins_name(TokenKind kind) { return kind != TokenKind::kEnd && (!is_spelled(kind) || is_word(kind)); }

std::string reserved_words() {
  std::string words;
  for (const Spelling& s : kSpellings)
    if (is_word(s.kind)) words += fmt::format("{}{}", words.empty() ? "" : " ", s.text);
  return words;
}

/// True if a parameter has a declared type.
bool has_declared(const Pattern& pattern) {
  return pattern.declared != nullptr ||
         std::any_of(pattern.parts.begin(), pattern.parts.end(), [](const auto& part) { return has_declared(*part); });
}

TypeExprPtr join(TypeExpr::Kind kind, TypeExprPtr left, TypeExprPtr right) {
  auto joined = std::make_unique<TypeExpr>();
  joined->kind = kind;
  joined->span = {left->span.begin, right->span.end};
  joined->arguments.push_back(std::move(left));
  joined->arguments.push_back(std::move(right));
  return joined;
}

TypeExprPtr tuple_type(std::vector<TypeExprPtr> parts) {
  return nest_pairs(std::move(parts), [](TypeExprPtr first, TypeExprPtr rest) {
    return join(TypeExpr::Kind::kPair, std::move(first), std::move(rest));
  });
}

bool can_begin_statement(TokenKind kind) {
  return !is_spelled(kind) || kind == TokenKind::kFunction || kind == TokenKind::kDatatype || kind == TokenKind::kIf ||
         kind == TokenKind::kLet || kind == TokenKind::kTrue || kind == TokenKind::kFalse || kind == TokenKind::kTime ||
         kind == TokenKind::kClosure || kind == TokenKind::kDefconfig || kind == TokenKind::kLength ||
         kind == TokenKind::kPrint || kind == TokenKind::kOpenParenthesis || kind == TokenKind::kOpenBracket ||
         kind == TokenKind::kOpenBrace || kind == TokenKind::kQuote || kind == TokenKind::kQuestion;
}

std::vector<Statement> StatementParser::all() {
  std::vector<Statement> statements;
  while (!stream_.at(TokenKind::kEnd)) {
    if (is_terminator(stream_.kind())) {
      stream_.advance();
      continue;
    }
    if (stream_.skip_foreign_comment()) continue;
    stream_.begin_statement();
    const Token first = stream_.current();
    Statement parsed{first.span, statement()};
    parsed.span.end = stream_.previous_end();
    const bool unterminated =
        stream_.at(TokenKind::kEnd) || (stream_.current().new_line && can_begin_statement(stream_.kind()));
    if (!is_terminator(stream_.kind()) && !unterminated) stream_.fail_unexpected("an operator, ; or $");
    if (stream_.failed()) {
      stream_.recover(first);
      continue;
    }
    statements.push_back(std::move(parsed));
    if (unterminated)
      stream_.report_unterminated();
    else
      stream_.advance();
  }
  return statements;
}

bool StatementParser::at_command() const {
  if (stream_.at(TokenKind::kQuestion) || stream_.at(TokenKind::kDefconfig)) return true;
  if (!stream_.at(TokenKind::kName)) return false;
  const std::string name = fold_case(stream_.text(stream_.current()));
  if (!is_command(name)) return false;
  // get(a, i) and set = 3 are not commands; load(name) is one, since the library has no function load.
  const TokenKind next = stream_.peek();
  if (name == "load" && next == TokenKind::kOpenParenthesis) return true;
  return next != TokenKind::kOpenParenthesis && next != TokenKind::kAssign && next != TokenKind::kComma;
}

bool StatementParser::at_prelude_word(std::string_view word) const {
  if (!prelude_ || !stream_.at(TokenKind::kName) || fold_case(stream_.text(stream_.current())) != word) return false;
  // `primitive = 3` is an assignment, but `primitive = : type` defines the operator =.
  return stream_.peek(1) != TokenKind::kAssign || stream_.peek(2) == TokenKind::kColon;
}

StatementParser::Node StatementParser::statement() {
  if (stream_.accept(TokenKind::kFunction)) return function(false);
  if (stream_.accept(TokenKind::kDatatype)) return datatype();
  if (at_prelude_word(kPrimitive)) return primitive();
  if (at_prelude_word(kSpecialize)) {
    stream_.advance();
    return function(true);
  }
  if (!prelude_ && at_trial(kTest)) return test();
  if (!prelude_ && at_trial(kBench)) return bench();
  if (!prelude_ && at_command()) return command();
  return value();
}

bool StatementParser::at_name(std::string_view name) const {
  return stream_.at(TokenKind::kName) && fold_case(stream_.text(stream_.current())) == name;
}

/// Whether a test or benchmark begins here. The words are names elsewhere: test "a" is a call.
bool StatementParser::at_trial(std::string_view word) const {
  if (!at_name(word) || stream_.peek(1) != TokenKind::kString) return false;
  const Token behind = stream_.peek_token(2);
  return behind.kind == TokenKind::kAssign ||
         (behind.kind == TokenKind::kName && fold_case(stream_.text(behind)) == kFor);
}

bool StatementParser::accept_for() {
  if (!at_name(kFor)) return false;
  stream_.advance();
  stream_.begin_statement();  // messages need not warn of the loops of other languages
  return true;
}

StatementParser::Node StatementParser::test() {
  stream_.advance();
  TestStatement t;
  t.title = doc();
  if (accept_for()) {
    std::vector<PatternPtr> variables;
    do {
      variables.push_back(to_pattern(stream_, parse_expression(stream_)));
      stream_.expect(TokenKind::kColon, "an operator or : and the type of the variable");
      variables.back()->declared = parse_type_of_part(stream_);
    } while (stream_.accept(TokenKind::kComma));
    t.parameter = pair_patterns(std::move(variables));
    check_distinct(stream_, *t.parameter);
    if (stream_.accept(TokenKind::kBar)) t.assumption = parse_expression(stream_);
  }
  stream_.expect(TokenKind::kAssign, t.parameter == nullptr    ? "="
                                     : t.assumption == nullptr ? "->, a comma, | or ="
                                                               : "an operator or =");
  t.condition = parse_expression(stream_);
  return t;
}

StatementParser::Node StatementParser::bench() {
  stream_.advance();
  BenchStatement b;
  b.title = doc();
  if (accept_for()) {
    b.variable = to_pattern(stream_, parse_expression(stream_));
    if (b.variable->kind != Pattern::Kind::kVariable)
      stream_.fail(b.variable->span, "the size of a benchmark is one name: for n in [1K, 10K, 1M]");
    stream_.expect(TokenKind::kIn, "an operator or in");
    b.sizes = parse_expression(stream_);
    DistinctVariables variables(stream_);
    variables.add(*b.variable);
    while (stream_.accept(TokenKind::kSemicolon)) {
      PatternPtr pattern = to_pattern(stream_, parse_expression(stream_));
      variables.add(*pattern);
      stream_.expect(TokenKind::kAssign, "an operator or = and a value to prepare");
      b.bindings.emplace_back(std::move(pattern), parse_expression(stream_));
    }
    variables.check();
  }
  stream_.expect(TokenKind::kAssign, b.variable == nullptr ? "=" : "an operator, ; or =");
  b.expression = parse_expression(stream_);
  return b;
}

std::optional<Statement> StatementParser::first_test() {
  if (!at_trial(kTest)) return std::nullopt;
  stream_.begin_statement();
  Statement parsed{stream_.current().span, test()};
  parsed.span.end = stream_.previous_end();
  if (!is_terminator(stream_.kind())) stream_.fail_unexpected("an operator, ; or $");
  return stream_.failed() ? std::nullopt : std::optional(std::move(parsed));
}

/// Parses the name of a definition. In the prelude the name can be an operator or a quoted reserved word.
std::pair<std::string, Span> StatementParser::defined_name(std::string_view what, Names names) {
  const Token token = stream_.current();
  const bool also_truth_value = !prelude_ && names == Names::kAlsoTruthValues;
  if (token.kind == TokenKind::kName || (also_truth_value && names_variable(token.kind))) {
    stream_.advance();
    return {fold_case(stream_.text(token)), token.span};
  }
  const bool quoted = prelude_ && stream_.accept(TokenKind::kQuote);
  if (prelude_ && names_function(stream_.kind())) {
    const Token name = stream_.advance();
    return {fold_case(stream_.text(name)), name.span};
  }
  if (quoted || !names_function(token.kind)) {
    stream_.fail_unexpected(what);
    return {};
  }
  base::Diagnostic* d = stream_.fail(
      token.span,
      fmt::format("{} is {} and cannot be defined", stream_.found(), is_word(token.kind) ? "reserved" : "an operator"),
      "reserved");
  add_note(d, names_variable(token.kind)
                  ? kTruthValueHint
                  : fmt::format("any other name can be defined, those of the library too; reserved are {}",
                                reserved_words()));
  return {};
}

std::string StatementParser::doc() {
  return stream_.at(TokenKind::kString) ? string_contents(stream_.text(stream_.advance())) : std::string();
}

StatementParser::Node StatementParser::function(bool specialization) {
  FunctionStatement f;
  f.specialization = specialization;
  std::tie(f.name, f.name_span) = defined_name("the name of a function", Names::kAlsoTruthValues);
  if (!stream_.at(TokenKind::kOpenParenthesis) && !begins_name(stream_.kind())) {
    const char* const hint = stream_.at(TokenKind::kMinus)
                                 ? "- is an operator and no part of a name"
                                 : "every function has one; a value is defined by name = value";
    if (base::Diagnostic* d = stream_.fail_unexpected(fmt::format("the parameter of {}", f.name)))
      d->notes = {{{}, hint, false}};  // replaces the note of fail_unexpected()
  }
  Parameters parameters = parse_parameters(stream_);
  f.optional = std::move(parameters.optional);
  f.declares_result = has_declared(*parameters.pattern);
  const bool typed = stream_.accept(TokenKind::kColon);
  if (typed)
    f.declared = parse_type_decl(stream_);
  else if (f.declares_result)
    f.declared.context = parse_optional_context(stream_);
  if (typed && !f.declares_result && !stream_.failed() && f.declared.type->kind != TypeExpr::Kind::kFunction) {
    base::Diagnostic* d = stream_.fail(f.declared.type->span, fmt::format("the type of {} has no ->", f.name));
    add_note(d,
             "a function that takes a and gives b has the type a -> b; a tuple around or behind -> needs parentheses");
    add_note(d, "the type of the result alone can follow parameters with types: (x : a) : b");
  }
  f.doc = doc();
  if (stream_.accept(TokenKind::kAssign)) {
    f.parameter = std::move(parameters.pattern);
    f.body = parse_expression(stream_);
  } else if (!typed || !is_terminator(stream_.kind())) {
    stream_.fail_unexpected(typed ? "= or ;" : "a type (: a -> b) or =");
  } else if (!f.optional.empty()) {
    stream_.fail(f.name_span, fmt::format("{} has optional arguments but no body", f.name));
  } else if (f.declares_result) {
    types_of_parameters(f, std::move(parameters.pattern));
  }
  return f;
}

/// Makes the type a -> b of a function without a body from the types of its parameters and result.
void StatementParser::types_of_parameters(FunctionStatement& function, PatternPtr pattern) {
  std::vector<TypeExprPtr> types;
  for (Pattern* rest = pattern.get(); rest != nullptr;) {
    const bool pair = rest->kind == Pattern::Kind::kPair && rest->declared == nullptr;
    Pattern& parameter = pair ? *rest->parts[0] : *rest;
    if (parameter.declared == nullptr) {
      stream_.fail(parameter.span, "without a body each parameter needs a type");
      return;
    }
    types.push_back(std::move(parameter.declared));
    rest = pair ? rest->parts[1].get() : nullptr;
  }
  TypeExprPtr argument = tuple_type(std::move(types));
  function.declared.type = join(TypeExpr::Kind::kFunction, std::move(argument), std::move(function.declared.type));
  function.declares_result = false;
}

StatementParser::Node StatementParser::primitive() {
  stream_.advance();
  PrimitiveStatement p;
  p.serial = at_prelude_word("serial") && stream_.peek() != TokenKind::kColon;
  if (p.serial) stream_.advance();
  std::tie(p.name, p.name_span) = defined_name("the name of a primitive");
  stream_.expect(TokenKind::kColon, ":");
  p.declared = parse_type_decl(stream_);
  p.doc = doc();
  if (stream_.accept(TokenKind::kAssign)) {
    if (!stream_.at(TokenKind::kString)) stream_.fail_unexpected("the text of the primitive");
    p.instruction = doc();
    p.failure = doc();
  }
  return p;
}

StatementParser::Node StatementParser::datatype() {
  DatatypeStatement d;
  std::tie(d.name, d.name_span) = defined_name("the name of a datatype");
  if (stream_.at(TokenKind::kOpenParenthesis) && names_variable(stream_.peek(1)) &&
      stream_.peek(2) == TokenKind::kColon)
    fields(d);
  else
    d.contents = parse_type_decl(stream_);
  d.doc = doc();
  return d;
}

/// Parses (name : type, …) :: context.
void StatementParser::fields(DatatypeStatement& d) {
  const Token open = stream_.advance();
  std::vector<TypeExprPtr> types;
  do {
    const Token name = stream_.current();
    if (!names_variable(name.kind)) stream_.fail_unexpected("the name of a field");
    stream_.advance();
    d.fields.push_back({fold_case(stream_.text(name)), name.span});
    stream_.expect(TokenKind::kColon, ": and the type of the field");
    types.push_back(parse_type_of_part(stream_));
  } while (stream_.accept(TokenKind::kComma));
  stream_.close(TokenKind::kCloseParenthesis, open, "->, a comma or )");
  d.contents.type = tuple_type(std::move(types));
  d.contents.context = parse_optional_context(stream_);
}

/// Parses an expression or an assignment. `a |= e` keeps the value of e in a file in NESL 3.1; here it means a = e.
StatementParser::Node StatementParser::value() {
  ExprPtr left = parse_expression(stream_);
  if (stream_.at(TokenKind::kJobAssign))
    stream_.fail(stream_.current().span, "background jobs (&=) do not exist here; use =");
  if (!stream_.accept(TokenKind::kAssign) && !stream_.accept(TokenKind::kFileAssign))
    return ValueStatement{nullptr, std::move(left)};
  PatternPtr pattern = to_pattern(stream_, std::move(left));
  if (prelude_) refuse_truth_values(stream_, *pattern);
  check_distinct(stream_, *pattern);
  return ValueStatement{std::move(pattern), parse_expression(stream_)};
}

StatementParser::Node StatementParser::command() {
  const std::uint32_t begin = stream_.current().span.begin;
  while (!is_terminator(stream_.kind()) && !stream_.failed()) {
    const bool definition = stream_.at(TokenKind::kFunction) || stream_.at(TokenKind::kDatatype);
    if (stream_.at(TokenKind::kBad) || stream_.at(TokenKind::kEnd) || definition)
      stream_.fail_unexpected("; or $");
    else
      stream_.advance();
  }
  return CommandStatement{std::string(stream_.text({begin, stream_.previous_end()}))};
}

}  // namespace

std::vector<Statement> parse(const base::Source& source, const ParseOptions& options, base::Diagnostics& diagnostics) {
  return StatementParser(source, options, diagnostics).all();
}

std::optional<Statement> parse_test(const base::Source& source, base::Diagnostics& diagnostics) {
  return StatementParser(source, {}, diagnostics).first_test();
}

}  // namespace nesl
