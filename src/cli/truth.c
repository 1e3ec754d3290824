/* SPDX-License-Identifier: MIT */
/* Truth for a comparison, from a table or from what a simulated arm simulates: the latter through
 * sim/truth, as eta, friction and rotors that the arm file leaves open are chosen there. */
#include "cli/truth.h"

#include <math.h>
#include <string.h>

#include "cli/cli.h"
#include "core/arm/gravity.h"
#include "io/base/file.h"
#include "io/csv/csv.h"
#include "io/params/params_file.h"
#include "sim/truth.h"

enum { MAX_TRUTH_BYTES = 1 << 20 };

typedef struct {
  ArmParamId id;
  double value;
} Entry;

struct CliTruth {
  GArray *entries; /* of Entry */
};

static bool is_parameter_of(const ArmModel *model, ArmParamId id) {
  const ArmParamInfo *info = arm_param_info(id.kind);
  return arm_method_has(arm_gravity_method(), id.kind) &&
         (model->joints[id.i].type == ARM_JOINT_R ? info->of_R : info->of_T);
}

static bool read_entry(const AioCsv *csv, const ArmModel *model, gsize row, double value,
                       CliTruth *truth, GError **error) {
  const bool keep_name[] = {true, false};
  g_autoptr(GString) name = g_string_new(NULL);
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
  g_autofree double *values = g_new(double, MAX(aio_csv_rows(csv), 1));
  bool is_good = aio_csv_read(csv, 1, &value_column, &values, error);
  for (gsize row = 0; row < aio_csv_rows(csv) && is_good; row++)
    is_good = read_entry(csv, model, row, values[row], truth, error);
  return is_good;
}

static CliTruth *truth_new(void) {
  CliTruth *truth = g_new0(CliTruth, 1);
  truth->entries = g_array_new(FALSE, FALSE, sizeof(Entry));
  return truth;
}

/* ---- of a table ---- */

static CliTruth *load_table(const char *path, const ArmModel *model) {
  GError *error = NULL;
  gsize length;
  g_autofree char *bytes = aio_file_read_all(path, MAX_TRUTH_BYTES, &length, &error);
  g_autoptr(AioCsv) csv = bytes ? aio_csv_new(path, bytes, length, &AIO_CSV_PLAIN, &error) : NULL;
  g_autoptr(CliTruth) truth = truth_new();
  if (!csv || !read_entries(csv, model, truth, &error)) {
    /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): it does not know g_autoptr */
    cli_fail(error);
    return NULL;
  }
  return g_steal_pointer(&truth);
}

/* ---- of a simulated arm ---- */

static void add(CliTruth *truth, ArmParamKind kind, size_t i, size_t j, double value) {
  const Entry entry = {{kind, (unsigned char)i, (unsigned char)j}, value};
  g_array_append_val(truth->entries, entry);
}

/* A load that does not change with the pose is found inside the Coulomb currents: left out. */
static void add_joint(CliTruth *truth, const ArmPlantConfig *plant, const ArmStructure *structure,
                      const double *w, size_t i) {
  const ArmPlantJoint *joint = &plant->joints[i];
  const bool is_R = plant->model.joints[i].type == ARM_JOINT_R;
  add(truth, is_R ? ARM_PARAM_KX : ARM_PARAM_MHAT, i, 0, joint->eta * w[2 * i]);
  if (is_R)
    add(truth, ARM_PARAM_KY, i, 0, joint->eta * w[2 * i + 1]);
  if (is_R || structure->has_own[i]) {
    add(truth, ARM_PARAM_COULOMB_POS, i, 0, joint->coulomb_pos);
    add(truth, ARM_PARAM_COULOMB_NEG, i, 0, joint->coulomb_neg);
  }
  add(truth, ARM_PARAM_VISCOUS_POS, i, 0, joint->viscous_pos);
  add(truth, ARM_PARAM_VISCOUS_NEG, i, 0, joint->viscous_neg);
  for (size_t j = i + 1; j < plant->model.n; j++)
    add(truth, ARM_PARAM_RATIO, i, j, joint->eta / plant->joints[j].eta);
}

static CliTruth *load_simulated(const char *path, const ArmModel *model) {
  GError *error = NULL;
  ArmStructure structure;
  double w[2 * ARM_MAX_JOINTS];
  g_autofree AsimTruth *simulated = g_new0(AsimTruth, 1);
  if (!asim_truth_load(simulated, path, 1, &error)) {
    cli_fail(error);
    return NULL;
  }
  const ArmPlantConfig *plant = &simulated->plant;
  if (plant->model.n != model->n || arm_structure_find(&plant->model, &structure) != ARM_OK) {
    cli_error("%s: expected the truth of an arm with %zu joints, found %zu", path, model->n,
              plant->model.n);
    return NULL;
  }
  CliTruth *truth = truth_new();
  arm_gravity_nominal(&plant->model, w);
  for (size_t i = 0; i < plant->model.n; i++)
    add_joint(truth, plant, &structure, w, i);
  return truth;
}

CliTruth *cli_truth_load(const char *path, const ArmModel *model) {
  return g_str_has_suffix(path, ".json") ? load_simulated(path, model) : load_table(path, model);
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
