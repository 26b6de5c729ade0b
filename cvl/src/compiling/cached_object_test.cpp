#include "cached_object.h"

#include <gtest/gtest.h>

namespace cvl {
namespace {

const std::string kKey = "version\ndefine i1 @f()", kObject = std::string("\x7F\x45LF\0\1", 6);

TEST(CachedObject, DecodingReturnsTheEncodedObject) {
  EXPECT_EQ(decode_cached_object(encode_cached_object(kKey, kObject), kKey), kObject);
  EXPECT_EQ(decode_cached_object(encode_cached_object("", ""), ""), "");
}

TEST(CachedObject, ObjectsOfOtherKeysAreRejected) {
  const std::string content = encode_cached_object(kKey, kObject);
  EXPECT_FALSE(decode_cached_object(content, kKey + " "));
  EXPECT_FALSE(decode_cached_object(content, kKey.substr(1)));
  EXPECT_FALSE(decode_cached_object(content, ""));
}

TEST(CachedObject, TruncatedOrExtendedFilesAreRejected) {
  const std::string content = encode_cached_object(kKey, kObject);
  for (std::size_t size = 0; size < content.size(); ++size)
    EXPECT_FALSE(decode_cached_object(content.substr(0, size), kKey)) << size;
  EXPECT_FALSE(decode_cached_object(content + '\0', kKey));
}

/// The bytes include those of the magic number and of the version.
TEST(CachedObject, AChangeOfAnyByteIsDetected) {
  const std::string content = encode_cached_object(kKey, kObject);
  for (std::size_t at = 0; at < content.size(); ++at) {
    for (const int change : {1, 0x80, 0xFF}) {
      std::string changed = content;
      changed[at] = static_cast<char>(changed[at] ^ change);
      EXPECT_FALSE(decode_cached_object(changed, kKey)) << at;
    }
  }
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
