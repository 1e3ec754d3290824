/* SPDX-License-Identifier: MIT */
/* Popovers without a grab: nothing is blocked, and Esc reaches the arm first. They wait for the
 * window's layout, or would point at where their target was. */
#include "ui/tour.h"

#include <glib/gi18n.h>

#include "ui/kit/settings.h"

#define TOUR "aui-tour"

enum { FRAMES = 5 }; /* until the window is laid out */

typedef struct {
  AuiPart part;
  GtkPositionType position;
  const char *title, *text;
} Stop;

static const Stop stops[] = {
    {AUI_PART_STEPS, GTK_POS_RIGHT, N_("Seven steps, top to bottom"),
     N_("You are connected to a simulated PUMA 560, so nothing can break. Each step shows its "
        "state and why; results go stale when what they rest on changes.")},
    {AUI_PART_NEXT, GTK_POS_TOP, N_("One thing to do next"),
     N_("This button always does the next thing with good defaults, up to a validated parameter "
        "file. It rests for a second whenever it comes to mean something else; a real arm is armed "
        "only by keeping it pressed for a second.")},
    {AUI_PART_MOTION, GTK_POS_BOTTOM, N_("Two ways to stop"),
     N_("Hold (Esc) decelerates and keeps the pose. Power off (Shift+Esc) cuts the drives: the arm "
        "may fall. Both work on every page. Nothing moves before you arm.")},
    {AUI_PART_STRIP, GTK_POS_TOP, N_("What is happening"),
     N_("What runs, how long it will take, and the last message; all messages open with Ctrl+L.")},
    {AUI_PART_MENU, GTK_POS_BOTTOM, N_("Help where you need it"),
     N_("A small ? beside a figure tells what it is and should be. The manual is F1. All is saved "
        "as you go, in one file.")},
};

typedef struct {
  AuiWindow *window; /* that it belongs to */
  GtkWidget *popover, *title, *text, *next, *count;
  guint at;
} Tour;

static void end_tour(gpointer data) {
  g_autofree Tour *tour = data;
  gtk_widget_unparent(tour->popover);
}

static void on_closed(Tour *tour) {
  g_settings_set_boolean(aui_settings(), "tour-seen", TRUE);
  g_object_set_data(G_OBJECT(tour->window), TOUR, NULL);
}

static void point_at(Tour *tour, const Stop *stop) {
  GtkWidget *part = aui_window_part(tour->window, stop->part);
  graphene_rect_t bounds;
  if (!gtk_widget_compute_bounds(part, gtk_widget_get_parent(tour->popover), &bounds))
    return;
  const GdkRectangle place = {(int)bounds.origin.x, (int)bounds.origin.y, (int)bounds.size.width,
                              (int)bounds.size.height};
  gtk_popover_set_pointing_to(GTK_POPOVER(tour->popover), &place);
  gtk_popover_set_position(GTK_POPOVER(tour->popover), stop->position);
}

/* A popover asks for its height at a width that includes its shadow, and gets a line too few. */
static void keep_lines(GtkWidget *label) {
  int width, height;
  gtk_widget_set_size_request(label, -1, -1);
  gtk_widget_measure(label, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &width, NULL, NULL);
  gtk_widget_measure(label, GTK_ORIENTATION_VERTICAL, width, NULL, &height, NULL, NULL);
  gtk_widget_set_size_request(label, -1, height);
}

static void show_stop(Tour *tour) {
  const Stop *stop = &stops[tour->at];
  const bool is_last = tour->at + 1 == G_N_ELEMENTS(stops);
  /* Translators: step of the tour, of how many */
  g_autofree char *count = g_strdup_printf(_("%u of %u"), tour->at + 1, (guint)G_N_ELEMENTS(stops));
  gtk_label_set_text(GTK_LABEL(tour->title), _(stop->title));
  gtk_label_set_text(GTK_LABEL(tour->text), _(stop->text));
  gtk_label_set_text(GTK_LABEL(tour->count), count);
  gtk_button_set_label(GTK_BUTTON(tour->next), is_last ? _("Begin") : _("Go on"));
  keep_lines(tour->text);
  point_at(tour, stop);
  gtk_popover_popup(GTK_POPOVER(tour->popover));
  gtk_widget_grab_focus(tour->next);
}

static void on_next(Tour *tour) {
  if (++tour->at < G_N_ELEMENTS(stops))
    show_stop(tour);
  else
    on_closed(tour);
}

/* is_text: as wide as it may get, because a popover asks for its height at that width. */
static GtkWidget *wrapped(const char *css_class, bool is_text) {
  GtkWidget *label = gtk_label_new("");
  gtk_label_set_wrap(GTK_LABEL(label), true);
  gtk_label_set_xalign(GTK_LABEL(label), 0.0f);
  gtk_label_set_width_chars(GTK_LABEL(label), is_text ? 44 : -1);
  gtk_label_set_max_width_chars(GTK_LABEL(label), 44);
  gtk_widget_add_css_class(label, css_class);
  return label;
}

static GtkWidget *buttons_new(Tour *tour) {
  GtkWidget *row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *skip = gtk_button_new_with_label(_("Leave the tour"));
  tour->count = wrapped("dim-label", false);
  tour->next = gtk_button_new();
  gtk_widget_set_hexpand(tour->count, true);
  gtk_widget_add_css_class(tour->next, "suggested-action");
  gtk_widget_add_css_class(skip, "flat");
  g_signal_connect_swapped(skip, "clicked", G_CALLBACK(on_closed), tour);
  g_signal_connect_swapped(tour->next, "clicked", G_CALLBACK(on_next), tour);
  gtk_box_append(GTK_BOX(row), tour->count);
  gtk_box_append(GTK_BOX(row), skip);
  gtk_box_append(GTK_BOX(row), tour->next);
  return row;
}

static Tour *tour_new(AuiWindow *window) {
  Tour *tour = g_new0(Tour, 1);
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8);
  tour->window = window;
  tour->title = wrapped("heading", true);
  tour->text = wrapped("body", true);
  tour->popover = gtk_popover_new();
  gtk_widget_add_css_class(box, "aui-why");
  gtk_box_append(GTK_BOX(box), tour->title);
  gtk_box_append(GTK_BOX(box), tour->text);
  gtk_box_append(GTK_BOX(box), buttons_new(tour));
  gtk_popover_set_child(GTK_POPOVER(tour->popover), box);
  gtk_popover_set_autohide(GTK_POPOVER(tour->popover), false);
  g_signal_connect_swapped(tour->popover, "closed", G_CALLBACK(on_closed), tour);
  gtk_widget_set_parent(tour->popover, aui_window_part(window, AUI_PART_CONTENT));
  return tour;
}

void aui_tour_start(AuiWindow *window) {
  Tour *tour = tour_new(window);
  g_object_set_data_full(G_OBJECT(window), TOUR, tour, end_tour);
  show_stop(tour);
}

/* Once there is something to point at. */
static gboolean on_tick(GtkWidget *widget, GdkFrameClock *clock, gpointer data) {
  (void)data;
  if (gdk_frame_clock_get_frame_counter(clock) < FRAMES)
    return G_SOURCE_CONTINUE;
  aui_tour_start(AUI_WINDOW(widget));
  return G_SOURCE_REMOVE;
}

void aui_tour_start_once(AuiWindow *window) {
  if (!g_settings_get_boolean(aui_settings(), "tour-seen"))
    gtk_widget_add_tick_callback(GTK_WIDGET(window), on_tick, NULL, NULL);
}

void aui_tour_end(AuiWindow *window) {
  g_object_set_data(G_OBJECT(window), TOUR, NULL);
}
