/* SPDX-License-Identifier: MIT */
/* Which friction terms a joint gets (core/sweeps/friction.h). Each joint is judged by its own rows,
 * beside all that its rows tell at the fit: own load, friction, ratios with their priors. What a
 * row adds goes into one matrix of products per fold of strokes; trials, folds left out and
 * held-out errors are all solved from these, and rows are read once.
 */
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/num/distribution.h"
#include "core/sweeps/ident_internal.h"

/* Limits: Armature theory notes, friction models, section 3. Ours: a curve needs three speeds and a
 * tenth of it left at the slowest, as two once gave one of 116 A and Coulomb friction of -0.26 for
 * 0.20 A. Below SAME, OWN and ROUNDING all is rounding. */
enum {
  FOLDS = 10,
  LEAST_STROKES = 6,
  LEAST_SPEEDS = 3, /* in a direction: two tell Coulomb and viscous friction */
  CURVES = 2,
  TRIED = 1 + CURVES,
  SIDES = TRIED + 1
};
#define LEAST_TIME   0.3   /* s: shorter strokes tell nothing */
#define SAME         1e-10 /* eigenvalues below this part of the largest are not seen */
#define OWN          1e-8  /* of a column: less beside the others is not seen */
#define LEFT_OUT     1e-6  /* what is known of a direction that only the fold left out tells */
#define ROUNDING     1e-9  /* of the current */
#define MOST_LOAD_SD 0.03  /* theory notes: a larger promise prints nonsense */
#define LEAST_CURVE  0.1   /* of a curve at rest: where less was recorded, rest is a guess */
#define VARIED       0.5   /* slowest over fastest of a stroke: below, it has all speeds between */
#define SAME_SPEED   0.1
#define LEAST_LOAD   0.01
#define MOST_LOAD    0.5
#define LOAD_TAIL    0.005 /* one-sided */
#define CURVE_TAIL   0.01  /* two-sided */
#define LEAST_GAIN   0.02
#define COST         6.0

/* sides: the columns tried (load, two curves), then the residual */
typedef struct {
  const ArmIdent *ident;
  const ArmIdentResult *fit;
  size_t joint, first, count, width; /* count thetas from first; width = count + SIDES */
  ArmIdentTerms terms;               /* with L of this fit */
  double speed[CURVES], slowest;
  size_t speeds[2]; /* different ones of strokes forth and back */
  double speed_of[2][LEAST_SPEEDS];
  double c[ARM_IDENT_MAX_COLUMNS];
  double *jacobian; /* columns x theta, owned with all below */
  double *gram;     /* width x width of each fold, then of all */
  double *turn;     /* count x rank: the columns turned to unit products */
  double *inner;    /* rank x rank of each fold, then of all: unit matrix */
  double *outer;    /* rank x SIDES of each fold, then of all */
  double *work;
  size_t rank, folds, rows;
} Study;

typedef struct {
  double x[SIDES][ARM_IDENT_MAX_THETA]; /* coefficients of the sides */
  double rest[SIDES][SIDES];            /* products of what the sides are beyond the columns */
} Solution;

static double *gram_of(const Study *s, size_t fold) {
  return s->gram + fold * s->width * s->width;
}

/* ---- rows ---- */

static double sign_of_eta(const ArmIdent *ident, const ArmIdentResult *fit, size_t i) {
  double eta, sd;
  if (ident->is_torque_ratio[i])
    return 1.0;
  if (arm_model_nominal_eta(ident->model, i, &eta, &sd))
    return copysign(1.0, eta);
  const double *lambda = fit->theta + ident->tree.friction[i];
  return lambda[0] - lambda[2] < 0.0 ? -1.0 : 1.0;
}

static void set_load(const ArmIdent *ident, const ArmIdentResult *fit, size_t i,
                     ArmIdentTerms *terms) {
  double c[ARM_IDENT_MAX_COLUMNS];
  arm_ident_coefficients(&ident->tree, ident->model, fit->theta, i, c, NULL);
  memcpy(terms->load, c, 2 * (ident->model->n - i) * sizeof *c);
}

static void add_row(Study *s, const ArmDataset *data, size_t r, double *gram) {
  const ArmIdent *ident = s->ident;
  const size_t columns = ident->rows[s->joint].columns, g = 2 * (ident->model->n - s->joint);
  double row[ARM_IDENT_MAX_COLUMNS], line[ARM_IDENT_MAX_THETA + SIDES];
  double *sides = line + s->count;
  double left = arm_ident_fetch(ident, data, s->joint, r, row);
  for (size_t a = 0; a < s->count; a++) {
    const double *slope = s->jacobian + (s->first + a) * columns;
    line[a] = 0.0;
    for (size_t k = 0; k < columns; k++)
      line[a] += row[k] * slope[k];
  }
  for (size_t k = 0; k < columns; k++)
    left -= row[k] * s->c[k];
  const double side = row[g] > 0.0 ? s->terms.sign : -s->terms.sign;
  const double load = fabs(arm_ident_load(&s->terms, g, row)), v = fabs(row[g + 1] + row[g + 3]);
  sides[0] = side * load;
  for (size_t k = 0; k < CURVES; k++)
    sides[1 + k] = side * exp(-v / s->speed[k]);
  sides[TRIED] = left;
  s->terms.seen[0] = fmin(s->terms.seen[0], load);
  s->terms.seen[1] = fmax(s->terms.seen[1], load);
  for (size_t c = 0; c < s->width; c++)
    for (size_t k = 0; k <= c && line[c] != 0.0; k++)
      gram[k + c * s->width] += line[k] * line[c];
  s->rows++;
}

static bool is_long(const ArmStroke *stroke) {
  return stroke->t_last - stroke->t_first >= LEAST_TIME;
}

static size_t count_strokes(const ArmIdent *ident, size_t joint) {
  size_t count = 0;
  for (size_t k = 0; k < ident->strokes.count; k++)
    count += ident->strokes.at[k].joint == joint && is_long(&ident->strokes.at[k]);
  return count;
}

/* |qd| of one stroke */
typedef struct {
  double low, high;
  size_t side; /* 0 forth, 1 back */
} Speeds;

static void note_speeds(Study *s, const Speeds *of) {
  s->slowest = fmin(s->slowest, of->low);
  if (of->low < VARIED * of->high) {
    s->speeds[0] = LEAST_SPEEDS;
    return;
  }
  const double mean = 0.5 * (of->low + of->high);
  size_t *speeds = &s->speeds[of->side];
  for (size_t k = 0; k < *speeds; k++)
    if (fabs(mean - s->speed_of[of->side][k]) < SAME_SPEED * mean)
      return;
  if (*speeds < LEAST_SPEEDS)
    s->speed_of[of->side][(*speeds)++] = mean;
}

/* Else what speeds do on the way, with the servo's accelerations, would pass for a curve. */
static bool tells_curve(const Study *s, size_t tried) {
  return (s->speeds[0] >= LEAST_SPEEDS || s->speeds[1] >= LEAST_SPEEDS) &&
         exp(-s->slowest / s->speed[tried - 1]) >= LEAST_CURVE;
}

static void add_speed(Speeds *of, double qd, bool is_first) {
  if (is_first)
    *of = (Speeds){(double)INFINITY, 0.0, qd < 0.0 ? 1 : 0};
  of->low = fmin(of->low, fabs(qd));
  of->high = fmax(of->high, fabs(qd));
}

/* Strokes that follow each other share a fold. */
static ArmStatus add_rows(Study *s, size_t strokes) {
  ArmStrokeOfRow at = {.strokes = &s->ident->strokes, .joint = s->joint};
  ArmRowWalk walk = arm_row_walk(s->ident->windows, s->joint);
  size_t taken = 0;
  Speeds speeds = {0};
  s->folds = strokes < FOLDS ? strokes : FOLDS;
  while (arm_row_walk_next(&walk)) {
    const ArmDataset *data = &walk.window->data;
    const ArmStroke *stroke = arm_ident_stroke_of_next(&at);
    if (!is_long(stroke))
      continue;
    add_speed(&speeds, data->qd[walk.row + s->joint * data->rows], at.row == 0);
    add_row(s, data, walk.row, gram_of(s, taken * s->folds / strokes));
    if (at.row + 1 < stroke->rows)
      continue;
    note_speeds(s, &speeds);
    taken++;
  }
  double *all = gram_of(s, s->folds);
  for (size_t f = 0; f < s->folds; f++)
    for (size_t a = 0; a < s->width * s->width; a++)
      all[a] += gram_of(s, f)[a];
  return walk.status;
}

/* ---- columns turned to unit products ---- */

/* priors of the ratios that this joint's rows tell, about the fit */
static void add_priors(Study *s) {
  const ArmIdentTree *tree = &s->ident->tree;
  const double noise = s->fit->stats[s->joint].residual_sd;
  double *all = gram_of(s, s->folds);
  for (size_t j = 0; j < tree->n; j++) {
    if (tree->parent[j] != (int)s->joint || tree->edge[j] == ARM_IDENT_NONE)
      continue;
    const size_t at = tree->edge[j] - s->first;
    const double weight = noise / tree->prior_sd[j];
    all[at + at * s->width] += weight * weight;
  }
}

static ArmStatus find_turn(Study *s) {
  const double *all = gram_of(s, s->folds);
  const size_t p = s->count;
  double *a = s->work, *value = a + p * p, *scale = value + p, *lapack = scale + p;
  for (size_t c = 0; c < p; c++)
    scale[c] = all[c + c * s->width] > 0.0 ? 1.0 / sqrt(all[c + c * s->width]) : 0.0;
  for (size_t c = 0; c < p; c++)
    for (size_t r = 0; r <= c; r++)
      a[r + c * p] = all[r + c * s->width] * scale[r] * scale[c];
  const lapack_int n = (lapack_int)p;
  if (LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'U', n, a, n, value, lapack, 3 * n) != 0)
    return ARM_E_NUMERIC;
  s->rank = 0;
  for (size_t c = 0; c < p; c++) {
    if (!(value[c] > SAME * value[p - 1]))
      continue;
    for (size_t r = 0; r < p; r++)
      s->turn[r + s->rank * p] = a[r + c * p] * scale[r] / sqrt(value[c]);
    s->rank++;
  }
  return ARM_OK;
}

/* products of the turned columns with each other and with the sides, of one fold */
static void turn_fold(Study *s, size_t fold) {
  const double *gram = gram_of(s, fold);
  const size_t p = s->count, w = s->width;
  double *inner = s->inner + fold * p * p, *outer = s->outer + fold * p * SIDES, *half = s->work;
  for (size_t c = 0; c < w; c++)
    for (size_t k = 0; k < s->rank; k++) {
      double sum = 0.0;
      for (size_t r = 0; r < p; r++)
        sum += s->turn[r + k * p] * gram[r <= c ? r + c * w : c + r * w];
      if (c < p)
        half[k + c * p] = sum;
      else
        outer[k + (c - p) * p] = sum;
    }
  for (size_t c = 0; c < s->rank; c++)
    for (size_t k = 0; k < s->rank; k++) {
      double sum = 0.0;
      for (size_t r = 0; r < p; r++)
        sum += half[k + r * p] * s->turn[r + c * p];
      inner[k + c * p] = sum;
    }
}

/* ---- solutions ---- */

static double side_product(const Study *s, size_t fold, size_t a, size_t b) {
  return gram_of(s, fold)[s->count + (a < b ? a : b) + (s->count + (a < b ? b : a)) * s->width];
}

static double outer_of(const Study *s, size_t fold, size_t k, size_t side) {
  return s->outer[fold * s->count * SIDES + k + side * s->count];
}

/* All strokes but those of a fold; fold = folds: all. */
static ArmStatus solve_without(Study *s, size_t fold, Solution *out) {
  const bool is_all = fold == s->folds;
  const size_t p = s->count;
  double *m = s->work, *b = m + p * p;
  for (size_t c = 0; c < s->rank; c++)
    for (size_t r = 0; r < s->rank; r++)
      m[r + c * p] =
          (r == c ? 1.0 + LEFT_OUT : 0.0) - (is_all ? 0.0 : s->inner[fold * p * p + r + c * p]);
  for (size_t a = 0; a < SIDES; a++)
    for (size_t k = 0; k < s->rank; k++)
      b[k + a * p] = outer_of(s, s->folds, k, a) - (is_all ? 0.0 : outer_of(s, fold, k, a));
  for (size_t a = 0; a < SIDES; a++)
    memcpy(out->x[a], b + a * p, s->rank * sizeof *b);
  const lapack_int n = (lapack_int)s->rank, ld = (lapack_int)p;
  if (n > 0 && LAPACKE_dposv_work(LAPACK_COL_MAJOR, 'U', n, SIDES, m, ld, b, ld) != 0)
    return ARM_E_NUMERIC;
  for (size_t a = 0; a < SIDES; a++)
    for (size_t c = 0; c < SIDES; c++) {
      out->rest[a][c] =
          side_product(s, s->folds, a, c) - (is_all ? 0.0 : side_product(s, fold, a, c));
      for (size_t k = 0; k < s->rank; k++)
        out->rest[a][c] -= out->x[a][k] * b[k + c * p];
    }
  for (size_t a = 0; a < SIDES; a++)
    memcpy(out->x[a], b + a * p, s->rank * sizeof *b);
  return ARM_OK;
}

/* Squares that a fold's rows are off, with `value` times column `tried` fitted. */
static double held_out(const Study *s, size_t fold, const Solution *x, size_t tried, double value) {
  const double *inner = s->inner + fold * s->count * s->count;
  double shift[ARM_IDENT_MAX_THETA];
  double sum = side_product(s, fold, TRIED, TRIED) -
               2.0 * value * side_product(s, fold, tried, TRIED) +
               value * value * side_product(s, fold, tried, tried);
  for (size_t k = 0; k < s->rank; k++)
    shift[k] = x->x[TRIED][k] - value * x->x[tried][k];
  for (size_t k = 0; k < s->rank; k++) {
    double product = 0.0;
    for (size_t l = 0; l < s->rank; l++)
      product += inner[k + l * s->count] * shift[l];
    sum += shift[k] *
           (product - 2.0 * (outer_of(s, fold, k, TRIED) - value * outer_of(s, fold, k, tried)));
  }
  return sum;
}

/* ---- the rule ---- */

typedef struct {
  double value, sd, gain;
  double without, with; /* squares of the residual */
  bool is_seen;
} Trial;

static bool is_seen(const Study *s, const Solution *x, size_t tried) {
  const double all = side_product(s, s->folds, tried, tried);
  return x->rest[tried][tried] > OWN * all && all > 0.0 && (tried == 0 || tells_curve(s, tried));
}

/* sd: the larger of what rows and what strokes left out say */
static ArmStatus try_column(Study *s, Solution *x, size_t tried, Trial *t) {
  double value[FOLDS], mean = 0.0, square = 0.0, plain = 0.0, better = 0.0;
  ArmStatus status = solve_without(s, s->folds, x);
  *t = (Trial){(double)NAN, (double)NAN, (double)NAN, 0.0, 0.0, false};
  if (status != ARM_OK || !is_seen(s, x, tried))
    return status;
  const double own = x->rest[tried][tried];
  t->value = x->rest[tried][TRIED] / own;
  t->without = x->rest[TRIED][TRIED];
  t->with = t->without - t->value * x->rest[tried][TRIED];
  t->is_seen = true;
  for (size_t f = 0; f < s->folds && status == ARM_OK; f++) {
    status = solve_without(s, f, x);
    if (status != ARM_OK || !(x->rest[tried][tried] > OWN * own)) {
      t->is_seen = false; /* a single fold tells it */
      return status;
    }
    value[f] = x->rest[tried][TRIED] / x->rest[tried][tried];
    mean += value[f] / (double)s->folds;
    plain += held_out(s, f, x, tried, 0.0);
    better += held_out(s, f, x, tried, value[f]);
  }
  for (size_t f = 0; f < s->folds; f++)
    square += (value[f] - mean) * (value[f] - mean);
  const double white = sqrt(fmax(0.0, t->with) / (double)s->rows / own);
  t->sd = fmax(white * s->fit->stats[s->joint].widening,
               sqrt(square * (double)(s->folds - 1) / (double)s->folds));
  t->gain = 1.0 - sqrt(fmax(0.0, better) / plain);
  return status;
}

static ArmTermOutcome judge(const Study *s, ArmFrictionTerm term, const Trial *t) {
  const bool is_load = term == ARM_TERM_LOAD;
  const double widening = s->fit->stats[s->joint].widening;
  const double effective = (double)s->rows / (widening * widening);
  const double least = ROUNDING * s->ident->rows[s->joint].rms_y;
  if (!t->is_seen || (is_load && !(t->sd < MOST_LOAD_SD)))
    return ARM_TERM_UNSEEN;
  const double tail =
      arm_t_upper(is_load ? t->value / t->sd : fabs(t->value) / t->sd, (double)(s->folds - 1));
  if (!(tail < (is_load ? LOAD_TAIL : CURVE_TAIL / 2.0)) || (is_load && !(t->value > LEAST_LOAD)) ||
      !(t->without > least * least * (double)s->rows) ||
      !(effective * log(t->without / fmax(t->with, 0.0)) > log(effective) + COST))
    return ARM_TERM_NOT_NEEDED;
  if (is_load && t->value > MOST_LOAD)
    return ARM_TERM_ABSURD;
  return t->gain >= LEAST_GAIN ? ARM_TERM_CHOSEN : ARM_TERM_NO_GAIN;
}

/* ---- one joint ---- */

static void study_clear(Study *s) {
  free(s->jacobian);
}

static ArmStatus study_init(Study *s, const ArmIdent *ident, const ArmIdentResult *fit, size_t i) {
  const ArmIdentTree *tree = &ident->tree;
  const size_t columns = ident->rows[i].columns;
  const size_t end = i == 0                    ? tree->count
                     : tree->is_unswept[i - 1] ? tree->friction[i - 1]
                                               : tree->own[i - 1];
  *s = (Study){.ident = ident, .fit = fit, .joint = i, .first = tree->own[i]};
  s->count = end - s->first;
  s->width = s->count + SIDES;
  s->terms = ident->terms[i];
  s->terms.sign = sign_of_eta(ident, fit, i);
  s->terms.seen[0] = s->slowest = (double)INFINITY;
  set_load(ident, fit, i, &s->terms);
  const size_t p = s->count, all = FOLDS + 1;
  double *block = calloc(columns * tree->count + all * s->width * s->width + p * p + all * p * p +
                             all * p * SIDES + p * p + (5 + SIDES) * p + 1,
                         sizeof *block);
  s->jacobian = block;
  if (!block)
    return ARM_E_MEMORY;
  s->gram = block + columns * tree->count;
  s->turn = s->gram + all * s->width * s->width;
  s->inner = s->turn + p * p;
  s->outer = s->inner + all * p * p;
  s->work = s->outer + all * p * SIDES;
  arm_ident_coefficients(tree, ident->model, fit->theta, i, s->c, s->jacobian);
  return ARM_OK;
}

static void find_speeds(Study *s) {
  static const double part[CURVES] = {0.08, 0.3}; /* of the fastest: the notes' choice of two */
  for (size_t k = 0; k < CURVES; k++)
    s->speed[k] = part[k] * s->ident->rows[s->joint].fastest;
}

static void keep(Study *s, ArmFrictionTerm term, size_t tried, const Trial *t,
                 ArmIdentTerms *terms) {
  ArmTermTrial *trial = &terms->trial[term];
  const ArmTermOutcome outcome = judge(s, term, t);
  const bool is_second = tried > 1;
  const bool was_chosen = is_second && trial->outcome == ARM_TERM_CHOSEN;
  if (is_second && (was_chosen ? outcome != ARM_TERM_CHOSEN || !(t->gain > trial->gain)
                               : outcome != ARM_TERM_CHOSEN && !(t->gain > trial->gain)))
    return;
  *trial = (ArmTermTrial){outcome, t->value, t->sd, t->gain};
  if (term == ARM_TERM_CURVE)
    terms->curve_speed = s->speed[tried - 1];
}

/* All columns are tried; of those that may be chosen the one with the largest gain is. */
static ArmStatus try_all(Study *s, const bool *offers, ArmIdentTerms *terms, bool *any) {
  Solution *x = malloc(sizeof *x);
  ArmStatus status = x ? ARM_OK : ARM_E_MEMORY;
  const bool had_curve = terms->has[ARM_TERM_CURVE];
  for (size_t tried = 0; tried < TRIED && status == ARM_OK; tried++) {
    const ArmFrictionTerm term = tried == 0 ? ARM_TERM_LOAD : ARM_TERM_CURVE;
    Trial t;
    if (!offers[term] || (term == ARM_TERM_CURVE ? had_curve : terms->has[term]))
      continue;
    status = try_column(s, x, tried, &t);
    if (status == ARM_OK)
      keep(s, term, tried, &t, terms);
  }
  free(x);
  int best = -1;
  for (int t = 0; t < ARM_TERMS && status == ARM_OK; t++)
    if (offers[t] && !terms->has[t] && terms->trial[t].outcome == ARM_TERM_CHOSEN &&
        (best < 0 || terms->trial[t].gain > terms->trial[best].gain))
      best = t;
  if (best >= 0) {
    terms->has[best] = true;
    terms->sign = s->terms.sign;
    memcpy(terms->seen, s->terms.seen, sizeof terms->seen);
    *any = true;
  }
  return status;
}

static ArmStatus choose_joint(ArmIdent *ident, const bool *offers, const ArmIdentResult *fit,
                              size_t i, bool *any) {
  ArmIdentTerms *terms = &ident->terms[i];
  const size_t strokes = count_strokes(ident, i);
  Study s;
  for (int t = 0; t < ARM_TERMS; t++)
    if (offers[t] && !terms->has[t])
      terms->trial[t] = (ArmTermTrial){ARM_TERM_FEW_STROKES, (double)NAN, (double)NAN, (double)NAN};
  if (strokes < LEAST_STROKES || !(fit->stats[i].residual_sd >= 0.0))
    return ARM_OK;
  ArmStatus status = study_init(&s, ident, fit, i);
  if (status != ARM_OK)
    return status;
  find_speeds(&s);
  status = add_rows(&s, strokes);
  add_priors(&s);
  if (status == ARM_OK)
    status = find_turn(&s);
  for (size_t f = 0; f <= s.folds && status == ARM_OK; f++)
    turn_fold(&s, f);
  if (status == ARM_OK)
    status = try_all(&s, offers, terms, any);
  study_clear(&s);
  return status == ARM_E_NUMERIC ? ARM_OK : status;
}

ArmStatus arm_friction_choose(ArmIdent *ident, const bool *offers, const ArmIdentResult *fit,
                              bool *any) {
  ArmStatus status = ARM_OK;
  *any = false;
  for (size_t i = 0; i < ident->model->n && status == ARM_OK; i++)
    status = choose_joint(ident, offers, fit, i, any);
  return status;
}

ArmStatus arm_friction_update(ArmIdent *ident, const ArmIdentResult *fit) {
  bool has_any[ARM_MAX_JOINTS];
  for (size_t i = 0; i < ident->model->n; i++) {
    ArmIdentTerms *terms = &ident->terms[i];
    if ((has_any[i] = terms->has[ARM_TERM_LOAD] || terms->has[ARM_TERM_CURVE]))
      set_load(ident, fit, i, terms);
  }
  return arm_ident_accumulate_again(ident, has_any);
}
