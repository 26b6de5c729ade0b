#!/bin/bash
# matrix_parts_test.sh NESL RUN: reads Matrix Market files in parts, on ranks that are threads of one process (RUN, of
# run_on_threads.cpp), and compares values and messages with those of one rank.
set -uo pipefail

nesl=$1 run=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
status=0
complain() {
  echo "FAILED: $*"
  status=1
}
program=0
# on RANKS STATEMENTS: runs statements; their output is in out, their errors in err, the status in code.
on() {
  [[ -e $program.fcode ]] || { echo "$2" > $program.nesl && "$nesl" compile -O 2 $program.nesl -o $program.fcode; }
  "$run" "$1:64" $program.fcode > out 2> err
  code=$?
}
# same TITLE STATEMENTS PARTS: the output of one rank on 2, 3 and 5. PARTS: whether ranks read parts ("yes") or rank 0 all ("no").
same() {
  local ranks
  program=$((program + 1))
  on 1 "$2"
  [[ $code == 0 ]] || complain "$1, alone: status $code, $(cat err)"
  cp out alone
  for ranks in 2 3 5; do
    on $ranks "$2"
    [[ $code == 0 ]] || complain "$1 on $ranks ranks: status $code, $(cat err)"
    diff alone out || complain "$1 on $ranks ranks: another output than that of one rank"
    # If rank 0 reads all, it alone sends: "parts of the host", calls, rounds, collectives, messages, bytes, bytes of all.
    [[ $(awk '/^parts of the host/ { print ($10 > $9 ? "yes" : "no") }' err) == "$3" ]] ||
      complain "$1 on $ranks ranks: in parts should be $3: $(grep -A2 '^messages' err)"
  done
}
# mistake TITLE FILE: the message of one rank on 2, 3 and 5.
mistake() {
  local ranks statement="#read_matrix_market(\"$2\");"
  program=$((program + 1))
  on 1 "$statement"
  [[ $code == 1 && -s err ]] || complain "$1, alone: no mistake is found"
  cp err alone
  for ranks in 2 3 5; do
    on $ranks "$statement"
    [[ $code == 1 ]] || complain "$1 on $ranks ranks: status $code"
    diff alone err || complain "$1 on $ranks ranks: another message than that of one rank"
  done
}
show='let m = read_matrix_market(NAME);
    sums = {(sum({j : j, x in r}), sum({x * float(j + 1) : j, x in r})) : r in m}
in (#m, {#r : r in take(m, 5)}, m[rem(77, #m)], sums);'
of() { echo "${show//NAME/\"$1\"}"; }

# Entries in any order, some of them twice, in rows of differing lengths; the seventh row has most of them.
entries() { # ROWS COLUMNS COUNT
  awk -v rows="$1" -v columns="$2" -v count="$3" 'BEGIN {
    for (k = 0; k < count; ++k) {
      row = k % 3 == 0 ? 7 : k * 7919 % rows + 1
      print row, k * 104729 % columns + 1, k % 2 ? k / 8 : -k "e-1"
    }
  }'
}
{
  echo '%%MatrixMarket matrix coordinate real general'
  echo '% a comment'
  echo '  2003 1999   9000 '
  entries 2003 1999 9000
} > general.mtx
same "a general matrix" "$(of general.mtx)" yes
# Comments, blank lines and carriage returns between entries.
awk 'NR == 1000 { print "% a comment of\t1 2 3" } NR % 500 == 4 { print "\n \t" } { print }' general.mtx | sed 's/$/\r/' > odd.mtx
same "comments and blank lines" "$(of odd.mtx)" yes
{
  echo '%%matrixmarket MATRIX Coordinate pattern symmetric'
  echo '500 500 12000'
  awk 'BEGIN { for (k = 0; k < 12000; ++k) { i = k * 7919 % 500 + 1; j = k * 31 % 500 + 1; print (i > j ? i : j), (i > j ? j : i) } }'
} > pattern.mtx
same "a symmetric pattern" "$(of pattern.mtx)" yes
{
  echo '%%MatrixMarket matrix coordinate integer skew-symmetric'
  echo '3000 3000 6000'
  awk 'BEGIN { for (k = 0; k < 6000; ++k) { i = k * 7 % 2000 + 1000; print i, k % 999 + 1, k } }'
} > skew.mtx
same "a skew-symmetric matrix" "$(of skew.mtx)" yes
for symmetry in general symmetric skew-symmetric; do
  {
    echo "%%MatrixMarket matrix array real $symmetry"
    [[ $symmetry == general ]] && echo '120 170' || echo '200 200'
    case $symmetry in general) count=20400 ;; symmetric) count=20100 ;; *) count=19900 ;; esac
    awk -v count=$count 'BEGIN { for (k = 0; k < count; ++k) printf "%s%s", k % 5 ? k / 4 : 0, k % 7 ? "\n" : " " }'
  } > array.mtx
  same "an array, $symmetry" "$(of array.mtx)" yes
done
# An entry on two lines is on two ranks, if the second line begins on the next one.
sed '4,$s/ /\n/g' general.mtx > lines.mtx
program=$((program + 1))
for ranks in 1 2 3 5; do
  on $ranks "$(of lines.mtx)"
  [[ $ranks == 1 ]] && cp out alone
  diff alone out || complain "entries on several lines on $ranks ranks"
done
# Lines that end with carriage returns alone are all one line here.
tr '\n' '\r' < general.mtx > returns.mtx
same "carriage returns alone" "$(of returns.mtx)" no

sed '8000s/ / x /' general.mtx > word.mtx
mistake "a word" word.mtx
sed '6000s/^[0-9]*/2004/' general.mtx > row.mtx
mistake "a row that is missing" row.mtx
sed '5000s/$/ 7/' general.mtx > more.mtx
mistake "a line that is too long" more.mtx
sed '$d' general.mtx > fewer.mtx
mistake "fewer entries than promised" fewer.mtx
{ cat general.mtx && echo '1 1 1'; } > another.mtx
mistake "more entries than promised" another.mtx
sed '1s/real/complex/' general.mtx > complex.mtx
mistake "complex entries" complex.mtx
sed '7000s/.*/5 5 1/' skew.mtx > diagonal.mtx
sed -i '6000s/.*/5 5 1/' diagonal.mtx
mistake "a diagonal that is not 0" diagonal.mtx
sed '$d' array.mtx > short_array.mtx
mistake "fewer numbers than the size" short_array.mtx
exit $status
