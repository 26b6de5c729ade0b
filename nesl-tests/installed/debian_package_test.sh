#!/bin/bash
# debian_package_test.sh BUILD makes the Debian package of a build, unpacks it into a folder, and runs its programs.
#   - the package depends on the libraries that its programs are linked with, as packages of the distribution
#   - the command and a C program find the backend, and do not open files of the build
set -euo pipefail

build=$(readlink -f "$1")
cc=${CC:-cc}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export XDG_CACHE_HOME=$folder/cache
fail() {
  echo "debian_package_test: $*" >&2
  exit 1
}

cpack -G DEB --config "$build/CPackConfig.cmake" -B "$folder/packages" > "$folder/cpack.txt" 2>&1 ||
  { cat "$folder/cpack.txt"; fail "cpack"; }
packages=("$folder"/packages/*.deb)
[ ${#packages[@]} -eq 1 ] || fail "there are ${#packages[@]} packages"
depends=$(dpkg-deb --field "${packages[0]}" Depends)
for library in libc6 libstdc++6 libfmt libtbb libedit; do
  [[ $depends == *"$library"* ]] || fail "the package does not depend on $library: $depends"
done

dpkg-deb --extract "${packages[0]}" "$folder/root"
user=$folder/root/usr
[ "$("$user/bin/nesl" -e '1 + 1')" = "it = 2 : int" ] || fail "nesl -e"
LD_DEBUG=files "$user/bin/nesl" -e '1 + 1' 2>&1 | grep -F "$build" && fail "nesl looks into $build"
library=$(dirname "$(find "$user" -name libnesl.so)")
cat > "$folder/program.c" <<'END'
#include <nesl.h>
int main(void) {
  nesl_session *session;
  return nesl_open(NULL, &session) != NULL || nesl_load(session, "text", "x = sum([1, 2]);") != NULL;
}
END
$cc -std=c99 "$folder/program.c" -I"$user/include" -L"$library" -lnesl -Wl,-rpath,"$library" -o "$folder/program"
"$folder/program" || fail "a C program"
