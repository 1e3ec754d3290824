/* SPDX-License-Identifier: MIT */
#include "support/golden.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/support.h"

const char *const golden_names[] = {"puma560_table1",          "stanford",
                                    "mixed_RRTTRR_vertical",   "mixed_TTRTRR_horizontal",
                                    "mixed_RRTR_quill_tilted", "mixed_RTRR_vertical_embodied",
                                    "puma560_table1_noisy",    NULL};

enum { MAX_FIELDS = 3 * GOLDEN_MAX_JOINTS };

typedef struct {
  Golden *golden;
  size_t joints_seen, sweeps_room, samples_room, torques_seen;
  const char *word; /* the line's keyword */
  double v[MAX_FIELDS];
  size_t count;
  const char *error;
} Reader;

static bool fail(Reader *r, const char *why) {
  if (r->error == NULL)
    r->error = why;
  return false;
}

static bool want(Reader *r, size_t count) {
  return r->count == count ? true : fail(r, "wrong number of fields");
}

/* First field: a joint counted from 1. */
static bool joint_of(Reader *r, size_t field, size_t *joint) {
  double j = field < r->count ? r->v[field] : NAN;
  if (!(j >= 1 && j <= (double)r->golden->n))
    return fail(r, "joint out of range");
  *joint = (size_t)j - 1;
  return true;
}

static bool copy_all(Reader *r, double *to) {
  if (!want(r, r->golden->n))
    return false;
  memcpy(to, r->v, r->count * sizeof *to);
  return true;
}

static bool copy_flags(Reader *r, int *to) {
  if (!want(r, r->golden->n))
    return false;
  for (size_t j = 0; j < r->count; j++)
    to[j] = isnan(r->v[j]) ? -1 : (int)r->v[j];
  return true;
}

static bool copy_joint(Reader *r, double *to, size_t stride, size_t count) {
  size_t j;
  if (!want(r, 1 + count) || !joint_of(r, 0, &j))
    return false;
  memcpy(to + j * stride, r->v + 1, count * sizeof *to);
  return true;
}

static bool grow(void **items, size_t *room, size_t count, size_t size) {
  if (count < *room)
    return true;
  size_t wider = *room == 0 ? 256 : 2 * *room;
  void *bigger = realloc(*items, wider * size);
  if (bigger == NULL)
    return false;
  *items = bigger;
  *room = wider;
  return true;
}

static bool read_sample(Reader *r) {
  Golden *g = r->golden;
  if (g->n_sweeps == 0)
    return fail(r, "sample before sweep");
  size_t room = r->samples_room;
  if (!want(r, 2) || !grow((void **)&g->sample_q, &room, g->n_samples, sizeof(double)) ||
      !grow((void **)&g->sample_current, &r->samples_room, g->n_samples, sizeof(double)))
    return fail(r, "memory");
  g->sample_q[g->n_samples] = r->v[0];
  g->sample_current[g->n_samples++] = r->v[1];
  g->sweeps[g->n_sweeps - 1].count++;
  return true;
}

static bool read_sweep(Reader *r) {
  Golden *g = r->golden;
  GoldenSweep sweep = {.first = g->n_samples};
  if (!want(r, 2 + g->n) || !joint_of(r, 0, &sweep.joint))
    return false;
  if (!grow((void **)&g->sweeps, &r->sweeps_room, g->n_sweeps, sizeof sweep))
    return fail(r, "memory");
  sweep.velocity = r->v[1];
  memcpy(sweep.hold, r->v + 2, g->n * sizeof(double));
  g->sweeps[g->n_sweeps++] = sweep;
  return true;
}

static bool read_predict(Reader *r) {
  Golden *g = r->golden;
  size_t bytes = g->n * sizeof(double);
  if (strcmp(r->word, "torque") == 0) {
    if (!want(r, g->n) || r->torques_seen >= g->n_predictions)
      return fail(r, "torque without prediction");
    memcpy(g->predictions[r->torques_seen++].torque, r->v, bytes);
    return true;
  }
  if (!want(r, 3 * g->n) || g->n_predictions >= GOLDEN_MAX_PREDICTIONS)
    return fail(r, "prediction");
  GoldenPrediction *p = &g->predictions[g->n_predictions++];
  memcpy(p->q, r->v, bytes);
  memcpy(p->qd, r->v + g->n, bytes);
  memcpy(p->current, r->v + 2 * g->n, bytes);
  return true;
}

static bool read_expect(Reader *r) {
  Golden *g = r->golden;
  size_t i, j;
  if (strcmp(r->word, "ratio") == 0) {
    if (!want(r, 3) || !joint_of(r, 0, &i) || !joint_of(r, 1, &j) ||
        g->n_ratios >= GOLDEN_MAX_RATIOS)
      return fail(r, "ratio");
    g->ratios[g->n_ratios++] = (GoldenRatio){i, j, r->v[2]};
    return true;
  }
  if (strcmp(r->word, "cluster") == 0) {
    for (size_t f = 0; f < r->count; f++) {
      if (!joint_of(r, f, &j))
        return false;
      g->cluster[j] = (int)g->n_clusters;
    }
    g->n_clusters++;
    return true;
  }
  if (!want(r, 8) || !joint_of(r, 0, &j))
    return false;
  GoldenExpect *e = &g->expect[j];
  e->has_gravity = r->v[1] != 0;
  memcpy(e->w, r->v + 2, sizeof e->w);
  memcpy(e->friction, r->v + 4, sizeof e->friction);
  return true;
}

static bool read_plain(Reader *r) {
  Golden *g = r->golden;
  bool is_sd = strcmp(r->word, "plain_sd") == 0;
  size_t j, skip = is_sd ? 1 : 2;
  if (!joint_of(r, 0, &j) || r->count < skip || r->count - skip > 8)
    return fail(r, "plain");
  memcpy(is_sd ? g->plain_sd[j] : g->plain[j], r->v + skip, (r->count - skip) * sizeof(double));
  if (!is_sd) {
    g->plain_residual_sd[j] = r->v[1];
    g->n_plain[j] = r->count - skip;
  }
  return true;
}

static bool read_small(Reader *r) {
  Golden *g = r->golden;
  if (strcmp(r->word, "gravity") == 0) {
    if (!want(r, 3))
      return false;
    memcpy(g->model.gravity_m_s2, r->v, 3 * sizeof(double));
  } else if (strcmp(r->word, "structure") == 0) {
    if (!want(r, 2))
      return false;
    g->r = (size_t)r->v[0];
    g->s = (size_t)r->v[1];
  } else if (strcmp(r->word, "tolerance") == 0) {
    if (!want(r, 6))
      return false;
    g->tol_k = r->v[0];
    g->tol_mhat = r->v[1];
    g->tol_ratio_rel = r->v[2];
    g->tol_last_ratio_rel = r->v[3];
    g->tol_friction = r->v[4];
    g->tol_prediction = r->v[5];
  } else if (strcmp(r->word, "rank") == 0) {
    if (!want(r, g->n))
      return false;
    for (size_t j = 0; j < g->n; j++)
      g->rank[j] = (size_t)r->v[j];
  } else { /* cluster_error */
    if (!want(r, 1))
      return false;
    g->cluster_error = r->v[0];
  }
  return true;
}

static bool read_link(Reader *r) {
  Golden *g = r->golden;
  size_t j;
  if (strcmp(r->word, "true_mass") == 0) {
    if (!want(r, g->n))
      return false;
    for (j = 0; j < g->n; j++) {
      g->model.joints[j].link.mass_kg = r->v[j];
      g->model.joints[j].link.is_present = true;
    }
    return true;
  }
  if (!want(r, 4) || !joint_of(r, 0, &j))
    return false;
  memcpy(g->model.joints[j].link.com_m, r->v + 1, 3 * sizeof(double));
  return true;
}

/* `joint R beta b theta d` */
static bool read_joint(Reader *r, char type) {
  Golden *g = r->golden;
  if (!want(r, 4) || r->joints_seen >= g->n || (type != 'R' && type != 'T'))
    return fail(r, "joint");
  arm_joint_set_mdh(&g->model.joints[r->joints_seen++], type == 'R' ? ARM_JOINT_R : ARM_JOINT_T,
                    r->v[0], r->v[1], r->v[2], r->v[3]);
  return true;
}

static bool read_line(Reader *r) {
  Golden *g = r->golden;
  const char *w = r->word;
  if (strcmp(w, "n") == 0) {
    if (!want(r, 1) || !(r->v[0] >= 1 && r->v[0] <= GOLDEN_MAX_JOINTS))
      return fail(r, "n");
    g->n = (size_t)r->v[0];
    return arm_model_init(&g->model, g->n) == ARM_OK || fail(r, "model");
  }
  if (strcmp(w, "sample") == 0)
    return read_sample(r);
  if (strcmp(w, "sweep") == 0)
    return read_sweep(r);
  if (strcmp(w, "predict") == 0 || strcmp(w, "torque") == 0)
    return read_predict(r);
  if (strcmp(w, "expect") == 0 || strcmp(w, "ratio") == 0 || strcmp(w, "cluster") == 0)
    return read_expect(r);
  if (strcmp(w, "plain") == 0 || strcmp(w, "plain_sd") == 0)
    return read_plain(r);
  if (strcmp(w, "true_mass") == 0 || strcmp(w, "true_com") == 0)
    return read_link(r);
  if (strcmp(w, "true_k") == 0)
    return copy_joint(r, &g->true_k[0][0], 3, 3);
  if (strcmp(w, "true_friction") == 0)
    return copy_joint(r, &g->true_friction[0][0], 4, 4);
  struct {
    const char *word;
    double *to;
  } rows[] = {{"true_eta", g->true_eta},
              {"true_mhat", g->true_mhat},
              {"cond_raw", g->cond_raw},
              {"cond_equilibrated", g->cond_equilibrated},
              {"paper_error", g->paper_error}};
  for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
    if (strcmp(w, rows[k].word) == 0)
      return copy_all(r, rows[k].to);
  struct {
    const char *word;
    int *to;
  } flags[] = {{"delta", g->delta},
               {"sigma", g->sigma},
               {"sigma_hat", g->sigma_hat},
               {"sigma_hat_paper", g->sigma_hat_paper}};
  for (size_t k = 0; k < sizeof flags / sizeof flags[0]; k++)
    if (strcmp(w, flags[k].word) == 0)
      return copy_flags(r, flags[k].to);
  const char *small[] = {"gravity", "structure", "tolerance", "rank", "cluster_error"};
  for (size_t k = 0; k < sizeof small / sizeof small[0]; k++)
    if (strcmp(w, small[k]) == 0)
      return read_small(r);
  return fail(r, "unknown keyword");
}

/* Splits a line into keyword and numbers and hands it on. */
static bool read_text(Reader *r, char *line, locale_t c_locale) {
  char *save = NULL, *word = strtok_r(line, " \n", &save), type = 0;
  if (word == NULL || *word == '#' || strcmp(word, "armature-golden") == 0 ||
      strcmp(word, "description") == 0)
    return true;
  r->word = word;
  r->count = 0;
  char *field = strtok_r(NULL, " \n", &save);
  if (strcmp(word, "name") == 0) {
    snprintf(r->golden->name, sizeof r->golden->name, "%s", field == NULL ? "" : field);
    return true;
  }
  if (strcmp(word, "joint") == 0 && field != NULL) {
    type = *field;
    field = strtok_r(NULL, " \n", &save);
  }
  for (; field != NULL; field = strtok_r(NULL, " \n", &save)) {
    char *end = field;
    if (r->count == MAX_FIELDS)
      return fail(r, "too many fields");
    r->v[r->count++] =
        strcmp(field, "-") == 0 ? (end = field + 1, NAN) : strtod_l(field, &end, c_locale);
    if (*end != '\0')
      return fail(r, "not a number");
  }
  return type != 0 ? read_joint(r, type) : read_line(r);
}

static Golden *golden_new(void) {
  Golden *g = calloc(1, sizeof *g);
  if (g == NULL)
    return NULL;
  for (size_t j = 0; j < GOLDEN_MAX_JOINTS; j++)
    g->cluster[j] = -1;
  g->tol_k = g->tol_mhat = g->tol_ratio_rel = g->tol_last_ratio_rel = g->tol_friction =
      g->tol_prediction = NAN;
  return g;
}

Golden *golden_load(const char *name) {
  char file_name[128];
  snprintf(file_name, sizeof file_name, "%s.txt", name);
  const char *path = test_golden_path(file_name);
  FILE *file = path == NULL ? NULL : fopen(path, "r");
  locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  Golden *g = golden_new();
  Reader reader = {.golden = g};
  char *line = NULL;
  size_t room = 0, number = 0;
  bool is_good = file != NULL && g != NULL && c_locale != (locale_t)0;
  while (is_good && getline(&line, &room, file) > 0) {
    number++;
    is_good = read_text(&reader, line, c_locale);
  }
  if (is_good && (reader.joints_seen != g->n || reader.torques_seen != g->n_predictions))
    is_good = fail(&reader, "incomplete");
  free(line);
  if (file != NULL)
    fclose(file);
  if (c_locale != (locale_t)0)
    freelocale(c_locale);
  if (is_good)
    return g;
  fprintf(stderr, "golden %s, line %zu: %s\n", name, number,
          reader.error != NULL ? reader.error : "cannot read the file");
  golden_free(g);
  return NULL;
}

void golden_free(Golden *golden) {
  if (golden == NULL)
    return;
  free(golden->sweeps);
  free(golden->sample_q);
  free(golden->sample_current);
  free(golden);
}

bool golden_dataset_init(GoldenDataset *set, const Golden *golden) {
  size_t rows = golden->n_samples, n = golden->n, cells = rows * n, row = 0;
  double *storage = malloc((rows + 3 * cells + 1) * sizeof *storage);
  int *joint = malloc((rows + 1) * sizeof *joint);
  if (storage == NULL || joint == NULL) {
    free(storage);
    free(joint);
    return false;
  }
  double *t = storage, *q = t + rows, *qd = q + cells, *current = qd + cells, now = 0;
  for (size_t k = 0; k < golden->n_sweeps; k++, now += 1) {
    const GoldenSweep *s = &golden->sweeps[k];
    for (size_t i = 0; i < s->count; i++, row++, now += 0.01) {
      t[row] = now;
      joint[row] = (int)s->joint + 1;
      for (size_t j = 0; j < n; j++) {
        bool moves = j == s->joint;
        q[row + j * rows] = moves ? golden->sample_q[s->first + i] : s->hold[j];
        qd[row + j * rows] = moves ? s->velocity : NAN;
        current[row + j * rows] = moves ? golden->sample_current[s->first + i] : NAN;
      }
    }
  }
  *set = (GoldenDataset){.storage = storage, .joint = joint};
  set->data = (ArmDataset){
      .n = n, .rows = rows, .t = t, .joint = joint, .q = q, .qd = qd, .current = current};
  return true;
}

void golden_dataset_clear(GoldenDataset *set) {
  free(set->storage);
  free(set->joint);
  *set = (GoldenDataset){0};
}
