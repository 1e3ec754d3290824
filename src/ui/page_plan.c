/* SPDX-License-Identifier: MIT */
#include "ui/page_plan.h"

#include <glib/gi18n.h>
#include <math.h>

#include "ui/format.h"
#include "ui/parameter_table.h"
#include "ui/strip.h"

struct _AuiPagePlan {
  GtkBox parent_instance;
  AseSession *session;
  GtkButton *propose, *cancel;
  GtkProgressBar *progress;
  GtkEntry *speeds;
  GtkLabel *summary, *warnings;
  GtkBox *sweeps_box, *forecast_box;
  GtkGrid *sweeps, *forecast;
};

G_DEFINE_FINAL_TYPE(AuiPagePlan, aui_page_plan, GTK_TYPE_BOX)

/* ---- what the user asks for ---- */

static void on_propose(AuiPagePlan *self) {
  GError *error = NULL;
  aui_say_failed(GTK_WIDGET(self), ase_session_start(self->session, ASE_STEP_PLAN, &error), &error);
}

static void on_cancel(AuiPagePlan *self) {
  ase_session_cancel(self->session);
}

/* "30 40 50" in deg/s; T joints take the same number in mm/s. false: not 2 to 9 such speeds. */
static bool parse_speeds(const char *text, AseEdits *edits) {
  g_auto(GStrv) words = g_strsplit_set(text, " ;", -1);
  guint n = 0;
  for (guint k = 0; words[k]; k++) {
    char *end;
    const double speed = g_strtod(words[k], &end);
    if (!*words[k])
      continue;
    if (*end || !(speed > 0.0 && speed < 1000.0) || n == ARM_PLAN_MAX_SPEEDS)
      return false;
    edits->speeds_R[n] = speed * G_PI / 180.0;
    edits->speeds_T[n++] = 1e-3 * speed;
  }
  edits->n_speeds = n;
  return n >= 2;
}

static void on_speeds(AuiPagePlan *self) {
  g_autofree AseEdits *edits = g_memdup2(ase_session_edits(self->session), sizeof *edits);
  if (parse_speeds(gtk_editable_get_text(GTK_EDITABLE(self->speeds)), edits))
    ase_session_set_edits(self->session, edits, _("speeds"));
  else
    aui_say_failed(GTK_WIDGET(self), false,
                   g_error_new(AIO_ERROR, AIO_ERROR_MEANING,
                               _("Speeds: write 2 to %d of them, such "
                                 "as 30 50 70"),
                               ARM_PLAN_MAX_SPEEDS));
}

/* ---- what will be done ---- */

static char *holds_text(const ArmModel *model, const ArmJointPlan *plan, size_t joint) {
  GString *text = g_string_new(NULL);
  if (joint + 1 == model->n)
    return g_string_free(g_string_append(text, "-"), FALSE);
  for (size_t h = 0; h < plan->n_holds; h++) {
    g_string_append_printf(text, "%s%zu:", h ? "\n" : "", h + 1);
    for (size_t i = joint + 1; i < model->n; i++) {
      g_autofree char *q = aui_format_joint(model->joints[i].type, plan->holds[h][i]);
      g_string_append_printf(text, "  j%zu %s", i + 1, q);
    }
  }
  return g_string_free(text, FALSE);
}

static char *speeds_text(ArmJointType type, const double *speeds, size_t n) {
  GString *text = g_string_new(NULL);
  for (size_t k = 0; k < n; k++)
    g_string_append_printf(text, "%s%.4g", k ? " " : "",
                           speeds[k] * (type == ARM_JOINT_R ? 180.0 / G_PI : 1e3));
  return g_string_free(text, FALSE);
}

static void put_sweep(AuiPagePlan *self, size_t joint) {
  const ArmModel *model = &ase_session_arm(self->session)->model;
  const ArmJointPlan *plan = &ase_session_plan(self->session)->joint[joint];
  const ArmPlanReport *report = ase_session_forecast(self->session);
  const ArmJointType type = model->joints[joint].type;
  g_autofree char *from = aui_format_joint(type, plan->from);
  g_autofree char *to = aui_format_joint(type, plan->to);
  g_autofree char *speeds = speeds_text(type, plan->speeds, plan->n_speeds);
  const int row = aui_table_add_row(self->sweeps);
  aui_table_take(self->sweeps, row, 0, g_strdup_printf("%zu", joint + 1), true);
  aui_table_take(self->sweeps, row, 1, g_strdup_printf("%s .. %s", from, to), true);
  aui_table_take(self->sweeps, row, 2,
                 g_strdup_printf("%s %s", speeds, type == ARM_JOINT_R ? _("deg/s") : _("mm/s")),
                 false);
  aui_table_take(self->sweeps, row, 3, holds_text(model, plan, joint), false);
  if (!report)
    return;
  const ArmJointFit *fit = &report->predicted.joint[joint];
  aui_table_take(self->sweeps, row, 4, aui_format_number(fit->cond_equilibrated, 3), true);
  aui_table_take(self->sweeps, row, 5, aui_format_number(1e3 * report->score[joint], 3), true);
  aui_table_take(self->sweeps, row, 6, aui_format_duration(report->duration_s[joint]), true);
}

static void fill_sweeps(AuiPagePlan *self) {
  const ArmPlan *plan = ase_session_plan(self->session);
  aui_table_clear(self->sweeps);
  for (size_t joint = plan ? plan->n : 0; joint-- > 0;)
    if (plan->joint[joint].is_swept)
      put_sweep(self, joint);
}

/* ---- what it promises ---- */

static char *warnings_text(const ArmPlanReport *report) {
  GString *text = g_string_new(NULL);
  for (size_t i = 0; i < report->predicted.n; i++)
    if (report->excitation_rank[i] < report->excitation_required[i])
      g_string_append_printf(text,
                             _("Joint %zu: the holds are too similar, they show %zu of %zu gravity "
                               "directions.\n"),
                             i + 1, report->excitation_rank[i], report->excitation_required[i]);
  return g_strchomp(g_string_free(text, FALSE));
}

static char *summary_text(AuiPagePlan *self) {
  const AseItinerary *itinerary = ase_session_itinerary(self->session);
  const ArmPlan *plan = ase_session_plan(self->session);
  if (!plan)
    return g_strdup(_("No plan yet. Propose one: the holds and sweeps that tell the parameters "
                      "apart best, within what is free."));
  if (!itinerary)
    return g_strdup(_("The way from sweep to sweep is laid out when an arm is connected."));
  g_autofree char *time = aui_format_duration(itinerary->duration_s);
  return g_strdup_printf(_("%u legs, dry run and validation included: about %s"),
                         itinerary->legs->len, time);
}

static void fill_forecast(AuiPagePlan *self) {
  const ArmPlanReport *report = ase_session_forecast(self->session);
  g_autofree char *summary = summary_text(self);
  g_autofree char *warnings = report ? warnings_text(report) : g_strdup("");
  gtk_label_set_text(self->summary, summary);
  gtk_label_set_text(self->warnings, warnings);
  gtk_widget_set_visible(GTK_WIDGET(self->warnings), *warnings != '\0');
  aui_table_clear(self->forecast);
  if (report)
    aui_parameter_table_fill(self->forecast, &report->predicted, NULL);
}

static void refresh(AuiPagePlan *self) {
  const AseEdits *edits = ase_session_edits(self->session);
  g_autofree char *speeds = speeds_text(ARM_JOINT_R, edits->speeds_R, edits->n_speeds);
  gtk_editable_set_text(GTK_EDITABLE(self->speeds), speeds);
  fill_sweeps(self);
  fill_forecast(self);
}

static void refresh_step(AuiPagePlan *self) {
  const AseStepState state =
      ase_procedure_state(ase_session_procedure(self->session), ASE_STEP_PLAN);
  const bool runs = state == ASE_STATE_RUNNING;
  gtk_widget_set_sensitive(GTK_WIDGET(self->cancel), runs);
  gtk_widget_set_sensitive(GTK_WIDGET(self->propose), !runs && state != ASE_STATE_WAITING);
  if (!runs)
    gtk_progress_bar_set_fraction(self->progress, 0.0);
}

static void on_progress(AuiPagePlan *self, guint step, double part) {
  if (step == ASE_STEP_PLAN)
    gtk_progress_bar_set_fraction(self->progress, CLAMP(part, 0.0, 1.0));
}

/* ---- the object ---- */

static void dispose(GObject *object) {
  g_clear_object(&AUI_PAGE_PLAN(object)->session);
  gtk_widget_dispose_template(GTK_WIDGET(object), AUI_TYPE_PAGE_PLAN);
  G_OBJECT_CLASS(aui_page_plan_parent_class)->dispose(object);
}

static void aui_page_plan_class_init(AuiPagePlanClass *class) {
  GtkWidgetClass *widget = GTK_WIDGET_CLASS(class);
  G_OBJECT_CLASS(class)->dispose = dispose;
  gtk_widget_class_set_template_from_resource(widget, "/org/armature/Armature/page_plan.ui");
  gtk_widget_class_bind_template_child(widget, AuiPagePlan, propose);
  gtk_widget_class_bind_template_child(widget, AuiPagePlan, cancel);
  gtk_widget_class_bind_template_child(widget, AuiPagePlan, progress);
  gtk_widget_class_bind_template_child(widget, AuiPagePlan, speeds);
  gtk_widget_class_bind_template_child(widget, AuiPagePlan, summary);
  gtk_widget_class_bind_template_child(widget, AuiPagePlan, warnings);
  gtk_widget_class_bind_template_child(widget, AuiPagePlan, sweeps_box);
  gtk_widget_class_bind_template_child(widget, AuiPagePlan, forecast_box);
  gtk_widget_class_bind_template_callback(widget, on_propose);
  gtk_widget_class_bind_template_callback(widget, on_cancel);
  gtk_widget_class_bind_template_callback(widget, on_speeds);
}

static void aui_page_plan_init(AuiPagePlan *self) {
  const char *const heads[] = {_("Joint"),     _("Sweep"),          _("Speeds"),   _("Holds"),
                               _("Condition"), _("Gravity sd, mA"), _("Duration"), NULL};
  gtk_widget_init_template(GTK_WIDGET(self));
  self->sweeps = aui_table_new(heads);
  self->forecast = aui_parameter_table_new();
  gtk_box_append(self->sweeps_box, GTK_WIDGET(self->sweeps));
  gtk_box_append(self->forecast_box, GTK_WIDGET(self->forecast));
}

GtkWidget *aui_page_plan_new(AseSession *session) {
  AuiPagePlan *self = g_object_new(AUI_TYPE_PAGE_PLAN, NULL);
  self->session = g_object_ref(session);
  g_signal_connect_object(session, "changed", G_CALLBACK(refresh), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(session, "step-changed", G_CALLBACK(refresh_step), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(session, "progress", G_CALLBACK(on_progress), self, G_CONNECT_SWAPPED);
  refresh(self);
  refresh_step(self);
  return GTK_WIDGET(self);
}
