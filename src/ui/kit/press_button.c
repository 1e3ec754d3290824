/* SPDX-License-Identifier: MIT */
/* Time runs by a timer of small steps, not by the clock: after a main loop that hung, a second that
 * nobody could see is not a second of pressing. The press is claimed, so that nothing around the
 * button takes it away unnoticed; GtkButton hears it all the same, and clicks when it is let go. */
#include "ui/kit/press_button.h"

/* No step counts for more than MOST_US: after a main loop that hung, a button that was let go
 * meanwhile is not pressed. */
enum { STEP_MS = 20, MOST_US = 60000, REPEAT_US = G_USEC_PER_SEC };
static const float RADIUS = 6.0f; /* of libadwaita's buttons */

typedef enum { BY_NOTHING, BY_POINTER, BY_KEY } By;

struct _AuiPressButton {
  GtkButton parent_instance;
  bool needs_long_press, is_deaf, is_key_down;
  bool is_pointer_down;
  bool is_void;  /* the press: a click in the end would be of what the button meant, or of no use */
  gint64 key_us; /* when a key was last said to be down */
  By pressed_by;
  gint64 pressed_us, seen_us; /* for how long; until when that is counted */
  guint timer;
};

G_DEFINE_FINAL_TYPE(AuiPressButton, aui_press_button, GTK_TYPE_BUTTON)

enum { LONG_PRESS, EARLY, SIGNALS };
static guint signals[SIGNALS];

/* ---- the press ---- */

/* What pressed it; BY_NOTHING if nothing did. */
static By stop(AuiPressButton *self) {
  const By by = self->pressed_by;
  self->pressed_by = BY_NOTHING;
  g_clear_handle_id(&self->timer, g_source_remove);
  if (by != BY_NOTHING)
    gtk_widget_queue_draw(GTK_WIDGET(self));
  return by;
}

static void end_early(AuiPressButton *self) {
  if (stop(self) != BY_NOTHING)
    g_signal_emit(self, signals[EARLY], 0);
}

static gboolean on_timer(gpointer data) {
  AuiPressButton *self = data;
  const gint64 now = g_get_monotonic_time();
  self->pressed_us += MIN(now - self->seen_us, MOST_US);
  self->seen_us = now;
  gtk_widget_queue_draw(GTK_WIDGET(self));
  if (self->pressed_us < 1000 * AUI_PRESS_MS)
    return G_SOURCE_CONTINUE;
  self->timer = 0;
  stop(self);
  g_signal_emit(self, signals[LONG_PRESS], 0);
  return G_SOURCE_REMOVE;
}

/* Idle priority: what ends the press and waits to be heard comes first. */
static void begin(AuiPressButton *self, By by) {
  stop(self);
  self->pressed_by = by;
  self->pressed_us = 0;
  self->seen_us = g_get_monotonic_time();
  self->timer = g_timeout_add_full(G_PRIORITY_DEFAULT_IDLE, STEP_MS, on_timer, self, NULL);
}

/* ---- the pointer ---- */

static void claim(GtkGesture *gesture) {
  gtk_gesture_set_state(gesture, GTK_EVENT_SEQUENCE_CLAIMED);
}

static void on_pressed(AuiPressButton *self, int n, double x, double y, GtkGesture *gesture) {
  (void)n, (void)x, (void)y;
  self->is_pointer_down = true;
  self->is_void = self->needs_long_press || self->is_deaf;
  if (!self->is_void)
    return;
  claim(gesture);
  if (!self->is_deaf)
    begin(self, BY_POINTER);
}

static void on_released(AuiPressButton *self) {
  self->is_pointer_down = false;
  if (self->pressed_by == BY_POINTER)
    end_early(self);
}

static void on_moved(AuiPressButton *self, GdkEventSequence *sequence, GtkGesture *gesture) {
  double x, y;
  if (self->pressed_by == BY_POINTER && gtk_gesture_get_point(gesture, sequence, &x, &y) &&
      !gtk_widget_contains(GTK_WIDGET(self), x, y))
    end_early(self);
}

/* Before all who listen. */
static void on_clicked(AuiPressButton *self) {
  if (self->is_void)
    g_signal_stop_emission_by_name(self, "clicked");
  self->is_void = false;
}

static void add_press(AuiPressButton *self) {
  GtkGesture *press = gtk_gesture_click_new();
  gtk_gesture_single_set_button(GTK_GESTURE_SINGLE(press), GDK_BUTTON_PRIMARY);
  gtk_event_controller_set_propagation_phase(GTK_EVENT_CONTROLLER(press), GTK_PHASE_CAPTURE);
  g_signal_connect_swapped(press, "pressed", G_CALLBACK(on_pressed), self);
  g_signal_connect_swapped(press, "released", G_CALLBACK(on_released), self);
  g_signal_connect_swapped(press, "end", G_CALLBACK(on_released), self);
  g_signal_connect_swapped(press, "cancel", G_CALLBACK(on_released), self);
  g_signal_connect_swapped(press, "update", G_CALLBACK(on_moved), self);
  gtk_widget_add_controller(GTK_WIDGET(self), GTK_EVENT_CONTROLLER(press));
}

/* ---- the keyboard ---- */

static bool is_activating(guint key) {
  return key == GDK_KEY_space || key == GDK_KEY_KP_Space || key == GDK_KEY_Return ||
         key == GDK_KEY_ISO_Enter || key == GDK_KEY_KP_Enter;
}

static gboolean on_key(AuiPressButton *self, guint key) {
  const gint64 now = g_get_monotonic_time();
  if (!is_activating(key))
    return GDK_EVENT_PROPAGATE;
  const bool repeats = self->is_key_down && now - self->key_us < REPEAT_US;
  self->is_key_down = true;
  self->key_us = now;
  if (repeats || self->is_deaf)
    return GDK_EVENT_STOP;
  if (!self->needs_long_press)
    return GDK_EVENT_PROPAGATE;
  begin(self, BY_KEY);
  return GDK_EVENT_STOP;
}

static void on_key_released(AuiPressButton *self, guint key) {
  if (!is_activating(key))
    return;
  self->is_key_down = false;
  if (self->pressed_by == BY_KEY)
    end_early(self);
}

/* A key that is let go in another window, or beside this button, is not heard here. */
static void on_left(AuiPressButton *self) {
  if (self->pressed_by == BY_KEY)
    end_early(self);
}

static void add_keys(AuiPressButton *self) {
  GtkEventController *keys = gtk_event_controller_key_new();
  GtkEventController *focus = gtk_event_controller_focus_new();
  gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE);
  g_signal_connect_swapped(keys, "key-pressed", G_CALLBACK(on_key), self);
  g_signal_connect_swapped(keys, "key-released", G_CALLBACK(on_key_released), self);
  g_signal_connect_swapped(focus, "leave", G_CALLBACK(on_left), self);
  gtk_widget_add_controller(GTK_WIDGET(self), keys);
  gtk_widget_add_controller(GTK_WIDGET(self), focus);
}

static void on_active(AuiPressButton *self, GParamSpec *property, GtkWindow *window) {
  (void)property;
  if (!gtk_window_is_active(window))
    end_early(self);
}

/* ---- from elsewhere ---- */

static void activate(GtkButton *button) {
  AuiPressButton *self = AUI_PRESS_BUTTON(button);
  if (self->is_deaf)
    return;
  self->is_void = false;
  if (self->needs_long_press)
    g_signal_emit_by_name(self, "clicked");
  else
    GTK_BUTTON_CLASS(aui_press_button_parent_class)->activate(button);
}

/* The press that is under way, if any. */
static void spoil(AuiPressButton *self) {
  stop(self);
  self->is_void |= self->is_pointer_down;
}

void aui_press_button_set_needs_long_press(AuiPressButton *self, bool needs_long_press) {
  if (needs_long_press == self->needs_long_press)
    return;
  spoil(self);
  self->needs_long_press = needs_long_press;
}

void aui_press_button_set_deaf(AuiPressButton *self, bool is_deaf) {
  if (is_deaf == self->is_deaf)
    return;
  spoil(self);
  self->is_deaf = is_deaf;
  (is_deaf ? gtk_widget_add_css_class : gtk_widget_remove_css_class)(GTK_WIDGET(self), "aui-deaf");
  gtk_accessible_update_state(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_STATE_DISABLED, is_deaf, -1);
}

bool aui_press_button_needs_long_press(AuiPressButton *self) {
  return self->needs_long_press;
}

bool aui_press_button_is_deaf(AuiPressButton *self) {
  return self->is_deaf;
}

/* ---- the object ---- */

static void snapshot(GtkWidget *widget, GtkSnapshot *drawn) {
  AuiPressButton *self = AUI_PRESS_BUTTON(widget);
  const float part = MIN((float)self->pressed_us / (1000.0f * AUI_PRESS_MS), 1.0f);
  graphene_rect_t all;
  if (self->pressed_by != BY_NOTHING && gtk_widget_compute_bounds(widget, widget, &all)) {
    GskRoundedRect shape;
    GdkRGBA ink;
    gtk_style_context_get_color(gtk_widget_get_style_context(widget), &ink);
    ink.alpha = 0.4f;
    gsk_rounded_rect_init_from_rect(&shape, &all, RADIUS);
    gtk_snapshot_push_rounded_clip(drawn, &shape);
    gtk_snapshot_append_color(
        drawn, &ink,
        &GRAPHENE_RECT_INIT(all.origin.x, all.origin.y, part * all.size.width, all.size.height));
    gtk_snapshot_pop(drawn);
  }
  GTK_WIDGET_CLASS(aui_press_button_parent_class)->snapshot(widget, drawn);
}

static void map(GtkWidget *widget) {
  GTK_WIDGET_CLASS(aui_press_button_parent_class)->map(widget);
  g_signal_connect_object(gtk_widget_get_root(widget), "notify::is-active", G_CALLBACK(on_active),
                          widget, G_CONNECT_SWAPPED);
}

static void unmap(GtkWidget *widget) {
  g_signal_handlers_disconnect_by_func(gtk_widget_get_root(widget), on_active, widget);
  stop(AUI_PRESS_BUTTON(widget));
  GTK_WIDGET_CLASS(aui_press_button_parent_class)->unmap(widget);
}

static void dispose(GObject *object) {
  stop(AUI_PRESS_BUTTON(object));
  G_OBJECT_CLASS(aui_press_button_parent_class)->dispose(object);
}

static void aui_press_button_class_init(AuiPressButtonClass *class) {
  GtkWidgetClass *widget = GTK_WIDGET_CLASS(class);
  G_OBJECT_CLASS(class)->dispose = dispose;
  widget->snapshot = snapshot;
  widget->map = map;
  widget->unmap = unmap;
  GTK_BUTTON_CLASS(class)->activate = activate;
  signals[LONG_PRESS] = g_signal_new("long-press", AUI_TYPE_PRESS_BUTTON, G_SIGNAL_RUN_LAST, 0,
                                     NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[EARLY] = g_signal_new("early", AUI_TYPE_PRESS_BUTTON, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                NULL, G_TYPE_NONE, 0);
}

static void aui_press_button_init(AuiPressButton *self) {
  g_signal_connect(self, "clicked", G_CALLBACK(on_clicked), NULL);
  add_press(self);
  add_keys(self);
}

GtkWidget *aui_press_button_new(void) {
  return g_object_new(AUI_TYPE_PRESS_BUTTON, NULL);
}
