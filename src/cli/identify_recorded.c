/* SPDX-License-Identifier: MIT */
/* What a recording says of itself before anything is fitted: units, joints without rows, currents
 * and positions that do not change. */
#include <math.h>

#include "cli/identify.h"
#include "cli/text.h"
#include "core/sweeps/plausible.h"
#include "io/recording/recording_columns.h"

static const double least_rest_s = 1;      /* an encoder with coarse steps rests at each reversal */
static const double least_together = 0.01; /* of the rows */
static const double saturated_part = 0.005; /* of the samples, as core/sweeps/plausible_rules.c */
static const double least_at_rest = 0.2;    /* of what its current takes on in all rows */
static const double most_repeated = 0.1;    /* of the rows; of measurements hardly one is */

/* Sweeps that follow each other have rows in which one joint ends and another begins. */
bool cli_moving_is_together(const AioMovingSurvey *survey) {
  return (double)survey->with_several > least_together * (double)survey->rows;
}

/* Ends with exit status 4. */
static void fault(CliIdentified *r, const char *code, size_t joint, char *message) {
  aio_dynamics_warn(r->out, code, joint, message);
  g_free(message);
  r->is_bad = true;
}

static char *column_of(const CliIdentified *r, AioChannelKind channel, size_t j) {
  return aio_recording_column_name(channel, j, r->setup->arm->model.joints[j].type);
}

/* ---- encoders that are stuck ---- */

/* A joint that rests feels others move, too, so that this is a question. */
static bool may_be_stuck(const CliMoving *moving, size_t n, size_t j) {
  const AioMovingSurvey *survey = &moving->survey;
  const AioMovingStill *still = &survey->still[j];
  const double all = survey->effort_max[j] - survey->effort_min[j];
  const bool is_sweep = n > 2 && !cli_moving_is_together(survey); /* all but one rest */
  return !is_sweep && still->line > 0 && still->to_s - still->from_s >= least_rest_s &&
         still->effort_max - still->effort_min > least_at_rest * all;
}

static char *say_stuck(const CliIdentified *r, const CliMoving *moving, size_t j) {
  const AioMovingStill *still = &moving->survey.still[j];
  g_autofree char *column = column_of(r, AIO_CHANNEL_Q, j);
  g_autofree char *q = cli_format_number(still->q, 4);
  g_autofree char *from = cli_format_number(still->from_s, 4);
  g_autofree char *to = cli_format_number(still->to_s, 4);
  g_autofree char *least = cli_format_number(still->effort_min, 3);
  g_autofree char *most = cli_format_number(still->effort_max, 3);
  return g_strdup_printf("%s:%u: %s is %s in every row from %s to %s s, while other joints move "
                         "and its %s changes from %s to %s %s: does it rest, or is its encoder "
                         "stuck? Then what is said of other joints is wrong, too",
                         moving->path, still->line, column, q, from, to,
                         moving->survey.is_torque[j] ? "torque" : "current", least, most,
                         arm_param_set_effort_unit(&r->out->found, j));
}

static void warn_stuck_encoder(CliIdentified *r, const CliMoving *moving, size_t j) {
  if (r->fit->joint[j].statistics.rows_used == 0 || !may_be_stuck(moving, r->fit->n, j))
    return;
  g_autofree char *text = say_stuck(r, moving, j);
  g_autofree char *message = g_strdup_printf("joint %zu: %s", j + 1, text);
  aio_dynamics_warn(r->out, "position_constant", j + 1, message);
}

/* ---- why a model does not fit ---- */

static char *cause_in(const CliIdentified *r, const CliMoving *moving) {
  for (size_t j = 0; j < r->fit->n; j++) {
    g_autofree char *column = column_of(r, AIO_CHANNEL_Q, j);
    if (moving->survey.far_line[j] > 0)
      return g_strdup_printf("%s is of another unit in %s", column, moving->path);
    if (may_be_stuck(moving, r->fit->n, j))
      return g_strdup_printf("from line %u of %s on %s stays the same while its %s changes: is its "
                             "encoder stuck?",
                             moving->survey.still[j].line, moving->path, column,
                             moving->survey.is_torque[j] ? "torque" : "current");
  }
  return NULL;
}

/* A joint that gravity loads one way may have such a current: a question. */
static char *unsigned_in(const CliIdentified *r, const CliMoving *moving, size_t j) {
  const AioMovingSurvey *survey = &moving->survey;
  if (!(survey->effort_min[j] >= 0) || survey->effort_max[j] == 0)
    return NULL;
  g_autofree char *column =
      column_of(r, survey->is_torque[j] ? AIO_CHANNEL_TORQUE : AIO_CHANNEL_CURRENT, j);
  return g_strdup_printf("%s is never negative in %s: has it lost its sign?", column, moving->path);
}

char *cli_identify_cause(const CliIdentified *r, size_t joint) {
  const GPtrArray *const lists[] = {r->recordings, r->held_out};
  char *cause = NULL;
  if (!r->fit->has_converged)
    return g_strdup("the search did not converge, and this is of what is stated");
  for (gsize l = 0; l < G_N_ELEMENTS(lists); l++)
    for (guint k = 0; k < lists[l]->len && !cause; k++)
      cause = cause_in(r, g_ptr_array_index(lists[l], k));
  for (gsize l = 0; l < G_N_ELEMENTS(lists); l++)
    for (guint k = 0; k < lists[l]->len && !cause; k++)
      cause = unsigned_in(r, g_ptr_array_index(lists[l], k), joint);
  return cause;
}

/* ---- units ---- */

/* Beyond a limit by so much that the unit is another one. */
static void warn_unit(CliIdentified *r, const CliMoving *moving, size_t j) {
  const ArmJoint *joint = &r->setup->arm->model.joints[j];
  const bool turns = joint->type == ARM_JOINT_R;
  if (moving->survey.far_line[j] == 0)
    return;
  g_autofree char *column = column_of(r, AIO_CHANNEL_Q, j);
  g_autofree char *found = cli_format_number(moving->survey.far_q[j], 4);
  g_autofree char *least = cli_format_number(joint->limits.q_min, 4);
  g_autofree char *most = cli_format_number(joint->limits.q_max, 4);
  const char *unit = turns ? "rad" : "m";
  r->out->joint_verdict[j] = ARM_VERDICT_MISFIT; /* friction and inertia may make up for the unit */
  fault(r, arm_doubt_key(ARM_DOUBT_POSITION), j + 1,
        g_strdup_printf("joint %zu: %s:%u: %s: expected %s to %s %s, the limits of the arm file, "
                        "found %s: is it in %s where %s is meant? Then nothing here is right",
                        j + 1, moving->path, moving->survey.far_line[j], column, least, most, unit,
                        found, turns ? "deg" : "mm", unit));
}

/* ---- currents at their limit ---- */

static void warn_saturated(CliIdentified *r, const CliMoving *moving, size_t j) {
  const size_t *samples = moving->counts.samples[j];
  const size_t at = samples[ARM_DYN_AT_LIMIT], all = at + samples[ARM_DYN_USED];
  if (!((double)at > saturated_part * (double)all))
    return;
  g_autofree char *name = g_path_get_basename(moving->path);
  g_autofree char *limit = cli_format_number(r->setup->arm->model.joints[j].limits.current_max, 4);
  cli_identify_warn(
      r, arm_doubt_key(ARM_DOUBT_SATURATED), j + 1,
      g_strdup_printf("joint %zu: %s: its current is at the limit of the arm file, "
                      "%s A, in %zu of %zu samples, which are left out: is it limited "
                      "there? Move slower or with less load",
                      j + 1, name, limit, at, all));
}

/* ---- joints that no row tells of ---- */

static const char *why(ArmDynStreamProblem problem) {
  /* NOLINTBEGIN(bugprone-suspicious-missing-comma): texts of two lines */
  static const char *const texts[ARM_DYN_STREAM_PROBLEMS] = {
      [ARM_DYN_STREAM_STANDS] = "it never moves faster than --min-speed: move it",
      [ARM_DYN_STREAM_TOGETHER] = "it never moves alone, in rows whose joint is its number: move "
                                  "it by itself, or leave out --method sequential",
      [ARM_DYN_STREAM_NO_STATE] = "positions or speeds are missing in its rows",
      [ARM_DYN_STREAM_TOO_SHORT] = "it moves in stretches that are all shorter than the filter: "
                                   "record longer, or raise --lowpass",
      [ARM_DYN_STREAM_AT_LIMIT] =
          "its current is at the limit of the arm file while it moves: move "
          "slower or with less load"};
  /* NOLINTEND(bugprone-suspicious-missing-comma) */
  return texts[problem] ? texts[problem] : "no row can be used";
}

static char *say_no_effort(const CliIdentified *r, const CliMoving *moving, size_t j) {
  const AioMovingSurvey *survey = &moving->survey;
  g_autofree char *current = column_of(r, AIO_CHANNEL_CURRENT, j);
  g_autofree char *torque = column_of(r, AIO_CHANNEL_TORQUE, j);
  if (survey->has_effort[j])
    return g_strdup_printf("%s: %s is empty while it moves", moving->path,
                           survey->is_torque[j] ? torque : current);
  return g_strdup_printf("%s: expected a column %s or %s, found none: is it called otherwise?",
                         moving->path, current, torque);
}

static void warn_without_rows(CliIdentified *r, size_t j) {
  const CliMoving *first = g_ptr_array_index(r->recordings, 0);
  const ArmDynStreamProblem problem = arm_dyn_stream_why(&first->counts, j);
  const bool is_still = problem == ARM_DYN_STREAM_STANDS && may_be_stuck(first, r->fit->n, j);
  g_autofree char *rest = is_still ? say_stuck(r, first, j) : NULL;
  g_autofree char *text =
      problem == ARM_DYN_STREAM_NO_EFFORT ? say_no_effort(r, first, j) : g_strdup(why(problem));
  fault(r, "joint_without_rows", j + 1,
        g_strdup_printf("joint %zu: nothing is known of it, %s%s%s", j + 1, text, rest ? ". " : "",
                        rest ? rest : ""));
}

/* A current that is the same in every row says nothing: 0 is fitted by an arm of no weight, another
 * one by friction that helps one way. */
static bool is_stuck(const CliIdentified *r, size_t j, double *at) {
  double low = (double)NAN, high = (double)NAN;
  for (guint k = 0; k < r->recordings->len; k++) {
    const CliMoving *moving = g_ptr_array_index(r->recordings, k);
    low = fmin(low, moving->survey.effort_min[j]); /* not NAN: another recording's */
    high = fmax(high, moving->survey.effort_max[j]);
  }
  *at = low;
  return low == high;
}

static void warn_stuck(CliIdentified *r, size_t j, double at) {
  const bool is_torque = r->out->found.is_torque[j];
  g_autofree char *value = cli_format_number(at, 3);
  g_autofree char *column = column_of(r, is_torque ? AIO_CHANNEL_TORQUE : AIO_CHANNEL_CURRENT, j);
  fault(r, at == 0 ? "current_zero" : "current_constant", j + 1,
        g_strdup_printf("joint %zu: its %s is %s in every row: is it measured, and in this column, "
                        "%s?",
                        j + 1, is_torque ? "torque" : "current", value, column));
}

static void warn_idle(CliIdentified *r) {
  for (size_t j = 0; j < r->fit->n; j++) {
    const bool is_used = r->fit->joint[j].statistics.rows_used > 0;
    double at;
    if (is_stuck(r, j, &at) && (is_used || at == 0))
      warn_stuck(r, j, at);
    else if (!is_used)
      warn_without_rows(r, j);
  }
}

/* ---- rows that are there twice ---- */

/* A question: without noise a motion that comes round again has the same rows. */
static void warn_repeated(CliIdentified *r, const CliMoving *moving) {
  const double repeated = aio_row_sketch_repeated(&moving->survey.sketch);
  if (!(repeated > most_repeated))
    return;
  g_autofree char *share = cli_format_number(100 * repeated, 3);
  g_autofree char *message = g_strdup_printf(
      "%s: %s %% of its rows are there more than once, number for number: is a recording in it "
      "twice? Then sds are too small",
      moving->path, share);
  aio_dynamics_warn(r->out, "rows_repeated", 0, message);
}

void cli_identify_warn_recorded(CliIdentified *r) {
  warn_idle(r);
  for (guint k = 0; k < r->recordings->len; k++)
    warn_repeated(r, g_ptr_array_index(r->recordings, k));
  for (guint k = 0; k < r->recordings->len; k++)
    for (size_t j = 0; j < r->fit->n; j++) {
      warn_unit(r, g_ptr_array_index(r->recordings, k), j);
      warn_stuck_encoder(r, g_ptr_array_index(r->recordings, k), j);
      warn_saturated(r, g_ptr_array_index(r->recordings, k), j);
    }
  for (guint k = 0; k < r->held_out->len; k++)
    for (size_t j = 0; j < r->fit->n; j++) {
      warn_unit(r, g_ptr_array_index(r->held_out, k), j);
      warn_saturated(r, g_ptr_array_index(r->held_out, k), j);
    }
}
