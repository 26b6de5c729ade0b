#!/bin/bash
# The use of the C library and of an installed NESL: installed_tree_test.sh BUILD SOURCE installs the component nesl of
# a build into a new folder, and uses only this folder.
#   - the library exports the functions of nesl.h and no other names
#   - the header is C99, C17 and C++ without a warning
#   - the example of examples/c is built with pkg-config and with CMake, and prints the expected output
#   - so do the programs in docs/c-api.md
#   - the command runs, and finds its backend, without opening files of the build
#   - the extension and the modes for editors are there
#   - each program has a man page with all its options, and completions that shells accept
set -euo pipefail

build=$(readlink -f "$1")
source=$(readlink -f "$2")
cc=${CC:-cc}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
prefix=$folder/installed
export XDG_CACHE_HOME=$folder/cache
fail() {
  echo "installed_tree_test: $*" >&2
  exit 1
}

cmake --install "$build" --component nesl --prefix "$prefix" > "$folder/install.txt"
libraries=$(dirname "$(find "$prefix" -name libnesl.so)")
export PKG_CONFIG_PATH=$libraries/pkgconfig

# --- the library and its header
sed -nE '/^NESL_API/s/^.*[ *](nesl_[a-z0-9_]+)\(.*$/\1/p' "$prefix/include/nesl.h" | sort > "$folder/names.txt"
[ "$(wc -l < "$folder/names.txt")" -gt 40 ] || fail "nesl.h is not read right"
nm -D --defined-only "$libraries/libnesl.so" | awk '{ print $NF }' | sort > "$folder/exported.txt"
diff "$folder/names.txt" "$folder/exported.txt" || fail "libnesl.so exports other names than nesl.h declares"
echo '#include "nesl.h"' > "$folder/header.c"
strict=(-Wall -Wextra -Wstrict-prototypes -pedantic -Werror "-I$prefix/include")
for dialect in c99 c17 gnu17; do
  $cc "-std=$dialect" "${strict[@]}" -fsyntax-only "$folder/header.c" || fail "the header, with -std=$dialect"
done
for dialect in c++98 c++20; do
  long=(); [ $dialect != c++98 ] || long=(-Wno-long-long)
  $cc -x c++ "-std=$dialect" -Wall -Wextra -pedantic -Werror "${long[@]}" "-I$prefix/include" -fsyntax-only "$folder/header.c" ||
    fail "the header, with -std=$dialect"
done

# --- programs in C
read -ra flags <<< "$(pkg-config --cflags nesl)"
read -ra links <<< "$(pkg-config --libs nesl) -Wl,-rpath,$libraries"
compile() { # compile SOURCE PROGRAM
  $cc -std=c99 -Wall -Wextra -pedantic -Werror "${flags[@]}" "$1" "${links[@]}" -o "$2" || fail "$1 does not compile"
}
check() { # check WHAT PROGRAM EXPECTED
  "$2" > "$folder/printed.txt" || fail "$1: status $?"
  diff "$3" "$folder/printed.txt" || fail "$1 prints something else"
}
compile "$source/examples/c/sparse_matrix.c" "$folder/sparse_matrix"
check "the example, with pkg-config" "$folder/sparse_matrix" "$source/examples/c/expected.txt"
cp -r "$source/examples/c" "$folder/project"
cmake -S "$folder/project" -B "$folder/client" "-DCMAKE_PREFIX_PATH=$prefix" "-DCMAKE_C_COMPILER=$cc" > "$folder/cmake.txt" ||
  { cat "$folder/cmake.txt"; fail "find_package"; }
cmake --build "$folder/client" > "$folder/cmake.txt" || { cat "$folder/cmake.txt"; fail "a CMake project"; }
check "the example, with CMake" "$folder/client/sparse_matrix" "$source/examples/c/expected.txt"

# In the manual, the output of each program follows the program.
mkdir "$folder/manual"
awk -v folder="$folder/manual" '
  /^```/ && inside { inside = 0; close(file); next }
  /^```c$/ { ++programs; file = folder "/" programs ".c"; inside = 1; next }
  /^```text$/ { file = folder "/" programs ".txt"; inside = 1; next }
  inside { print > file }' "$source/docs/c-api.md"
programs=0
for program in "$folder"/manual/*.c; do
  compile "$program" "$folder/program"
  check "$program" "$folder/program" "${program%.c}.txt"
  programs=$((programs + 1))
done
[ $programs -ge 3 ] || fail "docs/c-api.md has $programs programs"

# --- the command
printed=$("$prefix/bin/nesl" -e '1 + 1')
[ "$printed" = "it = 2 : int" ] || fail "nesl -e prints $printed"
echo 'sum({x * x : x in [0:1000]});' > "$folder/program.nesl"
"$prefix/bin/nesl2vcode" "$folder/program.nesl" -o "$folder/program.vcode"
"$prefix/bin/fcode-opt" "$folder/program.vcode" -o "$folder/program.fcode"
[ "$("$prefix/bin/vinterp" "$folder/program.fcode")" = "( 332833500 )" ] || fail "the tool chain computes something else"
for program in "$prefix/bin/nesl -e 1+1" "$folder/sparse_matrix"; do
  # shellcheck disable=SC2086
  LD_DEBUG=files $program 2>&1 | grep -F "$build" && fail "$program looks into $build"
done
# --- man pages and completions
if [ -e "$prefix/share/man" ]; then
  for program in nesl nesl2vcode fcode-opt vinterp; do
    page=$prefix/share/man/man1/$program.1
    sed 's/\\-/-/g' "$page" > "$folder/page.txt"
    for option in $("$prefix/bin/$program" --help | grep -oE '^  -[^ {]+' | tr ',' ' '); do
      grep -qF -- "$option" "$folder/page.txt" || fail "$option is not in $page"
    done
    # shellcheck disable=SC1090
    printed=$(bash -c 'source "$1"; COMP_WORDS=("$2" --vers) COMP_CWORD=1; "_${2//-/_}"; echo "${COMPREPLY[@]}"' \
      _ "$prefix/share/bash-completion/completions/$program" "$program")
    [ "$printed" = --version ] || fail "bash completes $program --vers to $printed"
    grep -q "^#compdef $program" "$prefix/share/zsh/vendor-completions/_$program" || fail "the zsh completion of $program"
    grep -q "^complete -c $program .*-l version" "$prefix/share/fish/vendor_completions.d/$program.fish" ||
      fail "the fish completion of $program"
  done
  [ "$(bash -c 'source "$1"; COMP_WORDS=(nesl des) COMP_CWORD=1; _nesl; echo "${COMPREPLY[@]}"' \
    _ "$prefix/share/bash-completion/completions/nesl")" = describe ] || fail "bash does not complete nesl des"
fi
# --- editors
for file in nesl.vsix vim/syntax/nesl.vim emacs/nesl-mode.el; do
  [ -s "$prefix/share/nesl/editors/$file" ] || fail "share/nesl/editors/$file is not installed"
done
"$prefix/bin/nesl" --version | grep -q '^backend cpu: ' || fail "nesl --version: $("$prefix/bin/nesl" --version)"
