/* SPDX-License-Identifier: MIT */
/* One window, one session: pages are made once and hear the session's signals; the window adds
 * title, focus, files and the disk. Whether it may close is for ui/leave to say. */
#include "ui/window.h"

#include <glib/gi18n.h>

#include "io/base/safe_text.h"
#include "ui/arm/page_arm.h"
#include "ui/banner.h"
#include "ui/connect/page_connect.h"
#include "ui/connect/recent.h"
#include "ui/done_notice.h"
#include "ui/export/page_export.h"
#include "ui/fit/page_fit.h"
#include "ui/fit/page_validate.h"
#include "ui/focus.h"
#include "ui/kit/ask.h"
#include "ui/kit/mnemonics.h"
#include "ui/kit/settings.h"
#include "ui/kit/steps.h"
#include "ui/kit/stop_keys.h"
#include "ui/leave.h"
#include "ui/motion_bar.h"
#include "ui/next.h"
#include "ui/notice.h"
#include "ui/plan/page_plan.h"
#include "ui/session_actions.h"
#include "ui/sidebar.h"
#include "ui/sweep/page_motion.h"
#include "ui/sweep/page_sweep.h"
#include "ui/tour.h"

enum { REFRESH_MS = 500 };

struct _AuiWindow {
  AdwApplicationWindow parent_instance;
  AseSession *session;
  GtkBox *content, *side;
  AdwWindowTitle *name;
  GtkMenuButton *menu_button;
  GMenu *recent;
  GtkButton *undo, *redo;
  AuiMotionBar *motion;
  AuiBanner *banner;
  AuiNotice *notice;
  GtkRevealer *unfocused;
  GtkLabel *unfocused_text;
  GtkStack *stack;
  AuiStrip *strip;
  GtkWidget *next;
  AuiFocus focus;
  bool is_disk_failing; /* and the notice says so */
  char *rescued;        /* that was told there */
  guint timer;
};

G_DEFINE_FINAL_TYPE(AuiWindow, aui_window, ADW_TYPE_APPLICATION_WINDOW)

/* ---- the title: arm, file, controller, link ---- */

static char *rate_text(AseDevice *device) {
  AioStatistics s;
  const guint64 unseen = ase_device_samples_not_shown(device);
  ase_device_statistics(device, &s);
  if (unseen) /* they are recorded, but curves have a hole */
    return g_strdup_printf(_("%.0f samples/s, %.0f lost, %.0f not shown"), s.samples_per_s,
                           (double)s.counters.samples_lost, (double)unseen);
  return g_strdup_printf(_("%.0f samples/s, %.0f lost"), s.samples_per_s,
                         (double)s.counters.samples_lost);
}

static char *link_text(AseDevice *device) {
  const AioDescription *d = ase_device_description(device);
  switch (ase_device_link(device)) {
  case ASE_LINK_CLOSED:
    return g_strdup(_("not connected"));
  case ASE_LINK_ASKING:
    return g_strdup(_("asking who is there"));
  case ASE_LINK_LOST:
    return g_strdup(_("link lost, trying to come back"));
  case ASE_LINK_FAILED:
    return g_strdup(_("no answer"));
  case ASE_LINK_READY:
    break;
  }
  g_autofree char *rate = rate_text(device);
  return g_strdup_printf("%s: %s", d && *d->name ? d->name : _("controller"), rate);
}

static void refresh_title(AuiWindow *self) {
  g_autofree char *arm = aio_text_visible(ase_session_arm(self->session)->name, false);
  g_autofree char *link = link_text(ase_session_device(self->session));
  g_autofree char *base = g_filename_display_basename(ase_session_path(self->session));
  g_autofree char *file = aio_text_visible(base, false);
  const bool is_read_only = ase_session_is_read_only(self->session);
  /* Translators: name of the file, arm; the window's title in the list of windows */
  g_autofree char *title = g_strdup_printf(_("%s – %s"), file, arm);
  g_autofree char *subtitle =
      is_read_only ? g_strdup_printf(_("%s, only read"), file) : g_steal_pointer(&link);
  adw_window_title_set_title(self->name, arm);
  adw_window_title_set_subtitle(self->name, subtitle);
  gtk_window_set_title(GTK_WINDOW(self), title);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->name), ase_session_path(self->session));
}

/* ---- the keyboard ---- */

/* Any window of this program passes Esc on. */
static bool has_keyboard(void) {
  GListModel *windows = gtk_window_get_toplevels();
  bool has = false;
  for (guint k = 0; !has && k < g_list_model_get_n_items(windows); k++) {
    g_autoptr(GtkWindow) window = g_list_model_get_item(windows, k);
    has = gtk_window_is_active(window);
  }
  return has;
}

static void show_unfocused(AuiWindow *self, guint left_s) {
  g_autofree char *text =
      left_s ? g_strdup_printf(_("Esc is inactive here: the arm is armed and another window has "
                                 "the keyboard. Click into this window; the arm is held in %u s."),
                               left_s)
             : g_strdup(_("Esc is inactive here: the arm is armed and another window has the "
                          "keyboard. Click into this window."));
  gtk_label_set_text(self->unfocused_text, text);
}

static void refresh_focus(AuiWindow *self) {
  AseDevice *device = ase_session_device(self->session);
  guint left_s;
  const AuiFocusState state =
      aui_focus_update(&self->focus, ase_device_is_armed(device), has_keyboard(),
                       aui_settings_focus_halt_s(), g_get_monotonic_time(), &left_s);
  if (state != AUI_FOCUS_FINE)
    show_unfocused(self, left_s);
  gtk_revealer_set_reveal_child(self->unfocused, state != AUI_FOCUS_FINE);
  if (state != AUI_FOCUS_HALT)
    return;
  ase_device_halt(device);
  aui_strip_say(self->strip, 1,
                _("The arm was held: the keyboard was elsewhere for longer than your lab allows."));
}

/* ---- the disk ---- */

/* Once that is over, a file that went away is still told of. */
static void refresh_disk(AuiWindow *self) {
  const char *failure = ase_session_disk_failure(self->session);
  const char *rescued = ase_session_rescued(self->session);
  g_autofree char *text = NULL;
  if (!failure == !self->is_disk_failing && g_strcmp0(rescued, self->rescued) == 0)
    return;
  self->is_disk_failing = failure != NULL;
  g_free(self->rescued);
  self->rescued = g_strdup(rescued);
  if (failure)
    text = g_strdup_printf(_("The arm does not move: %s. It is tried again every second. To record "
                             "to another place, save a copy of the session there (Ctrl+Shift+S): "
                             "the session goes on in it."),
                           failure);
  aui_notice_show(self->notice, failure ? GTK_MESSAGE_ERROR : GTK_MESSAGE_WARNING,
                  text      ? text
                  : rescued ? rescued
                            : "");
}

static void refresh(AuiWindow *self) {
  refresh_title(self);
  refresh_disk(self);
  aui_banner_refresh(self->banner);
  refresh_focus(self);
  aui_session_actions_refresh(GTK_WIDGET(self), GTK_WIDGET(self->undo), GTK_WIDGET(self->redo));
}

static gboolean on_timer(gpointer data) {
  refresh(data);
  return G_SOURCE_CONTINUE;
}

/* ---- files ---- */

static gboolean on_drop(GtkWidget *widget, const GValue *value) {
  for (GSList *file = g_value_get_boxed(value); file; file = file->next) {
    g_autofree char *path = g_file_get_path(file->data);
    if (path)
      gtk_widget_activate_action(widget, "app.open-path", "s", path);
  }
  return TRUE;
}

static void accept_files(AuiWindow *self) {
  GtkDropTarget *target = gtk_drop_target_new(GDK_TYPE_FILE_LIST, GDK_ACTION_COPY);
  g_signal_connect_swapped(target, "drop", G_CALLBACK(on_drop), self);
  gtk_widget_add_controller(GTK_WIDGET(self), GTK_EVENT_CONTROLLER(target));
}

static void fill_recent(AuiWindow *self) {
  g_autoptr(GMenuModel) menu = aui_recent_menu();
  g_menu_remove_all(self->recent);
  for (int k = 0; k < g_menu_model_get_n_items(menu); k++) {
    g_autoptr(GMenuItem) item = g_menu_item_new_from_model(menu, k);
    g_menu_append_item(self->recent, item);
  }
}

/* ---- the object ---- */

/* Nobody looks at the session any more when it is closed. */
static void close_session(AuiWindow *self) {
  g_autoptr(GError) error = NULL;
  if (self->session && !ase_session_close(self->session, &error))
    g_printerr("armature: %s\n", error->message);
  g_clear_object(&self->session);
}

static void dispose(GObject *object) {
  AuiWindow *self = AUI_WINDOW(object);
  g_clear_handle_id(&self->timer, g_source_remove);
  aui_tour_end(self);
  if (self->session) {
    g_signal_handlers_disconnect_by_data(self->session, self);
    g_signal_handlers_disconnect_by_data(ase_session_device(self->session), self);
  }
  aui_stop_keys_forget(GTK_WIDGET(self));
  gtk_widget_dispose_template(GTK_WIDGET(self), AUI_TYPE_WINDOW);
  close_session(self);
  g_clear_pointer(&self->rescued, g_free);
  G_OBJECT_CLASS(aui_window_parent_class)->dispose(object);
}

static void bind_children(GtkWidgetClass *widget) {
  gtk_widget_class_bind_template_child(widget, AuiWindow, content);
  gtk_widget_class_bind_template_child(widget, AuiWindow, side);
  gtk_widget_class_bind_template_child(widget, AuiWindow, name);
  gtk_widget_class_bind_template_child(widget, AuiWindow, menu_button);
  gtk_widget_class_bind_template_child(widget, AuiWindow, recent);
  gtk_widget_class_bind_template_child(widget, AuiWindow, undo);
  gtk_widget_class_bind_template_child(widget, AuiWindow, redo);
  gtk_widget_class_bind_template_child(widget, AuiWindow, motion);
  gtk_widget_class_bind_template_child(widget, AuiWindow, banner);
  gtk_widget_class_bind_template_child(widget, AuiWindow, notice);
  gtk_widget_class_bind_template_child(widget, AuiWindow, unfocused);
  gtk_widget_class_bind_template_child(widget, AuiWindow, unfocused_text);
  gtk_widget_class_bind_template_child(widget, AuiWindow, stack);
  gtk_widget_class_bind_template_child(widget, AuiWindow, strip);
}

static void aui_window_class_init(AuiWindowClass *class) {
  GtkWidgetClass *widget = GTK_WIDGET_CLASS(class);
  G_OBJECT_CLASS(class)->dispose = dispose;
  g_type_ensure(AUI_TYPE_BANNER);
  g_type_ensure(AUI_TYPE_MOTION_BAR);
  g_type_ensure(AUI_TYPE_NOTICE);
  g_type_ensure(AUI_TYPE_STRIP);
  gtk_widget_class_set_template_from_resource(widget, "/org/armature/Armature/window.ui");
  bind_children(widget);
  aui_session_actions_install(widget);
}

static void aui_window_init(AuiWindow *self) {
  gtk_widget_init_template(GTK_WIDGET(self));
  accept_files(self);
  fill_recent(self);
}

/* Of the steps that the session's method has. */
static void add_pages(AuiWindow *self) {
  static GtkWidget *(*const make[AUI_SCREENS])(AseSession * session) = {
      [AUI_SCREEN_CONNECT] = aui_page_connect_new, [AUI_SCREEN_ARM] = aui_page_arm_new,
      [AUI_SCREEN_PLAN] = aui_page_plan_new,       [AUI_SCREEN_SWEEP] = aui_page_sweep_new,
      [AUI_SCREEN_FIT] = aui_page_fit_new,         [AUI_SCREEN_VALIDATE] = aui_page_validate_new,
      [AUI_SCREEN_EXPORT] = aui_page_export_new};
  AseSession *session = self->session;
  AuiScreen screens[AUI_SCREENS];
  const AseSteps *table = ase_session_procedure(session)->table;
  const guint count = aui_screens_of(table, screens);
  for (guint k = 0; k < count; k++)
    gtk_stack_add_titled(self->stack, make[screens[k]](session), aui_screen_key(screens[k]),
                         aui_screen_title(table, screens[k]));
  gtk_stack_add_titled(self->stack, aui_page_motion_new(session), AUI_PAGE_MOTION_KEY,
                       _("A motion of your own"));
}

void aui_window_show_page(AuiWindow *self, const char *name) {
  if (gtk_stack_get_child_by_name(self->stack, name))
    gtk_stack_set_visible_child_name(self->stack, name);
}

/* Figures on all pages are written anew. */
static void on_unit(AuiWindow *self) {
  g_signal_emit_by_name(self->session, "changed");
}

static void watch(AuiWindow *self) {
  g_signal_connect_object(self->session, "changed", G_CALLBACK(refresh), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(ase_session_device(self->session), "changed", G_CALLBACK(refresh), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(self, "notify::is-active", G_CALLBACK(refresh), self, 0);
  g_signal_connect_object(aui_settings(), "changed::angle", G_CALLBACK(on_unit), self,
                          G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  g_signal_connect_object(aui_settings(), "changed::recent", G_CALLBACK(fill_recent), self,
                          G_CONNECT_SWAPPED);
  self->timer = g_timeout_add(REFRESH_MS, on_timer, self);
  refresh(self);
}

GtkWidget *aui_window_new(AdwApplication *application, AseSession *session) {
  AuiWindow *self = g_object_new(AUI_TYPE_WINDOW, "application", application, NULL);
  self->session = g_object_ref(session);
  self->next = aui_next_button_new(session);
  aui_ask_install(GTK_WIDGET(self), ase_session_device(session));
  add_pages(self);
  gtk_box_append(self->side, aui_sidebar_new(session, self->stack));
  gtk_box_append(self->side, self->next);
  aui_banner_set_session(self->banner, session);
  aui_motion_bar_set_session(self->motion, session);
  aui_strip_set_session(self->strip, session);
  aui_stop_keys_install(GTK_WIDGET(self), session);
  aui_mnemonics_name(GTK_WIDGET(self));
  aui_done_notice_install(GTK_WINDOW(self), session);
  aui_leave_install(GTK_WINDOW(self), session);
  watch(self);
  return GTK_WIDGET(self);
}

void aui_window_show_imported(AseSession *session) {
  GtkWidget *window = aui_window_new(ADW_APPLICATION(g_application_get_default()), session);
  gtk_window_present(GTK_WINDOW(window));
  aui_window_show_page(AUI_WINDOW(window), "fit");
  g_object_unref(session);
}

AseSession *aui_window_session(AuiWindow *self) {
  return self->session;
}

AuiStrip *aui_window_strip(AuiWindow *self) {
  return self->strip;
}

void aui_window_notice(AuiWindow *self, const char *text) {
  const bool is_read_only = ase_session_is_read_only(self->session);
  g_autofree char *said =
      is_read_only && *text
          ? g_strdup_printf(_("This session is only read, nothing in it can change. %s"), text)
          : g_strdup(text);
  aui_notice_show(self->notice, is_read_only ? GTK_MESSAGE_WARNING : GTK_MESSAGE_INFO, said);
  if (*said)
    aui_strip_say(self->strip, is_read_only ? 1 : 0, said);
}

const char *aui_window_notice_text(AuiWindow *self) {
  return aui_notice_text(self->notice);
}

GtkWidget *aui_window_part(AuiWindow *self, AuiPart part) {
  switch (part) {
  case AUI_PART_STEPS:
    return gtk_widget_get_first_child(GTK_WIDGET(self->side));
  case AUI_PART_NEXT:
    return self->next;
  case AUI_PART_MOTION:
    return GTK_WIDGET(self->motion);
  case AUI_PART_STRIP:
    return GTK_WIDGET(self->strip);
  case AUI_PART_MENU:
    return GTK_WIDGET(self->menu_button);
  case AUI_PART_CONTENT:
    break;
  }
  return GTK_WIDGET(self->content);
}
