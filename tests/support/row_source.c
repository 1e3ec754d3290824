/* SPDX-License-Identifier: MIT */
#include "support/row_source.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/num/filter.h"

typedef struct {
  const ArmDataset *from;
  size_t first, rows, most; /* most - rows of them only fill the window up */
  double *block;            /* where the next column goes */
} Copy;

static const double *copy_columns(Copy *copy, const double *from, size_t columns) {
  const double *to = copy->block;
  if (!from)
    return NULL;
  for (size_t c = 0; c < columns; c++, copy->block += copy->most) {
    memcpy(copy->block, from + copy->first + c * copy->from->rows, copy->rows * sizeof *to);
    for (size_t row = copy->rows; row < copy->most; row++)
      copy->block[row] = NAN;
  }
  return to;
}

static const int *copy_joints(const Copy *copy, int *to) {
  memcpy(to, copy->from->joint + copy->first, copy->rows * sizeof *to);
  memset(to + copy->rows, 0, (copy->most - copy->rows) * sizeof *to);
  return to;
}

static const unsigned char *copy_marks(const Copy *copy, const unsigned char *from,
                                       unsigned char *to) {
  if (!from)
    return NULL;
  memcpy(to, from + copy->first, copy->rows);
  memset(to + copy->rows, 0, copy->most - copy->rows);
  return to;
}

static ArmStatus read_window(void *user, size_t k, ArmDataset *view) {
  TestRowSource *s = user;
  const ArmDataset *data = s->data;
  const size_t first = k * s->width - (k > 0 ? ARM_WINDOW_MARGIN : 0);
  const size_t end = (k + 1) * s->width + ARM_WINDOW_MARGIN;
  const size_t rows = (end < data->rows ? end : data->rows) - first;
  const size_t most = s->width + 2 * ARM_WINDOW_MARGIN;
  Copy copy = {data, first, rows, most, s->block};
  if (s->calls++ == s->fail_at)
    return ARM_E_SOURCE;
  *view = *data;
  view->rows = most;
  view->first = first;
  view->t = copy_columns(&copy, data->t, 1);
  view->q = copy_columns(&copy, data->q, data->n);
  view->qd = copy_columns(&copy, data->qd, data->n);
  view->qdd = copy_columns(&copy, data->qdd, data->n);
  view->current = copy_columns(&copy, data->current, data->n);
  view->joint = copy_joints(&copy, s->joint);
  view->left_out = copy_marks(&copy, data->left_out, s->marks);
  view->begins = copy_marks(&copy, data->begins, s->marks + most);
  return ARM_OK;
}

/* ---- what was made of them ---- */

static void make_room(TestRowSource *s, bool has_qdd) {
  const size_t rows = s->data->rows, n = s->data->n;
  double *at = s->kept_block = malloc((1 + 4 * n) * rows * sizeof *at);
  s->kept_joint = malloc(rows * sizeof *s->kept_joint);
  if (!at || !s->kept_joint)
    abort();
  s->kept = *s->data;
  s->kept.t = at;
  s->kept.joint = s->kept_joint;
  s->kept.q = at + rows;
  s->kept.qd = at + (1 + n) * rows;
  s->kept.current = at + (1 + 2 * n) * rows;
  s->kept.qdd = has_qdd ? at + (1 + 3 * n) * rows : NULL;
}

static ArmStatus put(void *user, const ArmDataset *rows, size_t begin, size_t end) {
  TestRowSource *s = user;
  const size_t count = end - begin, all = s->data->rows;
  if (s->calls++ == s->fail_at)
    return ARM_E_SOURCE;
  if (!s->kept_block)
    make_room(s, rows->qdd != NULL);
  const double *const from[] = {rows->q, rows->qd, rows->current, rows->qdd};
  const double *const to[] = {s->kept.q, s->kept.qd, s->kept.current, s->kept.qdd};
  memcpy(s->kept_block + s->n_kept, rows->t + begin, count * sizeof(double));
  memcpy(s->kept_joint + s->n_kept, rows->joint + begin, count * sizeof(int));
  for (size_t c = 0; c < 4; c++)
    for (size_t j = 0; to[c] && j < rows->n; j++)
      memcpy((double *)to[c] + s->n_kept + j * all, from[c] + begin + j * rows->rows,
             count * sizeof(double));
  s->n_kept += count;
  return ARM_OK;
}

static ArmStatus end(void *user, const double *rounding, ArmRowSource *source) {
  TestRowSource *s = user;
  const size_t rows = s->data->rows;
  if (s->calls++ == s->fail_at || s->n_kept != rows)
    return ARM_E_SOURCE;
  for (size_t k = 0; s->kept.qdd && k < rows * s->data->n; k++)
    if (fabs(s->kept.qdd[k]) <= rounding[k / rows])
      ((double *)s->kept.qdd)[k] = 0.0;
  s->filtered = calloc(1, sizeof *s->filtered);
  *source = test_row_source(s->filtered, &s->kept, s->width);
  return ARM_OK;
}

void test_row_source_forget(TestRowSource *s) {
  if (s->filtered)
    test_row_source_clear(s->filtered);
  free(s->filtered);
  free(s->kept_block);
  free(s->kept_joint);
  s->filtered = NULL;
  s->kept_block = NULL;
  s->kept_joint = NULL;
  s->n_kept = s->calls = 0;
}

ArmRowSource test_row_source(TestRowSource *s, const ArmDataset *data, size_t width) {
  const size_t most = width + 2 * ARM_WINDOW_MARGIN;
  *s = (TestRowSource){.data = data,
                       .width = width,
                       .fail_at = (size_t)-1,
                       .block = malloc(most * (1 + 4 * data->n) * sizeof *s->block),
                       .joint = malloc(most * sizeof *s->joint),
                       .marks = malloc(2 * most),
                       .keeper = {put, end, s}};
  ArmRowSource source = {.n = data->n,
                         .rows = data->rows,
                         .width = width,
                         .read = read_window,
                         .user = s,
                         .keeper = &s->keeper};
  memcpy(source.is_torque, data->is_torque, sizeof source.is_torque);
  if (!s->block || !s->joint || !s->marks ||
      arm_filter_median_step(data->rows, data->t, &source.median_step) != ARM_OK)
    abort();
  return source;
}

void test_row_source_clear(TestRowSource *s) {
  test_row_source_forget(s);
  free(s->block);
  free(s->joint);
  free(s->marks);
}
