#include "base/markup.h"

#include <gtest/gtest.h>

namespace base {
namespace {

TEST(Markup, EscapesWhatHasAMeaning) {
  EXPECT_EQ(markup("a < b & \"c\" > d\n\tü…"), "a &lt; b &amp; &quot;c&quot; &gt; d\n\tü…");
  EXPECT_EQ(markup(std::string_view("\0\x1b\x7f\xff\xc3", 5)), "?????");
}

}  // namespace
}  // namespace base
