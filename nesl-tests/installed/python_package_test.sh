#!/bin/bash
# The Python package on an installed NESL: python_package_test.sh package|sanitized|wheel BUILD SOURCE
#   package   built with CMake, for Debian's Python; its tests, and those of bench/users.py, need packages of Debian
#   sanitized the same with the address sanitizer, of a build with it, without tests that start many processes
#   wheel     made by scripts/wheel, inspected, and installed by pip in fresh virtual environments with the newest packages
#             from the index that pip uses: for Debian's Python; with NESL_TEST_LONG for each of 3.9 to 3.13 that is installed
# All run python/tests. Ends with status 77, and the reason, if a requirement is missing.
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

# test_package PYTHON [OPTION]...: the tests, with what that interpreter finds as nesl
test_package() {
  local found
  found=$(cd "$folder" && "$1" -c 'import nesl; print(nesl.__file__)')
  [[ $found == "$folder"/* ]] || { echo "python_package_test: nesl is taken from $found"; exit 1; }
  "$1" -m pytest --quiet -p no:cacheprovider "$source/python/tests" "${@:2}"
}

# add_stand_in FOLDER: the library that stands in for a device, beside the package's
add_stand_in() {
  cp "$build/bin/libcvl-cuda-host.so" "$1"
  export NESL_TEST_DEVICES=1
}

# test_installed [SETTING]...: settings of CMake
test_installed() {
  for module in numpy scipy IPython pytest; do
    $debian_python -c "import $module" 2> /dev/null || skip "$debian_python has no $module: scripts/setup installs it"
  done
  run cmake --install "$build" --component nesl --prefix "$folder/installed"
  cp -r "$source/python" "$folder/python"  # keeps the source unchanged
  run cmake -S "$folder/python" -B "$folder/build" "-Dnesl_ROOT=$folder/installed" "-DPython_EXECUTABLE=$debian_python" \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS=-Werror "$@"
  run cmake --build "$folder/build"
  run cmake --install "$folder/build" --component python --prefix "$folder/site"
  export PYTHONPATH=$folder/site
  add_stand_in "$folder/site/nesl"
}

# The process of Python is not compiled with the sanitizer, so its library is loaded before all others. Python's own memory
# comes from malloc, which the sanitizer watches.
test_sanitized() {
  local runtime
  runtime=$(clang++ -print-file-name=libclang_rt.asan-x86_64.so)
  [[ -e $runtime ]] || skip "clang++ has no shared library of the address sanitizer"
  test_installed -DCMAKE_CXX_COMPILER=clang++ \
    "-DCMAKE_CXX_FLAGS=-O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"
  export LD_PRELOAD="$runtime $(c++ -print-file-name=libstdc++.so.6)" PYTHONMALLOC=malloc
  export ASAN_OPTIONS=exitcode=99:allocator_may_return_null=1:detect_leaks=0:log_path=$folder/report
  export UBSAN_OPTIONS=exitcode=99:print_stacktrace=1:log_path=$folder/report
  test_package $debian_python -k "not multiprocessing and not joblib" || { cat "$folder"/report.*; exit 1; }
}

fail() {
  echo "python_package_test: $*"
  exit 1
}

# inspect FOLDER WHEEL: no machine path, no missing library, no more than 60 MB
inspect() {
  local file
  (($(stat --format=%s "$2") <= 60 * 1000 * 1000)) || fail "$2 has $(stat --format=%s "$2") bytes"
  while read -r file; do
    if readelf --dynamic "$file" | grep -E 'R(UN)?PATH' | grep -v -E '\[\$ORIGIN[^/]*(/\.\./nesl\.libs)?\]$'; then
      fail "$file is searched for in a folder of this machine"
    fi
    if env -i ldd "$file" | grep -F 'not found'; then fail "$file misses a library"; fi
    if grep -F -q -e "$source" -e "$build" "$file"; then fail "$file contains the path of the sources or the build"; fi
  done < <(find "$1"/nesl "$1"/nesl.libs -type f \( -name '*.so*' -o -perm -u+x \))
  for library in tbb12 fmt9 zstd1; do [[ -s $1/nesl/licenses/lib$library.txt ]] || fail "$2 lacks the licence of $library"; done
}

# test_wheel PYTHON: in an environment of its own
test_wheel() {
  local venv=$folder/venv-$("$1" -c 'import sys; print("cp%d%d" % sys.version_info[:2])')
  local wheel
  wheel=$(echo "$folder"/wheels/*-"${venv##*-}"-manylinux*.whl)
  "$1" -m venv "$venv"
  run "$venv/bin/python" -m pip install --quiet numpy pytest pygments ipykernel nbclient \
    ${NESL_TEST_LONG:+awkward pyarrow polars joblib scipy ipython dask[dataframe] distributed ray duckdb jax}
  run "$venv/bin/python" -m pip install --no-index --no-deps "$wheel"
  [[ -s $venv/share/jupyter/kernels/nesl/kernel.json ]] || fail "$wheel does not install the Jupyter kernel"
  inspect "$(echo "$venv"/lib/python*/site-packages)" "$wheel"
  echo 'sum({i * i : i in [0:10]});' > "$folder/sum.nesl"
  [[ $(env -i "$venv/bin/nesl" run "$folder/sum.nesl") == *285* ]] || fail "the program nesl of $wheel does not work"
  [[ $(env -i "$venv/bin/vinterp" --version) == *"kernels compiled by LLVM"* ]] || fail "$wheel does not compile kernels"
  add_stand_in "$(echo "$venv"/lib/python*/site-packages/nesl)"
  test_package "$venv/bin/python"
}

test_wheels() {
  local pythons=($debian_python) version
  export PIP_DISABLE_PIP_VERSION_CHECK=1
  $debian_python -m venv "$folder/trial" > "$folder/output.txt" 2>&1 || skip "no virtual environment: $(cat "$folder/output.txt")"
  "$folder/trial/bin/python" -m pip download --quiet --no-deps --dest "$folder/trial" auditwheel > "$folder/output.txt" 2>&1 ||
    skip "pip cannot get the tools for wheels: $(tail -n 1 "$folder/output.txt")"
  for version in ${NESL_TEST_LONG:+3.9 3.10 3.12 3.13}; do
    if "python$version" -c '' 2> /dev/null; then pythons+=("python$version"); fi
  done
  run "$source/scripts/wheel" --build "$build" --output "$folder/wheels" "${pythons[@]}"
  for python in "${pythons[@]}"; do test_wheel "$python"; done
  # The package of sources says what it lacks.
  mkdir "$folder/sources"
  tar -xf "$folder"/wheels/*.tar.gz -C "$folder/sources" --strip-components=1
  if cmake -S "$folder/sources" -B "$folder/sources/build" -DCMAKE_DISABLE_FIND_PACKAGE_nesl=ON > "$folder/output.txt" 2>&1; then
    fail "the package of sources is configured without NESL"
  fi
  grep -F -q 'This package of sources has the Python part of NESL only' "$folder/output.txt" || fail "$(cat "$folder/output.txt")"
}

case $way in
  package)
    test_installed
    test_package $debian_python
    # The tasks of scripts/bench jagged and users, at a small size: results of NESL beside those of NumPy and SciPy.
    for suite in jagged users; do run $debian_python "$source/bench/users.py" $suite --check; done
    ;;
  sanitized) test_sanitized ;;
  wheel) test_wheels ;;
esac
