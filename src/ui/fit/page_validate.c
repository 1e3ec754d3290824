/* SPDX-License-Identifier: MIT */
/* Limits are the lab's: they count a moment after the last key, and what they do is seen at once.
 * Sweeps are those that the fit never saw. */
#include "ui/fit/page_validate.h"

#include <glib/gi18n.h>
#include <math.h>

#include "session/base/text.h"
#include "session/method/gravity.h"
#include "ui/fit/diagnosis_panel.h"
#include "ui/fit/doubt_words.h"
#include "ui/fit/verdict_words.h"
#include "ui/kit/format.h"
#include "ui/kit/spin.h"
#include "ui/kit/strip.h"
#include "ui/kit/table.h"
#include "ui/kit/why.h"

enum { PATIENCE_MS = 600 }; /* of typing, until a limit counts */

struct _AuiPageValidate {
  GtkBox parent_instance;
  AseSession *session;
  GtkButton *validate;
  GtkLabel *summary, *drift;
  GtkSpinButton *error_spin, *percent_spin, *current_spin, *drift_spin;
  GtkAdjustment *error_limit, *percent_limit, *current_limit, *drift_limit, *joints;
  GtkBox *error_box, *drift_box, *joints_box, *sweeps_box, *plots_box, *drift_line, *diagnosis_box;
  GtkLabel *verdict;
  GtkGrid *joint_table, *sweep_table;
  AuiFitPlots *plots;
  bool is_filling;
  guint timeout, idle; /* sources, 0: none */
};

G_DEFINE_FINAL_TYPE(AuiPageValidate, aui_page_validate, GTK_TYPE_BOX)

static AseStepState state_of(AuiPageValidate *self) {
  return ase_procedure_state(ase_session_procedure(self->session), ASE_STEP_VALIDATE);
}

static void start(AuiPageValidate *self) {
  GError *error = NULL;
  aui_say_failed(GTK_WIDGET(self), ase_session_start(self->session, ASE_STEP_VALIDATE, &error),
                 &error);
}

static void on_validate(AuiPageValidate *self) {
  start(self);
}

/* ---- limits ---- */

static gboolean on_idle(gpointer data) {
  AuiPageValidate *self = data;
  self->idle = 0;
  if (state_of(self) == ASE_STATE_STALE)
    start(self);
  return G_SOURCE_REMOVE;
}

static gboolean on_patience(gpointer data) {
  AuiPageValidate *self = data;
  g_autofree AseEdits *edits = g_memdup2(ase_session_edits(self->session), sizeof *edits);
  self->timeout = 0;
  edits->validation_limit = gtk_adjustment_get_value(self->error_limit);
  edits->validation_percent = gtk_adjustment_get_value(self->percent_limit);
  edits->validation_mA = gtk_adjustment_get_value(self->current_limit);
  edits->drift_limit = gtk_adjustment_get_value(self->drift_limit);
  ase_session_set_edits(self->session, edits, _("change what is accepted"));
  return G_SOURCE_REMOVE;
}

static void on_limit(AuiPageValidate *self) {
  if (self->is_filling || !self->session)
    return;
  g_clear_handle_id(&self->timeout, g_source_remove);
  self->timeout = g_timeout_add(PATIENCE_MS, on_patience, self);
}

static void refresh_limits(AuiPageValidate *self) {
  const AseEdits *edits = ase_session_edits(self->session);
  if (self->timeout)
    return;
  self->is_filling = true;
  gtk_adjustment_set_value(self->error_limit, edits->validation_limit);
  gtk_adjustment_set_value(self->percent_limit, edits->validation_percent);
  gtk_adjustment_set_value(self->current_limit, edits->validation_mA);
  gtk_adjustment_set_value(self->drift_limit, edits->drift_limit);
  self->is_filling = false;
}

/* ---- joints ---- */

static void put_verdict(GtkGrid *table, int row, int column, const AseJointValidation *v) {
  const char *const text = v->rows == 0    ? _("not measured")
                           : v->has_passed ? _("passed")
                                           : _("failed");
  const char *reason = v->rows && !v->has_passed ? ase_validation_reason(v->on_strokes.kind) : "";
  GtkWidget *label =
      aui_table_take(table, row, column,
                     *reason ? g_strdup_printf("%s: %s", text, reason) : g_strdup(text), false);
  gtk_widget_add_css_class(label, v->rows == 0 ? "dim-label" : v->has_passed ? "success" : "error");
  gtk_label_set_wrap(GTK_LABEL(label), true);
  gtk_widget_set_hexpand(label, true);
}

/* Below each other these have their points below each other. */
static void take_fixed(GtkGrid *table, int row, int column, double value) {
  aui_table_take(table, row, column, aui_format_fixed(value, 2), true);
}

static void put_joint(AuiPageValidate *self, guint joint, const AseJointValidation *v) {
  const double numbers[] = {1e3 * v->rms_A, v->percent, 1e3 * v->model_error_A};
  const bool is_judged = v->on_strokes.kind != ARM_VALIDATION_NOT_MEASURED;
  const int row = aui_table_add_row(self->joint_table);
  aui_table_take(self->joint_table, row, 0, g_strdup_printf("%u", joint + 1), true);
  aui_table_take(self->joint_table, row, 1, g_strdup_printf("%zu", v->rows), true);
  for (int k = 0; k < (int)G_N_ELEMENTS(numbers); k++)
    take_fixed(self->joint_table, row, 2 + k, v->rows ? numbers[k] : (double)NAN);
  aui_table_take(self->joint_table, row, 5,
                 is_judged ? aui_format_promised(1e3 * v->promised_A, 2, true) : g_strdup("-"),
                 true);
  put_verdict(self->joint_table, row, 6, v);
}

static char *drift_text(const AseValidation *v) {
  if (isnan(v->drift_A))
    return g_strdup(_("Drift: the first sweep was not repeated."));
  return g_strdup_printf(
      v->has_drifted
          ? _("Drift: friction of joint %u changed by %.1f mA (%.1f sd) from the first sweep to "
              "its "
              "repetition, more than is accepted. Let the arm warm up, then sweep again.")
          : _("Drift: friction of joint %u changed by %.1f mA (%.1f sd) from the first sweep to "
              "its "
              "repetition: passed."),
      v->drift_joint, ase_text_tenths(1e3 * v->drift_A), ase_text_tenths(v->drift_sds));
}

static bool is_mispredicted(const AseJointValidation *v) {
  return v->on_strokes.kind == ARM_VALIDATION_TOO_LARGE ||
         v->on_strokes.kind == ARM_VALIDATION_MISFIT;
}

/* Those whose prediction is too far off, or those of which nothing can be said. */
static guint count_failed(const AseValidation *v, bool by_error) {
  guint failed = 0;
  for (guint j = 0; j < v->joints; j++)
    failed +=
        v->joint[j].rows && !v->joint[j].has_passed && is_mispredicted(&v->joint[j]) == by_error;
  return failed;
}

static char *missing_text(AuiPageValidate *self) {
  g_autoptr(GError) error = NULL;
  const ArmGravityFit *fit = ase_gravity_of(ase_session_fit(self->session));
  if (fit && fit->verdict.verdict == ARM_VERDICT_MISFIT)
    return g_strdup(_("Nothing judged yet: the model does not fit what was measured."));
  if (ase_procedure_may_start(ase_session_procedure(self->session), ASE_STEP_VALIDATE, &error))
    return g_strdup(_("Nothing judged yet: press Validate."));
  return g_strdup_printf(_("Nothing judged yet. It needs a fit, and the validation sweeps that the "
                           "sweep step does at its end. %s"),
                         error->message);
}

static char *summary_text(AuiPageValidate *self) {
  const AseValidation *v = ase_session_validation(self->session);
  const char *reason =
      ase_step_reason(&ase_session_procedure(self->session)->steps[ASE_STEP_VALIDATE]);
  if (state_of(self) == ASE_STATE_RUNNING)
    return g_strdup(_("Predicting the currents of sweeps that the fit has not seen…"));
  if (!v && state_of(self) == ASE_STATE_FAILED && *reason)
    return g_strdup_printf(_("Validation was not possible: %s"), reason);
  if (!v)
    return missing_text(self);
  if (state_of(self) == ASE_STATE_STALE)
    return g_strdup_printf(_("Out of date: %s. Validate again."), reason);
  const guint failed = count_failed(v, true), untold = count_failed(v, false);
  if (!failed && untold)
    return g_strdup_printf(ngettext("The prediction of %u joint cannot be judged; the table says "
                                    "why.",
                                    "The predictions of %u joints cannot be judged; the table says "
                                    "why.",
                                    untold),
                           untold);
  if (failed)
    return g_strdup_printf(ngettext("%u joint is predicted worse than accepted.",
                                    "%u joints are predicted worse than accepted.", failed),
                           failed);
  return g_strdup(_("Every joint is predicted within what is accepted."));
}

/* What the fit itself knows of what fails here, "": nothing. g_free. */
static char *verdict_text(AuiPageValidate *self) {
  const ArmGravityFit *fit = ase_gravity_of(ase_session_fit(self->session));
  const bool has_failed = state_of(self) == ASE_STATE_FAILED;
  g_autofree char *doubt = aui_doubt_summary(fit, true);
  if (!fit || (!has_failed && !*doubt && fit->verdict.verdict != ARM_VERDICT_MISFIT))
    return g_strdup("");
  if (aui_verdict_has_alarm(fit))
    return aui_verdict_summary(fit);
  if (*doubt)
    return g_steal_pointer(&doubt);
  if (fit->verdict.verdict == ARM_VERDICT_UNKNOWN)
    return aui_verdict_summary(fit);
  const AseValidation *v = ase_session_validation(self->session);
  const bool is_missed = has_failed && v && count_failed(v, true);
  return is_missed && !ase_session_is_contradicted(self->session) /* the panel says that */
             ? g_strdup(aui_verdict_held_out(false))
             : g_strdup("");
}

static void refresh_verdict(AuiPageValidate *self) {
  const ArmGravityFit *fit = ase_gravity_of(ase_session_fit(self->session));
  g_autofree char *verdict = verdict_text(self), *remark = aui_doubt_summary(fit, false);
  const char *text = *verdict ? verdict : remark;
  gtk_label_set_text(self->verdict, text);
  (*verdict ? gtk_widget_remove_css_class : gtk_widget_add_css_class)(GTK_WIDGET(self->verdict),
                                                                      "dim-label");
  gtk_widget_set_visible(GTK_WIDGET(self->verdict), *text);
  gtk_widget_set_visible(GTK_WIDGET(self->diagnosis_box),
                         (*verdict && fit && aui_verdict_has_alarm(fit)) ||
                             ase_session_is_contradicted(self->session));
}

static void refresh_text(AuiPageValidate *self) {
  refresh_verdict(self);
  g_autofree char *summary = summary_text(self);
  const AseStepState state = state_of(self);
  gtk_label_set_text(self->summary, summary);
  gtk_widget_set_sensitive(GTK_WIDGET(self->validate),
                           state != ASE_STATE_RUNNING && state != ASE_STATE_WAITING);
  (state == ASE_STATE_PASSED ? gtk_widget_remove_css_class : gtk_widget_add_css_class)(
      GTK_WIDGET(self->validate), "suggested-action");
}

static void refresh(AuiPageValidate *self) {
  const AseValidation *v = ase_session_validation(self->session);
  g_autofree char *drift = v ? drift_text(v) : g_strdup("");
  refresh_text(self);
  refresh_limits(self);
  gtk_label_set_text(self->drift, drift);
  gtk_widget_set_visible(GTK_WIDGET(self->drift_line), v != NULL);
  gtk_widget_set_visible(GTK_WIDGET(self->joints_box), v != NULL);
  aui_table_clear(self->joint_table);
  for (guint joint = v ? v->joints : 0; joint-- > 0;)
    put_joint(self, joint, &v->joint[joint]);
}

/* ---- sweeps of the joint that is shown ---- */

/* "0, -90, 45" in degrees or m, the joint that sweeps as "~"; g_free. */
static char *pose_text(const AseShown *shown, const AseSweptRun *run) {
  GString *text = g_string_new(NULL);
  for (guint j = 0; j < shown->data->joints; j++) {
    g_autofree char *q = j + 1 == shown->joint
                             ? g_strdup("~")
                             : aui_format_joint(shown->data->model.joints[j].type, run->pose[j]);
    g_string_append_printf(text, "%s%s", j ? "; " : "", q);
  }
  return g_string_free(text, FALSE);
}

static void put_sweep(AuiPageValidate *self, const AseShown *shown, const AseSweptRun *run) {
  const gsize used = run->rows[ASE_ROW_USED];
  const double rms = used ? sqrt(run->squares / (double)used) : (double)NAN;
  const double sd = shown->data->joint[shown->joint - 1].sd;
  const int row = aui_table_add_row(self->sweep_table);
  aui_table_take(self->sweep_table, row, 0, aui_fit_run_text(shown, run), false);
  aui_table_take(self->sweep_table, row, 1, g_strdup_printf("%zu", used), true);
  take_fixed(self->sweep_table, row, 2, 1e3 * rms);
  take_fixed(self->sweep_table, row, 3, used ? 1e3 * run->worst : (double)NAN);
  take_fixed(self->sweep_table, row, 4, rms / sd);
  g_autofree char *pose = pose_text(shown, run);
  gtk_widget_set_hexpand(aui_table_put(self->sweep_table, row, 5, pose), true);
}

static void on_shown(AuiPageValidate *self) {
  const AseShown *shown = aui_fit_plots_shown(self->plots);
  const GPtrArray *runs = shown->data && shown->joint <= shown->data->joints
                              ? shown->data->joint[shown->joint - 1].runs
                              : NULL;
  aui_table_clear(self->sweep_table);
  for (guint k = 0; runs && k < runs->len; k++)
    put_sweep(self, shown, runs->pdata[k]);
  gtk_widget_set_visible(GTK_WIDGET(self->sweeps_box), runs && runs->len);
}

AuiFitPlots *aui_page_validate_plots(AuiPageValidate *self) {
  return self->plots;
}

/* Who changes a limit wants to see what it does. */
static void on_changed(AuiPageValidate *self) {
  refresh(self);
  if (state_of(self) == ASE_STATE_STALE && !self->idle && gtk_widget_get_mapped(GTK_WIDGET(self)) &&
      ase_procedure_may_start(ase_session_procedure(self->session), ASE_STEP_VALIDATE, NULL))
    self->idle = g_idle_add(on_idle, self);
}

/* ---- the object ---- */

static void dispose(GObject *object) {
  AuiPageValidate *self = AUI_PAGE_VALIDATE(object);
  g_clear_handle_id(&self->timeout, g_source_remove);
  g_clear_handle_id(&self->idle, g_source_remove);
  g_clear_object(&self->session);
  gtk_widget_dispose_template(GTK_WIDGET(object), AUI_TYPE_PAGE_VALIDATE);
  G_OBJECT_CLASS(aui_page_validate_parent_class)->dispose(object);
}

static void aui_page_validate_class_init(AuiPageValidateClass *class) {
  GtkWidgetClass *widget = GTK_WIDGET_CLASS(class);
  G_OBJECT_CLASS(class)->dispose = dispose;
  gtk_widget_class_set_template_from_resource(widget, "/org/armature/Armature/page_validate.ui");
  gtk_widget_class_bind_template_child(widget, AuiPageValidate, validate);
  gtk_widget_class_bind_template_child(widget, AuiPageValidate, summary);
  gtk_widget_class_bind_template_child(widget, AuiPageValidate, drift);
  gtk_widget_class_bind_template_child(widget, AuiPageValidate, drift_line);
  gtk_widget_class_bind_template_child(widget, AuiPageValidate, error_spin);
  gtk_widget_class_bind_template_child(widget, AuiPageValidate, percent_spin);
  gtk_widget_class_bind_template_child(widget, AuiPageValidate, current_spin);
  gtk_widget_class_bind_template_child(widget, AuiPageValidate, drift_spin);
  gtk_widget_class_bind_template_child(widget, AuiPageValidate, error_limit);
  gtk_widget_class_bind_template_child(widget, AuiPageValidate, percent_limit);
  gtk_widget_class_bind_template_child(widget, AuiPageValidate, current_limit);
  gtk_widget_class_bind_template_child(widget, AuiPageValidate, drift_limit);
  gtk_widget_class_bind_template_child(widget, AuiPageValidate, verdict);
  gtk_widget_class_bind_template_child(widget, AuiPageValidate, diagnosis_box);
  gtk_widget_class_bind_template_child(widget, AuiPageValidate, joints);
  gtk_widget_class_bind_template_child(widget, AuiPageValidate, error_box);
  gtk_widget_class_bind_template_child(widget, AuiPageValidate, drift_box);
  gtk_widget_class_bind_template_child(widget, AuiPageValidate, joints_box);
  gtk_widget_class_bind_template_child(widget, AuiPageValidate, sweeps_box);
  gtk_widget_class_bind_template_child(widget, AuiPageValidate, plots_box);
  gtk_widget_class_bind_template_callback(widget, on_validate);
  gtk_widget_class_bind_template_callback(widget, on_limit);
}

static void add_tables(AuiPageValidate *self) {
  const char *const joints[] = {_("Joint"),
                                _("Samples"),
                                _("rms error, mA"),
                                /* xgettext:no-c-format */ _("% of the current"),
                                _("error of sweeps, mA"),
                                _("promised, mA"),
                                _("Verdict"),
                                NULL};
  const char *const sweeps[] = {_("Sweep not used in the fit"),
                                _("Samples"),
                                _("rms error, mA"),
                                _("worst, mA"),
                                _("residual sds"),
                                _("Pose of joints 1, 2, ..."),
                                NULL};
  self->joint_table = aui_table_new(joints);
  self->sweep_table = aui_table_new(sweeps);
  aui_table_explain(self->joint_table, 2, "validation-error");
  aui_table_explain(self->joint_table, 5, "ratio");
  gtk_box_append(self->joints_box, GTK_WIDGET(self->joint_table));
  gtk_box_append(self->sweeps_box, GTK_WIDGET(self->sweep_table));
}

static void aui_page_validate_init(AuiPageValidate *self) {
  gtk_widget_init_template(GTK_WIDGET(self));
  GtkSpinButton *const spins[] = {self->error_spin, self->percent_spin, self->current_spin,
                                  self->drift_spin};
  for (guint n = 0; n < G_N_ELEMENTS(spins); n++)
    aui_spin_prepare(spins[n]);
  add_tables(self);
  gtk_box_append(self->error_box, aui_why_new("validation-limit"));
  gtk_box_append(self->drift_line, aui_why_new("drift"));
}

GtkWidget *aui_page_validate_new(AseSession *session) {
  AuiPageValidate *self = g_object_new(AUI_TYPE_PAGE_VALIDATE, NULL);
  const GConnectFlags swapped = G_CONNECT_SWAPPED;
  self->session = g_object_ref(session);
  self->plots = AUI_FIT_PLOTS(aui_fit_plots_new(session, ase_session_measuring(session),
                                                ASE_PURPOSE_VALIDATE, self->joints));
  gtk_box_append(self->plots_box, GTK_WIDGET(self->plots));
  gtk_box_append(self->diagnosis_box, aui_diagnosis_panel_new(session));
  gtk_widget_set_sensitive(GTK_WIDGET(self->error_box), !ase_session_is_read_only(session));
  gtk_widget_set_sensitive(GTK_WIDGET(self->drift_box), !ase_session_is_read_only(session));
  g_signal_connect_object(session, "changed", G_CALLBACK(on_changed), self, swapped);
  g_signal_connect_object(session, "step-changed", G_CALLBACK(refresh_text), self, swapped);
  g_signal_connect_object(self->plots, "shown", G_CALLBACK(on_shown), self, swapped);
  refresh(self);
  on_shown(self);
  return GTK_WIDGET(self);
}
