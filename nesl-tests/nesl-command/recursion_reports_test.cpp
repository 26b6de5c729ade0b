// Paths of calls in reports, where the compiler joins calls in several branches to one.

#include "command.h"

namespace {

TEST_F(Command, ReportsOfCallsForSeveralBranchesNameTheConditional) {
  file("go.nesl",
       "function go(s, i) =\n"
       "  if i > 5 then s[i]\n"
       "  else if rem(s[i], 2) == 0 then go(s, i + 1)\n"
       "  else go(s, i + 2);\n"
       "rows = [[1, 2, 3, 4, 5, 6, 7], [2, 4, 6, 8, 10, 12]];\n"
       "{go(row, 0) : row in rows};\n");
  nesl({"run", "-O0", "go.nesl"});
  expect(1, "",
         "go.nesl:2:17: run-time error in go: Sequence reference (a[i]) out of bounds.\n"
         "    if i > 5 then s[i]\n"
         "                  ^\n"
         "  index 6, but the sequence has length 6\n"
         "  called from go (go.nesl:3:8), 6 times in a row\n"
         "  called from (go.nesl:6:2)\n");
}

TEST_F(Command, ReportsOfArgumentsNameTheirOwnPlace) {
  file("go.nesl",
       "function go(s, i) =\n"
       "  if i > 5 then i\n"
       "  else if rem(i, 2) == 0 then go(s, s[i])\n"
       "  else go(s, 9 / s[i]);\n"
       "{go([1, 0, 2], i) : i in [0, 2]};\n");
  nesl({"run", "-O0", "go.nesl"});
  expect(1, "",
         "go.nesl:4:14: run-time error in go: Divide by zero.\n"
         "    else go(s, 9 / s[i]);\n"
         "               ^\n"
         "  called from go (go.nesl:3:8)\n"
         "  called from (go.nesl:5:2)\n");
}

TEST_F(Command, ReportsOfFunctionsThatCallEachOtherNameTheirFirstCall) {
  file("states.nesl",
       "function open(s : [int], i : int) : int;\n"
       "function closed(s : [int], i : int) : int =\n"
       "  if s[i] > 3 then 10 / (s[i] - 5)\n"
       "  else if s[i] == 1 then open(s, i + 1)\n"
       "  else closed(s, i + 1);\n"
       "function open(s : [int], i : int) : int =\n"
       "  if s[i] == 1 then closed(s, i + 1)\n"
       "  else open(s, i + 1);\n"
       "{open(row, 0) : row in [[1, 2, 7], [1, 1, 2, 1, 5], [2, 1, 4]]};\n");
  nesl({"run", "-O0", "states.nesl"});
  expect(1, "",
         "states.nesl:3:20: run-time error in closed: Divide by zero.\n"
         "    if s[i] > 3 then 10 / (s[i] - 5)\n"
         "                     ^\n"
         "  called from closed (states.nesl:4:26), 3 times in a row\n"
         "  called from open (states.nesl:7:3)\n"
         "  called from (states.nesl:9:2)\n");
}

}  // namespace
