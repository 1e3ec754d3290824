/* SPDX-License-Identifier: MIT */
/* The last message stays until what it is about has gone: a line that vanishes by itself is missed.
 * All of them are kept above. */
#include "ui/kit/strip.h"

#include <glib/gi18n.h>

#include "io/base/safe_text.h"
#include "session/recording.h"
#include "ui/kit/format.h"
#include "ui/kit/messages.h"
#include "ui/kit/steps.h"

/* What messages are about. */
typedef struct {
  bool is_ready, is_silent, is_armed, has_faults, has_no_room, has_plan;
  guint failed; /* bit k: step k has */
} Seen;

struct _AuiStrip {
  GtkBox parent_instance;
  AseSession *session;
  GtkInscription *doing; /* as wide, whatever it says */
  GtkLabel *left, *message;
  GtkProgressBar *progress;
  GtkButton *cancel;
  GtkToggleButton *open_log;
  AuiMessages *log;
  Seen seen;
  int level; /* of the message */
};

G_DEFINE_FINAL_TYPE(AuiStrip, aui_strip, GTK_TYPE_BOX)

/* Somebody's motion is no step. */
static bool is_following(AuiStrip *self) {
  return ase_session_record_state(self->session)->state == ASE_STATE_RUNNING;
}

static char *moving_text(AuiStrip *self, const char *title) {
  const AseItinerary *itinerary = ase_session_itinerary(self->session);
  const guint leg = ase_session_leg(self->session);
  if (!itinerary || leg >= itinerary->legs->len)
    return g_strdup(title);
  g_autofree char *text = ase_leg_text(&ase_session_arm(self->session)->model,
                                       &g_array_index(itinerary->legs, AseLeg, leg));
  return g_strdup_printf(_("%s: leg %u of %u, %s"), title, leg + 1, itinerary->legs->len, text);
}

static char *doing_text(AuiStrip *self, AseStep step) {
  AseClock clock;
  if (is_following(self))
    return moving_text(
        self,
        ase_moves_title(ase_session_clock(self->session, &clock) ? clock.what : ASE_MOVES_MOTION));
  if (step == ASE_STEPS)
    return g_strdup(_("nothing runs"));
  const char *title = ase_steps_title(ase_session_procedure(self->session)->table, step);
  return ase_step_moves(step) ? moving_text(self, title) : g_strdup(title);
}

static void refresh(AuiStrip *self) {
  const AseStep step = ase_procedure_find(ase_session_procedure(self->session), ASE_STATE_RUNNING);
  const bool runs = step != ASE_STEPS || is_following(self);
  g_autofree char *text = doing_text(self, step);
  gtk_inscription_set_text(self->doing, text);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->doing), text);
  gtk_widget_set_sensitive(GTK_WIDGET(self->cancel), runs);
  if (!runs) {
    gtk_label_set_text(self->left, "");
    gtk_progress_bar_set_fraction(self->progress, 0.0);
  }
}

static void show_progress(AuiStrip *self, double part, double left_s) {
  g_autofree char *time = aui_format_duration(left_s);
  g_autofree char *left = *time ? g_strdup_printf(_("%s left"), time) : g_strdup("");
  gtk_label_set_text(self->left, left);
  gtk_progress_bar_set_fraction(self->progress, CLAMP(part, 0.0, 1.0));
}

static void on_clock(AuiStrip *self) {
  AseClock clock;
  if (ase_session_clock(self->session, &clock))
    show_progress(self, clock.part, clock.left_s);
}

/* What is computed; what moves has its clock. */
static void on_progress(AuiStrip *self, guint step, double part, double left_s) {
  if (!ase_step_moves(step) && step != ASE_STEPS)
    show_progress(self, part, left_s);
}

/* ---- the last message, until what it is about has gone ---- */

static Seen look(AuiStrip *self) {
  const AseProcedure *procedure = ase_session_procedure(self->session);
  AseDevice *device = ase_session_device(self->session);
  Seen seen = {.is_ready = ase_device_link(device) == ASE_LINK_READY,
               .is_silent = ase_device_is_silent(device),
               .is_armed = ase_device_is_armed(device),
               .has_faults = ase_device_state(device)->faults != 0,
               .has_no_room = ase_session_disk_failure(self->session) != NULL,
               .has_plan = ase_procedure_state(procedure, ASE_STEP_PLAN) == ASE_STATE_PASSED};
  for (AseStep step = 0; step < ASE_STEPS; step++)
    if (ase_procedure_state(procedure, step) == ASE_STATE_FAILED)
      seen.failed |= ASE_BIT(step);
  return seen;
}

static bool has_gone(const Seen *before, const Seen *now) {
  return (now->is_ready && !before->is_ready) || (now->is_armed && !before->is_armed) ||
         (before->is_silent && !now->is_silent) || (before->has_faults && !now->has_faults) ||
         (before->has_no_room && !now->has_no_room) || (now->has_plan && !before->has_plan) ||
         (before->failed & ~now->failed);
}

static void show_message(AuiStrip *self, int level, const char *text) {
  static const char *const classes[] = {"", "warning", "error"};
  const char *const css[] = {classes[level], NULL};
  self->level = level;
  gtk_label_set_text(self->message, text);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->message), text);
  gtk_widget_set_css_classes(GTK_WIDGET(self->message), (const char **)css);
}

/* All of them stay above. Which state a message is about is not known: it goes with any that gets
 * better. */
static void on_state(AuiStrip *self) {
  const Seen now = look(self);
  if (self->level > 0 && has_gone(&self->seen, &now))
    show_message(self, 0, "");
  self->seen = now;
}

void aui_strip_say(AuiStrip *self, int level, const char *text) {
  g_autoptr(GDateTime) now = g_date_time_new_now_local();
  g_autofree char *time = g_date_time_format(now, "%H:%M:%S");
  g_autofree char *visible = aio_text_visible(text, false);
  g_autofree char *line = g_strdup_printf("%s  %s", time, visible);
  show_message(self, CLAMP(level, 0, 2), visible);
  self->seen = look(self);
  aui_messages_append(self->log, line);
}

static void on_refused(AuiStrip *self, const char *why) {
  aui_strip_say(self, 2, why);
}

void aui_strip_toggle_log(AuiStrip *self) {
  gtk_toggle_button_set_active(self->open_log, !gtk_toggle_button_get_active(self->open_log));
}

static void on_cancel(AuiStrip *self) {
  ase_session_cancel(self->session);
}

void aui_strip_set_session(AuiStrip *self, AseSession *session) {
  self->session = g_object_ref(session);
  g_signal_connect_object(session, "step-changed", G_CALLBACK(refresh), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(session, "changed", G_CALLBACK(refresh), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(session, "leg", G_CALLBACK(refresh), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(session, "clock", G_CALLBACK(on_clock), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(session, "progress", G_CALLBACK(on_progress), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(session, "message", G_CALLBACK(aui_strip_say), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(session, "changed", G_CALLBACK(on_state), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(session, "step-changed", G_CALLBACK(on_state), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(ase_session_device(session), "changed", G_CALLBACK(on_state), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(ase_session_device(session), "refused", G_CALLBACK(on_refused), self,
                          G_CONNECT_SWAPPED);
  self->seen = look(self);
  refresh(self);
}

bool aui_say_failed(GtkWidget *from, bool is_done, GError **error) {
  if (is_done)
    return true;
  gtk_widget_activate_action(from, "session.say", "s", (*error)->message);
  g_clear_error(error);
  return false;
}

static void dispose(GObject *object) {
  g_clear_object(&AUI_STRIP(object)->session);
  gtk_widget_dispose_template(GTK_WIDGET(object), AUI_TYPE_STRIP);
  G_OBJECT_CLASS(aui_strip_parent_class)->dispose(object);
}

static void aui_strip_class_init(AuiStripClass *class) {
  GtkWidgetClass *widget = GTK_WIDGET_CLASS(class);
  G_OBJECT_CLASS(class)->dispose = dispose;
  g_type_ensure(AUI_TYPE_MESSAGES);
  gtk_widget_class_set_template_from_resource(widget, "/org/armature/Armature/strip.ui");
  gtk_widget_class_bind_template_child(widget, AuiStrip, doing);
  gtk_widget_class_bind_template_child(widget, AuiStrip, left);
  gtk_widget_class_bind_template_child(widget, AuiStrip, message);
  gtk_widget_class_bind_template_child(widget, AuiStrip, progress);
  gtk_widget_class_bind_template_child(widget, AuiStrip, cancel);
  gtk_widget_class_bind_template_child(widget, AuiStrip, log);
  gtk_widget_class_bind_template_child(widget, AuiStrip, open_log);
  gtk_widget_class_bind_template_callback(widget, on_cancel);
}

static void aui_strip_init(AuiStrip *self) {
  gtk_widget_init_template(GTK_WIDGET(self));
}
