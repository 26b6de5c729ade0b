#include "cached_object.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>

namespace cvl {
namespace {

/// The start of a file, followed by the key and the object.
struct Header {
  std::array<char, 8> magic = {'N', 'E', 'S', 'L', 'k', 'e', 'r', 'n'};
  std::uint64_t checksum = 0;  ///< of all bytes after it
  std::uint64_t version = 1;   ///< version of this layout
  std::uint64_t key_bytes = 0;
  std::uint64_t object_bytes = 0;
};
constexpr std::size_t kChecked = offsetof(Header, version);

/// FNV-1a (Fowler, Noll, Vo). A change of a single byte always changes it.
std::uint64_t hash(std::string_view bytes) {
  std::uint64_t value = 0xCBF29CE484222325u;
  for (const char byte : bytes) value = (value ^ static_cast<unsigned char>(byte)) * 0x100000001B3u;
  return value;
}

constexpr std::string_view kHexDigits = "0123456789abcdef", kExtension = ".kernel";

}  // namespace

std::string cached_object_name(std::string_view key) { return fmt::format("{:016x}{}", hash(key), kExtension); }

CachedFile kind_of_cached_file(std::string_view name) {
  constexpr std::size_t kDigits = 16, kObjectLength = kDigits + kExtension.size();
  if (name.substr(0, kDigits).find_first_not_of(kHexDigits) != name.npos || name.size() < kObjectLength ||
      name.substr(kDigits, kExtension.size()) != kExtension)
    return CachedFile::kForeign;
  if (name.size() == kObjectLength) return CachedFile::kObject;
  const bool is_unfinished =
      name.size() == kObjectLength + kUnfinishedSuffix.size() && name[kObjectLength] == kUnfinishedSuffix[0];
  return is_unfinished ? CachedFile::kUnfinished : CachedFile::kForeign;
}

std::string encode_cached_object(std::string_view key, std::string_view object) {
  Header header;
  header.key_bytes = key.size();
  header.object_bytes = object.size();
  std::string content(sizeof header, '\0');
  std::memcpy(content.data(), &header, sizeof header);
  content += key;
  content += object;
  header.checksum = hash(std::string_view(content).substr(kChecked));
  std::memcpy(content.data(), &header, sizeof header);
  return content;
}

CachedObject decode_cached_object(std::string_view content) {
  constexpr std::string_view kDamaged = "it is damaged", kCut = "it is cut off";
  const Header expected;
  Header header;
  const auto problem = [](std::string_view text) { return CachedObject{{}, {}, text}; };
  if (content.size() < sizeof header) return problem(kCut);
  std::memcpy(&header, content.data(), sizeof header);
  if (header.magic != expected.magic) return problem(kDamaged);
  if (header.version != expected.version) return problem("it is of another version");
  const std::string_view rest = content.substr(sizeof header);
  if (header.key_bytes > rest.size() || header.object_bytes > rest.size() - header.key_bytes) return problem(kCut);
  if (header.key_bytes + header.object_bytes != rest.size() || header.checksum != hash(content.substr(kChecked)))
    return problem(kDamaged);
  return {rest.substr(0, header.key_bytes), rest.substr(header.key_bytes), {}};
}

}  // namespace cvl
