#include "parse_type.h"

#include <fmt/format.h>

namespace nesl {

namespace {

TypeExprPtr make_type(TypeExpr::Kind kind, Span span) {
  auto type = std::make_unique<TypeExpr>();
  type->kind = kind;
  type->span = span;
  return type;
}

/// Returns the current token, which is the name of a type, a type variable or a class.
std::string parse_name(TokenStream& stream, std::string_view what) {
  if (stream.at(TokenKind::kName)) return fold_case(stream.text(stream.advance()));
  if (is_word(stream.kind()))
    stream.fail(stream.current().span, fmt::format("{} was expected; {} is reserved", what, stream.found()),
                "reserved");
  else
    stream.fail_unexpected(what);
  return {};
}

/// A type, and its span including enclosing parentheses.
struct Extended {
  TypeExprPtr type;
  Span extent;
};

Extended parse_tuple(TokenStream& stream);

Extended parse_atom(TokenStream& stream) {
  const NestingLevel level(stream);
  const Token first = stream.current();
  switch (first.kind) {
    case TokenKind::kOpenParenthesis: {
      stream.advance();
      Extended inner = parse_tuple(stream);
      stream.close(TokenKind::kCloseParenthesis, first, "->, a comma or )");
      inner.extent = {first.span.begin, stream.previous_end()};
      return inner;
    }
    case TokenKind::kOpenBracket: {
      stream.advance();
      TypeExprPtr sequence = make_type(TypeExpr::Kind::kSequence, first.span);
      sequence->arguments.push_back(parse_tuple(stream).type);
      stream.close(TokenKind::kCloseBracket, first, "->, a comma or ]");
      sequence->span.end = stream.previous_end();
      const Span extent = sequence->span;
      return {std::move(sequence), extent};
    }
    default: {
      TypeExprPtr named = make_type(TypeExpr::Kind::kName, first.span);
      named->name = parse_name(stream, "a type");
      if (const Token open = stream.current(); stream.accept(TokenKind::kOpenParenthesis)) {
        named->kind = TypeExpr::Kind::kApply;
        named->arguments.push_back(parse_tuple(stream).type);
        stream.close(TokenKind::kCloseParenthesis, open, "->, a comma or )");
        named->span.end = stream.previous_end();
      }
      const Span extent = named->span;
      return {std::move(named), extent};
    }
  }
}

Extended join(TypeExpr::Kind kind, Extended left, Extended right) {
  const Span span{left.extent.begin, right.extent.end};
  TypeExprPtr type = make_type(kind, span);
  type->arguments.push_back(std::move(left.type));
  type->arguments.push_back(std::move(right.type));
  return {std::move(type), span};
}

Extended parse_arrow(TokenStream& stream) {
  Extended left = parse_atom(stream);
  if (!stream.accept(TokenKind::kArrow)) return left;
  const NestingLevel level(stream);
  return join(TypeExpr::Kind::kFunction, std::move(left), parse_arrow(stream));
}

Extended parse_tuple(TokenStream& stream) {
  Extended left = parse_arrow(stream);
  if (!stream.accept(TokenKind::kComma)) return left;
  const NestingLevel level(stream);
  return join(TypeExpr::Kind::kPair, std::move(left), parse_tuple(stream));
}

std::vector<ContextEntry> parse_context(TokenStream& stream) {
  std::vector<ContextEntry> context;
  const Token open = stream.current();
  const bool parentheses = stream.accept(TokenKind::kOpenParenthesis);
  // Without parentheses a semicolon may end the statement, unless `name in` follows, which cannot begin a statement.
  const auto another = [&] {
    return parentheses || (stream.peek(1) == TokenKind::kName && stream.peek(2) == TokenKind::kIn);
  };
  do {
    ContextEntry entry;
    entry.span = stream.current().span;
    entry.variable = parse_name(stream, "a type variable");
    if (!stream.accept(TokenKind::kIn)) stream.fail_unexpected("in");
    entry.class_name = parse_name(stream, "a class such as number or any");
    entry.span.end = stream.previous_end();
    context.push_back(std::move(entry));
  } while (stream.at(TokenKind::kSemicolon) && another() && stream.accept(TokenKind::kSemicolon));
  if (parentheses) stream.close(TokenKind::kCloseParenthesis, open, "a semicolon or )");
  return context;
}

}  // namespace

bool begins_type(TokenKind kind) {
  return kind == TokenKind::kName || kind == TokenKind::kOpenParenthesis || kind == TokenKind::kOpenBracket;
}

TypeExprPtr parse_type(TokenStream& stream) { return parse_tuple(stream).type; }
TypeExprPtr parse_type_of_part(TokenStream& stream) { return parse_arrow(stream).type; }
TypeExprPtr parse_type_atom(TokenStream& stream) { return parse_atom(stream).type; }

TypeDecl parse_type_decl(TokenStream& stream) {
  TypeDecl declared;
  declared.type = parse_type(stream);
  declared.context = parse_optional_context(stream);
  return declared;
}

std::vector<ContextEntry> parse_optional_context(TokenStream& stream) {
  if (!stream.accept(TokenKind::kContext)) return {};
  return parse_context(stream);
}

}  // namespace nesl
