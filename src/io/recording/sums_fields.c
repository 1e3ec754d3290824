/* SPDX-License-Identifier: MIT */
/* The fields of a file of sums, listed once for both ways. No count is believed before as many
 * bytes are there. */
#include <stdlib.h>
#include <string.h>

#include "io/recording/sums_file_internal.h"

enum { MAX_TEXT = 4096, MAX_RECORDINGS = 1 << 20 };

static void fail(AioSumsFields *f, const char *fault) {
  f->fault = f->fault ? f->fault : fault;
}

static void flush(AioSumsFields *f) {
  f->is_broken = f->is_broken || !f->put(f->piece, f->here, f->user);
  f->here = 0;
}

static void refill(AioSumsFields *f) {
  f->here = MIN(f->left, sizeof f->piece);
  f->at = 0;
  f->is_broken = f->is_broken || !f->get(f->user, f->piece, f->here);
}

static void write_bytes(AioSumsFields *f, const guint8 *bytes, gsize size) {
  while (size > 0 && !f->is_broken) {
    const gsize some = MIN(size, sizeof f->piece - f->here);
    memcpy(f->piece + f->here, bytes, some);
    f->here += some;
    bytes += some;
    size -= some;
    if (f->here == sizeof f->piece)
      flush(f);
  }
}

static void read_bytes(AioSumsFields *f, guint8 *bytes, gsize size) {
  while (size > 0 && !f->is_broken) {
    if (f->at == f->here)
      refill(f);
    const gsize some = MIN(size, f->here - f->at);
    memcpy(bytes, f->piece + f->at, some);
    f->at += some;
    f->left -= some;
    bytes += some;
    size -= some;
  }
}

/* `size` bytes, little-endian ones. */
static void visit_bytes(AioSumsFields *f, void *bytes, gsize size) {
  if (f->put) {
    write_bytes(f, bytes, size);
    return;
  }
  if (f->left < size)
    fail(f, "the file ends early");
  if (!f->fault)
    read_bytes(f, bytes, size);
  if (f->is_broken)
    fail(f, "the file cannot be read");
  if (f->fault)
    memset(bytes, 0, size);
}

static void visit_number(AioSumsFields *f, double *value) {
  guint64 bits;
  memcpy(&bits, value, sizeof bits);
  bits = GUINT64_TO_LE(bits);
  visit_bytes(f, &bits, sizeof bits);
  bits = GUINT64_FROM_LE(bits);
  memcpy(value, &bits, sizeof bits);
}

static void visit_numbers(AioSumsFields *f, double *values, gsize count) {
  for (gsize k = 0; k < count; k++)
    visit_number(f, &values[k]);
}

/* 64 bits; larger than a row count can be is refused, so that sums of counts do not overflow. */
static void visit_count(AioSumsFields *f, size_t *value) {
  guint64 wide = GUINT64_TO_LE((guint64)*value);
  visit_bytes(f, &wide, sizeof wide);
  wide = GUINT64_FROM_LE(wide);
  if (wide >> 48 != 0)
    fail(f, "a count is too large");
  *value = (size_t)(wide & G_GUINT64_CONSTANT(0xffffffffffff));
}

static void visit_counts(AioSumsFields *f, size_t *values, gsize count) {
  for (gsize k = 0; k < count; k++)
    visit_count(f, &values[k]);
}

static void visit_flag(AioSumsFields *f, bool *flag) {
  guint8 byte = *flag;
  visit_bytes(f, &byte, 1);
  if (byte > 1)
    fail(f, "a flag is neither 0 nor 1");
  *flag = byte == 1;
}

/* Length, then UTF-8. On reading the text is replaced. */
static void visit_text(AioSumsFields *f, char **text) {
  size_t length = *text ? strlen(*text) : 0;
  visit_count(f, &length);
  if (f->put) {
    if (*text)
      visit_bytes(f, *text, length);
    return;
  }
  if (length > MAX_TEXT || length > f->left)
    fail(f, "a text is too long");
  g_free(*text);
  *text = g_malloc0(f->fault ? 1 : length + 1);
  if (!f->fault)
    visit_bytes(f, *text, length);
  if (strlen(*text) != (f->fault ? 0 : length) || !g_utf8_validate(*text, -1, NULL))
    fail(f, "a text is not UTF-8");
}

/* ---- the scan, what is wild ---- */

static void visit_extreme(AioSumsFields *f, ArmExtreme *e) {
  visit_number(f, &e->value);
  visit_number(f, &e->next);
  visit_count(f, &e->count);
  visit_count(f, &e->next_count);
  visit_count(f, &e->longest);
}

static void visit_scanned(AioSumsFields *f, ArmPlausibleJoint *j) {
  size_t *const counts[] = {&j->rows,    &j->forth,         &j->back,          &j->over,
                            &j->strokes, &j->short_strokes, &j->stroke_rows,   &j->limit_rows,
                            &j->outside, &j->moving_rows,   &j->noise_rows,    &j->outside_row,
                            &j->held_by, &j->worst_row,     &j->ways.positive, &j->ways.negative};
  double *const numbers[] = {&j->speed_forth,   &j->speed_back,     &j->low,       &j->high,
                             &j->outside_worst, &j->outside_limit,  &j->worst,     &j->noise_sum,
                             &j->held_moved,    &j->held_time,      &j->ways.high, &j->ways.low,
                             &j->ways.least,    &j->ways.least_mean};
  for (gsize k = 0; k < G_N_ELEMENTS(counts); k++)
    visit_count(f, counts[k]);
  for (gsize k = 0; k < G_N_ELEMENTS(numbers); k++)
    visit_number(f, numbers[k]);
  visit_extreme(f, &j->top);
  visit_extreme(f, &j->bottom);
  for (int side = 0; side < 2; side++) {
    visit_count(f, &j->at_limit[side].count);
    visit_count(f, &j->at_limit[side].longest);
    visit_counts(f, j->slopes[side], ARM_SPEED_UNITS);
    visit_numbers(f, j->slope_sum[side], ARM_SPEED_UNITS);
  }
}

static void visit_scan(AioSumsFields *f, ArmPlausibleScan *scan) {
  visit_number(f, &scan->median_step);
  visit_number(f, &scan->longest_gap);
  visit_count(f, &scan->steps);
  visit_count(f, &scan->odd_steps);
  visit_count(f, &scan->gaps);
  visit_count(f, &scan->moving_rows);
  visit_count(f, &scan->many_rows);
  visit_count(f, &scan->most_moving);
}

static void visit_wild(AioSumsFields *f, ArmWildFar *wild) {
  visit_count(f, &wild->count);
  visit_count(f, &wild->row);
  visit_number(f, &wild->t);
  visit_number(f, &wild->found);
  visit_number(f, &wild->expected);
}

/* ---- one recording ---- */

static void visit_joint(AioSumsFields *f, ArmReduced *sums, gsize j) {
  visit_flag(f, &sums->is_torque[j]);
  visit_counts(f, sums->rows_by_use[j], ARM_ROW_REASONS);
  visit_number(f, &sums->range[j].low);
  visit_number(f, &sums->range[j].high);
  visit_number(f, &sums->range[j].sum);
  visit_scanned(f, &sums->scan.joint[j]);
  visit_wild(f, &sums->wild[j].current);
  visit_wild(f, &sums->wild[j].position);
}

static void visit_end(AioSumsFields *f, gsize n, ArmStrokeEnd *end) {
  visit_numbers(f, end->q, n);
  visit_numbers(f, end->qd, n);
  visit_number(f, &end->qdd);
  visit_number(f, &end->current);
}

/* cells  where its numbers go, if they are read: room for `most`; returns how many they are */
static gsize visit_stroke(AioSumsFields *f, gsize n, ArmSumsStroke *stroke, double *cells,
                          gsize most) {
  ArmStroke *s = &stroke->stroke;
  visit_count(f, &s->joint);
  visit_count(f, &s->hold);
  visit_count(f, &s->rows);
  visit_count(f, &s->first_row);
  visit_count(f, &s->last_row);
  visit_count(f, &s->gaps);
  double *const numbers[] = {&s->basis_low,    &s->basis_high,  &s->low,   &s->high,
                             &s->t_first,      &s->t_last,      &s->t_sum, &s->speed_sum,
                             &stroke->slowest, &stroke->fastest};
  for (gsize k = 0; k < G_N_ELEMENTS(numbers); k++)
    visit_number(f, numbers[k]);
  visit_numbers(f, s->q_sum, n);
  visit_end(f, n, &stroke->first);
  visit_end(f, n, &stroke->last);
  visit_numbers(f, s->lag, G_N_ELEMENTS(s->lag));
  if (s->joint >= n)
    fail(f, "a stroke is of a joint that the arm does not have");
  const gsize length = f->fault ? 0 : arm_sums_cells(n, s);
  if (!f->put && length > most)
    fail(f, "more numbers than the strokes are said to have");
  if (f->fault)
    return 0;
  if (!f->put)
    arm_sums_place(n, cells, stroke);
  visit_numbers(f, stroke->triangle, length);
  if (f->put)
    return length;
  s->lag_pairs = s->rows > 0 ? s->rows - 1 : 0;
  arm_sums_complete(stroke);
  return length;
}

static void fail_room(AioSumsFields *f) {
  f->is_broken = true;
  fail(f, "there is no room for what was kept");
}

static void make_room(AioSumsFields *f, ArmReduced *sums, gsize count, gsize cells) {
  sums->shelf = f->shelf;
  f->status = arm_sums_make_room(sums, count, cells);
  if (f->status != ARM_OK)
    fail_room(f);
}

/* What is left of the file bounds both counts: a stroke has numbers. */
static void visit_strokes(AioSumsFields *f, ArmReduced *sums) {
  size_t count = sums->count, cells = f->put ? arm_sums_all_cells(sums) : 0, taken = 0;
  visit_count(f, &count);
  visit_count(f, &cells);
  if (!f->put && (cells > f->left / sizeof(double) || count > cells / (2 * arm_sums_length(1, 0))))
    fail(f, "more strokes than the file has room for");
  if (!f->put && !f->fault)
    make_room(f, sums, count, cells);
  if (!f->put)
    sums->count = 0;
  for (gsize s = 0; s < count && !f->fault; s++) {
    taken += visit_stroke(f, sums->n, &sums->at[s], sums->cells + taken, cells - taken);
    if (!f->fault)
      arm_sums_saw(sums, &sums->at[s]);
    sums->count = f->put ? count : s + 1;
  }
  if (!f->fault && taken != cells)
    fail(f, "fewer numbers than the strokes are said to have");
}

/* Runs at both ends of the recording. */
static void visit_edges(AioSumsFields *f, ArmReduced *sums) {
  for (gsize side = 0; side < 2; side++) {
    visit_count(f, &sums->edge_rows[side]);
    if (sums->edge_rows[side] > ARM_SUMS_FARTHEST)
      fail(f, "more rows at an end of the recording than lags reach");
  }
  if (!f->put && !f->fault)
    f->status = arm_sums_make_edges(sums, sums->edge_rows[0], sums->edge_rows[1]);
  if (f->status != ARM_OK)
    fail_room(f);
  for (gsize side = 0; side < 2 && !f->fault; side++)
    visit_numbers(f, sums->edge[side], sums->edge_rows[side] * ARM_SUMS_EDGE);
}

/* What is left of the file bounds their count. */
static void visit_records(AioSumsFields *f, ArmReduced *sums) {
  const gsize width = arm_kept_width(sums->n);
  size_t count = sums->kept.count;
  for (gsize j = 0; j < sums->n; j++)
    visit_flag(f, &sums->kept.has[j]);
  for (gsize j = 0; j < sums->n; j++)
    visit_flag(f, &sums->kept.swings[j]);
  visit_count(f, &count);
  if (!f->put && count > f->left / (width * sizeof(double)))
    fail(f, "more rows than the file has room for");
  if (!f->put && !f->fault && count > 0)
    f->status = arm_kept_make_room(sums, count);
  if (f->status != ARM_OK)
    fail_room(f);
  for (gsize k = 0; k < count && !f->fault && !f->is_broken; k++) {
    visit_numbers(f, sums->kept.at + k * width, width);
    arm_shelf_saw(sums->shelf, width * sizeof(double));
    sums->kept.count = f->put ? count : k + 1;
  }
}

static void visit_recording(AioSumsFields *f, gsize n, AioReduced *r) {
  ArmReduced *sums = &r->sums;
  visit_text(f, &r->name);
  visit_text(f, &r->digest);
  sums->n = sums->scan.n = n;
  visit_count(f, &sums->rows);
  visit_count(f, &sums->unmoved);
  visit_count(f, &sums->used);
  visit_number(f, &sums->median_step);
  visit_number(f, &sums->t_first);
  visit_number(f, &sums->t_last);
  visit_number(f, &sums->origin);
  visit_scan(f, &sums->scan);
  for (gsize j = 0; j < n && !f->fault; j++)
    visit_joint(f, sums, j);
  visit_strokes(f, sums);
  visit_edges(f, sums);
  visit_records(f, sums);
}

/* ---- all ---- */

static void visit_head(AioSumsFields *f, AioSums *sums) {
  size_t n = sums->n;
  visit_text(f, &sums->arm_name);
  visit_text(f, &sums->arm_digest);
  visit_count(f, &n);
  if (n < 1 || n > ARM_MAX_JOINTS)
    fail(f, "joints: expected 1 to 32");
  sums->n = f->fault ? 0 : n;
  for (gsize j = 0; j < sums->n; j++) {
    bool slides = sums->type[j] == ARM_JOINT_T;
    visit_flag(f, &slides);
    sums->type[j] = slides ? ARM_JOINT_T : ARM_JOINT_R;
  }
  visit_number(f, &sums->rows.min_speed_R);
  visit_number(f, &sums->rows.min_speed_T);
  visit_flag(f, &sums->rows.wants_acceleration);
  visit_flag(f, &sums->rows.wants_plateau);
  visit_number(f, &sums->rows.plateau_end_R);
  visit_number(f, &sums->rows.plateau_end_part);
  visit_number(f, &sums->rows.plateau_speed_tolerance);
  visit_number(f, &sums->lowpass_Hz);
  visit_number(f, &sums->rate_Hz);
}

void aio_sums_visit(AioSumsFields *f, AioSums *sums) {
  visit_head(f, sums);
  size_t count = sums->recordings->len;
  visit_count(f, &count);
  if (count > MAX_RECORDINGS)
    fail(f, "more recordings than a file may have");
  for (guint k = 0; k < count && !f->fault; k++) {
    if (!f->put)
      g_ptr_array_add(sums->recordings, aio_reduced_new(NULL, NULL));
    AioReduced *r = g_ptr_array_index(sums->recordings, k);
    visit_recording(f, sums->n, r);
    r->sums.has_acceleration = sums->rows.wants_acceleration;
  }
  if (f->put)
    flush(f);
  else if (!f->fault && f->left > 0)
    fail(f, "more bytes follow the last recording");
}
