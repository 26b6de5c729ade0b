#!/bin/bash
# The use of an installed classic C vector library: installed_library_test.sh BUILD installs the libraries of a build
# into a new folder, and uses only this folder and a backend.
#   - the header has every function of functions.txt with its parameters, in C and in C++
#   - the libraries export these names and no others
#   - invalid settings in the environment are refused
#   - a C program is built with pkg-config and with CMake, and linked with the shared and with the static libraries
set -euo pipefail

build=$1
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
cc=${CC:-cc}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
prefix=$folder/installed
fail() {
  echo "installed_library_test: $*" >&2
  exit 1
}

for component in cvl-classic cvl-classic-cuda; do
  cmake --install "$build" --component $component --prefix "$prefix" > "$folder/install.txt"
done
libraries=$(dirname "$(find "$prefix" -name libcvl-classic.so)")
export PKG_CONFIG_PATH=$libraries/pkgconfig
names=(cvl-classic cvl-classic-cuda cvl-classic-cuda-int)
# The folder where the libraries look for a backend.
mkdir -p "$libraries/nesl"
cp "$build/bin/libcvl-cpu.so" "$libraries/nesl"

# Writes a pointer to each function, of the type that functions.txt gives it.
{
  echo '#include "cvl.h"'
  sed -nE '/^#/!s/^(.*[ *])([A-Za-z0-9_]+)\((.*)\)$/\1(*pointer_to_\2)(\3) = \2;/p' "$here/functions.txt"
  echo 'int main(void) { return 0; }'
} > "$folder/pointers.c"
grep -v '^#' "$here/functions.txt" | sed -E 's/^.*[ *]([A-Za-z0-9_]+)\(.*$/\1/' | sort > "$folder/names.txt"
[ "$(grep -c pointer_to_ "$folder/pointers.c")" -eq "$(wc -l < "$folder/names.txt")" ] || fail "functions.txt is not read right"
strict=(-Wall -Wextra -Wstrict-prototypes -pedantic -Werror "-I$prefix/include")
for dialect in "-std=c89" "-std=c17" "-std=gnu17" "-std=c89 -DCUDA"; do
  # shellcheck disable=SC2086
  $cc $dialect "${strict[@]}" -c "$folder/pointers.c" -o "$folder/pointers.o" || fail "the header, with $dialect"
done
# shellcheck disable=SC2086
$cc -x c++ -std=c++17 -Wall -Wextra -pedantic -Werror "-I$prefix/include" -c "$folder/pointers.c" -o "$folder/pointers.o" ||
  fail "the header, in C++"

for name in "${names[@]}"; do
  nm -D --defined-only "$libraries/lib$name.so" | awk '{ print $NF }' | sort > "$folder/exported.txt"
  diff "$folder/names.txt" "$folder/exported.txt" || fail "lib$name.so exports other names"
  nm -g --defined-only "$libraries/lib$name.a" | awk 'NF == 3 { print $NF }' | sort > "$folder/exported.txt"
  diff "$folder/names.txt" "$folder/exported.txt" || fail "lib$name.a exports other names"
done

# The program's own functions have the names of internal functions of the library, which must not clash.
cat > "$folder/program.c" <<'END'
#include <stdio.h>
#include "cvl.h"

int stack(void) { return 3; }
int start(void) { return 4; }
int library(void) { return 5; }

int main(void) {
  int numbers[4], k;
  vec_p heap = alo_foz(100), squares = add_fov(heap, siz_foz(4));
  ind_luz(heap, 1, 1, 4, heap);
  mul_wuz(squares, heap, heap, 4, heap);
  v2c_fuz(numbers, squares, 4, heap);
  for (k = 0; k < 4; k++) printf("%d ", numbers[k]);
  printf("%d %d\n", add_ruz(squares, 4, heap), stack() + start() + library());
  return 0;
}
END
expected='1 4 9 16 30 12'
check() { # check HOW PROGRAM
  local printed
  printed=$("$2") || fail "$1: status $?"
  [ "$printed" = "$expected" ] || fail "$1: printed $printed"
}

export CVL_BACKEND=cpu
for name in "${names[@]}"; do
  read -ra compile <<< "$cc -std=c89 -pedantic -Werror $(pkg-config --cflags "$name")"
  read -ra shared <<< "$(pkg-config --libs "$name") -Wl,-rpath,$libraries"
  read -ra needed <<< "$(pkg-config --static --libs-only-l "$name" | sed "s/-l$name//")"
  "${compile[@]}" "$folder/pointers.c" "${shared[@]}" -o "$folder/pointers" || fail "$name: a function is missing"
  "${compile[@]}" "$folder/program.c" "${shared[@]}" -o "$folder/with_$name"
  check "$name, pkg-config" "$folder/with_$name"
  # A static library looks for the backend from the folder of the program.
  "${compile[@]}" "$folder/program.c" "$libraries/lib$name.a" "${needed[@]}" -o "$libraries/with_archive"
  check "$name, pkg-config and the static library" "$libraries/with_archive"
done

for setting in CVL_THREADS=many CVL_THREADS=0 CVL_SIMD=mmx; do
  status=0
  env "$setting" "$folder/with_cvl-classic" > "$folder/output.txt" 2> "$folder/errors.txt" || status=$?
  [ $status -eq 1 ] && grep -q "^cvl: ${setting%=*}: .*'${setting#*=}'" "$folder/errors.txt" ||
    fail "$setting: status $status, $(cat "$folder/errors.txt")"
done

# Without a device, the libraries for devices name the cause.
for name in cvl-classic-cuda cvl-classic-cuda-int; do
  status=0
  CVL_BACKEND=none "$folder/with_$name" 2> "$folder/errors.txt" || status=$?
  [ $status -eq 1 ] && grep -q "^cvl: CVL_BACKEND: there is no backend 'none'" "$folder/errors.txt" ||
    fail "$name, a missing backend: status $status, $(cat "$folder/errors.txt")"
done

mkdir "$folder/source"
cp "$folder/program.c" "$folder/source"
cat > "$folder/source/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.16)
project(client LANGUAGES C)
find_package(cvl-classic REQUIRED)
foreach(kind IN ITEMS classic classic-cuda classic-cuda-int)
  add_executable(with-${kind} program.c)
  target_link_libraries(with-${kind} PRIVATE cvl::${kind})
  add_executable(with-${kind}-archive program.c)
  target_link_libraries(with-${kind}-archive PRIVATE cvl::${kind}-archive)
endforeach()
END
cmake -S "$folder/source" -B "$folder/client" "-DCMAKE_PREFIX_PATH=$prefix" "-DCMAKE_C_COMPILER=$cc" > "$folder/cmake.txt" ||
  { cat "$folder/cmake.txt"; fail "find_package"; }
cmake --build "$folder/client" > "$folder/cmake.txt" || { cat "$folder/cmake.txt"; fail "a CMake project"; }
mkdir "$folder/client/nesl"
cp "$libraries/nesl/libcvl-cpu.so" "$folder/client/nesl"
for name in "${names[@]#cvl-}"; do
  check "find_package, $name" "$folder/client/with-$name"
  check "find_package and the static library, $name" "$folder/client/with-$name-archive"
done
