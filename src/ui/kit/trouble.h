/* SPDX-License-Identifier: MIT */
/* Why a connection did not come about, in a sentence, what to do about it in another, and what a
 * button could do. Plain data, no display. */
#ifndef ARMATURE_UI_TROUBLE_H
#define ARMATURE_UI_TROUBLE_H

#include <glib.h>

typedef enum {
  AUI_CURE_NONE,
  AUI_CURE_RETRY, /* the same again */
  AUI_CURE_WAIT,  /* connect as soon as the device is plugged in */
  AUI_CURE_COPY   /* the command that lets this user in, to the clipboard */
} AuiCure;

typedef struct {
  const char *what, *remedy; /* in the user's language; static */
  AuiCure cure;
  const char *button; /* "" for AUI_CURE_NONE */
} AuiTrouble;

/* Tells permission, busy, unplugged, no answer, not a port apart. */
void aui_trouble_of(const GError *error, AuiTrouble *out);

#endif
