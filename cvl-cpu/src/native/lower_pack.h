#pragma once

#include <span>
#include <string>
#include <vector>

#include "native/llvm_text.h"
#include "regions/native_region.h"

namespace cvl::cpu {

/// Appends the PACKs of a region. The place of the next kept element of each passes from one round of a loop to the
/// next.
class PackWriter {
 public:
  PackWriter(LlvmText& text, const Region& region, std::span<const ElemType> types)
      : text_(text), region_(region), types_(types) {}

  /// Loads the region's words that tell of PACKs.
  void load_words();
  std::vector<std::string> state_types() const { return std::vector<std::string>(region_.packs.size(), "i64"); }
  /// The places before there are elements; the stores of those behind all elements.
  std::vector<LaneValue> initial();
  void end(std::span<const LaneValue> places);

  /// Writes the elements of PACK k whose flags are true. If `mask` is not empty, only lanes in it count, and nothing is
  /// written behind the kept elements; else as many are as there are lanes.
  void add(std::size_t k, const LaneValue& elements, const LaneValue& flags, std::span<LaneValue> places,
           const std::string& mask);

 private:
  struct Words {
    std::string result;  ///< where an element with place 0 would be
    std::string place;   ///< the address of the place
  };
  void write(const LaneValue& elements, const std::string& keep, const std::string& to);
  void write_by_table(const LaneValue& elements, const std::string& keep, const std::string& to);
  void write_truth(const LaneValue& elements, const std::string& keep, const std::string& to);
  void write_each(const LaneValue& elements, const std::string& keep, const std::string& to);
  void write_exactly(const LaneValue& elements, const std::string& keep, const std::string& to,
                     const std::string& count);
  LaneValue compressed(const LaneValue& elements, const std::string& keep);
  bool compresses(ElemType type) const;
  std::string bits_as_integer(const std::string& keep);

  LlvmText& text_;
  const Region& region_;
  std::span<const ElemType> types_;
  std::vector<Words> words_;
};

}  // namespace cvl::cpu
