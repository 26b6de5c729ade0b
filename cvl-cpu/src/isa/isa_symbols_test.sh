#!/bin/sh
# Fails if an object compiled for one instruction set defines a function that the linker may merge with
# another object's (a weak symbol outside its own namespace): a processor without that instruction set
# could then run the function. Usage: isa_symbols_test.sh NM OBJECT...
nm=$1
shift
status=0
for object in "$@"; do
  isa=$(expr "$object" : '.*cvl-cpu-\([a-z0-9]*\)\.dir')
  shared=$("$nm" -C --defined-only "$object" | grep ' W ' | grep -v "cvl::cpu::$isa::")
  if [ -n "$shared" ]; then
    echo "$object: $shared"
    status=1
  fi
done
exit $status
