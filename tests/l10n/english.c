/* SPDX-License-Identifier: MIT */
#include "english.h"

#include "ui/plot/plot.h"

/* ---- where it stands ---- */

static char *figure_text(AuiPlot *plot) {
  const AuiFigure *figure = aui_plot_figure(plot);
  GString *text = g_string_new(NULL);
  if (!figure)
    return g_string_free(text, FALSE);
  g_string_append_printf(text, "%s; %s; %s %s; %s %s", figure->title,
                         figure->empty ? figure->empty : "", figure->x.name,
                         figure->x.unit ? figure->x.unit : "", figure->y.name,
                         figure->y.unit ? figure->y.unit : "");
  for (guint k = 0; k < figure->series->len; k++) {
    const AuiSeries *series = figure->series->pdata[k];
    g_string_append_printf(text, "; %s", series->label ? series->label : "");
  }
  return g_string_free(text, FALSE);
}

/* Rows that are out of sight have no widgets. */
static char *lines_text(GtkSelectionModel *model) {
  GString *text = g_string_new(NULL);
  for (guint k = 0; k < g_list_model_get_n_items(G_LIST_MODEL(model)); k++) {
    g_autoptr(GtkStringObject) item = g_list_model_get_item(G_LIST_MODEL(model), k);
    g_string_append_printf(text, "%s\n", gtk_string_object_get_string(item));
  }
  return g_string_free(text, FALSE);
}

static char *own_text(GtkWidget *widget) {
  if (GTK_IS_LABEL(widget))
    return g_strdup(gtk_label_get_text(GTK_LABEL(widget)));
  if (GTK_IS_INSCRIPTION(widget))
    return g_strdup(gtk_inscription_get_text(GTK_INSCRIPTION(widget)));
  if (GTK_IS_WINDOW(widget))
    return g_strdup(gtk_window_get_title(GTK_WINDOW(widget)));
  if (GTK_IS_TEXT(widget))
    return g_strdup(gtk_text_get_placeholder_text(GTK_TEXT(widget)));
  if (AUI_IS_PLOT(widget))
    return figure_text(AUI_PLOT(widget));
  if (GTK_IS_LIST_VIEW(widget))
    return lines_text(gtk_list_view_get_model(GTK_LIST_VIEW(widget)));
  return NULL;
}

char *english_text(GtkWidget *widget, guint k) {
  char *text = k == 0   ? own_text(widget)
               : k == 1 ? g_strdup(gtk_widget_get_tooltip_text(widget))
                        : NULL;
  return text || k >= 1 ? text : g_strdup("");
}
