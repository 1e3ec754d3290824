/* SPDX-License-Identifier: MIT */
/* A plan by hand is forecast by itself a moment after the last edit. Lists that are long are filled
 * only while they are in sight. */
#include "ui/plan/page_plan.h"

#include <glib/gi18n.h>
#include <string.h>

#include "ui/arm/arm_edit.h"
#include "ui/arm/arm_view.h"
#include "ui/kit/bullets.h"
#include "ui/kit/cell.h"
#include "ui/kit/format.h"
#include "ui/kit/strip.h"
#include "ui/kit/why.h"
#include "ui/plan/forecast_table.h"
#include "ui/plan/hold_table.h"
#include "ui/plan/leg_list.h"
#include "ui/plan/plan_edit.h"
#include "ui/plan/sweep_table.h"

enum { FORECAST_MS = 600, POSE_MS = 200 };
enum { FIELD_SPEEDS = AUI_WAY_WARM_UP + 1 }; /* beside the fields of the way */

struct _AuiPagePlan {
  GtkBox parent_instance;
  AseSession *session;
  GtkButton *propose, *forecast, *cancel;
  GtkProgressBar *progress;
  GtkLabel *summary, *problem, *warnings, *unknowns, *caption;
  GtkStack *stack;
  GtkWidget *tabs;
  GtkBox *speeds_box, *sweeps_box, *way_box, *forecast_box, *warnings_box;
  GtkFlowBox *way_options;
  AuiSweepTable *sweeps;
  AuiHoldTable *holds;
  AuiLegList *legs;
  GtkWidget *speeds, *moves; /* options that tell the unit of angles */
  GtkGrid *parameters;
  GtkCheckButton *together;
  AuiArmView *view;
  guint joint;    /* whose holds are shown, from 1; 0: none */
  ArmPlan *asked; /* the plan that a forecast was begun for by itself, until there is one */
  bool is_filling;
  guint forecast_timer, pose_timer;
};

G_DEFINE_FINAL_TYPE(AuiPagePlan, aui_page_plan, GTK_TYPE_BOX)

static const AioArm *arm_of(const AuiPagePlan *self) {
  return ase_session_arm(self->session);
}

static AseStepState state_of(const AuiPagePlan *self) {
  return ase_procedure_state(ase_session_procedure(self->session), ASE_STEP_PLAN);
}

/* ---- what the user asks for ---- */

static bool start(AuiPagePlan *self) {
  GError *error = NULL;
  return aui_say_failed(GTK_WIDGET(self), ase_session_start(self->session, ASE_STEP_PLAN, &error),
                        &error);
}

/* A plan by hand would be kept: it is given up, and undo brings it back. */
static void on_propose(AuiPagePlan *self) {
  const AseEdits *now = ase_session_edits(self->session);
  if (now->has_plan && !now->is_proposed) {
    g_autofree AseEdits *edits = g_memdup2(now, sizeof *edits);
    edits->has_plan = false;
    memset(&edits->plan, 0, sizeof edits->plan);
    ase_session_set_edits(self->session, edits, _("plan by hand"));
  }
  start(self);
}

static void on_forecast(AuiPagePlan *self) {
  start(self);
}

static void on_cancel(AuiPagePlan *self) {
  ase_session_cancel(self->session);
}

static void on_together(AuiPagePlan *self) {
  if (self->is_filling)
    return;
  g_autofree AseEdits *edits = g_memdup2(ase_session_edits(self->session), sizeof *edits);
  edits->itinerary.moves_together = gtk_check_button_get_active(self->together);
  ase_session_set_edits(self->session, edits, _("way"));
}

/* ---- speeds and the way: cells without a row ---- */

static char *cell_text(gpointer page, guint row, guint field) {
  AuiPagePlan *self = page;
  const AseEdits *edits = ase_session_edits(self->session);
  (void)row;
  return field == FIELD_SPEEDS ? aui_speeds_text(edits)
                               : aui_way_text(arm_of(self), edits, (AuiWayField)field);
}

static gpointer change(gpointer page, guint row, guint field, const char *text, GError **error) {
  AuiPagePlan *self = page;
  g_autofree AseEdits *edits = g_memdup2(ase_session_edits(self->session), sizeof *edits);
  (void)row;
  const bool ok = field == FIELD_SPEEDS
                      ? aui_speeds_set(edits, text, error)
                      : aui_way_set(arm_of(self), edits, (AuiWayField)field, text, error);
  return ok ? g_steal_pointer(&edits) : NULL;
}

static void take(gpointer page, guint row, guint field, gconstpointer edits) {
  AuiPagePlan *self = page;
  (void)row;
  ase_session_set_edits(self->session, edits, field == FIELD_SPEEDS ? _("speeds") : _("way"));
}

static void tell(gpointer page, const char *problem) {
  GtkLabel *label = AUI_PAGE_PLAN(page)->problem;
  gtk_label_set_text(label, problem);
  gtk_widget_set_visible(GTK_WIDGET(label), *problem != '\0');
}

static const AuiCells cells = {.text = cell_text, .change = change, .take = take, .tell = tell};

static void name_option(GtkWidget *option, const char *title, const char *name, const char *tip) {
  GtkWidget *label = gtk_widget_get_first_child(option);
  gtk_label_set_text(GTK_LABEL(label), title);
  gtk_widget_set_tooltip_text(label, tip);
  gtk_accessible_update_property(GTK_ACCESSIBLE(gtk_widget_get_last_child(option)),
                                 GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
}

static GtkWidget *option_new(AuiPagePlan *self, guint field, const char *title, const char *name,
                             const char *tip, int chars) {
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
  gtk_box_append(GTK_BOX(box), gtk_label_new(""));
  gtk_box_append(GTK_BOX(box), aui_cell_new(&cells, self, 0, field, name, chars));
  name_option(box, title, name, tip);
  return box;
}

static void refresh_units(AuiPagePlan *self) {
  const bool turns_in_rad = aui_format_angle_scale() == 1.0;
  GtkEditable *speeds = GTK_EDITABLE(gtk_widget_get_last_child(self->speeds));
  name_option(self->speeds, turns_in_rad ? _("Speeds, rad/s") : _("Speeds, deg/s"),
              turns_in_rad ? _("Speeds of the sweeps in radians per second")
                           : _("Speeds of the sweeps in degrees per second"),
              turns_in_rad ? _("Of sweeps in plans to be proposed; sliding joints take 57 mm/s for "
                               "each rad/s")
                           : _("Of sweeps in plans to be proposed; sliding joints take the same "
                               "numbers in mm/s"));
  gtk_editable_set_width_chars(speeds, turns_in_rad ? 24 : 14);
  gtk_editable_set_max_width_chars(speeds, turns_in_rad ? 24 : 14);
  name_option(self->moves, turns_in_rad ? _("Moves, rad/s") : _("Moves, deg/s"),
              turns_in_rad ? _("Speed of moves between holds in radians per second")
                           : _("Speed of moves between holds in degrees per second"),
              turns_in_rad ? _("Speed between holds; sliding joints take 57 mm/s for each rad/s")
                           : _("Speed between holds; sliding joints take the same number in "
                               "mm/s"));
}

/* ---- the picture ---- */

static void show_hold(AuiPagePlan *self, guint hold) {
  const ArmPlan *plan = ase_session_plan(self->session);
  double from[ARM_MAX_JOINTS], to[ARM_MAX_JOINTS];
  if (!plan || !self->joint || !hold || hold > plan->joint[self->joint - 1].n_holds)
    return;
  const ArmJointPlan *p = &plan->joint[self->joint - 1];
  memcpy(from, p->holds[hold - 1], sizeof from);
  memcpy(to, from, sizeof to);
  from[self->joint - 1] = p->from, to[self->joint - 1] = p->to;
  aui_arm_view_show_way(self->view, from, to);
  aui_arm_view_mark_joint(self->view, self->joint);
  g_autofree char *of = aui_joint_text(arm_of(self), self->joint - 1);
  g_autofree char *text = g_strdup_printf(_("Hold %u of %s: the sweep, ending in blue"), hold, of);
  gtk_label_set_text(self->caption, text);
}

static void show_leg(AuiPagePlan *self, guint leg) {
  const AseItinerary *itinerary = ase_session_itinerary(self->session);
  double from[ARM_MAX_JOINTS], to[ARM_MAX_JOINTS];
  if (!itinerary || leg >= itinerary->legs->len)
    return;
  const AseLeg *l = &g_array_index(itinerary->legs, AseLeg, leg);
  ase_itinerary_pose(itinerary, leg, 0.0, from);
  ase_itinerary_pose(itinerary, leg, l->sweeps ? 1.0 / l->passes : 1.0, to);
  aui_arm_view_show_way(self->view, from, to);
  aui_arm_view_mark_joint(self->view, l->joint);
  g_autofree char *text =
      g_strdup_printf(_("Leg %u: the way of the tool, ending in blue"), leg + 1);
  gtk_label_set_text(self->caption, text);
}

static void refresh_pose(AuiPagePlan *self) {
  const ArmModel *model = &arm_of(self)->model;
  double q[ARM_MAX_JOINTS] = {0.0};
  ase_device_last_pose(ase_session_device(self->session), (guint)model->n, q);
  aui_arm_view_show(self->view, model, q);
}

static gboolean on_pose_timer(gpointer data) {
  if (gtk_widget_get_mapped(data))
    refresh_pose(data);
  return G_SOURCE_CONTINUE;
}

static void on_joint(AuiPagePlan *self, guint joint) {
  self->joint = joint;
  aui_hold_table_show(self->holds, joint);
  show_hold(self, 1);
}

/* ---- what is promised ---- */

static void show_list(GtkLabel *label, GPtrArray *list) {
  g_autofree char *text = aui_bullets(list);
  gtk_label_set_text(label, text);
  gtk_widget_set_visible(GTK_WIDGET(label), list->len > 0);
  g_ptr_array_unref(list);
}

static void refresh_warnings(AuiPagePlan *self) {
  const ArmPlan *plan = ase_session_plan(self->session);
  const ArmPlanReport *report = ase_session_forecast(self->session);
  g_autoptr(GPtrArray) none = g_ptr_array_new_with_free_func(g_free);
  GPtrArray *warnings =
      plan ? aui_plan_warnings(arm_of(self), plan, report) : g_ptr_array_ref(none);
  g_autoptr(GError) error = NULL;
  if (plan && !ase_edits_check_plan(ase_session_edits(self->session), &arm_of(self)->model, &error))
    g_ptr_array_add(warnings, g_strdup(error->message));
  gtk_widget_set_visible(GTK_WIDGET(self->warnings_box), warnings->len > 0);
  show_list(self->warnings, warnings);
  g_auto(ArmParamSet) found = {0};
  const bool has_found = ase_session_foreseen(self->session, &found);
  show_list(self->unknowns,
            has_found ? aui_plan_unknowns(arm_of(self), &found) : g_ptr_array_ref(none));
}

static char *legs_text(AuiPagePlan *self) {
  const AseItinerary *itinerary = ase_session_itinerary(self->session);
  if (!itinerary)
    return g_strdup(_("The way from sweep to sweep is laid out when an arm is connected."));
  g_autofree char *time =
      aui_format_duration(ase_session_wall_s(self->session, itinerary->duration_s));
  return g_strdup_printf(ngettext("%u leg, dry run and validation included: about %s",
                                  "%u legs, dry run and validation included: about %s",
                                  itinerary->legs->len),
                         itinerary->legs->len, time);
}

static char *summary_text(AuiPagePlan *self) {
  const ArmPlan *plan = ase_session_plan(self->session);
  const AseStepInfo *step = &ase_session_procedure(self->session)->steps[ASE_STEP_PLAN];
  const AseStepState state = state_of(self);
  if (state == ASE_STATE_RUNNING)
    return g_strdup(ase_session_edits(self->session)->has_plan && plan
                        ? _("The forecast is being computed…")
                        : _("Holds and sweeps are being searched for…"));
  if (state == ASE_STATE_FAILED)
    return g_strdup_printf(_("No forecast: %s"), ase_step_reason(step));
  if (!plan)
    return g_strdup(_("No plan yet. Propose one: the holds and sweeps that tell the parameters "
                      "apart best, within what is free."));
  if (!ase_session_forecast(self->session) && state != ASE_STATE_PASSED)
    return g_strdup(_("Plan, ranges or speeds were changed: the forecast is due again."));
  g_autofree char *legs = legs_text(self);
  const AseStepInfo *dry = &ase_session_procedure(self->session)->steps[ASE_STEP_DRY_RUN];
  /* of the joints that were planned again after the first one */
  const bool is_again = dry->state == ASE_STATE_STALE && dry->reason == step->reason;
  return is_again ? g_strdup_printf("%s\n%s", legs, ase_step_reason(step)) : g_steal_pointer(&legs);
}

static void refresh_step(AuiPagePlan *self) {
  const AseStepState state = state_of(self);
  const AseEdits *edits = ase_session_edits(self->session);
  const bool runs = state == ASE_STATE_RUNNING;
  g_autofree char *summary = summary_text(self);
  gtk_label_set_text(self->summary, summary);
  gtk_widget_set_visible(GTK_WIDGET(self->cancel), runs);
  gtk_widget_set_visible(GTK_WIDGET(self->progress), runs);
  gtk_widget_set_sensitive(GTK_WIDGET(self->propose), !runs && state != ASE_STATE_WAITING);
  (state == ASE_STATE_PASSED ? gtk_widget_remove_css_class : gtk_widget_add_css_class)(
      GTK_WIDGET(self->propose), "suggested-action");
  gtk_widget_set_visible(GTK_WIDGET(self->forecast), edits->has_plan && !edits->is_outdated &&
                                                         !runs &&
                                                         !ase_session_forecast(self->session));
  if (!runs)
    gtk_progress_bar_set_fraction(self->progress, 0.0);
}

static void on_progress(AuiPagePlan *self, guint step, double part) {
  if (step == ASE_STEP_PLAN)
    gtk_progress_bar_set_fraction(self->progress, CLAMP(part, 0.0, 1.0));
}

/* ---- a plan by hand, or one that undo brings back, gets its forecast by itself, a moment after
 * the last edit ---- */

static bool wants_forecast(const AuiPagePlan *self) {
  const AseEdits *edits = ase_session_edits(self->session);
  const AseStepState state = state_of(self);
  return edits->has_plan && !edits->is_outdated && !ase_session_forecast(self->session) &&
         state != ASE_STATE_RUNNING && state != ASE_STATE_PASSED &&
         ase_plan_differs(self->asked, &edits->plan);
}

static gboolean on_forecast_timer(gpointer data) {
  AuiPagePlan *self = data;
  self->forecast_timer = 0;
  if (wants_forecast(self) && !ase_session_is_read_only(self->session)) {
    memcpy(self->asked, &ase_session_edits(self->session)->plan, sizeof *self->asked);
    start(self);
  }
  return G_SOURCE_REMOVE;
}

/* The longest of the page, and out of sight most of the time. */
static void refresh_lists(AuiPagePlan *self) {
  if (gtk_widget_get_mapped(GTK_WIDGET(self->legs)))
    aui_leg_list_refresh(self->legs);
  if (!gtk_widget_get_mapped(GTK_WIDGET(self->parameters)))
    return;
  g_auto(ArmParamSet) found = {0};
  const bool has_found = ase_session_foreseen(self->session, &found);
  aui_forecast_table_fill(self->parameters, has_found ? &found : NULL);
}

static void refresh(AuiPagePlan *self) {
  const ArmPlan *plan = ase_session_plan(self->session);
  refresh_units(self);
  aui_cells_refresh(GTK_WIDGET(self->speeds_box));
  aui_cells_refresh(GTK_WIDGET(self->way_options));
  self->is_filling = true;
  gtk_check_button_set_active(self->together,
                              ase_session_edits(self->session)->itinerary.moves_together);
  self->is_filling = false;
  aui_sweep_table_refresh(self->sweeps);
  aui_hold_table_show(self->holds, plan ? self->joint : 0);
  gtk_widget_set_visible(self->tabs, plan != NULL);
  refresh_lists(self);
  refresh_warnings(self);
  refresh_step(self);
  if (!plan)
    aui_arm_view_show_way(self->view, NULL, NULL);
  if (ase_session_forecast(self->session))
    memset(self->asked, 0, sizeof *self->asked);
  g_clear_handle_id(&self->forecast_timer, g_source_remove);
  if (wants_forecast(self))
    self->forecast_timer = g_timeout_add(FORECAST_MS, on_forecast_timer, self);
}

/* ---- the object ---- */

static void dispose(GObject *object) {
  AuiPagePlan *self = AUI_PAGE_PLAN(object);
  g_clear_handle_id(&self->forecast_timer, g_source_remove);
  g_clear_handle_id(&self->pose_timer, g_source_remove);
  g_clear_pointer(&self->asked, g_free);
  gtk_widget_dispose_template(GTK_WIDGET(object), AUI_TYPE_PAGE_PLAN);
  g_clear_object(&self->session);
  G_OBJECT_CLASS(aui_page_plan_parent_class)->dispose(object);
}

static void aui_page_plan_class_init(AuiPagePlanClass *class) {
  GtkWidgetClass *widget = GTK_WIDGET_CLASS(class);
  G_OBJECT_CLASS(class)->dispose = dispose;
  g_type_ensure(AUI_TYPE_ARM_VIEW);
  gtk_widget_class_set_template_from_resource(widget, "/org/armature/Armature/page_plan.ui");
#define BIND(child) gtk_widget_class_bind_template_child(widget, AuiPagePlan, child)
  BIND(propose), BIND(forecast), BIND(cancel), BIND(progress), BIND(summary), BIND(problem);
  BIND(warnings), BIND(unknowns), BIND(caption), BIND(stack), BIND(tabs), BIND(sweeps_box);
  BIND(speeds_box), BIND(way_box), BIND(way_options), BIND(forecast_box), BIND(warnings_box),
      BIND(together);
  BIND(view);
#undef BIND
  gtk_widget_class_bind_template_callback(widget, on_propose);
  gtk_widget_class_bind_template_callback(widget, on_forecast);
  gtk_widget_class_bind_template_callback(widget, on_cancel);
  gtk_widget_class_bind_template_callback(widget, on_together);
}

static void aui_page_plan_init(AuiPagePlan *self) {
  gtk_widget_init_template(GTK_WIDGET(self));
  self->asked = g_new0(ArmPlan, 1);
  self->parameters = aui_forecast_table_new();
  gtk_box_append(self->forecast_box, GTK_WIDGET(self->parameters));
  gtk_box_append(self->warnings_box, aui_why_new("similar-poses"));
}

static void append_option(AuiPagePlan *self, GtkWidget *option) {
  gtk_flow_box_append(self->way_options, option);
  gtk_widget_set_focusable(gtk_widget_get_parent(option), false);
}

static void add_options(AuiPagePlan *self) {
  self->speeds = option_new(self, FIELD_SPEEDS, "", "", NULL, 14);
  self->moves = option_new(self, AUI_WAY_SPEED, "", "", NULL, 6);
  gtk_box_append(self->speeds_box, self->speeds);
  append_option(self,
                option_new(self, AUI_WAY_ORDER, _("Order"), _("Order in which the joints move"),
                           _("In which the joints move from hold to hold, one after the "
                             "other"),
                           13));
  append_option(self, self->moves);
  append_option(self, option_new(self, AUI_WAY_WARM_UP, _("Warm-up, min"), _("Warm-up in minutes"),
                                 _("Every joint sweeps for this long in all before anything is "
                                   "measured"),
                                 4));
}

static void add_parts(AuiPagePlan *self) {
  self->sweeps = AUI_SWEEP_TABLE(aui_sweep_table_new(self->session));
  self->holds = AUI_HOLD_TABLE(aui_hold_table_new(self->session));
  self->legs = AUI_LEG_LIST(aui_leg_list_new(self->session));
  gtk_box_append(self->sweeps_box, GTK_WIDGET(self->sweeps));
  gtk_box_append(self->sweeps_box, GTK_WIDGET(self->holds));
  gtk_box_append(self->way_box, GTK_WIDGET(self->legs));
  add_options(self);
  g_signal_connect_object(self->sweeps, "chosen", G_CALLBACK(on_joint), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->sweeps, "problem", G_CALLBACK(tell), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->holds, "chosen", G_CALLBACK(show_hold), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->holds, "problem", G_CALLBACK(tell), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->legs, "chosen", G_CALLBACK(show_leg), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->legs, "map", G_CALLBACK(refresh_lists), self,
                          G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  g_signal_connect_object(self->parameters, "map", G_CALLBACK(refresh_lists), self,
                          G_CONNECT_SWAPPED | G_CONNECT_AFTER);
}

GtkWidget *aui_page_plan_new(AseSession *session) {
  AuiPagePlan *self = g_object_new(AUI_TYPE_PAGE_PLAN, NULL);
  self->session = g_object_ref(session);
  add_parts(self);
  g_signal_connect_object(session, "changed", G_CALLBACK(refresh), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(session, "step-changed", G_CALLBACK(refresh_step), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(session, "progress", G_CALLBACK(on_progress), self, G_CONNECT_SWAPPED);
  self->pose_timer = g_timeout_add(POSE_MS, on_pose_timer, self);
  refresh_pose(self);
  refresh(self);
  return GTK_WIDGET(self);
}
