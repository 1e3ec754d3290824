# SPDX-License-Identifier: MIT
# Estimates of a parameter file of kind dynamics beside the simulated arm: one line each of what is
# identifiable, "NAME Z", Z the error in sds.
#   jq -r --slurpfile arm TRUE.arm.json -f full.jq P.json

# Ten parameters about the frame's origin, of a link of an arm file.
def inertia:
  (.mass_kg // 0) as $m | (.com_m // [0, 0, 0]) as [$x, $y, $z] |
  (.inertia_com_kg_m2 // [0, 0, 0, 0, 0, 0]) as [$xx, $yy, $zz, $xy, $xz, $yz] |
  {m: $m, mX: ($m * $x), mY: ($m * $y), mZ: ($m * $z),
   XX: ($xx + $m * ($y * $y + $z * $z)), YY: ($yy + $m * ($x * $x + $z * $z)),
   ZZ: ($zz + $m * ($x * $x + $y * $y)),
   XY: ($xy - $m * $x * $y), XZ: ($xz - $m * $x * $z), YZ: ($yz - $m * $y * $z)};

$arm[0] as $true | [$true.joints[].link // {} | inertia] as $links |
# A per N m: sign / (gear ratio x torque constant)
[$true.joints[] | (.torque_constant_Nm_A | .value? // .) as $kt | .motor_sign / (.gear_ratio * $kt)] as $eta |
# where the arm file says nothing, what src/sim/truth.c assumes of joints that turn
[$true.joints | to_entries[] | .key as $k | .value |
  if .rotor_inertia_kg_m2 then .gear_ratio * .gear_ratio * .rotor_inertia_kg_m2
  else .limits.current_A / (($eta[$k] | fabs) * 200) end] as $rotor |
($true.simulation.joints // [$true.joints[] | (.motor_sign * 0.03 * .limits.current_A) as $c |
  ($c / (.limits.speed_rad_s // (.limits.speed_deg_s * 3.14159265358979 / 180))) as $v |
  {coulomb_pos_A: $c, coulomb_neg_A: (-$c), viscous_pos: $v, viscous_neg: $v}]) as $friction |
. as $p |
# a rotor that no motion tells from the link's own inertia is in base parameters, whose terms name it
[$p.joints[] | .parameters.rotor_inertia_A_s2.identifiable == true] as $apart |
def line($name; $e; $truth):
  if $e.identifiable and $e.sd > 0 then "\($name) \(($e.value - $truth) / $e.sd)" else empty end;
($p.base[] | line(.name; .estimate;
  ([.terms[] | .coefficient *
    if .parameter == "rotor_inertia" then $rotor[.link - 1] else $links[.link - 1][.parameter] end] | add))),
($p.eta[] | line("eta\(.joint)"; .A_per_Nm; $eta[.joint - 1])),
($p.joints[] | .joint as $j | $friction[$j - 1] as $f |
  (["coulomb_pos_A", "viscous_pos", "coulomb_neg_A", "viscous_neg"][] as $key |
    line("\($key)\($j)"; $p.joints[$j - 1].parameters[$key]; $f[$key])),
  (if $apart[$j - 1] and $true.coupling == null then
     line("rotor\($j)"; .parameters.rotor_inertia_A_s2; $eta[$j - 1] * $rotor[$j - 1]) else empty end))
