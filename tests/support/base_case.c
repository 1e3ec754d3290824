/* SPDX-License-Identifier: MIT */
#include "support/base_case.h"

#include <lapacke.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/arm/dyn.h"
#include "support/dyn_random.h"

typedef struct {
  BaseCase *cases, *c; /* c: the present one */
  size_t count, joints;
  const char *word;
  char *field[BASE_COLUMNS];
  size_t n_fields;
  double v[BASE_COLUMNS]; /* the fields as numbers, NAN for names */
} Reader;

/* "mX2" -> its column of pi */
static bool parse_column(const char *name, size_t *column) {
  static const char *const keys[10] = {"m", "mX", "mY", "mZ", "XX", "XY", "YY", "XZ", "YZ", "ZZ"};
  const size_t length = strcspn(name, "0123456789");
  const long joint = strtol(name + length, NULL, 10);
  for (size_t k = 0; k < 10; k++)
    if (strlen(keys[k]) == length && strncmp(keys[k], name, length) == 0) {
      *column = 10 * (size_t)(joint - 1) + k;
      return joint >= 1 && joint <= BASE_JOINTS;
    }
  return false;
}

static bool read_set(const Reader *r, BaseSet *set) {
  set->count = r->n_fields;
  for (size_t k = 0; k < r->n_fields; k++)
    if (!parse_column(r->field[k], set->column + k))
      return false;
  return true;
}

/* "U11-U22_3" */
static bool read_composite(const Reader *r) {
  r->c->n_composite = r->n_fields;
  for (size_t k = 0; k < r->n_fields; k++) {
    ArmCompositeEntry *entry = r->c->composite + k;
    char *end = strrchr(r->field[k], '_');
    int kind = 0;
    if (!end)
      return false;
    *end = '\0';
    entry->joint = (size_t)strtol(end + 1, NULL, 10) - 1;
    while (kind < ARM_COMPOSITE_KINDS &&
           strcmp(arm_composite_key((ArmCompositeKind)kind), r->field[k]) != 0)
      kind++;
    if (kind == ARM_COMPOSITE_KINDS)
      return false;
    entry->kind = (ArmCompositeKind)kind;
  }
  return true;
}

static void read_flags(const Reader *r, int *flags) {
  for (size_t k = 0; k < r->n_fields && k < BASE_JOINTS; k++)
    flags[k] = isnan(r->v[k]) ? -1 : (int)r->v[k];
}

static bool start_arm(Reader *r) {
  if (r->count == BASE_CASES || r->n_fields != 1)
    return false;
  r->c = r->cases + r->count++;
  snprintf(r->c->name, sizeof r->c->name, "%s", r->field[0]);
  r->joints = 0;
  return true;
}

static bool read_geometry(Reader *r) {
  ArmModel *model = &r->c->model;
  if (strcmp(r->word, "n") == 0)
    return r->v[0] <= BASE_JOINTS && arm_model_init(model, (size_t)r->v[0]) == ARM_OK;
  if (strcmp(r->word, "gravity") == 0)
    memcpy(model->gravity_m_s2, r->v, sizeof model->gravity_m_s2);
  else if (strcmp(r->word, "joint") == 0 && r->n_fields == 5 && r->joints < model->n)
    arm_joint_set_mdh(&model->joints[r->joints++],
                      r->field[0][0] == 'T' ? ARM_JOINT_T : ARM_JOINT_R, r->v[1], r->v[2], r->v[3],
                      r->v[4]);
  else if (strcmp(r->word, "link") == 0 && r->n_fields == 10) {
    ArmLink *link = &model->joints[r->joints - 1].link;
    link->is_present = true;
    link->mass_kg = r->v[0];
    memcpy(link->com_m, r->v + 1, sizeof link->com_m);
    memcpy(link->inertia_com_kg_m2, r->v + 4, sizeof link->inertia_com_kg_m2);
  } else
    return false;
  return true;
}

static bool read_counts(Reader *r) {
  BaseCase *c = r->c;
  if (strcmp(r->word, "structure") == 0) {
    c->r = isnan(r->v[0]) ? c->model.n + 1 : (size_t)r->v[0];
    c->s = isnan(r->v[1]) ? c->model.n + 1 : (size_t)r->v[1];
  } else if (strcmp(r->word, "delta") == 0) {
    read_flags(r, c->delta);
  } else if (strcmp(r->word, "sigma") == 0) {
    read_flags(r, c->sigma);
  } else if (strcmp(r->word, "count") == 0) {
    c->count = (size_t)r->v[0];
    c->count_literal = (size_t)r->v[1];
  } else if (strcmp(r->word, "count_without_gravity") == 0) {
    c->count_without_gravity = (size_t)r->v[0];
  } else if (strcmp(r->word, "rotor_dependent") == 0) {
    for (size_t k = 0; k < r->n_fields; k++)
      c->is_rotor_dependent[(size_t)r->v[k] - 1] = true;
  } else
    return false;
  return true;
}

static bool read_sets(Reader *r) {
  BaseCase *c = r->c;
  const size_t bytes = r->n_fields * sizeof *r->v;
  if (strcmp(r->word, "closed") == 0)
    return read_set(r, &c->closed);
  if (strcmp(r->word, "qr") == 0)
    return read_set(r, &c->qr);
  if (strcmp(r->word, "lost") == 0)
    return read_set(r, &c->lost);
  if (strcmp(r->word, "composite") == 0)
    return read_composite(r);
  if (strcmp(r->word, "closed_beta") == 0)
    memcpy(c->closed.beta, r->v, bytes);
  else if (strcmp(r->word, "qr_beta") == 0)
    memcpy(c->qr.beta, r->v, bytes);
  else if (strcmp(r->word, "composite_values") == 0)
    memcpy(c->composite_values, r->v, bytes);
  else if (strcmp(r->word, "constants") == 0 && r->n_fields == 11)
    memcpy(c->constants + 10 * ((size_t)r->v[0] - 1), r->v + 1, 10 * sizeof *r->v);
  else
    return false;
  c->has_constants = c->has_constants || strcmp(r->word, "constants") == 0;
  return true;
}

static bool read_line(Reader *r, char *line, locale_t c_locale) {
  char *save = NULL, *field;
  r->word = strtok_r(line, " \n", &save);
  if (!r->word || *r->word == '#')
    return true;
  for (r->n_fields = 0; (field = strtok_r(NULL, " \n", &save)); r->n_fields++) {
    char *end;
    if (r->n_fields == BASE_COLUMNS)
      return false;
    r->field[r->n_fields] = field;
    r->v[r->n_fields] = strtod_l(field, &end, c_locale);
    if (*end != '\0' || end == field)
      r->v[r->n_fields] = (double)NAN;
  }
  if (strcmp(r->word, "arm") == 0)
    return start_arm(r);
  return r->c && (read_geometry(r) || read_counts(r) || read_sets(r));
}

BaseCase *base_cases_load(void) {
  const char *path = test_golden_path("base_arms.txt");
  FILE *stream = path ? fopen(path, "r") : NULL;
  locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  Reader r = {.cases = calloc(BASE_CASES, sizeof *r.cases)};
  char *line = NULL;
  size_t size = 0, number = 0;
  bool is_good = stream && r.cases && c_locale;
  while (is_good && getline(&line, &size, stream) > 0) {
    number++;
    is_good = read_line(&r, line, c_locale);
  }
  is_good = is_good && r.count == BASE_CASES;
  if (!is_good) {
    fprintf(stderr, "base_arms.txt:%zu: cannot be read\n", number);
    free(r.cases);
    r.cases = NULL;
  }
  free(line);
  if (c_locale)
    freelocale(c_locale);
  if (stream)
    fclose(stream);
  return r.cases;
}

/* ---- random arms ---- */

static double random_angle(TestRng *rng) {
  const double right = 1.57079632679489661923;
  switch (test_rng_below(rng, 3)) {
  case 0:
    return 2 * right * (double)test_rng_below(rng, 2);
  case 1:
    return right * (test_rng_below(rng, 2) ? 1 : -1);
  default:
    return test_rng_uniform(rng, 0.1, 1.4) * (test_rng_below(rng, 2) ? 1 : -1);
  }
}

static double random_length(TestRng *rng) {
  return test_rng_below(rng, 3) == 0 ? 0 : test_rng_uniform(rng, -0.5, 0.5);
}

static void random_gravity(TestRng *rng, ArmModel *model) {
  const double *first = model->joints[0].rotation;
  double g[3] = {0, 0, -9.81};
  const size_t choice = test_rng_below(rng, 3);
  for (int k = 0; k < 3 && choice == 0; k++)
    g[k] = -9.81 * first[3 * k + 2];
  if (choice == 2)
    dyn_random_vector(rng, 3, 9, g);
  memcpy(model->gravity_m_s2, g, sizeof g);
}

void base_random_arm(TestRng *rng, size_t n, ArmModel *model) {
  dyn_random_arm(rng, n, model); /* for the links */
  for (size_t i = 0; i < n; i++) {
    const ArmJointType type = test_rng_below(rng, 3) == 0 ? ARM_JOINT_T : ARM_JOINT_R;
    const double beta = random_angle(rng), b = random_length(rng);
    const double theta = random_angle(rng), d = random_length(rng);
    arm_joint_set_mdh(&model->joints[i], type, beta, b, theta, d);
  }
  random_gravity(rng, model);
}

/* ---- rank ---- */

static void fill_motions(const ArmModel *model, size_t samples, double *w) {
  const size_t p = 10 * model->n, rows = samples * model->n;
  double q[ARM_MAX_JOINTS], qd[ARM_MAX_JOINTS], qdd[ARM_MAX_JOINTS];
  double y[10 * BASE_JOINTS * BASE_JOINTS];
  ArmDyn dyn;
  TestRng rng;
  test_rng_init(&rng, 7);
  if (arm_dyn_init(&dyn, model) != ARM_OK)
    return;
  for (size_t s = 0; s < samples; s++) {
    dyn_random_vector(&rng, model->n, 3, q);
    dyn_random_vector(&rng, model->n, 3, qd);
    dyn_random_vector(&rng, model->n, 6, qdd);
    arm_dyn_regressor(&dyn, q, qd, qdd, y);
    for (size_t i = 0; i < model->n; i++)
      for (size_t c = 0; c < p; c++)
        w[s * model->n + i + rows * c] = y[i * p + c];
  }
}

size_t base_rank(const ArmModel *model, double *gap) {
  const size_t p = 10 * model->n, samples = 30 + 5 * model->n, rows = samples * model->n;
  double *w = calloc(rows * p, sizeof *w), sigma[10 * BASE_JOINTS], spare[10 * BASE_JOINTS], none;
  double norm[10 * BASE_JOINTS];
  double largest = 0;
  size_t rank = 0;
  if (!w)
    return 0;
  fill_motions(model, samples, w);
  for (size_t c = 0; c < p; c++) {
    norm[c] = 0;
    for (size_t k = 0; k < rows; k++)
      norm[c] = hypot(norm[c], w[k + rows * c]);
    largest = fmax(largest, norm[c]);
  }
  for (size_t c = 0; c < p; c++)
    for (size_t k = 0; k < rows; k++)
      w[k + rows * c] *= norm[c] > 1e-11 * largest ? 1 / norm[c] : 0;
  const lapack_int least = (lapack_int)(rows < p ? rows : p);
  if (LAPACKE_dgesvd(LAPACK_COL_MAJOR, 'N', 'N', (lapack_int)rows, (lapack_int)p, w,
                     (lapack_int)rows, sigma, &none, 1, &none, 1, spare) == 0)
    while (rank < (size_t)least && sigma[rank] > 1e-9 * sigma[0])
      rank++;
  *gap = rank > 0 && rank < (size_t)least && sigma[rank] > 0 ? sigma[rank - 1] / sigma[rank] : 0;
  free(w);
  return rank;
}
