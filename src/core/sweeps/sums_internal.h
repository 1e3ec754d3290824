/* SPDX-License-Identifier: MIT */
/* Shared by the sums*.c files and by those that read rows, where sums stand in for them. */
#ifndef ARMATURE_CORE_SUMS_INTERNAL_H
#define ARMATURE_CORE_SUMS_INTERNAL_H

#include "core/arm/gravity.h"
#include "core/sweeps/ident_internal.h"
#include "core/sweeps/sums.h"

/* Times of one row, of a recording and of its strokes: apart by rounding, of a step. */
#define ARM_SUMS_SAME_TIME 1e-6

/* z at one row of a stroke.
 *   since  the origin of the strokes [s]
 *   chain  of the same arm, begun by arm_gravity_chain_forget; what rows have in common is taken
 *          from it
 *   line   arm_sums_width */
void arm_sums_line(const ArmModel *model, const ArmStroke *stroke, double since,
                   const ArmStrokeEnd *row, ArmGravityChain *chain, double *line);

/* ---- sums_lags.c: products of rows further apart ---- */

/* The rows of a run, the last ones of them, and what its stroke adds up to. Zeros at first. */
typedef struct {
  double line[ARM_SUMS_FARTHEST][ARM_SUMS_LAG_COLUMNS], edge[ARM_SUMS_FARTHEST][ARM_SUMS_EDGE];
  size_t count;                                                               /* of the run */
  double product[ARM_SUMS_LAGS][ARM_SUMS_LAG_COLUMNS * ARM_SUMS_LAG_COLUMNS]; /* of the stroke */
  size_t pairs[ARM_SUMS_LAGS];
} ArmSumsRun;

void arm_sums_run_begin(ArmSumsRun *run);
/* The next row of a stroke, by its own position and its z. */
void arm_sums_run_add(ArmSumsRun *run, const ArmStroke *stroke, double q, const double *line);
/* That was the last of them: fills in its lags, zeros before. */
void arm_sums_run_close(ArmSumsRun *run, ArmSumsStroke *stroke);
/* The last rows of the run, ARM_SUMS_FARTHEST at most; how many. */
size_t arm_sums_run_end(const ArmSumsRun *run, double *edge);
/* Adds the lags of a piece of a stroke to those of all. */
void arm_sums_add_lags(const double *lags, size_t count, double *to);
/* Adds the pairs across a cut.
 *   stroke  both pieces together       before, after  rows of edges on either side */
void arm_sums_cross_lags(const ArmStroke *stroke, const double *before, size_t rows_before,
                         const double *after, size_t rows_after, double *to);
/* The first and the last run of sums that have the strokes of a part now.
 *   strokes  that were there before
 *   cut      rows of the last of these before it went on; 0: it did not */
void arm_sums_join_edges(ArmReduced *sums, const ArmReduced *part, size_t strokes, size_t cut);
/* The residual x' z as line' w, nearly: all of it but y is of the other columns. */
void arm_sums_lag_line(const ArmSumsStroke *stroke, size_t width, const double *x,
                       double line[ARM_SUMS_LAG_COLUMNS]);
/* Sum of products of residuals of one lag (its ARM_SUMS_LAG_NUMBERS). */
double arm_sums_lag_product(const double *lag, const double line[ARM_SUMS_LAG_COLUMNS]);

/* ---- sums_append.c ---- */

/* The first stroke of a part goes on where a, the last of these sums, ends. It lies behind it, as
 * do its numbers behind those of a, and is used up. ARM_E_MEMORY, ARM_E_NOT_FINITE. */
ARM_MUST_CHECK ArmStatus arm_sums_append(const ArmModel *model, const ArmReduced *sums,
                                         const ArmReduced *part, ArmSumsStroke *a);

/* ---- sums_keep.c: rows beside the sums ---- */

/* Which joints swing, whatever of it is used. ARM_E_SOURCE. */
ARM_MUST_CHECK ArmStatus arm_kept_find_swings(const ArmIdent *ident, ArmReduced *sums);
/* Those of the joints that need them, of a recording whose strokes are in the sums already. */
ARM_MUST_CHECK ArmStatus arm_kept_take(const ArmIdent *ident, ArmReduced *sums);
/* They as rows, each used but for those that part others. arm_kept_close it. ARM_E_MEMORY. */
ARM_MUST_CHECK ArmStatus arm_kept_open(const ArmReduced *sums, ArmRowSource *source);
void arm_kept_close(ArmRowSource *source); /* user NULL allowed */
/* They have been chosen. */
extern const ArmRowOptions arm_kept_options;
/* Appends the records of a part, `shift` seconds later, of joints that `sums` has.
 *   goes_on  the part begins where these sums end
 *   sums     has room */
void arm_kept_append(ArmReduced *sums, const ArmReduced *part, double shift, bool goes_on);

/* ---- sums_rows.c: columns of the fit as those of z ---- */

/* The triangle of what was pushed: its upper part, column by column; all of it, row by row. */
void arm_sums_pack(ArmLsq *lsq, size_t width, double *to);
void arm_sums_pack_rows(ArmLsq *lsq, size_t width, double *to);

/* One column of the fit over a stroke: z' wide. */
typedef struct {
  double wide[ARM_SUMS_MOST];
  double kink; /* squares of the column that it lacks: of a load that passes through 0 */
} ArmSumsColumn;

/* What the columns of a stroke are made of. */
typedef struct {
  const ArmIdent *ident;
  const ArmSumsStroke *sums;
  size_t joint, width, gravity; /* gravity: its columns */
  double one[2 * ARM_MAX_JOINTS], cosine[2 * ARM_MAX_JOINTS], sine[2 * ARM_MAX_JOINTS];
} ArmSumsView;

ArmSumsView arm_sums_view(const ArmIdent *ident, size_t stroke);
/* Column `a` of the fit's rows of this joint, friction terms among them.
 * ARM_E_ARGUMENT: rows have no such column, or one that nobody has made of sums yet. */
ARM_MUST_CHECK ArmStatus arm_sums_column(const ArmSumsView *view, size_t a, ArmSumsColumn *to);
/* sgn(v) sgn(eta) |L| by these terms, and sgn(v) sgn(eta) exp(-|v|/speed).
 *   range  smallest and largest L over the stroke; may be NULL */
void arm_sums_load(const ArmSumsView *view, const ArmIdentTerms *terms, double range[2],
                   ArmSumsColumn *to);
void arm_sums_curve(const ArmSumsView *view, double sign, double speed, ArmSumsColumn *to);
/* R wide.
 *   r   its upper part, column by column
 *   to  width */
void arm_sums_multiply(const double *r, size_t width, const double *wide, double *to);
/* R times all columns of the fit, then y: as many rows as R has stand for those of the stroke.
 *   block  width x (columns + 1), column-major
 * ARM_E_ARGUMENT: as of arm_sums_column. */
ARM_MUST_CHECK ArmStatus arm_sums_block(const ArmSumsView *view, double *block);

/* ---- the passes over rows (ident_rows.c, ident_residuals.c) ---- */
ARM_MUST_CHECK ArmStatus arm_sums_survey(ArmIdent *ident);
/*   lsq     n; NULL: not asked for
 *   square  n, sums of y^2 */
ARM_MUST_CHECK ArmStatus arm_sums_fold(const ArmIdent *ident, ArmLsq *const *lsq, double *square);
/* r2, lag1, widening as arm_ident_residuals; max_abs is NAN. */
ARM_MUST_CHECK ArmStatus arm_sums_residuals(const ArmIdent *ident, size_t joint, const double *c,
                                            ArmIdentStats *stats);

#endif
