#include "nesl-compiler/cursor.h"

#include <algorithm>
#include <set>

#include "messages/near_name.h"
#include "syntax/nesl_lexer.h"
#include "syntax/parse_expression.h"
#include "syntax/token.h"

namespace nesl {

namespace {

bool is_open(TokenKind kind) {
  return kind == TokenKind::kOpenParenthesis || kind == TokenKind::kOpenBracket || kind == TokenKind::kOpenBrace;
}
bool is_close(TokenKind kind) {
  return kind == TokenKind::kCloseParenthesis || kind == TokenKind::kCloseBracket || kind == TokenKind::kCloseBrace;
}

/// The tokens of the statement around a position, and what the position lies in.
struct Around {
  std::vector<Token> tokens;
  std::size_t before = 0;  ///< number of the tokens that begin before the position
  bool in_code = true;
};

/// A statement ends at a terminator outside of all brackets and of all lists of let, and before `function` or
/// `datatype` at the beginning of a line.
Around tokens_around(std::string_view text, std::uint32_t offset) {
  Around around;
  Lexer lexer(text);
  int brackets = 0, lets = 0;
  std::uint32_t end = 0;     // of the last token
  bool is_unclosed = false;  // a string or comment, in which the rest of the text lies
  const auto begin_statement = [&] {
    around.tokens.clear();
    around.before = 0;
    brackets = lets = 0;
  };
  for (Token token = lexer.next();; end = token.span.end, token = lexer.next()) {
    const bool is_before = token.span.begin < offset;
    if (end < offset && offset <= token.span.begin && !is_unclosed)
      around.in_code = std::count(text.begin() + end, text.begin() + offset, '%') % 2 == 0;
    if (token.kind == TokenKind::kEnd) return around;
    if (token.new_line && (token.kind == TokenKind::kFunction || token.kind == TokenKind::kDatatype)) {
      if (!is_before) return around;
      begin_statement();
    }
    around.tokens.push_back(token);
    if (is_before) {
      around.before = around.tokens.size();
      const bool is_string = token.kind == TokenKind::kString && offset < token.span.end;
      const bool is_literal =
          token.kind == TokenKind::kChar || token.kind == TokenKind::kInt || token.kind == TokenKind::kFloat;
      is_unclosed = token.kind == TokenKind::kBad && token.span.end - token.span.begin == 1 &&
                    (text[token.span.begin] == '"' || text[token.span.begin] == '%');
      around.in_code = !is_string && !(is_literal && offset <= token.span.end) && !is_unclosed;
    }
    if (is_open(token.kind)) ++brackets;
    if (is_close(token.kind)) brackets = std::max(brackets - 1, 0);
    if (token.kind == TokenKind::kLet) ++lets;
    if (token.kind == TokenKind::kIn) lets = std::max(lets - 1, 0);
    const bool ends =
        token.kind == TokenKind::kDollar || (token.kind == TokenKind::kSemicolon && brackets == 0 && lets == 0);
    if (!ends) continue;
    if (!is_before) return around;
    begin_statement();
  }
}

std::optional<CursorContext::OpenCall> open_call(std::string_view text, const Around& around) {
  std::vector<TokenKind> closed;
  std::size_t commas = 0;
  for (std::size_t k = around.before; k-- > 0;) {
    const Token& token = around.tokens[k];
    if (is_close(token.kind)) {
      closed.push_back(token.kind);
    } else if (is_open(token.kind)) {
      if (!closed.empty()) {
        closed.pop_back();
        continue;
      }
      const bool is_call =
          token.kind == TokenKind::kOpenParenthesis && k > 0 && names_variable(around.tokens[k - 1].kind);
      const bool is_definition = k > 1 && (around.tokens[k - 2].kind == TokenKind::kFunction ||
                                           around.tokens[k - 2].kind == TokenKind::kDatatype);
      if (is_call && !is_definition) {
        const Span name = around.tokens[k - 1].span;
        return CursorContext::OpenCall{fold_case(text.substr(name.begin, name.end - name.begin)), commas};
      }
      commas = 0;  // an open tuple, sequence or apply-to-each is one argument
    } else if (token.kind == TokenKind::kComma && closed.empty()) {
      ++commas;
    }
  }
  return std::nullopt;
}

}  // namespace

CursorContext cursor_context(std::string_view text, std::uint32_t offset) {
  const Around around = tokens_around(text, offset);
  CursorContext context;
  context.in_code = around.in_code;
  context.word = {offset, offset};
  std::size_t preceding = around.before;  // number of tokens before the word
  // The word may also begin at the position itself.
  for (std::size_t k = around.before == 0 ? 0 : around.before - 1; k < around.tokens.size() && k <= around.before;
       ++k) {
    const Token& token = around.tokens[k];
    if ((token.kind != TokenKind::kName && !is_word(token.kind)) || token.span.begin > offset ||
        token.span.end < offset)
      continue;
    context.word = token.span;
    preceding = k;
    break;
  }
  context.after_dot = preceding > 0 && around.tokens[preceding - 1].kind == TokenKind::kDot;
  context.call = open_call(text, around);
  std::set<std::string> names;
  for (const Token& token : around.tokens)
    if (token.kind == TokenKind::kName && token.span != context.word)
      names.insert(fold_case(text.substr(token.span.begin, token.span.end - token.span.begin)));
  context.names.assign(names.begin(), names.end());
  return context;
}

std::uint32_t end_of_code_before(std::string_view text, std::uint32_t offset) {
  Lexer lexer(text);
  std::uint32_t end = 0;
  for (Token token = lexer.next(); token.kind != TokenKind::kEnd && token.span.begin < offset; token = lexer.next())
    end = token.span.end;
  return end;
}

bool can_be_defined(std::string_view name) { return is_plain_name(name); }

std::vector<std::string> reserved_words() {
  std::vector<std::string> words;
  for (const Spelling& s : kSpellings)
    if (is_word(s.kind)) words.emplace_back(s.text);
  return words;
}

std::string suggested_name(std::string_view note) {
  if (!note.starts_with(kDidYouMean) || !note.ends_with('?')) return {};
  return std::string(note.substr(kDidYouMean.size(), note.size() - kDidYouMean.size() - 1));
}

}  // namespace nesl
