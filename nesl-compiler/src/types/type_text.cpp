#include <unordered_map>

#include <fmt/format.h>

#include "base/check.h"
#include "definition.h"
#include "nesl_types.h"

namespace nesl {

namespace {

constexpr std::size_t kPartsInMessages = 100;

class Printer {
 public:
  /// Prints parts beyond `limit` as "...".
  Printer(std::string& out, std::size_t limit) : out_(out), limit_(limit) {}

  /// Prints an element of a tuple, or a tuple without its parentheses.
  void open(Type* type) {
    for (type = resolve(type); type->kind == Type::Kind::kPair && limit_ > 0; type = resolve(type->arguments[1])) {
      closed(type->arguments[0]);
      out_ += ", ";
    }
    if (limit_ > 0)
      closed(type);
    else
      out_ += "...";
  }

  /// Prints a type with parentheses around a tuple and, on the left of an arrow, around an arrow.
  void closed(Type* type, bool left_of_arrow = false) {
    type = resolve(type);
    if (limit_ == 0) {
      out_ += "...";
      return;
    }
    --limit_;
    switch (type->kind) {
      case Type::Kind::kInt:
        out_ += "int";
        break;
      case Type::Kind::kFloat:
        out_ += "float";
        break;
      case Type::Kind::kBool:
        out_ += "bool";
        break;
      case Type::Kind::kChar:
        out_ += "char";
        break;
      case Type::Kind::kVariable:
        out_ += type->type_class == TypeClass::kLiteral ? "int" : name(type);
        break;
      case Type::Kind::kSequence:
        out_ += '[';
        closed(type->arguments[0]);
        out_ += ']';
        break;
      case Type::Kind::kPair:
        out_ += '(';
        open(type);
        out_ += ')';
        break;
      case Type::Kind::kFunction:
        if (left_of_arrow) out_ += '(';
        closed(type->arguments[0], true);
        out_ += " -> ";
        closed(type->arguments[1]);
        if (left_of_arrow) out_ += ')';
        break;
      case Type::Kind::kData:
        out_ += type->datatype->name;
        for (std::size_t i = 0; i < type->arguments.size(); ++i) {
          out_ += i == 0 ? "(" : ", ";
          closed(type->arguments[i]);
        }
        if (!type->arguments.empty()) out_ += ')';
        break;
    }
  }

  /// Prints the context of the variables from number `first` on.
  void context(std::size_t first, bool show_any) {
    const char* separator = " :: (";
    for (std::size_t i = first; i < variables_.size(); ++i) {
      if (!show_any && variables_[i]->type_class == TypeClass::kAny) continue;
      out_ += fmt::format("{}{} in {}", separator, name(variables_[i]), to_text(variables_[i]->type_class));
      separator = "; ";
    }
    if (separator[0] == ';') out_ += ')';
  }

  void set_limit(std::size_t limit) { limit_ = limit; }
  std::size_t variables() const { return variables_.size(); }

 private:
  std::string name(Type* variable) {
    auto [at, added] = numbers_.try_emplace(variable, variables_.size());
    if (added) variables_.push_back(variable);
    std::string letter(1, static_cast<char>('a' + at->second % 26));
    return at->second < 26 ? letter : letter + std::to_string(at->second / 26);
  }

  std::string& out_;
  std::size_t limit_;
  std::unordered_map<Type*, std::size_t> numbers_;
  std::vector<Type*> variables_;
};

}  // namespace

std::string to_text(Type* type) {
  std::string out;
  Printer printer(out, kMaxTypeSize);
  printer.open(type);
  printer.context(0, true);
  return out;
}

std::string to_text(const Scheme& scheme) { return to_text(scheme.type); }

std::vector<std::string> to_texts(const std::vector<Type*>& types) {
  std::vector<std::string> texts;
  std::string out;
  Printer printer(out, 0);
  for (Type* type : types) {
    printer.set_limit(kPartsInMessages);
    std::size_t known = printer.variables();
    printer.closed(type);
    printer.context(known, false);
    texts.push_back(std::move(out));
    out.clear();
  }
  return texts;
}

const char* to_text(TypeClass type_class) {
  switch (type_class) {
    case TypeClass::kAny:
      return "any";
    case TypeClass::kScalar:
      return "scalar";
    case TypeClass::kOrdinal:
      return "ordinal";
    case TypeClass::kNumber:
      return "number";
    case TypeClass::kLogical:
      return "logical";
    case TypeClass::kLiteral:
      return "int";
  }
  VC_CHECK(false);
  return "";
}

}  // namespace nesl
