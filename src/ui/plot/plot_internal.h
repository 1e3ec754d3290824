/* SPDX-License-Identifier: MIT */
/* Inside plot*.c only. plot.c: what is shown; plot_input.c: mouse and keyboard; plot_menu.c: what
 * can be taken out of it. */
#ifndef ARMATURE_UI_PLOT_INTERNAL_H
#define ARMATURE_UI_PLOT_INTERNAL_H

#include "ui/plot/plot.h"
#include "ui/plot/plot_data.h"

struct _AuiPlot {
  GtkDrawingArea parent;
  AuiPainter *painter; /* NULL: PLplot's driver is missing */
  AuiPlotBuild build;
  gpointer build_data;
  AuiFigure *figure; /* NULL: none yet */
  bool is_stale, is_frozen, is_zoomed, is_selecting;
  AuiRange x, y; /* of all data so far */
  AuiView view;
  guint tick;        /* 0: no frame is asked for */
  guint frames;      /* drawn so far */
  gint64 due_us;     /* the next frame, frame clock */
  double pointer[2]; /* [px]; x < 0: not inside */
  double drag[4];    /* rectangle being drawn [px] */
  bool is_dragging;
  double cursor[2];        /* x of A and B; NAN: none */
  AuiView drag_view;       /* when a pan began */
  GtkWidget *menu, *table; /* popovers; NULL: not asked for yet */
};

/* Handlers of mouse and keys. */
void aui_plot_add_input(AuiPlot *self);
void aui_plot_input_class_init(GtkWidgetClass *widget_class);
/* The menu, at this point in pixels. */
void aui_plot_add_menu(AuiPlot *self);
void aui_plot_menu_class_init(GtkWidgetClass *widget_class);
void aui_plot_popup(AuiPlot *self, double px, double py);

AuiFrame aui_plot_frame(AuiPlot *self); /* of what is shown, in the widget's pixels */
void aui_plot_emit_range(AuiPlot *self, double low, double high);

#endif
