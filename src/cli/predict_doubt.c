/* SPDX-License-Identifier: MIT */
/* What in the samples of a prediction cannot be: numbers come out of it all the same. */
#include <math.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/predict_doubt.h"
#include "cli/text.h"
#include "core/sweeps/plausible.h"
#include "io/base/spool.h"
#include "io/params/plausible_text.h"

#define SLACK_R 0.0175 /* rad, 1 deg: as core/sweeps/plausible.c */
#define SLACK_T 0.005  /* m */

typedef struct {
  double by, q, limit; /* of the farthest one */
  guint line;
} Outside;

/* A row and the one before it, as a dataset of two rows: all that a scan looks at. */
typedef struct {
  double t[2], q[2 * ARM_MAX_JOINTS], qd[2 * ARM_MAX_JOINTS], current[2 * ARM_MAX_JOINTS];
  int joint[2];
} Pair;

struct CliPredictDoubt {
  const ArmModel *model;
  Outside outside[ARM_MAX_JOINTS];
  AioSpool *steps;  /* in time */
  double time;      /* of the row before, NAN: none */
  bool has_motion;  /* time and moving joint are given */
  bool is_scanning; /* the median is known */
  Pair pair;        /* [1]: the row before, then this one */
  ArmRowOptions options;
  ArmPlausibleScan scan;
};

CliPredictDoubt *cli_predict_doubt_new(const ArmModel *model) {
  CliPredictDoubt *doubt = g_new0(CliPredictDoubt, 1);
  doubt->model = model;
  doubt->steps = aio_spool_new();
  doubt->time = (double)NAN;
  arm_row_options_default(&doubt->options);
  for (gsize k = 0; k < G_N_ELEMENTS(doubt->pair.current); k++)
    doubt->pair.current[k] = (double)NAN;
  return doubt;
}

void cli_predict_doubt_free(CliPredictDoubt *doubt) {
  if (!doubt)
    return;
  aio_spool_free(doubt->steps);
  g_free(doubt);
}

/* ---- the first look ---- */

static void look_at_joint(const AioCsv *csv, const AioRecording *window, const ArmJoint *joint,
                          gsize j, Outside *worst) {
  const double slack = joint->type == ARM_JOINT_R ? SLACK_R : SLACK_T;
  for (gsize row = 0; row < window->rows; row++) {
    const double q = window->q[row + j * window->rows];
    const double below = joint->limits.q_min - q, above = q - joint->limits.q_max;
    const bool is_below = below > slack;
    const double by = is_below ? below : above;
    if ((is_below || above > slack) && by > worst->by)
      *worst = (Outside){by, q, is_below ? joint->limits.q_min : joint->limits.q_max,
                         aio_csv_row_line(csv, row)};
  }
}

void cli_predict_doubt_look(CliPredictDoubt *doubt, const AioCsv *csv, const AioRecording *window) {
  for (gsize j = 0; j < doubt->model->n; j++)
    look_at_joint(csv, window, &doubt->model->joints[j], j, &doubt->outside[j]);
  doubt->has_motion = window->has_time && window->has_joint;
  for (gsize row = 0; row < window->rows && doubt->has_motion; row++) {
    const double step = window->t[row] - doubt->time;
    if (step > 0.0 && isfinite(step)) /* as arm_filter_median_step */
      aio_spool_add(doubt->steps, step);
    doubt->time = window->t[row];
  }
}

static void warn_positions(const AioCsv *csv, const Outside *outside, const ArmModel *model) {
  bool is_outside[ARM_MAX_JOINTS] = {false};
  Outside worst = {0};
  gsize of = 0;
  for (gsize j = 0; j < model->n; j++) {
    is_outside[j] = outside[j].by > 0.0;
    if (outside[j].by > worst.by)
      worst = outside[j], of = j;
  }
  g_autofree char *joints = cli_list_joints(is_outside, model->n);
  const bool turns = model->joints[of].type == ARM_JOINT_R;
  const double scale = turns ? 180.0 / G_PI : 1e3;
  if (joints && arm_plausible_is_other_unit(model->joints[of].type, worst.q, worst.limit))
    cli_warning("%s: positions of joint %s are far outside of the limits of the arm file (joint "
                "%d: %.4g in line %u, expected within %.4g %s): are they in %s where %s is meant?",
                aio_csv_name(csv), joints, (int)of + 1, worst.q, worst.line, worst.limit,
                turns ? "rad" : "m", turns ? "deg" : "mm", turns ? "rad" : "m");
  else if (joints)
    cli_warning("%s: positions of joint %s are outside of the limits of the arm file (joint %d: "
                "%.4g %s in line %u, expected within %.4g %s): are unit, zero and direction right?",
                aio_csv_name(csv), joints, (int)of + 1, scale * worst.q, turns ? "deg" : "mm",
                worst.line, scale * worst.limit, turns ? "deg" : "mm");
}

/* ---- the second look ---- */

/* Only a motion says whether speeds are those of its positions. */
static bool start_scan(CliPredictDoubt *doubt) {
  g_autoptr(GError) error = NULL;
  double step;
  doubt->has_motion = aio_spool_median(doubt->steps, &step, &error);
  if (doubt->has_motion)
    arm_plausible_init(&doubt->scan, doubt->model->n, step);
  else
    cli_warning("%s: speeds are not compared with the positions", error->message);
  doubt->is_scanning = doubt->has_motion;
  return doubt->is_scanning;
}

static void next_row(Pair *pair, const AioRecording *window, gsize row) {
  pair->t[0] = pair->t[1];
  pair->t[1] = window->t[row];
  pair->joint[0] = pair->joint[1];
  pair->joint[1] = window->joint[row];
  for (gsize j = 0; j < window->n; j++) {
    pair->q[2 * j] = pair->q[2 * j + 1];
    pair->q[2 * j + 1] = window->q[row + j * window->rows];
    pair->qd[2 * j] = pair->qd[2 * j + 1];
    pair->qd[2 * j + 1] = window->qd[row + j * window->rows];
  }
}

void cli_predict_doubt_look_again(CliPredictDoubt *doubt, const AioRecording *window) {
  if (!doubt->has_motion || (!doubt->is_scanning && !start_scan(doubt)))
    return;
  const Pair *pair = &doubt->pair;
  const ArmDataset data = {.n = window->n,
                           .rows = 2,
                           .t = pair->t,
                           .joint = pair->joint,
                           .q = pair->q,
                           .qd = pair->qd,
                           .current = pair->current};
  ArmRowUse use[2];
  for (gsize row = 0; row < window->rows; row++) {
    next_row(&doubt->pair, window, row);
    if (arm_dataset_select(doubt->model, &data, &doubt->options, use) == ARM_OK)
      arm_plausible_push(&doubt->scan, doubt->model, &data, 1, use[1]);
  }
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

static void warn_speeds(CliPredictDoubt *doubt, const AioCsv *csv) {
  ArmDoubts doubts;
  arm_plausible_end(&doubt->scan, doubt->model);
  arm_plausible_rows(&doubt->scan, doubt->model, &doubts);
  warn_kind(csv, doubt->model, &doubts, ARM_DOUBT_SPEED_UNIT);
  warn_kind(csv, doubt->model, &doubts, ARM_DOUBT_SPEED_SIGN);
}

void cli_predict_warn(CliPredictDoubt *doubt, const AioCsv *csv) {
  warn_positions(csv, doubt->outside, doubt->model);
  if (doubt->is_scanning)
    warn_speeds(doubt, csv);
}
