/* SPDX-License-Identifier: MIT */
/* How far a session came is read from its file, in a thread and for reading only: another program
 * may be writing it. */
#include "ui/connect/recent_list.h"

#include <glib/gi18n.h>

#include "io/store/store.h"
#include "session/base/job.h"
#include "session/session.h"
#include "ui/connect/recent.h"
#include "ui/kit/list_keys.h"
#include "ui/kit/settings.h"
#include "ui/kit/steps.h"

struct _AuiRecentList {
  AdwPreferencesGroup parent_instance;
  char *own;
  GtkListBox *list;
  AseJob *job; /* reads how far they came, since a long session takes its time; NULL: none */
};

G_DEFINE_FINAL_TYPE(AuiRecentList, aui_recent_list, ADW_TYPE_PREFERENCES_GROUP)

/* ---- how far they came ---- */

typedef struct {
  guint n;
  char *paths[AUI_RECENT_SHOWN];
  AseProcedure procedures[AUI_RECENT_SHOWN]; /* without joints: not to be read */
} Look;

static void look_free(gpointer data) {
  Look *look = data;
  for (guint k = 0; k < look->n; k++)
    g_free(look->paths[k]);
  g_free(look);
}

/* Also beside a program that writes it. */
static void read_procedure(const char *path, AseProcedure *procedure) {
  AioStore *store = aio_store_open_read(path, NULL);
  g_autofree char *steps = store ? aio_store_get_text(store, AIO_STORE_STEPS, NULL) : NULL;
  if (steps && ase_procedure_from_json(procedure, ase_session_steps(), steps, NULL))
    ase_procedure_resume(procedure);
  aio_store_close(store, NULL);
}

static void work(AseJob *job, void *data) {
  Look *look = data;
  for (guint k = 0; k < look->n && ase_job_report((double)k / look->n, job); k++)
    read_procedure(look->paths[k], &look->procedures[k]);
}

static void on_progress(double part, void *ctx) {
  (void)part, (void)ctx;
}

/* The last page on which something was done. */
static AuiScreen last_screen(const AseProcedure *procedure, AseStepState *state) {
  AuiScreen screens[AUI_SCREENS];
  guint last = aui_screens_of(procedure->table, screens);
  do {
    g_autofree char *reason = NULL;
    *state = aui_screen_state(procedure, screens[--last], &reason);
  } while (last > 0 && (*state == ASE_STATE_WAITING || *state == ASE_STATE_READY));
  return screens[last];
}

static void show_state(GtkWidget *row, const AseProcedure *procedure) {
  AseStepState state;
  const AuiScreen screen = last_screen(procedure, &state);
  /* Translators: how far a session came: "Sweep: passed" */
  g_autofree char *text =
      g_strdup_printf(C_("page, its state", "%s: %s"), aui_screen_title(procedure->table, screen),
                      aui_state_text(state));
  GtkWidget *label = gtk_label_new(text);
  GtkWidget *icon = gtk_image_new_from_icon_name(aui_state_icon(state));
  gtk_widget_add_css_class(label, "dim-label");
  gtk_widget_add_css_class(icon, aui_state_class(state));
  adw_action_row_add_suffix(ADW_ACTION_ROW(row), label);
  adw_action_row_add_prefix(ADW_ACTION_ROW(row), icon);
}

static void on_done(void *data, bool is_cancelled, void *ctx) {
  AuiRecentList *self = ctx;
  const Look *look = data;
  (void)is_cancelled;
  for (guint k = 0; k < look->n; k++)
    if (look->procedures[k].joints)
      show_state(GTK_WIDGET(gtk_list_box_get_row_at_index(self->list, (int)k)),
                 &look->procedures[k]);
  g_clear_pointer(&self->job, ase_job_free);
}

/* ---- the list ---- */

static GtkWidget *row_new(const AuiRecent *recent) {
  GtkWidget *row = adw_action_row_new();
  g_autofree char *file = g_filename_display_basename(recent->path);
  g_autofree char *subtitle = aui_recent_text(recent);
  char *ending = g_strrstr(file, ".armsession");
  if (ending)
    *ending = '\0';
  adw_preferences_row_set_use_markup(ADW_PREFERENCES_ROW(row), false);
  adw_preferences_row_set_title(ADW_PREFERENCES_ROW(row), file);
  adw_action_row_set_subtitle(ADW_ACTION_ROW(row), subtitle);
  gtk_widget_set_tooltip_text(row, recent->path);
  gtk_list_box_row_set_activatable(GTK_LIST_BOX_ROW(row), true);
  gtk_actionable_set_action_name(GTK_ACTIONABLE(row), "app.open-path");
  gtk_actionable_set_action_target(GTK_ACTIONABLE(row), "s", recent->path);
  gtk_accessible_update_property(GTK_ACCESSIBLE(row), GTK_ACCESSIBLE_PROPERTY_LABEL, file,
                                 GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, subtitle, -1);
  return row;
}

static void fill(AuiRecentList *self) {
  g_autoptr(GPtrArray) recent = aui_recent_list();
  Look *look = g_new0(Look, 1);
  GtkListBoxRow *row;
  g_clear_pointer(&self->job, ase_job_free);
  while ((row = gtk_list_box_get_row_at_index(self->list, 0)))
    gtk_list_box_remove(self->list, GTK_WIDGET(row));
  for (guint k = 0; k < recent->len && look->n < AUI_RECENT_SHOWN; k++) {
    const AuiRecent *other = recent->pdata[k];
    if (strcmp(other->path, self->own) == 0)
      continue;
    look->paths[look->n++] = g_strdup(other->path);
    gtk_list_box_append(self->list, row_new(other));
  }
  gtk_widget_set_visible(GTK_WIDGET(self), look->n > 0);
  self->job = ase_job_start(&(AseJobTask){.work = work,
                                          .data = look,
                                          .free_data = look_free,
                                          .progress = on_progress,
                                          .done = on_done,
                                          .ctx = self});
}

/* ---- the object ---- */

static void dispose(GObject *object) {
  AuiRecentList *self = AUI_RECENT_LIST(object);
  g_clear_pointer(&self->job, ase_job_free);
  g_clear_pointer(&self->own, g_free);
  G_OBJECT_CLASS(aui_recent_list_parent_class)->dispose(object);
}

static void aui_recent_list_class_init(AuiRecentListClass *class) {
  G_OBJECT_CLASS(class)->dispose = dispose;
}

static void aui_recent_list_init(AuiRecentList *self) {
  self->list = GTK_LIST_BOX(gtk_list_box_new());
  gtk_list_box_set_selection_mode(self->list, GTK_SELECTION_NONE);
  gtk_widget_add_css_class(GTK_WIDGET(self->list), "boxed-list");
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->list), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Recent sessions"), -1);
  aui_list_let_tab_out(GTK_WIDGET(self->list));
  adw_preferences_group_set_title(ADW_PREFERENCES_GROUP(self), _("Recent sessions"));
  adw_preferences_group_add(ADW_PREFERENCES_GROUP(self), GTK_WIDGET(self->list));
}

GtkWidget *aui_recent_list_new(const char *own) {
  AuiRecentList *self = g_object_new(AUI_TYPE_RECENT_LIST, NULL);
  self->own = g_strdup(own);
  g_signal_connect_object(aui_settings(), "changed::recent", G_CALLBACK(fill), self,
                          G_CONNECT_SWAPPED);
  fill(self);
  return GTK_WIDGET(self);
}
