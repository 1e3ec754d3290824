/* SPDX-License-Identifier: MIT */
/* In the pseudo-translation every word that was translated has letters that English has not: what
 * has none is English, or a name. */
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
void english_allow_arm(const AioArm *arm); /* its names and description */

#endif
