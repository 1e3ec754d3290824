#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Changes one line at a time of the given C files and runs the tests that execute it, the quickest
# first: what no test notices is listed. `./dev mutants --help` says how to call it; it works on the
# tree it is started in, through copies in build/mutants, and never writes elsewhere in it.
#
#   build/mutants/cover      the tree, built for gcov; cover/tests/ID: which lines test ID
#                            executes; ID.time: how long it takes, whether it passes without a mutant
#   build/mutants/w0         the tree, built with little optimisation and with sanitizers, as in
#                            `./dev asan`: what it would notice is noticed; never a mutant in it
#   build/mutants/w1..wN     the same once per worker, with mutants
#   build/mutants/survivors  of the last run, in the form that --from reads
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$PWD
work=$root/build/mutants
quick=1 # seconds: slower tests run several at a time, and when one fails it is asked twice
wave=3  # so many of them per worker

seed='' count=150 listing=0 jobs=$(nproc) from='' name='' show='' only='' paths=()

usage() {
  cat <<'TEXT'
./dev mutants [OPTION..] PATH..   mutants of these files, or of the .c files in these folders
  --count N       so many that compile and change something (150), spread over the lines of code
  --seed WORD     other mutants than those of this commit
  --list          prints what would be drawn, runs nothing
  --named         the mutants in tests/mutants/named.txt instead, which all must be killed
  --from FILE     those in FILE, build/mutants/survivors for instance
  --jobs N        so many at a time
  --suites WORDS  asks only the tests of these suites: quicker, and more seem to survive
  --show[=LINE]   the last line is one of docs/acceptance.md: a tenth may survive, of the named none
TEXT
}

say() { printf '== %s\n' "$*" >&2; }
die() {
  printf 'mutants: %s\n' "$*" >&2
  exit 2
}

while (($#)); do
  case $1 in
  --count) count=${2:?} && shift ;;
  --seed) seed=${2:?} && shift ;;
  --jobs) jobs=${2:?} && shift ;;
  --suites) only=${2:?} && shift ;;
  --list) listing=1 ;;
  --named) from=tests/mutants/named.txt name=named ;;
  --from) from=${2:?} && shift ;;
  --show) show=12.4 ;;
  --show=*) show=${1#*=} ;;
  -h | --help) usage && exit 0 ;;
  -*) usage >&2 && exit 2 ;;
  *) paths+=("${1#./}") ;;
  esac
  shift
done
[[ $count =~ ^[1-9][0-9]*$ && $jobs =~ ^[1-9][0-9]*$ ]] || die "--count and --jobs take a number"
seed=${seed:-$(git rev-parse HEAD)}
mkdir -p "$work"
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1:max_malloc_fill_size=4096
export LSAN_OPTIONS=suppressions=$root/tests/support/lsan.supp:print_suppressions=0
run=$(mktemp -d "${TMPDIR:-/tmp}/mutants.XXXXXX")
chmod 711 "$run" # tests go in as nobody
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$run"' EXIT
trap 'exit 130' INT TERM

# ---- which mutants: rows of file, line, operator, before, after ------------------------------

files() {
  local path
  for path in "${paths[@]}"; do
    [[ -e $path ]] || path=src/$path
    if [[ -d $path ]]; then
      find "$path" -name '*.c'
    elif [[ ! -e $path ]]; then
      die "$path: no such file"
    elif [[ $path == *.c ]]; then
      echo "$path"
    fi
  done | sort -u
}

drawn() {
  local list
  mapfile -t list < <(files)
  ((${#list[@]})) || die "none of these paths is a C file"
  awk -v seed="$seed" -f "$here/make.awk" "${list[@]}" |
    awk -F '\t' -v OFS='\t' '{ n[$1]++; printf "%.9f", (n[$1] - 0.5) / $4; print "", $1, $3, $5, $6, $7 }' |
    LC_ALL=C sort -t $'\t' -k1,1n -k2,2 -k3,3n | cut -f 2-
}

# listed FILE: rows of what a list names; @ says after which text of the file a line is looked for.
# The words go where the operator stands.
listed() {
  awk -v list="$1" '
    function trim(text) { gsub(/^ +| +$/, "", text); return text }
    function find(   line, number, is_after, indent, found) {
      is_after = anchor == ""
      while ((getline line < file) > 0) {
        number++
        if (is_after && trim(line) == before) {
          indent = substr(line, 1, match(line, /[^ ]/) - 1)
          printf "%s\t%d\t%s\t%s\t%s\n", file, number, words, line, indent after
          found = 1
          if (anchor != "") break
        }
        if (anchor != "" && index(line, anchor)) is_after = 1
      }
      close(file)
      if (!found) printf "%s\t0\t%s\t%s\t%s\n", file, words, before, after
    }
    /^# / { if (!is_head) words = ""; words = words (words == "" ? "" : " ") substr($0, 3); is_head = 1; next }
    /^ *$/ { is_head = 0; next }
    { is_head = 0 }
    /^src\// { file = trim($0); anchor = ""; next }
    /^@ / { anchor = trim(substr($0, 3)); next }
    /^- / { before = trim(substr($0, 3)); next }
    /^\+ / { after = trim(substr($0, 3)); find(); next }
    { printf "%s:%d: neither #, @, -, + nor a file in src\n", list, FNR > "/dev/stderr"; exit 2 }' "$1"
}

# shellcheck source=tests/mutants/trees.sh
source "$here/trees.sh"

# ---- the workers -----------------------------------------------------------------------------

# claim: the number of the next candidate, while mutants are wanted
claim() {
  local next good
  (
    flock 9
    read -r next good <"$run/state"
    ((next < total && good < count)) || exit 1
    echo "$((next + 1)) $good" >"$run/state"
    echo $((next + 1))
  ) 9>"$run/lock"
}

# accept: one mutant more that counts; says which one it is, fails when there are enough
accept() {
  local next good
  (
    flock 9
    read -r next good <"$run/state"
    ((good < count)) || exit 1
    echo "$next $((good + 1))" >"$run/state"
    echo $((good + 1))
  ) 9>"$run/lock"
}

limit_of() { awk -v s="${seconds[$1]}" -v f="$2" 'BEGIN { print f * (3 * s + 2) }'; }

# A test that fails with a mutant may fail of itself on a busy machine.
fails_again() { [[ $(run_test "$1" "$2" "$(limit_of "$2" 2)") != passed ]]; }

# A test that fails without the mutant, too, has not noticed it.
passes_without() {
  local word
  word=$( (flock 7 && run_test w0 "$1" "$(limit_of "$1" 2)") 7>"$run/lock-$1")
  if [[ $word == passed ]]; then return 0; fi
  say "$1 fails without the mutant, too ($word): that is no kill"
  return 1
}

build() { ninja -C "$work/$1/build" -j 2 "${@:2}" >"$run/ninja-$1" 2>&1; }

# killer WORKER ID...: the test that notices, if any
killer() {
  local worker=$1 id word status ended slow=() last=()
  local -A running=()
  shift
  for id in "$@"; do
    if [[ ${beside[$id]} == true && -n ${is_slow[$id]} ]]; then slow+=("$id"); continue; fi
    if [[ ${beside[$id]} != true ]]; then last+=("$id"); continue; fi
    # shellcheck disable=SC2086 # several targets
    build "$worker" ${targets[$id]} || { echo "$id (its programs cannot be linked)"; return; }
    word=$(run_test "$worker" "$id" "$(limit_of "$id" 1)")
    if [[ $word != passed ]] && { [[ $word != time-out ]] || fails_again "$worker" "$id"; } &&
      passes_without "$id"; then
      echo "$id ($word)"
      return
    fi
  done
  while ((${#slow[@]} || ${#running[@]})); do
    while ((${#slow[@]} && ${#running[@]} < wave)); do
      id=${slow[0]} slow=("${slow[@]:1}")
      # shellcheck disable=SC2086
      build "$worker" ${targets[$id]} || true
      (start "$worker" "$id" "$(limit_of "$id" 1)" "$run/log-$worker-$id") &
      running[$!]=$id
    done
    for ended in "${!running[@]}" ''; do # wait -n forgets those that ended unobserved
      if [[ $ended ]] && ! kill -0 "$ended" 2>/dev/null; then break; fi
    done
    if [[ ! $ended ]]; then
      sleep 0.1
      continue
    fi
    status=0
    wait "$ended" 2>/dev/null || status=$?
    id=${running[$ended]}
    unset "running[$ended]"
    word=$(verdict $status "$run/log-$worker-$id")
    rm -rf "$run/log-$worker-$id" "$run/tmp-$worker-$id"
    if [[ $word != passed ]] && fails_again "$worker" "$id" && passes_without "$id"; then
      if ((${#running[@]})); then kill "${!running[@]}" 2>/dev/null || true; fi
      wait
      rm -rf "$run"/tmp-"$worker"-*
      echo "$id ($word)"
      return
    fi
  done
  for id in "${last[@]}"; do
    # shellcheck disable=SC2086
    build "$worker" ${targets[$id]} || true
    word=$(run_test "$worker" "$id" "$(limit_of "$id" 1)")
    if [[ $word != passed ]] && fails_again "$worker" "$id" && passes_without "$id"; then
      echo "$id ($word)"
      return
    fi
  done
}

# The worker's $by is the test that noticed.
report() { # WORD NUMBER FILE LINE OPERATOR BEFORE AFTER WHAT: a line, and a row of the results
  (
    flock 9
    printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "${@:3:5}" "${by%% *}" >>"$run/results"
    printf '%4s %s:%s %s: %s\n' "$2" "$3" "$4" "$5" "${!#}"
  ) 9>"$run/lock"
}

# work_on WORKER NUMBER ROW...: one mutant from change to verdict
work_on() {
  local worker=$1 file=$2 line=$3 operator=$4 old=$5 new=$6 tests=$7 original object begun number by='' ids
  original=$work/$worker/tree/$file
  begun=$(now)
  if [[ $file != "$current" ]]; then
    put_back "$worker"
    object=$(awk -F '\t' -v file="$file" '$1 == file { print $2 }' "$run/objects")
    [[ $object ]] || { report compile - "$@" "is not built" && return; }
    build "$worker" "$object"
    cp "$original" "$run/original-$worker"
    cp "$work/$worker/build/$object" "$run/object-$worker"
    current=$file current_object=$object
  fi
  OLD=$old NEW=$new awk -v line="$line" '
    FNR == line && $0 == ENVIRON["OLD"] { print ENVIRON["NEW"]; next } { print }' \
    "$run/original-$worker" >"$original"
  shift
  if ! build "$worker" "$current_object"; then
    report compile - "$@" "does not compile"
    return
  elif cmp -s "$work/$worker/build/$current_object" "$run/object-$worker"; then
    report same - "$@" "compiles to the same"
    return
  fi
  number=$(accept) || return 0
  read -r -a ids <<<"${tests#-}"
  by=$(killer "$worker" "${ids[@]}")
  if [[ $by ]]; then
    report killed "$number" "$@" "killed by $by, $(since "$begun") s"
  elif [[ $tests == - ]]; then
    report survived "$number" "$@" "SURVIVED: no test executes it"
  else
    report survived "$number" "$@" "SURVIVED ${#ids[@]} tests, $(since "$begun") s"
  fi
}

put_back() {
  if [[ $current ]]; then cp "$run/original-$1" "$work/$1/tree/$current"; fi
  current=
}

worker() {
  local index file line operator old new tests by='' current='' current_object=''
  trap 'kill $(jobs -p) 2>/dev/null; exit 143' TERM
  while index=$(claim); do
    IFS=$'\t' read -r file line operator old new tests < <(sed -n "${index}p" "$run/queue")
    if [[ $line == 0 ]]; then
      report lost - "$file" "$line" "$operator" "$old" "$new" "is not in the file any more: $old"
      continue
    fi
    work_on "$1" "$file" "$line" "$operator" "$old" "$new" "$tests"
  done
  put_back "$1"
}

# ---- the run ---------------------------------------------------------------------------------

run_all() { # one function, read before it runs: the script may change meanwhile
  if [[ $from ]]; then
    [[ -f $from ]] || die "$from: no such file"
    listed "$from" >"$run/all"
    if ((${#paths[@]})); then
      files >"$run/wanted"
      awk -F '\t' 'FNR == NR { wanted[$1] = 1; next } $1 in wanted' "$run/wanted" "$run/all" >"$run/some"
      mv "$run/some" "$run/all"
    fi
    count=$(wc -l <"$run/all")
    ((count)) || die "$from names no mutant"
  else
    ((${#paths[@]})) || { usage >&2 && exit 2; }
    drawn >"$run/all"
    listed tests/mutants/equivalent.txt >"$run/equivalent"
  fi
  touch "$run/equivalent"
  ((count <= $(wc -l <"$run/all"))) || count=$(wc -l <"$run/all")

  # known equivalents stand aside, as often as they would have been drawn among those that are wanted
  awk -F '\t' -v OFS='\t' -v known="$run/known" -v wanted="$count" '
    function key() { return $1 OFS $2 OFS $5 }
    FNR == NR && FILENAME == ARGV[1] { is_known[key()] = 1; next }
    key() in is_known { if (kept < wanted) print > known; next }
    { kept++; print }' "$run/equivalent" "$run/all" >"$run/candidates"
  touch "$run/known"
  if ((listing)); then
    head -n "$count" "$run/candidates" | LC_ALL=C sort -t $'\t' -k1,1 -k2,2n |
      awk -F '\t' '{ gsub(/^ +/, "", $4); gsub(/^ +/, "", $5); printf "%s:%d: %s\n- %s\n+ %s\n", $1, $2, $3, $4, $5 }'
    exit 0
  fi
  head -n $((count * 2 + 20)) "$run/candidates" >"$run/likely"
  cut -f 1 "$run/likely" | sort -u >"$run/files"
  begun=$(now)
  GIT_ALTERNATE_OBJECT_DIRECTORIES=$(git rev-parse --path-format=absolute --git-common-dir)/objects
  export GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_OBJECT_DIRECTORY=$work/objects CCACHE_BASEDIR=$work
  tree=$(snapshot)
  say "building the copies"
  prepare cover -Db_coverage=true -Doptimization=0
  compile_tests cover
  for ((k = 0; k <= jobs; k++)); do
    prepare "w$k" -Doptimization=1 -Db_sanitize=address,undefined -Db_lundef=false \
      -Dc_args=-fno-sanitize-recover=all
  done
  compile_tests w0 # the others find its objects in ccache, and link what they come to run
  jq -r --arg tree "$work/w1/tree/" '.[] | "\(.file)\t\(.output)"' "$work/w1/build/compile_commands.json" |
    awk -F '\t' -v OFS='\t' '{ at = index($1, "tree/src/"); if (at && !seen[$1]++) print substr($1, at + 5), $2 }' >"$run/objects"
  say "$(wc -l <"$work/cover/list") tests may reach these files: looking what each executes"
  mkdir -p "$work/cover/tests"
  cut -f 1 "$work/cover/list" | pool $((4 * $(nproc))) cover_one # most of them wait
  while read -r id; do
    has_passed "$id" || cover_one "$id" # undisturbed
  done < <(cut -f 1 "$work/cover/list")
  covers=()
  while read -r id; do
    IFS=$'\t' read -r _ took word <"$work/cover/tests/$id.time"
    if [[ $word == passed ]]; then
      printf '%s\t%s\n' "$id" "$took" >>"$run/seconds"
      covers+=("$work/cover/tests/$id")
    else
      say "left out, for it fails without a mutant: $id ($word)"
    fi
  done < <(cut -f 1 "$work/cover/list")
  touch "$run/seconds"
  with_tests "$run/seconds" "$run/candidates" "${covers[@]}" >"$run/queue"
  leave_out_unsound
  declare -A seconds=() targets=() beside=() is_slow=()
  while IFS=$'\t' read -r id took; do
    seconds[$id]=$took is_slow[$id]=$(awk -v s="$took" -v q="$quick" 'BEGIN { if (s > q) print "x" }')
  done <"$run/seconds"
  while IFS=$'\t' read -r id parallel target; do
    beside[$id]=$parallel targets[$id]=$target
  done <"$work/w1/list"
  total=$(wc -l <"$run/queue")
  prepared=$(since "$begun")
  say "ready after $prepared s: $count mutants, $jobs at a time"
  begun=$(now)
  echo "0 0" >"$run/state"
  : >"$run/results"
  for ((k = 1; k <= jobs; k++)); do worker "w$k" & done
  wait

  # ---- what came of it -------------------------------------------------------------------------

  tally() { awk -F '\t' -v word="$1" '$1 == word { n++ } END { print n + 0 }' "$run/results"; }
  killed=$(tally killed) survived=$(tally survived) lost=$(tally lost) not=$(tally compile)
  same=$(tally same) known=$(wc -l <"$run/known")
  echo
  awk -F '\t' '$1 == "survived"' "$run/results" | LC_ALL=C sort -t $'\t' -k2,2 -k3,3n |
    awk -F '\t' -v OFS='\n' -v list="$work/survivors" '
      BEGIN { printf "" > list }
      { gsub(/^ +/, "", $5); gsub(/^ +/, "", $6)
        if (NR == 1) print "Survivors:"
        print $2 ":" $3 ": " $4, "- " $5, "+ " $6
        print "# " $4 " at line " $3, $2, "- " $5, "+ " $6, "" > list }'
  printf '%d mutants: %d killed, %d survived, %d in the list but not in the files; besides %d known as equivalent, %d compile to the same, %d do not compile; %s s, %s s each\n' \
    $((killed + survived)) "$killed" "$survived" "$lost" "$known" "$same" "$not" "$(since "$begun")" \
    "$(awk -v t="$(since "$begun")" -v n=$((killed + survived)) 'BEGIN { printf "%.1f", n ? t / n : 0 }')"
  bad=$((survived + lost)) target=0
  if [[ $show ]]; then
    text="fresh mutants that survive, of $((killed + survived))"
    if [[ $name == named ]]; then text="named mutants that survive, of $((killed + bad))"; else target=$((count / 10)); fi
    printf 'SHOW %s %s measured=%d target=<= %d %s\n' "$show" "$text" "$bad" "$target" \
      "$( ((bad <= target && killed > 0)) && echo PASS || echo FAIL)"
  fi
  ((bad <= target && killed + survived > 0))
}

run_all
exit
