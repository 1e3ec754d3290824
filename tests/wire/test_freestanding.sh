#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The wire room as firmware would compile it: strict C99 without a hosted library, every warning an
# error; what remains undefined is mem*, and the state has no pointer to anything but what it got.
#
#   test_freestanding.sh SOURCE_ROOT BUILD_DIR
set -uo pipefail
root=$1 work=$2
number=0 failed=0
mkdir -p "$work"

result() { # STATUS NAME
  number=$((number + 1))
  if (($1 == 0)); then
    echo "ok $number - $2"
  else
    echo "not ok $number - $2"
    failed=1
  fi
}

flags=(-std=c99 -ffreestanding -fno-builtin -O2 -Wall -Wextra -Wshadow -Wconversion
  -Wfloat-conversion -Wdouble-promotion -pedantic -Werror -I "$root/src")

# compile NAME COMPILER FLAGS...: all files into one object; then the calls that are left
compile() {
  local name=$1 cc=$2 objects=() file object bad=0 extra
  shift 2
  for file in "$root"/src/wire/*.c; do
    object=$work/$name-$(basename "$file" .c).o
    objects+=("$object")
    "$cc" "${flags[@]}" "$@" -c "$file" -o "$object" 2>"$work/log" || {
      sed 's/^/# /' "$work/log"
      bad=1
    }
  done
  result "$bad" "$name compiles"
  ((bad == 0)) || return
  "$cc" "$@" -nostdlib -r "${objects[@]}" -o "$work/$name.o" 2>/dev/null ||
    ld -r "${objects[@]}" -o "$work/$name.o"
  extra=$(nm -u "$work/$name.o" | awk '$2 !~ /^(mem(cpy|move|set|cmp|chr)|_GLOBAL_OFFSET_TABLE_)$/')
  [[ -z $extra ]] || echo "# $extra"
  [[ -z $extra ]]
  result $? "$name: nm -u shows mem* only"
  [[ $(nm "$work/$name.o" | awk '$2 ~ /^[BbDdC]$/' | grep -vc 'requests') -eq 0 ]]
  result $? "$name: no writable data"
}

compile gcc gcc
if command -v clang >/dev/null; then compile clang clang; fi
compile small gcc -Os -DWIRE_CRC32_SMALL -DWIRE_DEVICE_JOINTS=6 -DWIRE_DEVICE_PARAMS=64 \
  -DWIRE_DEVICE_SEGMENTS=8

# Headers stand alone.
bad=0
for header in "$root"/src/wire/*.h; do
  printf '#include "wire/%s"\ntypedef int nothing;\n' "$(basename "$header")" |
    gcc "${flags[@]}" -fsyntax-only -xc - 2>"$work/log" || {
    sed 's/^/# /' "$work/log"
    bad=1
  }
done
result "$bad" "every header compiles alone"

echo "1..$number"
exit "$failed"
