/* SPDX-License-Identifier: MIT */
/* The file's own samples first, as their line is what somebody can mend; then what a controller
 * would make of them. */
#include "io/recording/motion_follow.h"

#include <math.h>

#include "io/recording/recording_columns.h"

#define MARGIN 1.0005 /* of a slower motion: what its own rounding to units asks for */
enum { TRIES = 12 };  /* of a slower motion; each adds MARGIN: twenty reach the most there is */

typedef struct {
  const AioMotionTable *motion;
  const ArmModel *model;
  const ArmMotionLimits *limits;
  const char *whose;
  double segment_s;
} Follow;

/* ---- words ---- */

/* What was made by differences is as noisy as the file's last digits: its cubics are judged. */
static bool is_stated(const Follow *f, ArmMotionQuantity quantity, gsize joint) {
  return quantity == ARM_MOTION_POSITION ||
         !(quantity == ARM_MOTION_SPEED ? f->motion->is_speed_derived
                                        : f->motion->is_acceleration_derived)[joint];
}

/* What no column states comes of the positions. */
static char *column_of(const Follow *f, ArmMotionQuantity quantity, gsize joint) {
  static const AioChannelKind kinds[] = {[ARM_MOTION_POSITION] = AIO_CHANNEL_Q,
                                         [ARM_MOTION_SPEED] = AIO_CHANNEL_QD,
                                         [ARM_MOTION_ACCELERATION] = AIO_CHANNEL_QDD};
  const AioChannelKind kind = kinds[is_stated(f, quantity, joint) ? quantity : ARM_MOTION_POSITION];
  return aio_recording_column_name(kind, joint, f->model->joints[joint].type);
}

/* Before a value that the column does not say itself. Static. */
static const char *quantity_text(const Follow *f, ArmMotionQuantity quantity, gsize joint) {
  if (is_stated(f, quantity, joint))
    return "";
  return quantity == ARM_MOTION_SPEED ? "a speed of " : "an acceleration of ";
}

/* Takes `expected` and `found` over. */
static void object(const Follow *f, gsize row, ArmMotionQuantity quantity, gsize joint,
                   char *expected, char *found, GError **error) {
  char *column = column_of(f, quantity, joint);
  const guint line = f->motion->line ? f->motion->line[row] : 0;
  aio_error_set_at(error, AIO_ERROR_REFUSED, f->motion->name, line, 0, column, expected, found);
  g_free(column);
  g_free(expected);
  g_free(found);
}

/* "1.5 (12 of 400 samples are beyond)". g_free. */
static char *found_text(double value, const char *more, gsize beyond, gsize all, const char *what) {
  char *number = aio_error_numbers(&value, 1);
  char *text = g_strdup_printf("%s%s (%" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT " %s are beyond)",
                               number, more, beyond, all, what);
  g_free(number);
  return text;
}

/* until_line 0: none. g_free. */
static char *range_text(const Follow *f, ArmMotionQuantity quantity, gsize joint,
                        guint until_line) {
  const double middle = quantity == ARM_MOTION_POSITION ? f->limits->middle[joint] : 0;
  const double half = f->limits->half[quantity][joint];
  char *low = aio_error_numbers((double[]){middle - half}, 1);
  char *high = aio_error_numbers((double[]){middle + half}, 1);
  char *until = until_line ? g_strdup_printf(", until line %u", until_line) : g_strdup("");
  char *text = g_strdup_printf("%s%s to %s, the limits of %s%s", quantity_text(f, quantity, joint),
                               low, high, f->whose, until);
  g_free(low);
  g_free(high);
  g_free(until);
  return text;
}

/* ---- samples ---- */

/* g_free. */
static char *moving_text(const Follow *f, gsize joint, double speed) {
  char *number = aio_error_numbers(&speed, 1);
  const bool is_stated_speed = is_stated(f, ARM_MOTION_SPEED, joint);
  char *text = is_stated_speed
                   ? g_strdup(number)
                   : g_strdup_printf("positions that change at a speed of %s there: record the "
                                     "joint standing still for a few samples, or state its speeds "
                                     "in a column of their own",
                                     number);
  g_free(number);
  return text;
}

static bool check_end(const Follow *f, gsize row, GError **error) {
  for (gsize j = 0; j < f->motion->n; j++) {
    const double speed = f->motion->qd[row + j * f->motion->rows];
    if (fabs(speed) <= AIO_FOLLOW_REST)
      continue;
    object(f, row, ARM_MOTION_SPEED, j,
           g_strdup_printf("%s0, as an arm %s at rest", quantity_text(f, ARM_MOTION_SPEED, j),
                           row == 0 ? "begins" : "ends"),
           moving_text(f, j, speed), error);
    return false;
  }
  return true;
}

/* In the file, whatever a controller makes of it. */
static bool do_rows_differ(const AioMotionTable *m) {
  for (gsize j = 0; j < m->n; j++)
    for (gsize row = 1; row < m->rows; row++)
      if (m->q[row + j * m->rows] != m->q[j * m->rows])
        return true;
  return false;
}

/* A controller is told which joints move, in its units: less than one is no motion. Last, as a row
 * that leaps between two samples of the controller leaves it nothing that moves. */
static bool check_moves(const Follow *f, const ArmCubics *cubics, GError **error) {
  for (gsize j = 0; j < cubics->n; j++)
    for (gsize k = 1; k < cubics->count; k++)
      if (cubics->q[k + j * cubics->count] != cubics->q[j * cubics->count])
        return true;
  aio_error_set_at(error, AIO_ERROR_REFUSED, f->motion->name, 0, 0, NULL, "a joint that moves",
                   do_rows_differ(f->motion)
                       ? "positions that change by less than a controller can be told"
                       : "the same positions in all rows");
  return false;
}

/* A controller's range is in its units; what it follows is made of them, and shrunk into it. */
static bool is_rounding(const ArmMotionViolation *v) {
  return v->quantity == ARM_MOTION_POSITION && fabs(v->value - v->limit) <= ARM_CUBICS_UNIT;
}

static bool check_samples(const Follow *f, GError **error) {
  const AioMotionTable *m = f->motion;
  ArmMotionViolation found[ARM_MOTION_QUANTITIES * ARM_MAX_JOINTS];
  const gsize n = arm_motion_violations(f->limits, m->rows, m->q, m->qd, m->qdd, found);
  for (gsize k = 0; k < n; k++) {
    const ArmMotionViolation *v = &found[k];
    if (!is_stated(f, v->quantity, v->joint) || is_rounding(v))
      continue;
    object(f, v->worst, v->quantity, v->joint, range_text(f, v->quantity, v->joint, 0),
           found_text(v->value, "", v->samples, m->rows, "samples"), error);
    return false;
  }
  return true;
}

/* ---- between them ---- */

static ArmCubics *make(const Follow *f, double slowness, GError **error) {
  const AioMotionTable *m = f->motion;
  ArmCubics *cubics = NULL;
  const ArmStatus status =
      arm_cubics_new(m->n, m->rows, m->t, m->q, m->qd, f->segment_s, slowness, &cubics);
  if (status == ARM_E_MEMORY)
    aio_error_set_at(error, AIO_ERROR_MEMORY, m->name, 0, 0, NULL, NULL,
                     "too large for the memory");
  else if (status != ARM_OK)
    aio_error_set_file(error, AIO_ERROR_MEANING, m->name, "a motion that takes some time",
                       "one that nothing can follow");
  return cubics;
}

/* As much slower as limits ask for. That sets the ends of the segments elsewhere in the motion, and
 * what lies between them may then ask for a little more. */
static ArmCubics *make_within(const Follow *f, double *slowness, GError **error) {
  ArmCubics *cubics = make(f, *slowness, error);
  for (int tried = 0; cubics && tried < TRIES; tried++) {
    const double part = arm_cubics_slowness(f->limits, cubics);
    const double needed = *slowness * part * MARGIN;
    if (!(part > 1) || needed > AIO_FOLLOW_SLOWNESS)
      break;
    arm_cubics_free(cubics);
    *slowness = needed;
    cubics = make(f, needed, error);
  }
  return cubics;
}

static bool check_apart(const Follow *f, const ArmCubics *cubics, double slowness, GError **error) {
  const AioMotionTable *m = f->motion;
  double apart[ARM_MAX_JOINTS];
  gsize worst[ARM_MAX_JOINTS];
  arm_cubics_apart(cubics, m->rows, m->t, m->q, slowness, worst, apart);
  for (gsize j = 0; j < m->n; j++) {
    const bool turns = f->model->joints[j].type == ARM_JOINT_R;
    const double allowed = turns ? AIO_FOLLOW_APART_R : AIO_FOLLOW_APART_T;
    if (apart[j] <= allowed)
      continue;
    char *most = aio_error_numbers(&allowed, 1), *off = aio_error_numbers(&apart[j], 1);
    object(f, worst[j], ARM_MOTION_POSITION, j,
           g_strdup_printf("a position within %s of the cubic between samples that are %.0f ms "
                           "apart, which is what a controller follows",
                           most, 1e3 * f->segment_s),
           g_strdup_printf("one that is %s off it", off), error);
    g_free(most);
    g_free(off);
    return false;
  }
  return true;
}

static bool check_segments(const Follow *f, const ArmCubics *cubics, GError **error) {
  ArmMotionViolation found[ARM_MOTION_QUANTITIES * ARM_MAX_JOINTS];
  if (arm_cubics_violations(f->limits, cubics, found) == 0)
    return true;
  const ArmMotionViolation *v = &found[0];
  const guint *line = f->motion->line;
  const guint until_line = line ? line[cubics->row[v->worst + 1]] : 0;
  object(f, cubics->row[v->worst], v->quantity, v->joint,
         range_text(f, v->quantity, v->joint, until_line),
         found_text(v->value, " on the way there", v->samples, cubics->count - 1, "segments"),
         error);
  return false;
}

ArmCubics *aio_motion_follow(const AioMotionTable *motion, const ArmModel *model,
                             const ArmMotionLimits *limits, const char *whose, double segment_s,
                             double *slowness, GError **error) {
  const Follow f = {motion, model, limits, whose, segment_s};
  double slower = *slowness;
  if (!check_samples(&f, error) || !check_end(&f, 0, error) ||
      !check_end(&f, motion->rows - 1, error))
    return NULL;
  ArmCubics *cubics = make_within(&f, &slower, error);
  if (cubics)
    arm_cubics_shrink(limits, AIO_FOLLOW_SHRINK, cubics);
  if (cubics && check_segments(&f, cubics, error) && check_apart(&f, cubics, slower, error) &&
      check_moves(&f, cubics, error)) {
    *slowness = slower;
    return cubics;
  }
  arm_cubics_free(cubics);
  return NULL;
}
