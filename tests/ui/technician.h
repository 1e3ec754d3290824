/* SPDX-License-Identifier: MIT */
/* Someone who works at the program from outside: sees it over accessibility, as a screen reader
 * does, and clicks, types and reads. Needs a display, a session bus and GTK_A11Y=atspi.
 *
 * Controls are named as they are read out, in the language of the run; underscores of mnemonics do
 * not count, and * stands for anything. What is not there in time ends the test. */
#ifndef ARMATURE_TESTS_UI_TECHNICIAN_H
#define ARMATURE_TESTS_UI_TECHNICIAN_H

#include <atspi/atspi.h>
#include <stdbool.h>

typedef struct Technician Technician;

/* Starts a program (NULL-terminated arguments) and waits for its window. */
Technician *technician_start(const char *const *argv);

/* Closes the window by its key and waits for the program to end well; frees. */
void technician_leave(Technician *self);

/* As when the computer fails: SIGKILL; frees. */
void technician_kill(Technician *self);

/* The first control of this role and name; ATSPI_ROLE_INVALID: of any. g_object_unref. NULL: there
 * is none now. */
AtspiAccessible *technician_look(Technician *self, AtspiRole role, const char *name);

/* The same, waited for. */
AtspiAccessible *technician_find(Technician *self, AtspiRole role, const char *name,
                                 double seconds);

/* A button that can be used: pressed once it can be. */
void technician_click(Technician *self, const char *name);
void technician_wait_button(Technician *self, const char *name); /* the wait alone */
bool technician_can_click(Technician *self, const char *name);

/* A spin button's or slider's value. */
void technician_set(Technician *self, const char *name, double value);

/* Into an entry, as assistive technology does. */
void technician_fill(Technician *self, const char *name, const char *text);

/* Into an entry, by mouse and keyboard; Enter. */
void technician_type(Technician *self, const char *name, const char *text);

/* The file dialog of this title gets a path, and the button that saves is pressed. */
void technician_save(Technician *self, const char *dialog, const char *save, const char *path);

/* A key as xdotool knows it: "Escape", "shift+Escape". */
void technician_press(Technician *self, const char *key);

/* A page by its number from 1. */
void technician_go_to(Technician *self, int page);

/* The step of this page: waits until its row is read out with this state ("passed"); when it is
 * read out as `failed` instead, that is an error. */
void technician_wait_step(Technician *self, int page, const char *state, const char *failed,
                          double seconds);
char *technician_step(Technician *self, int page); /* as it is read out; g_free */

void technician_pass(double seconds);

/* NAME.png of the whole screen in $ARMATURE_SHOTS, if that is set. */
void technician_shoot(Technician *self, const char *name);

#endif
