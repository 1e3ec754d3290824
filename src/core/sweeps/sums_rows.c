/* SPDX-License-Identifier: MIT */
/* A fit reads sums where it reads rows: each column of the fit is one of z over a stroke (sums.h),
 * and the triangle times these columns has the products of the rows, since an orthogonal matrix is
 * all that was taken off them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/sweeps/sums_internal.h"

enum { K = ARM_STROKE_ORDERS, PARTS = K + 2, GRID = 32, BESSEL_TERMS = 100 };
#define ROUNDING   1e-17 /* of a sum: further terms are none */
#define LEAST_HALF 1e-6  /* of the speed: a stroke of one speed has a range too */
#define OTHER      1e-6  /* rms of a function beyond others, below which it is none of its own */
#define LEAST_REST 0.05  /* of what is beyond all columns: chosen, so that noise stays */

ArmSumsView arm_sums_view(const ArmIdent *ident, size_t stroke) {
  const ArmSumsStroke *sums = &ident->sums->at[stroke];
  const size_t n = ident->model->n, joint = sums->stroke.joint;
  double q[ARM_MAX_JOINTS];
  ArmSumsView view = {.ident = ident,
                      .sums = sums,
                      .joint = joint,
                      .width = arm_sums_width(n, joint),
                      .gravity = 2 * (n - joint)};
  for (size_t j = 0; j < n; j++)
    q[j] = sums->stroke.q_sum[j] / (double)sums->stroke.rows;
  arm_ident_settle(ident, joint, q);
  arm_gravity_row_of_hold(ident->model, q, joint, view.one, view.cosine, view.sine);
  return view;
}

/* Rows see such a joint where it stands on the mean of the recording. */
static bool is_settled(const ArmSumsView *view, size_t load) {
  for (size_t j = view->joint + 1; j <= load; j++)
    if (view->ident->is_still[j])
      return true;
  return false;
}

static void gravity_column(const ArmSumsView *view, size_t c, ArmSumsColumn *to) {
  const size_t from = 2 * view->joint + c;
  if (!is_settled(view, from / 2)) {
    to->wide[ARM_SUMS_GRAVITY + c] = 1.0;
    return;
  }
  to->wide[0] = view->one[from];
  to->wide[K + ARM_STROKE_COS] = view->cosine[from];
  to->wide[K + ARM_STROKE_SIN] = view->sine[from];
}

static double sign_of(const ArmSumsView *view, double sign) {
  return view->sums->stroke.speed_sum > 0.0 ? sign : -sign;
}

/* coefficients over [low, high] of the stroke */
static void take_polynomials(const ArmSumsView *view, double *c, ArmSumsColumn *to) {
  const ArmStroke *s = &view->sums->stroke;
  if (!arm_stroke_to_basis(s, s->low, s->high, c))
    return;
  memcpy(to->wide, c, K * sizeof *c);
}

/* ---- |L| where L passes through zero ---- */

/* f  count x GRID functions, overwritten by orthonormal ones; up  count x count: what they were
 * made of. One that the others are is left out. */
static void orthonormalise(double f[][GRID], size_t count, double up[][PARTS]) {
  for (size_t k = 0; k < count; k++) {
    double norm = 0.0;
    for (size_t j = 0; j < k; j++) {
      up[j][k] = 0.0;
      for (size_t g = 0; g < GRID; g++)
        up[j][k] += f[j][g] * f[k][g];
      for (size_t g = 0; g < GRID; g++)
        f[k][g] -= up[j][k] * f[j][g];
    }
    for (size_t g = 0; g < GRID; g++)
      norm += f[k][g] * f[k][g];
    up[k][k] = norm > GRID * OTHER * OTHER ? sqrt(norm) : 0.0;
    for (size_t g = 0; g < GRID; g++)
      f[k][g] = up[k][k] > 0.0 ? f[k][g] / up[k][k] : 0.0;
  }
}

/* Coefficients of the functions nearest to y, of which what is left stays; its mean square. */
static double nearest(double f[][GRID], size_t count, double *y, double *c) {
  double up[PARTS][PARTS], part[PARTS], sum = 0.0;
  orthonormalise(f, count, up);
  for (size_t k = 0; k < count; k++) {
    part[k] = 0.0;
    for (size_t g = 0; g < GRID; g++)
      part[k] += f[k][g] * y[g];
    for (size_t g = 0; g < GRID; g++)
      y[g] -= part[k] * f[k][g];
  }
  for (size_t k = count; k-- > 0;) {
    for (size_t j = k + 1; j < count; j++)
      part[k] -= up[k][j] * part[j];
    part[k] = up[k][k] > 0.0 ? part[k] / up[k][k] : 0.0;
    c[k] = part[k];
  }
  for (size_t g = 0; g < GRID; g++)
    sum += y[g] * y[g] / GRID;
  return sum;
}

/* side |L| as polynomials, cos and sin. */
static void take_kink(const ArmSumsView *view, const double load[3], double side,
                      ArmSumsColumn *to) {
  const ArmStroke *s = &view->sums->stroke;
  double f[PARTS][GRID], size[GRID], c[PARTS], p[K];
  for (size_t g = 0; g < GRID; g++) {
    const double x = ((double)g + 0.5) / GRID, q = s->low + x * (s->high - s->low);
    arm_stroke_basis(2.0 * x - 1.0, p);
    for (size_t k = 0; k < K; k++)
      f[k][g] = p[k];
    f[K][g] = cos(q);
    f[K + 1][g] = sin(q);
    size[g] = side * fabs(load[0] + load[1] * cos(q) + load[2] * sin(q));
  }
  to->kink = (double)s->rows * nearest(f, PARTS, size, c);
  to->wide[K + ARM_STROKE_COS] = c[K];
  to->wide[K + ARM_STROKE_SIN] = c[K + 1];
  take_polynomials(view, c, to);
}

void arm_sums_load(const ArmSumsView *view, const ArmIdentTerms *terms, double range[2],
                   ArmSumsColumn *to) {
  const ArmStroke *s = &view->sums->stroke;
  const double side = sign_of(view, terms->sign);
  double load[3] = {0}, seen[2];
  *to = (ArmSumsColumn){0};
  for (size_t a = 0; a < view->gravity; a++) {
    load[0] += terms->load[a] * view->one[2 * view->joint + a];
    load[1] += terms->load[a] * view->cosine[2 * view->joint + a];
    load[2] += terms->load[a] * view->sine[2 * view->joint + a];
  }
  const double sign = arm_stroke_load_sign(s, load, seen);
  if (range)
    memcpy(range, seen, sizeof seen);
  if (sign == 0.0) {
    take_kink(view, load, side, to);
    return;
  }
  for (size_t a = 0; a < view->gravity; a++) {
    ArmSumsColumn part = {0};
    gravity_column(view, a, &part);
    for (size_t k = 0; k < view->width; k++)
      to->wide[k] += side * sign * terms->load[a] * part.wide[k];
  }
}

/* ---- a friction curve ---- */

/* I_k(x), k = 0 .. DEGREE, by its series. */
static void fill_bessel(double x, double to[ARM_SUMS_DEGREE + 1]) {
  double first = 1.0; /* (x/2)^k / k! */
  for (size_t k = 0; k <= ARM_SUMS_DEGREE; k++) {
    double term = first;
    to[k] = term;
    for (size_t m = 1; m < BESSEL_TERMS && term > to[k] * ROUNDING; m++) {
      term *= 0.25 * x * x / (double)(m * (m + k));
      to[k] += term;
    }
    first *= 0.5 * x / (double)(k + 1);
  }
}

/* exp(-z u), |u| <= 1, as powers of u: I_0 + 2 sum (-1)^k I_k T_k(u) to the degree (Abramowitz and
 * Stegun 1964, 9.6.34), which all but spreads the error evenly. */
static void fill_powers(double z, double c[ARM_SUMS_DEGREE + 1]) {
  enum { D = ARM_SUMS_DEGREE + 1 };
  double bessel[D], chebyshev[3][D] = {{1.0}, {0.0, 1.0}};
  fill_bessel(z, bessel);
  memset(c, 0, D * sizeof *c);
  for (size_t k = 0; k < D; k++) {
    const double *t = chebyshev[k % 3], *before = chebyshev[(k + 2) % 3];
    double *next = chebyshev[(k + 1) % 3];
    for (size_t p = 0; p < D; p++)
      c[p] += (k == 0 ? 1.0 : k % 2 ? -2.0 : 2.0) * bessel[k] * t[p];
    for (size_t p = 0; k > 0 && p < D; p++)
      next[p] = (p > 0 ? 2.0 * t[p - 1] : 0.0) - before[p];
  }
}

/* Powers of (v - middle)/half into powers of v. */
static void move_powers(double middle, double half, double c[ARM_SUMS_DEGREE + 1]) {
  double scale = 1.0;
  for (size_t p = 0; p <= ARM_SUMS_DEGREE; p++, scale /= half)
    c[p] *= scale;
  for (size_t from = 0; from < ARM_SUMS_DEGREE; from++)
    for (size_t p = ARM_SUMS_DEGREE; p-- > from;)
      c[p] -= middle * c[p + 1];
}

void arm_sums_curve(const ArmSumsView *view, double sign, double speed, ArmSumsColumn *to) {
  const double slowest = view->sums->slowest, fastest = view->sums->fastest;
  const double middle = 0.5 * (slowest + fastest);
  const double half = fmax(0.5 * (fastest - slowest), LEAST_HALF * middle);
  double c[ARM_SUMS_DEGREE + 1], side = sign_of(view, sign);
  *to = (ArmSumsColumn){0};
  side *= exp(-middle / speed);
  fill_powers(half / speed, c);
  move_powers(middle, half, c);
  to->wide[0] = side * c[0];
  for (size_t p = 1; p <= ARM_SUMS_DEGREE; p++) {
    side = sign_of(view, side); /* v_m of a stroke back is below 0 */
    to->wide[ARM_SUMS_MOTOR + p - 1] = side * c[p];
  }
}

static bool is_term(const ArmSumsView *view, size_t a, ArmFrictionTerm term) {
  return view->ident->terms[view->joint].has[term] &&
         a == arm_ident_term_column(view->ident, view->joint, term);
}

/* What none of these is would be silently wrong as any of them. */
ArmStatus arm_sums_column(const ArmSumsView *view, size_t a, ArmSumsColumn *to) {
  const ArmIdent *ident = view->ident;
  const ArmIdentTerms *terms = &ident->terms[view->joint];
  const size_t friction = view->gravity, beyond = friction + 4;
  const size_t side = friction + (view->sums->stroke.speed_sum > 0.0 ? 0 : 2);
  *to = (ArmSumsColumn){0};
  if (a < view->gravity) {
    gravity_column(view, a, to);
  } else if (a == side) {
    to->wide[0] = 1.0;
  } else if (a == side + 1) {
    to->wide[ARM_SUMS_MOTOR] = 1.0;
  } else if (a < beyond) {
    return ARM_OK; /* friction of the other way: 0 */
  } else if (a == beyond && ident->has_acceleration) {
    to->wide[K + ARM_STROKE_ACCELERATION] = 1.0;
  } else if (is_term(view, a, ARM_TERM_LOAD)) {
    arm_sums_load(view, terms, NULL, to);
  } else if (is_term(view, a, ARM_TERM_CURVE)) {
    arm_sums_curve(view, terms->sign, terms->curve_speed, to);
  } else {
    return ARM_E_ARGUMENT;
  }
  return ARM_OK;
}

void arm_sums_multiply(const double *r, size_t width, const double *wide, double *to) {
  memset(to, 0, width * sizeof *to);
  for (size_t c = 0; c < width; r += ++c)
    for (size_t k = 0; k <= c && wide[c] != 0.0; k++)
      to[k] += wide[c] * r[k];
}

/* Of a kinked column polynomials leave a part that the current has, by the trial of its term, and
 * that no row would: it is no noise. */
static void take_off_kink(const ArmSumsView *view, double kink, double *y) {
  const double mu = view->ident->terms[view->joint].trial[ARM_TERM_LOAD].value;
  const double square = y[ARM_SUMS_CURRENT] * y[ARM_SUMS_CURRENT];
  if (kink > 0.0 && isfinite(mu))
    y[ARM_SUMS_CURRENT] = sqrt(fmax(LEAST_REST * square, square - mu * mu * kink));
}

ArmStatus arm_sums_block(const ArmSumsView *view, double *block) {
  const size_t columns = arm_ident_columns(view->ident, view->joint);
  double *y = block + columns * view->width, kink = 0.0;
  ArmSumsColumn column;
  for (size_t a = 0; a < columns; a++) {
    const ArmStatus status = arm_sums_column(view, a, &column);
    if (status != ARM_OK)
      return status;
    arm_sums_multiply(view->sums->triangle, view->width, column.wide, block + a * view->width);
    kink += column.kink;
  }
  column = (ArmSumsColumn){.wide = {0}};
  column.wide[ARM_SUMS_CURRENT] = 1.0;
  arm_sums_multiply(view->sums->triangle, view->width, column.wide, y);
  take_off_kink(view, kink, y);
  return ARM_OK;
}

/* ---- in place of passes over rows ---- */

static ArmStatus take_strokes(ArmIdent *ident) {
  const ArmReduced *sums = ident->sums;
  ArmStrokes *strokes = &ident->strokes;
  ArmStatus status = ARM_OK;
  *strokes = (ArmStrokes){.shelf = ident->shelf, .origin = sums->origin};
  strokes->at = arm_shelf_take(ident->shelf, sums->count + 1, sizeof *strokes->at, &status);
  if (!strokes->at)
    return status;
  strokes->count = strokes->room = sums->count;
  for (size_t s = 0; s < sums->count; s++) {
    const ArmSumsStroke *from = &sums->at[s];
    ArmIdentRows *rows = &ident->rows[from->stroke.joint];
    strokes->at[s] = from->stroke;
    rows->rows += from->stroke.rows;
    rows->fastest = fmax(rows->fastest, from->fastest);
    arm_shelf_saw(ident->shelf, sizeof *from + sizeof *strokes->at);
  }
  return ARM_OK;
}

/* Which joints move in which window of the kept rows. */
static ArmStatus know_windows(ArmWindows *windows) {
  const ArmWindow *window;
  ArmStatus status = ARM_OK;
  for (size_t k = 0; k < windows->count && status == ARM_OK; k++) {
    uint32_t joints = 0;
    status = arm_windows_get(windows, k, &window);
    for (size_t r = window->begin; status == ARM_OK && r < window->end; r++)
      if (window->data.joint[r] > 0)
        joints |= (uint32_t)1 << (window->data.joint[r] - 1);
    if (status == ARM_OK)
      status = arm_windows_know(windows, k, joints);
  }
  return status;
}

ArmStatus arm_sums_survey(ArmIdent *ident) {
  const ArmReduced *sums = ident->sums;
  memcpy(ident->rows_by_use, sums->rows_by_use, sizeof ident->rows_by_use);
  memcpy(ident->range, sums->range, sizeof ident->range);
  ident->scan = sums->scan;
  ArmStatus status = take_strokes(ident);
  if (status == ARM_OK && ident->windows)
    status = know_windows(ident->windows);
  arm_ident_find_still(ident, sums->used);
  return status;
}

ArmStatus arm_sums_fold(const ArmIdent *ident, ArmLsq *const *lsq, double *square) {
  double *block = malloc(ARM_SUMS_MOST * (ARM_IDENT_MAX_COLUMNS + 1) * sizeof *block);
  ArmStatus status = block ? ARM_OK : ARM_E_MEMORY;
  for (size_t s = 0; s < ident->sums->count && status == ARM_OK; s++) {
    const size_t i = ident->sums->at[s].stroke.joint;
    arm_sums_saw(ident->sums, &ident->sums->at[s]);
    if (!lsq[i] || !ident->is_of_sums[i])
      continue;
    const ArmSumsView view = arm_sums_view(ident, s);
    const double *y = block + ident->rows[i].columns * view.width;
    status = arm_sums_block(&view, block);
    for (size_t k = 0; k < view.width && status == ARM_OK; k++)
      square[i] += y[k] * y[k];
    if (status == ARM_OK)
      status = arm_lsq_push_block(lsq[i], block, view.width, view.width);
  }
  free(block);
  return status;
}
