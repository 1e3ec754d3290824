/* SPDX-License-Identifier: MIT */
#include "support/row_source.h"

#include <stdlib.h>
#include <string.h>

#include "core/num/filter.h"

typedef struct {
  const ArmDataset *from;
  size_t first, rows;
  double *block; /* where the next column goes */
} Copy;

static const double *copy_columns(Copy *copy, const double *from, size_t columns) {
  const double *to = copy->block;
  if (!from)
    return NULL;
  for (size_t c = 0; c < columns; c++, copy->block += copy->rows)
    memcpy(copy->block, from + copy->first + c * copy->from->rows, copy->rows * sizeof *to);
  return to;
}

static const unsigned char *copy_marks(const Copy *copy, const unsigned char *from,
                                       unsigned char *to) {
  if (from)
    memcpy(to, from + copy->first, copy->rows);
  return from ? to : NULL;
}

static ArmStatus read_window(void *user, size_t k, ArmDataset *view) {
  TestRowSource *s = user;
  const ArmDataset *data = s->data;
  const size_t first = k * s->width - (k > 0 ? ARM_WINDOW_MARGIN : 0);
  const size_t end = (k + 1) * s->width + ARM_WINDOW_MARGIN;
  const size_t rows = (end < data->rows ? end : data->rows) - first;
  Copy copy = {data, first, rows, s->block};
  if (s->calls++ == s->fail_at)
    return ARM_E_SOURCE;
  *view = *data;
  view->rows = rows;
  view->first = first;
  view->t = copy_columns(&copy, data->t, 1);
  view->q = copy_columns(&copy, data->q, data->n);
  view->qd = copy_columns(&copy, data->qd, data->n);
  view->qdd = copy_columns(&copy, data->qdd, data->n);
  view->current = copy_columns(&copy, data->current, data->n);
  view->joint = memcpy(s->joint, data->joint + first, rows * sizeof *s->joint);
  view->left_out = copy_marks(&copy, data->left_out, s->marks);
  view->begins = copy_marks(&copy, data->begins, s->marks + rows);
  return ARM_OK;
}

ArmRowSource test_row_source(TestRowSource *s, const ArmDataset *data, size_t width) {
  const size_t most = width + 2 * ARM_WINDOW_MARGIN;
  *s = (TestRowSource){.data = data,
                       .width = width,
                       .fail_at = (size_t)-1,
                       .block = malloc(most * (1 + 4 * data->n) * sizeof *s->block),
                       .joint = malloc(most * sizeof *s->joint),
                       .marks = malloc(2 * most)};
  ArmRowSource source = {
      .n = data->n, .rows = data->rows, .width = width, .read = read_window, .user = s};
  memcpy(source.is_torque, data->is_torque, sizeof source.is_torque);
  if (!s->block || !s->joint || !s->marks ||
      arm_filter_median_step(data->rows, data->t, &source.median_step) != ARM_OK)
    abort();
  return source;
}

void test_row_source_clear(TestRowSource *s) {
  free(s->block);
  free(s->joint);
  free(s->marks);
}
