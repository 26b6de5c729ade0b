#include "comments.h"

#include <algorithm>

#include "base/check.h"
#include "syntax/nesl_lexer.h"

namespace nesl {

std::vector<base::Span> comments_between(std::string_view text, base::Span part) {
  std::vector<base::Span> comments;
  for (std::size_t at = part.begin; (at = text.find('%', at)) < part.end;) {
    const std::size_t end = text.find('%', at + 1);
    VC_CHECK(end < part.end);
    comments.push_back({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end + 1)});
    at = end + 1;
  }
  return comments;
}

std::vector<base::Span> comments_of(std::string_view text) {
  std::vector<base::Span> comments;
  Lexer lexer(text);
  std::uint32_t at = 0;
  for (Token token; at < text.size(); at = token.span.end) {
    token = lexer.next();
    const std::vector<base::Span> found = comments_between(text, {at, token.span.begin});
    comments.insert(comments.end(), found.begin(), found.end());
    if (token.kind == TokenKind::kEnd) break;
  }
  return comments;
}

}  // namespace nesl
