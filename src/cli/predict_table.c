/* SPDX-License-Identifier: MIT */
#include "cli/predict_table.h"

#include <math.h>
#include <string.h>

#include "io/base/safe_text.h"
#include "io/csv/csv_number_write.h"

bool *cli_predict_keep(const AioCsv *csv, size_t n) {
  const gsize columns = aio_csv_columns(csv);
  bool *keep = g_new0(bool, columns);
  for (gsize column = 0; column < columns; column++) {
    keep[column] = true;
    for (size_t i = 1; i <= n; i++) {
      g_autofree char *current = g_strdup_printf("i%zu_A", i),
                      *sd = g_strdup_printf("i%zu_sd_A", i);
      const char *name = aio_csv_column_name(csv, column);
      if (strcmp(name, current) == 0 || strcmp(name, sd) == 0)
        keep[column] = false;
    }
  }
  return keep;
}

void cli_predict_header(const AioCsv *csv, const bool *keep, size_t n, GString *text) {
  for (gsize column = 0; column < aio_csv_columns(csv); column++)
    if (keep[column]) {
      aio_text_append_csv(text, aio_csv_column_name(csv, column));
      g_string_append_c(text, ',');
    }
  for (size_t i = 1; i <= n; i++)
    g_string_append_printf(text, "%si%zu_A,i%zu_sd_A", i > 1 ? "," : "", i, i);
  g_string_append_c(text, '\n');
}

/* Returns where the next one goes. */
static char *put_number(char *at, double number) {
  *at++ = ',';
  return isfinite(number) ? at + aio_number_write(number, at) : at;
}

void cli_predict_numbers(size_t n, size_t stride, const double *current, const double *sd,
                         GString *text) {
  const gsize begin = text->len;
  g_string_set_size(text, begin + 2 * n * (AIO_NUMBER_ROOM + 1) + 1);
  char *at = text->str + begin;
  for (size_t j = 0; j < n; j++) {
    at = put_number(at, current[j * stride]);
    at = put_number(at, sd[j * stride]);
  }
  *at++ = '\n';
  g_string_truncate(text, (gsize)(at - text->str));
}

/* ---- desired positions ---- */

bool cli_desired_find(CliDesired *desired, const AioCsv *csv, const ArmModel *model,
                      GError **error) {
  for (size_t j = 0; j < model->n; j++) {
    g_autofree char *name =
        g_strdup_printf("q%zu_des_%s", j + 1, model->joints[j].type == ARM_JOINT_R ? "rad" : "m");
    gsize column = 0;
    while (column < aio_csv_columns(csv) && strcmp(aio_csv_column_name(csv, column), name) != 0)
      column++;
    desired->column[j] = column;
    if (column == aio_csv_columns(csv))
      g_set_error(error, AIO_ERROR, AIO_ERROR_MEANING,
                  "%s: expected a column %s (--zero-speed sign-error needs the desired positions "
                  "of all joints), found none",
                  aio_csv_name(csv), name);
    if (column == aio_csv_columns(csv))
      return false;
  }
  desired->values = g_new(double, AIO_CSV_WINDOW_ROWS * model->n);
  return true;
}

void cli_desired_read(CliDesired *desired, const AioCsv *csv, size_t n) {
  double *into[ARM_MAX_JOINTS];
  if (!desired->values || desired->error)
    return;
  for (size_t j = 0; j < n; j++)
    into[j] = desired->values + j * aio_csv_rows(csv);
  (void)aio_csv_read(csv, n, desired->column, into, &desired->error);
}

void cli_desired_clear(CliDesired *desired) {
  g_free(desired->values);
  g_clear_error(&desired->error);
}
