/* SPDX-License-Identifier: MIT */
/* The user's language and number formats. */
#ifndef ARMATURE_UI_LANGUAGE_H
#define ARMATURE_UI_LANGUAGE_H

/* Takes the user's locale, with the translations of this build or installation, wherever it lies.
 * Call it first. */
void aui_language_init(void);

#endif
