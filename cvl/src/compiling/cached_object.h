#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cvl {

// A file of the cache of compiled kernels: an object file with the key it is kept under, a text.

/// The name of the file for this key, the same in every process. Different keys may have the same.
std::string cached_object_name(std::string_view key);

enum class CachedFile {
  kForeign,    ///< has nothing to do with the cache
  kObject,     ///< cached_object_name of some key
  kUnfinished  ///< kUnfinishedSuffix after such a name: is being written, or was when its process was killed
};
/// What mkstemp fills in.
inline constexpr std::string_view kUnfinishedSuffix = ".XXXXXX";
CachedFile kind_of_cached_file(std::string_view name);

/// What the file has in it.
std::string encode_cached_object(std::string_view key, std::string_view object);
/// The object; nothing unless the content is, byte for byte, what encode_cached_object made of it and this key.
std::optional<std::string> decode_cached_object(std::string_view content, std::string_view key);

}  // namespace cvl
