/* SPDX-License-Identifier: MIT */
/* Joint by joint from the last to the first, each with what is known of the links beyond it: Lin,
 * J. Robotic Systems 9(4) 1992, Algorithm 2 (theory notes, full dynamics, 2.4), rows (51), (52) of
 * all joints that moved, in base parameters: those of a joint span what its composite constants do
 * when those beyond it are known. What a joint leaves open is asked of the next, too; of what is
 * open in the end all rows are asked at once. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/dynamics/identify_work.h"

#define NULL_SHARE 1e-6 /* as in the report */

static const size_t none = (size_t)-1;

typedef struct {
  ArmDynWork *work;
  size_t unknowns, rows; /* rows: of all triangles, joint j's from problem.row[j] on */
  double *gain;          /* rows x unknowns   x = gain' z, z the efforts of the triangles */
  double *share;         /* unknowns          in the null space when last asked for */
  bool *is_known;        /* unknowns */
  /* of the joints that are asked: from `first` on, m rows, p columns */
  size_t first, end, m, p;
  size_t *place;       /* unknowns  their column; none */
  size_t *column;      /* p         the other way round */
  double *a, *right;   /* m x p, m  rows weighed */
  double *x, *inverse; /* p, p x p */
  double *unit;        /* p         the most that each can be */
  double *part;        /* p         shares, then rows: scratch */
} Sequence;

/* ---- life ---- */

static void sequence_free(Sequence *s) {
  if (!s)
    return;
  free(s->gain);
  free(s->is_known);
  free(s->place);
  free(s);
}

static Sequence *sequence_new(ArmDynWork *work) {
  const size_t u = work->problem.unknowns, rows = work->problem.rows;
  Sequence *s = calloc(1, sizeof *s);
  if (!s)
    return NULL;
  s->work = work;
  s->unknowns = u;
  s->rows = rows;
  s->gain = calloc(2 * rows * u + 2 * rows + 3 * u + u * u, sizeof *s->gain);
  s->is_known = calloc(u, sizeof *s->is_known);
  s->place = calloc(2 * u, sizeof *s->place);
  if (!s->gain || !s->is_known || !s->place) {
    sequence_free(s);
    return NULL;
  }
  s->column = s->place + u;
  s->a = s->gain + rows * u;
  s->right = s->a + rows * u;
  s->part = s->right + rows; /* rows and unknowns: enough for either */
  s->x = s->part + rows;
  s->share = s->x + u;
  s->unit = s->share + u;
  s->inverse = s->unit + u;
  for (size_t k = 0; k < u; k++)
    s->share[k] = 1;
  return s;
}

/* ---- rows of some joints ---- */

static void add_scaled(size_t count, double factor, const double *from, double *to) {
  for (size_t i = 0; i < count; i++)
    to[i] += factor * from[i];
}

static double length_of(const double *column, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++)
    sum += column[i] * column[i];
  return sqrt(sum);
}

/* Columns that are asked for. */
static void list_columns(Sequence *s) {
  const ArmDynProblem *problem = &s->work->problem;
  s->p = 0;
  for (size_t u = 0; u < s->unknowns; u++)
    s->place[u] = none;
  for (size_t j = s->first; j < s->end; j++) {
    const ArmDynTriangle *t = &s->work->triangle[j];
    for (size_t c = 0; t->rows > 0 && c + 1 < t->width; c++) {
      const size_t u = arm_dyn_problem_place(problem, j, c);
      if (!arm_dyn_problem_estimates(problem, u) || s->is_known[u] || s->place[u] != none ||
          !arm_dyn_sees(t, c))
        continue;
      s->column[s->p] = u;
      s->place[u] = s->p++;
    }
  }
}

/* Row of joint j among those that are asked. */
static size_t row_of(const Sequence *s, size_t j) {
  return s->work->problem.row[j] - s->work->problem.row[s->first];
}

/* Right side: tau_j less what is known of it, as (56)-(61) have it. */
static void fill_joint(Sequence *s, size_t j) {
  const ArmDynProblem *problem = &s->work->problem;
  const ArmDynTriangle *t = &s->work->triangle[j];
  const double weight = problem->weight[j];
  double *right = s->right + row_of(s, j);
  add_scaled(t->width - 1, weight, arm_dyn_column(t, t->width - 1), right);
  for (size_t c = 0; c + 1 < t->width; c++) {
    const size_t u = arm_dyn_problem_place(problem, j, c);
    if (s->is_known[u])
      add_scaled(t->width - 1, -weight * problem->x[u], arm_dyn_column(t, c), right);
    else if (s->place[u] != none)
      add_scaled(t->width - 1, weight, arm_dyn_column(t, c),
                 s->a + row_of(s, j) + s->place[u] * s->m);
  }
}

static void fill(Sequence *s) {
  s->m = row_of(s, s->end - 1) + s->work->triangle[s->end - 1].width;
  memset(s->a, 0, s->m * s->p * sizeof *s->a);
  memset(s->right, 0, s->m * sizeof *s->right);
  for (size_t j = s->first; j < s->end; j++)
    if (s->work->triangle[j].rows > 0)
      fill_joint(s, j);
}

/* ---- what they say ---- */

/* How column c's unknown hangs on the efforts: its row of the pseudoinverse, and through what was
 * known on the efforts of other joints. */
static void find_gain(Sequence *s, size_t c) {
  const ArmDynProblem *problem = &s->work->problem;
  double *gain = s->gain + s->column[c] * s->rows, *row = s->part;
  memset(row, 0, s->m * sizeof *row);
  for (size_t k = 0; k < s->p; k++)
    add_scaled(s->m, s->inverse[c + k * s->p], s->a + k * s->m, row);
  memset(gain, 0, s->rows * sizeof *gain);
  for (size_t j = s->first; j < s->end; j++) {
    const ArmDynTriangle *t = &s->work->triangle[j];
    const double *own = row + row_of(s, j);
    add_scaled(t->width - 1, problem->weight[j], own, gain + problem->row[j]);
    for (size_t b = 0; b + 1 < t->width; b++) {
      const size_t u = arm_dyn_problem_place(problem, j, b);
      double part = 0;
      for (size_t i = 0; s->is_known[u] && i <= b; i++)
        part += own[i] * arm_dyn_column(t, b)[i];
      if (part != 0)
        add_scaled(s->rows, -part * problem->weight[j], s->gain + u * s->rows, gain);
    }
  }
}

/* What joints first .. end - 1 say of what is not known yet. */
static ArmStatus ask(Sequence *s, size_t first, size_t end) {
  s->first = first;
  s->end = end;
  list_columns(s);
  if (s->p == 0)
    return ARM_OK;
  fill(s);
  double *share = s->part;
  const double rcond = arm_dyn_problem_units(
      &s->work->problem, &(ArmDynColumns){s->m, s->p, s->column, s->a}, s->unit);
  const ArmStatus status = arm_svd_solve_in(s->work->problem.svd, s->m, s->p, s->a, s->right,
                                            s->unit, rcond, s->x, s->inverse, share, NULL);
  if (status != ARM_OK)
    return status;
  for (size_t c = 0; c < s->p; c++) {
    s->share[s->column[c]] =
        arm_dyn_hidden_share(share[c], s->unit[c], sqrt(s->inverse[c + c * s->p]));
    s->work->problem.x[s->column[c]] = s->x[c];
  }
  for (size_t c = 0; c < s->p; c++)
    find_gain(s, c);
  for (size_t c = 0; c < s->p; c++)
    s->is_known[s->column[c]] = s->share[s->column[c]] <= NULL_SHARE;
  return ARM_OK;
}

static ArmStatus go(Sequence *s) {
  ArmStatus status = ARM_OK;
  for (size_t j = s->work->n; j-- > 0 && status == ARM_OK;)
    status = ask(s, j, j + 1);
  return status == ARM_OK ? ask(s, 0, s->work->n) : status;
}

/* ---- noise ---- */

/* What of joint j's noise the fit leaves in its residual, over the noise's variance: the trace of
 * (1 - H)'(1 - H), H = R_j gain' of its own rows.
 *   row  scratch */
static double freedom_of(const Sequence *s, size_t j, double *row) {
  const ArmDynProblem *problem = &s->work->problem;
  const ArmDynTriangle *t = &s->work->triangle[j];
  double freedom = t->mass;
  for (size_t i = 0; i + 1 < t->width; i++) {
    memset(row, 0, t->width * sizeof *row);
    for (size_t c = i; c + 1 < t->width; c++) {
      const size_t u = arm_dyn_problem_place(problem, j, c);
      if (arm_dyn_problem_estimates(problem, u))
        add_scaled(t->width, arm_dyn_column(t, c)[i], s->gain + u * s->rows + problem->row[j], row);
    }
    for (size_t l = 0; l < t->width; l++)
      freedom += row[l] * row[l];
    freedom -= 2 * row[i];
  }
  return freedom;
}

/* The residual has the errors of the links beyond in it, too: sds are a little too large. */
static ArmStatus weigh(Sequence *s) {
  ArmDynWork *work = s->work;
  for (size_t j = 0; j < work->n; j++) {
    const ArmDynTriangle *t = &work->triangle[j];
    if (t->rows == 0)
      continue;
    arm_dyn_problem_rows(&work->problem, j, t->r, work->problem.x, s->part, NULL);
    const double length = length_of(s->part, t->width);
    arm_dyn_noise_take(work, j, length * length, freedom_of(s, j, s->part));
  }
  return arm_dyn_noise_widen(work);
}

static double variance_of(const ArmDynWork *work, size_t k) {
  const double weight = work->problem.weight[k];
  return weight > 0 ? 1 / (weight * weight) : 0;
}

/* gain' diag(sigma^2) gain, widened. */
static void find_covariance(Sequence *s) {
  const ArmDynWork *work = s->work;
  const size_t u = s->unknowns;
  for (size_t j = 0; j < work->n; j++)
    for (size_t k = 0; k < u; k++) {
      double *gain = s->gain + k * s->rows + work->problem.row[j];
      for (size_t i = 0; i < work->triangle[j].width; i++)
        gain[i] *= sqrt(variance_of(work, j));
    }
  memset(work->covariance, 0, u * u * sizeof *work->covariance);
  for (size_t a = 0; a < u; a++)
    for (size_t b = 0; b <= a; b++) {
      const double *of_a = s->gain + a * s->rows, *of_b = s->gain + b * s->rows;
      double sum = 0;
      for (size_t i = 0; i < s->rows; i++)
        sum += of_a[i] * of_b[i];
      work->covariance[a + b * u] = work->covariance[b + a * u] = sum;
    }
}

ArmStatus arm_dyn_sequential(ArmDynWork *work) {
  Sequence *s = sequence_new(work);
  ArmStatus status = s ? go(s) : ARM_E_MEMORY;
  if (status == ARM_OK)
    status = weigh(s);
  if (status == ARM_OK) {
    find_covariance(s);
    memcpy(work->null_share, s->share, s->unknowns * sizeof *s->share);
    work->problem.has_converged = true;
  }
  sequence_free(s);
  return status;
}
