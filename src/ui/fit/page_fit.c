/* SPDX-License-Identifier: MIT */
/* Everything that changes a fit is an edit of the session; this page sees that rows or friction
 * differ and fits again at once, but never within the session's own signal. */
#include "ui/fit/page_fit.h"

#include <glib/gi18n.h>
#include <string.h>

#include "session/method/gravity.h"
#include "ui/fit/diagnosis_panel.h"
#include "ui/fit/doubt_bar.h"
#include "ui/fit/joint_card.h"
#include "ui/fit/limits_box.h"
#include "ui/fit/parameter_table.h"
#include "ui/fit/verdict_bar.h"
#include "ui/fit/verdict_table.h"
#include "ui/kit/format.h"
#include "ui/kit/strip.h"
#include "ui/kit/table.h"

struct _AuiPageFit {
  GtkBox parent_instance;
  AseSession *session;
  GtkButton *fit, *cancel;
  GtkDropDown *friction;
  GtkLabel *summary;
  GtkStack *stack;
  GtkBox *joint_box, *parameters_box, *joints_box, *compare_box, *verdict_box, *verdicts_box,
      *verdict_line, *doubt_line, *doubts_box;
  AuiVerdictBar *verdict;
  AuiDoubtBar *doubts;
  AuiDiagnosisPanel *diagnosis;
  AuiFitCompare *compare;
  GtkAdjustment *joints;
  AuiFitPlots *plots;
  AuiJointCard *card;
  GtkGrid *parameter_table, *joint_table, *verdict_table;
  AseExclusion exclusions[ASE_EXCLUSIONS]; /* as they were seen last */
  guint n_exclusions;
  bool offers_term[ARM_TERMS]; /* likewise */
  ArmVerdictLimits misfit;
  bool is_filling;
  bool wants_fit; /* as soon as it may be started */
  guint idle;     /* source that starts it; 0: none */
};

G_DEFINE_FINAL_TYPE(AuiPageFit, aui_page_fit, GTK_TYPE_BOX)

/* ---- buttons ---- */

static void start(AuiPageFit *self) {
  GError *error = NULL;
  aui_say_failed(GTK_WIDGET(self), ase_session_start(self->session, ASE_STEP_FIT, &error), &error);
}

static void on_fit(AuiPageFit *self) {
  start(self);
}

static void on_cancel(AuiPageFit *self) {
  self->wants_fit = false;
  ase_session_cancel(self->session);
}

/* As the list has them. */
static const bool choices[][ARM_TERMS] = {
    {true, true}, {false, false}, {true, false}, {false, true}};

static void on_friction(AuiPageFit *self) {
  const guint chosen = gtk_drop_down_get_selected(self->friction);
  if (!self->session || self->is_filling || chosen >= G_N_ELEMENTS(choices))
    return;
  g_autofree AseEdits *edits = g_memdup2(ase_session_edits(self->session), sizeof *edits);
  memcpy(edits->offers_term, choices[chosen], sizeof edits->offers_term);
  ase_session_set_edits(self->session, edits, _("choose the friction that is tried"));
}

static void refresh_friction(AuiPageFit *self) {
  const AseEdits *edits = ase_session_edits(self->session);
  guint k = 0;
  while (memcmp(choices[k], edits->offers_term, sizeof choices[k]) != 0)
    k++;
  self->is_filling = true;
  gtk_drop_down_set_selected(self->friction, k);
  self->is_filling = false;
  gtk_widget_set_sensitive(GTK_WIDGET(self->friction), !ase_session_is_read_only(self->session));
}

static void on_copy(AuiPageFit *self) {
  g_autofree char *parameters = aui_table_text(self->parameter_table);
  g_autofree char *joints = aui_table_text(self->joint_table);
  g_autofree char *text = g_strconcat(parameters, "\n", joints, NULL);
  gdk_clipboard_set_text(gtk_widget_get_clipboard(GTK_WIDGET(self)), text);
}

/* ---- what is shown ---- */

static AseStepState fit_state(AuiPageFit *self) {
  return ase_procedure_state(ase_session_procedure(self->session), ASE_STEP_FIT);
}

static char *result_text(const ArmGravityFit *fit) {
  return fit->is_converged
             ? g_strdup_printf(_("Refined in %zu iterations, converged (gradient %.1e)"),
                               fit->iterations, fit->relative_gradient)
             : g_strdup_printf(_("Not converged after %zu iterations (gradient %.1e): look at the "
                                 "joints with a high condition number first"),
                               fit->iterations, fit->relative_gradient);
}

static char *missing_text(AuiPageFit *self) {
  g_autoptr(GError) error = NULL;
  if (ase_procedure_may_start(ase_session_procedure(self->session), ASE_STEP_FIT, &error))
    return g_strdup(_("No fit yet: press Fit, it takes a few seconds."));
  return g_strdup_printf(_("No fit yet. %s"), error->message);
}

/* then the bar below tells why the fit failed */
static bool has_verdict(AuiPageFit *self) {
  const ArmGravityFit *fit = ase_gravity_of(ase_session_fit(self->session));
  return fit && fit->verdict.n > 0;
}

static char *summary_text(AuiPageFit *self) {
  const ArmGravityFit *fit = ase_gravity_of(ase_session_fit(self->session));
  const AseStepState state = fit_state(self);
  const char *reason = ase_step_reason(&ase_session_procedure(self->session)->steps[ASE_STEP_FIT]);
  if (state == ASE_STATE_RUNNING)
    return g_strdup(_("Fitting: joint n down to 1, then all joints together…"));
  if (state == ASE_STATE_FAILED && *reason && !has_verdict(self))
    return g_strdup_printf(_("The fit is not good yet: %s"), reason);
  if (!fit)
    return missing_text(self);
  if (state == ASE_STATE_STALE)
    return g_strdup_printf(_("Out of date: %s. Fit again."), reason);
  return result_text(fit);
}

static void refresh_card(AuiPageFit *self) {
  aui_joint_card_show(self->card, self->session, (guint)gtk_adjustment_get_value(self->joints));
}

/* Of all that is behind each other hundreds of labels are filled where somebody looks. */
static bool shows(AuiPageFit *self, const char *page) {
  return g_strcmp0(gtk_stack_get_visible_child_name(self->stack), page) == 0;
}

static void refresh_tables(AuiPageFit *self);

static void refresh_verdicts(AuiPageFit *self) {
  if (!self->session || !shows(self, "verdict"))
    return;
  const ArmGravityFit *fit = ase_gravity_of(ase_session_fit(self->session));
  gtk_widget_set_visible(GTK_WIDGET(self->verdicts_box), fit != NULL);
  aui_verdict_table_fill(self->verdict_table, fit);
  aui_doubt_list_fill(self->doubts_box, fit);
}

/* Who looks at the verdict needs no way to it. */
static void on_page(AuiPageFit *self) {
  const bool is_verdict = shows(self, "verdict");
  if (self->verdict)
    aui_verdict_bar_offer(self->verdict, !is_verdict);
  if (self->doubts)
    aui_doubt_bar_offer(self->doubts, !is_verdict);
  refresh_tables(self);
  refresh_verdicts(self);
}

static void refresh_tables(AuiPageFit *self) {
  g_auto(ArmParamSet) found = {0}, recursion = {0};
  if (!self->parameter_table || !shows(self, "all"))
    return;
  aui_table_clear(self->parameter_table);
  aui_table_clear(self->joint_table);
  if (!self->session || !ase_session_found(self->session, &found, &recursion))
    return;
  aui_parameter_table_fill(self->parameter_table, &found, &recursion);
  aui_joint_table_fill(self->joint_table, &found);
}

static void refresh(AuiPageFit *self) {
  g_autofree char *summary = summary_text(self);
  gtk_label_set_text(self->summary, summary);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->summary), summary);
  refresh_friction(self);
  if (!gtk_widget_get_mapped(GTK_WIDGET(self)))
    return; /* hundreds of labels: when somebody looks */
  refresh_card(self);
  refresh_tables(self);
  refresh_verdicts(self);
}

static void refresh_step(AuiPageFit *self) {
  const AseStepState state = fit_state(self);
  g_autofree char *summary = summary_text(self);
  gtk_label_set_text(self->summary, summary);
  gtk_widget_set_sensitive(GTK_WIDGET(self->cancel), state == ASE_STATE_RUNNING);
  gtk_widget_set_sensitive(GTK_WIDGET(self->fit),
                           state != ASE_STATE_RUNNING && state != ASE_STATE_WAITING);
  (ase_state_is_done(state) ? gtk_widget_remove_css_class
                            : gtk_widget_add_css_class)(GTK_WIDGET(self->fit), "suggested-action");
}

/* ---- refitting ---- */

static gboolean on_idle(gpointer data) {
  AuiPageFit *self = data;
  self->idle = 0;
  if (!self->wants_fit || fit_state(self) == ASE_STATE_RUNNING)
    return G_SOURCE_REMOVE;
  self->wants_fit = false;
  start(self);
  return G_SOURCE_REMOVE;
}

/* Not within the session's own signal. */
static void fit_soon(AuiPageFit *self) {
  if (self->wants_fit && !self->idle && fit_state(self) != ASE_STATE_RUNNING)
    self->idle = g_idle_add(on_idle, self);
}

/* Excluded, restored, other friction, undone, here or elsewhere: who looks at this page wants to
 * see what it does to the parameters. */
static void note_edits(AuiPageFit *self) {
  const AseEdits *edits = ase_session_edits(self->session);
  const bool is_same =
      memcmp(&self->misfit, &edits->misfit, sizeof self->misfit) == 0 && /* NOLINT: doubles alone */
      memcmp(self->offers_term, edits->offers_term, sizeof self->offers_term) == 0 &&
      self->n_exclusions == edits->n_exclusions &&
      memcmp(self->exclusions, edits->exclusions,
             edits->n_exclusions * sizeof *edits->exclusions) == 0;
  self->n_exclusions = edits->n_exclusions;
  memcpy(self->offers_term, edits->offers_term, sizeof self->offers_term);
  self->misfit = edits->misfit;
  memcpy(self->exclusions, edits->exclusions, sizeof self->exclusions);
  if (!is_same && ase_session_fit(self->session) && gtk_widget_get_mapped(GTK_WIDGET(self)))
    self->wants_fit = true;
}

static void on_changed(AuiPageFit *self) {
  note_edits(self);
  refresh(self);
  refresh_step(self);
  fit_soon(self);
}

static void on_step(AuiPageFit *self) {
  refresh_step(self);
  fit_soon(self);
}

static void on_marked(AuiPageFit *self, const ArmParamId *parameter) {
  aui_fit_plots_mark(self->plots, parameter);
}

static void on_see(AuiPageFit *self) {
  gtk_stack_set_visible_child_name(self->stack, "verdict");
}

static void on_find(AuiPageFit *self) {
  gtk_stack_set_visible_child_name(self->stack, "verdict");
  if (ase_session_diagnosis(self->session)->state == ASE_DIAGNOSIS_NONE)
    aui_diagnosis_panel_find(self->diagnosis);
}

AuiDiagnosisPanel *aui_page_fit_diagnosis(AuiPageFit *self) {
  return self->diagnosis;
}

AuiFitPlots *aui_page_fit_plots(AuiPageFit *self) {
  return self->plots;
}

AuiFitCompare *aui_page_fit_compare(AuiPageFit *self) {
  return self->compare;
}

void aui_page_fit_show(AuiPageFit *self, guint joint) {
  gtk_adjustment_set_value(self->joints, joint);
}

/* ---- the object ---- */

static void dispose(GObject *object) {
  AuiPageFit *self = AUI_PAGE_FIT(object);
  g_clear_handle_id(&self->idle, g_source_remove);
  g_clear_object(&self->session);
  g_clear_object(&self->joints);
  gtk_widget_dispose_template(GTK_WIDGET(object), AUI_TYPE_PAGE_FIT);
  self->parameter_table = NULL;
  G_OBJECT_CLASS(aui_page_fit_parent_class)->dispose(object);
}

static void aui_page_fit_class_init(AuiPageFitClass *class) {
  GtkWidgetClass *widget = GTK_WIDGET_CLASS(class);
  G_OBJECT_CLASS(class)->dispose = dispose;
  gtk_widget_class_set_template_from_resource(widget, "/org/armature/Armature/page_fit.ui");
  gtk_widget_class_bind_template_child(widget, AuiPageFit, fit);
  gtk_widget_class_bind_template_child(widget, AuiPageFit, cancel);
  gtk_widget_class_bind_template_child(widget, AuiPageFit, friction);
  gtk_widget_class_bind_template_child(widget, AuiPageFit, summary);
  gtk_widget_class_bind_template_child(widget, AuiPageFit, stack);
  gtk_widget_class_bind_template_child(widget, AuiPageFit, joint_box);
  gtk_widget_class_bind_template_child(widget, AuiPageFit, parameters_box);
  gtk_widget_class_bind_template_child(widget, AuiPageFit, joints_box);
  gtk_widget_class_bind_template_child(widget, AuiPageFit, compare_box);
  gtk_widget_class_bind_template_child(widget, AuiPageFit, verdict_box);
  gtk_widget_class_bind_template_child(widget, AuiPageFit, verdicts_box);
  gtk_widget_class_bind_template_child(widget, AuiPageFit, verdict_line);
  gtk_widget_class_bind_template_child(widget, AuiPageFit, doubt_line);
  gtk_widget_class_bind_template_child(widget, AuiPageFit, doubts_box);
  gtk_widget_class_bind_template_callback(widget, on_fit);
  gtk_widget_class_bind_template_callback(widget, on_cancel);
  gtk_widget_class_bind_template_callback(widget, on_friction);
  gtk_widget_class_bind_template_callback(widget, on_copy);
  gtk_widget_class_bind_template_callback(widget, on_page);
}

static void aui_page_fit_init(AuiPageFit *self) {
  gtk_widget_init_template(GTK_WIDGET(self));
  self->joints = g_object_ref_sink(gtk_adjustment_new(1.0, 1.0, 1.0, 1.0, 1.0, 0.0));
  self->card = AUI_JOINT_CARD(aui_joint_card_new());
  self->parameter_table = aui_parameter_table_new();
  self->joint_table = aui_joint_table_new();
  self->verdict_table = aui_verdict_table_new();
  gtk_box_append(self->verdicts_box, GTK_WIDGET(self->verdict_table));
  gtk_box_append(self->parameters_box, GTK_WIDGET(self->parameter_table));
  gtk_box_append(self->joints_box, GTK_WIDGET(self->joint_table));
}

/* Beside the plots, as high as they are. */
static void add_card(AuiPageFit *self) {
  GtkWidget *scroll = gtk_scrolled_window_new();
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scroll), GTK_POLICY_NEVER,
                                 GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_overlay_scrolling(GTK_SCROLLED_WINDOW(scroll), false); /* not over "?" */
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroll), GTK_WIDGET(self->card));
  aui_fit_plots_add_side(self->plots, scroll);
}

/* Below the buttons what is to be known at once, in its page the rest. */
static void add_verdict(AuiPageFit *self) {
  self->verdict = AUI_VERDICT_BAR(aui_verdict_bar_new(self->session));
  self->diagnosis = AUI_DIAGNOSIS_PANEL(aui_diagnosis_panel_new(self->session));
  gtk_widget_set_hexpand(GTK_WIDGET(self->verdict), true);
  gtk_box_append(self->verdict_line, GTK_WIDGET(self->verdict));
  gtk_box_append(self->verdict_box, GTK_WIDGET(self->diagnosis));
  gtk_box_append(self->verdict_box, aui_limits_box_new(self->session));
  g_signal_connect_object(self->verdict, "find", G_CALLBACK(on_find), self, G_CONNECT_SWAPPED);
  self->doubts = AUI_DOUBT_BAR(aui_doubt_bar_new(self->session));
  gtk_box_append(self->doubt_line, GTK_WIDGET(self->doubts));
  g_signal_connect_object(self->doubts, "see", G_CALLBACK(on_see), self, G_CONNECT_SWAPPED);
}

GtkWidget *aui_page_fit_new(AseSession *session) {
  AuiPageFit *self = g_object_new(AUI_TYPE_PAGE_FIT, NULL);
  const GConnectFlags swapped = G_CONNECT_SWAPPED;
  self->session = g_object_ref(session);
  self->plots = AUI_FIT_PLOTS(aui_fit_plots_new(session, ase_session_measuring(session),
                                                ASE_PURPOSE_MEASURE, self->joints));
  gtk_box_prepend(self->joint_box, GTK_WIDGET(self->plots));
  add_card(self);
  self->compare = AUI_FIT_COMPARE(aui_fit_compare_new(session));
  gtk_box_append(self->compare_box, GTK_WIDGET(self->compare));
  add_verdict(self);
  g_signal_connect_object(session, "changed", G_CALLBACK(on_changed), self, swapped);
  g_signal_connect_object(session, "step-changed", G_CALLBACK(on_step), self, swapped);
  g_signal_connect_object(self->joints, "value-changed", G_CALLBACK(refresh_card), self, swapped);
  g_signal_connect(self, "map", G_CALLBACK(refresh), NULL);
  g_signal_connect_object(self->card, "marked", G_CALLBACK(on_marked), self, swapped);
  on_changed(self);
  return GTK_WIDGET(self);
}
