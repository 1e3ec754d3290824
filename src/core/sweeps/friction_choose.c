/* SPDX-License-Identifier: MIT */
/* Which friction terms a joint gets (core/params/terms.h). Each joint is judged by its own rows,
 * beside all that its rows tell at the fit: own load, friction, ratios with their priors. Folds of
 * strokes are tried by core/num/trials. Source: Armature theory notes, friction models, 3. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/num/distribution.h"
#include "core/num/trials.h"
#include "core/sweeps/ident_internal.h"
#include "core/sweeps/sums_internal.h"

/* Limits: Armature theory notes, friction models, section 3. Ours: a curve needs three speeds and a
 * tenth of it left at the slowest, as two once gave one of 116 A and Coulomb friction of -0.26 for
 * 0.20 A. Below ROUNDING all is rounding. */
enum {
  FOLDS = 10,
  LEAST_STROKES = 6,
  LEAST_SPEEDS = 3, /* in a direction: two tell Coulomb and viscous friction */
  CURVES = 2,
  TRIED = 1 + CURVES,
  SIDES = TRIED + 1
};
#define LEAST_TIME   0.3  /* s: shorter strokes tell nothing */
#define ROUNDING     1e-9 /* of the current */
#define MOST_LOAD_SD 0.03 /* theory notes: a larger promise prints nonsense */
#define LEAST_CURVE  0.1  /* of a curve at rest: where less was recorded, rest is a guess */
#define VARIED       0.5  /* slowest over fastest of a stroke: below, it has all speeds between */
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
  bool is_unsteady; /* of sums: a stroke has no steady speed, and its curve is no polynomial */
  size_t speeds[2]; /* different ones of strokes forth and back */
  double speed_of[2][LEAST_SPEEDS];
  double c[ARM_IDENT_MAX_COLUMNS];
  double *jacobian; /* columns x theta, owned */
  ArmTrials trials; /* over the strokes' folds */
  size_t rows;
} Study;

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
  arm_trials_add(&s->trials, line, gram);
  s->rows++;
}

static bool is_long(const ArmStroke *stroke) {
  return stroke->t_last - stroke->t_first >= LEAST_TIME;
}

static size_t count_strokes(const ArmIdent *ident, size_t joint) {
  size_t count = 0;
  for (size_t k = 0; k < ident->strokes.count; k++) {
    count += ident->strokes.at[k].joint == joint && is_long(&ident->strokes.at[k]);
    arm_shelf_saw(ident->shelf, sizeof *ident->strokes.at);
  }
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

/* A curve is tried only where strokes of three speeds in a direction tell it, or strokes that
 * change their speed, and slow enough that a tenth of it is left: else what speeds do on the way,
 * with the servo's accelerations, would pass for a curve. */
static bool tells_curve(const Study *s, size_t tried) {
  return !s->is_unsteady && (s->speeds[0] >= LEAST_SPEEDS || s->speeds[1] >= LEAST_SPEEDS) &&
         exp(-s->slowest / s->speed[tried - 1]) >= LEAST_CURVE;
}

static void add_speed(Speeds *of, double qd, bool is_first) {
  if (is_first)
    *of = (Speeds){(double)INFINITY, 0.0, qd < 0.0 ? 1 : 0};
  of->low = fmin(of->low, fabs(qd));
  of->high = fmax(of->high, fabs(qd));
}

/* ---- the same of sums ---- */

/* Columns of the study in place of those of the fit.
 *   block  of arm_sums_block     lines  view->width x s->trials.width, column-major */
static void fill_lines(Study *s, const ArmSumsView *view, const double *block, double *lines) {
  const size_t columns = s->ident->rows[s->joint].columns, m = view->width;
  double *sides = lines + s->count * m, *left = sides + TRIED * m, range[2];
  ArmSumsColumn column;
  for (size_t a = 0; a < s->count; a++)
    for (size_t k = 0; k < m; k++) {
      const double *slope = s->jacobian + (s->first + a) * columns;
      lines[k + a * m] = 0.0;
      for (size_t c = 0; c < columns; c++)
        lines[k + a * m] += block[k + c * m] * slope[c];
    }
  arm_sums_load(view, &s->terms, range, &column);
  arm_sums_multiply(view->sums->triangle, m, column.wide, sides);
  for (size_t k = 0; k < CURVES; k++) {
    arm_sums_curve(view, s->terms.sign, s->speed[k], &column);
    arm_sums_multiply(view->sums->triangle, m, column.wide, sides + (1 + k) * m);
  }
  for (size_t k = 0; k < m; k++) {
    left[k] = block[k + columns * m];
    for (size_t c = 0; c < columns; c++)
      left[k] -= block[k + c * m] * s->c[c];
  }
  const double least = range[0] * range[1] < 0.0 ? 0.0 : fmin(fabs(range[0]), fabs(range[1]));
  s->terms.seen[0] = fmin(s->terms.seen[0], least);
  s->terms.seen[1] = fmax(s->terms.seen[1], fmax(fabs(range[0]), fabs(range[1])));
}

/* lines  m x width, column-major */
static void add_products(const Study *s, const double *lines, size_t m, double *gram) {
  const size_t width = s->trials.width;
  double line[ARM_IDENT_MAX_THETA + SIDES];
  for (size_t k = 0; k < m; k++) {
    for (size_t c = 0; c < width; c++)
      line[c] = lines[k + c * m];
    arm_trials_add(&s->trials, line, gram);
  }
}

static ArmStatus add_sums(Study *s, size_t strokes) {
  const size_t columns = s->ident->rows[s->joint].columns;
  double *block = malloc(ARM_SUMS_MOST * (columns + 1 + s->trials.width) * sizeof *block);
  ArmStatus status = ARM_OK;
  size_t taken = 0;
  if (!block)
    return ARM_E_MEMORY;
  double *lines = block + ARM_SUMS_MOST * (columns + 1);
  for (size_t k = 0; k < s->ident->sums->count && status == ARM_OK; k++) {
    const ArmSumsStroke *at = &s->ident->sums->at[k];
    arm_sums_saw(s->ident->sums, at);
    if (at->stroke.joint != s->joint || !is_long(&at->stroke))
      continue;
    const ArmSumsView view = arm_sums_view(s->ident, k);
    const Speeds speeds = {at->slowest, at->fastest, at->stroke.speed_sum < 0.0 ? 1 : 0};
    status = arm_sums_block(&view, block);
    if (status != ARM_OK)
      continue;
    fill_lines(s, &view, block, lines);
    add_products(s, lines, view.width,
                 arm_trials_gram(&s->trials, taken * s->trials.folds / strokes));
    s->rows += at->stroke.rows;
    s->is_unsteady = s->is_unsteady || !arm_sums_is_steady(at);
    note_speeds(s, &speeds);
    taken++;
  }
  free(block);
  return status;
}

/* Strokes that follow each other share a fold. */
static ArmStatus add_rows(Study *s, size_t strokes) {
  ArmStrokeOfRow at = {.strokes = &s->ident->strokes, .joint = s->joint};
  size_t taken = 0;
  Speeds speeds = {0};
  ArmTrials *trials = &s->trials;
  trials->folds = strokes < FOLDS ? strokes : FOLDS;
  if (s->ident->is_of_sums[s->joint]) {
    const ArmStatus status = add_sums(s, strokes);
    arm_trials_sum(trials);
    return status;
  }
  ArmRowWalk walk = arm_row_walk(s->ident->windows, s->joint);
  while (arm_row_walk_next(&walk)) {
    const ArmDataset *data = &walk.window->data;
    const ArmStroke *stroke = arm_ident_stroke_of_next(&at);
    if (!is_long(stroke))
      continue;
    add_speed(&speeds, data->qd[walk.row + s->joint * data->rows], at.row == 0);
    add_row(s, data, walk.row, arm_trials_gram(trials, taken * trials->folds / strokes));
    if (at.row + 1 < stroke->rows)
      continue;
    note_speeds(s, &speeds);
    taken++;
  }
  arm_trials_sum(trials);
  return walk.status;
}

/* priors of the ratios that this joint's rows tell, about the fit */
static void add_priors(Study *s) {
  const ArmIdentTree *tree = &s->ident->tree;
  const double noise = s->fit->stats[s->joint].residual_sd;
  double *all = arm_trials_gram(&s->trials, s->trials.folds);
  for (size_t j = 0; j < tree->n; j++) {
    if (tree->parent[j] != (int)s->joint || tree->edge[j] == ARM_IDENT_NONE)
      continue;
    const size_t at = tree->edge[j] - s->first;
    const double weight = noise / tree->prior_sd[j];
    all[at + at * s->width] += weight * weight;
  }
}

/* ---- the rule ---- */

/* sd: the larger of what rows and what strokes left out say */
static ArmStatus try_column(Study *s, size_t tried, ArmTrial *t, double *sd) {
  const double none = (double)NAN;
  *t = (ArmTrial){none, none, none, none, 0.0, 0.0, none, false};
  *sd = none;
  if (tried > 0 && !tells_curve(s, tried))
    return ARM_OK;
  const ArmStatus status = arm_trials_try(&s->trials, tried, t);
  const double white = sqrt(fmax(0.0, t->with) / (double)s->rows / t->own);
  if (status == ARM_OK && t->is_seen)
    *sd = fmax(white * s->fit->stats[s->joint].widening, t->spread);
  return status;
}

static ArmTermOutcome judge(const Study *s, ArmFrictionTerm term, const ArmTrial *t, double sd) {
  const bool is_load = term == ARM_TERM_LOAD;
  const double widening = s->fit->stats[s->joint].widening;
  const double effective = (double)s->rows / (widening * widening);
  const double least = ROUNDING * s->ident->rows[s->joint].rms_y;
  if (!t->is_seen || (is_load && !(sd < MOST_LOAD_SD)))
    return ARM_TERM_UNSEEN;
  const double tail =
      arm_t_upper((is_load ? t->value : fabs(t->value)) / sd, (double)(s->trials.folds - 1));
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
  arm_trials_clear(&s->trials);
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
  s->jacobian = calloc(columns * tree->count + 1, sizeof *s->jacobian);
  if (!s->jacobian)
    return ARM_E_MEMORY;
  const ArmStatus status = arm_trials_init(&s->trials, s->count, SIDES, FOLDS);
  if (status != ARM_OK) {
    study_clear(s);
    return status;
  }
  arm_ident_coefficients(tree, ident->model, fit->theta, i, s->c, s->jacobian);
  return ARM_OK;
}

static void find_speeds(Study *s) {
  static const double part[CURVES] = {0.08, 0.3}; /* of the fastest: the notes' choice of two */
  for (size_t k = 0; k < CURVES; k++)
    s->speed[k] = part[k] * s->ident->rows[s->joint].fastest;
}

static void keep(Study *s, ArmFrictionTerm term, size_t tried, const ArmTrial *t, double sd,
                 ArmIdentTerms *terms) {
  ArmTermTrial *trial = &terms->trial[term];
  const ArmTermOutcome outcome = judge(s, term, t, sd);
  const bool is_second = tried > 1;
  const bool was_chosen = is_second && trial->outcome == ARM_TERM_CHOSEN;
  if (is_second && (was_chosen ? outcome != ARM_TERM_CHOSEN || !(t->gain > trial->gain)
                               : outcome != ARM_TERM_CHOSEN && !(t->gain > trial->gain)))
    return;
  *trial = (ArmTermTrial){outcome, t->value, sd, t->gain, 1};
  if (term == ARM_TERM_CURVE)
    terms->curve_speed = s->speed[tried - 1];
}

/* All columns are tried; of those that may be chosen the one with the largest gain is. */
static ArmStatus try_all(Study *s, const bool *offers, ArmIdentTerms *terms, bool *any) {
  ArmStatus status = ARM_OK;
  const bool had_curve = terms->has[ARM_TERM_CURVE];
  for (size_t tried = 0; tried < TRIED && status == ARM_OK; tried++) {
    const ArmFrictionTerm term = tried == 0 ? ARM_TERM_LOAD : ARM_TERM_CURVE;
    ArmTrial t;
    double sd;
    if (!offers[term] || (term == ARM_TERM_CURVE ? had_curve : terms->has[term]))
      continue;
    status = try_column(s, tried, &t, &sd);
    if (status == ARM_OK)
      keep(s, term, tried, &t, sd, terms);
  }
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
  const double none = (double)NAN;
  Study s;
  for (int t = 0; t < ARM_TERMS; t++)
    if (offers[t] && !terms->has[t])
      terms->trial[t] = (ArmTermTrial){ARM_TERM_FEW_STROKES, none, none, none, 1};
  if (strokes < LEAST_STROKES || !(fit->stats[i].residual_sd >= 0.0))
    return ARM_OK;
  ArmStatus status = study_init(&s, ident, fit, i);
  if (status != ARM_OK)
    return status;
  find_speeds(&s);
  status = add_rows(&s, strokes);
  add_priors(&s);
  if (status == ARM_OK)
    status = arm_trials_turn(&s.trials);
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
