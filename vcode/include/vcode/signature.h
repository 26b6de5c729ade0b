#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "vcode/types.h"

namespace vcode {

/// The type column of a signature (see ops.def).
enum class RoleType : std::uint8_t { kSuffix, kInt, kBool, kFloat, kByte, kSegdes, kVector, kAnything };

/// A length in a signature: 0 stands for the literal 1, other values for variables in order of appearance.
using LengthVar = std::uint8_t;
inline constexpr LengthVar kScalarLength = 0;
inline constexpr int kMaxLengthVars = 6;

/// One operand or result of an instruction.
struct Role {
  std::string_view name;
  RoleType type = RoleType::kAnything;
  bool checked = false;                ///< its elements can cause a fault
  LengthVar length = kScalarLength;    ///< number of elements of a vector or of a descriptor
  LengthVar segments = kScalarLength;  ///< number of segments of a descriptor
};

/// Operands and results of an instruction, deepest first.
struct Signature {
  static constexpr int kMaxRoles = 7;
  std::array<Role, kMaxRoles> operands{};
  std::array<Role, kMaxRoles> results{};
  int operand_count = 0;
  int result_count = 0;

  /// The kind of value of a role under a suffix. kVector and kAnything, which accept several kinds, count as the kind
  /// of the suffix.
  static constexpr Kind kind(const Role& role, Suffix suffix) {
    switch (role.type) {
      case RoleType::kInt:
        return Kind::kInt;
      case RoleType::kBool:
        return Kind::kBool;
      case RoleType::kFloat:
        return Kind::kFloat;
      case RoleType::kByte:
        return Kind::kByte;
      case RoleType::kSegdes:
        return Kind::kSegdes;
      case RoleType::kSuffix:
      case RoleType::kVector:
      case RoleType::kAnything:
        break;
    }
    return suffix_kind(suffix);
  }
};

/// Parses the signature column of ops.def; a malformed one does not compile.
consteval Signature parse_signature(std::string_view text) {
  Signature sig;
  std::array<std::string_view, kMaxLengthVars + 1> vars{"1"};
  int var_count = 1;
  bool after_arrow = false;
  std::size_t pos = 0;
  auto word = [&] {
    std::size_t start = pos;
    while (pos < text.size() &&
           ((text[pos] >= 'a' && text[pos] <= 'z') || (text[pos] >= '0' && text[pos] <= '9') || text[pos] == 'T'))
      ++pos;
    if (pos == start) throw "signature: word expected";
    return text.substr(start, pos - start);
  };
  auto eat = [&](char c) {
    bool there = pos < text.size() && text[pos] == c;
    pos += there;
    return there;
  };
  auto length = [&]() -> LengthVar {
    std::string_view name = word();
    for (int v = 0; v < var_count; ++v)
      if (vars[v] == name) return static_cast<LengthVar>(v);
    if (var_count > kMaxLengthVars) throw "signature: too many lengths";
    vars[var_count] = name;
    return static_cast<LengthVar>(var_count++);
  };
  while (pos < text.size()) {
    if (eat(' ')) continue;
    if (eat('-')) {
      if (!eat('>') || after_arrow) throw "signature: one -> expected";
      after_arrow = true;
      continue;
    }
    Role role;
    role.checked = eat('!');
    std::string_view type = word();
    if (eat(':')) {
      role.name = type;
      type = word();
    }
    role.type = type == "T"       ? RoleType::kSuffix
                : type == "int"   ? RoleType::kInt
                : type == "bool"  ? RoleType::kBool
                : type == "float" ? RoleType::kFloat
                : type == "byte"  ? RoleType::kByte
                : type == "seg"   ? RoleType::kSegdes
                : type == "vec"   ? RoleType::kVector
                : type == "any"   ? RoleType::kAnything
                                  : throw "signature: unknown type";
    if (role.type != RoleType::kAnything) {
      if (!eat('(')) throw "signature: ( expected";
      role.length = length();
      if (role.type == RoleType::kSegdes) {
        role.segments = role.length;
        if (!eat(',')) throw "signature: , expected";
        role.length = length();
      }
      if (!eat(')')) throw "signature: ) expected";
    }
    if (after_arrow)
      sig.results[sig.result_count++] = role;
    else
      sig.operands[sig.operand_count++] = role;
  }
  if (!after_arrow) throw "signature: -> expected";
  return sig;
}

}  // namespace vcode
