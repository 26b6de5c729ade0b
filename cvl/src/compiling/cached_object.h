#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cvl {

// Files of the cache of compiled kernels: each has an object file and its key, a text.

/// The file name for this key, the same in every process. Different keys may have the same name.
std::string cached_object_name(std::string_view key);

enum class CachedFile {
  kForeign,    ///< no file of the cache
  kObject,     ///< cached_object_name() of some key
  kUnfinished  ///< such a name with kUnfinishedSuffix: being written, or left by a killed process
};
/// The suffix as a template for mkstemp.
inline constexpr std::string_view kUnfinishedSuffix = ".XXXXXX";
CachedFile kind_of_cached_file(std::string_view name);

/// The content of the file for a key and an object.
std::string encode_cached_object(std::string_view key, std::string_view object);
/// The object; nothing unless the content is, byte for byte, encode_cached_object() of that object and this key.
std::optional<std::string> decode_cached_object(std::string_view content, std::string_view key);

}  // namespace cvl
