/* SPDX-License-Identifier: MIT */
/* A figure on the screen: zoom, pan, read-out, cursors, freezing, a table for screen readers.
 *
 *   wheel        zoom (Shift: only x)      drag          zoom into the rectangle
 *   middle drag  pan                       double click  all of it
 *   click        cursor A (Shift: B)       + - arrows Home    zoom, pan, all of it
 *   Space        freeze                    Ctrl+C, T     copy, table
 *   right click, Menu, Shift+F10: menu, with what can be copied and saved
 *
 * A figure is asked for when the plot is drawn, at most 30 times a second and not while it is
 * invisible. Axes only grow, in nice steps, until aui_plot_restart.
 *
 * Signal "range-selected" (double low, double high): x of a rectangle drawn while selecting.
 */
#ifndef ARMATURE_UI_PLOT_H
#define ARMATURE_UI_PLOT_H

#include <gtk/gtk.h>
#include <stdbool.h>

#include "ui/plot/figure.h"
#include "ui/plot/painter.h"

#define AUI_TYPE_PLOT (aui_plot_get_type())
G_DECLARE_FINAL_TYPE(AuiPlot, aui_plot, AUI, PLOT, GtkDrawingArea)

GtkWidget *aui_plot_new(void);

/* A new figure, which is taken over; never NULL. The data must live as long as the plot. */
typedef AuiFigure *(*AuiPlotBuild)(gpointer data);
void aui_plot_set_build(AuiPlot *self, AuiPlotBuild build, gpointer data);

void aui_plot_invalidate(AuiPlot *self); /* there are new data */
void aui_plot_restart(AuiPlot *self);    /* other data: the axes begin anew, nothing is zoomed */

/* What is shown, made up to date unless frozen. Borrowed until the next call. */
const AuiFigure *aui_plot_figure(AuiPlot *self);
const AuiView *aui_plot_view(AuiPlot *self);

/* Around a point in pixels; factor < 1: closer. */
void aui_plot_zoom(AuiPlot *self, double factor, double px, double py, bool only_x);
void aui_plot_pan(AuiPlot *self, double part_x, double part_y); /* of what is seen */
void aui_plot_fit(AuiPlot *self);
void aui_plot_set_frozen(AuiPlot *self, bool is_frozen);
guint aui_plot_frames(AuiPlot *self); /* how often it has been drawn */

/* Dragging selects a range of x instead of zooming. */
void aui_plot_set_selecting(AuiPlot *self, bool is_selecting);

/* "position 12.3 deg, current 0.41 A: 30 deg/s +" at a point in pixels; NULL outside of the frame.
 * g_free. */
char *aui_plot_read_out(AuiPlot *self, double px, double py);

#endif
