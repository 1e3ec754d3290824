/* SPDX-License-Identifier: MIT */
/* Shared by the verdict*.c files: strokes and pairs of all joints, rows of the fit on strokes, and
 * what is known about their noise. See core/sweeps/verdict.h for the letters. */
#ifndef ARMATURE_CORE_VERDICT_INTERNAL_H
#define ARMATURE_CORE_VERDICT_INTERNAL_H

#include "core/sweeps/diagnose.h"
#include "core/sweeps/ident_internal.h"
#include "core/sweeps/stroke.h"
#include "core/sweeps/verdict.h"

enum {
  ARM_PAIR_ROWS = 2 * ARM_STROKE_ORDERS,
  ARM_FIT_SCRATCH = 4 /* per parameter: LAPACK's blocks of 32, and a little */
};
/* Armature theory notes, lack of fit, section 3.2: without the trend drift of 3 % gave 180 false
 * alarms in 200 recordings, with it none in 450. */
#define ARM_TREND_PRIOR_SD 0.10
/* The same, section 2: a stroke stands out by a tail of this over all pairs, and by this part of
 * the noise inside strokes. */
#define ARM_OUTLIER_TAIL   1e-6
#define ARM_OUTLIER_WITHIN 0.2

/* Rows of the fit, each with the noise s_k/sqrt(w_p) of its order k, a lone stroke's with s_k. */
typedef struct {
  double *z; /* rows x columns of the joint, column-major; inside the block of ArmStrokeFit */
  double y[ARM_PAIR_ROWS];     /* the measured current [A] */
  double trend[ARM_PAIR_ROWS]; /* f (t - tbar)/T */
} ArmFitRows;

typedef struct {
  const ArmStroke *sums;
  ArmStrokeNumbers numbers;
  double speed; /* signed mean */
  bool is_full; /* covers enough of the joint's range for the tests */
  bool is_paired;
  bool has_extra;  /* of both strokes of a pair or of none */
  size_t columns;  /* of the joint, known without its sums: those lie on the shelf */
  double *z;       /* 6 x columns, column-major; inside the block of ArmStrokeFit */
  ArmFitRows rows; /* 6 rows, unless paired */
} ArmFitStroke;

/* mix turns g and d of two strokes into rows of white noise, even ones above odd ones. It is upper
 * triangular, and the unit matrix where both strokes cover the whole range: one that covers a part
 * of it knows little beyond. */
typedef struct {
  size_t plus, minus;                                /* into strokes */
  size_t hold, level;                                /* level: of the speed, from 0 */
  double speed;                                      /* mean |speed| */
  double weight;                                     /* w_p */
  double mix[ARM_STROKE_ORDERS * ARM_STROKE_ORDERS]; /* 6 x 6, column-major */
  double blown;    /* sd of d_0 over that of two strokes over the whole range */
  double crossed;  /* 1 to 2: how much noise even and odd rows have in common */
  ArmFitRows rows; /* 12 rows */
  bool is_dropped; /* from the noise, after it stood out */
} ArmPair;

typedef struct {
  size_t first_stroke, strokes; /* of this joint, contiguous */
  size_t first_pair, pairs;
  size_t holds, levels;
  size_t first_row, rows; /* pairs x 12 (even 0..5, odd 0..5), then 6 for each lone stroke */
  double low, high;       /* swept */
  double t_mean, t_span;
  double s_within, lag1;
  size_t lag_pairs;
  double s[ARM_STROKE_ORDERS], nu[ARM_STROKE_ORDERS], tau;
  double still;   /* s_0 of d_0, which has tau beside it */
  bool is_patchy; /* not every hold was swept both ways at every speed, or at one speed only */
  bool is_heterogeneous, has_replicates;
  bool is_correlated; /* heterogeneous as neighbouring samples say... */
  double slow_p;      /* ...or as slow orders do: tail of the F test; 1: not made */
  double outlier_p, outlier_size;
  size_t outlier;        /* pair, ARM_IDENT_NONE without */
  size_t outlier_stroke; /* the one of the two that is farther from the plain fit */
} ArmJointStrokes;

/* Positions as a diagnosis supposes them: scale q + zero of what was recorded. */
typedef struct {
  double scale[ARM_MAX_JOINTS], zero[ARM_MAX_JOINTS]; /* 1; rad, m */
} ArmWarp;

typedef struct {
  size_t at; /* of phi */
  double sd; /* about 0 */
} ArmRidge;

/* Rows of one joint as a triangle (verdict_compact.c), inside of `room`: width x width, columns of
 *   friction, acceleration, terms | trend | gravity | gravity with the extra load | more | y */
typedef struct {
  size_t joint, width;
  size_t own; /* columns before gravity's: linear, and of this joint alone */
  bool has_extra;
  double *triangle;
} ArmFewRows;

typedef struct {
  const ArmIdent *ident;
  ArmShelf *shelf;                                /* borrowed: has what is of strokes and rows */
  const ArmWarp *warp;                            /* borrowed; NULL: as recorded */
  size_t n_strokes, n_pairs, rows, priors, count; /* count: theta, then one delta per joint */
  size_t n_ridges;
  ArmRidge ridge[2 * ARM_MAX_JOINTS];
  double extra[2 * ARM_MAX_JOINTS]; /* load of the strokes that have it, as w* in the last joint's
                                       torque constant */
  ArmJointStrokes joint[ARM_MAX_JOINTS];
  ArmFitStroke *strokes; /* owned, on the shelf */
  ArmPair *pairs;        /* the same */
  double *block;         /* the same: z of all strokes and pairs */
  size_t block_size;
  size_t n_few;       /* of a compact fit: its rows; 0: they are those of strokes and pairs */
  bool is_told_apart; /* own columns of a compact fit: all of them can be solved for */
  ArmFewRows few[ARM_MAX_JOINTS];
  double *room;     /* for compact rows, owned with jacobian and r */
  double *residual; /* rows            model - measured, unweighted [A]; owned on the shelf, with
                       sd, q and work */
  double *jacobian; /* rows x count    d residual / d phi, unweighted; room for that of a compact
                       fit, or of one that has no more rows */
  double *sd;       /* rows */
  double *q;        /* (rows+priors) x rank  orthonormal basis of the weighted [J; priors];
                       scratch of arm_stroke_fit_evaluate */
  double *r;        /* count x count, upper; columns as in pivot, scaled */
  double *work;     /* rows + priors + 6 count */
  double *scale;    /* count */
  int *pivot;       /* count, from 0; owned */
  size_t rank;
  double phi[ARM_IDENT_MAX_THETA + ARM_MAX_JOINTS];
  bool has_trend;
  double chi2, cost; /* cost: chi2 and what priors add */
} ArmStrokeFit;

/* ---- verdict_pair.c ---- */
/* mix, blown, crossed and the rows of a pair, by its strokes; columns: of the joint. ARM_E_NUMERIC.
 */
ARM_MUST_CHECK ArmStatus arm_pair_make(const ArmFitStroke *plus, const ArmFitStroke *minus,
                                       size_t columns, ArmPair *pair);
/* 6 numbers of both strokes into the 12 rows of their pair. */
void arm_pair_rows(const ArmPair *pair, const double *plus, const double *minus, double *rows);
/* 12 rows back into the 6 numbers of both strokes. */
void arm_pair_strokes(const ArmPair *pair, const double *rows, double *plus, double *minus);
/* d_0 of the rows over `blown`: by itself, so that what is wrong with gravity is not in it, and
 * with the noise of a row; the scatter of friction is tau over `blown` in it. */
double arm_pair_friction(const ArmPair *pair, const double *rows);
/* root times 6 numbers: white noise; in place. */
void arm_stroke_whiten(const ArmStrokeNumbers *numbers, double *x);

/* mean |odd k = 0| of the measured currents of joint i [A] */
double arm_stroke_fit_friction(const ArmStrokeFit *fit, size_t i);
/* rms of its measured currents [A]; 0 without strokes */
double arm_stroke_fit_current(const ArmStrokeFit *fit, size_t i);
/* Of a pair the stroke in which the fit leaves more a row.
 *   rows  12, residual of the pair */
size_t arm_pair_farther(const ArmStrokeFit *fit, const ArmPair *pair, const double *rows);

/* ---- verdict_partner.c ---- */
/* What of a stroke decides which other one it pairs with. */
typedef struct {
  double speed, t_first;
  size_t hold;
  bool is_full, is_paired;
} ArmPartner;
ArmPartner arm_fit_stroke_partner(const ArmFitStroke *stroke);
/* Two strokes of one joint, the first in time first. */
typedef struct {
  size_t s, other;
} ArmMates;
/* Each of the `count` strokes of a joint that cover its range, in their order, with the one back at
 * its hold that has no partner yet: at its speed the nearest in time, or where is_near the nearest
 * in speed, 15 % off at most. They are paired then.
 *   mates  count / 2, of which *pairs are filled in
 * ARM_E_MEMORY. */
ARM_MUST_CHECK ArmStatus arm_partners_pair(ArmPartner *all, size_t count, bool is_near,
                                           ArmMates *mates, size_t *pairs);
/* The pairs of a joint whose strokes are there, behind those of the joints before. ARM_E_MEMORY. */
ARM_MUST_CHECK ArmStatus arm_stroke_fit_pair(ArmStrokeFit *fit, ArmJointStrokes *joint);

/* ---- verdict_rows.c ---- */
/* Strokes, pairs and rows. The strokes are borrowed. ARM_E_MEMORY. Free with
 * arm_stroke_fit_clear. */
ARM_MUST_CHECK ArmStatus arm_stroke_fit_init(const ArmIdent *ident, const ArmStrokes *strokes,
                                             ArmStrokeFit *fit);
/* The same with room for ridges; the caller fills them in. */
ARM_MUST_CHECK ArmStatus arm_stroke_fit_init_ridged(const ArmIdent *ident,
                                                    const ArmStrokes *strokes, size_t ridges,
                                                    ArmStrokeFit *fit);
void arm_stroke_fit_clear(ArmStrokeFit *fit);
/* The columns again, by the model and the warp as they are now. */
void arm_stroke_fit_refill(ArmStrokeFit *fit);
/* Keeps the columns, or brings them back.
 *   kept  block_size */
void arm_stroke_fit_columns(ArmStrokeFit *fit, double *kept, bool is_back);
/* Gravity current of a stroke's hold at phi: load[0] + load[1] cos q + load[2] sin q [A]. */
void arm_stroke_fit_load(const ArmStrokeFit *fit, const ArmFitStroke *stroke, double load[3]);
/* Trend columns by the friction of phi. */
void arm_stroke_fit_trend(ArmStrokeFit *fit);
/* sd of every row by s and tau. */
void arm_stroke_fit_weigh(ArmStrokeFit *fit);

/* Loops say at each stroke or pair that they have seen it, with its columns. */
void arm_stroke_fit_saw_stroke(const ArmStrokeFit *fit, const ArmFitStroke *stroke);
void arm_stroke_fit_saw_pair(const ArmStrokeFit *fit, const ArmPair *pair);

/* ---- verdict_evaluate.c ---- */
/* residual, and jacobian unless `wants_jacobian` is false, at phi. */
void arm_stroke_fit_evaluate(ArmStrokeFit *fit, bool wants_jacobian);

/* Residual at phi, and the jacobian of the rows of one pair or stroke after the other: there is not
 * room for all of it. Of a fit that has more rows than its compact one.
 *   take  rows first to first+m-1; jacobian  m x count, unweighted */
typedef void (*ArmRowsTaken)(const ArmStrokeFit *fit, size_t first, size_t m,
                             const double *jacobian, void *user);
void arm_stroke_fit_each_rows(ArmStrokeFit *fit, ArmRowsTaken take, void *user);

/* ---- verdict_project.c ---- */
double arm_dot(size_t m, const double *a, const double *b);
/* Takes off x what the first `rank` columns of an orthonormal basis hold of it, one after the
 * other.
 *   shelf  that columns lie on; NULL: on none
 *   basis  m x rank  column-major
 *   x      m */
void arm_project_out(ArmShelf *shelf, size_t m, size_t rank, const double *basis, double *x);
/* The same of n columns x, m x n. */
void arm_project_all_out(ArmShelf *shelf, size_t m, size_t rank, const double *basis, size_t n,
                         double *x);
/* Orthonormal basis of the columns of a, in place; returns its rank: the first columns of a.
 *   a  m x n  column-major */
size_t arm_orthonormalise(ArmShelf *shelf, size_t m, size_t n, double *a);

/* ---- verdict_compact.c ---- */
/* Rows that compact fits have at most, and room for them without residual and sd. */
void arm_stroke_fit_compact_size(const ArmStrokeFit *fit, size_t *rows, size_t *room);
/* The same fit with its rows in few, or as it is where these were not fewer. It borrows all of
 * `fit`, whose jacobian, q, r, pivot, scale and work are then its own, and is not to be cleared; it
 * holds until rows, sd, extra or warp change. Priors of trends are in its rows.
 *   more  (rows + priors) x d, whitened, and few_more  the same of the compact fit; NULL for d = 0
 * ARM_E_MEMORY, ARM_E_NOT_FINITE. */
ARM_MUST_CHECK ArmStatus arm_stroke_fit_compact(const ArmStrokeFit *fit, size_t d,
                                                const double *more, ArmStrokeFit *few,
                                                double *few_more);
/* Rows below those of the own columns, of all joints below each other, and the priors: what of the
 * problem is left when the own parameters follow the others.
 *   from  rows + priors; to  as many as are returned; may be the same */
size_t arm_stroke_fit_below(const ArmStrokeFit *few, const double *from, double *to);
/* Sum of squares of the rows above, which own parameters make 0: what their following explains. */
double arm_stroke_fit_above(const ArmStrokeFit *few, const double *x);
/* Is phi[a] of an own column, or a trend? */
bool arm_stroke_fit_is_own(const ArmStrokeFit *few, size_t a);
/* Fills in how the own parameters follow, linearised: the rows above become 0.
 *   move  count, of own parameters 0 */
void arm_stroke_fit_follow(const ArmStrokeFit *few, double *move);

/* ---- verdict_noise.c ---- */
/* s, nu and the pair that stands out, of joint i, from the residual of a fit without trend; tau 0.
 * ARM_E_MEMORY, ARM_E_NUMERIC, ARM_E_SOURCE (the shelf). */
ARM_MUST_CHECK ArmStatus arm_stroke_fit_noise(ArmStrokeFit *fit, size_t i,
                                              const ArmVerdictLimits *limits);
/* ---- verdict_fit.c ---- */
/* Minimum of the weighted squares over phi from where it is; residual, cost and chi2 at its end.
 *   goal  of chi2: the step that explains no more than this is the last one
 * ARM_E_NUMERIC, ARM_E_MEMORY. */
ARM_MUST_CHECK ArmStatus arm_stroke_fit_minimise(ArmStrokeFit *fit, double goal);
/* weighted [residual; priors] into x, rows + priors; returns its square */
double arm_stroke_fit_weighted(const ArmStrokeFit *fit, double *x);
/* posterior sd of phi[a], INFINITY when it is not seen */
double arm_stroke_fit_sd(const ArmStrokeFit *fit, size_t a);
/* How phi moves when the measured currents of rows first..first+m-1 move by x sds; what is not seen
 * stays.
 *   x      m
 *   shift  count  out */
void arm_stroke_fit_shift(const ArmStrokeFit *fit, size_t first, size_t m, const double *x,
                          double *shift);
/* q, r, pivot, rank and chi2 at phi as it is. ARM_E_NUMERIC, ARM_E_MEMORY. */
ARM_MUST_CHECK ArmStatus arm_stroke_fit_linearise(ArmStrokeFit *fit);
/* The fit without trend from `theta`, what it says of noise, and the columns of the trend. */
ARM_MUST_CHECK ArmStatus arm_stroke_fit_start(ArmStrokeFit *fit, const double *theta,
                                              const ArmVerdictLimits *limits);
/* All rounds: start, then trend and scatter in turn; linearised at the end. */
ARM_MUST_CHECK ArmStatus arm_stroke_fit_solve(ArmStrokeFit *fit, const double *theta,
                                              const ArmVerdictLimits *limits);

/* ---- verdict_test.c ---- */
ARM_MUST_CHECK ArmStatus arm_stroke_fit_judge(const ArmStrokeFit *fit, size_t i,
                                              const ArmVerdictLimits *limits,
                                              ArmJointVerdict *verdict);
/* Do the tests of gravity and direction find nothing significant in joint i, however small? Of a
 * linearised fit. True where replicates do not tell the noise; false also out of memory.
 *   whitened  rows, the residual; NULL: that of the fit */
bool arm_stroke_fit_is_noise(const ArmStrokeFit *fit, size_t i, const double *whitened);

/* ---- verdict_weigh.c ---- */
/* Rows of joint i over their sds. ARM_E_MEMORY, ARM_E_NOT_FINITE: untouched. */
ARM_MUST_CHECK ArmStatus arm_stroke_fit_weigh_joint(const ArmStrokeFit *fit, size_t i,
                                                    ArmIdentRows *weighed);
/* The same of every joint whose noise its strokes tell to be other than that of white samples,
 * unless it or any joint's gravity does not fit: into ident->weighed, for the refinement.
 * `fit` is solved.
 *   samples  the fit that it started from
 *   any      out, whether there is one
 * ARM_E_MEMORY, ARM_E_NOT_FINITE. */
ARM_MUST_CHECK ArmStatus arm_stroke_fit_weigh_rows(const ArmStrokeFit *fit,
                                                   const ArmIdentResult *samples,
                                                   const ArmVerdict *verdict, ArmIdent *ident,
                                                   bool *any);

/* ---- verdict_widen.c ---- */
/* Widens covariance, sd_data and sd_wide of `result` by what the plain inverse does not know: slow
 * errors inside of pairs, and the misfit of a gravity alarm (covariance alone).
 *   samples  the fit before rows were weighed, with its sds widened by the lag-1 correlation
 * ARM_E_MEMORY: untouched. */
ARM_MUST_CHECK ArmStatus arm_stroke_fit_widen(const ArmStrokeFit *fit, const ArmVerdict *verdict,
                                              const ArmIdentResult *samples,
                                              ArmIdentResult *result);

/* ---- verdict.c ---- */
/* The verdict on a fit on strokes that ended with `solved`: the joints' r2 go into it.
 *   r2  n. ARM_E_MEMORY. */
ARM_MUST_CHECK ArmStatus arm_stroke_fit_verdict(const ArmStrokeFit *fit, ArmStatus solved,
                                                const double *r2, const ArmVerdictLimits *limits,
                                                ArmVerdict *verdict);
/* The verdict on a fit: theta as the fit found it. A joint's r2 goes into its verdict.
 *   r2  n, diagnosis  of the first alarm; may be NULL. ARM_E_MEMORY. */
ARM_MUST_CHECK ArmStatus arm_verdict_find(const ArmIdent *ident, const ArmStrokes *strokes,
                                          const double *theta, const double *r2,
                                          const ArmVerdictLimits *limits, ArmVerdict *verdict,
                                          ArmDiagnosis *diagnosis);

#endif
