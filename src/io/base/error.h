/* SPDX-License-Identifier: MIT */
/* The one error domain of src/io, and one form for every message about a text file:
 *
 *   file:line:column: key: expected X, found Y
 *
 * Lines and columns count from 1, columns in characters. Re-entrant.
 */
#ifndef ARMATURE_IO_ERROR_H
#define ARMATURE_IO_ERROR_H

#include <glib.h>

#define AIO_ERROR (aio_error_quark())
GQuark aio_error_quark(void);

typedef enum {
  AIO_ERROR_IO,         /* the system refused to open, read, write or rename; errno's text inside */
  AIO_ERROR_NOT_FOUND,  /* no such file, or a file lacks a part that was asked for */
  AIO_ERROR_EXISTS,     /* the file to be written exists and overwriting was not asked for */
  AIO_ERROR_TOO_LARGE,  /* the file is larger than this program reads */
  AIO_ERROR_SYNTAX,     /* not JSON, CSV, ...: the text itself is broken */
  AIO_ERROR_MEANING,    /* well-formed, but a key, value or unit is wrong */
  AIO_ERROR_REFUSED,    /* consistent, but this program cannot work with it */
  AIO_ERROR_MEMORY,     /* an allocation of user-controlled size failed */
  AIO_ERROR_PERMISSION, /* a port may not be opened by this user */
  AIO_ERROR_BUSY,       /* another program uses it */
  AIO_ERROR_GONE,       /* the other end is gone: cable pulled, program ended; or a file in use was
                           deleted */
  AIO_ERROR_TIMEOUT,    /* no answer */
  AIO_ERROR_DEVICE,     /* the controller refused; its reason inside */
  AIO_ERROR_CANCELLED,  /* given up on request */
  AIO_ERROR_FULL        /* no room left on the disk; what was to be written is still in memory */
} AioErrorCode;

/* Sets `error` (which may be NULL): its message in the reader's language, and the sentence of
 * io/base/said that it is, for who keeps it.
 *   format  marked with N_(), as aio_said has it */
void aio_error_set_said(GError **error, AioErrorCode code, const char *format, ...)
    G_GNUC_PRINTF(3, 4);
/* The same with a sentence, or a plain text, that is there. */
void aio_error_set_kept(GError **error, AioErrorCode code, const char *said);

/* The sentence of such an error, with what g_prefix_error has put before it; of others the message.
 * Lives until something is put before it again, or the error is freed. */
const char *aio_error_said(const GError *error);

/* Sets `error` (which may be NULL) to "file:line:column: key: expected E, found F", what a
 * terminal would obey written out (io/base/safe_text.h).
 *   file      NULL: no place at all
 *   line      0: no line; column 0: no column
 *   key       NULL: none
 *   expected  NULL: nothing was expected, `found` is then the whole statement
 *   found     NULL: nothing to show */
void aio_error_set_at(GError **error, AioErrorCode code, const char *file, guint line, guint column,
                      const char *key, const char *expected, const char *found);

/* What such an error says without the file and the place in it, which mean nothing to who has not
 * written the text: "key: expected E, found F". NULL: an error of another kind. Borrowed. */
const char *aio_error_without_place(const GError *error);

/* The same of a file as a whole. */
void aio_error_set_file(GError **error, AioErrorCode code, const char *file, const char *expected,
                        const char *found);

/* The same with a sentence of io/base/said, or a plain text. */
void aio_error_set_file_said(GError **error, AioErrorCode code, const char *file, const char *said);

/* "0.5, 2" for a message: 6 significant digits, never with a decimal comma. Free with g_free. */
char *aio_error_numbers(const double *numbers, gsize n);

/* The entry of `known` (NULL-terminated) that `word` was probably meant to be: one that only has a
 * unit or another ending more, else the one with the least edit distance (at most a third of the
 * word, at least 2 allowed). NULL if none is near. Borrowed from `known`. */
const char *aio_error_nearest(const char *word, const char *const *known);

#endif
