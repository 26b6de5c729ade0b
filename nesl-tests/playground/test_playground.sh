#!/bin/bash
# Tests the page in build/playground/page.
#
#   test_playground.sh programs NESL    the corpus under node: the same output as of the native command
#   test_playground.sh page NESL        the page in headless Chromium
#
# Exits with 77 if the page has not been built or is out of date; with NESL_TEST_LONG, builds it first if Emscripten is
# installed.
set -euo pipefail

here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
root=$(dirname "$(dirname "$here")")
part=$1 nesl=$2
page=$root/build/playground/page/nesl-program.js
folders=(base vcode kernels fcode-opt cvl cvl-cpu vcode-interp nesl-compiler nesl-cli playground examples)

skip() { echo "skipped: $*"; exit 77; }

for program in em++ node; do
  command -v "$program" > /dev/null || skip "$program is not installed (scripts/setup --playground)"
done
if [[ -n ${NESL_TEST_LONG:-} ]]; then
  "$root/scripts/build" playground playground-page
elif [[ ! -e $page ]] || [[ -n $(cd "$root" && find "${folders[@]}" -type f -newer "$page" -print -quit) ]]; then
  skip "the page is not built, or older than the sources: scripts/build playground"
fi

case $part in
  programs)
    exec node "$here/run_programs.js" "$root/build/playground/playground" "$nesl" "$root" ;;
  page)
    for browser in chromium-headless-shell chromium chromium-browser google-chrome; do
      ! command -v "$browser" > /dev/null || exec node "$here/use_page.js" "$browser" "$root/build/playground/page"
    done
    skip "no Chromium is installed" ;;
esac
