#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `predict`: columns in, columns out, and what the numbers must satisfy.
# shellcheck disable=SC2016 # jq and awk have variables of their own
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
make_rt

run fit --arm "$demo.arm.json" --csv "$demo.csv" --out p.json
run fit --arm rt.arm.json --csv rt.csv --out rt.json

expect "the demonstration" 0 predict --arm "$demo.arm.json" --params p.json --csv "$demo.csv"
cp out all.csv
[[ ! -s err ]]
result $? "no message" "$(cat err)"
inputs=t_s,joint,q1_rad,q2_rad,q3_rad,q4_rad,q5_rad,q6_rad
inputs+=,qd1_rad_s,qd2_rad_s,qd3_rad_s,qd4_rad_s,qd5_rad_s,qd6_rad_s
outputs=i1_A,i1_sd_A,i2_A,i2_sd_A,i3_A,i3_sd_A,i4_A,i4_sd_A,i5_A,i5_sd_A,i6_A,i6_sd_A
[[ $(head -n 1 all.csv) == "$inputs,$outputs" ]]
result $? "input columns, then currents in place of the old ones" "$(head -n 1 all.csv)"
cut -d, -f1-14 all.csv >kept
cut -d, -f1-14 "$demo.csv" >given
same "the input cells are untouched" kept given
paste -d, "$demo.csv" all.csv | awk -F, '
  NR > 1 { j = $2; e = $(14 + j) - $(20 + 14 + 2 * j - 1); sum[j] += e * e; n[j]++ }
  END { bad = 0
    split("0.0229 0.0294 0.0144 0.0188 0.0172 0.0065", sd, " ")
    for (j = 1; j <= 6; j++) {
      rms = sqrt(sum[j] / n[j]); print j, rms
      if (!(rms > 0.95 * sd[j] && rms < 1.05 * sd[j])) bad = 1
    }
    exit bad }' >rms
result $? "residuals are those of the fit" "$(cat rms)"
awk -F, 'NR == 2 { exit !($15 ~ /^-?[0-9]\.[0-9]+$/ && length($15) >= 17) }' all.csv
result $? "17 digits" "$(sed -n 2p all.csv)"
expect "its own output" 0 predict --arm "$demo.arm.json" --params p.json --csv all.csv
same "gives the same again" out all.csv
expect "--out" 0 predict --arm "$demo.arm.json" --params p.json --csv "$demo.csv" --out o.csv
same "writes the same to a file" o.csv all.csv
[[ ! -s out ]]
result $? "and nothing to standard output"
refuse "an existing file" 3 'o.csv: exists; use --force' \
  predict --arm "$demo.arm.json" --params p.json --csv "$demo.csv" --out o.csv
expect "an existing file with --force" 0 \
  predict --arm "$demo.arm.json" --params p.json --csv "$demo.csv" --out o.csv --force
expect "--with-noise" 0 \
  predict --arm "$demo.arm.json" --params p.json --csv "$demo.csv" --with-noise
paste -d, all.csv out | awk -F, 'NR > 1 && !($(26 + 16) > $16) { bad = 1 } END { exit bad }'
result $? "widens every sd"

printf 'qd2_m_s,note,tau1_Nm,q2_m,qd1_rad_s,q1_rad,i2_sd_A\n' >s.csv
printf '%s\n' '0.02,7,1.5,0.1,,0.5,9' ',,,0.1,0.3,0.5,' ',x,,,0.3,0.5,' ',,,0.1,,0,' >>s.csv
expect "any order, other columns, gaps" 0 predict --arm rt.arm.json --params rt.json --csv s.csv
[[ $(head -n 1 out) == "qd2_m_s,note,tau1_Nm,q2_m,qd1_rad_s,q1_rad,i1_A,i1_sd_A,i2_A,i2_sd_A" ]]
result $? "keeps what is no current" "$(head -n 1 out)"
[[ $(sed -n 4p out) == ",x,,,0.3,0.5,,,," ]]
result $? "a missing position leaves the cells empty" "$(sed -n 4p out)"
# at rest gravity alone: k*x cos q + .. at q1 = 0 is i1 = 0.7 (made so in lib.sh)
awk -F, 'NR == 5 { e = $7 - 0.7; if (e < 0) e = -e; exit !(e < 0.02) }' out
result $? "no friction at rest" "$(sed -n 5p out)"
# 1.25 x 0.5 A and 1.25 x 0.4 A to both sides, over the root of 3
awk -F, 'NR == 5 { exit !($8 > 0.35 && $8 < 0.37 && $10 > 0.28 && $10 < 0.3) }
  NR == 3 && $8 > 0.05 { exit 1 }' out
result $? "but its band in the sd, of joints at rest alone" "$(cat out)"
cp out rest.csv
expect "--zero-speed deadband" 0 \
  predict --arm rt.arm.json --params rt.json --csv s.csv --zero-speed deadband=0.6
paste -d, rest.csv out | awk -F, 'NR == 3 { d = ($7 - $(10 + 7)) - 0.25; if (d < 0) d = -d
  exit !(d < 0.01) }'
result $? "halves the Coulomb friction at half the band" "$(paste rest.csv out | sed -n 3p)"
jq '(.joints[0].parameters.coulomb_neg_A | .value, .used) = -0.1' rt.json >uneven.json
expect "--zero-speed band" 0 \
  predict --arm rt.arm.json --params uneven.json --csv s.csv --zero-speed band
paste -d, rest.csv out | awk -F, 'NR == 5 { d = $(10 + 7) - $7 - 0.2; exit !(d * d < 1e-4 &&
  $(10 + 8) > 0.21 && $(10 + 8) < 0.225) }'
result $? "gives the centre of the band" "$(paste rest.csv out | sed -n 5p)"
expect "without it the centre is part of the sd" 0 \
  predict --arm rt.arm.json --params uneven.json --csv s.csv
awk -F, 'NR == 5 { exit !($8 > 0.285 && $8 < 0.305) }' out
result $? "half^2/3 and centre^2" "$(sed -n 5p out)"
refuse "--zero-speed sign-error without desired positions" 3 'expected a column q1_des_rad' \
  predict --arm rt.arm.json --params rt.json --csv s.csv --zero-speed sign-error
sed -e '1s/note/q1_des_rad/' -e '1s/tau1_Nm/q2_des_m/' -e 's/,x,/,,/' -e '5s/,,,/,0.2,-1,/' s.csv >des.csv
expect "--zero-speed sign-error" 0 \
  predict --arm rt.arm.json --params rt.json --csv des.csv --zero-speed sign-error
paste -d, rest.csv out | awk -F, 'NR == 5 { up = $(10 + 7) - $7 - 0.5; down = $(10 + 9) - $9 + 0.4
  exit !(up * up < 4e-4 && down * down < 4e-4) }'
result $? "adds Coulomb friction by the sign of the error" "$(paste rest.csv out | sed -n 5p)"

sed 's/"RT"/"RT again"/' rt.arm.json >other.arm.json
expect "another arm file" 0 predict --arm other.arm.json --params rt.json --csv s.csv
grep -q 'warning: rt.json was fitted with another arm file (RT) than other.arm.json' err
result $? "is warned of" "$(cat err)"
grep -q 'Parameters belong to the frames .* fit again with this one' err
result $? "with what to do" "$(cat err)"
[[ $(grep -v 'doubtful when it was fitted' err | grep -c 'armature-cli') -eq 1 ]]
result $? "and nothing else" "$(cat err)"
awk -F, -v OFS=, 'NR == 1 || $2 == 1' rt.csv >one.csv
run fit --arm rt.arm.json --csv one.csv --out one.json --joints 1
expect "a joint of which nothing is known" 0 predict --arm rt.arm.json --params one.json --csv rt.csv
[[ $(grep -c 'warning: one.json knows nothing of joint 2' err) -eq 1 ]]
result $? "is named once" "$(cat err)"
awk -F, 'NR > 1 && !($7 != "" && $8 != "" && $9 == "" && $10 == "") { bad = 1; print } END { exit bad }' \
  out >cells
result $? "and its cells are empty" "$(head -n 3 cells)"
awk -F, -v OFS=, '{ print $0, NR == 1 ? "tau1_Nm" : "n/a" }' rt.csv >both.csv
expect "currents and torques side by side" 0 predict --arm rt.arm.json --params rt.json --csv both.csv
[[ $(head -n 1 out) == "t_s,joint,q1_rad,q2_m,qd1_rad_s,qd2_m_s,tau1_Nm,i1_A,i1_sd_A,i2_A,i2_sd_A" ]]
result $? "currents are replaced, torques kept" "$(head -n 1 out)"
sed '1s/i1_A/tau1_Nm/' rt.csv >tau.csv
run fit --arm rt.arm.json --csv tau.csv --out tau.json
holds "a joint fitted from torques is marked" tau.json '
  [.joints[].measured] == ["torque", "current"] and [.recursive.joints[].measured] == ["torque", "current"]'
expect "and predicted" 0 predict --arm rt.arm.json --params tau.json --csv rt.csv
[[ $(grep -c 'warning: tau.json was fitted from torques of joint 1: .* N m' err) -eq 1 ]]
result $? "with a warning" "$(cat err)"
refuse "an arm with other joints" 3 'rt.json:[0-9]+:[0-9]+: joints: expected the 6 joints of the arm, found 2' \
  predict --arm "$demo.arm.json" --params rt.json --csv s.csv
sed 's/"R", "beta_deg": 90}/"T"}/' rt.arm.json >tt.arm.json
refuse "an arm with another joint type" 3 'joint 1: type: expected "T" as in the arm, found "R"' \
  predict --arm tt.arm.json --params rt.json --csv s.csv
printf 'q1_rad,q2_m\n0,0\n' >noqd.csv
refuse "samples without speeds" 3 'noqd.csv:1.*expected a column qd1_rad_s' \
  predict --arm rt.arm.json --params rt.json --csv noqd.csv

# what cannot be in the samples is said; numbers come out of it all the same
run fit --arm "$demo.arm.json" --csv "$demo.csv" --out demo.json
expect "sound samples" 0 predict --arm "$demo.arm.json" --params demo.json --csv "$demo.csv"
[[ ! -s err ]]
result $? "in silence" "$(cat err)"
degrees() { # FIRST column
  awk -F, -v OFS=, -v first="$1" 'NR > 1 { for (k = first; k < first + 6; k++) if ($k != "") $k *= 57.29578 } 1' "$demo.csv"
}
degrees 3 >qdeg.csv
expect "positions in deg" 0 predict --arm "$demo.arm.json" --params demo.json --csv qdeg.csv
grep -q 'warning: qdeg.csv: positions of joint 1, 2, 3, .* are far outside of the limits .* in line [0-9]*, .*are they in deg where rad is meant' err &&
  grep -q 'joint 1: its position changes 57.3 times .* (also joint 2, 3, 4, 5, 6)' err &&
  [[ $(wc -l <err) -eq 2 ]]
result $? "are told in two lines" "$(cat err)"
degrees 9 >qddeg.csv
expect "speeds in deg/s" 0 predict --arm "$demo.arm.json" --params demo.json --csv qddeg.csv
grep -q 'joint 1: .*is the speed in deg/s where rad/s is meant.*(also joint 2, 3, 4, 5, 6)' err &&
  [[ $(wc -l <err) -eq 1 ]]
result $? "in one" "$(cat err)"

# ---- files that are never in the memory as a whole ----------------------------------------------

repeat() { # TIMES FILE: its rows again and again
  head -n 1 "$2"
  for ((k = 0; k < $1; k++)); do tail -n +2 "$2"; done
}
demo() { run predict --arm "$demo.arm.json" --params p.json "$@"; }

repeat 5 "$demo.csv" >long.csv
expect "many rows" 0 predict --arm "$demo.arm.json" --params p.json --csv long.csv
repeat 5 all.csv >expected
same "each as if it were alone" out expected
expect "into a file" 0 predict --arm "$demo.arm.json" --params p.json --csv long.csv --out long.out
same "the same" long.out expected
sed 's/$/\r/' "$demo.csv" >crlf.csv
demo --csv crlf.csv
same "lines that end in CRLF" out all.csv
head -c -1 "$demo.csv" >cut.csv
demo --csv cut.csv
same "no end of the last line" out all.csv
(
  printf '\xef\xbb\xbf'
  sed 's/,/ , /g' "$demo.csv"
  printf '\n \n'
) >blanks.csv
demo --csv blanks.csv
same "a byte-order mark, blanks around cells, lines behind the last" out all.csv
awk -v OFS=, '{ print $0, NR == 1 ? "\"a, b\"" : "\"x, " NR "\"" }' "$demo.csv" >quoted.csv
demo --csv quoted.csv
cut -d, -f1-14,17-28 out >expected
same "commas in quotes" expected all.csv

late=$((5 * 5100 + 2))
for row in 'x,1,0,0,0,0,0,0,,,,,,,,,,,,/t_s: expected a number, found "x"/:1' \
  '1,1,0,0,0,0,1e16,0,,,,,,,,,,,,/q5_rad: expected a number from -1e15 to 1e15, found 1e\+16/' \
  '1,7,0,0,0,0,0,0,,,,,,,,,,,,/joint: expected a whole number from 0 to 6, found 7/' \
  '1,1,0,0/expected 20 cells as in the first line, found 4 \(was the file cut off/'; do
  IFS=/ read -r cells message column <<<"$row"
  (cat long.csv; echo "$cells") >late.csv
  refuse "in the last of many rows: $message" 3 "late.csv:$late$column: $message" \
    predict --arm "$demo.arm.json" --params p.json --csv late.csv
  refuse "with --out" 3 "late.csv:$late$column: $message" \
    predict --arm "$demo.arm.json" --params p.json --csv late.csv --out late.out
done
(cat long.csv; printf '1,1\0,0\n') >late.csv
refuse "a NUL byte there" 3 "late.csv:$late: expected text, found a NUL byte" \
  predict --arm "$demo.arm.json" --params p.json --csv late.csv --out late.out
[[ -z $(compgen -G 'late.out*') ]]
result $? "nothing was written" "$(ls)"
refuse "a pipe" 3 'expected a regular file, found a device, pipe or socket' \
  predict --arm "$demo.arm.json" --params p.json --csv <(cat "$demo.csv")
finish
