#pragma once

#include "ast.h"
#include "token_stream.h"

namespace nesl {

/// type { "," type | "->" type }: arrows bind tighter than commas.
TypeExprPtr parse_type(TokenStream& stream);
/// A type that needs no parentheses after []: a name, with its arguments, or a type in brackets.
TypeExprPtr parse_type_atom(TokenStream& stream);
/// A type that ends before a comma, as those of a parameter and a field do.
TypeExprPtr parse_type_of_part(TokenStream& stream);
bool begins_type(TokenKind kind);

/// type [ "::" context ]
TypeDecl parse_type_decl(TokenStream& stream);
/// [ "::" context ]
std::vector<ContextEntry> parse_optional_context(TokenStream& stream);

}  // namespace nesl
