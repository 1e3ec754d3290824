/* SPDX-License-Identifier: MIT */
/* Two readings of one file. What is wrong with a row is told as of a recording that is read whole;
 * what only all of it tells (steps, speeds that are never missing) is gathered in between. */
#include "io/recording/recording_moving.h"

#include <math.h>
#include <string.h>

#include "core/sweeps/plausible.h"
#include "io/base/spool.h"
#include "io/recording/recording_columns.h"
#include "io/recording/recording_internal.h"

static const double uneven_step = 0.02; /* of a step: a clock's rounding is less */
static const double uneven_part = 0.02; /* of the steps */
static const double gap_steps = 5;      /* as ARM_FILTER_GAP_STEPS: no jitter */

typedef struct {
  const ArmModel *model;
  const AioTimeSpan *span;
  AioMovingEach each;
  void *data;
  double before; /* time of the row before; NAN: none */
  GError *error; /* of time */
} Pass;

static bool is_within(const AioTimeSpan *span, double t) {
  return !(t < span->from) && !(t > span->to); /* NAN: no bound */
}

static bool fail_effort(const AioCsv *csv, const AioRecording *w, gsize row, gsize j,
                        GError **error) {
  const AioChannelKind kind = w->is_torque[j] ? AIO_CHANNEL_TORQUE : AIO_CHANNEL_CURRENT;
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  char *name = aio_recording_column_name(kind, j, w->type[j]);
  g_ascii_formatd(number, sizeof number, "%.10g", w->current[row + j * w->rows]);
  aio_error_set_at(error, AIO_ERROR_MEANING, aio_csv_name(csv), aio_csv_row_line(csv, row), 0, name,
                   "a number from -1e9 to 1e9", number);
  g_free(name);
  return false;
}

static bool check_efforts(const AioCsv *csv, const AioRecording *w, gsize first, gsize end,
                          GError **error) {
  for (gsize row = first; row < end; row++)
    for (gsize j = 0; j < w->n; j++)
      if (fabs(w->current[row + j * w->rows]) > AIO_MOST_EFFORT)
        return fail_effort(csv, w, row, j, error);
  return true;
}

static void take_off(AioRecording *w, gsize first, gsize end, gsize j, gsize k, double share) {
  for (gsize row = first; row < end; row++)
    w->current[row + j * w->rows] -=
        w->is_torque[k] ? share * w->current[row + k * w->rows] : (double)NAN;
}

/* Torques of joints into those of drives, m = (I+L)^-T tau (Lin, IEEE TAC note 1994, (38)-(40)). */
static void take_drives(const ArmModel *model, AioRecording *w, gsize first, gsize end) {
  for (gsize j = model->n; model->has_coupling && j-- > 0;)
    for (gsize k = j + 1; k < model->n && w->is_torque[j]; k++)
      if (model->coupling[k][j] != 0)
        take_off(w, first, end, j, k, model->coupling[k][j]);
}

/* Time increases: what is within the span follows each other. */
static bool take_window(const AioCsv *csv, AioRecording *window, void *data) {
  Pass *pass = data;
  gsize first = 0, end;
  if (!aio_recording_check_time(csv, window, pass->before, &pass->error))
    return false;
  pass->before = window->t[window->rows - 1];
  while (first < window->rows && !is_within(pass->span, window->t[first]))
    first++;
  for (end = first; end < window->rows && is_within(pass->span, window->t[end]);)
    end++;
  if (!check_efforts(csv, window, first, end, &pass->error))
    return false;
  take_drives(pass->model, window, first, end);
  return end == first || pass->each(window, first, end - first, pass->data);
}

bool aio_moving_each(AioCsv *csv, const ArmModel *model, const AioTimeSpan *span,
                     AioMovingEach each, void *data, GError **error) {
  Pass pass = {model, span, each, data, (double)NAN, NULL};
  const bool is_read = aio_recording_each(csv, model, take_window, &pass, error);
  if (pass.error && is_read)
    g_propagate_error(error, g_steal_pointer(&pass.error));
  else if (!pass.error)
    return is_read;
  g_clear_error(&pass.error);
  return false;
}

/* ---- the survey ---- */

typedef struct {
  const ArmModel *model;
  const AioCsv *csv;
  AioMovingSurvey *survey;
  AioMovingStill still[ARM_MAX_JOINTS]; /* up to the row before */
  AioSpool *steps;
  double sum, median;
  gsize counted, uneven;
} Survey;

void aio_moving_survey_clear(AioMovingSurvey *survey) {
  g_free(survey->ignored);
  *survey = (AioMovingSurvey){0};
}

/* Speeds and accelerations of a held joint may be missing. */
static void look_at_rates(const AioRecording *w, gsize row, AioMovingSurvey *survey) {
  for (gsize j = 0; j < w->n; j++) {
    const gsize at = row + j * w->rows;
    if (w->joint[row] > 0 && w->joint[row] != (int)j + 1)
      continue;
    survey->has_qd = survey->has_qd && !isnan(w->qd[at]);
    survey->has_qdd = survey->has_qdd && w->qdd && !isnan(w->qdd[at]);
  }
}

static void look_at_joints(const AioRecording *w, gsize row, guint line, AioMovingSurvey *survey) {
  for (gsize j = 0; j < w->n; j++) {
    const gsize at = row + j * w->rows;
    survey->q_min[j] = fmin(survey->q_min[j], w->q[at]);
    survey->q_max[j] = fmax(survey->q_max[j], w->q[at]);
    survey->effort_min[j] = fmin(survey->effort_min[j], w->current[at]);
    survey->effort_max[j] = fmax(survey->effort_max[j], w->current[at]);
    if (isnan(w->current[at]) || fabs(w->current[at]) <= survey->most_effort[j])
      continue; /* not of the first, beside NAN */
    survey->most_effort[j] = fabs(w->current[at]);
    survey->most_effort_line[j] = line;
  }
}

static void look_at_limits(const Survey *s, const AioRecording *w, gsize row, guint line) {
  for (gsize j = 0; j < w->n; j++) {
    const ArmJoint *joint = &s->model->joints[j];
    const double q = w->q[row + j * w->rows];
    if (s->survey->far_line[j] > 0 ||
        !arm_plausible_is_other_unit(joint->type, q, joint->limits.q_min) ||
        !arm_plausible_is_other_unit(joint->type, q, joint->limits.q_max))
      continue;
    s->survey->far_line[j] = line;
    s->survey->far_q[j] = q;
  }
}

/* The joint rests while others move, or its encoder is stuck. */
static void look_at_rest(Survey *s, const AioRecording *w, gsize row, guint line) {
  gsize moving = 0;
  for (gsize j = 0; j < w->n; j++) {
    const double before = s->still[j].q, q = w->q[row + j * w->rows];
    moving += w->joint[row] == 0 && (before < q || before > q);
  }
  s->survey->with_several += moving > 1;
  for (gsize j = 0; j < w->n; j++) {
    const double q = w->q[row + j * w->rows], i = w->current[row + j * w->rows];
    AioMovingStill *now = &s->still[j], *longest = &s->survey->still[j];
    if (now->line == 0 || q != now->q)
      *now = (AioMovingStill){line, w->t[row], w->t[row], q, i, i};
    if (moving == 0)
      continue;
    now->to_s = w->t[row];
    now->effort_min = fmin(now->effort_min, i);
    now->effort_max = fmax(now->effort_max, i);
    if (now->to_s - now->from_s > longest->to_s - longest->from_s)
      *longest = *now;
  }
}

static bool look(const AioRecording *window, gsize first, gsize count, void *data) {
  Survey *s = data;
  AioMovingSurvey *survey = s->survey;
  memcpy(survey->has_effort, window->has_current, sizeof survey->has_effort);
  memcpy(survey->is_torque, window->is_torque, sizeof survey->is_torque);
  aio_row_sketch_add(&survey->sketch, window, first, count);
  for (gsize row = first; row < first + count; row++) {
    if (survey->rows++ == 0)
      survey->first_s = window->t[row];
    else
      aio_spool_add(s->steps, window->t[row] - survey->last_s);
    survey->last_s = window->t[row];
    survey->with_all += window->joint[row] == 0;
    survey->with_one += window->joint[row] > 0;
    look_at_rates(window, row, survey);
    look_at_joints(window, row, aio_csv_row_line(s->csv, row), survey);
    look_at_limits(s, window, row, aio_csv_row_line(s->csv, row));
    look_at_rest(s, window, row, aio_csv_row_line(s->csv, row));
  }
  return true;
}

static void look_at_step(double step, void *data) {
  Survey *s = data;
  if (step > gap_steps * s->median)
    return;
  s->counted++;
  s->sum += step;
  s->uneven += fabs(step - s->median) > uneven_step * s->median;
}

static bool find_steps(Survey *s, GError **error) {
  AioMovingSurvey *survey = s->survey;
  if (!aio_spool_median(s->steps, &s->median, error) ||
      !aio_spool_each(s->steps, look_at_step, s, error))
    return false;
  survey->step_s = s->median;
  survey->is_uneven = (double)s->uneven > uneven_part * (double)s->counted;
  if (survey->is_uneven)
    survey->step_s = s->sum / (double)s->counted;
  return true;
}

/* Columns without meaning, at most twelve by name. */
static char *names_of(const GPtrArray *ignored) {
  enum { MOST = 12 };
  GString *names = g_string_new(NULL);
  for (guint k = 0; k < MIN(ignored->len, MOST); k++)
    g_string_append_printf(names, "%s%s", k ? ", " : "", (char *)g_ptr_array_index(ignored, k));
  if (ignored->len > MOST)
    g_string_append_printf(names, " and %u more", ignored->len - MOST);
  const bool is_empty = names->len == 0;
  char *text = g_string_free(names, is_empty);
  return is_empty ? NULL : text;
}

/* Is there any current or torque at all? */
static bool check_columns(AioCsv *csv, const ArmModel *model, AioMovingSurvey *survey,
                          GError **error) {
  AioRecordingColumns columns;
  GPtrArray *ignored = g_ptr_array_new_with_free_func(g_free);
  bool has_effort = false;
  const bool is_good = aio_recording_find_columns(csv, model, &columns, ignored, error);
  if (is_good)
    survey->ignored = names_of(ignored);
  for (gsize j = 0; j < model->n && is_good; j++)
    has_effort = has_effort || columns.current[j] >= 0 || columns.torque[j] >= 0;
  g_ptr_array_unref(ignored);
  return is_good && (has_effort || aio_recording_column_missing(csv, "i1_A", error));
}

static bool check_rows(const AioCsv *csv, const AioTimeSpan *span, const AioMovingSurvey *survey,
                       GError **error) {
  if (survey->rows > 0)
    return true;
  char *from = isnan(span->from) ? g_strdup("any") : aio_error_numbers(&span->from, 1);
  char *to = isnan(span->to) ? g_strdup("any") : aio_error_numbers(&span->to, 1);
  char *expected = g_strdup_printf("rows with t_s from %s to %s", from, to);
  aio_error_set_file(error, AIO_ERROR_MEANING, aio_csv_name(csv), expected, "none");
  g_free(from);
  g_free(to);
  g_free(expected);
  return false;
}

bool aio_moving_survey(AioCsv *csv, const ArmModel *model, const AioTimeSpan *span,
                       AioMovingSurvey *survey, GError **error) {
  AioMovingSurvey found = {.has_qd = true, .has_qdd = true, .step_s = (double)NAN};
  Survey s = {.model = model, .csv = csv, .survey = &found};
  for (gsize j = 0; j < ARM_MAX_JOINTS; j++)
    found.q_min[j] = found.q_max[j] = found.effort_min[j] = found.effort_max[j] =
        found.most_effort[j] = found.far_q[j] = s.still[j].q = (double)NAN;
  s.steps = aio_spool_new();
  const bool is_good = check_columns(csv, model, &found, error) &&
                       aio_moving_each(csv, model, span, look, &s, error) &&
                       check_rows(csv, span, &found, error) && find_steps(&s, error);
  aio_spool_free(s.steps);
  if (is_good)
    *survey = found;
  else
    aio_moving_survey_clear(&found);
  return is_good;
}
