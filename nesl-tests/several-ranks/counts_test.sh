#!/bin/bash
# counts_test.sh NESL PROGRAM EXPECTED: runs a program on four ranks that are threads of one process and divide vectors of
# 1024 elements and more, and compares the messages and bytes of each operation with a file. NESL_TEST_UPDATE=1 writes it.
set -euo pipefail

nesl=$1 program=$2 expected=$3
profile=$(NESL_TEST_RANKS=4:1024:cpu "$nesl" run --backend=ranks --int=32 --native=off --profile "$program" 2>&1 > /dev/null)
# The last two columns are times.
counts=$(sed -n '/^messages of /,/^all /p' <<< "$profile" | cut -c1-97)
if [[ -n ${NESL_TEST_UPDATE:-} ]]; then
  echo "$counts" > "$expected"
else
  diff -u "$expected" - <<< "$counts"
fi
