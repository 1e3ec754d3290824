/* SPDX-License-Identifier: MIT */
/* A writer that walks over a printf format and its arguments, a reader of the arrays it writes, and
 * a formatter that takes directives from a translation only where they agree with the values that
 * were read: printf itself never sees a format from a file. */
#include "io/base/said.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "io/base/said_parts.h"

enum {
  MAX_DEPTH = 16,
  MOST_BYTES = 1 << 18, /* of a sentence; longer ones are a stranger's, and text */
  CONTEXT = '\004',     /* between a context and the words, as gettext has it */
  MAX_WIDTH = 64,       /* of a number, asked for by a directive: a stranger's may ask for 1e9 */
  /* A text is so many bytes and so many times its sentence: one that names a value ten times, 16
   * deep, would be 1e16. */
  MOST_TEXT = 2000,
  MOST_TIMES = 4
};

/* ---- directives ---- */

typedef struct {
  guint position;      /* from 1; 0: the next one */
  char flags[8];       /* "-+ 0#" as they stand */
  int width, decimals; /* -1: none */
  guint longs;         /* of l; 'z' counts as two */
  char kind;           /* d u x o s f g e %, 0: none that is known */
} Directive;

static int read_digits(const char **at) {
  if (!g_ascii_isdigit(**at))
    return -1;
  int value = 0;
  for (; g_ascii_isdigit(**at); (*at)++)
    value = MIN(10 * value + (**at - '0'), 10000);
  return value;
}

/* at: behind the '%'; moved behind the directive. */
static Directive read_directive(const char **at) {
  Directive out = {.width = -1, .decimals = -1};
  const char *begin = *at;
  const int position = read_digits(at);
  if (position > 0 && **at == '$') {
    out.position = (guint)position;
    (*at)++;
  } else {
    *at = begin;
  }
  for (gsize k = 0; **at && strchr("-+ 0#", **at) && k + 1 < sizeof out.flags; (*at)++)
    out.flags[k++] = **at;
  out.width = read_digits(at);
  if (**at == '.') {
    (*at)++;
    const int decimals = read_digits(at);
    out.decimals = MAX(decimals, 0);
  }
  for (; **at == 'l' || **at == 'z'; (*at)++)
    out.longs += **at == 'z' ? 2 : 1;
  if (**at && strchr("diuxosfge%", **at))
    out.kind = **at == 'i' ? 'd' : **at;
  *at += **at ? 1 : 0;
  return out;
}

/* ---- writing ---- */

static void write_text(GString *out, const char *text) {
  char *valid = g_utf8_make_valid(text, -1);
  g_string_append_c(out, '"');
  for (const char *c = valid; *c; c++) {
    if (*c == '"' || *c == '\\')
      g_string_append_printf(out, "\\%c", *c);
    else if ((guchar)*c < 0x20)
      g_string_append_printf(out, "\\u%04x", (guint)*c);
    else
      g_string_append_c(out, *c);
  }
  g_string_append_c(out, '"');
  g_free(valid);
}

static void write_number(GString *out, double value) {
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  if (!isfinite(value)) {
    write_text(out, isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
    return;
  }
  g_ascii_dtostr(text, sizeof text, value);
  g_string_append_printf(out, "%s%s", text, strpbrk(text, ".eE") ? "" : ".0");
}

/* NOLINTBEGIN(clang-analyzer-valist.Uninitialized): the caller has begun it */
/* The next argument, of the type that the directive says. */
static void write_argument(GString *out, const Directive *directive, va_list *arguments) {
  g_string_append(out, ", ");
  switch (directive->kind) {
  case 's': {
    const char *text = va_arg(*arguments, const char *);
    if (aio_said_is(text))
      g_string_append(out, text + 1); /* within a sentence an array is one */
    else
      write_text(out, text ? text : "");
    break;
  }
  case 'd':
    g_string_append_printf(out, "%" G_GINT64_FORMAT,
                           directive->longs ? (gint64)va_arg(*arguments, glong)
                                            : (gint64)va_arg(*arguments, int));
    break;
  case 'u':
  case 'x':
  case 'o':
    g_string_append_printf(out, "%" G_GUINT64_FORMAT,
                           directive->longs ? (guint64)va_arg(*arguments, gulong)
                                            : (guint64)va_arg(*arguments, guint));
    break;
  default:
    write_number(out, va_arg(*arguments, double));
  }
}
/* NOLINTEND(clang-analyzer-valist.Uninitialized) */

static void write_arguments(GString *out, const char *format, va_list *arguments) {
  for (const char *at = format; (at = strchr(at, '%')) != NULL;) {
    at++;
    const Directive directive = read_directive(&at);
    g_assert(directive.kind && !directive.position); /* a format of this program */
    if (directive.kind != '%')
      write_argument(out, &directive, arguments);
  }
}

static GString *begin_sentence(void) {
  const char begin[] = {AIO_SAID_MARK, '[', '\0'};
  return g_string_new(begin);
}

char *aio_said_v(const char *format, va_list arguments) {
  GString *out = begin_sentence();
  va_list copy;
  va_copy(copy, arguments);
  write_text(out, format);
  write_arguments(out, format, &copy);
  va_end(copy);
  g_string_append_c(out, ']');
  return g_string_free(out, FALSE);
}

char *aio_said(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *out = aio_said_v(format, arguments);
  va_end(arguments);
  return out;
}

/* which 0: the first whole number */
static char *write_many(guint which, const char *one, const char *many, va_list *arguments) {
  GString *out = begin_sentence();
  g_string_append_c(out, '[');
  write_text(out, one);
  g_string_append(out, ", ");
  write_text(out, many);
  if (which)
    g_string_append_printf(out, ", %u", which);
  g_string_append_c(out, ']');
  write_arguments(out, many, arguments);
  g_string_append_c(out, ']');
  return g_string_free(out, FALSE);
}

char *aio_said_many(const char *one, const char *many, ...) {
  va_list arguments;
  va_start(arguments, many);
  char *said = write_many(0, one, many, &arguments);
  va_end(arguments);
  return said;
}

char *aio_said_many_by(guint which, const char *one, const char *many, ...) {
  va_list arguments;
  va_start(arguments, many);
  char *said = write_many(which, one, many, &arguments);
  va_end(arguments);
  return said;
}

char *aio_said_words(const char *words) {
  if (!*words)
    return g_strdup("");
  GString *out = begin_sentence();
  write_text(out, words);
  g_string_append_c(out, ']');
  return g_string_free(out, FALSE);
}

char *aio_said_in(const char *context, const char *words) {
  const char separator[] = {CONTEXT, '\0'};
  char *key = g_strconcat(context, separator, words, NULL), *said = aio_said_words(key);
  g_free(key);
  return said;
}

/* ---- reading ---- */

typedef struct {
  enum { A_TEXT, A_WHOLE, A_NUMBER } kind;
  char *text; /* of all kinds, as it stands; of a sentence in it, translated */
  gint64 whole;
  double number;
} Value;

typedef struct {
  char *format[2]; /* the second: for many; NULL: only one */
  guint which;     /* number decides, from 1; 0: the first whole one */
  Value values[AIO_SAID_VALUES];
  gsize n, bytes; /* of the sentence as it is kept */
} Said;

static void clear_said(Said *said) {
  g_free(said->format[0]);
  g_free(said->format[1]);
  for (gsize k = 0; k < said->n; k++)
    g_free(said->values[k].text);
}

static void skip_space(const char **at) {
  while (**at == ' ')
    (*at)++;
}

static bool skip_letter(const char **at, char what) {
  if (**at != what)
    return false;
  (*at)++;
  return true;
}

static bool skip(const char **at, char what) {
  skip_space(at);
  return skip_letter(at, what);
}

/* \u0000 and what is beyond the first 128 letters is never written so. */
static bool read_escape(const char **at, GString *out) {
  if (**at == '"' || **at == '\\') {
    g_string_append_c(out, *(*at)++);
    return true;
  }
  guint code = 0;
  if (!skip_letter(at, 'u'))
    return false;
  for (guint k = 0; k < 4; k++, (*at)++) {
    if (!g_ascii_isxdigit(**at))
      return false;
    code = 16 * code + (guint)g_ascii_xdigit_value(**at);
  }
  if (code == 0 || code > 0x7f)
    return false;
  g_string_append_c(out, (char)code);
  return true;
}

/* NULL: no text in quotes. g_free. */
static char *read_text(const char **at) {
  if (!skip(at, '"'))
    return NULL;
  GString *out = g_string_new(NULL);
  bool ok = true;
  while (ok && **at && **at != '"') {
    const char c = *(*at)++;
    if (c == '\\')
      ok = read_escape(at, out);
    else
      g_string_append_c(out, c);
  }
  ok = ok && *(*at) == '"';
  *at += ok ? 1 : 0;
  return g_string_free(out, !ok); /* NULL once it is freed */
}

static bool read_number(const char **at, Value *value) {
  const char *begin = *at;
  while (**at && strchr("+-.0123456789eE", **at))
    (*at)++;
  char *text = g_strndup(begin, (gsize)(*at - begin)), *end = NULL;
  const bool is_whole = !strpbrk(text, ".eE");
  *value = (Value){.kind = is_whole ? A_WHOLE : A_NUMBER, .text = text};
  value->number = g_ascii_strtod(text, &end);
  const bool ok = *text && !*end;
  if (is_whole)
    value->whole =
        *text == '-' ? g_ascii_strtoll(text, NULL, 10) : (gint64)g_ascii_strtoull(text, NULL, 10);
  return ok;
}

static char *read_sentence(const char **at, guint depth);

static bool read_value(const char **at, Value *value, guint depth) {
  skip_space(at);
  *value = (Value){.kind = A_TEXT};
  if (**at == '[')
    value->text = read_sentence(at, depth + 1);
  else if (**at == '"')
    value->text = read_text(at);
  else
    return read_number(at, value);
  return value->text != NULL;
}

static bool read_formats(const char **at, Said *said) {
  const bool are_two = skip(at, '[');
  said->format[0] = read_text(at);
  if (!are_two)
    return said->format[0] != NULL;
  if (!said->format[0] || !skip(at, ',') || !(said->format[1] = read_text(at)))
    return false;
  if (skip(at, ',')) {
    skip_space(at);
    const int which = read_digits(at);
    said->which = (guint)MAX(which, 0);
  }
  return skip(at, ']');
}

static bool read_said(const char **at, Said *said, guint depth) {
  if (depth > MAX_DEPTH || !skip(at, '[') || !read_formats(at, said))
    return false;
  while (skip(at, ',')) {
    if (said->n == AIO_SAID_VALUES || !read_value(at, &said->values[said->n++], depth))
      return false;
  }
  return skip(at, ']');
}

/* ---- text ---- */

static void append_printf_format(GString *out, const Directive *d, const char *length) {
  g_string_append_printf(out, "%%%s", d->flags);
  if (d->width >= 0)
    g_string_append_printf(out, "%d", MIN(d->width, MAX_WIDTH));
  if (d->decimals >= 0)
    g_string_append_printf(out, ".%d", MIN(d->decimals, MAX_WIDTH));
  g_string_append_printf(out, "%s%c", length, d->kind);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* built above, of one directive */
static void append_number(GString *out, const Directive *d, const Value *value) {
  GString *format = g_string_new(NULL);
  const bool is_whole = strchr("duxo", d->kind) != NULL;
  append_printf_format(format, d, is_whole ? G_GINT64_MODIFIER : "");
  if (is_whole)
    g_string_append_printf(out, format->str, value->whole);
  else
    g_string_append_printf(out, format->str, value->number);
  g_string_free(format, TRUE);
}
#pragma GCC diagnostic pop

static bool append_value(GString *out, const Directive *d, const Value *value) {
  const bool is_number = strchr("duxofge", d->kind) != NULL;
  if (value->kind == A_TEXT && (d->kind == 's' || (is_number && !strchr("duxo", d->kind))))
    g_string_append(out, value->text); /* of a number: "nan" */
  else if (is_number && (value->kind == A_WHOLE) == (strchr("duxo", d->kind) != NULL))
    append_number(out, d, value);
  else
    return false;
  return true;
}

/* false: a directive does not agree with what is there, or the text is endless; out as it was. */
static bool append_formatted(GString *out, const char *format, const Said *said) {
  const gsize before = out->len;
  guint next = 1;
  for (const char *at = format; *at;) {
    const gsize plain = strcspn(at, "%");
    g_string_append_len(out, at, (gssize)plain);
    at += plain;
    if (!*at)
      break;
    at++;
    const Directive d = read_directive(&at);
    const guint which = d.position ? d.position : next;
    const bool has_room = out->len - before <= MOST_TEXT + MOST_TIMES * said->bytes;
    if (d.kind == '%') {
      g_string_append_c(out, '%');
    } else if (has_room && d.kind && which <= said->n &&
               append_value(out, &d, &said->values[which - 1])) {
      next++;
    } else {
      g_string_truncate(out, before);
      return false;
    }
  }
  return true;
}

/* Behind its context, if it has one. */
static const char *without_context(const char *format) {
  const char *end = strchr(format, CONTEXT);
  return end ? end + 1 : format;
}

static const char *translated(const Said *said) {
  if (!*said->format[0])
    return ""; /* the translation of nothing is the header of the .po file */
  if (!said->format[1]) {
    const char *text = _(said->format[0]);
    return text == said->format[0] ? without_context(text) : text;
  }
  gsize k = said->which ? said->which - 1 : 0;
  while (!said->which && k < said->n && said->values[k].kind != A_WHOLE)
    k++;
  const gint64 n = k < said->n && said->values[k].kind == A_WHOLE ? said->values[k].whole : 0;
  return g_dngettext(GETTEXT_PACKAGE, said->format[0], said->format[1],
                     n < 0 ? -(gulong)n : (gulong)n);
}

/* One that fits nothing is shown as it stands; of words without values a % may be one. */
static char *text_of(const Said *said) {
  GString *out = g_string_new(NULL);
  const char *const format = without_context(said->format[1] ? said->format[1] : said->format[0]);
  const char *const words = translated(said);
  if (!append_formatted(out, words, said) && !append_formatted(out, format, said))
    g_string_append(out, said->n ? format : words);
  return g_string_free(out, FALSE);
}

/* NULL: it is none. g_free. */
static char *read_sentence(const char **at, guint depth) {
  const char *const begin = *at;
  Said said = {.n = 0};
  const bool is_read = read_said(at, &said, depth);
  said.bytes = (gsize)(*at - begin);
  char *text = is_read ? text_of(&said) : NULL;
  clear_said(&said);
  return text;
}

static const char *behind_mark(const char *text) {
  return *text == AIO_SAID_MARK ? text + 1 : text;
}

/* The text of one that is whole; NULL: it is none. g_free. */
static char *read_whole(const char *array) {
  const char *at = array;
  if (strnlen(array, MOST_BYTES + 1) > MOST_BYTES)
    return NULL;
  char *text = *at == '[' ? read_sentence(&at, 0) : NULL;
  if (text && *at)
    g_clear_pointer(&text, g_free);
  return text;
}

static bool is_array(const char *text) {
  char *words = read_whole(text);
  g_free(words);
  return words != NULL;
}

bool aio_said_is(const char *text) {
  return text && *text == AIO_SAID_MARK && is_array(text + 1);
}

const char *aio_said_plain(const char *text) {
  while (text && *text == AIO_SAID_MARK)
    text++;
  return text;
}

char *aio_said_text(const char *said) {
  if (!said)
    return g_strdup("");
  char *text = *said == AIO_SAID_MARK ? read_whole(said + 1) : NULL;
  return text ? text : g_strdup(behind_mark(said));
}

/* ---- files of before the mark ---- */

static bool is_of_before(const char *text) {
  return (g_str_has_prefix(text, "[\"") || g_str_has_prefix(text, "[[\"")) && is_array(text);
}

char *aio_said_to_file(const char *said) {
  return said && is_of_before(said) ? aio_said("%s", said) : g_strdup(said);
}

char *aio_said_from_file(const char *kept) {
  const char mark[] = {AIO_SAID_MARK, '\0'};
  return kept && is_of_before(kept) ? g_strconcat(mark, kept, NULL) : g_strdup(kept);
}
