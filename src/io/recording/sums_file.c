/* SPDX-License-Identifier: MIT */
/* Files of sums: put together by recording, and as bytes. The head is a magic number, the version
 * and a checksum of all that follows, so that damage is told before anything is believed. */
#include "io/recording/sums_file.h"

#include <math.h>
#include <string.h>

#include "io/base/file.h"
#include "io/recording/sums_file_internal.h"
#include "wire/crc32.h"

enum { MAGIC = 8, HEAD = MAGIC + 8, MAX_SIZE = 1 << 30 };
static const char magic[MAGIC + 1] = "ARMASUMS";

/* ---- sums in memory ---- */

AioReduced *aio_reduced_new(const char *name, const char *digest) {
  AioReduced *reduced = g_new0(AioReduced, 1);
  reduced->name = g_strdup(name);
  reduced->digest = g_strdup(digest);
  return reduced;
}

void aio_reduced_free(gpointer data) {
  AioReduced *reduced = data;
  g_free(reduced->name);
  g_free(reduced->digest);
  arm_sums_clear(&reduced->sums);
  g_free(reduced);
}

static AioSums *empty(const char *name) {
  AioSums *sums = g_new0(AioSums, 1);
  sums->name = g_strdup(name);
  sums->recordings = g_ptr_array_new_with_free_func(aio_reduced_free);
  return sums;
}

AioSums *aio_sums_new(const char *name, const ArmModel *model, const char *arm_name,
                      const char *arm_digest, const ArmFitOptions *options, double rate_Hz) {
  AioSums *sums = empty(name);
  sums->arm_name = g_strdup(arm_name);
  sums->arm_digest = g_strdup(arm_digest);
  sums->rows = options->rows;
  sums->lowpass_Hz = options->lowpass_Hz;
  sums->rate_Hz = rate_Hz;
  sums->n = model->n;
  for (gsize j = 0; j < model->n; j++)
    sums->type[j] = model->joints[j].type;
  return sums;
}

void aio_sums_free(AioSums *sums) {
  if (!sums)
    return;
  g_free(sums->name);
  g_free(sums->arm_name);
  g_free(sums->arm_digest);
  g_ptr_array_unref(sums->recordings);
  g_free(sums);
}

/* ---- together ---- */

static gint by_digest(gconstpointer a, gconstpointer b) {
  const AioReduced *const *first = a, *const *second = b;
  return strcmp((*first)->digest, (*second)->digest);
}

static bool is_there(const AioSums *into, const AioReduced *more, GError **error) {
  for (guint k = 0; k < into->recordings->len; k++) {
    const AioReduced *r = g_ptr_array_index(into->recordings, k);
    if (strcmp(r->digest, more->digest) != 0)
      continue;
    char *found = g_strdup_printf("%s, the same recording as %s (%s): its rows would count twice",
                                  more->name, r->name, r->digest);
    aio_error_set_file(error, AIO_ERROR_REFUSED, into->name, "each recording once", found);
    g_free(found);
    return true;
  }
  return false;
}

static bool is_alike(const AioSums *into, const AioReduced *more, GError **error) {
  const AioReduced *first = into->recordings->len ? g_ptr_array_index(into->recordings, 0) : NULL;
  for (gsize j = 0; first && j < into->n; j++) {
    if (first->sums.is_torque[j] == more->sums.is_torque[j])
      continue;
    char *expected =
        g_strdup_printf("a %s of joint %d as in %s",
                        first->sums.is_torque[j] ? "torque" : "current", (int)j + 1, first->name);
    char *found =
        g_strdup_printf("a %s in %s", more->sums.is_torque[j] ? "torque" : "current", more->name);
    aio_error_set_file(error, AIO_ERROR_REFUSED, into->name, expected, found);
    g_free(expected);
    g_free(found);
    return false;
  }
  return true;
}

/* Takes `more`. */
static bool add(AioSums *into, AioReduced *more, GError **error) {
  if (is_there(into, more, error) || !is_alike(into, more, error)) {
    aio_reduced_free(more);
    return false;
  }
  g_ptr_array_add(into->recordings, more);
  g_ptr_array_sort(into->recordings, by_digest);
  return true;
}

bool aio_sums_add(AioSums *into, const char *name, const char *digest, ArmReduced *sums,
                  GError **error) {
  AioReduced *more = aio_reduced_new(name, digest);
  more->sums = *sums;
  *sums = (ArmReduced){0};
  return add(into, more, error);
}

static bool is_same_number(double a, double b) {
  return a == b || (isnan(a) && isnan(b));
}

static bool fail_option(const AioSums *from, const char *what, double expected, double found,
                        GError **error) {
  char *before = g_strdup_printf("%s %.17g", what, expected);
  char *now = g_strdup_printf("%.17g", found);
  aio_error_set_file(error, AIO_ERROR_REFUSED, from->name, before, now);
  g_free(before);
  g_free(now);
  return false;
}

/* Rows that were chosen by other rules are no rows of one fit. */
static bool has_options(const AioSums *into, const AioSums *from, GError **error) {
  const ArmRowOptions *a = &into->rows, *b = &from->rows;
  const struct {
    const char *what;
    double expected, found;
  } options[] = {
      {"--min-speed [rad/s]", a->min_speed_R, b->min_speed_R},
      {"--min-speed-t [m/s]", a->min_speed_T, b->min_speed_T},
      {"--acceleration", a->wants_acceleration, b->wants_acceleration},
      {"--plateau", a->wants_plateau, b->wants_plateau},
      {"plateau end [rad]", a->plateau_end_R, b->plateau_end_R},
      {"plateau end, part", a->plateau_end_part, b->plateau_end_part},
      {"plateau speed tolerance", a->plateau_speed_tolerance, b->plateau_speed_tolerance},
      {"--lowpass [Hz]", into->lowpass_Hz, from->lowpass_Hz},
      {"--rate [Hz]", into->rate_Hz, from->rate_Hz},
  };
  for (gsize k = 0; k < G_N_ELEMENTS(options); k++)
    if (!is_same_number(options[k].expected, options[k].found))
      return fail_option(from, options[k].what, options[k].expected, options[k].found, error);
  return true;
}

static bool has_arm(const AioSums *into, const AioSums *from, GError **error) {
  if (strcmp(into->arm_digest, from->arm_digest) == 0)
    return true;
  char *expected = g_strdup_printf("sums made with arm %s (%s)", into->arm_name, into->arm_digest);
  char *found = g_strdup_printf("arm %s (%s)", from->arm_name, from->arm_digest);
  aio_error_set_file(error, AIO_ERROR_REFUSED, from->name, expected, found);
  g_free(expected);
  g_free(found);
  return false;
}

bool aio_sums_merge(AioSums *into, AioSums *from, GError **error) {
  if (!has_arm(into, from, error) || !has_options(into, from, error))
    return false;
  while (from->recordings->len > 0)
    if (!add(into, g_ptr_array_steal_index(from->recordings, 0), error))
      return false;
  return true;
}

bool aio_sums_join(AioSums *from, const ArmModel *model, ArmReduced *sums, GError **error) {
  const gsize count = from->recordings->len;
  ArmReduced **parts = g_new0(ArmReduced *, count + 1);
  for (gsize k = 0; k < count; k++)
    parts[k] = &((AioReduced *)g_ptr_array_index(from->recordings, k))->sums;
  const ArmStatus status = arm_sums_join_taken(model, parts, count, sums);
  g_free(parts);
  if (status != ARM_OK)
    aio_error_set_file(error, status == ARM_E_MEMORY ? AIO_ERROR_MEMORY : AIO_ERROR_MEANING,
                       from->name, NULL, arm_status_text(status));
  return status == ARM_OK;
}

/* ---- bytes ---- */

static void put_word(guint8 *to, guint32 word) {
  word = GUINT32_TO_LE(word);
  memcpy(to, &word, sizeof word);
}

static guint32 get_word(const guint8 *from) {
  guint32 word;
  memcpy(&word, from, sizeof word);
  return GUINT32_FROM_LE(word);
}

char *aio_sums_format(const AioSums *sums, gsize *length) {
  AioSumsFields f = {.out = g_byte_array_new()};
  guint8 head[HEAD] = {0};
  memcpy(head, magic, MAGIC);
  put_word(head + MAGIC, AIO_SUMS_VERSION);
  g_byte_array_append(f.out, head, HEAD);
  aio_sums_visit(&f, (AioSums *)sums); /* only read on this way */
  put_word(f.out->data + MAGIC + 4, wire_crc32(0, f.out->data + HEAD, f.out->len - HEAD));
  *length = f.out->len;
  return (char *)g_byte_array_free(f.out, FALSE);
}

static bool check_head(const char *name, const guint8 *bytes, gsize length, GError **error) {
  char *found = NULL, *expected = NULL;
  AioErrorCode code = AIO_ERROR_SYNTAX;
  if (length < HEAD || memcmp(bytes, magic, MAGIC) != 0) {
    expected = g_strdup("a file of sums, as `reduce` writes it");
    found = g_strdup("something else");
  } else if (get_word(bytes + MAGIC) != AIO_SUMS_VERSION) {
    code = AIO_ERROR_REFUSED;
    expected = g_strdup_printf("version %d of the format", AIO_SUMS_VERSION);
    found = g_strdup_printf("version %u", get_word(bytes + MAGIC));
  } else if (get_word(bytes + MAGIC + 4) != wire_crc32(0, bytes + HEAD, length - HEAD)) {
    expected = g_strdup("bytes that its checksum is of");
    found = g_strdup("others: the file is damaged or cut off");
  }
  if (found)
    aio_error_set_file(error, code, name, expected, found);
  g_free(expected);
  const bool is_good = !found;
  g_free(found);
  return is_good;
}

static bool is_digest(const char *text) {
  static const char prefix[] = "sha256:";
  if (strncmp(text, prefix, sizeof prefix - 1) != 0 || strlen(text) != sizeof prefix - 1 + 64)
    return false;
  for (const char *c = text + sizeof prefix - 1; *c; c++)
    if (!g_ascii_isdigit(*c) && !(*c >= 'a' && *c <= 'f'))
      return false;
  return true;
}

static const char *check_options(const AioSums *sums) {
  const ArmRowOptions *o = &sums->rows;
  const double numbers[] = {o->min_speed_R,      o->min_speed_T,   o->plateau_end_R,
                            o->plateau_end_part, sums->lowpass_Hz, o->plateau_speed_tolerance};
  for (gsize k = 0; k < G_N_ELEMENTS(numbers); k++)
    if (!isfinite(numbers[k]) || numbers[k] < 0.0)
      return "an option is not a number from 0 on";
  return isnan(sums->rate_Hz) || (isfinite(sums->rate_Hz) && sums->rate_Hz > 0.0)
             ? NULL
             : "the rate is not above 0";
}

static const char *check_recordings(const AioSums *sums) {
  const char *before = "", *fault = sums->recordings->len > 0 ? NULL : "there is no recording";
  for (guint k = 0; k < sums->recordings->len && !fault; k++) {
    const AioReduced *r = g_ptr_array_index(sums->recordings, k);
    if (!is_digest(r->digest))
      return "a recording has no digest";
    if (strcmp(before, r->digest) >= 0)
      return "a recording is there twice, or they are not in the order of their digests";
    before = r->digest;
    fault = aio_sums_check(&r->sums);
    if (!fault && !is_alike(sums, r, NULL))
      fault = "torques and currents of one joint are mixed";
  }
  return fault;
}

static bool has_joints(const AioSums *sums, const ArmModel *model) {
  bool is_same = sums->n == model->n;
  for (gsize j = 0; is_same && j < model->n; j++)
    is_same = sums->type[j] == model->joints[j].type;
  return is_same;
}

AioSums *aio_sums_load_bytes(const char *name, const char *bytes, gsize length,
                             const ArmModel *model, GError **error) {
  if (!check_head(name, (const guint8 *)bytes, length, error))
    return NULL;
  AioSums *sums = empty(name);
  AioSumsFields f = {.in = (const guint8 *)bytes + HEAD, .left = length - HEAD};
  aio_sums_visit(&f, sums);
  const char *fault = f.fault ? f.fault : check_options(sums);
  fault = fault || is_digest(sums->arm_digest) ? fault : "the arm has no digest";
  if (!fault && !has_joints(sums, model))
    aio_error_set_file(error, AIO_ERROR_MEANING, name, "sums of an arm with these joints",
                       "other joints");
  else if (fault || (fault = check_recordings(sums)))
    aio_error_set_file(error, AIO_ERROR_MEANING, name, "sums of a recording", fault);
  else
    return sums;
  aio_sums_free(sums);
  return NULL;
}

AioSums *aio_sums_load(const char *path, const ArmModel *model, GError **error) {
  gsize length;
  char *bytes = aio_file_read_all(path, MAX_SIZE, &length, error);
  AioSums *sums = bytes ? aio_sums_load_bytes(path, bytes, length, model, error) : NULL;
  g_free(bytes);
  return sums;
}
