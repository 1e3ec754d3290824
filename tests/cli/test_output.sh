#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Where results go: full disks, existing files, signals, locales.
# shellcheck disable=SC2016 # jq and awk have variables of their own
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
make_rt
run fit --arm rt.arm.json --csv rt.csv --out p.json
run fit --arm "$demo.arm.json" --csv "$demo.csv" --out puma.json

# ---- what cannot be written --------------------------------------------------------------------

# full NAME ARGUMENT...: standard output on a full disk
full() {
  local name=$1 code=0
  shift
  LC_ALL=C "$cli" "$@" >/dev/full 2>err || code=$?
  [[ $code -eq 3 ]] && grep -q 'error: standard output: cannot write: No space left' err
  result $? "full disk: $name" "exit $code: $(cat err)"
}
awk -F, -v OFS=, 'NR == 1 { for (k = 1; k <= 6; k++) $0 = $0 ",qdd" k "_rad_s2"; print; next }
  { print $0 ",0,0,0,0,0,0" }' "$demo.csv" >motion.csv
full "help" --help
full "structure" structure --arm rt.arm.json
full "structure --json" structure --arm rt.arm.json --json
full "fit" fit --arm rt.arm.json --csv rt.csv
full "fit --json" fit --arm rt.arm.json --csv rt.csv --json
full "predict" predict --arm rt.arm.json --params p.json --csv rt.csv
full "predict, much" predict --arm "$demo.arm.json" --params puma.json --csv "$demo.csv"
full "dynamics" dynamics --arm "$robots/puma560.arm.json" --csv motion.csv
full "plan" plan --arm "$demo.arm.json"

expect "no such folder" 3 \
  fit --arm rt.arm.json --csv rt.csv --out none/p.json
grep -q "none/p.json: cannot create a temporary beside it: No such file" err
result $? "is said" "$(cat err)"
expect "a file in a folder that is none" 3 \
  predict --arm rt.arm.json --params p.json --csv rt.csv --out rt.csv/o.csv
before=$(sha256sum p.json)
expect "an existing file is refused before the work" 3 \
  fit --arm none --csv none --out p.json
[[ $(sha256sum p.json) == "$before" && $(find . -name 'p.json.*' | wc -l) -eq 0 ]]
result $? "and stays as it was, without leftovers" "$(ls)"
ln -s nowhere dangling
expect "a dangling link is refused" 3 \
  fit --arm rt.arm.json --csv rt.csv --out dangling
[[ -L dangling ]]
result $? "and stays a link" "$(ls -l dangling)"

# A file system may let root replace a device: every target is checked before.
mkfifo fifo
mkdir folder
ln -s /dev/null null
for target in fifo folder null /dev/null; do
  for force in "" --force; do
    refuse "$target is not replaced ${force:-either}" 3 "$target: expected a regular file to be writ" \
      predict --arm rt.arm.json --params p.json --csv rt.csv --out "$target" $force
  done
done
[[ -p fifo && -d folder && -L null && -c /dev/null ]]
result $? "and each stays what it was" "$(ls -l)"
cp p.json same.json
ln same.json hard.json
ln -s rt.csv soft.csv
before=$(sha256sum rt.csv p.json rt.arm.json same.json)
refuse "--out is the recording" 2 'out ./rt.csv is the file that --csv reads' \
  fit --arm rt.arm.json --csv "$demo.csv" --csv rt.csv --out ./rt.csv --force
refuse "--out is a link to the recording" 2 'is the file that --csv reads' \
  predict --arm rt.arm.json --params p.json --csv rt.csv --out soft.csv --force
refuse "--out is the parameter file by another name" 2 'is the file that --params reads' \
  predict --arm rt.arm.json --params same.json --csv rt.csv --out hard.json --force
refuse "--out is the arm" 2 'is the file that --arm reads' \
  plan --arm rt.arm.json --out rt.arm.json --force
[[ $(sha256sum rt.csv p.json rt.arm.json same.json) == "$before" ]]
result $? "and the inputs are as they were"

# Several results, of which none is there yet: none replaces another.
mkdir -p deep/er
ln -s deep linked
planar=(--arm "$robots/planar2r.arm.json" --port "sim:$robots/planar2r.arm.json,speed=400" --force)
refuse "capture and parameters of one name" 2 '--capture n.cap is the file that --out writes' \
  calibrate "${planar[@]}" --session n.armsession --capture n.cap --out n.cap
refuse "session and parameters" 2 '--session n.armsession is the file that --out writes' \
  calibrate "${planar[@]}" --session n.armsession --out ./n.armsession
refuse "session and capture, through a linked folder" 2 'is the file that --capture writes' \
  record "${planar[@]:0:4}" --motion none --session deep/n --capture linked/n
refuse "the same, with dots" 2 'is the file that --out writes' \
  calibrate "${planar[@]}" --session n.armsession --capture deep/er/../n --out "$PWD/deep/n"
refuse "a capture beside its session" 3 'belongs to the session .*n.armsession; choose another name' \
  calibrate "${planar[@]}" --session n.armsession --capture n.armsession-journal
refuse "the corrected arm over the arm" 2 '--corrected rt.arm.json is the file that --arm reads' \
  diagnose --arm rt.arm.json --csv rt.csv --corrected rt.arm.json --force
[[ -z $(compgen -G 'n*.armsession*') && ! -e n.cap && ! -e deep/n ]]
result $? "and nothing was begun" "$(ls . deep)"
expect "a name that is no file is not compared" 0 calibrate "${planar[@]}" --session n.armsession \
  --friction base --out base --plan-only

# A result that is written row by row: the file is there with all of them or not at all.
(head -n 1 "$demo.csv"; for ((k = 0; k < 40; k++)); do tail -n +2 "$demo.csv"; done) >long.csv
(ulimit -f 4000; LC_ALL=C "$cli" predict --arm "$demo.arm.json" --params puma.json --csv long.csv \
  --out long.out >out 2>err)
code=$?
[[ $code -eq 3 && -z $(compgen -G 'long.out*') ]] && grep -q 'long.out: cannot write: File too large' err
result $? "no room for a long file: nothing is left" "exit $code: $(cat err; ls)"
for signal in INT TERM HUP; do
  # a shell's background job ignores SIGINT, one under nohup SIGHUP
  LC_ALL=C env --default-signal=INT,HUP "$cli" predict --arm "$demo.arm.json" --params puma.json --csv long.csv --out long.out 2>err &
  pid=$!
  until [[ -n $(compgen -G 'long.out.*') ]] || ! kill -0 $pid 2>/dev/null; do :; done
  kill -s $signal $pid
  code=0
  wait $pid || code=$?
  ((code == 128 + $(kill -l $signal))) && [[ -z $(compgen -G 'long.out*') ]]
  result $? "SIG$signal while a file is written: nothing is left" "exit $code: $(cat err; ls)"
done

# ---- signals -----------------------------------------------------------------------------------

# A pipe that nobody reads: the program blocks after 64 kB and is interrupted then.
mkfifo pipe
exec 9<>pipe
code=0
timeout --preserve-status -s INT 2 "$cli" predict --arm "$demo.arm.json" --params puma.json \
  --csv "$demo.csv" >pipe 2>err || code=$?
result $((code != 130)) "SIGINT gives 130" "exit $code: $(cat err)"
code=0
timeout --preserve-status -s TERM 2 "$cli" predict --arm "$demo.arm.json" --params puma.json \
  --csv "$demo.csv" >pipe 2>err || code=$?
result $((code != 143)) "SIGTERM gives 143" "exit $code: $(cat err)"
# what the system sends where a mapped file cannot be read back
code=0
TMPDIR=/some/where timeout --preserve-status -s BUS 2 "$cli" predict --arm "$demo.arm.json" --params puma.json \
  --csv "$demo.csv" >pipe 2>err || code=$?
((code == 135)) && grep -q '^armature-cli: error: a file in use cannot be read back, a temporary one in /some/where or ' err
result $? "SIGBUS says why" "exit $code: $(cat err)"
exec 9>&-

# A reader that leaves early is no error to talk about.
"$cli" predict --arm "$demo.arm.json" --params puma.json --csv "$demo.csv" 2>err | head -n 1 >first
[[ -s first && ! -s err ]]
result $? "a closed pipe is silent" "$(cat err)"

# ---- locales -----------------------------------------------------------------------------------

if localedef -i de_DE -f UTF-8 ./de_DE.UTF-8 2>/dev/null || [[ -d de_DE.UTF-8 ]]; then
  export LOCPATH=$work
  for verb in "structure --arm rt.arm.json --json" "fit --arm rt.arm.json --csv rt.csv --json" \
    "predict --arm rt.arm.json --params p.json --csv rt.csv" "plan --arm $demo.arm.json --json" \
    "fit --arm rt.arm.json --csv rt.csv" "fit --arm none --csv none"; do
    # shellcheck disable=SC2086 # words are arguments
    LC_ALL=C.UTF-8 "$cli" $verb >point 2>point.err
    # shellcheck disable=SC2086
    LC_ALL=de_DE.UTF-8 LANGUAGE=de "$cli" $verb >comma 2>comma.err
    cmp -s point comma && cmp -s point.err comma.err
    result $? "decimal comma: ${verb%% *} is the same, byte for byte" \
      "$(diff point comma | head -n 4; diff point.err comma.err)"
  done
  unset LOCPATH
else
  skip "decimal comma" "no locale can be made here"
fi
finish
