/* SPDX-License-Identifier: MIT */
/* Friction terms of `identify`: recordings are read again with the load that the fit before says,
 * joints get a term where their strokes prove it (core/dynamics/terms.h), and the fit is made
 * again. Three times, and what the gear transmits has settled; a reading less where no load is
 * chosen. */
#include <math.h>

#include "cli/identify.h"
#include "cli/text.h"

enum { FITS = 3, STUDIES = 2 };

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ArmDynStudy, arm_dyn_study_free)

void cli_terms_clear(CliTerms *terms) {
  g_clear_pointer(&terms->recordings, g_ptr_array_unref);
  g_clear_pointer(&terms->held_out, g_ptr_array_unref);
  g_clear_pointer(&terms->information, arm_information_free);
  g_clear_pointer(&terms->fit, arm_dynamics_fit_free);
  g_clear_pointer(&terms->beta, g_free);
}

static bool has_any(const ArmDynamicsJoint *joints, size_t n, ArmFrictionTerm term) {
  for (size_t j = 0; j < n; j++)
    if (arm_dynamics_has_term(&joints[j], term))
      return true;
  return false;
}

static void find_fastest(const GPtrArray *recordings, double fastest[ARM_MAX_JOINTS]) {
  for (size_t j = 0; j < ARM_MAX_JOINTS; j++)
    fastest[j] = 0;
  for (guint k = 0; k < recordings->len; k++) {
    const CliMoving *moving = g_ptr_array_index(recordings, k);
    for (size_t j = 0; j < ARM_MAX_JOINTS; j++)
      fastest[j] = fmax(fastest[j], moving->counts.fastest[j]);
  }
}

/* 0, 0 says that there is none. */
static void take_loads(const GPtrArray *recordings, size_t n, ArmDynamicsJoint *joints) {
  for (size_t j = 0; j < n; j++) {
    double seen[2] = {(double)INFINITY, 0};
    for (guint k = 0; k < recordings->len; k++) {
      const CliMoving *moving = g_ptr_array_index(recordings, k);
      const double *load = moving->counts.load[j];
      if (load[1] > 0) {
        seen[0] = fmin(seen[0], load[0]);
        seen[1] = fmax(seen[1], load[1]);
      }
    }
    joints[j].load_seen[0] = fmin(seen[0], seen[1]);
    joints[j].load_seen[1] = seen[1];
  }
}

/* Rows with the terms of the fit so far; those of the recordings that are fitted. */
static int read_again(const CliIdentified *r, const ArmDynamicsFit *fit, ArmDynStudy *study,
                      CliTerms *t) {
  double fastest[ARM_MAX_JOINTS];
  CliIdentifySetup setup = *r->setup;
  find_fastest(r->recordings, fastest);
  arm_dyn_terms_of(fit, fastest, t->beta, &t->terms);
  setup.stream.terms = &t->terms;
  GPtrArray *recordings = cli_moving_again(&setup, r->recordings, study);
  if (!recordings)
    return CLI_BAD_INPUT;
  g_clear_pointer(&t->recordings, g_ptr_array_unref);
  t->recordings = recordings;
  return CLI_OK;
}

static int fit_again(const CliIdentified *r, ArmDynamicsJoint *joints, CliTerms *t) {
  ArmDynamicsFit *fit = NULL;
  CliIdentifySetup setup = *r->setup;
  setup.stream.terms = &t->terms;
  g_clear_pointer(&t->information, arm_information_free);
  t->information = cli_moving_merge(&setup, t->recordings);
  if (!t->information)
    return CLI_BAD_INPUT;
  take_loads(t->recordings, setup.base->n, joints);
  const ArmDynamicsOptions how = cli_identify_how(r, ARM_DYNAMICS_BATCH);
  const ArmStatus status = arm_dynamics_identify(t->information, joints, &how, &fit);
  if (status != ARM_OK)
    return cli_fail_status(status, "identification");
  g_clear_pointer(&t->fit, arm_dynamics_fit_free);
  t->fit = fit;
  return CLI_OK;
}

/* A reading, a choice and a fit. */
static int pass(const CliIdentified *r, const bool *offers, bool may_choose,
                ArmDynamicsJoint *joints, CliTerms *t, bool *any) {
  const ArmDynamicsFit *before = t->fit ? t->fit : r->fit;
  g_autoptr(ArmDynStudy) study = NULL;
  ArmStatus status = may_choose ? arm_dyn_study_new(before, &study) : ARM_OK;
  int code =
      status == ARM_OK ? read_again(r, before, study, t) : cli_fail_status(status, "friction");
  *any = false;
  if (code == CLI_OK && study) {
    status = arm_dyn_study_choose(study, offers, &t->terms, joints, t->trial, any);
    code = status == ARM_OK ? CLI_OK : cli_fail_status(status, "friction");
  }
  if (code == CLI_OK && (*any || t->fit))
    code = fit_again(r, joints, t);
  return code;
}

static int read_held_out(const CliIdentified *r, CliTerms *t) {
  CliIdentifySetup whole = *r->setup;
  whole.span = (AioTimeSpan){(double)NAN, (double)NAN};
  whole.stream.terms = &t->terms;
  t->held_out = cli_moving_again(&whole, r->held_out, NULL);
  return t->held_out ? CLI_OK : CLI_BAD_INPUT;
}

int cli_identify_terms(CliIdentified *r, const bool *offers, ArmDynamicsJoint *joints,
                       CliTerms *t) {
  const size_t n = r->setup->base->n;
  int code = CLI_OK;
  bool any;
  t->beta = g_new0(double, r->setup->base->count + 1);
  for (int k = 0; k < FITS && code == CLI_OK; k++) {
    code = pass(r, offers, k < STUDIES, joints, t, &any);
    if (code == CLI_OK && (k == 0 ? !any : !has_any(joints, n, ARM_TERM_LOAD)))
      break;
  }
  if (code != CLI_OK || !t->fit)
    return code;
  arm_dynamics_widen_terms(t->fit, t->trial);
  code = read_held_out(r, t);
  if (code != CLI_OK)
    return code;
  r->recordings = t->recordings;
  r->held_out = t->held_out;
  r->information = t->information;
  r->fit = t->fit;
  return CLI_OK;
}

/* ---- in words ---- */

static const ArmEstimate *term_of(const ArmParamSet *set, ArmParamKind kind, size_t j) {
  return arm_param_set_at(set, (ArmParamId){kind, (guchar)j, 0});
}

static double constant_of(const ArmParamSet *set, ArmParamKind kind, size_t j) {
  const ArmEstimate *e = term_of(set, kind, j);
  return e ? e->value : (double)NAN;
}

static void say_load(const ArmParamSet *set, size_t j, const ArmEstimate *e, GString *text) {
  g_autofree char *value = NULL, *sd = NULL;
  g_autofree char *low = cli_format_number(constant_of(set, ARM_PARAM_SEEN_LEAST, j), 3);
  g_autofree char *high = cli_format_number(constant_of(set, ARM_PARAM_SEEN_MOST, j), 3);
  cli_format_estimate(e->used, e->sd, &value, &sd);
  g_string_append_printf(
      text, "friction grows with the load, by %s %s %s of it (seen from %s to %s %s)", value,
      cli_utf8("±", "+-"), sd, low, high, arm_param_set_effort_unit(set, j));
}

static void say_curve(const ArmParamSet *set, size_t j, const ArmEstimate *e, GString *text) {
  g_autofree char *speed = cli_format_number(constant_of(set, ARM_PARAM_CURVE_SPEED, j), 3);
  g_string_append_printf(text, "%s (within about %s %s of rest)",
                         e->used < 0 ? "friction rises less than in proportion to speed"
                                     : "friction rises towards rest (Stribeck)",
                         speed, set->type[j] == ARM_JOINT_R ? "rad/s" : "m/s");
}

static void say_gain(const ArmTermTrial *trial, GString *text) {
  if (isfinite(trial->gain))
    g_string_append_printf(text, "; strokes left out are predicted %.0f %% better with it",
                           100 * trial->gain);
}

static char *say_joint(const CliIdentified *r, size_t j) {
  const ArmParamSet *set = &r->out->found;
  const ArmEstimate *load = term_of(set, ARM_PARAM_LOAD, j);
  const ArmEstimate *curve = term_of(set, ARM_PARAM_CURVE, j);
  g_autoptr(GString) text = g_string_new(NULL);
  if (load) {
    say_load(set, j, load, text);
    say_gain(&r->out->tried[j][ARM_TERM_LOAD], text);
  }
  if (curve) {
    g_string_append(text, load ? "; " : "");
    say_curve(set, j, curve, text);
    say_gain(&r->out->tried[j][ARM_TERM_CURVE], text);
  }
  return text->len > 0 ? g_strdup_printf("Joint %zu: %s.", j + 1, text->str) : NULL;
}

static char *joints_with(const CliIdentified *r, ArmTermOutcome outcome) {
  bool is_one[ARM_MAX_JOINTS] = {false};
  for (size_t j = 0; j < r->fit->n; j++)
    is_one[j] = r->fit->joint[j].statistics.rows_used > 0 &&
                r->out->tried[j][ARM_TERM_LOAD].outcome == outcome;
  return cli_list_joints(is_one, r->fit->n);
}

void cli_terms_print(const CliIdentified *r) {
  g_autofree char *unseen = joints_with(r, ARM_TERM_UNSEEN);
  for (size_t j = 0; j < r->fit->n; j++) {
    char *text = say_joint(r, j);
    if (text)
      cli_print_wrapped(text);
  }
  if (unseen)
    cli_print_wrapped(g_strdup_printf("Joint %s: %s.", unseen,
                                      arm_term_outcome_text(ARM_TERM_LOAD, ARM_TERM_UNSEEN)));
}

void cli_terms_warn(const CliIdentified *r, bool is_asked) {
  static const ArmTermOutcome told[] = {ARM_TERM_ABSURD, ARM_TERM_UNSEEN, ARM_TERM_FEW_STROKES};
  for (size_t k = 0; k < (is_asked ? G_N_ELEMENTS(told) : 1); k++) {
    g_autofree char *joints = joints_with(r, told[k]);
    if (joints)
      cli_warning("joint %s: %s%s", joints,
                  told[k] == ARM_TERM_ABSURD ? "friction grows with the load, by " : "",
                  arm_term_outcome_text(ARM_TERM_LOAD, told[k]));
  }
}
