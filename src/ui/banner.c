/* SPDX-License-Identifier: MIT */
/* The words are session/trouble's. The button of a remedy that is not possible yet is insensitive,
 * not hidden: what helps does not move about. */
#include "ui/banner.h"

#include <stdbool.h>

#include "session/trouble.h"
#include "ui/connect/connection.h"
#include "ui/kit/strip.h"

struct _AuiBanner {
  GtkBox parent_instance;
  AseSession *session;
  GtkWidget *row;
  GtkLabel *cause, *text;
  GtkButton *button;
  AseRemedy remedy;
};

G_DEFINE_FINAL_TYPE(AuiBanner, aui_banner, GTK_TYPE_BOX)

/* ---- the button ---- */

static void reconnect(AuiBanner *self) {
  GError *error = NULL;
  aui_say_failed(GTK_WIDGET(self), aui_connect_again(self->session, &error), &error);
}

static void on_clicked(AuiBanner *self) {
  if (self->remedy == ASE_REMEDY_RECONNECT)
    reconnect(self);
  else if (self->remedy == ASE_REMEDY_CLEAR_FAULTS)
    gtk_widget_activate_action(GTK_WIDGET(self), "session.clear-faults", NULL);
}

/* A controller that was stopped just now is locked for a moment. */
static bool can(AuiBanner *self, AseRemedy remedy) {
  return remedy != ASE_REMEDY_CLEAR_FAULTS ||
         ase_device_lockout_s(ase_session_device(self->session)) <= 0.0;
}

/* ---- what it says ---- */

static void set_text(GtkLabel *label, const char *text) {
  if (g_strcmp0(gtk_label_get_text(label), text) != 0)
    gtk_label_set_text(label, text);
}

static void show(AuiBanner *self, const AseTrouble *trouble) {
  g_autofree char *text = g_strdup_printf("%s %s", trouble->arm, trouble->helps);
  const char *title = ase_remedy_title(trouble->remedy);
  self->remedy = trouble->remedy;
  set_text(self->cause, trouble->cause);
  set_text(self->text, text);
  gtk_widget_set_visible(GTK_WIDGET(self->button), title != NULL);
  gtk_widget_set_sensitive(GTK_WIDGET(self->button), can(self, trouble->remedy));
  if (title && g_strcmp0(gtk_button_get_label(self->button), title) != 0)
    gtk_button_set_label(self->button, title);
}

void aui_banner_refresh(AuiBanner *self) {
  g_auto(AseTrouble) trouble = {0};
  ase_session_trouble(self->session, &trouble);
  const bool is_there = trouble.kind != ASE_TROUBLE_NONE && trouble.kind != ASE_TROUBLE_DISK;
  if (is_there)
    show(self, &trouble);
  gtk_widget_set_visible(self->row, is_there);
}

const char *aui_banner_text(AuiBanner *self) {
  return gtk_widget_get_visible(self->row) ? gtk_label_get_text(self->cause) : "";
}

/* ---- the object ---- */

void aui_banner_set_session(AuiBanner *self, AseSession *session) {
  self->session = g_object_ref(session);
  g_signal_connect_object(session, "changed", G_CALLBACK(aui_banner_refresh), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(ase_session_device(session), "changed", G_CALLBACK(aui_banner_refresh),
                          self, G_CONNECT_SWAPPED);
  aui_banner_refresh(self);
}

static void dispose(GObject *object) {
  g_clear_object(&AUI_BANNER(object)->session);
  G_OBJECT_CLASS(aui_banner_parent_class)->dispose(object);
}

static void aui_banner_class_init(AuiBannerClass *class) {
  G_OBJECT_CLASS(class)->dispose = dispose;
  gtk_widget_class_set_accessible_role(GTK_WIDGET_CLASS(class), GTK_ACCESSIBLE_ROLE_ALERT);
}

static GtkLabel *label_new(GtkWidget *texts, const char *css_class) {
  GtkWidget *label = gtk_label_new("");
  gtk_label_set_wrap(GTK_LABEL(label), true);
  gtk_label_set_wrap_mode(GTK_LABEL(label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_xalign(GTK_LABEL(label), 0.0f);
  gtk_widget_add_css_class(label, css_class);
  gtk_box_append(GTK_BOX(texts), label);
  return GTK_LABEL(label);
}

static void aui_banner_init(AuiBanner *self) {
  GtkWidget *texts = gtk_box_new(GTK_ORIENTATION_VERTICAL, 2);
  self->row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 12);
  self->button = GTK_BUTTON(gtk_button_new_with_label(ase_remedy_title(ASE_REMEDY_RECONNECT)));
  self->cause = label_new(texts, "heading");
  self->text = label_new(texts, "body");
  gtk_widget_set_hexpand(texts, true);
  gtk_widget_set_valign(GTK_WIDGET(self->button), GTK_ALIGN_CENTER);
  gtk_widget_add_css_class(self->row, "aui-banner");
  g_signal_connect_swapped(self->button, "clicked", G_CALLBACK(on_clicked), self);
  gtk_box_append(GTK_BOX(self->row), texts);
  gtk_box_append(GTK_BOX(self->row), GTK_WIDGET(self->button));
  gtk_widget_set_hexpand(self->row, true);
  gtk_widget_set_visible(self->row, false);
  gtk_box_append(GTK_BOX(self), self->row);
}
