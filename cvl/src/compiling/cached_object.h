#pragma once

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

/// The parts of a file's content.
struct CachedObject {
  std::string_view key, object;
  std::string_view problem;  ///< why there are none, as "it is cut off"; empty if there are
};
/// The key and the object of which the content is, byte for byte, encode_cached_object().
CachedObject decode_cached_object(std::string_view content);

}  // namespace cvl
