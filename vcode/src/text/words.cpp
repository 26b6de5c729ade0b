#include "words.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/check.h"
#include "vcode/reader.h"

namespace vcode {
namespace {

struct StatementWord {
  Statement statement;
  std::string_view text;
};
constexpr StatementWord kStatements[] = {
    {Statement::kConst, "CONST"}, {Statement::kCopy, "COPY"},   {Statement::kPop, "POP"},
    {Statement::kCpop, "CPOP"},   {Statement::kPair, "PAIR"},   {Statement::kUnpair, "UNPAIR"},
    {Statement::kCall, "CALL"},   {Statement::kIf, "IF"},       {Statement::kElse, "ELSE"},
    {Statement::kEndif, "ENDIF"}, {Statement::kFused, "FUSED"},
};

struct StreamWord {
  Stream stream;
  std::string_view text;
};
constexpr StreamWord kStreams[] = {
    {Stream::kNull, "NULL_STREAM"},
    {Stream::kStdin, "STDIN"},
    {Stream::kStdout, "STDOUT"},
    {Stream::kStderr, "STDERR"},
};

/// The word for each PieceOperand::How.
constexpr std::string_view kPieceOperandWords[] = {"SHARED", "EACH", "WHOLE"};

using WordMap = std::unordered_map<std::string_view, Word>;

WordMap reserved_words() {
  WordMap map;
  for (const OpInfo& row : all_ops()) map[row.text] = {.word_class = WordClass::kOp, .op = row.op};
  for (auto [statement, text] : kStatements) map[text] = {.word_class = WordClass::kStatement, .statement = statement};
  for (int s = 1; s < kSuffixes; ++s) {
    auto type = static_cast<Suffix>(s);
    map[suffix_name(type)] = {.word_class = WordClass::kType, .type = type};
  }
  for (auto [stream, text] : kStreams)
    map[text] = {.word_class = WordClass::kStream, .value = static_cast<int>(stream)};
  map["T"] = {.word_class = WordClass::kBool, .value = 1};
  map["F"] = {.word_class = WordClass::kBool, .value = 0};
  map["FUNC"] = {.word_class = WordClass::kFunc};
  map["RET"] = {.word_class = WordClass::kRet};
  map["MAIN"] = {.word_class = WordClass::kMain};
  map["I"] = {.word_class = WordClass::kInputs};
  map["O"] = {.word_class = WordClass::kOutputs};
  return map;
}

}  // namespace

Word find_word(std::string_view text) {
  static const auto& kWords = *new WordMap(reserved_words());
  auto it = kWords.find(text);
  return it == kWords.end() ? Word{} : it->second;
}

bool can_name_function(std::string_view word) {
  const WordClass word_class = find_word(word).word_class;
  return word_class == WordClass::kLabel || word_class == WordClass::kMain;
}

std::string_view statement_word(Statement statement) {
  for (auto [s, text] : kStatements)
    if (s == statement) return text;
  VC_CHECK(statement != Statement::kOp);
  return {};
}

std::string_view stream_word(Stream stream) {
  for (auto [s, text] : kStreams)
    if (s == stream) return text;
  return {};
}

std::string_view piece_operand_word(PieceOperand::How how) { return kPieceOperandWords[static_cast<std::size_t>(how)]; }

std::optional<PieceOperand::How> find_piece_operand(std::string_view text) {
  const auto* const found = std::find(std::begin(kPieceOperandWords), std::end(kPieceOperandWords), text);
  if (found == std::end(kPieceOperandWords)) return std::nullopt;
  return static_cast<PieceOperand::How>(found - std::begin(kPieceOperandWords));
}

std::span<const std::string_view> instruction_words() {
  static const auto& kWords = *[] {
    auto* words = new std::vector<std::string_view>{"FUNC", "RET"};
    for (const OpInfo& row : all_ops()) words->push_back(row.text);
    for (const StatementWord& s : kStatements) words->push_back(s.text);
    return words;
  }();
  return kWords;
}

std::string suffix_list(const OpInfo& op) {
  std::vector<std::string_view> names;
  if (op.takes(Suffix::kNone)) names.push_back("no type");
  for (int s = 1; s < kSuffixes; ++s)
    if (op.takes(static_cast<Suffix>(s))) names.push_back(suffix_name(static_cast<Suffix>(s)));
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += i + 1 == names.size() ? " or " : ", ";
    out += names[i];
  }
  return out;
}

}  // namespace vcode
