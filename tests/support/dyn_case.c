/* SPDX-License-Identifier: MIT */
#include "support/dyn_case.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/support.h"

const char *const dyn_kind_names[DYN_KINDS] = {"tau",
                                               "gravity_torque",
                                               "mass",
                                               "momentum",
                                               "energy_force",
                                               "regressor",
                                               "regressor_momentum",
                                               "regressor_energy",
                                               "energy_kinetic",
                                               "energy_potential",
                                               "kinetic",
                                               "potential",
                                               "forward_qdd"};

size_t dyn_kind_size(DynKind kind, size_t n) {
  static const size_t order[DYN_KINDS][3] = {
      /* values per n^0, n^1, n^2 */
      {0, 1, 0},  {0, 1, 0},  {0, 0, 1},  {0, 1, 0}, {0, 1, 0}, {0, 0, 10}, {0, 0, 10},
      {0, 0, 10}, {0, 10, 0}, {0, 10, 0}, {1, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  return order[kind][0] + n * order[kind][1] + n * n * order[kind][2];
}

/* rows x columns, stored with its rows behind each other, times x */
static void multiply(size_t rows, size_t columns, const double *a, const double *x, double *y) {
  for (size_t i = 0; i < rows; i++) {
    y[i] = 0;
    for (size_t c = 0; c < columns; c++)
      y[i] += a[i * columns + c] * x[c];
  }
}

/* got is row by row: that is how core/arm/dyn.h lays one sample out, and M is symmetric. */
static bool compute(const ArmModel *model, const DynSample *sample, DynKind kind, double *got) {
  double pi[10 * DYN_MAX_JOINTS], y[DYN_MAX_VALUES], z[DYN_MAX_VALUES];
  const double *q = sample->q, *qd = sample->qd, *qdd = sample->qdd;
  const size_t n = model->n, p = 10 * n;
  ArmDyn dyn;
  if (arm_dyn_init(&dyn, model) != ARM_OK)
    return false;
  (void)arm_inertia_nominal(model, pi);
  switch (kind) {
  case DYN_TAU:
    arm_dyn_torque(&dyn, pi, q, qd, qdd, got);
    break;
  case DYN_GRAVITY:
    arm_dyn_gravity(&dyn, pi, q, got);
    break;
  case DYN_MASS:
    arm_dyn_mass(&dyn, pi, q, got);
    break;
  case DYN_REGRESSOR:
    arm_dyn_regressor(&dyn, q, qd, qdd, got);
    break;
  case DYN_REGRESSOR_MOMENTUM:
    arm_dyn_momentum(&dyn, q, qd, got, y);
    break;
  case DYN_REGRESSOR_ENERGY:
    arm_dyn_momentum(&dyn, q, qd, y, got);
    break;
  case DYN_ROW_KINETIC:
    arm_dyn_energy(&dyn, q, qd, got, y);
    break;
  case DYN_ROW_POTENTIAL:
    arm_dyn_energy(&dyn, q, qd, y, got);
    break;
  case DYN_MOMENTUM:
  case DYN_ENERGY_FORCE:
    arm_dyn_momentum(&dyn, q, qd, y, z);
    multiply(n, p, kind == DYN_MOMENTUM ? y : z, pi, got);
    break;
  case DYN_KINETIC:
  case DYN_POTENTIAL:
    arm_dyn_energy(&dyn, q, qd, y, z);
    multiply(1, p, kind == DYN_KINETIC ? y : z, pi, got);
    break;
  case DYN_FORWARD_QDD:
    return arm_dyn_forward(&dyn, pi, NULL, q, qd, sample->forward_tau, got) == ARM_OK;
  case DYN_KINDS:
    break;
  }
  return true;
}

bool dyn_sample_check(const char *name, const ArmModel *model, const DynSample *sample,
                      double *worst) {
  double got[DYN_MAX_VALUES];
  for (unsigned kind = 0; kind < DYN_KINDS; kind++) {
    const size_t count = dyn_kind_size((DynKind)kind, model->n);
    double largest = 0, error = 0;
    if (!sample->has[kind])
      continue;
    if (!compute(model, sample, (DynKind)kind, got)) {
      fprintf(stderr, "%s: %s: cannot be computed\n", name, dyn_kind_names[kind]);
      return false;
    }
    for (size_t k = 0; k < count; k++) {
      const double difference = fabs(got[k] - sample->want[kind][k]);
      largest = fmax(largest, fabs(sample->want[kind][k]));
      error = difference <= error ? error : difference; /* a NaN stays */
    }
    error /= 1e-12 * (1 + largest);
    if (!(error <= 1)) {
      fprintf(stderr, "%s: %s: error %g times the limit\n", name, dyn_kind_names[kind], error);
      return false;
    }
    *worst = fmax(*worst, error);
  }
  return true;
}

/* ---- text files ---- */

typedef struct {
  ArmModel model;
  DynSample sample;
  char name[64];
  size_t joints;
  bool has_sample;
  int samples;
  double v[DYN_MAX_VALUES];
  size_t count;
} Reader;

static bool finish_sample(Reader *r, double *worst) {
  const bool is_good = !r->has_sample || dyn_sample_check(r->name, &r->model, &r->sample, worst);
  r->samples += r->has_sample;
  r->has_sample = false;
  memset(&r->sample, 0, sizeof r->sample);
  return is_good;
}

static bool read_link(Reader *r) {
  ArmLink *link = &r->model.joints[r->joints - 1].link;
  link->is_present = true;
  link->mass_kg = r->v[0];
  memcpy(link->com_m, r->v + 1, sizeof link->com_m);
  memcpy(link->inertia_com_kg_m2, r->v + 4, sizeof link->inertia_com_kg_m2);
  return r->count == 10;
}

static bool read_state(Reader *r, const char *word, bool *is_known) {
  const struct {
    const char *word;
    double *to;
  } rows[] = {{"q", r->sample.q},
              {"qd", r->sample.qd},
              {"qdd", r->sample.qdd},
              {"forward_tau", r->sample.forward_tau}};
  *is_known = false;
  for (size_t k = 0; k < sizeof rows / sizeof *rows && !*is_known; k++)
    if (strcmp(word, rows[k].word) == 0) {
      memcpy(rows[k].to, r->v, r->count * sizeof *r->v);
      *is_known = true;
    }
  return r->count == r->model.n;
}

static bool read_values(Reader *r, const char *word, char type, double *worst) {
  bool is_known = false;
  if (strcmp(word, "arm") == 0 || strcmp(word, "sample") == 0) {
    const bool is_good = finish_sample(r, worst);
    r->has_sample = *word == 's';
    return is_good;
  }
  if (strcmp(word, "n") == 0) {
    r->joints = 0;
    return r->v[0] <= DYN_MAX_JOINTS && arm_model_init(&r->model, (size_t)r->v[0]) == ARM_OK;
  }
  if (strcmp(word, "gravity") == 0) {
    memcpy(r->model.gravity_m_s2, r->v, sizeof r->model.gravity_m_s2);
    return r->count == 3;
  }
  if (strcmp(word, "joint") == 0) {
    if (r->count != 4 || r->joints >= r->model.n)
      return false;
    arm_joint_set_mdh(&r->model.joints[r->joints++], type == 'T' ? ARM_JOINT_T : ARM_JOINT_R,
                      r->v[0], r->v[1], r->v[2], r->v[3]);
    return true;
  }
  if (strcmp(word, "link") == 0)
    return read_link(r);
  const bool is_row = read_state(r, word, &is_known);
  if (is_known)
    return is_row;
  for (unsigned kind = 0; kind < DYN_KINDS; kind++)
    if (strcmp(word, dyn_kind_names[kind]) == 0) {
      r->sample.has[kind] = true;
      memcpy(r->sample.want[kind], r->v, r->count * sizeof *r->v);
      return r->count == dyn_kind_size((DynKind)kind, r->model.n);
    }
  return false;
}

static bool read_line(Reader *r, char *line, locale_t c_locale, double *worst) {
  char *save = NULL, *word = strtok_r(line, " \n", &save), *field, type = 0;
  if (word == NULL || *word == '#')
    return true;
  r->count = 0;
  while ((field = strtok_r(NULL, " \n", &save)) != NULL) {
    char *end = field;
    if (strcmp(word, "arm") == 0) {
      snprintf(r->name, sizeof r->name, "%s", field);
    } else if (strcmp(word, "joint") == 0 && type == 0) {
      type = *field;
    } else {
      if (r->count == DYN_MAX_VALUES)
        return false;
      r->v[r->count++] = strtod_l(field, &end, c_locale);
      if (*end != '\0')
        return false;
    }
  }
  return read_values(r, word, type, worst);
}

int dyn_case_check_file(const char *file, double *worst) {
  const char *path = test_golden_path(file);
  FILE *stream = path ? fopen(path, "r") : NULL;
  locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  Reader *r = calloc(1, sizeof *r);
  char *line = NULL;
  size_t size = 0, number = 0;
  bool is_good = stream && r && c_locale;
  while (is_good && getline(&line, &size, stream) > 0) {
    number++;
    is_good = read_line(r, line, c_locale, worst);
  }
  is_good = is_good && finish_sample(r, worst);
  if (!is_good)
    fprintf(stderr, "%s:%zu: cannot be read, or differs\n", file, number);
  const int samples = is_good ? r->samples : -1;
  free(line);
  free(r);
  if (c_locale)
    freelocale(c_locale);
  if (stream)
    fclose(stream);
  return samples;
}
