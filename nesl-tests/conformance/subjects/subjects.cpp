#include "subjects.h"

#include <algorithm>

#include <fmt/format.h>

namespace cvl::conformance {

Sizes Sizes::all() {
  return {{0, 1, 2, 63, 64, 65, 1023, 1024, 1025, 4095, 4096, 4097, 16383, 16384, 16385, 65535, 65536, 65537, 300000},
          4100};
}

Sizes Sizes::parallel() { return {{200000}, 0}; }

std::vector<Segmentation> Sizes::cuts(std::int64_t length, Rng& rng) const {
  constexpr std::size_t kOfLong = 3;
  std::vector<Segmentation> all = segmentations(length, length <= thorough_up_to, rng);
  while (length > thorough_up_to && all.size() > kOfLong)
    all.erase(all.begin() + 1 + rng.below(static_cast<std::int64_t>(all.size()) - 1));
  return all;
}

std::vector<TypeVariant> type_variants(const vcode::OpInfo& row) {
  std::vector<TypeVariant> variants;
  vcode::for_each_widths([&]<ElemType int_type, ElemType float_type>() {
    for (int s = 0; s < vcode::kSuffixes; ++s) {
      const auto suffix = static_cast<vcode::Suffix>(s);
      if (!row.takes(suffix)) continue;
      TypeVariant variant;
      variant.name = row.name;
      auto add = [&](const vcode::Role& role, std::vector<ElemType>& types) {
        if (role.type == vcode::RoleType::kSegdes) return;
        types.push_back(vcode::role_type(role, suffix, {int_type, float_type}));
        variant.name += fmt::format("_{}", vcode::elem_name(types.back()));
      };
      for (int k = 0; k < row.signature.operand_count; ++k) add(row.signature.operands[k], variant.operands);
      variant.name += "_to";
      for (int k = 0; k < row.signature.result_count; ++k) add(row.signature.results[k], variant.results);
      bool known = std::any_of(variants.begin(), variants.end(),
                               [&](const TypeVariant& other) { return other.name == variant.name; });
      if (!known) variants.push_back(std::move(variant));
    }
  });
  return variants;
}

std::vector<Subject> all_subjects() {
  std::vector<Subject> subjects = elementwise_subjects();
  for (auto& part : {scan_subjects(), vector_subjects()}) subjects.insert(subjects.end(), part.begin(), part.end());
  return subjects;
}

}  // namespace cvl::conformance
