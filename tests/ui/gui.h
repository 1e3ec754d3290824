/* SPDX-License-Identifier: MIT */
/* A window on a simulated arm, and how a test looks for widgets, uses them, waits and takes
 * pictures. */
#ifndef ARMATURE_TESTS_UI_GUI_H
#define ARMATURE_TESTS_UI_GUI_H

#include "ui/application.h"
#include "ui/window.h"

typedef struct {
  AseSession *session;
  GtkWidget *window;
} Gui;

/* The program's only one; NULL without a display. */
AuiApplication *gui_application_new(void);

/* data/robots/NAME.arm.json, connected until CHECK has passed. */
void gui_open(Gui *gui, AuiApplication *application, const char *name, double time_factor);
void gui_close(Gui *gui);

/* Lets go of the session, which nothing may hold then; threads that read for a window have a
 * moment. */
void gui_end_session(Gui *gui);

/* One page of a session, in a plain window. */
void gui_show(Gui *gui, AseSession *session, GtkWidget *page, int width, int height);

/* Runs the main loop until the condition holds; an error after the time. */
void gui_wait(bool (*is_met)(Gui *gui), Gui *gui, double seconds, const char *what);
/* The same for so long, and until what became due has been done. */
void gui_pass(double seconds);

/* Once what the window computes by itself is done; an error with the reason if it is refused on. */
void gui_start(Gui *gui, AseStep step);
/* Until the step has passed; an error with its reason if it fails. gui_do starts it before. */
void gui_until(Gui *gui, AseStep step, double seconds);
void gui_do(Gui *gui, AseStep step, double seconds);

AseStepState gui_state(Gui *gui, AseStep step);
bool gui_is_armed(Gui *gui);
bool gui_is_not_armed(Gui *gui);
/* Once the lock-out of an earlier stop has passed. */
void gui_arm(Gui *gui);

/* Two speeds, brisk: tests have no patience. */
void gui_hurry(Gui *gui);

/* The coloured button that offers the next step, and what it says. */
GtkWidget *gui_next_button(Gui *gui);
const char *gui_next_label(Gui *gui);

/* An open question; NULL: none. */
GtkWindow *gui_question(void);

/* The first visible button with this label, anywhere in the window; an error if there is none. */
GtkWidget *gui_button(Gui *gui, const char *label);
/* It is sensitive and not deaf. */
bool gui_can_use(GtkWidget *button);
void gui_click(Gui *gui, const char *label);

/* Calls `visit` for the widget and all below it, as long as it returns true for the one above. */
void gui_walk(GtkWidget *widget, bool (*visit)(GtkWidget *widget, void *data), void *data);

/* Page and steps are seen as a whole, nothing has to be scrolled to. */
bool gui_is_whole(GtkWidget *window);

/* As key-pressed of the window's controllers in the capture phase. */
void gui_press(Gui *gui, guint key, GdkModifierType modifiers);

/* NAME.png in the folder $ARMATURE_SHOTS, if that is set. */
void gui_shoot(Gui *gui, const char *name);

#endif
