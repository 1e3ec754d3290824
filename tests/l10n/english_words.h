/* SPDX-License-Identifier: MIT */
/* In the pseudo-translation every word that was translated has letters that English has not: what
 * has none is English, or a name. In a language a word is English, or a name, if its catalogue
 * never writes it. */
#ifndef ARMATURE_TESTS_L10N_ENGLISH_WORDS_H
#define ARMATURE_TESTS_L10N_ENGLISH_WORDS_H

#include <glib.h>

#include "io/arm/arm_file.h"

/* The first word of a text that is neither translated nor a name; g_free. NULL: there is none.
 * Words of less than three letters, and those with digits, points or slashes, are units, files and
 * keys of files; words in capitals are the protocol's. */
char *english_word(const char *text);

/* Names of this test's own: arms, joints, files. Words of it are no longer English. */
void english_allow(const char *text);
/* In a language: the words that its catalogue writes are its own, "Strom" and "rms".
 *   locale  "de_DE", of po/de.po; the pseudo-translations have none */
void english_allow_language(const char *locale);
void english_allow_arm(const AioArm *arm); /* its names and description */

#endif
