#pragma once

#include <cstddef>
#include <vector>

#include "text_piece.h"

namespace nesl {

/// Whether piece `at` ends an operand, so that an operator or an argument may follow.
bool ends_operand(const std::vector<Piece>& pieces, std::size_t at);
/// Whether piece `at` is an operator with two operands.
bool is_infix(const std::vector<Piece>& pieces, std::size_t at);
/// Whether a blank is in front of piece `at`, which is not the first one of its line. `in_range`: it is inside of
/// brackets, where a colon belongs to a range.
bool has_blank_before(const std::vector<Piece>& pieces, std::size_t at, bool in_range);

}  // namespace nesl
