/* SPDX-License-Identifier: MIT */
/* A button for what must not happen by accident: it is held for a second, by the pointer or alike
 * by Space or Enter, and fills meanwhile. Assistive technology and mnemonics cannot hold: for these
 * it is "clicked" at once, and whoever listens asks for another deliberate act. Where no hold is
 * needed it is a button like others, except that a key that repeats itself clicks only once.
 *
 * Deaf, it looks as it does insensitive, and takes nothing; but it keeps the keyboard's focus and
 * notices when a key that was held is let go.
 *
 * Signals: "held": held for long enough; "early": let go before that, or slipped off. */
#ifndef ARMATURE_UI_HOLD_BUTTON_H
#define ARMATURE_UI_HOLD_BUTTON_H

#include <gtk/gtk.h>
#include <stdbool.h>

enum { AUI_HOLD_MS = 1000 };

#define AUI_TYPE_HOLD_BUTTON (aui_hold_button_get_type())
G_DECLARE_FINAL_TYPE(AuiHoldButton, aui_hold_button, AUI, HOLD_BUTTON, GtkButton)

GtkWidget *aui_hold_button_new(void);

/* Either ends a hold that is under way, without a signal. */
void aui_hold_button_set_needs_hold(AuiHoldButton *self, bool needs_hold);
void aui_hold_button_set_deaf(AuiHoldButton *self, bool is_deaf);

bool aui_hold_button_needs_hold(AuiHoldButton *self);
bool aui_hold_button_is_deaf(AuiHoldButton *self);

#endif
