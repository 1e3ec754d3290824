/* SPDX-License-Identifier: MIT */
#include "ui/report/report_details.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <string.h>

#include "ui/kit/settings.h"

struct _AuiReportDetails {
  GtkBox parent_instance;
  AdwEntryRow *operator_name, *lab, *notes;
  AdwComboRow *paper;
};

G_DEFINE_FINAL_TYPE(AuiReportDetails, aui_report_details, GTK_TYPE_BOX)

/* ---- remembered: the same settings as in the preferences ---- */

/* The paper of the country until another one was chosen. */
static void recall(AuiReportDetails *self) {
  g_autofree char *chosen = g_settings_get_string(aui_settings(), "paper");
  const char *name = *chosen ? chosen : gtk_paper_size_get_default();
  adw_combo_row_set_selected(
      self->paper, strcmp(name, GTK_PAPER_NAME_LETTER) == 0 ? AUI_PAPER_LETTER : AUI_PAPER_A4);
  g_settings_bind(aui_settings(), "operator", self->operator_name, "text", G_SETTINGS_BIND_DEFAULT);
  g_settings_bind(aui_settings(), "laboratory", self->lab, "text", G_SETTINGS_BIND_DEFAULT);
}

void aui_report_details_get(AuiReportDetails *self, AuiReportNotes *out) {
  *out = (AuiReportNotes){.operator_name = gtk_editable_get_text(GTK_EDITABLE(self->operator_name)),
                          .lab = gtk_editable_get_text(GTK_EDITABLE(self->lab)),
                          .notes = gtk_editable_get_text(GTK_EDITABLE(self->notes)),
                          .paper = (AuiPaper)adw_combo_row_get_selected(self->paper)};
  g_settings_set_string(aui_settings(), "paper",
                        out->paper == AUI_PAPER_LETTER ? GTK_PAPER_NAME_LETTER : GTK_PAPER_NAME_A4);
}

/* ---- the widget ---- */

static AdwEntryRow *add_entry(AdwPreferencesGroup *group, const char *title) {
  GtkWidget *row = adw_entry_row_new();
  adw_preferences_row_set_title(ADW_PREFERENCES_ROW(row), title);
  gtk_accessible_update_property(GTK_ACCESSIBLE(row), GTK_ACCESSIBLE_PROPERTY_LABEL, title, -1);
  adw_preferences_group_add(group, row);
  return ADW_ENTRY_ROW(row);
}

static AdwComboRow *new_paper(void) {
  const char *const papers[] = {aui_paper_name(AUI_PAPER_A4), aui_paper_name(AUI_PAPER_LETTER),
                                NULL};
  AdwComboRow *row = ADW_COMBO_ROW(adw_combo_row_new());
  g_autoptr(GtkStringList) model = gtk_string_list_new(papers);
  adw_preferences_row_set_title(ADW_PREFERENCES_ROW(row), _("Paper"));
  adw_combo_row_set_model(row, G_LIST_MODEL(model));
  return row;
}

static void aui_report_details_init(AuiReportDetails *self) {
  AdwPreferencesGroup *group = ADW_PREFERENCES_GROUP(adw_preferences_group_new());
  adw_preferences_group_set_title(group, _("On the report"));
  adw_preferences_group_set_description(
      group, _("What it says of people and places; fill it in before the report is saved"));
  self->operator_name = add_entry(group, _("Operator"));
  self->lab = add_entry(group, _("Laboratory"));
  self->notes = add_entry(group, _("Notes"));
  self->paper = new_paper();
  adw_preferences_group_add(group, GTK_WIDGET(self->paper));
  gtk_widget_set_hexpand(GTK_WIDGET(group), TRUE);
  gtk_box_append(GTK_BOX(self), GTK_WIDGET(group));
  recall(self);
}

static void aui_report_details_class_init(AuiReportDetailsClass *class) {
  (void)class;
}

GtkWidget *aui_report_details_new(void) {
  return g_object_new(AUI_TYPE_REPORT_DETAILS, NULL);
}
