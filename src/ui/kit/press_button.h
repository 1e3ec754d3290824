/* SPDX-License-Identifier: MIT */
/* A button for what must not happen by accident: it is pressed for a second, by the pointer or
 * alike by Space or Enter, and fills meanwhile. Assistive technology and mnemonics cannot do that:
 * for these it is "clicked" at once, and whoever listens asks for another deliberate act. Where no
 * long press is needed it is a button like others, except that a key that repeats itself clicks
 * only once.
 *
 * Deaf, it looks as it does insensitive, and takes nothing; but it keeps the keyboard's focus and
 * notices when a key that was down is let go.
 *
 * One press is one act: a press of the pointer that had to be long, that was on a deaf button, or
 * that the button changed under, is no click when it is let go, however long it took.
 *
 * Signals: "long-press": pressed for long enough; "early": let go before that, or slipped off. */
#ifndef ARMATURE_UI_PRESS_BUTTON_H
#define ARMATURE_UI_PRESS_BUTTON_H

#include <gtk/gtk.h>
#include <stdbool.h>

enum { AUI_PRESS_MS = 1000 };

#define AUI_TYPE_PRESS_BUTTON (aui_press_button_get_type())
G_DECLARE_FINAL_TYPE(AuiPressButton, aui_press_button, AUI, PRESS_BUTTON, GtkButton)

GtkWidget *aui_press_button_new(void);

/* Either ends a press that is under way, without a signal. */
void aui_press_button_set_needs_long_press(AuiPressButton *self, bool needs_long_press);
void aui_press_button_set_deaf(AuiPressButton *self, bool is_deaf);

bool aui_press_button_needs_long_press(AuiPressButton *self);
bool aui_press_button_is_deaf(AuiPressButton *self);

#endif
