#include "vcode/reader.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <unordered_map>

#include <fmt/format.h>

#include "lexer.h"
#include "limited_errors.h"
#include "site_comment.h"
#include "suggestion.h"
#include "words.h"

namespace vcode {
namespace {

/// A piece of the text as a message shows it: on one line and not too long.
std::string quoted(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::string shown(text.substr(0, kLongest));
  for (char& c : shown)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  return text.size() <= kLongest ? shown : shown + "...";
}

std::optional<std::int64_t> to_int(std::string_view text) {
  if (text.front() == '+') text.remove_prefix(1);
  std::int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  return value;
}

/// Exact; nothing for what is too large. What is too small becomes a zero or a denormal.
std::optional<double> to_float(std::string_view text) {
  if (text.front() == '+') text.remove_prefix(1);
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) value = std::strtod(std::string(text).c_str(), nullptr);
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

/// One reading of one text: the grammar needs one token of look-ahead. Errors inside a statement skip to
/// where the next one can begin.
class Reader {
 public:
  Reader(const Source& source, Diagnostics& diagnostics)
      : source_(source), diagnostics_(diagnostics), errors_(diagnostics), lexer_(source.text()) {}

  std::optional<Program> read() {
    if (source_.text().size() >= UINT32_MAX) {
      error({}, "the text is larger than 4 GiB");
      return std::nullopt;
    }
    advance();
    read_preamble();
    while (!stopped() && token_.kind != TokenKind::kEnd) {
      if (word_.word_class == WordClass::kFunc)
        read_function();
      else
        reject_text_outside();
    }
    if (program_.functions.empty() && !errors_.any()) error(token_.span, "the file defines no function");
    resolve_calls();
    if (errors_.any()) return std::nullopt;
    return std::move(program_);
  }

 private:
  struct OpenIf {
    std::size_t index;  ///< of the IF in the body
    std::size_t last;   ///< of the IF or the ELSE
    bool has_else = false;
  };
  struct Call {
    std::size_t instruction;
    Span name;
  };
  struct Definition {
    std::size_t index;
    Span first;
  };

  // --- tokens ------------------------------------------------------------------------------------------

  /// Moves on, reporting what is no token. After an unterminated comment or string nothing is left.
  void advance() {
    last_ = token_;
    for (;;) {
      token_ = lexer_.next();
      word_ = {};
      switch (token_.kind) {
        case TokenKind::kStray:
          report_stray();
          continue;
        case TokenKind::kUnterminatedComment:
          cut_off_ = true;
          error({token_.span.begin, token_.span.begin + 1}, "this comment has no closing }");
          continue;
        case TokenKind::kUnterminatedString:
          cut_off_ = true;
          error({token_.span.begin, token_.span.begin + 1}, "this string has no closing quote");
          continue;
        case TokenKind::kWord:
          word_ = find_word(text());
          return;
        default:
          return;
      }
    }
  }

  void report_stray() {
    char c = text().front();
    if (c == '}')
      error(token_.span, "unexpected }; a comment ends at the first }");
    else if (c > ' ' && c <= '~')
      error(token_.span, fmt::format("unexpected character {}", c));
    else
      error(token_.span, fmt::format("unexpected byte 0x{:02X}", static_cast<unsigned char>(c)));
  }

  std::string_view text() const { return source_.text(token_.span); }
  bool is(WordClass word_class) const { return token_.kind == TokenKind::kWord && word_.word_class == word_class; }
  bool begins_statement() const {
    return is(WordClass::kOp) || is(WordClass::kStatement) || is(WordClass::kLabel) || ends_body();
  }
  bool ends_body() const { return is(WordClass::kRet) || is(WordClass::kFunc) || token_.kind == TokenKind::kEnd; }
  /// What stands here, for a message.
  std::string found() const { return token_.kind == TokenKind::kEnd ? "the end of the file" : quoted(text()); }
  bool stopped() const { return errors_.exhausted(); }

  /// Behind an unterminated comment or string everything is missing; that is not worth another error.
  void error(Span span, std::string message, std::vector<Diagnostic::Note> notes = {}) {
    if (cut_off_ && token_.kind == TokenKind::kEnd) return;
    errors_.add(span, std::move(message), std::move(notes));
  }
  /// Where to point at for what was expected here: at the end of the file, the last token.
  Span here() const {
    return token_.kind == TokenKind::kEnd && last_.kind != TokenKind::kEnd ? last_.span : token_.span;
  }
  /// The rest of a faulty statement.
  void skip_operands() {
    while (!stopped() && !begins_statement()) advance();
  }
  Span span_from(std::uint32_t begin) const { return {begin, last_.span.end}; }

  // --- the file ----------------------------------------------------------------------------------------

  bool is_label(std::string_view label) const { return is(WordClass::kLabel) && text() == label; }

  void read_preamble() {
    if (is_label("FCODE")) {
      Span fcode = token_.span;
      advance();
      if (std::optional<std::int64_t> version = read_count(fcode, "FCODE needs a version number"))
        program_.fcode_version = version;
    }
    while (!stopped() && is_label("KERNEL")) read_kernel();
  }

  /// A kernel's body looks like a comment to the lexer, so its extent is found in the text.
  void read_kernel() {
    std::string_view all = source_.text();
    Span keyword = token_.span;
    Lexer header(all, keyword.end);
    Token number = header.next(), name = header.next();
    std::size_t open = all.find_first_of("{}", keyword.end), close = all.find('}', keyword.end);
    std::optional<std::int64_t> value;
    if (number.kind == TokenKind::kInteger) value = to_int(source_.text(number.span));
    bool has_body = close != all.npos && all[open] == '{' &&
                    source_.text({keyword.end, static_cast<std::uint32_t>(open)}).find("\nFUNC") == all.npos;
    if (!has_body) {
      error(keyword, "KERNEL needs a body in { }");
      do advance();
      while (!stopped() && !is(WordClass::kFunc) && token_.kind != TokenKind::kEnd);
      return;
    }
    if (!value || *value < 0 || name.kind != TokenKind::kWord || name.span.end > open) {
      error(keyword, "KERNEL needs a number and a name");
    } else {
      Span whole{keyword.begin, static_cast<std::uint32_t>(close + 1)};
      auto [it, is_new] = kernel_numbers_.try_emplace(*value, keyword);
      if (!is_new)
        error(keyword, fmt::format("KERNEL {} is defined twice", *value), {{it->second, "the first definition", true}});
      program_.kernels.push_back({*value, std::string(source_.text(whole)), whole});
    }
    lexer_.seek(static_cast<std::uint32_t>(close + 1));
    advance();
  }

  void reject_text_outside() {
    if (program_.functions.empty() && !is_after_function_)
      error(token_.span, fmt::format("a program begins with FUNC, not with {}", found()));
    else
      error(token_.span, fmt::format("only FUNC or the end of the file can follow RET, not {}", found()));
    while (!stopped() && !is(WordClass::kFunc) && token_.kind != TokenKind::kEnd) advance();
  }

  // --- functions ---------------------------------------------------------------------------------------

  void read_function() {
    is_after_function_ = true;
    std::uint32_t func = token_.span.begin;
    advance();
    Function function;
    function_ = &function;
    calls_in_function_.clear();
    bool named = read_function_name(function, func);
    if (is(WordClass::kInputs)) read_annotation(function);
    read_body();
    if (named && !stopped()) define(std::move(function));
  }

  bool read_function_name(Function& function, std::uint32_t func) {
    function.span = token_.span;
    if (is(WordClass::kLabel) || is(WordClass::kMain)) {
      function.name = text();
      advance();
      return true;
    }
    if (token_.kind == TokenKind::kWord && !is(WordClass::kFunc) && !is(WordClass::kRet)) {
      error(token_.span, fmt::format("{} is a reserved word and cannot name a function", text()));
      advance();
      return false;
    }
    function.span = {func, func + 4};
    error(token_.span, fmt::format("FUNC needs a name, not {}", found()));
    skip_operands();
    return false;
  }

  void read_annotation(Function& function) {
    Span at = token_.span;
    Annotation annotation;
    auto types = [&](std::vector<Suffix>& list) {
      for (advance(); is(WordClass::kType); advance()) list.push_back(word_.type);
    };
    types(annotation.inputs);
    if (!is(WordClass::kOutputs)) {
      error(at, fmt::format("the annotation I ... needs its O ... list, not {}", found()));
      skip_operands();
      return;
    }
    types(annotation.outputs);
    function.annotation = std::move(annotation);
  }

  /// Puts the function where a later definition of the same label replaces it.
  void define(Function function) {
    auto [it, is_new] = definitions_.try_emplace(function.name, Definition{program_.functions.size(), function.span});
    std::size_t index = it->second.index;
    if (is_new) {
      if (function.name == "MAIN") program_.entry = static_cast<std::uint32_t>(index);
      program_.functions.emplace_back();
      calls_.emplace_back();
    } else if (function.name == "MAIN") {
      error(function.span, "MAIN is defined twice", {{it->second.first, "the first definition", true}});
      return;
    } else {
      diagnostics_
          .warning(function.span,
                   fmt::format("{} is defined twice; this definition replaces the earlier one everywhere",
                               quoted(function.name)))
          .notes.push_back({it->second.first, "the earlier definition", true});
      it->second.first = function.span;
    }
    calls_[index] = std::move(calls_in_function_);
    program_.functions[index] = std::move(function);
  }

  void resolve_calls() {
    for (std::size_t f = 0; f < calls_.size(); ++f)
      for (const Call& call : calls_[f]) {
        if (stopped()) return;
        std::string_view name = source_.text(call.name);
        auto it = definitions_.find(std::string(name));
        if (it != definitions_.end()) {
          program_.functions[f].body[call.instruction].target = static_cast<std::uint32_t>(it->second.index);
          continue;
        }
        std::vector<std::string_view> names;
        for (const Function& function : program_.functions) names.push_back(function.name);
        error(call.name, fmt::format("there is no function {}{}", quoted(name), suggestion(name, names)));
      }
  }

  // --- statements --------------------------------------------------------------------------------------

  /// The statements of a function, its RET included.
  void read_body() {
    open_ifs_.clear();
    while (!stopped()) {
      if (is(WordClass::kRet)) {
        if (read_ret()) return;
      } else if (ends_body()) {
        for (const OpenIf& open : open_ifs_) error(function_->body[open.index].span, "this IF has no ENDIF");
        error(here(), fmt::format("RET expected, not {}", found()),
              {{function_->span, "the function begins here", true}});
        return;
      } else {
        read_statement();
      }
    }
  }

  /// True if it ends the function: inside an IF it does so only where no more statements follow.
  bool read_ret() {
    function_->ret_span = token_.span;
    advance();
    if (open_ifs_.empty()) return true;
    bool last = is(WordClass::kFunc) || token_.kind == TokenKind::kEnd;
    error(function_->ret_span,
          last ? "RET inside IF: an ENDIF is missing before it" : "RET inside IF: a function has one RET, at its end",
          {{function_->body[open_ifs_.back().index].span, "the IF begins here", true}});
    return last;
  }

  void read_statement() {
    Token begin = token_;
    Word word = word_;
    Instruction instruction;
    instruction.statement = word.statement;
    bool good = false;
    if (token_.kind != TokenKind::kWord) {
      error(token_.span, fmt::format("an instruction was expected, not {}", found()));
      advance();
    } else if (word.word_class == WordClass::kOp) {
      advance();
      good = read_suffix(begin, info(word.op), instruction);
    } else if (word.word_class == WordClass::kStatement) {
      advance();
      good = read_operands(begin, instruction);
    } else if (word.word_class == WordClass::kLabel) {
      error(token_.span,
            fmt::format("unknown instruction {}{}", quoted(text()), suggestion(text(), instruction_words())));
      advance();
    } else {
      error(token_.span, fmt::format("an instruction was expected, not {}", found()));
      advance();
    }
    if (!good) return skip_operands();
    instruction.span = span_from(begin.span.begin);
    instruction.site = read_site();
    function_->body.push_back(instruction);
  }

  /// The look-ahead has gone over the comment that may follow the statement; it is found in the text.
  std::uint32_t read_site() {
    std::string_view all = source_.text();
    std::size_t at = last_.span.end;
    while (at < all.size() && (all[at] == ' ' || all[at] == '\t')) ++at;
    if (at + 1 >= all.size() || all[at] != '{' || all[at + 1] != '@') return kNoSite;
    std::size_t close = all.find('}', at);
    if (close == all.npos) return kNoSite;
    std::optional<InstructionSite> site = parse_site(all.substr(at + 2, close - at - 2));
    if (!site) return kNoSite;
    program_.sites.push_back(std::move(*site));
    return static_cast<std::uint32_t>(program_.sites.size() - 1);
  }

  bool read_suffix(const Token& mnemonic, const OpInfo& op, Instruction& instruction) {
    instruction.statement = Statement::kOp;
    instruction.op = op.op;
    if (!is(WordClass::kType)) {
      if (op.takes(Suffix::kNone)) return true;
      error(mnemonic.span, fmt::format("{} needs a type: {}", op.text, suffix_list(op)));
      return false;
    }
    instruction.suffix = word_.type;
    Span whole{mnemonic.span.begin, token_.span.end};
    advance();
    if (op.takes(instruction.suffix)) return true;
    error(whole, fmt::format("{} {} does not exist: {} takes {}", op.text, suffix_name(instruction.suffix), op.text,
                             suffix_list(op)));
    return false;
  }

  bool read_operands(const Token& begin, Instruction& instruction) {
    switch (instruction.statement) {
      case Statement::kConst:
        return read_constant(begin, instruction);
      case Statement::kCopy:
      case Statement::kPop:
      case Statement::kCpop:
        return read_count_and_depth(begin, instruction);
      case Statement::kCall:
        return read_callee(begin);
      case Statement::kIf:
        open_ifs_.push_back({function_->body.size(), function_->body.size()});
        return true;
      case Statement::kElse:
        return read_else(begin);
      case Statement::kEndif:
        return read_endif(begin);
      case Statement::kFused: {
        std::optional<std::int64_t> number = read_count(begin.span, "FUSED needs the number of a kernel");
        instruction.count = number.value_or(0);
        return number.has_value();
      }
      default:
        return true;
    }
  }

  /// An integer that is not negative; otherwise reports `complaint` and what stands there instead.
  std::optional<std::int64_t> read_count(Span statement, std::string_view complaint) {
    if (token_.kind != TokenKind::kInteger) {
      error(begins_statement() ? statement : token_.span, fmt::format("{}, not {}", complaint, found()));
      return std::nullopt;
    }
    Span span = token_.span;
    std::optional<std::int64_t> value = to_int(text());
    std::string number(text());
    advance();
    if (!value || *value < 0) {
      error(span, value ? fmt::format("{}, which cannot be negative", complaint)
                        : fmt::format("{} does not fit in 64 bits", quoted(number)));
      return std::nullopt;
    }
    return value;
  }

  bool read_count_and_depth(const Token& begin, Instruction& instruction) {
    std::string_view name = source_.text(begin.span);
    std::optional<std::int64_t> count =
        read_count(begin.span, fmt::format("{} needs two integers, count and depth", name));
    if (!count) return false;
    std::optional<std::int64_t> depth =
        read_count(begin.span, fmt::format("{} needs two integers, count and depth", name));
    if (!depth) return false;
    instruction.count = *count;
    instruction.depth = *depth;
    return true;
  }

  bool read_callee(const Token& begin) {
    if (is(WordClass::kLabel) || is(WordClass::kMain)) {
      calls_in_function_.push_back({function_->body.size(), token_.span});
      advance();
      return true;
    }
    if (token_.kind == TokenKind::kWord &&
        source_.position(token_.span.begin).line == source_.position(begin.span.begin).line) {
      error(token_.span, fmt::format("{} is a reserved word and names no function", text()));
      advance();
    } else {
      error(begin.span, fmt::format("CALL needs the name of a function, not {}", found()));
    }
    return false;
  }

  bool read_else(const Token& begin) {
    if (open_ifs_.empty()) {
      error(begin.span, "ELSE without IF");
      return false;
    }
    OpenIf& open = open_ifs_.back();
    if (open.has_else) {
      error(begin.span, "this IF has an ELSE already", {{function_->body[open.last].span, "the first ELSE", true}});
      return false;
    }
    open.has_else = true;
    link(open);
    return true;
  }

  bool read_endif(const Token& begin) {
    if (open_ifs_.empty()) {
      error(begin.span, "ENDIF without IF");
      return false;
    }
    link(open_ifs_.back());
    open_ifs_.pop_back();
    return true;
  }

  /// Lets the IF or ELSE before know where its partner, the statement being read, will stand.
  void link(OpenIf& open) {
    function_->body[open.last].target = static_cast<std::uint32_t>(function_->body.size());
    open.last = function_->body.size();
  }

  // --- constants ---------------------------------------------------------------------------------------

  bool read_constant(const Token& begin, Instruction& instruction) {
    if (!is(WordClass::kType)) {
      error(begin.span, fmt::format("CONST needs a type (INT, BOOL, FLOAT, SEGDES or CHAR), not {}", found()));
      return false;
    }
    Constant constant;
    constant.type = word_.type;
    advance();
    bool good = constant.type == Suffix::kChar                            ? read_string(constant)
                : token_.kind == TokenKind::kOpen                         ? read_vector(constant)
                : constant.type == Suffix::kInt && is(WordClass::kStream) ? read_stream(constant)
                                                                          : read_element(constant);
    if (!good) return false;
    instruction.target = static_cast<std::uint32_t>(program_.constants.size());
    program_.constants.push_back(std::move(constant));
    return true;
  }

  bool read_string(Constant& constant) {
    if (token_.kind != TokenKind::kString) {
      error(here(), fmt::format("CONST CHAR needs a string in double quotes, not {}", found()));
      return false;
    }
    std::string_view inside = text().substr(1, text().size() - 2);
    constant.ints.reserve(inside.size());
    for (char c : inside) constant.ints.push_back(static_cast<signed char>(c));
    advance();
    return true;
  }

  bool read_stream(Constant& constant) {
    constant.stream = static_cast<Stream>(word_.value);
    constant.ints.push_back(word_.value);
    advance();
    return true;
  }

  bool read_vector(Constant& constant) {
    Span open = token_.span;
    constant.bracketed = true;
    for (advance(); token_.kind != TokenKind::kClose;) {
      if (token_.kind == TokenKind::kEnd || is(WordClass::kOp) || is(WordClass::kStatement) || is(WordClass::kRet) ||
          is(WordClass::kFunc)) {
        error(open, "this ( is not closed");
        return false;
      }
      if (stopped() || !read_element(constant)) return skip_vector();
    }
    advance();
    return true;
  }

  /// Behind the closing bracket, if there is one before the next statement.
  bool skip_vector() {
    while (!stopped() && token_.kind != TokenKind::kClose && !ends_body() && !is(WordClass::kOp) &&
           !is(WordClass::kStatement))
      advance();
    if (token_.kind == TokenKind::kClose) advance();
    return false;
  }

  bool read_element(Constant& constant) {
    switch (constant.type) {
      case Suffix::kFloat:
        return read_float(constant);
      case Suffix::kBool:
        if (!is(WordClass::kBool)) return reject_element("BOOL constants are T or F");
        constant.bools.push_back(static_cast<std::uint8_t>(word_.value));
        break;
      default:
        return read_int(constant);
    }
    advance();
    return true;
  }

  bool read_int(Constant& constant) {
    bool lengths = constant.type == Suffix::kSegdes;
    if (token_.kind == TokenKind::kReal) return reject_element("INT constants have no dot");
    if (is(WordClass::kStream) && constant.bracketed) return reject_element("a stream cannot stand in a vector");
    if (token_.kind != TokenKind::kInteger)
      return reject_element(lengths ? "segment lengths are integers" : "INT constants are integers");
    std::optional<std::int64_t> value = to_int(text());
    if (!value) {
      error(token_.span, fmt::format("{} does not fit in 64 bits", quoted(text())));
      return false;
    }
    if (lengths && *value < 0) return reject_element("a segment length cannot be negative");
    constant.ints.push_back(*value);
    advance();
    return true;
  }

  bool read_float(Constant& constant) {
    if (token_.kind == TokenKind::kInteger)
      return reject_element(fmt::format("FLOAT constants need a dot: write {}.0", quoted(text())));
    if (token_.kind != TokenKind::kReal)
      return reject_element("FLOAT constants are numbers with a digit before a dot, such as 0.5 or 1.0e-7");
    std::optional<double> value = to_float(text());
    if (!value) {
      error(token_.span, fmt::format("{} is too large for a FLOAT", quoted(text())));
      return false;
    }
    constant.floats.push_back(*value);
    advance();
    return true;
  }

  bool reject_element(std::string_view rule) {
    error(here(), fmt::format("{} cannot stand here: {}", found(), rule));
    if (!begins_statement() || is(WordClass::kLabel)) advance();
    return false;
  }

  const Source& source_;
  Diagnostics& diagnostics_;
  LimitedErrors errors_;
  Lexer lexer_;
  Token token_;
  Word word_;
  Token last_;  ///< before token_; kEnd at the beginning
  bool cut_off_ = false;
  bool is_after_function_ = false;

  Program program_;
  std::unordered_map<std::string, Definition> definitions_;
  std::unordered_map<std::int64_t, Span> kernel_numbers_;
  std::vector<std::vector<Call>> calls_;  ///< of each function

  Function* function_ = nullptr;  ///< being read
  std::vector<Call> calls_in_function_;
  std::vector<OpenIf> open_ifs_;
};

}  // namespace

std::optional<Program> parse_vcode(const Source& source, Diagnostics& diagnostics) {
  return Reader(source, diagnostics).read();
}

void scan_vcode(const Source& source, TokenObserver observer, void* context) {
  Lexer lexer(source.text());
  for (Token token = lexer.next(); token.kind != TokenKind::kEnd; token = lexer.next()) {
    std::string_view text = source.text(token.span);
    std::string_view name = token_kind_name(token.kind);
    if (token.kind == TokenKind::kWord) name = find_word(text).word_class == WordClass::kLabel ? "label" : "keyword";
    observer(context, name, text);
  }
}

}  // namespace vcode
