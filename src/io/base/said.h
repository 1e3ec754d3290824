/* SPDX-License-Identifier: MIT */
/* What is said to people, before it is in a language: a sentence, which is the key of its
 * translations, and what goes into it. It is kept, compared and written to files as such, and
 * becomes text where it is shown, in the reader's language whoever wrote it:
 *
 *   <mark>["joint %u: %s", 3, ["not swept"]]
 *
 * As text the mark (AIO_SAID_MARK) and a JSON array: the sentence, a printf format in English, or
 * two of them (for one and for many, of which the first whole number decides, or that one whose
 * place, from 1, stands behind them), then a number, a text or another sentence for each of its
 * directives. Anything else is plain text, which is shown as it is, whatever it looks like: a name,
 * an error of the system, what an earlier version wrote. The mark is a control character: what
 * comes from outside has none where it was cleaned (io/base/safe_text), and loses it where it was
 * not (aio_said_plain). What is read may be a stranger's: a directive that does not agree with what
 * is there is never followed.
 * Re-entrant; the language is that of the domain "armature".
 */
#ifndef ARMATURE_IO_SAID_H
#define ARMATURE_IO_SAID_H

#include <glib.h>
#include <stdbool.h>

#define AIO_SAID_MARK '\002' /* U+0002, begins a sentence */

enum {
  AIO_SAID_BYTES = 1024, /* of fields that take one sentence (aio_said_copy) */
  AIO_SAID_SHOWN_BYTES =
      1200 /* of a text on a page (aio_said_shown): a stranger's may be endless */
};

/* A sentence with what goes into it. g_free.
 *   format  an English literal, marked with N_(): %% and d i u x o s f g e, also with l and z, with
 *           flags, width and precision in digits; of a string none of them. A string may itself be
 *           what this returns. */
char *aio_said(const char *format, ...) G_GNUC_PRINTF(1, 2);
char *aio_said_v(const char *format, va_list arguments) G_GNUC_PRINTF(1, 0);

/* The same of a sentence for one and another one for many: the first whole number among the
 * arguments decides by the rules of the language. */
char *aio_said_many(const char *one, const char *many, ...) G_GNUC_PRINTF(2, 3);

/* The same where another number decides: `which`, from 1. */
char *aio_said_many_by(guint which, const char *one, const char *many, ...) G_GNUC_PRINTF(3, 4);

/* The same of words without directives that come from a table; "" for "". Of such as have a
 * context: aio_said_in("sensor", NC_("sensor", "position")). */
char *aio_said_words(const char *words);
char *aio_said_in(const char *context, const char *words);

/* The same pointer for the same text, for as long as the program runs. Of any thread. */
const char *aio_said_keep(const char *text);

/* The first of them interned, so that it can be handed on as it is: of words that are few. */
const char *aio_said_word(const char *word);

/* Sentences one after the other, each of which is translated by itself. g_free.
 *   said       n of them, or plain texts
 *   separator  between two of them; no directive in it */
char *aio_said_join(const char *const *said, gsize n, const char *separator);

/* The same in parts that come one by one. Joining frees the list. */
GPtrArray *aio_said_list_new(void);
void aio_said_list_add(GPtrArray *list, const char *format, ...) G_GNUC_PRINTF(2, 3);
void aio_said_list_take(GPtrArray *list, char *said);
char *aio_said_list_join(GPtrArray *list, const char *separator);

/* What somebody else wrote, as a value of a sentence: a name of a file, which may have any bytes,
 * or whatever else was not cleaned. Never a sentence. Borrowed from `text`; NULL for NULL. */
const char *aio_said_plain(const char *text);

/* Into a field of so many bytes: the sentence, or as much of the text, as has room. A sentence that
 * has none stays one: values are left out of it or cut, which three dots tell. */
void aio_said_copy(char *out, gsize size, const char *said);

/* Is `part`, a sentence or a text, all of `said`, or one of what went into it at any depth? */
bool aio_said_has(const char *said, const char *part);

/* For a file that programs of before the mark may have written, whose sentences begin with the
 * array: in a file a text that looks like one of these is a value of a sentence. g_free.
 *   said, kept  NULL: NULL */
char *aio_said_to_file(const char *said);
char *aio_said_from_file(const char *kept);

/* The text, in the reader's language as far as it has one for the sentence, and as long as the
 * sentence allows: some times what is kept. g_free.
 *   said  NULL: "" */
char *aio_said_text(const char *said);

/* The same, and frees `said`. */
char *aio_said_take_text(char *said);

/* The same of at most so many bytes, a stranger's may be endless: what is longer ends with three
 * dots, which come on top. */
char *aio_said_text_within(const char *said, gsize bytes);

/* The same for a page: one line. What a terminal or a page would obey, line ends too, is written
 * out (io/base/safe_text.h). g_free. */
char *aio_said_line(const char *said);

/* The same interned, so that nobody need free it: of what is kept interned itself, such as words
 * (aio_said_word) and reasons of steps, so that it adds no more than there is already; and of what
 * breaks a file, which is rare. What is longer than AIO_SAID_SHOWN_BYTES ends with three dots. */
const char *aio_said_shown(const char *said);

#endif
