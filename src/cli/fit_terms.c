/* SPDX-License-Identifier: MIT */
/* What `fit` says of friction beyond Coulomb and viscous. */
#include <math.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/fit_report.h"
#include "cli/text.h"

bool cli_parse_friction(const char *text, bool offers[ARM_TERMS]) {
  const bool is_auto = !text || strcmp(text, "auto") == 0;
  for (int t = 0; t < ARM_TERMS; t++)
    offers[t] = is_auto;
  if (is_auto || strcmp(text, "base") == 0)
    return true;
  g_auto(GStrv) words = g_strsplit(text, ",", -1);
  bool is_good = words[0] != NULL;
  for (gsize k = 0; words[k] && is_good; k++) {
    is_good = false;
    for (int t = 0; t < ARM_TERMS; t++)
      if (strcmp(words[k], arm_term_key((ArmFrictionTerm)t)) == 0)
        is_good = offers[t] = true;
  }
  return is_good;
}

bool cli_fit_has_terms(const ArmParamSet *found) {
  for (size_t k = 0; k < found->n; k++)
    if (arm_param_info(found->param[k].id.kind)->is_term)
      return true;
  return false;
}

static void say_load(const ArmJointFit *joint, GString *text) {
  g_autofree char *value = NULL, *sd = NULL;
  g_autofree char *low = cli_format_number(joint->load_seen[0], 3);
  g_autofree char *high = cli_format_number(joint->load_seen[1], 3);
  const ArmEstimate *e = &joint->term[ARM_TERM_LOAD];
  cli_format_estimate(e->used, e->sd, &value, &sd);
  g_string_append_printf(text,
                         "friction grows with the load, by %s %s %s of it (seen from %s to %s A)",
                         value, cli_utf8("±", "+-"), sd, low, high);
}

static void say_curve(const ArmJointFit *joint, bool is_R, GString *text) {
  g_autofree char *speed = cli_format_number(joint->curve_speed, 3);
  const bool is_less = joint->term[ARM_TERM_CURVE].used < 0.0;
  g_string_append_printf(text, "%s (within about %s %s of rest)",
                         is_less ? "friction rises less than in proportion to speed"
                                 : "friction rises towards rest (Stribeck)",
                         speed, is_R ? "rad/s" : "m/s");
}

static void print_joint(const CliFitReport *report, size_t i) {
  const ArmJointFit *joint = &report->fit->refined.joint[i];
  g_autoptr(GString) text = g_string_new(NULL);
  for (int t = 0; t < ARM_TERMS; t++) {
    if (!joint->has_term[t])
      continue;
    g_string_append(text, text->len ? "; " : "");
    if (t == ARM_TERM_LOAD)
      say_load(joint, text);
    else
      say_curve(joint, report->fit->refined.type[i] == ARM_JOINT_R, text);
    if (isfinite(joint->trial[t].gain))
      g_string_append_printf(text, "; strokes left out are predicted %.0f %% better with it",
                             100.0 * joint->trial[t].gain);
  }
  if (text->len > 0)
    cli_print_wrapped(g_strdup_printf("Joint %zu: %s.", i + 1, text->str));
}

static char *joints_with(const CliFitReport *report, ArmTermOutcome outcome) {
  bool is_one[ARM_MAX_JOINTS] = {false};
  for (size_t i = 0; i < report->fit->refined.n; i++)
    is_one[i] = report->fit->refined.joint[i].rows_used > 0 &&
                report->fit->refined.joint[i].trial[ARM_TERM_LOAD].outcome == outcome;
  return cli_list_joints(is_one, report->fit->refined.n);
}

void cli_fit_print_chosen_terms(const CliFitReport *report) {
  for (size_t i = 0; i < report->fit->refined.n; i++)
    print_joint(report, i);
}

void cli_fit_print_terms(const CliFitReport *report) {
  cli_fit_print_chosen_terms(report);
  g_autofree char *unseen = joints_with(report, ARM_TERM_UNSEEN);
  if (unseen)
    cli_print_wrapped(g_strdup_printf("Joint %s: %s.", unseen,
                                      arm_term_outcome_text(ARM_TERM_LOAD, ARM_TERM_UNSEEN)));
}

void cli_fit_warn_terms(const CliFitReport *report, bool is_asked) {
  static const ArmTermOutcome told[] = {ARM_TERM_ABSURD, ARM_TERM_UNSEEN, ARM_TERM_FEW_STROKES};
  for (size_t k = 0; k < (is_asked ? G_N_ELEMENTS(told) : 1); k++) {
    g_autofree char *joints = joints_with(report, told[k]);
    if (joints)
      cli_warning("joint %s: %s%s", joints,
                  told[k] == ARM_TERM_ABSURD ? "friction grows with the load, by " : "",
                  arm_term_outcome_text(ARM_TERM_LOAD, told[k]));
  }
}
