/* SPDX-License-Identifier: MIT */
/* All but what is read and written is one call of the session. What there is to say is in
 * motion_facts, what is drawn in motion_curves.
 *
 * While a file is read, what was chosen before is not to be seen, nor to be followed. */
#include "ui/sweep/page_motion.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "io/base/safe_text.h"
#include "io/base/said.h"
#include "session/base/job.h"
#include "ui/kit/ask.h"
#include "ui/kit/settings.h"
#include "ui/kit/steps.h"
#include "ui/sweep/motion_facts.h"
#include "ui/sweep/motion_reading.h"
#include "ui/sweep/motion_samples.h"
#include "ui/sweep/motion_side.h"
#include "ui/sweep/sweep_bar.h"

struct _AuiPageMotion {
  GtkBox parent_instance;
  AseSession *session;
  AuiMotionCurves curves;
  AseStepState seen; /* of the recording, as last told */
  GtkButton *choose, *save, *follow, *stop;
  GtkLabel *name, *summary, *left, *status, *hint, *guess, *problem;
  GtkImage *state;
  GtkProgressBar *progress;
  GtkStack *views;
  AdwStatusPage *empty;
  GtkDropDown *joint;
  guint joints; /* in the drop-down */
  AuiPlot *position, *current;
  AuiMotionSide *side;
  AseJob *reading;     /* a file; NULL: none */
  char *reading_words; /* what is said of that */
  AseJob *writing;     /* another one, of samples */
  char *refused;       /* why the last file or start was; NULL: it was not */
};

G_DEFINE_FINAL_TYPE(AuiPageMotion, aui_page_motion, GTK_TYPE_BOX)

static const AseRecordingState *state_of(AuiPageMotion *self) {
  return ase_session_record_state(self->session);
}

/* NULL, "": hidden. */
static void show_text(GtkLabel *label, const char *text) {
  g_autofree char *visible = text ? aio_text_visible(text, true) : g_strdup("");
  gtk_label_set_text(label, visible);
  gtk_widget_set_visible(GTK_WIDGET(label), *visible);
}

static void show_problem(AuiPageMotion *self, const char *text) {
  show_text(self->problem, text);
}

/* NULL: nothing is. */
static void refuse(AuiPageMotion *self, const char *why) {
  g_free(self->refused);
  self->refused = g_strdup(why);
  show_problem(self, why);
}

/* ---- what it is ---- */

static guint count_moving(const AseTrajectory *trajectory) {
  guint count = 0;
  for (gsize j = 0; j < trajectory->cubics->n; j++)
    count += trajectory->joints >> j & 1;
  return count;
}

static char *summary_text(AuiPageMotion *self) {
  const AseTrajectory *trajectory = ase_session_motion_to_follow(self->session);
  const double slowness = state_of(self)->slowness;
  if (!trajectory)
    return g_strdup("");
  g_autofree char *text = g_strdup_printf(
      /* Translators: seconds, how many joints, of how many */
      _("%.4g s, %u of %u joints move"), arm_cubics_duration(trajectory->cubics),
      count_moving(trajectory), (guint)trajectory->cubics->n);
  if (slowness <= 1.0)
    return g_steal_pointer(&text);
  /* Translators: what comes before, percent */
  return g_strdup_printf(_("%s; followed %.2f %% slower, to stay within the limits between its "
                           "samples"),
                         text, 100.0 * (slowness - 1.0));
}

static void show_motion(AuiPageMotion *self, const char *name, const char *summary,
                        const char *guess) {
  gtk_label_set_text(self->name, name);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->name), *name ? name : NULL); /* it is shortened */
  gtk_label_set_text(self->summary, summary);
  show_text(self->guess, guess);
}

static const char *empty_title(AuiPageMotion *self) {
  if (self->reading)
    return _("The file is being read");
  return state_of(self)->motion ? _("To be chosen again") : _("No motion yet");
}

static void show_name(AuiPageMotion *self) {
  const bool has_motion = !self->reading && ase_session_motion_to_follow(self->session);
  g_autofree char *name =
      state_of(self)->motion ? aio_text_visible(state_of(self)->motion, false) : g_strdup("");
  g_autofree char *summary = summary_text(self);
  g_autofree char *guess = aio_said_text(has_motion ? state_of(self)->guess : NULL);
  if (self->reading)
    show_motion(self, "", "", NULL);
  else
    show_motion(self, name, summary, guess);
  adw_status_page_set_title(self->empty, empty_title(self));
  gtk_stack_set_visible_child_name(self->views, has_motion ? "motion" : "empty");
}

/* "All joints", then each; another arm has others. */
static void fill_joints(AuiPageMotion *self) {
  const guint n = (guint)ase_session_arm(self->session)->model.n;
  if (n == self->joints)
    return;
  g_autoptr(GtkStringList) names = gtk_string_list_new(NULL);
  gtk_string_list_append(names, _("All joints"));
  for (guint j = 1; j <= n; j++)
    gtk_string_list_take(names, g_strdup_printf(_("Joint %u"), j));
  self->joints = n;
  gtk_drop_down_set_model(self->joint, G_LIST_MODEL(names));
}

/* ---- where it stands ---- */

static AuiMotionStanding standing_of(AuiPageMotion *self) {
  AseDevice *device = ase_session_device(self->session);
  const AioDescription *d = ase_device_description(device);
  return (AuiMotionStanding){.is_read_only = ase_session_is_read_only(self->session),
                             .is_connected = ase_device_link(device) == ASE_LINK_READY,
                             .can_follow = d && d->capabilities & AIO_CAN_TRAJECTORY,
                             .is_armed = ase_device_is_armed(device),
                             .has_motion = ase_session_motion_to_follow(self->session) != NULL,
                             .is_known = state_of(self)->motion != NULL,
                             .reading = self->reading ? self->reading_words : NULL,
                             .state = state_of(self)->state};
}

static void show_state(AuiPageMotion *self, AseStepState state) {
  const char *const classes[] = {aui_state_class(state), NULL};
  gtk_image_set_from_icon_name(self->state, aui_state_icon(state));
  gtk_widget_set_css_classes(GTK_WIDGET(self->state), (const char **)classes);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->state), aui_state_text(state));
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->state), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 aui_state_text(state), -1);
}

static void suggest(GtkButton *button, bool is_next) {
  (is_next ? gtk_widget_add_css_class : gtk_widget_remove_css_class)(GTK_WIDGET(button),
                                                                     "suggested-action");
}

static void show_reason(AuiPageMotion *self, AseStepState state) {
  const char *reason = self->reading ? "" : state_of(self)->reason;
  gtk_label_set_text(self->status, reason);
  gtk_widget_set_visible(GTK_WIDGET(self->status), *reason);
  gtk_label_set_text(self->left, "");
  gtk_progress_bar_set_fraction(self->progress, state == ASE_STATE_PASSED);
}

static void show_missing(AuiPageMotion *self, const AuiMotionStanding *standing) {
  const char *missing = aui_motion_missing(standing);
  const bool can = standing->state != ASE_STATE_RUNNING && !*missing;
  gtk_button_set_label(self->follow, aui_motion_deed(standing));
  gtk_widget_set_sensitive(GTK_WIDGET(self->follow), can);
  suggest(self->follow, can);
  gtk_label_set_text(self->hint, missing);
  gtk_widget_set_visible(GTK_WIDGET(self->hint), *missing);
}

/* A lock-out passes, nothing tells when, and the bar above counts it down. */
static void show_standing(AuiPageMotion *self) {
  AuiMotionStanding standing = standing_of(self);
  g_autoptr(GError) unarmed = NULL;
  const bool is_locked = ase_device_lockout_s(ase_session_device(self->session)) > 0.0;
  if (!is_locked && !ase_session_may_arm(self->session, &unarmed))
    standing.unarmed = unarmed->message;
  const bool moves = standing.state == ASE_STATE_RUNNING;
  const AseStepState state = aui_motion_state(&standing);
  show_state(self, state);
  show_missing(self, &standing);
  gtk_widget_set_sensitive(GTK_WIDGET(self->stop), moves);
  gtk_widget_set_sensitive(GTK_WIDGET(self->choose),
                           !moves && !self->reading && !standing.is_read_only);
  gtk_widget_set_sensitive(GTK_WIDGET(self->save),
                           !moves && !self->writing && ase_session_recorded_run(self->session));
  suggest(self->choose, !standing.has_motion && !self->reading);
  if (!moves)
    show_reason(self, state);
}

static void refresh(AuiPageMotion *self) {
  fill_joints(self);
  show_name(self);
  show_standing(self);
  g_autofree char *objection = aui_motion_side_show(self->side, self->session);
  show_problem(self, self->refused || self->reading ? self->refused : objection);
  aui_plot_invalidate(self->position);
  aui_plot_invalidate(self->current);
}

/* Nothing is left to move, as after the last sweep. */
static void on_changed(AuiPageMotion *self) {
  const AseStepState state = state_of(self)->state;
  if (self->seen == ASE_STATE_RUNNING && state == ASE_STATE_PASSED)
    ase_device_disarm(ase_session_device(self->session));
  self->seen = state;
  if (gtk_widget_get_mapped(GTK_WIDGET(self)))
    refresh(self);
}

static void on_device(AuiPageMotion *self) {
  if (gtk_widget_get_mapped(GTK_WIDGET(self)))
    show_standing(self);
}

/* ---- while it moves ---- */

static void on_clock(AuiPageMotion *self) {
  AseClock clock;
  if (!ase_session_clock(self->session, &clock) || state_of(self)->state != ASE_STATE_RUNNING)
    return;
  g_autofree char *text = aui_sweep_bar_left_text(&clock);
  gtk_label_set_text(self->left, text);
  gtk_progress_bar_set_fraction(self->progress, clock.part);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->progress), GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT,
                                 text, -1);
}

static void restart_plots(AuiPageMotion *self) {
  aui_plot_restart(self->position);
  aui_plot_restart(self->current);
}

static void on_leg(AuiPageMotion *self, guint index) {
  const AseItinerary *itinerary = ase_session_itinerary(self->session);
  if (state_of(self)->state != ASE_STATE_RUNNING || !itinerary || index >= itinerary->legs->len)
    return;
  const AseLeg *leg = &g_array_index(itinerary->legs, AseLeg, index);
  g_autofree char *text = ase_leg_text(&ase_session_arm(self->session)->model, leg);
  gtk_label_set_text(self->status, text);
  gtk_widget_set_visible(GTK_WIDGET(self->status), true);
  aui_motion_curves_leg(&self->curves, leg);
  restart_plots(self);
}

static void on_chunk(AuiPageMotion *self, const AioChunk *chunk) {
  if (!aui_motion_curves_add(&self->curves, chunk))
    return;
  aui_plot_invalidate(self->position);
  aui_plot_invalidate(self->current);
}

/* ---- a file ---- */

static void on_read(const char *refused, void *ctx) {
  AuiPageMotion *self = ctx;
  g_autofree char *why = g_strdup(refused);
  g_clear_pointer(&self->reading, ase_job_free); /* and with it `refused` */
  refuse(self, why);
  if (!why) {
    aui_motion_curves_forget(&self->curves);
    restart_plots(self);
  }
  refresh(self);
}

void aui_page_motion_read(AuiPageMotion *self, const char *path) {
  g_autofree char *refused = NULL;
  g_clear_pointer(&self->reading, ase_job_free);
  g_free(self->reading_words);
  self->reading_words = aui_motion_reading_text(path);
  self->reading = aui_motion_read(self->session, path, on_read, self, &refused);
  refuse(self, refused);
  refresh(self);
}

static void on_path(GtkWidget *widget, const char *path, gpointer data) {
  (void)data;
  aui_page_motion_read(AUI_PAGE_MOTION(widget), path);
}

/* ---- what was recorded ---- */

static void on_written(const char *path, const GError *error, void *ctx) {
  AuiPageMotion *self = ctx;
  g_autofree char *name = g_filename_display_basename(path);
  g_autofree char *text = g_strdup_printf(_("The samples are in %s."), name);
  if (error)
    refuse(self, error->message);
  else
    gtk_widget_activate_action(GTK_WIDGET(self), "session.tell", "s", text);
  g_clear_pointer(&self->writing, ase_job_free); /* and with it path and error */
  show_standing(self);
}

void aui_page_motion_write(AuiPageMotion *self, const char *path) {
  g_autoptr(GError) error = NULL;
  g_clear_pointer(&self->writing, ase_job_free);
  refuse(self, NULL);
  self->writing = aui_motion_samples_write(self->session, path, on_written, self, &error);
  if (error)
    refuse(self, error->message);
  show_standing(self);
}

static void on_save_path(GtkWidget *widget, const char *path, gpointer data) {
  (void)data;
  aui_page_motion_write(AUI_PAGE_MOTION(widget), path);
}

static void on_save(AuiPageMotion *self) {
  aui_ask_save(GTK_WIDGET(self), _("Samples as CSV"), "recording.csv", ".csv", on_save_path, NULL);
}

/* ---- buttons ---- */

static void on_choose(AuiPageMotion *self) {
  aui_ask_open(GTK_WIDGET(self), _("A motion to follow"), on_path, NULL);
}

static void on_follow(AuiPageMotion *self) {
  g_autoptr(GError) error = NULL;
  refuse(self, NULL);
  if (!ase_session_record(self->session, &error))
    refuse(self, error->message);
}

static void on_stop(AuiPageMotion *self) {
  ase_session_cancel(self->session);
}

static void on_joint(AuiPageMotion *self) {
  const guint k = gtk_drop_down_get_selected(self->joint);
  self->curves.joint = k == GTK_INVALID_LIST_POSITION ? 0 : k;
  if (self->session)
    restart_plots(self);
}

/* ---- the object ---- */

static AuiFigure *build_position(gpointer data) {
  return aui_motion_curves_position(&AUI_PAGE_MOTION(data)->curves);
}
static AuiFigure *build_current(gpointer data) {
  return aui_motion_curves_current(&AUI_PAGE_MOTION(data)->curves);
}

const char *aui_page_motion_problem(AuiPageMotion *self) {
  return gtk_label_get_text(self->problem);
}
const AuiMotionCurves *aui_page_motion_curves(AuiPageMotion *self) {
  return &self->curves;
}
AuiPlot *aui_page_motion_plot(AuiPageMotion *self) {
  return self->position;
}

static void watch(AuiPageMotion *self) {
  AseDevice *device = ase_session_device(self->session);
  const GConnectFlags swapped = G_CONNECT_SWAPPED;
  g_signal_connect_object(self->session, "changed", G_CALLBACK(on_changed), self, swapped);
  g_signal_connect_object(self->session, "leg", G_CALLBACK(on_leg), self, swapped);
  g_signal_connect_object(self->session, "clock", G_CALLBACK(on_clock), self, swapped);
  g_signal_connect_object(device, "chunk", G_CALLBACK(on_chunk), self, swapped);
  g_signal_connect_object(device, "changed", G_CALLBACK(on_device), self, swapped);
  g_signal_connect_object(aui_settings(), "changed::angle", G_CALLBACK(restart_plots), self,
                          swapped | G_CONNECT_AFTER);
}

GtkWidget *aui_page_motion_new(AseSession *session) {
  AuiPageMotion *self = g_object_new(AUI_TYPE_PAGE_MOTION, NULL);
  self->session = g_object_ref(session);
  self->seen = state_of(self)->state;
  aui_motion_curves_init(&self->curves, session);
  aui_plot_set_build(self->position, build_position, self);
  aui_plot_set_build(self->current, build_current, self);
  watch(self);
  refresh(self);
  return GTK_WIDGET(self);
}

static void aui_page_motion_map(GtkWidget *widget) {
  refresh(AUI_PAGE_MOTION(widget));
  GTK_WIDGET_CLASS(aui_page_motion_parent_class)->map(widget);
}

static void aui_page_motion_init(AuiPageMotion *self) {
  gtk_widget_init_template(GTK_WIDGET(self));
}

static void aui_page_motion_dispose(GObject *object) {
  AuiPageMotion *self = AUI_PAGE_MOTION(object);
  g_clear_pointer(&self->reading, ase_job_free);
  g_clear_pointer(&self->writing, ase_job_free);
  if (self->session) {
    g_signal_handlers_disconnect_by_data(self->session, self);
    g_signal_handlers_disconnect_by_data(ase_session_device(self->session), self);
    aui_motion_curves_clear(&self->curves);
  }
  g_clear_pointer(&self->refused, g_free);
  g_clear_pointer(&self->reading_words, g_free);
  g_clear_object(&self->session);
  gtk_widget_dispose_template(GTK_WIDGET(self), AUI_TYPE_PAGE_MOTION);
  G_OBJECT_CLASS(aui_page_motion_parent_class)->dispose(object);
}

static void bind_children(GtkWidgetClass *widget) {
  gtk_widget_class_bind_template_child(widget, AuiPageMotion, choose);
  gtk_widget_class_bind_template_child(widget, AuiPageMotion, save);
  gtk_widget_class_bind_template_child(widget, AuiPageMotion, follow);
  gtk_widget_class_bind_template_child(widget, AuiPageMotion, stop);
  gtk_widget_class_bind_template_child(widget, AuiPageMotion, name);
  gtk_widget_class_bind_template_child(widget, AuiPageMotion, summary);
  gtk_widget_class_bind_template_child(widget, AuiPageMotion, left);
  gtk_widget_class_bind_template_child(widget, AuiPageMotion, status);
  gtk_widget_class_bind_template_child(widget, AuiPageMotion, hint);
  gtk_widget_class_bind_template_child(widget, AuiPageMotion, guess);
  gtk_widget_class_bind_template_child(widget, AuiPageMotion, problem);
  gtk_widget_class_bind_template_child(widget, AuiPageMotion, state);
  gtk_widget_class_bind_template_child(widget, AuiPageMotion, progress);
  gtk_widget_class_bind_template_child(widget, AuiPageMotion, views);
  gtk_widget_class_bind_template_child(widget, AuiPageMotion, empty);
  gtk_widget_class_bind_template_child(widget, AuiPageMotion, joint);
  gtk_widget_class_bind_template_child(widget, AuiPageMotion, position);
  gtk_widget_class_bind_template_child(widget, AuiPageMotion, current);
  gtk_widget_class_bind_template_child(widget, AuiPageMotion, side);
}

static void aui_page_motion_class_init(AuiPageMotionClass *class) {
  GtkWidgetClass *widget = GTK_WIDGET_CLASS(class);
  G_OBJECT_CLASS(class)->dispose = aui_page_motion_dispose;
  widget->map = aui_page_motion_map;
  g_type_ensure(AUI_TYPE_PLOT);
  g_type_ensure(AUI_TYPE_MOTION_SIDE);
  gtk_widget_class_set_template_from_resource(widget, "/org/armature/Armature/page_motion.ui");
  bind_children(widget);
  gtk_widget_class_bind_template_callback(widget, on_choose);
  gtk_widget_class_bind_template_callback(widget, on_save);
  gtk_widget_class_bind_template_callback(widget, on_follow);
  gtk_widget_class_bind_template_callback(widget, on_stop);
  gtk_widget_class_bind_template_callback(widget, on_joint);
}
