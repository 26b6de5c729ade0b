#include <array>
#include <bit>
#include <cmath>

#include "../frame/peer_run.h"

namespace program_peers {
namespace {

using Board = std::array<std::int8_t, 16>;

/// Places queens from `row` on. Occupied columns and diagonals are bits.
void place(int n, int row, unsigned columns, unsigned left, unsigned right, Board& board, std::vector<Board>& boards) {
  if (row == n) {
    boards.push_back(board);
    return;
  }
  for (unsigned open = ~(columns | left | right) & ((1u << n) - 1); open != 0; open &= open - 1) {
    const unsigned queen = open & -open;
    board[row] = std::int8_t(std::countr_zero(queen));
    place(n, row + 1, columns | queen, (left | queen) << 1, (right | queen) >> 1, board, boards);
  }
}

}  // namespace
}  // namespace program_peers

// Searches depth first, with bits for occupied columns and diagonals.
PROGRAM_PEER(queens) {
  const int n = int(run.n());
  std::vector<std::vector<Board>> boards(n);
  run.time([&] {
    run.team().for_chunks(n, 1, [&](std::int64_t column, std::int64_t, std::int64_t) {
      const unsigned queen = 1u << column;
      Board board{std::int8_t(column)};
      boards[column].clear();
      place(n, 1, queen, queen << 1, queen >> 1, board, boards[column]);
    });
  });
  std::int64_t count = 0, sum = 0;
  for (const auto& some : boards) {
    count += std::int64_t(some.size());
    for (const Board& board : some) sum += board[0];
  }
  run.result(count, sum);
  // Bytes: the boards written. Operations: for each solution, about 4^(n / 4) squares are tried on the way.
  run.cost(double(count) * sizeof(Board), double(count) * std::exp2(n / 2.0));
  run.report();
}
