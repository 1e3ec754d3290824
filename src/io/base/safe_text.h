/* SPDX-License-Identifier: MIT */
/* Texts of strangers (files, controllers, names) where something would obey them: a terminal, a
 * label, a spreadsheet. */
#ifndef ARMATURE_IO_SAFE_TEXT_H
#define ARMATURE_IO_SAFE_TEXT_H

#include <glib.h>
#include <stdbool.h>

/* Does it give orders instead of being read? Control characters of C0 and C1 (ESC, CSI), marks,
 * overrides and isolates of the writing direction, line and paragraph separators, and what has no
 * width at all, tags too (but for the joiners and variants, which scripts need). */
bool aio_text_is_order(gunichar c);

/* `text` with each of these written out as in JSON, \u202e, and each byte that is not UTF-8 as
 * \xff: what it is can be seen, and nothing obeys it. Twice is as once. NULL gives "".
 *   keeps_lines  line ends and tabs stay
 * Free with g_free. */
char *aio_text_visible(const char *text, bool keeps_lines);

/* Is there anything to write out in the first `length` bytes, lines kept? Cheap, for large outputs.
 */
bool aio_text_has_orders(const char *text, gsize length);

/* Ends it before the first byte that is no UTF-8: half a letter, where a text was too long for its
 * room. */
void aio_text_cut(char *text);

/* Appends `text` as a cell of a CSV: visible, quoted where it must be, and where a spreadsheet
 * would compute it (= + - @ at its beginning, or behind a semicolon, which others take for a
 * separator) behind an apostrophe, which makes it a text. For texts only: a number would become
 * one. */
void aio_text_append_csv(GString *out, const char *text);

#endif
