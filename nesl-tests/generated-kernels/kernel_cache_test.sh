#!/bin/bash
# kernel_cache_test.sh VINTERP COMPILER: a program with a kernel, run on the host by a generated one, with and without a
# compiler, and with a cache that is filled, truncated, of another compiler, or missing. The result must be right each
# time, and a line of the output says why a kernel is not compiled.
set -euo pipefail

vinterp=$1 compiler=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export NESL_TEST_KERNEL_COMPILER=$work/compiler

fail() {
  echo "kernel_cache_test: $*" >&2
  exit 1
}
cat > "$work/dot.fcode" << 'END'
FCODE 1
KERNEL 0 dot (x FLOAT y FLOAT s SEGDES) OVER s
p = * FLOAT x y
d = +_REDUCE FLOAT p s
OUT d
RET
FUNC MAIN
CONST FLOAT 0.5 CONST INT 1000 MAKE_SEGDES DIST FLOAT COPY 1 0 CONST INT 1000 MAKE_SEGDES FUSED 0
RET
END

# run CACHE: runs the program; its standard error is in `said`.
run() {
  local result
  result=$("$vinterp" --backend=cuda-host --native=always "--kernel-cache=$1" "$work/dot.fcode" 2> "$work/said") || fail "it ends with status $?"
  [[ $result == '( 2.50000000000000e+02 )' ]] || fail "the result is $result"
  said=$(cat "$work/said")
}
compiler_is_there() {
  printf '#!/bin/sh\nexec "%s" "$@"\n' "$compiler" > "$NESL_TEST_KERNEL_COMPILER"
  chmod +x "$NESL_TEST_KERNEL_COMPILER"
}
is_compiled() { [[ -z $said ]] || fail "$1: $said"; }
is_not_compiled() { [[ $said == 'note: kernel dot runs operation by operation: '* ]] || fail "$1: $said"; }

run "$work/cache"
is_not_compiled "there is no compiler"
compiler_is_there
run off
is_compiled "without a cache"
run "$work/dot.fcode"
is_compiled "a file in place of the cache"
run "$work/cache" &
first=$!
run "$work/cache"
wait $first || fail "of two processes at a time one fails"
is_compiled "two processes at a time"
[[ $(ls "$work/cache" | wc -l) == 1 ]] || fail "there are other files than the kernel's: $(ls "$work/cache")"

rm "$NESL_TEST_KERNEL_COMPILER"
run "$work/cache"
is_compiled "a filled cache needs no compiler"
run off
is_not_compiled "without a cache and a compiler"

truncate -s -1 "$work"/cache/*
run "$work/cache"
is_not_compiled "what is cut is not used"
compiler_is_there
run "$work/cache"
is_compiled "what is cut is compiled again"
rm "$NESL_TEST_KERNEL_COMPILER"
run "$work/cache"
is_compiled "and kept"

NESL_TEST_KERNEL_COMPILER=$work/other run "$work/cache"
is_not_compiled "what another compiler has made is not used"

printf '#!/bin/sh\necho "kernel.cpp:1: it is too long" >&2\nexit 1\n' > "$NESL_TEST_KERNEL_COMPILER"
chmod +x "$NESL_TEST_KERNEL_COMPILER"
run off
[[ $said == *'/compiler fails: kernel.cpp:1: it is too long' ]] || fail "the reason is not told: $said"
