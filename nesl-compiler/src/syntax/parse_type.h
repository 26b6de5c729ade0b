#pragma once

#include "ast.h"
#include "token_stream.h"

namespace nesl {

/// Parses type { "," type | "->" type }; arrows bind tighter than commas.
TypeExprPtr parse_type(TokenStream& stream);
/// Parses a type that needs no parentheses behind []: a name, with its arguments, or a type in brackets.
TypeExprPtr parse_type_atom(TokenStream& stream);
/// Parses a type that ends before a comma, as those of parameters and fields do.
TypeExprPtr parse_type_of_part(TokenStream& stream);
bool begins_type(TokenKind kind);

/// Parses type [ "::" context ].
TypeDecl parse_type_decl(TokenStream& stream);
/// Parses [ "::" context ].
std::vector<ContextEntry> parse_optional_context(TokenStream& stream);

}  // namespace nesl
