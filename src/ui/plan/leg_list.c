/* SPDX-License-Identifier: MIT */
/* A list of strings that is spliced as a whole when the way or its pace changes: hundreds of legs
 * cost rows only while they are seen. */
#include "ui/plan/leg_list.h"

#include <glib/gi18n.h>

#include "ui/kit/format.h"
#include "ui/kit/list_keys.h"

struct _AuiLegList {
  GtkBox parent_instance;
  AseSession *session;
  GtkStringList *texts;
  GtkSingleSelection *selection;
  const AseItinerary *shown; /* only compared; NULL: none */
  double wall_s;             /* of a second of the arm, then */
};

G_DEFINE_FINAL_TYPE(AuiLegList, aui_leg_list, GTK_TYPE_BOX)

enum { CHOSEN, SIGNALS };
static guint signals[SIGNALS];

static char *leg_text(AseSession *session, const AseLeg *leg, guint number) {
  g_autofree char *text = ase_leg_text(&ase_session_arm(session)->model, leg);
  g_autofree char *time = aui_format_duration(ase_session_wall_s(session, leg->duration_s));
  /* TRANSLATORS: "12  dry run: sweep joint 3, ..., 0:23" */
  return g_strdup_printf(_("%u  %s: %s, %s"), number, ase_purpose_text(leg->purpose), text, time);
}

void aui_leg_list_refresh(AuiLegList *self) {
  const AseItinerary *itinerary = ase_session_itinerary(self->session);
  const double wall_s = ase_session_wall_s(self->session, 1.0);
  const guint before = g_list_model_get_n_items(G_LIST_MODEL(self->texts));
  const guint n = itinerary ? itinerary->legs->len : 0;
  if (itinerary == self->shown && n == before && wall_s == self->wall_s)
    return;
  g_auto(GStrv) texts = g_new0(char *, n + 1);
  for (guint k = 0; k < n; k++)
    texts[k] = leg_text(self->session, &g_array_index(itinerary->legs, AseLeg, k), k + 1);
  gtk_string_list_splice(self->texts, 0, before, (const char *const *)texts);
  /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): it does not know g_auto */
  self->shown = itinerary;
  self->wall_s = wall_s;
}

static void on_selected(AuiLegList *self) {
  const guint leg = gtk_single_selection_get_selected(self->selection);
  if (leg != GTK_INVALID_LIST_POSITION)
    g_signal_emit(self, signals[CHOSEN], 0, leg);
}

/* ---- the object ---- */

static void on_setup(GtkSignalListItemFactory *factory, GtkListItem *item) {
  GtkWidget *label = gtk_label_new("");
  (void)factory;
  gtk_label_set_xalign(GTK_LABEL(label), 0.0f);
  gtk_label_set_ellipsize(GTK_LABEL(label), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class(label, "numbers");
  gtk_list_item_set_child(item, label);
}

static void on_bind(GtkSignalListItemFactory *factory, GtkListItem *item) {
  GtkWidget *label = gtk_list_item_get_child(item);
  const char *text = gtk_string_object_get_string(gtk_list_item_get_item(item));
  (void)factory;
  gtk_label_set_text(GTK_LABEL(label), text);
  gtk_widget_set_tooltip_text(label, text);
}

static void dispose(GObject *object) {
  AuiLegList *self = AUI_LEG_LIST(object);
  g_clear_object(&self->selection);
  g_clear_object(&self->session);
  G_OBJECT_CLASS(aui_leg_list_parent_class)->dispose(object);
}

static void aui_leg_list_class_init(AuiLegListClass *class) {
  G_OBJECT_CLASS(class)->dispose = dispose;
  signals[CHOSEN] = g_signal_new("chosen", G_TYPE_FROM_CLASS(class), G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
}

static void aui_leg_list_init(AuiLegList *self) {
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new();
  GtkWidget *scroll = gtk_scrolled_window_new();
  g_signal_connect(factory, "setup", G_CALLBACK(on_setup), NULL);
  g_signal_connect(factory, "bind", G_CALLBACK(on_bind), NULL);
  self->texts = gtk_string_list_new(NULL);
  self->selection = gtk_single_selection_new(G_LIST_MODEL(self->texts));
  gtk_single_selection_set_autoselect(self->selection, false);
  gtk_single_selection_set_can_unselect(self->selection, true);
  GtkWidget *view = gtk_list_view_new(GTK_SELECTION_MODEL(g_object_ref(self->selection)), factory);
  gtk_accessible_update_property(GTK_ACCESSIBLE(view), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("The way, leg by leg"), -1);
  aui_list_let_tab_out(view);
  g_signal_connect_object(self->selection, "notify::selected", G_CALLBACK(on_selected), self,
                          G_CONNECT_SWAPPED);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroll), view);
  gtk_scrolled_window_set_has_frame(GTK_SCROLLED_WINDOW(scroll), true);
  gtk_widget_set_vexpand(scroll, true);
  gtk_widget_set_hexpand(scroll, true);
  gtk_box_append(GTK_BOX(self), scroll);
}

GtkWidget *aui_leg_list_new(AseSession *session) {
  AuiLegList *self = g_object_new(AUI_TYPE_LEG_LIST, NULL);
  self->session = g_object_ref(session);
  return GTK_WIDGET(self);
}
