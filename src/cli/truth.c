/* SPDX-License-Identifier: MIT */
#include "cli/truth.h"

#include <math.h>
#include <string.h>

#include "cli/cli.h"
#include "io/csv.h"
#include "io/file.h"
#include "io/params_file.h"

enum { MAX_TRUTH_BYTES = 1 << 20 };

typedef struct {
  ArmParamId id;
  double value;
} Entry;

struct CliTruth {
  GArray *entries; /* of Entry */
};

static bool is_parameter_of(const ArmModel *model, ArmParamId id) {
  const bool is_R = model->joints[id.i].type == ARM_JOINT_R;
  return id.kind == ARM_PARAM_MHAT ? !is_R : (id.kind > ARM_PARAM_KY || is_R);
}

static bool read_entry(const AioCsv *csv, const ArmModel *model, gsize row, double value,
                       CliTruth *truth, GError **error) {
  const bool keep_name[] = {true, false};
  GString *name = g_string_new(NULL);
  Entry entry = {.value = value}, known;
  aio_csv_copy_row(csv, row, keep_name, name);
  g_strstrip(name->str);
  const char *expected = NULL;
  if (!aio_params_parse_name(name->str, model->n, &entry.id) || !is_parameter_of(model, entry.id))
    expected = "a parameter of this arm, such as coulomb_pos_A_1 or ratio_2_3";
  else if (isnan(value))
    expected = "a value";
  else if (cli_truth_find(truth, entry.id, &known.value))
    expected = "each name once";
  else
    g_array_append_val(truth->entries, entry);
  if (expected)
    aio_error_set_at(error, AIO_ERROR_MEANING, aio_csv_name(csv), aio_csv_row_line(csv, row), 0,
                     NULL, expected, name->str);
  g_string_free(name, TRUE);
  return !expected;
}

static bool read_entries(const AioCsv *csv, const ArmModel *model, CliTruth *truth,
                         GError **error) {
  const gsize value_column = 1;
  if (aio_csv_columns(csv) != 2 || strcmp(aio_csv_column_name(csv, 0), "name") != 0 ||
      strcmp(aio_csv_column_name(csv, 1), "value") != 0) {
    aio_error_set_at(error, AIO_ERROR_MEANING, aio_csv_name(csv), 1, 1, NULL,
                     "the two columns name,value", "others");
    return false;
  }
  double *values = g_new(double, MAX(aio_csv_rows(csv), 1));
  bool is_good = aio_csv_read(csv, 1, &value_column, &values, error);
  for (gsize row = 0; row < aio_csv_rows(csv) && is_good; row++)
    is_good = read_entry(csv, model, row, values[row], truth, error);
  g_free(values);
  return is_good;
}

CliTruth *cli_truth_load(const char *path, const ArmModel *model) {
  GError *error = NULL;
  gsize length;
  char *bytes = aio_file_read_all(path, MAX_TRUTH_BYTES, &length, &error);
  AioCsv *csv = bytes ? aio_csv_new(path, bytes, length, &AIO_CSV_PLAIN, &error) : NULL;
  CliTruth *truth = g_new0(CliTruth, 1);
  truth->entries = g_array_new(FALSE, FALSE, sizeof(Entry));
  if (!csv || !read_entries(csv, model, truth, &error)) {
    cli_fail(error);
    cli_truth_free(truth);
    truth = NULL;
  }
  aio_csv_free(csv);
  g_free(bytes);
  return truth;
}

void cli_truth_free(CliTruth *truth) {
  if (!truth)
    return;
  g_array_free(truth->entries, TRUE);
  g_free(truth);
}

bool cli_truth_find(const CliTruth *truth, ArmParamId id, double *value) {
  for (guint k = 0; truth && k < truth->entries->len; k++) {
    const Entry *entry = &g_array_index(truth->entries, Entry, k);
    if (entry->id.kind == id.kind && entry->id.i == id.i && entry->id.j == id.j) {
      *value = entry->value;
      return true;
    }
  }
  return false;
}
