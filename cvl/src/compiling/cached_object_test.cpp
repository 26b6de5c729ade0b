#include "cached_object.h"

#include <gtest/gtest.h>

namespace cvl {
namespace {

const std::string kKey = "version\ndefine i1 @f()", kObject = std::string("\x7F\x45LF\0\1", 6);

/// Why content is rejected; empty if it is accepted.
std::string problem(const std::string& content) { return std::string(decode_cached_object(content).problem); }

TEST(CachedObject, DecodingReturnsTheEncodedObjectWithItsKey) {
  for (const auto& [key, object] : {std::pair(kKey, kObject), std::pair(std::string(), std::string())}) {
    const std::string content = encode_cached_object(key, object);
    const CachedObject decoded = decode_cached_object(content);
    EXPECT_EQ(decoded.problem, "");
    EXPECT_EQ(decoded.key, key);
    EXPECT_EQ(decoded.object, object);
  }
}

TEST(CachedObject, TruncatedOrExtendedFilesAreRejected) {
  const std::string content = encode_cached_object(kKey, kObject);
  for (std::size_t size = 0; size < content.size(); ++size)
    EXPECT_EQ(problem(content.substr(0, size)), "it is cut off") << size;
  EXPECT_EQ(problem(content + '\0'), "it is damaged");
}

/// The bytes include those of the magic number, of the version and of lengths.
TEST(CachedObject, AChangeOfAnyByteIsDetected) {
  const std::string content = encode_cached_object(kKey, kObject);
  for (std::size_t at = 0; at < content.size(); ++at) {
    for (const int change : {1, 0x80, 0xFF}) {
      std::string changed = content;
      changed[at] = static_cast<char>(changed[at] ^ change);
      EXPECT_NE(problem(changed), "") << at;
    }
  }
  std::string changed = content;
  changed.back() ^= 1;
  EXPECT_EQ(problem(changed), "it is damaged");
  changed = content;
  changed[16] ^= 1;  // behind magic number and checksum
  EXPECT_EQ(problem(changed), "it is of another version");
}

TEST(CachedObject, NamesIdentifyFilesOfTheCache) {
  const std::string name = cached_object_name(kKey), unfinished = name + ".a1B2c3";
  EXPECT_EQ(name, cached_object_name(kKey));
  EXPECT_NE(name, cached_object_name(kKey + " "));
  EXPECT_EQ(kind_of_cached_file(name), CachedFile::kObject);
  EXPECT_EQ(kind_of_cached_file(unfinished), CachedFile::kUnfinished);
  for (const std::string& foreign :
       {std::string(), std::string("."), std::string("notes"), name + "~", name + ".a1B2c", unfinished + "4",
        name.substr(1), "0" + name, "g" + name.substr(1), name.substr(0, name.size() - 1), name + "xa1B2c3"})
    EXPECT_EQ(kind_of_cached_file(foreign), CachedFile::kForeign) << foreign;
}

}  // namespace
}  // namespace cvl
