/* SPDX-License-Identifier: MIT */
/* The two stops stay where they are and whole, whatever is beside them. The first button means
 * three things in turn; a moment of rest lies between, or a double-click would arm. */
#include "ui/motion_bar.h"

#include <glib/gi18n.h>
#include <math.h>

#include "ui/arming.h"
#include "ui/kit/format.h"
#include "ui/kit/press_button.h"
#include "ui/kit/settings.h"
#include "ui/kit/strip.h"

enum { REFRESH_MS = 250 };
/* The stops shall be on the screen: where the desktop has text larger than this, what is beside
 * them may be shortened, its tooltip has all of it; "(arm may fall)" goes on in another line. */
#define LARGE_TEXT 1.2
enum { POWER_OFF_CHARS = 12 };
/* Two clicks on "Clear faults" or "Disarm" shall not arm. */
enum { CLEARED_US = G_USEC_PER_SEC, REST_US = G_USEC_PER_SEC };

/* What the first button does: arming is refused while a fault is latched. */
typedef enum { DEED_ARM, DEED_DISARM, DEED_CLEAR } Deed;

struct _AuiMotionBar {
  GtkBox parent_instance;
  AseSession *session;
  AuiPressButton *arm;
  GtkButton *halt, *power_off;
  GtkLabel *state;
  Deed deed;         /* that is shown */
  gint64 cleared_us; /* when that was asked for; 0: not lately */
  gint64 rests_us;   /* until then it is not used */
  guint timer;
};

G_DEFINE_FINAL_TYPE(AuiMotionBar, aui_motion_bar, GTK_TYPE_BOX)

static AseDevice *device_of(AuiMotionBar *self) {
  return ase_session_device(self->session);
}

static Deed deed_of(AseDevice *device) {
  if (ase_device_is_armed(device))
    return DEED_DISARM;
  return ase_device_state(device)->faults ? DEED_CLEAR : DEED_ARM;
}

static bool can(AuiMotionBar *self, Deed deed) {
  AseDevice *device = device_of(self);
  if (deed == DEED_ARM)
    return !self->cleared_us && ase_session_may_arm(self->session, NULL);
  return ase_device_link(device) == ASE_LINK_READY && ase_device_lockout_s(device) <= 0.0 &&
         (deed == DEED_DISARM || (!self->cleared_us && !ase_device_estop_is_open(device)));
}

static void set_tip(GtkWidget *widget, const char *tip) {
  const char *shown = gtk_widget_get_tooltip_text(widget);
  if (g_strcmp0(shown, *tip ? tip : NULL) == 0)
    return;
  gtk_widget_set_tooltip_text(widget, tip);
  gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, tip,
                                 -1);
}

/* g_free. */
static char *deed_tip(AuiMotionBar *self, Deed deed, const char *faults) {
  g_autoptr(GError) error = NULL;
  if (deed == DEED_ARM && !ase_session_may_arm(self->session, &error))
    return g_strdup(error->message);
  if (deed == DEED_ARM && aui_arming_is_deliberate(self->session))
    return g_strdup(_("Press and hold for a second: the arm may move, until it has not moved for a "
                      "while"));
  if (deed != DEED_CLEAR)
    return g_strdup(_("Let the arm move, until it has not moved for a while"));
  return g_strdup(ase_device_estop_is_open(device_of(self))
                      ? _("the emergency stop chain is open; release the emergency stop button")
                      : faults);
}

static void show_deed(AuiMotionBar *self, Deed deed, const char *faults) {
  const char *const texts[] = {[DEED_ARM] = C_("let the arm move", "Arm"),
                               [DEED_DISARM] = _("Disarm"),
                               [DEED_CLEAR] = _("Clear faults")};
  const bool is_possible = can(self, deed);
  const bool is_new = deed != self->deed || !gtk_widget_get_sensitive(GTK_WIDGET(self->arm));
  const gint64 now = g_get_monotonic_time();
  g_autofree char *tip = deed_tip(self, deed, faults);
  if (deed == DEED_ARM && is_possible && is_new)
    self->rests_us = now + REST_US;
  self->deed = deed;
  if (g_strcmp0(gtk_button_get_label(GTK_BUTTON(self->arm)), texts[deed]) != 0)
    gtk_button_set_label(GTK_BUTTON(self->arm), texts[deed]);
  set_tip(GTK_WIDGET(self->arm), tip);
  gtk_widget_set_sensitive(GTK_WIDGET(self->arm), is_possible);
  aui_press_button_set_needs_long_press(self->arm, deed == DEED_ARM &&
                                                       aui_arming_is_deliberate(self->session));
  aui_press_button_set_deaf(self->arm, deed == DEED_ARM && now < self->rests_us);
}

static char *armed_text(AseDevice *device) {
  g_autofree char *left = aui_format_duration(ase_device_armed_left_s(device));
  if (!g_settings_get_boolean(aui_settings(), "shows-lease") ||
      !(ase_device_last_capabilities(device) & AIO_CAN_LEASE))
    return g_strdup_printf(_("ARMED, %s left"), left);
  /* Translators: armed for so long if nothing moves; it holds so long after the computer falls
   * silent. In two lines (\n) where it is longer than thirty letters: the stops are beside it. */
  return g_strdup_printf(_("ARMED, %s left, lease %.1f s"), left,
                         1e-3 * ase_device_lease_ms(device));
}

/* faults: "" for none */
static char *state_text(AseDevice *device, const char *faults) {
  const double lockout_s = ase_device_lockout_s(device);
  if (ase_device_link(device) != ASE_LINK_READY)
    return g_strdup(_("not connected"));
  if (ase_device_is_silent(device)) /* not "not armed": that would be a guess */
    return g_strdup(ase_device_is_armed(device) ? _("ARMED, no answer") : _("no answer"));
  if (ase_device_is_armed(device))
    return armed_text(device);
  if (lockout_s > 0.0)
    return g_strdup_printf(_("locked for %.0f s"), ceil(lockout_s));
  if (*faults)
    return g_strdup(faults);
  return g_strdup(aio_device_state_text(ase_device_state(device)->state));
}

/* otherwise: what there is to say unless the controller is silent */
static const char *state_tip(AseDevice *device, const char *otherwise) {
  return ase_device_is_silent(device)
             ? _("the controller has fallen silent: this is the last that is known of it; Hold and "
                 "Power off are still sent, but watch the arm")
             : otherwise;
}

/* A controller refuses to clear what lasts. */
static void end_clearing(AuiMotionBar *self) {
  AseDevice *device = device_of(self);
  if (!self->cleared_us || g_get_monotonic_time() < self->cleared_us + CLEARED_US)
    return;
  self->cleared_us = 0;
  if (ase_device_state(device)->faults)
    gtk_widget_activate_action(GTK_WIDGET(self), "session.say", "s", ase_device_reason(device));
}

static void shorten(AuiMotionBar *self, bool power_off, bool state) {
  GtkLabel *label = GTK_LABEL(gtk_button_get_child(self->power_off));
  gtk_label_set_wrap(label, power_off);
  gtk_label_set_justify(label, GTK_JUSTIFY_CENTER);
  gtk_label_set_width_chars(label, power_off ? POWER_OFF_CHARS : -1);
  gtk_label_set_max_width_chars(label, power_off ? POWER_OFF_CHARS : -1);
  gtk_label_set_ellipsize(self->state, state ? PANGO_ELLIPSIZE_END : PANGO_ELLIPSIZE_NONE);
}

static void refresh(AuiMotionBar *self) {
  AseDevice *device = device_of(self);
  const bool is_ready = ase_device_link(device) == ASE_LINK_READY;
  const bool is_armed = ase_device_is_armed(device);
  const bool is_large = aui_settings_text_scale() > LARGE_TEXT;
  g_autofree char *faults = ase_device_faults_text(device);
  g_autofree char *state = state_text(device, faults);
  gtk_label_set_text(self->state, state);
  set_tip(GTK_WIDGET(self->state), state_tip(device, is_large && !*faults ? state : faults));
  shorten(self, is_large, is_large || *faults);
  if (is_armed)
    gtk_widget_add_css_class(GTK_WIDGET(self->state), "aui-armed");
  else
    gtk_widget_remove_css_class(GTK_WIDGET(self->state), "aui-armed");
  show_deed(self, deed_of(device), faults);
  gtk_widget_set_sensitive(GTK_WIDGET(self->halt), is_ready);
  gtk_widget_set_sensitive(GTK_WIDGET(self->power_off), is_ready);
}

static gboolean on_timer(gpointer data) {
  end_clearing(data);
  refresh(data);
  return G_SOURCE_CONTINUE;
}

void aui_motion_bar_clear_faults(AuiMotionBar *self) {
  self->cleared_us = g_get_monotonic_time();
  ase_device_clear_faults(device_of(self));
  refresh(self);
}

static void on_deed(AuiMotionBar *self) {
  if (aui_press_button_is_deaf(self->arm))
    return;
  switch (deed_of(device_of(self))) {
  case DEED_ARM:
    aui_arming_clicked(GTK_WIDGET(self), self->session);
    break;
  case DEED_DISARM:
    ase_device_disarm(device_of(self));
    break;
  case DEED_CLEAR:
    aui_motion_bar_clear_faults(self);
    break;
  }
}

static void on_long_press(AuiMotionBar *self) {
  aui_arming_arm(GTK_WIDGET(self), self->session);
}

static void on_early(AuiMotionBar *self) {
  aui_arming_hint(GTK_WIDGET(self));
}

static void on_halt(AuiMotionBar *self) {
  ase_device_halt(device_of(self));
}

static void on_power_off(AuiMotionBar *self) {
  ase_device_power_off(device_of(self));
}

void aui_motion_bar_set_session(AuiMotionBar *self, AseSession *session) {
  self->session = g_object_ref(session);
  g_signal_connect_object(device_of(self), "changed", G_CALLBACK(refresh), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(session, "step-changed", G_CALLBACK(refresh), self, G_CONNECT_SWAPPED);
  self->timer = g_timeout_add(REFRESH_MS, on_timer, self);
  refresh(self);
}

static void dispose(GObject *object) {
  AuiMotionBar *self = AUI_MOTION_BAR(object);
  g_clear_handle_id(&self->timer, g_source_remove);
  g_clear_object(&self->session);
  gtk_widget_dispose_template(GTK_WIDGET(self), AUI_TYPE_MOTION_BAR);
  G_OBJECT_CLASS(aui_motion_bar_parent_class)->dispose(object);
}

static void aui_motion_bar_class_init(AuiMotionBarClass *class) {
  GtkWidgetClass *widget = GTK_WIDGET_CLASS(class);
  G_OBJECT_CLASS(class)->dispose = dispose;
  g_type_ensure(AUI_TYPE_PRESS_BUTTON);
  gtk_widget_class_set_template_from_resource(widget, "/org/armature/Armature/motion_bar.ui");
  gtk_widget_class_bind_template_child(widget, AuiMotionBar, arm);
  gtk_widget_class_bind_template_child(widget, AuiMotionBar, halt);
  gtk_widget_class_bind_template_child(widget, AuiMotionBar, power_off);
  gtk_widget_class_bind_template_child(widget, AuiMotionBar, state);
  gtk_widget_class_bind_template_callback(widget, on_deed);
  gtk_widget_class_bind_template_callback(widget, on_long_press);
  gtk_widget_class_bind_template_callback(widget, on_early);
  gtk_widget_class_bind_template_callback(widget, on_halt);
  gtk_widget_class_bind_template_callback(widget, on_power_off);
}

static void aui_motion_bar_init(AuiMotionBar *self) {
  gtk_widget_init_template(GTK_WIDGET(self));
}
