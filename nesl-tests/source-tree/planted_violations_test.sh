#!/bin/bash
# Plants violations of the rules that scripts/check_layers, check_links and check_prose enforce, one at a time, in a
# small source tree.
# Usage: planted_violations_test.sh FOLDER-OF-THE-SCRIPTS
set -euo pipefail

scripts=$(readlink -f "$1")
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

put() { # FILE [LINE]...
  mkdir -p "$tree/$(dirname "$1")"
  printf '%s\n' "${@:2}" > "$tree/$1"
}

clean_tree() {
  rm -rf "${tree:?}"/* "${tree:?}"/.ci
  mkdir "$tree/scripts"
  cp "$scripts/check_layers" "$scripts/check_links" "$scripts/check_prose" "$tree/scripts"
  put vcode/include/vcode/types.h
  put cvl/include/cvl/backend.h '#include "vcode/types.h"'
  put cvl-cpu/src/base/arena.h '#include "cvl/backend.h"'
  put cvl-cpu/src/base/arena.cpp '#include "base/arena.h"'
  put cvl-cpu/CMakeLists.txt 'add_executable(tests src/base/arena_test.cpp src/base/words_test.cpp)'
  put cvl-cpu/src/base/arena_test.cpp '#include "arena.h"' '#include "test_machine.h"'
  put cvl-cpu/src/operations/scan.cpp '#include "base/arena.h"'
  put cvl-cpu/src/cpu_backend.cpp '#include "base/arena.h"'
  put vcode-interp/include/vcode-interp/run.h '#include <string>' '#include "cvl/backend.h"'
  put nesl-tests/support/test_machine.h '#include "base/arena.h"'
  put python/nesl/__init__.py 'from .session import load'
  put python/nesl/_nesl.pyi
  put python/nesl/arrays.py 'import numpy as np' 'from . import _nesl'
  put python/nesl/arrow.py 'import nesl.arrays' 'def to_arrow():' '    from nesl import _nesl'
  put python/nesl/session.py 'from .arrow import (' '    to_arrow,' ')'
  put docs/page.md '[code](../cvl/include/cvl/backend.h), [part](#part), [site](https://example.org/x), `[no](link)`' \
    '## A *part*, and `more`' '' '[it](page.md#a-part-and-more)' '```' '[no](link)' '```' '## Part'
}

fail() {
  echo "$1"
  echo "$output"
  exit 1
}

# passes SCRIPT: the script must find nothing.
passes() {
  output=$("$tree/scripts/$1" 2>&1) || fail "$1 complains about a tree that is in order:"
  [[ -z $output ]] || fail "$1 says something about a tree that is in order:"
}
# complains SCRIPT TEXT: the script must fail, with this text in its output and no other finding.
complains() {
  if output=$("$tree/scripts/$1" 2>&1); then fail "$1 does not find a planted violation: $2"; fi
  [[ $output == *"$2"* && $output != *$'\n'* ]] || fail "$1 does not say '$2', or more than that:"
  clean_tree
}

clean_tree
passes check_layers
passes check_links

put cvl/include/cvl/loader.h '#include <string>' '#include "base/arena.h"'
complains check_layers "cvl/include/cvl/loader.h:2: cvl/ may include headers of base vcode, not of cvl-cpu/"
put vcode-interp/include/vcode-interp/run.h '#include "../../../cvl-cpu/src/base/arena.h"'
complains check_layers "vcode-interp/ may include headers of base vcode kernels cvl, not of cvl-cpu/"
put vcode/include/vcode/types.h '#include <cvl/backend.h>'
complains check_layers "vcode/ may include headers of base, not of cvl/"

put cvl-cpu/src/operations/context.h
put cvl-cpu/src/base/parallel.cpp '#include "operations/context.h"'
complains check_layers "cvl-cpu/src/base/parallel.cpp:1: cvl-cpu/src/base is below cvl-cpu/src/operations"
put vcode-interp/runtime/src/heap.cpp '#include "vcode-interp/run.h"'
complains check_layers "vcode-interp/runtime is below vcode-interp/include"
put fcode-opt/include/fcode-opt/shapes.h
put fcode-opt/src/shapes/shapes.cpp '#include "fcode-opt/shapes.h"'
put fcode-opt/src/ir/safety.h '#include "fcode-opt/shapes.h"'
complains check_layers "fcode-opt/src/ir/safety.h:1: fcode-opt/src/ir is below fcode-opt/src/shapes and may not include its headers"
put cvl-cpu/src/operations/context.h '#include "test_machine.h"'
complains check_layers "cvl-cpu/ may include headers of base vcode kernels cvl, not of nesl-tests/"
put nesl-tests/nesl-command/words.h
put cvl-cpu/src/base/words_test.cpp '#include "words.h"'
complains check_layers "a unit test may include headers of nesl-tests/support and nesl-tests/backends, not nesl-tests/nesl-command/words.h"

put cvl-cpu/src/rank/scan.cpp
complains check_layers "has the name of cvl-cpu/src/operations/scan.cpp"
put cvl/src/arena.cpp
complains check_layers "has the name of cvl-cpu/src/base/arena.cpp"
for ((k = 0; k < 26; k++)); do put "cvl/src/file$k.cpp"; done
complains check_layers "cvl/src: has 26 files side by side, more than 25"
put cvl/src/loader_test.cpp
complains check_layers "cvl/src/loader_test.cpp: is in no CMakeLists.txt"
put cvl/src/loader.cpp "$(seq 501)"
complains check_layers "cvl/src/loader.cpp: has 501 lines, more than 500"

put python/nesl/arrays.py 'def to_arrow():' '    from .session import load'
complains check_layers "python/nesl/session.py:1: modules import each other in a circle: session -> arrow -> arrays -> session"
put python/nesl/arrow.py 'def load():' '    from . import load'
complains check_layers "python/nesl/__init__.py:1: modules import each other in a circle: __init__ -> session -> arrow -> __init__"

put docs/page.md '' 'See [the code](../cvl/src/nonesuch.cpp#there).'
complains check_links "./docs/page.md:2: there is no ../cvl/src/nonesuch.cpp"
put docs/page.md '[a part](#nonesuch)' '```' '# Nonesuch' '```'
complains check_links "./docs/page.md:1: there is no heading #nonesuch in this page"
put docs/other.md '' '[a part](page.md#parts)'
complains check_links "./docs/other.md:2: there is no heading #parts in page.md"

git -C "$tree" init --quiet
prose() { # FILE TEXT RULE
  put "$1" "$2"
  git -C "$tree" add --all
  output=$("$tree/scripts/check_prose" 2>&1) && fail "check_prose does not find a planted violation: $2"
  [[ $output == "$1:1: $3"* ]] || fail "check_prose does not say '$1:1: $3':"
  clean_tree
}
git -C "$tree" add --all
passes check_prose
prose cvl/src/loader.cpp '/// What is loaded.' 'a comment names its subject first'
prose cvl/src/loader.h 'int f();  // What f gives' 'a comment names its subject first'
prose docs/page.md 'Words that are asked for.' 'name who needs it'
prose .ci/run '# This is harmless.' 'say what can and cannot happen'
prose cvl/src/loader.h 'struct Look {};' 'a type has a name of the field'
prose bench/results/profiles/a.txt '/home/ada/nesl/a.nesl:3 1' 'a record has no path of a machine'

commit() { git -C "$tree" -c user.name=n -c user.email=e commit --quiet --allow-empty --message "$1"; }
git -C "$tree" add --all
commit 'Old subjects are as they were'
passes check_prose
for subject in 'Fuse gathers into segmented sums' 'Merge branch x' 'Embed the prelude' 'Pass sizes by value'; do
  commit "$subject"
  passes check_prose
done
for subject in 'The table is new' 'Tables are new' 'rotate is a gather' 'Added a pass' 'Adding a pass' 'Record of programs' 'Add a pass.'; do
  commit "$subject"
  output=$("$tree/scripts/check_prose" 2>&1) && fail "check_prose accepts the subject '$subject'"
  [[ $output == *"$subject"* ]] || fail "check_prose does not name the subject '$subject':"
  git -C "$tree" reset --quiet --soft HEAD~1
done
