# SPDX-License-Identifier: MIT
# Pools what show_calibrate prints, see there, into SHOW lines; -v seeds=N -v arms="ARM .."
#
# A handful of seeds, as a test runs them, leaves more to chance than fifty.

function show(what, format, measured, target, is_good) {
  printf "SHOW 4.1 %s measured=" format " target=%s %s\n", what, measured, target,
         is_good ? "PASS" : "FAIL"
  bad += !is_good
}

function at_most(what, format, measured, limit) {
  show(what, format, measured, "<=" limit, measured <= limit)
}

function square(x) { return x * x }

# rms over joints first..last of the sums in `sum` over the rows in `rows`
function rms(sum, rows, arm, first, last,   j, total, n) {
  for (j = first; j <= last; j++) {
    total += sum[arm, j]
    n += rows[arm, j]
  }
  return n ? sqrt(total / n) : 0
}

function worst(sum, rows, arm,   j, most) {
  for (j = 1; j <= joints[arm]; j++)
    if (rows[arm, j] && sum[arm, j] / rows[arm, j] > most)
      most = sum[arm, j] / rows[arm, j]
  return sqrt(most)
}

function is_asked(arm) { return index(" " arms " ", " " arm " ") }

function share(arm) { return given[arm] ? 100 * within[arm] / given[arm] : 0 }

function common(arm, name, least,   what) {
  if (seeds < 10) least = 95
  show(name ", calibrations complete and converged", "%d", complete[arm], seeds,
       complete[arm] == seeds)
  show(name ", calibrations that pass their own validation [%]", "%.0f",
       100 * valid[arm] / seeds, ">=95", valid[arm] >= 0.95 * seeds)
  what = name ", 3 sd holds [% of " given[arm] + 0 "]"
  show(what, "%.2f", share(arm), ">=" least, share(arm) >= least)
}

function in_sds(arm, name,   limit) {
  limit = seeds < 10 ? 2.5 : 1.5
  if (worst(rest, rest_rows, arm) > 0) # the quill's constant load counts as its friction
    at_most(name ", gravity current off, worst joint [its sds]", "%.2f",
            worst(rest_sds, rest_rows, arm), limit)
  at_most(name ", current in motion off, worst joint [its sds]", "%.2f",
          worst(motion_sds, motion_rows, arm), limit)
}

function truth1(arm) {
  common(arm, "truth 1", 99)
  at_most("truth 1, gravity current off on unseen poses, joints 2-5 rms [mA]", "%.3f",
          1e3 * rms(rest, rest_rows, arm, 2, 5), 1.5)
  in_sds(arm, "truth 1")
}

function truth2(arm) {
  common(arm, "truth 2", 99)
  at_most("truth 2, gravity current off on unseen poses, worst joint rms [mA]", "%.3f",
          1e3 * worst(rest, rest_rows, arm), 3)
}

function other(arm, name) {
  common(arm, name, 97)
  in_sds(arm, name)
}

$1 == "parameter" {
  z = ($5 - $6) / $7
  given[$2]++
  within[$2] += z * z <= 9
  n[$2, $4]++
  sum_z[$2, $4] += z
  sum_z2[$2, $4] += z * z
  out[$2, $4] += z * z > 9
}

$1 == "joint" {
  if ($4 > joints[$2]) joints[$2] = $4
  rest[$2, $4] += $5; rest_sds[$2, $4] += $6; rest_rows[$2, $4] += $7
  motion[$2, $4] += $8; motion_sds[$2, $4] += $9; motion_rows[$2, $4] += $10
}

$1 == "run" {
  complete[$2] += $4; valid[$2] += $5
  device += $6; wall += $7; slipped += $8
  if ($8 > most_slipped) most_slipped = $8
}

END {
  for (key in n) {
    split(key, part, SUBSEP)
    mean = sum_z[key] / n[key]
    printf "# %s %s: given %d, beyond 3 sd %d, z %+.2f +- %.2f\n", part[1], part[2], n[key],
           out[key], mean, sqrt(sum_z2[key] / n[key] - square(mean)) | "sort"
  }
  close("sort")
  for (arm in joints)
    for (j = 1; j <= joints[arm]; j++)
      printf "# %s joint %d: gravity current off by %.3f mA, %.2f sd; in motion %.3f mA, %.2f sd\n",
             arm, j, 1e3 * rms(rest, rest_rows, arm, j, j), rms(rest_sds, rest_rows, arm, j, j),
             1e3 * rms(motion, motion_rows, arm, j, j), rms(motion_sds, motion_rows, arm, j, j)
  if (is_asked("puma560-table1")) truth1("puma560-table1")
  if (is_asked("puma560-truth2")) truth2("puma560-truth2")
  if (is_asked("stanford")) other("stanford", "Stanford")
  if (is_asked("scara")) other("scara", "SCARA")
  printf "# %.0f s of device time in %.0f s; slipped %.1f s, at most %.2f s in one calibration\n",
         device, wall, slipped, most_slipped
  exit bad > 0
}
