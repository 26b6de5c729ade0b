#!/bin/bash
# piece_counts_test.sh NESL RUN PROGRAM EXPECTED: runs a program on four ranks that are threads of one process (RUN, of
# run_on_threads.cpp), divide vectors of 1024 elements and more, and run calls in pieces of about 200 KB. Compares the result
# with that of one process, and the messages and bytes of each operation with a file. NESL_TEST_UPDATE=1 writes it.
set -euo pipefail

nesl=$1 run=$2 program=$3 expected=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$nesl" compile -O 2 "$program" -o "$folder/program.fcode"
"$run" 1:1024:200000 "$folder/program.fcode" > "$folder/alone" 2> /dev/null
"$run" 4:1024:200000 "$folder/program.fcode" > "$folder/out" 2> "$folder/messages"
diff -u "$folder/alone" "$folder/out"
# The last two columns are times.
counts=$(sed -n '/^messages of /,/^all /p' "$folder/messages" | cut -c1-97)
if [[ -n ${NESL_TEST_UPDATE:-} ]]; then
  echo "$counts" > "$expected"
else
  diff -u "$expected" - <<< "$counts"
fi
