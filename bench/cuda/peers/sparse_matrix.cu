#include <vector>

#include "device_array.h"
#include "device_peers.h"

namespace bench::cuda {
namespace {

/// Multiplies with one warp per row: its lanes take the entries in turns, and sum their products by warp shuffles.
__global__ void multiply(std::int64_t rows, const std::int32_t* offsets, const std::int32_t* columns,
                         const float* entries, const float* v, float* product) {
  constexpr unsigned kWarp = 32, kAll = 0xffffffff;
  const std::int64_t row = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / kWarp;
  if (row >= rows) return;
  float sum = 0;
  for (std::int32_t e = offsets[row] + std::int32_t(threadIdx.x % kWarp); e < offsets[row + 1]; e += kWarp)
    sum += entries[e] * v[columns[e]];
  for (unsigned distance = kWarp / 2; distance > 0; distance /= 2) sum += __shfl_down_sync(kAll, sum, distance);
  if (threadIdx.x % kWarp == 0) product[row] = sum;
}

std::vector<std::int32_t> offsets_of(std::int64_t rows) {
  std::vector<std::int32_t> offsets{0};
  for (std::int64_t row = 0; row < rows; ++row) offsets.push_back(offsets.back() + 1 + std::int32_t(row % 31));
  return offsets;
}

void fill(std::int64_t rows, const std::int32_t* offsets, std::int32_t* columns, float* entries, float* v) {
  for_each(rows, [=] __device__(std::int64_t row) {
    v[row] = float(row % 1000) / 1000.0f;
    for (std::int32_t j = 0; j < offsets[row + 1] - offsets[row]; ++j) {
      columns[offsets[row] + j] = std::int32_t((row + j * 2039) % rows);
      entries[offsets[row] + j] = float(1 + j % 3);
    }
  });
}

/// The peer of sparse_matrix.nesl: the same matrix in compressed rows.
class SparseMatrix final : public Peer {
 public:
  SparseMatrix(std::int64_t rows, const std::vector<std::int32_t>& offsets)
      : rows_(rows), offsets_(rows + 1), columns_(offsets.back()), entries_(offsets.back()), v_(rows), product_(rows) {
    check(cudaMemcpy(offsets_.data(), offsets.data(), offsets.size() * sizeof(std::int32_t), cudaMemcpyHostToDevice));
    fill(rows, offsets_.data(), columns_.data(), entries_.data(), v_.data());
  }
  void issue() override {
    constexpr int kThreads = 256, kRows = kThreads / 32;
    multiply<<<unsigned((rows_ + kRows - 1) / kRows), kThreads>>>(rows_, offsets_.data(), columns_.data(),
                                                                  entries_.data(), v_.data(), product_.data());
    check(cudaGetLastError());
  }
  double result() override { return product_.at(rows_ / 2); }

 private:
  std::int64_t rows_;
  DeviceArray<std::int32_t> offsets_, columns_;
  DeviceArray<float> entries_, v_, product_;
};

}  // namespace

std::unique_ptr<Peer> make_sparse_matrix(std::int64_t rows) {
  return std::make_unique<SparseMatrix>(rows, offsets_of(rows));
}

}  // namespace bench::cuda
