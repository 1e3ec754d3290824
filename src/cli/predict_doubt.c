/* SPDX-License-Identifier: MIT */
/* What in the samples of a prediction cannot be: numbers come out of it all the same. */
#include <math.h>

#include "cli/cli.h"
#include "cli/predict_doubt.h"
#include "cli/text.h"
#include "core/num/filter.h"
#include "io/params/plausible_text.h"

#define SLACK_R 0.0175 /* rad, 1 deg: as core/sweeps/plausible.c */
#define SLACK_T 0.005  /* m */

typedef struct {
  double by, q, limit; /* of the farthest one */
  gsize row;
} Outside;

static Outside find_outside(const AioRecording *samples, const ArmJoint *joint, gsize j) {
  const double slack = joint->type == ARM_JOINT_R ? SLACK_R : SLACK_T;
  Outside worst = {0};
  for (gsize row = 0; row < samples->rows; row++) {
    const double q = samples->q[row + j * samples->rows];
    const double below = joint->limits.q_min - q, above = q - joint->limits.q_max;
    const bool is_below = below > slack;
    const double by = is_below ? below : above;
    if ((is_below || above > slack) && by > worst.by)
      worst = (Outside){by, q, is_below ? joint->limits.q_min : joint->limits.q_max, row};
  }
  return worst;
}

static void warn_positions(const AioCsv *csv, const AioRecording *samples, const ArmModel *model) {
  bool is_outside[ARM_MAX_JOINTS] = {false};
  Outside worst = {0};
  gsize of = 0;
  for (gsize j = 0; j < model->n; j++) {
    const Outside found = find_outside(samples, &model->joints[j], j);
    is_outside[j] = found.by > 0.0;
    if (found.by > worst.by)
      worst = found, of = j;
  }
  g_autofree char *joints = cli_list_joints(is_outside, model->n);
  const bool turns = model->joints[of].type == ARM_JOINT_R;
  const double scale = turns ? 180.0 / G_PI : 1e3;
  if (joints)
    cli_warning("%s: positions of joint %s are outside of the limits of the arm file (joint %d: "
                "%.4g %s in line %u, expected within %.4g %s): are unit, zero and direction right?",
                aio_csv_name(csv), joints, (int)of + 1, scale * worst.q, turns ? "deg" : "mm",
                aio_csv_row_line(csv, worst.row), scale * worst.limit, turns ? "deg" : "mm");
}

/* Of each kind the first joint's, and which others have it. */
static void warn_kind(const AioCsv *csv, const ArmModel *model, const ArmDoubts *doubts,
                      ArmDoubtKind kind) {
  bool is_other[ARM_MAX_JOINTS] = {false};
  const ArmDoubt *first = NULL;
  for (size_t k = 0; k < doubts->count; k++) {
    const ArmDoubt *d = &doubts->at[k];
    if (d->kind != kind)
      continue;
    is_other[d->joint] = first != NULL;
    first = first ? first : d;
  }
  if (!first)
    return;
  g_autofree char *others = cli_list_joints(is_other, model->n);
  g_autofree char *text = aio_doubt_text(first, model->joints[first->joint].type);
  cli_warning("%s: %s%s%s%s", aio_csv_name(csv), text, others ? " (also joint " : "",
              others ? others : "", others ? ")" : "");
}

/* Only a motion says whether speeds are those of its positions. */
static void warn_speeds(const AioCsv *csv, const AioRecording *samples, const ArmModel *model) {
  const ArmDataset data = aio_recording_dataset(samples);
  g_autofree ArmPlausibleScan *scan = g_new0(ArmPlausibleScan, 1);
  g_autofree ArmRowUse *use = g_try_malloc_n(data.rows + 1, sizeof *use);
  ArmRowOptions options;
  ArmDoubts doubts;
  double step;
  arm_row_options_default(&options);
  if (use && arm_dataset_select(model, &data, &options, use) == ARM_OK &&
      arm_filter_median_step(data.rows, data.t, &step) == ARM_OK) {
    arm_plausible_init(scan, model->n, step);
    for (size_t row = 0; row < data.rows; row++)
      arm_plausible_push(scan, model, &data, row, use[row]);
    arm_plausible_end(scan, model);
    arm_plausible_rows(scan, model, &doubts);
    warn_kind(csv, model, &doubts, ARM_DOUBT_SPEED_UNIT);
    warn_kind(csv, model, &doubts, ARM_DOUBT_SPEED_SIGN);
  }
}

void cli_predict_warn(const AioCsv *csv, const AioRecording *samples, const ArmModel *model) {
  warn_positions(csv, samples, model);
  if (samples->has_time && samples->has_joint)
    warn_speeds(csv, samples, model);
}
