#!/bin/bash
# The Python package on an installed NESL: python_package_test.sh package|wheel BUILD SOURCE
#   package   built with CMake, for Debian's Python; its tests need packages of Debian
#   wheel     built and installed by pip in a fresh virtual environment, with the newest packages from the index that pip uses
# Both then run python/tests. Ends with status 77, and the reason, if a requirement is missing.
set -euo pipefail

way=$1
build=$(readlink -f "$2")
source=$(readlink -f "$3")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export XDG_CACHE_HOME=$folder/cache PYTHONDONTWRITEBYTECODE=1
skip() {
  echo "python_package_test: SKIPPED: $*"
  exit 77
}
run() { # run COMMAND...: its output only if it fails
  "$@" > "$folder/output.txt" 2>&1 || { cat "$folder/output.txt"; echo "python_package_test: failed: $*"; exit 1; }
}

debian_python=/usr/bin/python3
[ -x $debian_python ] || skip "there is no $debian_python"
run cmake --install "$build" --component nesl --prefix "$folder/installed"
cp -r "$source/python" "$folder/python"  # keeps the source unchanged

case $way in
  package)
    for module in numpy scipy IPython pytest; do
      $debian_python -c "import $module" 2> /dev/null || skip "$debian_python has no $module: scripts/setup installs it"
    done
    run cmake -S "$folder/python" -B "$folder/build" "-Dnesl_ROOT=$folder/installed" "-DPython_EXECUTABLE=$debian_python" \
      -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS=-Werror
    run cmake --build "$folder/build"
    run cmake --install "$folder/build" --component python --prefix "$folder/site"
    export PYTHONPATH=$folder/site
    python=$debian_python
    ;;
  wheel)
    $debian_python -m venv "$folder/venv" > "$folder/output.txt" 2>&1 || skip "no virtual environment: $(cat "$folder/output.txt")"
    python=$folder/venv/bin/python
    "$python" -m pip --disable-pip-version-check install --quiet scikit-build-core pybind11 ninja numpy pytest pygments awkward pyarrow \
      > "$folder/output.txt" 2>&1 || skip "pip cannot get what the package is built with: $(tail -n 1 "$folder/output.txt")"
    run "$python" -m pip --disable-pip-version-check install --no-build-isolation "$folder/python" \
      "--config-settings=cmake.define.nesl_ROOT=$folder/installed"
    rm -r "$folder/installed"  # the wheel contains all that it needs
    ;;
esac
found=$(cd "$folder" && "$python" -c 'import nesl; print(nesl.__file__)')
[[ $found == "$folder"/* ]] || { echo "python_package_test: nesl is taken from $found"; exit 1; }
"$python" -m pytest --quiet -p no:cacheprovider "$source/python/tests"
