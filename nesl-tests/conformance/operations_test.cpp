#include <gtest/gtest.h>

#include "configuration.h"
#include "oracle.h"
#include "subjects.h"

// Every row of the operation table that a backend computes, in every type, compared with the oracle.

namespace cvl::conformance {
namespace {

class Operations : public testing::TestWithParam<Subject> {
 protected:
  /// Hands calls to `check` until one fails.
  template <class Check>
  static CallSink until_failure(Check check) {
    return [check](const Call& call) {
      if (testing::Test::HasFailure() || !configuration().suits(call)) return;
      if (call.agreement.kind != Agreement::Kind::kBound || !configuration().groups_by_segments()) return check(call);
      Call exact = call;
      exact.agreement = {Agreement::Kind::kValue};
      check(exact);
    };
  }
  static Rng rng() { return configuration().rng(GetParam().name); }
};

std::string name_of(const testing::TestParamInfo<Subject>& info) { return info.param.name; }

TEST_P(Operations, AgreesWithTheOracle) {
  auto subject = configuration().create(configuration().options);
  auto oracle = make_oracle({});
  Rng random = rng();
  GetParam().calls(configuration().sizes(Sizes::all()), random,
                   until_failure([&](const Call& call) { expect_same_as_oracle(*subject, *oracle, call); }));
  EXPECT_EQ(subject->memory_use().live, 0u);
}

TEST_P(Operations, DoesNotDependOnThreads) {
  BackendOptions one = configuration().options, other = configuration().options;
  one.threads = 1;
  other.threads = configuration().options.threads == 1 ? 2 : configuration().options.threads;
  auto a = configuration().create(one), b = configuration().create(other);
  Rng random = rng();
  GetParam().calls(configuration().sizes(Sizes::parallel()), random,
                   until_failure([&](const Call& call) { expect_same_bits(*a, *b, call); }));
}

INSTANTIATE_TEST_SUITE_P(Table, Operations, testing::ValuesIn(all_subjects()), name_of);

/// Scans so long that a library which sums tiles in groups, and groups in groups, needs all levels.
class LongScans : public Operations {};

TEST_P(LongScans, AgreeWithTheOracle) {
  auto subject = configuration().create(configuration().options);
  auto oracle = make_oracle({});
  Rng random = rng();
  GetParam().calls(configuration().sizes({{2200000}, 0}), random,
                   until_failure([&](const Call& call) { expect_same_as_oracle(*subject, *oracle, call); }));
}

std::vector<Subject> sums_of_floats() {
  std::vector<Subject> subjects = scan_subjects();
  std::erase_if(subjects, [](const Subject& subject) {
    return subject.name != "SumScan_f32_to_f32" && subject.name != "SumScan_f64_to_f64";
  });
  return subjects;
}

INSTANTIATE_TEST_SUITE_P(Table, LongScans, testing::ValuesIn(sums_of_floats()), name_of);

class FaultyOperations : public Operations {};

TEST_P(FaultyOperations, ReportTheFirstFault) {
  auto subject = configuration().create(configuration().options);
  auto oracle = make_oracle({});
  Rng random = rng();
  Sizes sizes = configuration().sizes({{1, 2, 65, 1024, 5000, 70000}, 0});
  GetParam().bad_calls(sizes, random,
                       until_failure([&](const Call& call) { expect_same_fault(*subject, *oracle, call); }));
  // Operations after a fault must not see it.
  EXPECT_FALSE(subject->has_fault());
  GetParam().calls(configuration().sizes({{100, 5000}, 0}), random,
                   until_failure([&](const Call& call) { expect_same_as_oracle(*subject, *oracle, call); }));
  EXPECT_EQ(subject->memory_use().live, 0u);
}

std::vector<Subject> faulty_subjects() {
  std::vector<Subject> subjects = all_subjects();
  std::erase_if(subjects, [](const Subject& subject) { return !subject.bad_calls; });
  return subjects;
}

INSTANTIATE_TEST_SUITE_P(Table, FaultyOperations, testing::ValuesIn(faulty_subjects()), name_of);

}  // namespace
}  // namespace cvl::conformance
