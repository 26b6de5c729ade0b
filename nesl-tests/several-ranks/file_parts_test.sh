#!/bin/bash
# file_parts_test.sh BIN LIBRARY: files that the ranks of a job read and write in parts, and exchanges in turns, by the
# processes of an MPI library, "openmpi" or "mpich".
set -uo pipefail

bin=$1 library=$2
source "$(dirname "$0")/on_ranks.bash"

# Long files are read and written by all ranks, each its part, to the same bits as by one process.
cat > parts.nesl << 'EOF'
n = 20011;
roots = {sqrt(float(i)) : i in [0:n]};
write_npy(roots, "roots.npy");
write_npy({{float(i * j) : j in [0:7]} : i in [0:n]}, "rows.npy");
write_npy({{rem(i, 2) == j : j in [0:7]} : i in [0:n]}, "bools.npy");
write_binary({i * i : i in [0:n]}, "squares.bin");
write_csv({(i, x, i > 7) : i in [0:n]; x in roots}, "rows.csv");
write_csv_named({(i, "row " ++ @i) : i in [0:n]}, ["number", "text"], "named.csv");
sum(read_npy([0.0], "roots.npy")) == sum(roots);
let rows = read_npy([[0.0]], "rows.npy") in (#rows, sum({sum(row) : row in rows}), rows[n - 1]);
count(flatten(read_npy([[t]], "bools.npy")));
sum({rem(x, 1009) : x in read_binary([0], "squares.bin")});
let rows = read_csv([(0, 0.0, t)], "rows.csv") in (#rows, sum({x : (i, x, b) in rows}) == sum(roots), rows[n - 1]);
let rows = read_csv_with([(0, 0.0, t)], [("skip", "3")], "rows.csv") in (#rows, rows[0]);
let rows = read_csv_named([(0, [] char)], ["number", "text"], "named.csv") in (#rows, rows[n - 1], sum({#s : (i, s) in rows}));
let lines = read_lines("rows.csv") in (#lines, lines[n - 1], sum({#s : s in lines}));
let text = read_text("rows.csv") in (#text, count({c == `, : c in text}));
EOF
"$bin/nesl" run parts.nesl > alone 2> errors_alone
[[ ! -s errors_alone ]] || complain "files in parts, alone: $(cat errors_alone)"
for name in roots rows bools; do cp $name.npy ${name}_alone.npy; done
for ranks in 2 3; do
  rm -f roots.npy rows.npy
  on $ranks "$bin/nesl" run --profile parts.nesl
  expect_output "$(cat alone)" "files in parts on $ranks ranks"
  grep -q '^parts of the host' err || complain "files in parts on $ranks ranks: no rank has read a part: $(cat err)"
  for name in roots rows bools; do cmp -s $name.npy ${name}_alone.npy || complain "$name.npy of $ranks ranks"; done
  ! ls ./*.tmp > /dev/null 2>&1 || complain "files in parts on $ranks ranks: temporary files are left"
done

# Mistakes in the part of another rank: the message is that of one process.
mistake() { # TITLE STATEMENT
  echo "$2" > mistake.nesl
  "$bin/nesl" run mistake.nesl > alone 2> errors_alone
  on 3 "$bin/nesl" run mistake.nesl
  expect_code 1 "$1"
  local message
  message=$(grep -m 1 'cannot read' errors_alone) || complain "$1: alone, no mistake is found: $(cat errors_alone)"
  expect_error "$message" "$1"
}
sed '18000s/,T/,wrong/' rows.csv > wrong.csv
mistake "a wrong field" '#read_csv([(0, 0.0, t)], "wrong.csv");'
sed '$s/,.*//' rows.csv > short.csv
mistake "a short row" '#read_csv([(0, 0.0, t)], "short.csv");'
head -c 100000 roots_alone.npy > cut.npy
mistake "an array that is cut" '#read_npy([0.0], "cut.npy");'

# Tables with quotes, blank lines at the end, and lines that are longer than the part of a rank.
{
  cat rows.csv
  printf '\n\n  \n'
} > blank.csv
sed '15000s/.*/14999,1.0,"T"/' rows.csv > quoted.csv
{
  seq -s ' ' 1 20000
  echo end
} > long.txt
echo '(#read_csv([(0, 0.0, t)], "blank.csv"), #read_csv([(0, 0.0, t)], "quoted.csv"), {#s : s in read_lines("long.txt")});' > odd.nesl
"$bin/nesl" run odd.nesl > alone 2> errors_alone
on 3 "$bin/nesl" run odd.nesl
expect_output "$(cat alone)" "odd files"

# A file that cannot be replaced stays as it is: its folder is gone on a full or missing file system.
echo 'write_npy({float(i) : i in [0:50000]}, "missing/roots.npy");' > missing.nesl
on 2 "$bin/nesl" run missing.nesl
expect_code 1 "a folder that is missing"
expect_error "missing/roots.npy: cannot be written: No such file or directory" "a folder that is missing"

# A rank whose part finds no room: the disk of its machine is full, here by a limit.
cat > full.nesl << 'EOF'
function put(n) = write_npy({sqrt(float(i)) : i in [0:n]}, "full.npy");
put(8000000);
EOF
timeout 120 "$mpiexec" -n 1 "$bin/nesl" run full.nesl : \
  -n 1 bash -c 'trap "" XFSZ; ulimit -f 49152; exec "$@"' bash "$bin/nesl" run full.nesl > out 2> err
code=$?
expect_code 1 "a full disk"
expect_error "cannot write full.npy: cannot be written: File too large" "a full disk"
expect_error "full.nesl:1:19: run-time error in put" "a full disk"
! ls full.npy* > /dev/null 2>&1 || complain "a full disk: files are left: $(ls full.npy*)"

# With little memory exchanges go in turns, to the same bits.
cat > turns.nesl << 'EOF'
let n = 60000;
    a = {rem(i * 7919, 60013) : i in [0:n]};
    s = sort(a);
    places = {rem(i * 7, n) : i in [0:n]};
    g = a -> reverse(places);
    p = permute(a, {n - 1 - i : i in [0:n]});
    k = {x in a | rem(x, 3) == 0};
    h = [0:n] <- {(rem(x, 100), x) : x in a}
in (s[777], sum({x * rem(i, 10) : x in g; i in [0:n]}), p[1234], #k, k[9999], sum(h), (a ++ k)[70000]);
EOF
"$bin/nesl" run turns.nesl > alone 2> errors_alone
[[ ! -s errors_alone ]] || complain "exchanges, alone: $(cat errors_alone)"
on 2 "$bin/nesl" run --profile turns.nesl
expect_output "$(cat alone)" "exchanges at once"
rounds() { awk '/^all / { print $3 }' err; }
once=$(rounds)
on 2 "$bin/nesl" run --profile --memory=4M turns.nesl
expect_output "$(cat alone)" "exchanges in turns"
(($(rounds) > 2 * once)) || complain "exchanges in turns: $(rounds) rounds, and $once with much memory"
exit $status
