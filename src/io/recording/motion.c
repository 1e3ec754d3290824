/* SPDX-License-Identifier: MIT */
/* Motions from and to CSV: the columns of a recording, read more strictly, as all of it matters. */
#include "io/recording/motion.h"

#include <math.h>
#include <string.h>

#include "core/excite/check.h"
#include "io/base/file.h"
#include "io/recording/recording.h"
#include "io/recording/recording_columns.h"

void aio_motion_free(AioMotionTable *motion) {
  if (!motion)
    return;
  g_free(motion->name);
  g_free(motion->t);
  g_free(motion->q);
  g_free(motion->qd);
  g_free(motion->qdd);
  g_free(motion->line);
  g_free(motion);
}

/* Takes the arrays of a recording over; what it does not have is NAN. */
static AioMotionTable *take(AioRecording *recording) {
  AioMotionTable *motion = g_new0(AioMotionTable, 1);
  const gsize all = recording->n * recording->rows;
  const bool has_qdd = recording->qdd != NULL;
  motion->name = g_strdup(recording->name);
  motion->n = recording->n;
  motion->rows = recording->rows;
  motion->t = g_steal_pointer(&recording->t);
  motion->q = g_steal_pointer(&recording->q);
  motion->qd = g_steal_pointer(&recording->qd);
  motion->qdd = g_steal_pointer(&recording->qdd);
  if (!has_qdd)
    motion->qdd = g_try_new0(double, MAX(all, 1));
  for (gsize k = 0; motion->qdd && !has_qdd && k < all; k++)
    motion->qdd[k] = NAN;
  return motion;
}

/* ---- what must be there ---- */

static bool fail_cell(const AioCsv *csv, gsize row, const char *key, const char *expected,
                      GError **error) {
  aio_error_set_at(error, AIO_ERROR_MEANING, aio_csv_name(csv), aio_csv_row_line(csv, row), 0, key,
                   expected, "an empty cell");
  return false;
}

static bool check_time(const AioCsv *csv, const AioMotionTable *motion, GError **error) {
  for (gsize row = 0; row < motion->rows; row++) {
    if (isnan(motion->t[row]))
      return fail_cell(csv, row, "t_s", "a time in every row", error);
    if (row == 0 || motion->t[row] > motion->t[row - 1])
      continue;
    char *before = aio_error_numbers(&motion->t[row - 1], 1);
    char *expected = g_strdup_printf("a time after %s of the line before", before);
    char *found = aio_error_numbers(&motion->t[row], 1);
    aio_error_set_at(error, AIO_ERROR_REFUSED, aio_csv_name(csv), aio_csv_row_line(csv, row), 0,
                     "t_s", expected, found);
    g_free(before);
    g_free(expected);
    g_free(found);
    return false;
  }
  return true;
}

static bool check_positions(const AioCsv *csv, const ArmModel *model, const AioMotionTable *motion,
                            GError **error) {
  for (gsize k = 0; k < motion->n * motion->rows; k++) {
    if (!isnan(motion->q[k]))
      continue;
    const gsize joint = k / motion->rows;
    char *key = aio_recording_column_name(AIO_CHANNEL_Q, joint, model->joints[joint].type);
    fail_cell(csv, k % motion->rows, key, "a position in every row", error);
    g_free(key);
    return false;
  }
  return true;
}

static bool check(const AioCsv *csv, const ArmModel *model, bool has_time,
                  const AioMotionTable *motion, GError **error) {
  if (!has_time)
    return aio_recording_column_missing(csv, "t_s", error);
  if (motion->rows < 3) {
    char *found = g_strdup_printf("%" G_GSIZE_FORMAT, motion->rows);
    aio_error_set_file(error, AIO_ERROR_MEANING, aio_csv_name(csv), "three rows or more", found);
    g_free(found);
    return false;
  }
  return check_time(csv, motion, error) && check_positions(csv, model, motion, error);
}

static guint *lines_of(const AioCsv *csv, gsize rows) {
  guint *line = g_try_new(guint, rows);
  for (gsize row = 0; line && row < rows; row++)
    line[row] = aio_csv_row_line(csv, row);
  return line;
}

/* ---- what can be made ---- */

static bool is_whole(gsize rows, const double *values) {
  for (gsize row = 0; row < rows; row++)
    if (isnan(values[row]))
      return false;
  return true;
}

/* The speed at the first of n points, of the parabola through three of them and of the cubic
 * through four (of the line and the parabola, where there are three): by Newton's divided
 * differences. */
static void speeds_at_end(gsize n, const double *t, const double *q, double *low, double *high) {
  double divided[4], product = 1.0;
  const gsize points = MIN(n, 4);
  for (gsize k = 0; k < points; k++)
    divided[k] = q[k];
  *low = *high = 0.0;
  for (gsize order = 1; order < points; order++) {
    for (gsize k = points; k-- > order;)
      divided[k] = (divided[k] - divided[k - 1]) / (t[k] - t[k - order]);
    *low = *high;
    *high += divided[order] * product;
    product *= t[0] - t[order];
  }
}

/* A joint that may be at rest there, for all that differences of these samples can tell, begins or
 * ends at rest: of a sampled motion they never tell exactly that. What is made of it is held to the
 * limits all the same. */
static void settle(const AioMotionTable *motion, gsize joint, bool is_end) {
  double t[4], q[4], low, high;
  const gsize rows = motion->rows, last = rows - 1, n = MIN(rows, 4);
  for (gsize k = 0; k < n; k++) {
    const gsize row = is_end ? last - k : k;
    t[k] = motion->t[row];
    q[k] = motion->q[row + joint * rows];
  }
  speeds_at_end(n, t, q, &low, &high);
  if (fabs(high) <= AIO_MOTION_REST + fabs(high - low))
    motion->qd[(is_end ? last : 0) + joint * rows] = 0.0;
}

static ArmStatus derive(AioMotionTable *motion) {
  const gsize rows = motion->rows;
  ArmStatus status = ARM_OK;
  for (gsize j = 0; j < motion->n && status == ARM_OK; j++) {
    const double *q = motion->q + j * rows;
    double *qd = motion->qd + j * rows, *qdd = motion->qdd + j * rows;
    motion->is_speed_derived[j] = !is_whole(rows, qd);
    motion->is_acceleration_derived[j] = !is_whole(rows, qdd);
    if (motion->is_acceleration_derived[j])
      status = motion->is_speed_derived[j] ? arm_motion_differences(rows, motion->t, q, 2, qdd)
                                           : arm_motion_differences(rows, motion->t, qd, 1, qdd);
    if (motion->is_speed_derived[j] && status == ARM_OK)
      status = arm_motion_differences(rows, motion->t, q, 1, qd);
    for (int is_end = 0; is_end < 2 && motion->is_speed_derived[j] && status == ARM_OK; is_end++)
      settle(motion, j, is_end);
    for (gsize row = 0; row < rows && status == ARM_OK; row++)
      if (!(fabs(qd[row]) <= AIO_MOST_MOTION && fabs(qdd[row]) <= AIO_MOST_MOTION))
        status = ARM_E_NOT_FINITE;
  }
  return status;
}

static AioMotionTable *from_csv(const AioCsv *csv, const ArmModel *model, GError **error) {
  AioRecording *recording = aio_recording_from_csv(csv, model, false, error);
  if (!recording)
    return NULL;
  const bool has_time = recording->has_time;
  AioMotionTable *motion = take(recording);
  aio_recording_free(recording);
  motion->line = lines_of(csv, motion->rows);
  bool is_good = motion->qdd && (motion->line || motion->rows == 0);
  if (!is_good)
    aio_error_set_at(error, AIO_ERROR_MEMORY, aio_csv_name(csv), 0, 0, NULL, NULL,
                     "too large for the memory");
  is_good = is_good && check(csv, model, has_time, motion, error);
  if (is_good && derive(motion) != ARM_OK) {
    aio_error_set_file(error, AIO_ERROR_MEANING, aio_csv_name(csv), NULL,
                       "times too close together for differences");
    is_good = false;
  }
  if (is_good)
    return motion;
  aio_motion_free(motion);
  return NULL;
}

AioMotionTable *aio_motion_load_bytes(const char *name, const char *bytes, gsize length,
                                      const ArmModel *model, GError **error) {
  AioCsv *csv = aio_csv_new(name, bytes, length, &AIO_CSV_MOTION, error);
  AioMotionTable *motion = csv ? from_csv(csv, model, error) : NULL;
  aio_csv_free(csv);
  return motion;
}

AioMotionTable *aio_motion_load(const char *path, const ArmModel *model, GError **error) {
  gsize length;
  char *bytes = aio_file_read_all(path, AIO_CSV_MAX_BYTES, &length, error);
  if (!bytes)
    return NULL;
  AioMotionTable *motion = aio_motion_load_bytes(path, bytes, length, model, error);
  g_free(bytes);
  return motion;
}

/* ---- which one it is ---- */

static void sum_numbers(GChecksum *sum, gsize n, const double *x) {
  for (gsize k = 0; k < n; k++) {
    const double number = x[k] + 0.0; /* no -0 */
    guint64 bits;
    memcpy(&bits, &number, sizeof bits);
    bits = GUINT64_TO_LE(bits);
    g_checksum_update(sum, (const guchar *)&bits, sizeof bits);
  }
}

char *aio_motion_digest(const AioMotionTable *motion) {
  GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
  const gsize rows = motion->rows;
  sum_numbers(sum, 2, (double[]){(double)motion->n, (double)rows});
  sum_numbers(sum, rows, motion->t);
  for (gsize j = 0; j < motion->n; j++) {
    sum_numbers(sum, rows, motion->q + j * rows);
    if (!motion->is_speed_derived[j])
      sum_numbers(sum, rows, motion->qd + j * rows);
    if (!motion->is_acceleration_derived[j])
      sum_numbers(sum, rows, motion->qdd + j * rows);
  }
  char *digest = g_strdup(g_checksum_get_string(sum));
  g_checksum_free(sum);
  return digest;
}

/* ---- out of a design, into a file ---- */

typedef void MotionAt(const void *design, gsize n, double t, double *q, double *qd, double *qdd);

/* NULL: out of memory, the error is set. */
static AioMotionTable *sample(const char *name, gsize n, double duration, double rate_Hz,
                              MotionAt *motion_at, const void *design, GError **error) {
  AioMotionTable *motion = g_new0(AioMotionTable, 1);
  const gsize steps = (gsize)ceil(duration * rate_Hz - 1e-9), rows = steps + 1;
  motion->name = g_strdup(name);
  motion->n = n;
  motion->rows = rows;
  motion->t = g_try_new(double, rows);
  motion->q = g_try_new(double, rows *n);
  motion->qd = g_try_new(double, rows *n);
  motion->qdd = g_try_new(double, rows *n);
  if (!motion->t || !motion->q || !motion->qd || !motion->qdd) {
    aio_error_set_at(error, AIO_ERROR_MEMORY, name, 0, 0, NULL, NULL, "too large for the memory");
    aio_motion_free(motion);
    return NULL;
  }
  for (gsize row = 0; row < rows; row++) {
    double q[ARM_MAX_JOINTS], qd[ARM_MAX_JOINTS], qdd[ARM_MAX_JOINTS];
    motion->t[row] = row == steps ? duration : (double)row / rate_Hz;
    motion_at(design, n, motion->t[row], q, qd, qdd);
    for (gsize j = 0; j < n; j++) {
      motion->q[row + j * rows] = q[j];
      motion->qd[row + j * rows] = qd[j];
      motion->qdd[row + j * rows] = qdd[j];
    }
  }
  return motion;
}

typedef struct {
  const ArmBasis *basis;
  const double *c;
} InBasis;

static void at_basis(const void *design, gsize n, double t, double *q, double *qd, double *qdd) {
  const InBasis *in = design;
  arm_basis_motion(in->basis, n, in->c, t, q, qd, qdd);
}

AioMotionTable *aio_motion_sample(const char *name, const ArmBasis *basis, gsize n, const double *c,
                                  double rate_Hz, GError **error) {
  const InBasis in = {basis, c};
  return sample(name, n, basis->period_s, rate_Hz, at_basis, &in, error);
}

typedef struct {
  const ArmSequence *sequence;
  double slowness;
} Slowed;

static void at_sequence(const void *design, gsize n, double t, double *q, double *qd, double *qdd) {
  const Slowed *slowed = design;
  arm_sequence_at(slowed->sequence, t / slowed->slowness, q, qd, qdd);
  for (gsize j = 0; j < n; j++) {
    qd[j] /= slowed->slowness;
    qdd[j] /= slowed->slowness * slowed->slowness;
  }
}

AioMotionTable *aio_motion_sample_sequence(const char *name, const ArmSequence *sequence,
                                           double rate_Hz, double slowness, GError **error) {
  const Slowed slowed = {sequence, slowness};
  return sample(name, sequence->n, slowness * arm_sequence_duration(sequence), rate_Hz, at_sequence,
                &slowed, error);
}

static void append_number(GString *text, double number) {
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  g_string_append(text, g_ascii_formatd(digits, sizeof digits, "%.17g", number + 0.0)); /* no -0 */
}

GString *aio_motion_to_csv(const AioMotionTable *motion, const ArmModel *model) {
  static const AioChannelKind kinds[] = {AIO_CHANNEL_Q, AIO_CHANNEL_QD, AIO_CHANNEL_QDD};
  const double *const x[] = {motion->q, motion->qd, motion->qdd};
  GString *text = g_string_new("t_s");
  for (gsize k = 0; k < G_N_ELEMENTS(kinds); k++)
    for (gsize j = 0; j < motion->n; j++) {
      char *name = aio_recording_column_name(kinds[k], j, model->joints[j].type);
      g_string_append_printf(text, ",%s", name);
      g_free(name);
    }
  g_string_append_c(text, '\n');
  for (gsize row = 0; row < motion->rows; row++) {
    append_number(text, motion->t[row]);
    for (gsize k = 0; k < G_N_ELEMENTS(x); k++)
      for (gsize j = 0; j < motion->n; j++) {
        g_string_append_c(text, ',');
        append_number(text, x[k][row + j * motion->rows]);
      }
    g_string_append_c(text, '\n');
  }
  return text;
}
