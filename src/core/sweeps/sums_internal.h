/* SPDX-License-Identifier: MIT */
/* Shared by the sums*.c files and by those that read rows, where sums stand in for them. */
#ifndef ARMATURE_CORE_SUMS_INTERNAL_H
#define ARMATURE_CORE_SUMS_INTERNAL_H

#include "core/sweeps/ident_internal.h"
#include "core/sweeps/sums.h"

/* Times of one row, of a recording and of its strokes: apart by rounding, of a step. */
#define ARM_SUMS_SAME_TIME 1e-6

/* The columns of neighbours at one row, and the products of two rows in succession. */
void arm_sums_near(const ArmStroke *stroke, const ArmStrokeEnd *end, double near[ARM_SUMS_NEAR]);
void arm_sums_add_lag(const double *now, const double *before, double *lag);

/* ---- sums_keep.c: rows beside the sums ---- */

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

/* One column of the fit over a stroke: z' wide, and near' small, for which held joints stand where
 * they stand on the mean. */
typedef struct {
  double wide[ARM_SUMS_MOST];
  double small[ARM_SUMS_NEAR];
  double kink; /* squares of the column that the two lack: of a load that passes through 0 */
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
 *   to  width */
void arm_sums_multiply(const ArmSumsView *view, const double *wide, double *to);
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
