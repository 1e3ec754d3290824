/* SPDX-License-Identifier: MIT */
/* The fit of sweeps of one joint at a time, and the verdict on it. */
#include <glib/gi18n-lib.h>
#include <math.h>

#include "io/base/said.h"
#include "io/params/verdict_file.h"
#include "io/recording/wild_spans.h"
#include "session/base/doubt_text.h"
#include "session/base/text.h"
#include "session/method/method_gravity.h"

/* Where nothing is left, the limit of the current is the likeliest reason: it is in mA. */
static char *failure_said(const AseSelection *s, ArmStatus status) {
  const gsize clipped = ase_selection_count(s, ASE_SAMPLE_CLIPPED);
  if (status != ARM_E_NO_DATA || 2 * clipped <= s->rows)
    return g_strdup(ase_status_said(status));
  return aio_said(N_("in %.3g %% of the samples the current is at the limit of the arm file, "
                     "or beyond it, and nothing else can be used: is it in A, and is the "
                     "limit right?"),
                  100.0 * (double)clipped / (double)s->rows);
}

static void fail(const AseSweepRows *rows, ArmStatus status, GError **error) {
  if (status == ARM_E_SOURCE) {
    g_propagate_error(error, g_error_copy(ase_sweep_rows_error(rows)));
    return;
  }
  char *text = failure_said(ase_sweep_rows_selection(rows), status);
  aio_error_set_kept(error, AIO_ERROR_MEANING, text);
  g_free(text);
}

bool ase_gravity_fit(AseJob *job, const ArmModel *model, const AseSweepRows *rows,
                     const ArmFitOptions *options, AseFitted *found, GError **error) {
  const ArmRowSource *source = ase_sweep_rows_source(rows);
  ArmFitOptions mine = *options;
  ArmGravityFit *fit = g_new0(ArmGravityFit, 1);
  mine.progress = ase_job_report;
  mine.user = job;
  mine.shelf = ase_sweep_rows_shelf(rows);
  char *sha256 = ase_sweep_rows_digest_of_used(rows, error);
  const ArmStatus status = sha256 ? arm_gravity_fit_rows(model, source, &mine, fit) : ARM_E_SOURCE;
  if (status != ARM_OK) {
    if (sha256)
      fail(rows, status, error);
    g_free(sha256);
    g_free(fit);
    return false;
  }
  found->fit = ase_gravity_wrap(fit);
  found->sha256 = sha256;
  found->wild = aio_wild_spans(model, source, &mine.rows, ase_sweep_rows_about(rows), false);
  return true;
}

ArmStatus ase_gravity_set(const AseFit *of, ArmParamSet *set, ArmParamSet *recursion) {
  const ArmGravityFit *fit = ase_gravity_of(of);
  const ArmStatus status = arm_gravity_set(&fit->refined, NULL, false, set);
  if (status == ARM_OK && recursion && fit->recursive.n > 0 &&
      arm_gravity_set(&fit->recursive, NULL, false, recursion) != ARM_OK)
    *recursion = (ArmParamSet){0};
  return status;
}

ArmStatus ase_gravity_foreseen(const ArmPlanReport *report, ArmParamSet *set) {
  return arm_gravity_set(&report->predicted, NULL, false, set);
}

/* ---- the verdict on a joint ---- */

/* The arm is built so, no measurement can change it; or the parameter is too small to matter. */
static bool is_excused(ArmReason reason) {
  switch (reason) {
  case ARM_REASON_NONE:
  case ARM_REASON_MINIMAL:
  case ARM_REASON_AXIS_VERTICAL:
  case ARM_REASON_AXIS_HORIZONTAL:
  case ARM_REASON_EMBODIED:
  case ARM_REASON_OTHER_CLUSTER:
  case ARM_REASON_LOAD_UNSEEN:
  case ARM_REASON_TOO_WEAK:
  case ARM_REASON_COUPLING_WEAK:
  case ARM_REASON_NO_ACCELERATION:
  case ARM_REASON_DEPENDS_ON_OTHER:
  case ARM_REASON_NEVER_SWEPT: /* unless it was left out on purpose, that joint fails itself */
    return true;
  case ARM_REASON_NO_ROWS:
  case ARM_REASON_ROWS_LEFT_OUT:
  case ARM_REASON_CURRENT_ZERO:
  case ARM_REASON_CURRENT_CONSTANT:
  case ARM_REASON_ONE_DIRECTION:
  case ARM_REASON_ONE_SPEED:
  case ARM_REASON_HOLDS_TOO_SIMILAR:
  case ARM_REASON_TOO_FEW_ROWS:
  case ARM_REASON_LOAD_NOT_STATED:
  case ARM_REASON_MOTION_TOO_SIMPLE:
  case ARM_REASON_SCALE_NOT_STATED:
  case ARM_REASON_REGROUPED:
  case ARM_REASON_ROTOR_NOT_KNOWN:
  case ARM_REASON_NOT_CONVERGED:
  case ARM_REASONS:
    break;
  }
  return false;
}

/* The first parameter of the joint that is not identifiable, those without excuse first. */
static ArmReason find_reason(const ArmJointFit *fit, ArmJointType type, const char **name) {
  static const char *const friction[] = {N_("friction forward"), N_("viscous friction forward"),
                                         N_("friction backward"), N_("viscous friction backward")};
  ArmReason found = ARM_REASON_NONE;
  for (guint pass = 0; pass < 2 && found == ARM_REASON_NONE; pass++) {
    for (guint k = 0; k < 6; k++) {
      const bool is_own = k < 2;
      const ArmEstimate *e = is_own ? &fit->w[k] : &fit->friction[k - 2];
      if (is_own && k == 1 && type == ARM_JOINT_T)
        continue;
      if (e->identifiable || is_excused(e->reason) != (pass == 1) || found != ARM_REASON_NONE)
        continue;
      found = e->reason;
      *name = is_own ? aio_said_word(N_("gravity")) : aio_said_word(friction[k - 2]);
    }
  }
  return found;
}

/* The first kind of what does not fit, as it is told first. */
static void add_misfit(GPtrArray *list, const ArmJointVerdict *v, ArmJointType type) {
  const ArmTest *stroke = &v->test[ARM_TEST_STROKE], *gravity = &v->test[ARM_TEST_GRAVITY];
  const bool turns = type == ARM_JOINT_R;
  if (stroke->is_alarm)
    aio_said_list_add(list,
                      N_("the sweep of hold %zu at %+.3g %s stands out from the other speeds "
                         "of its hold by %.3g mA: repeat it or leave it out"),
                      v->stroke_hold + 1, turns ? v->stroke_speed * 180.0 / G_PI : v->stroke_speed,
                      turns ? aio_said_word(N_("deg/s")) : "m/s", 1000.0 * stroke->size);
  else if (gravity->is_alarm)
    aio_said_list_add(list,
                      N_("the model does not fit: gravity misses by %.3g mA rms, promised "
                         "%.3g mA, worst in hold %zu"),
                      1000.0 * gravity->size, 1000.0 * v->promised, v->worst_hold + 1);
  else
    aio_said_list_add(list,
                      N_("the model does not fit: %.3g mA rms turn with the direction as its "
                         "friction does not"),
                      1000.0 * v->test[ARM_TEST_DIRECTION].size);
}

/* What the joint's signs say against the arm file; NULL: nothing. The verdict cannot know: currents
 * of the wrong sign fit as well, with a ratio of the wrong sign. */
static const char *wrong_sign(const ArmGravityFit *fit, gsize j) {
  const ArmDoubts *doubts = &fit->doubts;
  for (gsize k = 0; k < doubts->count; k++) {
    if (doubts->at[k].joint != j)
      continue;
    if (doubts->at[k].kind == ARM_DOUBT_CURRENT_SIGN)
      return aio_said_word(
          N_("its friction helps the motion: the sign of its current is wrong, or motor_sign in "
             "the arm file"));
    if (doubts->at[k].kind == ARM_DOUBT_RATIO_SIGN)
      return aio_said_word(
          N_("the ratio of its torque constant to another joint's has the wrong sign: the sign of "
             "a current is wrong, motor_sign or a DH angle in the arm file"));
  }
  return NULL;
}

/* With it the numbers are hardly those of the arm, however well they fit: of the joint, or of the
 * whole recording, the first as they are told; NULL: none. */
static const ArmDoubt *severe_doubt(const ArmGravityFit *fit, gsize j) {
  const ArmDoubts *doubts = &fit->doubts;
  const ArmDoubt *found = NULL;
  for (gsize k = 0; k < doubts->count; k++) {
    const ArmDoubt *d = &doubts->at[k];
    const bool is_its = d->joint == j || d->joint >= fit->refined.n;
    if (is_its && arm_doubt_is_severe(d->kind) && (!found || d->kind < found->kind))
      found = d;
  }
  return found;
}

/* Of what has no rows, or no more than unknowns, there is neither noise nor condition. */
static void add_figures(GPtrArray *list, const ArmJointFit *fit) {
  if (isfinite(fit->residual_sd) && isfinite(fit->cond_equilibrated))
    aio_said_list_add(list, N_("residual %.3g mA (1 sd), rank %zu of %zu, condition %.3g"),
                      1000.0 * fit->residual_sd, fit->rank, fit->columns, fit->cond_equilibrated);
  else
    aio_said_list_add(list, N_("%zu samples used, rank %zu of %zu"), fit->rows_used, fit->rank,
                      fit->columns);
}

/* Gravity of which nothing was found because its load has another joint's in it. */
static bool hangs_on_unswept(const ArmJointFit *fit) {
  bool hangs = false;
  for (guint k = 0; k < 2; k++) {
    if (fit->w[k].identifiable)
      return false;
    hangs = hangs || fit->w[k].reason == ARM_REASON_NEVER_SWEPT;
  }
  return hangs;
}

/* Why it can neither pass nor fail: appended to the reason; false: it can. */
static bool add_unjudged(const ArmGravityFit *fit, gsize j, GPtrArray *list) {
  const ArmJointVerdict *verdict = fit->verdict.n > j ? &fit->verdict.joint[j] : NULL;
  const ArmDoubt *doubt = severe_doubt(fit, j);
  const guint before = list->len;
  if (doubt) {
    char *words = ase_doubt_said(doubt);
    aio_said_list_add(list, "%s: %s; ", aio_said_word(N_("not judged")), words);
    g_free(words);
  } else if (verdict && verdict->untold != ARM_UNTOLD_NOTHING) {
    char *words = ase_untold_said(verdict);
    /* TRANSLATORS: the whole step says so: a joint, and why it cannot be told whether it fits */
    aio_said_list_add(list, N_("not judged: joint %u: %s"), (guint)j + 1, words);
    aio_said_list_add(list, "; ");
    g_free(words);
  }
  return list->len > before || hangs_on_unswept(&fit->refined.joint[j]);
}

AseJudgement ase_gravity_judge(const AseFit *of, guint joint) {
  const ArmGravityFit *fit = ase_gravity_of(of);
  const gsize j = joint - 1;
  const ArmJointFit *of_joint = &fit->refined.joint[j];
  const ArmJointType type = fit->refined.type[j];
  const char *name = NULL;
  const ArmReason reason = find_reason(of_joint, type, &name);
  const ArmJointVerdict *verdict = &fit->verdict.joint[j];
  const bool is_misfit = fit->verdict.n > j && verdict->verdict == ARM_VERDICT_MISFIT;
  const char *sign = wrong_sign(fit, j);
  const bool is_bad = is_misfit || sign || (reason != ARM_REASON_NONE && !is_excused(reason));
  GPtrArray *list = aio_said_list_new();
  if (is_misfit) { /* first: of a long reason only the beginning is seen */
    add_misfit(list, verdict, type);
    aio_said_list_add(list, "; ");
  }
  if (sign)
    aio_said_list_add(list, "%s; ", sign);
  const bool is_unjudged = !is_bad && add_unjudged(fit, j, list);
  add_figures(list, of_joint);
  if (reason != ARM_REASON_NONE)
    aio_said_list_add(list, N_("; %s not identifiable: %s"), name, ase_reason_said(reason));
  return (AseJudgement){.judged = is_bad        ? ASE_JUDGED_FAILED
                                  : is_unjudged ? ASE_JUDGED_UNKNOWN
                                                : ASE_JUDGED_PASSED,
                        .said = aio_said_list_join(list, "")};
}

/* ---- the verdict on all of it ---- */

AseVerdict ase_gravity_verdict(const AseFit *of) {
  const ArmGravityFit *fit = ase_gravity_of(of);
  return (AseVerdict){.is_misfit = aio_verdict_is_misfit(fit),
                      .is_untold = fit->verdict.verdict == ARM_VERDICT_UNKNOWN,
                      .is_doubtful = aio_verdict_is_doubtful(fit),
                      .has_alarm = arm_verdict_first(&fit->verdict) < ARM_TESTS};
}
