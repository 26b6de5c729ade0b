#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "vcode/program.h"

namespace vcode {

/// The role of a word in the grammar. Every word that is not reserved is a label.
enum class WordClass : std::uint8_t {
  kLabel,
  kOp,         ///< op
  kStatement,  ///< statement
  kType,       ///< type
  kBool,       ///< value: 0 or 1
  kStream,     ///< value: a Stream
  kFunc,
  kRet,
  kMain,
  kInputs,   ///< I
  kOutputs,  ///< O
};

struct Word {
  WordClass word_class = WordClass::kLabel;
  Op op = Op::kExit;
  Statement statement = Statement::kOp;
  Suffix type = Suffix::kNone;
  int value = 0;
};

/// The meaning of a word of a VCODE text.
Word find_word(std::string_view text);

/// The word a statement begins with. Not for kOp.
std::string_view statement_word(Statement statement);

std::string_view stream_word(Stream stream);

/// The word that begins the part of an operand, behind PIECES.
std::string_view piece_operand_word(PieceOperand::How how);
/// The kind of part that this word begins, if there is one.
std::optional<PieceOperand::How> find_piece_operand(std::string_view text);

/// Every word that may begin a statement.
std::span<const std::string_view> instruction_words();

/// The permitted suffixes of an operation, in words: "INT or FLOAT", "no type".
std::string suffix_list(const OpInfo& op);

}  // namespace vcode
