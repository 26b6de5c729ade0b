#pragma once

#include <span>
#include <string>
#include <vector>

#include "native/llvm_text.h"
#include "regions/native_region.h"

namespace cvl::cpu {

/// Appends the PACKs of a region. The index of the next kept element of each is carried from one iteration of a loop to
/// the next.
class PackWriter {
 public:
  PackWriter(LlvmText& text, const Region& region, std::span<const ElemType> types)
      : text_(text), region_(region), types_(types) {}

  /// Loads the words of the function's argument that belong to PACKs.
  void load_words();
  std::vector<std::string> state_types() const { return std::vector<std::string>(region_.packs.size(), "i64"); }
  /// initial() loads the indices of the next kept elements; end() stores them after all elements.
  std::vector<LaneValue> initial();
  void end(std::span<const LaneValue> positions);

  /// Writes the elements of PACK k whose flags are true. If `mask` is empty, as many elements are written as there are
  /// lanes. Otherwise only lanes in the mask count, and nothing is written after the kept elements.
  void add(std::size_t k, const LaneValue& elements, const LaneValue& flags, std::span<LaneValue> positions,
           const std::string& mask);

 private:
  struct Words {
    std::string result;    ///< address at which element 0 of the result would be
    std::string position;  ///< address of the index of the next kept element
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
