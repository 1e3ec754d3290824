#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Part of mutants.sh: copies of the tree, one test in a copy, and which lines each test executes.
# shellcheck disable=SC2154,SC2164 # mutants.sh sets them, and -e

# ---- copies of the tree ----------------------------------------------------------------------

# The tree as it stands, new files too, as git knows it; its objects stay out of .git.
snapshot() {
  mkdir -p "$GIT_OBJECT_DIRECTORY"
  [[ -f $work/index ]] || GIT_INDEX_FILE=$work/index git read-tree HEAD
  GIT_INDEX_FILE=$work/index git add -A .
  GIT_INDEX_FILE=$work/index git write-tree
}

# prepare NAME OPTION...: build/mutants/NAME/tree is the snapshot, NAME/build its build, set up
prepare() {
  local dir=$work/$1
  shift
  mkdir -p "$dir/tree"
  GIT_INDEX_FILE=$dir/index git --work-tree="$dir/tree" read-tree --reset -u "$tree"
  if grep -qs "option('ui'" "$dir/tree/meson_options.txt" && ! grep -q '^src/ui/' "$run/files"; then
    set -- "$@" -Dui=disabled
  fi
  if [[ ! -f $dir/build/build.ninja || $(cat "$dir/options" 2>/dev/null) != "$*" ]]; then
    rm -rf "$dir/build"
    meson setup "$dir/build" "$dir/tree" -Ddebug=false "$@" >"$dir/log" 2>&1 ||
      { tail -n 20 "$dir/log" && die "meson does not set $dir up"; }
    echo "$*" >"$dir/options"
  fi
  ninja -C "$dir/build" build.ninja >"$dir/log" 2>&1 || # tests that came since
    { tail -n 20 "$dir/log" && die "meson does not set $dir up"; }
  describe_tests "$dir"
}

# All that the tests of a copy need; workers build only what they come to run.
compile_tests() {
  cut -f 3 "$work/$1/list" | tr ' ' '\n' | sort -u |
    xargs ninja -C "$work/$1/build" -j "$jobs" >"$work/$1/log" 2>&1 ||
    { tail -n 40 "$work/$1/log" && die "the tree does not build, even without a mutant"; }
}

# The suites that can reach the rooms of the files.
suites() {
  if [[ $only ]]; then
    echo "$only"
    return
  fi
  awk -F / '
    { room[$2] = 1 }
    END {
      if (room["core"]) print "core"
      if (room["wire"]) print "wire"
      if (room["core"] || room["wire"] || room["io"] || room["sim"]) print "io"
      if (room["ui"]) print "ui\ntechnician"
      print "sim\nsession\ncli\nplain"
    }' "$run/files" | paste -sd ' '
}

# What meson knows of the tests: DIR/list has rows of ID, whether others may run beside it, and what
# ninja is to build for it; DIR/command/ID is a shell command.
describe_tests() {
  local dir=$1 id parallel targets command
  rm -rf "$dir/command"
  mkdir -p "$dir/command"
  jq -r --slurpfile targets "$dir/build/meson-info/intro-targets.json" --arg build "$dir/build/" --arg suites "$(suites)" '
    ($targets[0] | map({key: .id, value: (.filename[0] | ltrimstr($build))}) | from_entries) as $file
    | ($suites | split(" ")) as $wanted
    | .[] | (.suite | map(sub(".*:"; ""))) as $suite
    | select(($suite - $wanted | length) == 0)
    | ["\($suite[0])-\(.name)", .is_parallel and .priority >= 0, ([.depends[] | $file[.]] | join(" ") | if . == "" then "build.ninja" else . end),
       "cd \((.workdir // $build) | @sh) && exec env " +
         ([(.env | to_entries[] | "\(.key)=\(.value)"), .cmd[]] | map(@sh) | join(" "))]
    | join("\t")' "$dir/build/meson-info/intro-tests.json" >"$run/described"
  while IFS=$'\t' read -r id parallel targets command; do
    echo "$command" >"$dir/command/$id"
    printf '%s\t%s\t%s\n' "$id" "$parallel" "$targets"
  done <"$run/described" >"$dir/list"
}

# ---- one test --------------------------------------------------------------------------------

# start NAME ID SECONDS LOG: in the place of this shell
start() {
  local temporary
  ulimit -c 0 -f 4194304
  temporary=$run/tmp-$1-$2
  mkdir -p "$temporary"
  chmod 711 "$temporary"
  TMPDIR=$temporary MALLOC_PERTURB_=165 exec timeout -k 2 "$3" bash "$work/$1/command/$2" \
    </dev/null >"$4" 2>&1
}

# verdict STATUS LOG: passed, or what was wrong
verdict() {
  if (($1 == 124 || $1 == 137)); then
    echo "time-out"
  elif (($1 != 0)); then
    echo "exit $1"
  else
    awk '/^not ok/ && !/# *(TO[D]O|SKIP)/ { bad = 1 }
      /^Bail out!/ { bad = 1 }
      /^(not )?ok/ { done++ }
      /^1\.\.[0-9]+/ { has_plan = 1; plan = substr($1, 4) + 0 }
      END { print bad || (has_plan && plan != done) ? "not ok" : "passed" }' "$2"
  fi
}

# run_test NAME ID SECONDS: says the verdict
run_test() {
  local log=$run/log-$1-$2 status=0
  { (start "$1" "$2" "$3" "$log") || status=$?; } 2>/dev/null # how it ended is said below
  verdict $status "$log"
  rm -rf "$log" "$run/tmp-$1-$2"
}

# What decides a test's outcome: its programs and files.
key_of() {
  local word
  {
    cat "$work/$1/command/$2"
    (
      cd "$work/$1/build"
      tr " '" '\n' <"$work/$1/command/$2" | sort -u | while read -r word; do
        if [[ -f $word && $word != *build.ninja ]]; then cksum "$word"; fi
      done
    )
  } | cksum
}

# pool N FUNCTION: the function for each line of the input, N at a time
pool() {
  local line
  while read -r line; do
    while (($(jobs -rp | wc -l) >= $1)); do wait -n || true; done
    "$2" "$line" &
  done
  wait
}

# ---- which tests execute which lines ---------------------------------------------------------

has_passed() { grep -qs 'passed$' "$work/cover/tests/$1.time"; }

cover_one() {
  local id=$1 dir=$work/cover out=$work/cover/tests/$1 prefix=$run/gcda-$1 gcda object key begun word
  key=$(key_of cover "$id")
  if [[ $(cat "$out.key" 2>/dev/null) == "$key" ]] && has_passed "$id"; then return 0; fi
  begun=$(now) word=$(GCOV_PREFIX=$prefix run_test cover "$id" 600)
  printf '%s\t%s\t%s\n' "$id" "$(since "$begun")" "$word" >"$out.time"
  : >"$out.new"
  if [[ -d $prefix$dir/build ]]; then
    find "$prefix$dir/build" -path "*/build/tests" -prune -o -name '*.gcda' -print | while read -r gcda; do
      object=${gcda#"$prefix"}
      cp "${object%gcda}gcno" "$(dirname "$gcda")"
      echo "$gcda"
    done >"$prefix/list"
    (
      cd "$dir/build"
      xargs -r -a "$prefix/list" gcov -t 2>/dev/null
    ) | awk '
      { at = index($0, ":"); count = substr($0, 1, at - 1); rest = substr($0, at + 1)
        gsub(/[ *]/, "", count); line = rest + 0 }
      line == 0 && rest ~ /:Source:/ {
        file = rest; sub(/.*:Source:/, "", file)
        at = index(file, "tree/src/"); file = at ? substr(file, at + 5) : ""
        if (file ~ /\.c$/) print "F", file; else file = ""
      }
      line > 0 && file != "" && count != "-" { print (count ~ /^[#=]/ ? "-" : "+") line }' >"$out.new"
  fi
  rm -rf "$prefix"
  mv "$out.new" "$out"
  echo "$key" >"$out.key"
}

# The tests of each mutant, quickest first: rows of the candidates with one more column.
with_tests() {
  awk -F '\t' -v OFS='\t' '
    FILENAME == ARGV[1] { seconds[$1] = $2; next } # ID, seconds
    FILENAME == ARGV[2] { wanted[$1] = 1; next }
    FILENAME != ARGV[ARGC - 1] {
      if (FNR == 1) {
        id = FILENAME; sub(/.*\//, "", id)
        is_known = id in seconds
        file = ""
      }
      if (!is_known) next
      if (/^F /) { file = substr($0, 3); if (!(file in wanted)) file = ""; next }
      if (file == "") next
      line = substr($0, 2)
      has_code[file, line] = 1
      if (/^\+/) tests[file, line] = tests[file, line] " " id
      next
    }
    {
      line = $2
      while (line > 1 && line > $2 - 12 && !(($1, line) in has_code)) line--
      number = split(tests[$1, line], ids, " ")
      for (k = 2; k <= number; k++)
        for (i = k; i > 1 && seconds[ids[i]] < seconds[ids[i - 1]]; i--) {
          swap = ids[i]; ids[i] = ids[i - 1]; ids[i - 1] = swap
        }
      text = ""
      for (k = 1; k <= number; k++) text = text (k > 1 ? " " : "") ids[k]
      print $0, text == "" ? "-" : text
    }' "$1" "$run/files" "${@:3}" "$2"
}

# ---- which tests can be asked ----------------------------------------------------------------

is_sound() { [[ $(cat "$work/w0/tests/$1" 2>/dev/null) == "$(key_of w0 "$1") passed" ]]; }

sound_one() {
  is_sound "$1" || echo "$(key_of w0 "$1") $(run_test w0 "$1" 600)" >"$work/w0/tests/$1"
}

# Without a mutant, but built as the mutants are, each test of the queue passes, or it is not asked.
leave_out_unsound() {
  local id ids
  mkdir -p "$work/w0/tests"
  mapfile -t ids < <(cut -f 6 "$run/queue" | tr ' ' '\n' | grep -v '^-$' | sort -u)
  ((${#ids[@]})) || return 0
  printf '%s\n' "${ids[@]}" | pool $((2 * $(nproc))) sound_one
  for id in "${ids[@]}"; do
    is_sound "$id" || sound_one "$id" # undisturbed
    is_sound "$id" && continue
    say "left out, for it fails without a mutant: $id ($(cut -d ' ' -f 3- "$work/w0/tests/$id"))"
    awk -F '\t' -v id="$id" '$1 != id' "$run/seconds" >"$run/sound"
    mv "$run/sound" "$run/seconds"
    echo again >"$run/again"
  done
  [[ ! -f $run/again ]] || with_tests "$run/seconds" "$run/candidates" "${covers[@]}" >"$run/queue"
}

now() { echo "${EPOCHREALTIME/,/.}"; }
since() { awk -v a="$1" -v b="$(now)" 'BEGIN { printf "%.2f", b - a }'; }
