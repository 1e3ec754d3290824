#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Tests mutants.sh on a tree of its own with one small file: with a weak test mutants survive and are
# listed, with a strong one none does; the user's tree stays as it was.
set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if ! command -v git >/dev/null; then
  echo "1..0 # SKIP git is not installed"
  exit 0
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
tree=$folder/tree
number=0 failed=0

result() { # STATUS NAME: 0 is ok; the last output tells why not
  number=$((number + 1))
  if (($1 == 0)); then
    echo "ok $number - $2"
  else
    sed 's/^/# /' "$folder/out"
    echo "not ok $number - $2"
    failed=1
  fi
}

mutants() { (cd "$tree" && "$here/mutants.sh" --jobs 1 "$@") >"$folder/out" 2>&1; }

# says PATTERN NAME: the last output has a line like that
says() {
  grep -qE -- "$1" "$folder/out"
  result $? "$2"
}

mkdir -p "$tree/src/wire" "$tree/tests/mutants"
cat >"$tree/meson.build" <<'TEXT'
project('tiny', 'c')
tiny = static_library('tiny', 'src/wire/tiny.c')
foreach name : ['weak', 'broken', 'leaky', 'flaky']
  test(name, executable(name, name + '.c', link_with: tiny), suite: 'wire')
endforeach
subdir('tests')
TEXT
# executes nothing of src: gcov has no file
echo "test('never', executable('never', 'never.c'), suite: 'wire')" >"$tree/tests/meson.build"
cat >"$tree/src/wire/tiny.c" <<'TEXT'
/* if (a < b) in a comment, and tables outside of functions, have no mutants */
static const int table[2] = {1, 2};
int clip(int value, int limit);
int unused(int x);

int clip(int value, int limit) {
  const char *text = "value < limit && true; /* no comment";
  if (text[0] == 'v' && value > limit)
    return limit;
  return value + table[0] - 1;
}

int unused(int x) {
  return x + 1;
}
TEXT
cat >"$tree/weak.c" <<'TEXT'
int clip(int value, int limit);
int main(void) { return clip(1, 5) != 1; }
TEXT
cat >"$tree/tests/never.c" <<'TEXT'
int main(void) { return 0; }
TEXT
cat >"$tree/broken.c" <<'TEXT'
int clip(int value, int limit);
int main(void) { return clip(1, 5) == 1; }
TEXT
cat >"$tree/leaky.c" <<'TEXT'
int clip(int value, int limit);
int main(void) {
  void *volatile p = 0;
  for (int k = 0; k < 8; k++) p = __builtin_malloc(9);
  p = 0;
  return clip(1, 5) != 1;
}
TEXT
# passes as long as no mutant is asked about: twice
cat >"$tree/flaky.c" <<'TEXT'
#include <stdio.h>
#include <stdlib.h>
int clip(int value, int limit);
int main(void) {
  FILE *runs = fopen(getenv("FLAKY"), "a");
  if (!runs || fputc('x', runs) < 0) return 2;
  return clip(1, 5) != 1 || ftell(runs) > 2;
}
TEXT
export FLAKY=$folder/flaky
echo "build/" >"$tree/.gitignore"
echo "# nothing yet" >"$tree/tests/mutants/equivalent.txt"
(
  cd "$tree" && git init -q && git add -A && # dated: the commit seeds what is chosen
    GIT_AUTHOR_DATE=2026-01-01T00:00:00Z GIT_COMMITTER_DATE=2026-01-01T00:00:00Z \
    git -c user.name=a -c user.email=a@b -c commit.gpgsign=false commit -qm "tiny: begin"
) || exit 1
before=$(cd "$tree" && git status --porcelain && find . -path ./build -prune -o -path ./.git -prune -o -type f -print0 | sort -z | xargs -0 cksum)

mutants --list src
[[ $(grep -c '^+' "$folder/out") -ge 5 ]] && ! grep -E '^- .*(comment, and|static const|value \|\|)' "$folder/out"
result $? "mutants come from the bodies of functions alone"
mutants --list --count 4 src && cp "$folder/out" "$folder/first" && mutants --list --count 4 src && cmp -s "$folder/out" "$folder/first"
result $? "the same commit gives the same mutants"
mutants --list --count 4 --seed other src
! cmp -s "$folder/out" "$folder/first"
result $? "another seed gives others"

! mutants src
result $? "with a weak test it fails"
says '^src/wire/tiny\.c:8: comparison$' "the survivor is listed with file and line"
says '^\+ if \(text\[0\] == .v. && value >= limit\)$|^\- if \(text' "and with the line before and after"
says 'killed by wire-weak \(exit 1\)' "what is killed says by which test"
says 'SURVIVED: no test executes it' "a line that no test executes is told apart"
says 'left out, for it fails without a mutant: wire-broken' "a test that fails anyway kills nothing"
says 'left out, for it fails without a mutant: wire-leaky \(exit' "one that fails only as built for mutants, neither"
says 'wire-flaky fails without the mutant, too' "one that begins to fail is found out"
! grep -q 'killed by wire-\(flaky\|leaky\)' "$folder/out"
result $? "what it would have killed is asked of others"
! grep -q wire-never "$folder/out"
result $? "a test that does not execute the line is not run"

cat >"$tree/weak.c" <<'TEXT'
int clip(int value, int limit);
int unused(int x);
int main(void) {
  return clip(1, 5) != 1 || clip(7, 5) != 5 || clip(6, 5) != 5 || clip(-9, 5) != -9 || unused(4) != 5;
}
TEXT
for name in broken leaky flaky; do
  cp "$tree/tests/never.c" "$tree/$name.c"
done
cat >"$tree/tests/mutants/equivalent.txt" <<'TEXT'
# at the limit both are the limit
src/wire/tiny.c
- if (text[0] == 'v' && value > limit)
+ if (text[0] == 'v' && value >= limit)
TEXT
mutants src
result $? "with a strong test, not even committed, none survives"
says '^[0-9]+ mutants: [0-9]+ killed, 0 survived, 0 .* 1 known as equivalent' "the known equivalent is counted apart"
mutants --show --count 5 src
says '^SHOW 12\.4 fresh mutants that survive, of 5 measured=0 target=<= 0 PASS$' "the line for docs/acceptance.md"

cat >"$tree/tests/mutants/named.txt" <<'TEXT'
# the limit is one too low
src/wire/tiny.c
@ int clip(int value, int limit) {
- return limit;
+ return limit - 1;

# the sum is no sum
src/wire/tiny.c
@ int unused
- return x + 1;
+ { int pause(void); for (;;) pause(); }

# memory that is never freed
src/wire/tiny.c
@ int unused
- return x + 1;
+ { void *volatile p = __builtin_malloc(9); return x + (p != 0); }
TEXT
mutants --named --show
result $? "named mutants are killed, one that hangs by the clock"
says 'killed by wire-weak \(time-out\)' "and it is said that it hung"
says 'never freed: killed by wire-weak' "what only a sanitizer notices is noticed"
printf '# gone\nsrc/wire/tiny.c\n- return nothing;\n+ return 0;\n' >>"$tree/tests/mutants/named.txt"
! mutants --named --show
result $? "a named mutant whose line is gone is a failure"

(cd "$tree" && git checkout -q . && rm tests/mutants/named.txt)
after=$(cd "$tree" && git status --porcelain && find . -path ./build -prune -o -path ./.git -prune -o -type f -print0 | sort -z | xargs -0 cksum)
[[ $before == "$after" ]]
result $? "the tree stays as it was"

echo "1..$number"
exit "$failed"
