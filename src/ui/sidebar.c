/* SPDX-License-Identifier: MIT */
/* Steps and pages are one choice: the list follows the stack and the stack the list. The state of a
 * step is in icon, colour and words, as no single one of them reaches everybody. */
#include "ui/sidebar.h"

#include <glib/gi18n.h>

#include "ui/kit/list_keys.h"
#include "ui/kit/steps.h"

typedef struct {
  GtkWidget *row, *icon, *reason;
} Step;

struct _AuiSidebar {
  GtkBox parent_instance;
  AseSession *session;
  GtkStack *stack;
  GtkListBox *list;
  guint count; /* of pages: those that the method has steps for, in its order */
  AuiScreen pages[AUI_SCREENS];
  Step steps[AUI_SCREENS]; /* likewise */
};

G_DEFINE_FINAL_TYPE(AuiSidebar, aui_sidebar, GTK_TYPE_BOX)

static GtkWidget *left_label(const char *text, const char *css_class) {
  GtkWidget *label = gtk_label_new(text);
  gtk_label_set_xalign(GTK_LABEL(label), 0.0f);
  gtk_widget_add_css_class(label, css_class);
  return label;
}

static const AseSteps *table_of(AuiSidebar *self) {
  return ase_session_procedure(self->session)->table;
}

static void append_step(AuiSidebar *self, guint k) {
  Step *step = &self->steps[k];
  g_autofree char *title =
      g_strdup_printf("%u  %s", k + 1, aui_screen_title(table_of(self), self->pages[k]));
  GtkWidget *line = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 10);
  GtkWidget *texts = gtk_box_new(GTK_ORIENTATION_VERTICAL, 2);
  step->icon = gtk_image_new();
  step->reason = left_label("", "caption");
  gtk_widget_add_css_class(step->reason, "dim-label");
  gtk_label_set_ellipsize(GTK_LABEL(step->reason), PANGO_ELLIPSIZE_END);
  gtk_label_set_max_width_chars(GTK_LABEL(step->reason), 28);
  gtk_box_append(GTK_BOX(texts), left_label(title, "heading"));
  gtk_box_append(GTK_BOX(texts), step->reason);
  gtk_box_append(GTK_BOX(line), step->icon);
  gtk_box_append(GTK_BOX(line), texts);
  gtk_widget_add_css_class(line, "aui-step");
  gtk_list_box_append(self->list, line);
  step->row = gtk_widget_get_parent(line);
}

static void refresh_step(AuiSidebar *self, guint k) {
  const AuiScreen page = self->pages[k];
  g_autofree char *reason = NULL;
  const AseStepState state = aui_screen_state(ase_session_procedure(self->session), page, &reason);
  const Step *step = &self->steps[k];
  const char *const classes[] = {aui_state_class(state), NULL};
  g_autofree char *name =
      g_strdup_printf(_("%d %s, %s: %s"), (int)k + 1, aui_screen_title(table_of(self), page),
                      aui_state_text(state), reason);
  gtk_image_set_from_icon_name(GTK_IMAGE(step->icon), aui_state_icon(state));
  gtk_widget_set_css_classes(step->icon, (const char **)classes);
  gtk_label_set_text(GTK_LABEL(step->reason), reason);
  gtk_widget_set_tooltip_text(step->row, reason);
  gtk_accessible_update_property(GTK_ACCESSIBLE(step->row), GTK_ACCESSIBLE_PROPERTY_LABEL, name,
                                 -1);
}

static void refresh(AuiSidebar *self) {
  for (guint k = 0; k < self->count; k++)
    refresh_step(self, k);
}

static void on_row(AuiSidebar *self, GtkListBoxRow *row) {
  if (row)
    gtk_stack_set_visible_child_name(self->stack,
                                     aui_screen_key(self->pages[gtk_list_box_row_get_index(row)]));
}

/* A page that is no step leaves none chosen, so that each leads back. */
static void on_page(AuiSidebar *self) {
  const char *name = gtk_stack_get_visible_child_name(self->stack);
  gtk_list_box_select_row(self->list, NULL);
  for (guint k = 0; name && k < self->count; k++)
    if (strcmp(name, aui_screen_key(self->pages[k])) == 0)
      gtk_list_box_select_row(self->list, GTK_LIST_BOX_ROW(self->steps[k].row));
}

static void dispose(GObject *object) {
  AuiSidebar *self = AUI_SIDEBAR(object);
  g_clear_object(&self->session);
  g_clear_object(&self->stack);
  G_OBJECT_CLASS(aui_sidebar_parent_class)->dispose(object);
}

static void aui_sidebar_class_init(AuiSidebarClass *class) {
  G_OBJECT_CLASS(class)->dispose = dispose;
}

static void aui_sidebar_init(AuiSidebar *self) {
  self->list = GTK_LIST_BOX(gtk_list_box_new());
  gtk_widget_add_css_class(GTK_WIDGET(self->list), "navigation-sidebar");
  gtk_list_box_set_selection_mode(self->list, GTK_SELECTION_BROWSE);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->list), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Steps"), -1);
  aui_list_let_tab_out(GTK_WIDGET(self->list));
  GtkWidget *scroller = gtk_scrolled_window_new();
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scroller), GTK_POLICY_NEVER,
                                 GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), GTK_WIDGET(self->list));
  gtk_widget_set_hexpand(scroller, true);
  gtk_widget_set_vexpand(scroller, true);
  gtk_box_append(GTK_BOX(self), scroller);
}

GtkWidget *aui_sidebar_new(AseSession *session, GtkStack *stack) {
  AuiSidebar *self = g_object_new(AUI_TYPE_SIDEBAR, NULL);
  self->session = g_object_ref(session);
  self->stack = g_object_ref(stack);
  self->count = aui_screens_of(table_of(self), self->pages);
  for (guint k = 0; k < self->count; k++)
    append_step(self, k);
  g_signal_connect_object(self->list, "row-selected", G_CALLBACK(on_row), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(stack, "notify::visible-child", G_CALLBACK(on_page), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(session, "step-changed", G_CALLBACK(refresh), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(session, "changed", G_CALLBACK(refresh), self, G_CONNECT_SWAPPED);
  refresh(self);
  on_page(self);
  return GTK_WIDGET(self);
}
