/* SPDX-License-Identifier: MIT */
#include "ui/notice.h"

#include "io/base/safe_text.h"

struct _AuiNotice {
  GtkBox parent_instance;
  GtkInfoBar *bar;
  GtkLabel *label;
};

G_DEFINE_FINAL_TYPE(AuiNotice, aui_notice, GTK_TYPE_BOX)

void aui_notice_show(AuiNotice *self, GtkMessageType type, const char *text) {
  gtk_info_bar_set_message_type(self->bar, type);
  gtk_info_bar_set_show_close_button(self->bar, type != GTK_MESSAGE_ERROR);
  g_autofree char *line = aio_text_visible(text, false);
  if (*line)
    gtk_label_set_text(self->label, line);
  gtk_info_bar_set_revealed(self->bar, *line != '\0');
}

const char *aui_notice_text(AuiNotice *self) {
  return gtk_info_bar_get_revealed(self->bar) ? gtk_label_get_text(self->label) : "";
}

static void on_response(AuiNotice *self) {
  gtk_info_bar_set_revealed(self->bar, false);
}

static void aui_notice_class_init(AuiNoticeClass *class) {
  (void)class;
}

static void aui_notice_init(AuiNotice *self) {
  self->bar = GTK_INFO_BAR(gtk_info_bar_new());
  self->label = GTK_LABEL(gtk_label_new(""));
  gtk_label_set_wrap(self->label, true);
  gtk_label_set_wrap_mode(self->label, PANGO_WRAP_WORD_CHAR);
  gtk_label_set_xalign(self->label, 0.0f);
  gtk_info_bar_set_revealed(self->bar, false);
  gtk_info_bar_add_child(self->bar, GTK_WIDGET(self->label));
  gtk_widget_set_hexpand(GTK_WIDGET(self->bar), true);
  g_signal_connect_swapped(self->bar, "response", G_CALLBACK(on_response), self);
  gtk_box_append(GTK_BOX(self), GTK_WIDGET(self->bar));
}
