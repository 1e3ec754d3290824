/* SPDX-License-Identifier: MIT */
/* Reasons: their keys, and which one explains a joint without rows. */
#include "core/dynamics/stream.h"

const char *arm_dyn_stream_problem_key(ArmDynStreamProblem problem) {
  static const char *const keys[ARM_DYN_STREAM_PROBLEMS] = {
      "good",    "no_sampling_step", "filter_above_half_rate", "sampling_too_coarse", "no_speeds",
      "stands",  "never_alone",      "current_missing",        "position_missing",    "too_short",
      "at_limit"};
  return (unsigned)problem < ARM_DYN_STREAM_PROBLEMS ? keys[problem] : "unknown";
}

const char *arm_dyn_use_key(ArmDynUse use) {
  static const char *const keys[ARM_DYN_USES] = {
      "used",         "below_min_speed", "current_missing", "held",    "position_missing",
      "segment_edge", "segment_short",   "all_may_move",    "at_limit"};
  return (unsigned)use < ARM_DYN_USES ? keys[use] : "unknown";
}

ArmDynStreamProblem arm_dyn_stream_why(const ArmDynStreamCounts *counts, size_t joint) {
  static const ArmDynStreamProblem of[ARM_DYN_USES] = {
      [ARM_DYN_USED] = ARM_DYN_STREAM_TOO_SHORT,      [ARM_DYN_SLOW] = ARM_DYN_STREAM_STANDS,
      [ARM_DYN_NO_EFFORT] = ARM_DYN_STREAM_NO_EFFORT, [ARM_DYN_HELD] = ARM_DYN_STREAM_STANDS,
      [ARM_DYN_NO_STATE] = ARM_DYN_STREAM_NO_STATE,   [ARM_DYN_EDGE] = ARM_DYN_STREAM_TOO_SHORT,
      [ARM_DYN_SHORT] = ARM_DYN_STREAM_TOO_SHORT,     [ARM_DYN_TOGETHER] = ARM_DYN_STREAM_TOGETHER,
      [ARM_DYN_AT_LIMIT] = ARM_DYN_STREAM_AT_LIMIT};
  const size_t *samples = counts->samples[joint];
  size_t most = 0;
  if (counts->rows[joint] > 0)
    return ARM_DYN_STREAM_GOOD;
  if (samples[ARM_DYN_USED] > 0)
    return ARM_DYN_STREAM_TOO_SHORT;
  for (size_t use = 0; use < ARM_DYN_USES; use++)
    if (samples[use] > samples[most])
      most = use;
  if (of[most] == ARM_DYN_STREAM_STANDS && samples[ARM_DYN_TOGETHER] > 0)
    return ARM_DYN_STREAM_TOGETHER; /* rows in which others move alone count as still, too */
  return of[most];
}
