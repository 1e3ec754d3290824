/* SPDX-License-Identifier: MIT */
/* One line that can be seen at once, the sentences on demand: a list of six doubts above the
 * numbers would not be read. */
#include "ui/fit/doubt_bar.h"

#include <glib/gi18n.h>

#include "session/method/gravity.h"
#include "ui/fit/doubt_words.h"
#include "ui/kit/steps.h"

struct _AuiDoubtBar {
  GtkBox parent_instance;
  AseSession *session;
  GtkLabel *text;
  GtkWidget *icon, *see;
};

G_DEFINE_FINAL_TYPE(AuiDoubtBar, aui_doubt_bar, GTK_TYPE_BOX)

enum { SEE, SIGNALS };
static guint signals[SIGNALS];

static void set_severe(GtkWidget *icon, bool is_severe) {
  static const char *const severe[] = {"warning", NULL}, *const remark[] = {"dim-label", NULL};
  gtk_widget_set_css_classes(icon, is_severe ? (const char **)severe : (const char **)remark);
  gtk_accessible_update_property(GTK_ACCESSIBLE(icon), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 is_severe ? _("Warning") : _("Remark"), -1);
}

static GtkWidget *warning_new(bool is_severe) {
  GtkWidget *icon = gtk_image_new_from_icon_name(aui_state_icon(ASE_STATE_UNJUDGED));
  set_severe(icon, is_severe);
  return icon;
}

static GtkWidget *label_new(const char *text) {
  GtkWidget *label = gtk_label_new(text);
  gtk_label_set_xalign(GTK_LABEL(label), 0.0f);
  gtk_label_set_wrap(GTK_LABEL(label), true);
  gtk_label_set_wrap_mode(GTK_LABEL(label), PANGO_WRAP_WORD_CHAR);
  gtk_widget_set_hexpand(label, true);
  return label;
}

/* ---- the line ---- */

/* What is not severe is seen where nothing else is, dimmed. */
static void refresh(AuiDoubtBar *self) {
  const ArmGravityFit *fit = ase_gravity_of(ase_session_fit(self->session));
  g_autofree char *severe = aui_doubt_summary(fit, true);
  g_autofree char *remark = aui_doubt_summary(fit, false);
  const char *text = *severe ? severe : remark;
  const bool is_stale =
      ase_procedure_state(ase_session_procedure(self->session), ASE_STEP_FIT) == ASE_STATE_STALE;
  gtk_widget_set_visible(GTK_WIDGET(self), *text && !is_stale);
  set_severe(self->icon, *severe);
  (*severe ? gtk_widget_remove_css_class : gtk_widget_add_css_class)(GTK_WIDGET(self->text),
                                                                     "dim-label");
  gtk_label_set_text(self->text, text);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->text), text);
}

static void on_see(AuiDoubtBar *self) {
  g_signal_emit(self, signals[SEE], 0);
}

static void dispose(GObject *object) {
  g_clear_object(&AUI_DOUBT_BAR(object)->session);
  G_OBJECT_CLASS(aui_doubt_bar_parent_class)->dispose(object);
}

static void aui_doubt_bar_class_init(AuiDoubtBarClass *class) {
  G_OBJECT_CLASS(class)->dispose = dispose;
  signals[SEE] = g_signal_new("see", G_TYPE_FROM_CLASS(class), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                              NULL, G_TYPE_NONE, 0);
}

static void aui_doubt_bar_init(AuiDoubtBar *self) {
  GtkWidget *text = label_new("");
  self->see = gtk_button_new_with_label(_("See all"));
  self->text = GTK_LABEL(text);
  gtk_label_set_lines(self->text, 2);
  gtk_label_set_ellipsize(self->text, PANGO_ELLIPSIZE_END);
  gtk_widget_set_valign(self->see, GTK_ALIGN_CENTER);
  gtk_box_set_spacing(GTK_BOX(self), 8);
  self->icon = warning_new(true);
  gtk_box_append(GTK_BOX(self), self->icon);
  gtk_box_append(GTK_BOX(self), text);
  gtk_box_append(GTK_BOX(self), self->see);
  g_signal_connect_object(self->see, "clicked", G_CALLBACK(on_see), self, G_CONNECT_SWAPPED);
}

GtkWidget *aui_doubt_bar_new(AseSession *session) {
  AuiDoubtBar *self = g_object_new(AUI_TYPE_DOUBT_BAR, NULL);
  self->session = g_object_ref(session);
  g_signal_connect_object(session, "changed", G_CALLBACK(refresh), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(session, "step-changed", G_CALLBACK(refresh), self, G_CONNECT_SWAPPED);
  refresh(self);
  return GTK_WIDGET(self);
}

void aui_doubt_bar_offer(AuiDoubtBar *self, bool offers) {
  gtk_widget_set_visible(self->see, offers);
}

/* ---- the list ---- */

static void append_texts(GtkBox *list, const ArmGravityFit *fit, bool is_severe) {
  g_autoptr(GPtrArray) texts = aui_doubt_texts(fit, is_severe);
  for (guint k = 0; k < texts->len; k++) {
    GtkWidget *line = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
    GtkWidget *label = label_new(texts->pdata[k]);
    gtk_label_set_selectable(GTK_LABEL(label), true);
    GtkWidget *icon = warning_new(is_severe);
    gtk_widget_set_valign(icon, GTK_ALIGN_START); /* of a text that wraps */
    gtk_box_append(GTK_BOX(line), icon);
    gtk_box_append(GTK_BOX(line), label);
    gtk_box_append(list, line);
  }
}

void aui_doubt_list_fill(GtkBox *list, const ArmGravityFit *fit) {
  GtkWidget *child;
  while ((child = gtk_widget_get_first_child(GTK_WIDGET(list))))
    gtk_box_remove(list, child);
  gtk_widget_set_visible(GTK_WIDGET(list), fit && fit->doubts.count > 0);
  if (!fit || fit->doubts.count == 0)
    return;
  GtkWidget *heading = label_new(_("What looks wrong"));
  gtk_widget_add_css_class(heading, "heading");
  gtk_box_append(list, heading);
  append_texts(list, fit, true);
  append_texts(list, fit, false);
}
