#include "vcode-interp/profile.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cvl/loader.h"
#include "interpreter_testing.h"
#include "io/progress.h"
#include "profile/shown_rows.h"
#include "vcode-interp/profile_report.h"

namespace interp {
namespace {

/// Records a step of an operation at a line.
void record(Profile& profile, const std::string& name, std::uint32_t line, double begin, double duration) {
  Profile::Rows rows{.instruction = &profile.instruction(name),
                     .function = &profile.function("f"),
                     .line = &profile.line("a.nesl", line),
                     .is_operation = true};
  profile.record(rows, *rows.line, {begin, duration, duration, 10, 80});
}

TEST(Profile, AddsTheStepsOfOtherThreads) {
  Profile run(true);
  run.begin_run(1, 1, nullptr);
  Profile other(run, 1, "pieces, thread 1");
  record(run, "+ INT", 3, 0, 1);
  record(other, "+ INT", 3, 0.5, 2);
  record(other, "* INT", 4, 3, 1);
  run.add(other);
  EXPECT_EQ(run.lines().at({"a.nesl", 3}).all.count, 2u);
  EXPECT_EQ(run.lines().at({"a.nesl", 3}).all.seconds, 3);
  EXPECT_EQ(run.lines().at({"a.nesl", 4}).all.bytes, 80u);
  EXPECT_EQ(run.instructions().at("+ INT").elements, 20u);
  EXPECT_EQ(run.functions().at("f").count, 0u);  // no call
  const auto trace = nlohmann::json::parse(chrome_trace(run));
  std::vector<std::string> found;
  for (const auto& event : trace.at("traceEvents"))
    if (event.at("ph") == "X")
      found.push_back(event.at("name").get<std::string>() + " " + std::to_string(event.at("tid").get<int>()) + " " +
                      event.at("args").at("line").get<std::string>());
  EXPECT_EQ(found, (std::vector<std::string>{"+ INT 0 a.nesl:3", "+ INT 1 a.nesl:3", "* INT 1 a.nesl:4"}));
}

TEST(Profile, OfTooManyEventsTheLongestAreKept) {
  Profile profile(true);
  constexpr int kSteps = 2'500'000;
  for (int k = 0; k < kSteps; ++k) record(profile, "+ INT", 1, k, k == 7 ? 100 : 1e-9 * (k % 1000));
  EXPECT_LE(profile.events().size(), 1'000'000u);
  EXPECT_EQ(profile.events().size() + profile.events_not_kept(), static_cast<std::size_t>(kSteps));
  EXPECT_TRUE(std::any_of(profile.events().begin(), profile.events().end(),
                          [](const Profile::Event& event) { return event.duration == 100; }));
  EXPECT_EQ(profile.lines().at({"a.nesl", 1}).all.count, static_cast<std::uint64_t>(kSteps));
}

/// Row of an instruction in the profile of a program.
ProfileRow row_of(const std::string& instruction, const std::string& text) {
  std::string error;
  const cvl::BackendPtr backend = cvl::load_backend("cpu", cvl::default_backend_directories(), {.threads = 1}, error);
  EXPECT_TRUE(backend) << error;
  Profile profile(false);
  RunOptions options;
  options.profile = &profile;
  EXPECT_EQ(testing::run_text("FUNC MAIN " + text + " RET", *backend, options).status, 0);
  return profile.instructions().at(instruction);
}

TEST(Profile, CountsWhatIsReadAndWritten) {
  const std::string million = "CONST INT 1 CONST INT 1000000 MAKE_SEGDES DIST INT ";
  const std::string update = "CONST INT 1 MAKE_SEGDES CONST INT 1000000 MAKE_SEGDES DPERMUTE INT";
  const ProfileRow in_place = row_of("DPERMUTE INT", "CONST INT 5 CONST INT 3 " + million + update);
  EXPECT_LE(in_place.elements, 1u);
  EXPECT_LT(in_place.bytes, 100u);
  const ProfileRow copied =
      row_of("DPERMUTE INT", million + "CONST INT 5 CONST INT 3 COPY 1 2 " + update + " CPOP 1 1 POP 1 0");
  EXPECT_EQ(copied.elements, 1'000'000u);
  EXPECT_GE(copied.bytes, 8'000'000u);
  const std::string sum = "CONST INT 1 MAKE_SEGDES CONST INT 1000000 MAKE_SEGDES +_PERMUTE INT";
  const ProfileRow added = row_of("+_PERMUTE INT", "CONST INT 5 CONST INT 3 " + million + sum);
  EXPECT_LE(added.elements, 1u);
  EXPECT_LT(added.bytes, 100u);
  EXPECT_EQ(row_of("+_PERMUTE INT", million + "CONST INT 5 CONST INT 3 COPY 1 2 " + sum + " CPOP 1 1 POP 1 0").elements,
            1'000'000u);
  const std::string append =
      "CONST INT 1 COPY 1 1 LENGTH INT COPY 1 0 MAKE_SEGDES CPOP 1 1 CONST INT 1 MAKE_SEGDES CPOP 1 1 CONST INT 1 + "
      "INT "
      "MAKE_SEGDES APPEND INT ";
  EXPECT_GE(row_of("APPEND INT", million + append).bytes, 8'000'000u);
  // The fourth of these APPENDs is in the memory of the third, which has got room.
  const ProfileRow appended = row_of("APPEND INT", million + append + append + append + append);
  EXPECT_LT(appended.elements, 3'000'100u);
  EXPECT_GE(appended.elements, 3'000'000u);
  EXPECT_LT(appended.bytes, 3 * row_of("APPEND INT", million + append).bytes + 1000);
  EXPECT_LT(row_of("LENGTHS", million + "MAKE_SEGDES LENGTHS").bytes, 100u);
  EXPECT_GE(row_of("+ INT", million + "COPY 1 0 + INT").bytes, 12'000'000u);
}

TEST(ProfileTable, ComparesWithTheBandwidthIfItIsKnown) {
  Profile profile(false);
  record(profile, "+ INT", 3, 0, 1e-8);  // 8 GB/s
  const ProfileContext context{16e9, [](const std::string&, std::uint32_t line) {
                                 return line == 3 ? "   x = äöü + <1>" + std::string(100, '!') : "";
                               }};
  const std::string table = profile_table(profile, context);
  EXPECT_NE(table.find(" 100.0     8.00    50%  x = äöü + <1>!!!"), std::string::npos) << table;
  EXPECT_NE(table.find("!…\n"), std::string::npos) << table;
  EXPECT_NE(table.find("share: of the 16.0 GB/s"), std::string::npos) << table;
  EXPECT_NE(profile_table(profile, {}).find("8.00      -\n"), std::string::npos) << profile_table(profile, {});
  const std::string page = profile_page(profile, context);
  EXPECT_NE(page.find("x = äöü + &lt;1&gt;!"), std::string::npos) << page;
  EXPECT_NE(page.find("<td>50%</td>"), std::string::npos) << page;
}

TEST(ProfileTable, RangesOfLines) {
  EXPECT_EQ(ranges_text({}), "");
  EXPECT_EQ(ranges_text({7}), "7");
  EXPECT_EQ(ranges_text({7, 8}), "7, 8");
  EXPECT_EQ(ranges_text({1, 7, 8, 9, 12, 14, 15}), "1, 7 to 9, 12, 14, 15");
}

TEST(Progress, TellsAsMuchAsIsKnown) {
  EXPECT_EQ(progress_text({"quicksort", 17, 0, 1'200'000, 340'000'000}, 8),
            "quicksort: level 17, 1.2M elements, 340 MB, 8 s");
  EXPECT_EQ(progress_text({}, 2.01), "2 s");
  EXPECT_EQ(progress_text({"loop", 1, 175'463'167}, 3), "loop: round 175M, 3 s");
  EXPECT_EQ(progress_text({"loop", 2, 3}, 3), "loop: level 2, round 3, 3 s");
  EXPECT_EQ(progress_text({"f", 1}, 3), "f: level 1, 3 s");
  EXPECT_EQ(progress_text({"f", 0, 0, 1, 999}, 119.99), "f: 999 B, 2 min 0 s");
  EXPECT_EQ(progress_text({"f", 0, 0, 999, 999'600}, 125), "f: 999 elements, 1.0 MB, 2 min 5 s");
  EXPECT_EQ(progress_text({"f", 0, 0, 12'345'678'901, 9'940'000'000}, 7260), "f: 12G elements, 9.9 GB, 2 h 1 min");
}

}  // namespace
}  // namespace interp
