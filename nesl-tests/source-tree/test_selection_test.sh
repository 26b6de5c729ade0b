#!/bin/bash
# The selection of tests by `scripts/test --changed`: which folders have changes, told in a small repository, and which
# tests of a build folder have the label of a folder.
# Usage: test_selection_test.sh FOLDER-OF-THE-SCRIPTS BUILD-FOLDER CTEST
set -euo pipefail

scripts=$(readlink -f "$1")
build=$2
ctest=$3
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

fail() {
  printf '%s\n' "$@"
  exit 1
}

repository() { git -C "$tree" -c user.name=n -c user.email=e "$@"; }
put() { # FILE
  mkdir -p "$tree/$(dirname "$1")"
  echo "$RANDOM" >> "$tree/$1"
}
commit() {
  repository add --all
  repository commit --quiet --message "Plant a change"
}
# changed [FOLDER]...: these are printed. In a repository of the same content afterwards.
changed() {
  local output
  output=$("$tree/scripts/changed_folders" | tr '\n' ' ')
  [[ $output == "${*:+$* }" ]] || fail "changed_folders prints '$output', not '$*'"
  repository reset --quiet --hard
  repository clean --quiet --force -d
}

mkdir "$tree/scripts"
cp "$scripts/test" "$scripts/changed_folders" "$tree/scripts"
repository init --quiet --initial-branch main
put vcode/src/types.cpp
put nesl-tests/vcode/cases.txt
put README.md
commit

output=$("$tree/scripts/test" --changed 2>&1) || fail "test --changed fails without changes:" "$output"
[[ $output == "changed_folders: nothing differs from "* ]] || fail "test --changed does not say that nothing has changed:" "$output"
if output=$("$tree/scripts/test" --changed nonesuch 2>&1); then fail "test --changed accepts an unknown revision"; fi
[[ $output == *"there is no revision nonesuch"* ]] || fail "test --changed does not say what is unknown:" "$output"

put vcode/src/types.cpp
changed any-change vcode
put nesl-tests/vcode/cases.txt
changed any-change nesl-tests/vcode
put README.md
changed any-change
put cvl/src/new.cpp
put docs/page.md
changed any-change cvl docs
rm "$tree/vcode/src/types.cpp"
changed any-change vcode
repository mv vcode/src/types.cpp nesl-tests/types.cpp
changed any-change nesl-tests vcode
for file in CMakeLists.txt CMakePresets.json cmake/tests.cmake nesl-tests/CMakeLists.txt scripts/build; do
  put $file
  output=$("$tree/scripts/changed_folders")
  [[ $output == *everything* ]] || fail "a change of $file does not mean everything:" "$output"
  changed $output
done

# Commits of a branch count; commits that main has got since then do not.
repository checkout --quiet -b branch
put cvl/src/new.cpp
commit
changed any-change cvl
repository checkout --quiet main
put bench/page.md
commit
changed
repository checkout --quiet branch
put fcode-opt/src/pass.cpp
changed any-change cvl fcode-opt

# Where there is a remote, what its main branch has is not a change of this one.
repository update-ref refs/remotes/origin/main HEAD
put vcode/src/new.cpp
changed any-change vcode
repository update-ref -d refs/remotes/origin/main

# The words that test --changed gives ctest, which are printed here instead.
mkdir "$tree/bin"
printf '#!/bin/bash\n' > "$tree/scripts/build"
printf '#!/bin/bash\necho "asked: $*"\n' > "$tree/bin/ctest"
chmod +x "$tree/scripts/build" "$tree/bin/ctest"
repository add --all
repository commit --quiet --message "Plant programs"
asked() { # WORDS: test --changed asks for them, and what has been changed is committed
  local output
  output=$(PATH=$tree/bin:$PATH "$tree/scripts/test" --changed HEAD -j 3)
  [[ $output == *$'\n'"asked: "*" --no-tests=error -j 3${1:+ $1}" ]] || fail "test --changed asks for '$output', not '$1'"
  repository reset --quiet --hard
  repository clean --quiet --force -d
}
put vcode/src/new.cpp
asked "--label-regex ^(any-change|vcode)$"
put nesl-tests/vcode/cases.txt
put docs/page.md
asked "--label-regex ^(any-change|docs|nesl-tests/vcode)$"
put cmake/tests.cmake
put docs/page.md
asked ""

# Labels of tests.
[[ $("$ctest" --test-dir "$build" -N --label-exclude .) == *$'\nTotal Tests: 0' ]] || fail "tests without a label:" \
  "$("$ctest" --test-dir "$build" -N --label-exclude .)"
labelled() { # FOLDER: the tests
  "$ctest" --test-dir "$build" -N --label-regex "^$1\$"
}
affects() { # FOLDER TEST
  [[ $(labelled "$1") == *": $2"* ]] || fail "a change of $1 does not affect $2"
}
spares() { # FOLDER TEST
  [[ $(labelled "$1") != *": $2"* ]] || fail "a change of $1 affects $2"
}
affects vcode vcode-unit.
affects nesl-tests/support vcode-unit.
affects base vcode-unit.
spares fcode-opt vcode-unit.
affects fcode-opt fcode-opt-unit.
spares cvl-cpu fcode-opt-unit.
affects fcode-opt vcode.all.-O2
affects cvl-cpu vcode.all.-O2
affects nesl-tests/vcode vcode.all.-O2
affects cvl-cuda vcode.all.--backend=cuda-host
affects nesl-tests/backends conformance.
affects any-change source-tree.layers
spares any-change vcode-unit.
