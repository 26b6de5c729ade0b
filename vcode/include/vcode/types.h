#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"

namespace vcode {

/// The storage of one element of a vector. INT is kI32 or kI64 and FLOAT is kF64 or kF32, chosen at run time (Widths);
/// BOOL is one byte, 0 or 1, and BYTE one of any value.
enum class ElemType : std::uint8_t { kI32, kI64, kF32, kF64, kB8, kU8 };
inline constexpr int kElemTypes = 6;

/// Size of one element in bytes.
constexpr std::size_t elem_size(ElemType t) {
  // A switch: a table inside a constexpr function would be built on the stack at each call.
  switch (t) {
    case ElemType::kI32:
    case ElemType::kF32:
      return 4;
    case ElemType::kI64:
    case ElemType::kF64:
      return 8;
    case ElemType::kB8:
    case ElemType::kU8:
      return 1;
  }
  return 0;
}

/// "i32", "i64", "f32", "f64", "b8" or "u8".
constexpr std::string_view elem_name(ElemType t) {
  constexpr std::string_view kNames[] = {"i32", "i64", "f32", "f64", "b8", "u8"};
  return kNames[static_cast<int>(t)];
}

/// The C++ type that stores an ElemType.
template <ElemType>
struct StorageOf;
template <>
struct StorageOf<ElemType::kI32> {
  using type = std::int32_t;
};
template <>
struct StorageOf<ElemType::kI64> {
  using type = std::int64_t;
};
template <>
struct StorageOf<ElemType::kF32> {
  using type = float;
};
template <>
struct StorageOf<ElemType::kF64> {
  using type = double;
};
template <>
struct StorageOf<ElemType::kB8> {
  using type = bool;
};
template <>
struct StorageOf<ElemType::kU8> {
  using type = std::uint8_t;
};
template <ElemType E>
using Storage = typename StorageOf<E>::type;

/// The ElemType of elements stored as a C++ type.
template <class T>
inline constexpr ElemType kElemTypeOf = ElemType::kI32;
template <>
inline constexpr ElemType kElemTypeOf<std::int64_t> = ElemType::kI64;
template <>
inline constexpr ElemType kElemTypeOf<float> = ElemType::kF32;
template <>
inline constexpr ElemType kElemTypeOf<double> = ElemType::kF64;
template <>
inline constexpr ElemType kElemTypeOf<bool> = ElemType::kB8;
template <>
inline constexpr ElemType kElemTypeOf<std::uint8_t> = ElemType::kU8;

/// The kind of a value on the VCODE stack.
enum class Kind : std::uint8_t { kInt, kBool, kFloat, kByte, kSegdes, kPair };

/// "Int", "Bool", "Float", "Byte", "Segdes" or "Pair".
constexpr std::string_view kind_name(Kind k) {
  constexpr std::string_view kNames[] = {"Int", "Bool", "Float", "Byte", "Segdes", "Pair"};
  return kNames[static_cast<int>(k)];
}

/// The type word written after a mnemonic. CHAR is a notation of Ints, by their characters.
enum class Suffix : std::uint8_t { kNone, kInt, kBool, kFloat, kByte, kSegdes, kChar };
inline constexpr int kSuffixes = 7;

/// "INT", "BOOL", …; empty for kNone.
constexpr std::string_view suffix_name(Suffix s) {
  constexpr std::string_view kNames[] = {"", "INT", "BOOL", "FLOAT", "BYTE", "SEGDES", "CHAR"};
  return kNames[static_cast<int>(s)];
}

/// The kind of value that a suffix stands for (CHAR is Int; kNone counts as Int).
constexpr Kind suffix_kind(Suffix s) {
  switch (s) {
    case Suffix::kBool:
      return Kind::kBool;
    case Suffix::kFloat:
      return Kind::kFloat;
    case Suffix::kByte:
      return Kind::kByte;
    case Suffix::kSegdes:
      return Kind::kSegdes;
    case Suffix::kNone:
    case Suffix::kInt:
    case Suffix::kChar:
      break;
  }
  return Kind::kInt;
}

/// The suffix of a kind of value. Not for kPair.
constexpr Suffix suffix_of(Kind k) {
  VC_CHECK(k != Kind::kPair);
  constexpr Suffix kSuffixOf[] = {Suffix::kInt, Suffix::kBool, Suffix::kFloat, Suffix::kByte, Suffix::kSegdes};
  return kSuffixOf[static_cast<int>(k)];
}

/// The storage chosen for INT and FLOAT in one run.
struct Widths {
  ElemType int_type = ElemType::kI32;
  ElemType float_type = ElemType::kF64;

  /// Storage of the elements of an Int, Bool, Float or Byte vector.
  constexpr ElemType of(Kind k) const {
    switch (k) {
      case Kind::kInt:
        return int_type;
      case Kind::kFloat:
        return float_type;
      case Kind::kByte:
        return ElemType::kU8;
      default:
        return ElemType::kB8;
    }
  }
  friend constexpr bool operator==(Widths, Widths) = default;
};

}  // namespace vcode
