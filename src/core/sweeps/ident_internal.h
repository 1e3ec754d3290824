/* SPDX-License-Identifier: MIT */
/* Shared by the ident_*.c files and the planner: the parameter vector theta, the tree of ratios,
 * and one triangle of rows per joint.
 *
 * Columns of joint i's rows: gravity (stride 2 for j = i..n-1), four friction columns, the optional
 * acceleration column, the friction terms it has; then y. The model is linear in the coefficients
 * c_i of these columns and c_i(theta) is a product of few parameters, so everything after the first
 * pass over the data works on triangles. The ratios form one tree per cluster: edge j carries x_j =
 * eta_parent(j)/eta_j, and rho_ij = product of the edges between i and its descendant j (Lin 1994
 * (24) without the chain).
 */
#ifndef ARMATURE_CORE_IDENT_INTERNAL_H
#define ARMATURE_CORE_IDENT_INTERNAL_H

#include "core/data/windows.h"
#include "core/num/lsq.h"
#include "core/sweeps/ident.h"
#include "core/sweeps/stroke.h"
#include "core/sweeps/sums.h"
#include "core/sweeps/wild.h"

enum {
  ARM_IDENT_OWN = 5 + ARM_TERMS, /* columns of a joint beyond gravity */
  ARM_IDENT_MAX_COLUMNS = 2 * ARM_MAX_JOINTS + ARM_IDENT_OWN,
  ARM_IDENT_MAX_THETA = (8 + ARM_TERMS) * ARM_MAX_JOINTS
};
#define ARM_IDENT_NONE        ((size_t)-1)
/* Purely numerical: a physical decision by it would depend on units (Armature theory notes,
 * gravity, section 4.1). */
#define ARM_IDENT_RCOND       1e-10
/* A ratio that the data alone know worse than half its prior sd is the prior, not a measurement
 * (the "sd rule 0.3-0.5" next to the ridge). */
#define ARM_IDENT_WEAK        0.5
#define ARM_IDENT_BORROWED    3.0 /* what the data alone know so many times worse rests on a prior */
#define ARM_IDENT_NULL_SHARE  1e-6 /* a larger part of a parameter in the null space: not seen */
/* Chosen: AR(1) widens 141 times at most, as a residual may be one slow curve. */
#define ARM_IDENT_MOST_LAG1   0.9999
#define ARM_IDENT_TOLD        2.0 /* sds: what a correlation is beyond its own noise */
#define ARM_IDENT_LEAST_PAIRS 8   /* that tell one */

/* Which element of theta is what; filled from joint n-1 down to 0, so that what lies outboard of a
 * joint always comes first. */
typedef struct {
  size_t n, count;
  size_t own[ARM_MAX_JOINTS], own_count[ARM_MAX_JOINTS]; /* w*_i: 2 (R), 1 (T), 0 (not in U) */
  size_t friction[ARM_MAX_JOINTS];
  size_t acceleration[ARM_MAX_JOINTS];    /* ARM_IDENT_NONE without */
  size_t term[ARM_MAX_JOINTS][ARM_TERMS]; /* the same */
  size_t edge[ARM_MAX_JOINTS];            /* ARM_IDENT_NONE: innermost of a cluster, or unswept */
  int parent[ARM_MAX_JOINTS];
  double prior_mean[ARM_MAX_JOINTS], prior_sd[ARM_MAX_JOINTS]; /* of edge j */
  bool is_fixed[ARM_IDENT_MAX_THETA]; /* own parameter that the joint's rows cannot determine, fixed
                                        at its value: what sees it from inboard finds products */
  bool is_node[ARM_MAX_JOINTS];       /* takes part in a cluster */
  /* No row moves it. Its load is not zero: the innermost swept joint that carries it adopts it as a
   * child whose edge is 1, not a parameter, so that its w means eta_parent w; what lies outboard of
   * it joins that parent directly. */
  bool is_unswept[ARM_MAX_JOINTS];
} ArmIdentTree;

/* The rows of one joint as a triangle. */
typedef struct {
  size_t columns;   /* without y */
  size_t rows;      /* data rows behind the triangle */
  double *triangle; /* (columns+1) x (columns+1), column-major; last column y */
  double rms_y;
  double fastest; /* largest |qd| [rad/s, m/s] */
} ArmIdentRows;

/* Friction beyond Coulomb and viscous that a joint's rows have. Its load is that of an earlier fit:
 * the columns are constants of the next one. */
typedef struct {
  bool has[ARM_TERMS];
  double sign;                     /* of eta */
  double load[2 * ARM_MAX_JOINTS]; /* L [A] = the gravity columns times it */
  double seen[2], curve_speed;     /* as in ArmJointFit */
  ArmTermTrial trial[ARM_TERMS];
} ArmIdentTerms;

/* Statistics of one joint's solve and of its residuals. */
typedef struct {
  size_t columns, rank;
  double cond_raw, cond_equilibrated, cond_centred;
  double residual_sd, r2, max_abs, lag1, widening;
} ArmIdentStats;

typedef struct {
  const ArmModel *model;
  ArmWindows *windows;    /* borrowed: the rows, read again and again; NULL: there are none */
  const ArmReduced *sums; /* borrowed: what is left of them; NULL: all rows are there */
  bool is_of_sums[ARM_MAX_JOINTS]; /* its rows are not in `windows` */
  ArmShelf *shelf;                 /* borrowed: has what is kept of each stroke; NULL: in memory */
  double median_step;
  bool has_acceleration;
  bool is_torque_ratio[ARM_MAX_JOINTS]; /* joint measures torque: eta = 1 is known */
  ArmStructure structure;
  ArmIdentTree tree;
  ArmIdentRows rows[ARM_MAX_JOINTS];
  /* The same weighed by strokes, residuals with sd 1 (core/sweeps/verdict_weigh); triangle NULL:
   * the samples count alike. Of these rms_y and rows are of the weighed rows. */
  ArmIdentRows weighed[ARM_MAX_JOINTS];
  size_t rows_by_use[ARM_MAX_JOINTS][ARM_ROW_REASONS];
  ArmIdentRange range[ARM_MAX_JOINTS]; /* of all joints in used rows */
  bool is_still[ARM_MAX_JOINTS];       /* R joint without rows that no used row turns by a hold */
  double still_at[ARM_MAX_JOINTS];     /* its mean position [rad] */
  ArmIdentTerms terms[ARM_MAX_JOINTS];
  ArmStrokes strokes; /* owned */
  ArmPlausibleScan scan;
  ArmWild wild[ARM_MAX_JOINTS];
  /* Work of arm_ident_fetch: the row before, most joints of which stand still. Of this model; NULL:
   * each row by itself, the same to the bit. */
  struct ArmGravityChain *last;
} ArmIdent;

/* One set of estimates with all that is known about them; arrays by theta index. */
typedef struct {
  double theta[ARM_IDENT_MAX_THETA];
  double sd_data[ARM_IDENT_MAX_THETA];   /* from the data alone, INFINITY when not seen */
  double sd_wide[ARM_IDENT_MAX_THETA];   /* priors ARM_IDENT_BORROWED times as wide; 0: not known */
  double null_data[ARM_IDENT_MAX_THETA]; /* part in the null space of the data */
  double null_post[ARM_IDENT_MAX_THETA]; /* the same with priors */
  double *covariance;                    /* count x count with priors, owned */
  /* theta for first-order propagation: a ratio that the data do not know counts with its rms, since
   * the derivative of a product of two unknown ratios vanishes where both are 0, its sd does not */
  double spread[ARM_IDENT_MAX_THETA];
  ArmIdentStats stats[ARM_MAX_JOINTS];
} ArmIdentResult;

/* ---- ident_tree.c ---- */
void arm_ident_tree_init(ArmIdentTree *tree, size_t n);
/* Appends own, friction and acceleration parameters of joint i; of an unswept one all but its own.
 */
void arm_ident_tree_add_joint(ArmIdentTree *tree, const ArmStructure *structure, size_t i,
                              bool has_acceleration);
/* Appends the coefficient of a friction term of joint i, right after add_joint. */
void arm_ident_tree_add_term(ArmIdentTree *tree, size_t i, ArmFrictionTerm term);
/* Appends own parameters of joint i. */
void arm_ident_tree_add_own(ArmIdentTree *tree, const ArmStructure *structure, size_t i);
void arm_ident_tree_add_edge(ArmIdentTree *tree, size_t parent, size_t child);
void arm_ident_tree_drop_edge(ArmIdentTree *tree, size_t child);
/* theta of joint i's columns beyond gravity, one each; returns their number.
 *   at  ARM_IDENT_OWN */
size_t arm_ident_tree_own(const ArmIdentTree *tree, size_t i, size_t *at);
/* Coefficients of joint i's columns and their derivative.
 *   c  columns           may be NULL
 *   j  columns x count   column-major, ld columns; may be NULL */
void arm_ident_coefficients(const ArmIdentTree *tree, const ArmModel *model, const double *theta,
                            size_t i, double *c, double *j);
/* h += sum_c v_c d^2 c_i / d theta^2.
 *   v  columns, h  count x count */
void arm_ident_curvature(const ArmIdentTree *tree, const double *theta, size_t i, const double *v,
                         double *h);
/* Is j reached from i by edges? rho may be NULL. */
bool arm_ident_tree_path(const ArmIdentTree *tree, const double *theta, size_t i, size_t j,
                         double *rho);

/* Prior of the ratio eta_parent/eta_child: the datasheet ratio with half of itself as sd (more when
 * the arm file states more; eta = 1 where a torque is measured), else 0 with sd 1 (R over T: 10
 * 1/m).
 *   is_torque  n or NULL = all currents */
void arm_ident_prior(const ArmModel *model, size_t parent, size_t child, const bool *is_torque,
                     double *mean, double *sd);

/* Sets spread of edge `child` when the data do not know that ratio, of posterior `variance`;
 * returns whether it did. */
bool arm_ident_spread(const ArmIdentTree *tree, size_t child, double variance,
                      ArmIdentResult *result);

/* ---- ident_prepare.c ---- */
/* The recording as it is fitted: filtered copies where asked for, accelerations where wanted */
typedef struct {
  ArmDataset data;
  double *t, *qd, *qdd, *current; /* owned, NULL where the recording's own are used */
  ArmRowUse *use;                 /* owned: of the recording's own rows, for the wild ones */
  ArmWild wild[ARM_MAX_JOINTS];
} ArmPrepared;

/* Rows that move on from row r - 1 to row r in time but not in motion: no filter reaches across. */
bool arm_prepare_is_cut(const ArmModel *model, const ArmDataset *data, size_t r);
#define ARM_PREPARE_CUT_STEPS 100.0 /* what is added to time there: any gap beyond GAP_STEPS */
#define ARM_PREPARE_ROUNDING  1e-10 /* of the fastest speed per time step: not an acceleration */

/* ---- ident_prepare_rows.c ---- */
/* The same of rows that are read some at a time, wild ones found, into the keeper of their source.
 *   rows  out: what was kept
 * ARM_E_ARGUMENT: the low-pass; there is no keeper. ARM_E_MEMORY, what source and keeper report. */
ARM_MUST_CHECK ArmStatus arm_prepare_rows(const ArmModel *model, const ArmFitOptions *options,
                                          ArmWindows *windows, ArmRowSource *rows);

/* Rows, or what is left of them, as a fit goes through them. */
typedef struct {
  ArmWindows windows;
  double median_step;
  bool is_torque[ARM_MAX_JOINTS];
  ArmWild wild[ARM_MAX_JOINTS];
  const ArmReduced *sums; /* borrowed; NULL: rows */
  ArmRowSource kept;      /* of the rows that sums have; user NULL: none */
  ArmShelf *shelf;        /* borrowed */
  ArmPrepared prepared;   /* of a recording in memory */
  ArmRowUse *use;         /* owned, the same */
  ArmRowSource filtered;  /* of rows that are not, behind filters */
} ArmGiven;

/* A recording in memory, and rows that are read some at a time. Data, source and options are
 * borrowed. On success the caller clears it with arm_given_clear. ARM_E_ARGUMENT: n differs, or
 * options that this recording, or a source, cannot have; ARM_E_MEMORY, ARM_E_NOT_FINITE, what the
 * source reports. */
ARM_MUST_CHECK ArmStatus arm_given_data(const ArmModel *model, const ArmDataset *data,
                                        const ArmFitOptions *options, ArmGiven *given);
ARM_MUST_CHECK ArmStatus arm_given_rows(const ArmModel *model, const ArmRowSource *source,
                                        const ArmFitOptions *options, ArmGiven *given);
/* Sums, and the rows that they have; borrowed. ARM_E_MEMORY. */
ARM_MUST_CHECK ArmStatus arm_given_sums(const ArmModel *model, const ArmReduced *sums,
                                        ArmShelf *shelf, ArmGiven *given);
void arm_given_clear(ArmGiven *given);

/* What a fit knows before the first row. Cleared by arm_ident_rows_clear.
 *   ident  all zero before */
void arm_ident_begin(ArmIdent *ident, const ArmModel *model, ArmGiven *given,
                     bool has_acceleration);

/* ---- ident_rows.c ---- */
size_t arm_ident_columns(const ArmIdent *ident, size_t joint);
/* How many of them come before the friction terms: gravity, friction, acceleration. */
size_t arm_ident_first_term(const ArmIdent *ident, size_t joint);
/* Gravity, friction and acceleration columns of one state. qdd_own is ignored without them.
 *   last  a chain of the same model or NULL; then of this state
 *   row   columns */
void arm_ident_row(const ArmModel *model, bool has_acceleration, const double *q, const double *qd,
                   double qdd_own, size_t joint, struct ArmGravityChain *last, double *row);
/* Puts joints outboard of `joint` that stand still where they stand. Their sag and jitter are no
 * holds, but as columns of an unknown load they would fit whatever else the model lacks.
 *   q  n */
void arm_ident_settle(const ArmIdent *ident, size_t joint, double *q);
/* Columns of row r, which moves `joint`; returns its current. */
double arm_ident_fetch(const ArmIdent *ident, const ArmDataset *data, size_t joint, size_t r,
                       double *row);
/* Counts the rows, finds what stands still, and with wants_strokes strokes and what is plausible:
 * the first pass. ARM_E_NOT_FINITE, ARM_E_MEMORY, what the source reports. */
ARM_MUST_CHECK ArmStatus arm_ident_survey(ArmIdent *ident, bool wants_strokes);
/* Which joints stand still, by the ranges of so many used rows. */
void arm_ident_find_still(ArmIdent *ident, size_t used);
/* The triangles of all joints, after the survey. */
ARM_MUST_CHECK ArmStatus arm_ident_accumulate(ArmIdent *ident);
/* The triangles of these joints again, after their terms changed.
 *   is_asked  n */
ARM_MUST_CHECK ArmStatus arm_ident_accumulate_again(ArmIdent *ident, const bool *is_asked);

/* The used rows of a joint are those of its strokes, one after the other: which stroke the next one
 * is of. */
typedef struct {
  const ArmStrokes *strokes;
  size_t joint, next, row; /* row: of the stroke that was told, from 0 */
} ArmStrokeOfRow;
const ArmStroke *arm_ident_stroke_of_next(ArmStrokeOfRow *at);

void arm_ident_rows_clear(ArmIdent *ident);
/* Fills residual_sd's companions r2, max_abs, lag1, widening from passes over the joint's rows:
 * one, and more where neighbouring residuals are alike (ident_residuals.c).
 * ARM_E_MEMORY, what the source reports: stats untouched. */
ARM_MUST_CHECK ArmStatus arm_ident_residuals(const ArmIdent *ident, size_t joint, const double *c,
                                             ArmIdentStats *stats);
/* Is a correlation of so many pairs beyond its own two-sigma band? NAN is not. */
bool arm_ident_is_told(double correlation, double pairs);
/* sd of a mean of correlated noise over that of white noise: sqrt((1+rho)/(1-rho)) of AR(1) noise,
 * or sqrt(1 + 2 sum rho_k) where slow errors hide under white noise (a weak lag 1 that does not
 * die out). The first correlation that is not told ends the sum; nothing narrows.
 *   lag1  is told     sum  from lag 1 on */
double arm_ident_widening(double lag1, double sum);

/* ---- friction.c ---- */
/* Where a term's column is that the joint has. */
size_t arm_ident_term_column(const ArmIdent *ident, size_t joint, ArmFrictionTerm term);
/* L of a row [A]. columns: of gravity */
double arm_ident_load(const ArmIdentTerms *terms, size_t columns, const double *row);
/* The columns of the terms that the joint has, of a row whose others are filled. */
void arm_ident_term_row(const ArmIdent *ident, size_t joint, double *row);
/* The same of a stroke over [low, high], 6 numbers.
 *   load   L = load[0] + load[1] cos q + load[2] sin q, at scale q + zero of what was recorded
 *   own    12: numbers of cos, then of sin of that     s  +1, -1 */
void arm_stroke_load_column(const ArmStroke *stroke, double low, double high, const double load[3],
                            const double *own, double scale, double zero, double s, double *to);
/* +1, -1: the sign of L all the way; 0: it changes.
 *   range  out, smallest and largest L */
double arm_stroke_load_sign(const ArmStroke *stroke, const double load[3], double range[2]);
/* speed  6 numbers */
void arm_stroke_curve_column(const ArmStroke *stroke, double low, double high, const double *speed,
                             double curve_speed, double s, double *to);

/* ---- friction_choose.c ---- */
/* Tries the terms that are offered and that joints do not have yet beside a fit, and gives each
 * joint at most one more.
 *   any  out, whether one was given
 * ARM_E_MEMORY. */
ARM_MUST_CHECK ArmStatus arm_friction_choose(ArmIdent *ident, const bool *offers,
                                             const ArmIdentResult *fit, bool *any);
/* L of the joints that have the load, by a fit, and the rows with it. ARM_E_MEMORY. */
ARM_MUST_CHECK ArmStatus arm_friction_update(ArmIdent *ident, const ArmIdentResult *fit);
/* Covariance of terms not below what leaving strokes out says. */
void arm_friction_widen(const ArmIdent *ident, ArmIdentResult *fit);

/* ---- ident_recursion.c, ident_refine.c ---- */
ARM_MUST_CHECK ArmStatus arm_ident_recursion(ArmIdent *ident, const ArmFitOptions *options,
                                             ArmIdentResult *result);
/* Rows that are weighed keep their weights, the others get theirs from their residuals. */
ARM_MUST_CHECK ArmStatus arm_ident_refine(const ArmIdent *ident, const ArmFitOptions *options,
                                          const ArmIdentResult *start, ArmIdentResult *result,
                                          ArmGravityFit *fit);
/* Joint information at theta for per-joint noise sds (A): fills sd_data, null_*, covariance. */
ARM_MUST_CHECK ArmStatus arm_ident_uncertainty(const ArmIdent *ident, const double *noise_sd,
                                               ArmIdentResult *result);

/* Newton step of a nonlinear least-squares problem from J, r and the second-order part of the
 * Hessian. False when the Hessian is not safely positive definite: step is then untouched.
 *   jacobian  m x count, residual  m, hessian  count x count: in sum r d^2 r, overwritten
 *   step      count */
bool arm_ident_newton(size_t m, size_t count, const double *jacobian, const double *residual,
                      double *hessian, double *step);

/* ---- ident_plausible.c ---- */
void arm_ident_scan_window(ArmIdent *ident, const ArmWindow *window);
/* What the rows and the fit leave in doubt. ARM_E_MEMORY. */
ARM_MUST_CHECK ArmStatus arm_ident_doubt(const ArmIdent *ident, const ArmGravityParameters *fit,
                                         double least_r2, ArmDoubts *doubts);
/* What is no current has no verdict, however well it fits; nor has a fit that misses the rows by
 * more than their mean does, whatever its strokes say: a broken speed in one row. */
void arm_ident_withhold(const ArmDoubts *doubts, ArmVerdict *verdict);

/* ---- ident_report.c ---- */
ARM_MUST_CHECK ArmStatus arm_ident_report(const ArmIdent *ident, const ArmIdentResult *result,
                                          ArmGravityParameters *out);

/* y = A x for the triangle's X part: rows = columns+1 (the last is zero).
 *   x  columns x k, y (columns+1) x k, column-major */
void arm_ident_triangle_mul(const ArmIdentRows *rows, const double *x, size_t k, double *y);

#endif
