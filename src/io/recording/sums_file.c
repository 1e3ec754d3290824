/* SPDX-License-Identifier: MIT */
/* Files of sums: put together by recording, and as bytes. The head is a magic number, the version
 * and a checksum of all that follows, so that damage is told before anything is believed. */
#include "io/recording/sums_file.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "io/base/file.h"
#include "io/csv/csv_number_write.h"
#include "io/recording/sums_file_internal.h"
#include "wire/crc32.h"

enum { MAGIC = 8, HEAD = MAGIC + 8 };
#define MAX_SIZE ((gsize)1 << 36) /* it is read piece by piece, its rows lie on the shelf */
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
  g_free(reduced->from);
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

static const char *file_of(const AioReduced *reduced) {
  return reduced->from ? reduced->from : reduced->name;
}

static bool is_there(const AioSums *into, const AioReduced *more, GError **error) {
  for (guint k = 0; k < into->recordings->len; k++) {
    const AioReduced *r = g_ptr_array_index(into->recordings, k);
    if (strcmp(r->digest, more->digest) != 0)
      continue;
    char *found = g_strdup_printf(
        "%s, the same recording as %s%s%s (%s): its rows would count twice", more->name, r->name,
        r->from ? " in " : "", r->from ? r->from : "", r->digest);
    aio_error_set_file(error, AIO_ERROR_REFUSED, file_of(more), "each recording once", found);
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
    aio_error_set_file(error, AIO_ERROR_REFUSED, file_of(more), expected, found);
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

/* What a reader would refuse nobody may write: one sample of 1e155 A is enough. */
static bool is_readable(const char *name, const ArmReduced *sums, GError **error) {
  const char *fault = aio_sums_check(sums);
  if (fault)
    aio_error_set_file(error, AIO_ERROR_MEANING, name,
                       "numbers that sums can hold (right units, no sample far beyond all others)",
                       fault);
  return !fault;
}

bool aio_sums_add(AioSums *into, const char *name, const char *digest, ArmReduced *sums,
                  GError **error) {
  if (!is_readable(name, sums, error)) {
    arm_sums_clear(sums);
    return false;
  }
  AioReduced *more = aio_reduced_new(NULL, digest);
  more->name = g_utf8_make_valid(name, -1); /* a file's may be any bytes, sums are read as text */
  more->sums = *sums;
  *sums = (ArmReduced){0};
  return add(into, more, error);
}

static bool is_same_number(double a, double b) {
  return a == b || (isnan(a) && isnan(b));
}

typedef struct {
  const char *what;
  double expected, found;
  bool is_flag;
} Option;

/* "--plateau", or "no --plateau"; "--lowpass [Hz] 5". g_free it. */
static char *option_text(const char *what, bool is_flag, double value) {
  char number[AIO_NUMBER_ROOM];
  if (is_flag)
    return g_strdup_printf("%s%s", value != 0 ? "" : "no ", what);
  if (!isfinite(value))
    return g_strdup_printf("no %s", what);
  return g_strdup_printf("%s %.*s", what, (int)aio_number_write(value, number), number);
}

static bool fail_option(const AioSums *from, const Option *o, GError **error) {
  char *before = option_text(o->what, o->is_flag, o->expected);
  char *now = option_text(o->what, o->is_flag, o->found);
  aio_error_set_file(error, AIO_ERROR_REFUSED, from->name, before, now);
  g_free(before);
  g_free(now);
  return false;
}

/* Rows that were chosen by other rules are no rows of one fit. */
static bool has_options(const AioSums *into, const AioSums *from, GError **error) {
  const ArmRowOptions *a = &into->rows, *b = &from->rows;
  const Option options[] = {
      {"--min-speed [rad/s]", a->min_speed_R, b->min_speed_R, false},
      {"--min-speed-t [m/s]", a->min_speed_T, b->min_speed_T, false},
      {"--acceleration", a->wants_acceleration, b->wants_acceleration, true},
      {"--plateau", a->wants_plateau, b->wants_plateau, true},
      {"plateau end [rad]", a->plateau_end_R, b->plateau_end_R, false},
      {"plateau end, part", a->plateau_end_part, b->plateau_end_part, false},
      {"plateau speed tolerance", a->plateau_speed_tolerance, b->plateau_speed_tolerance, false},
      {"--lowpass [Hz]", into->lowpass_Hz, from->lowpass_Hz, false},
      {"--rate [Hz]", into->rate_Hz, from->rate_Hz, false},
  };
  for (gsize k = 0; k < G_N_ELEMENTS(options); k++)
    if (!is_same_number(options[k].expected, options[k].found))
      return fail_option(from, &options[k], error);
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

static void set_status(GError **error, const AioSums *sums, ArmStatus status) {
  if (status == ARM_E_SOURCE)
    g_propagate_error(error, g_error_copy(aio_shelf_error(sums->shelf)));
  else
    aio_error_set_file(error, status == ARM_E_MEMORY ? AIO_ERROR_MEMORY : AIO_ERROR_MEANING,
                       sums->name, NULL, arm_status_text(status));
}

bool aio_sums_join(AioSums *from, const ArmModel *model, ArmReduced *sums, GError **error) {
  const gsize count = from->recordings->len;
  ArmReduced **parts = g_new0(ArmReduced *, count + 1);
  for (gsize k = 0; k < count; k++)
    parts[k] = &((AioReduced *)g_ptr_array_index(from->recordings, k))->sums;
  const ArmStatus status = arm_sums_join_taken(model, parts, count, sums);
  g_free(parts);
  if (status != ARM_OK)
    set_status(error, from, status);
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

/* The fields, without the head. false: a `put` was. */
static bool put_fields(const AioSums *sums, AioSumsPut put, void *user) {
  AioSumsFields *f = g_new0(AioSumsFields, 1);
  f->put = put;
  f->user = user;
  aio_sums_visit(f, (AioSums *)sums); /* only read on this way */
  const bool is_put = !f->is_broken;
  g_free(f);
  return is_put;
}

static bool add_crc(const guint8 *bytes, gsize size, void *user) {
  guint32 *crc = user;
  *crc = wire_crc32(*crc, bytes, size);
  return true;
}

bool aio_sums_write(const AioSums *sums, AioSumsPut put, void *user) {
  guint8 head[HEAD] = {0};
  guint32 crc = 0;
  put_fields(sums, add_crc, &crc);
  memcpy(head, magic, MAGIC);
  put_word(head + MAGIC, AIO_SUMS_VERSION);
  put_word(head + MAGIC + 4, crc);
  return put(head, HEAD, user) && put_fields(sums, put, user);
}

static bool append_bytes(const guint8 *bytes, gsize size, void *user) {
  g_byte_array_append(user, bytes, (guint)size);
  return true;
}

char *aio_sums_format(const AioSums *sums, gsize *length) {
  GByteArray *bytes = g_byte_array_new();
  aio_sums_write(sums, append_bytes, bytes);
  *length = bytes->len;
  return (char *)g_byte_array_free(bytes, FALSE);
}

static const char checksum_expected[] = "bytes that its checksum is of";
static const char checksum_found[] = "others: the file is damaged or cut off";

/* Where bytes come from: a file, or memory. */
typedef struct {
  const char *path;
  int fd; /* -1: memory */
  const guint8 *bytes;
  gsize next, length;
  GError *error;
} Source;

static bool get_bytes(void *user, guint8 *to, gsize size) {
  Source *source = user;
  if (source->fd < 0)
    memcpy(to, source->bytes + source->next, size);
  source->next += size;
  if (source->fd < 0)
    return true;
  const gssize got = aio_file_read(source->fd, source->path, to, size, &source->error);
  if (got >= 0 && (gsize)got < size) /* it has become shorter */
    aio_error_set_file(&source->error, AIO_ERROR_SYNTAX, source->path, checksum_expected,
                       checksum_found);
  return !source->error;
}

static bool seek_to(Source *source, gsize at) {
  source->next = at;
  return source->fd < 0 || lseek(source->fd, (off_t)at, SEEK_SET) >= 0;
}

/* The checksum of all that follows the head. */
static bool read_crc(Source *source, guint32 *crc) {
  guint8 *piece = g_malloc(AIO_SUMS_PIECE);
  bool is_read = true;
  *crc = 0;
  for (gsize left = source->length - HEAD, some; left > 0 && is_read; left -= some) {
    some = MIN(left, AIO_SUMS_PIECE);
    is_read = get_bytes(source, piece, some);
    *crc = wire_crc32(*crc, piece, is_read ? some : 0);
  }
  g_free(piece);
  return is_read;
}

/* Leaves the source behind the head. */
static bool check_head(Source *source, GError **error) {
  guint8 head[HEAD] = {0};
  char *found = NULL, *expected = NULL;
  guint32 crc;
  AioErrorCode code = AIO_ERROR_SYNTAX;
  if (source->length < HEAD || !get_bytes(source, head, HEAD) || memcmp(head, magic, MAGIC) != 0) {
    expected = g_strdup("a file of sums, as `reduce` writes it");
    found = g_strdup("something else");
  } else if (get_word(head + MAGIC) != AIO_SUMS_VERSION) {
    code = AIO_ERROR_REFUSED;
    expected = g_strdup_printf("version %d of the format", AIO_SUMS_VERSION);
    found = g_strdup_printf("version %u%s", get_word(head + MAGIC),
                            get_word(head + MAGIC) < AIO_SUMS_VERSION
                                ? ", of an earlier program: reduce its recordings again"
                                : "");
  } else if (!read_crc(source, &crc) || get_word(head + MAGIC + 4) != crc) {
    expected = g_strdup(checksum_expected);
    found = g_strdup(checksum_found);
  }
  if (source->error)
    g_propagate_error(error, g_steal_pointer(&source->error));
  else if (found)
    aio_error_set_file(error, code, source->path, expected, found);
  const bool is_good = !found && seek_to(source, HEAD);
  g_free(expected);
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

/* "6 joints, R R R R T R". g_free it. */
static char *joints_text(gsize n, const ArmJointType *type) {
  GString *text = g_string_new(NULL);
  g_string_printf(text, "%zu joints,", n);
  for (gsize j = 0; j < n; j++)
    g_string_append(text, type[j] == ARM_JOINT_R ? " R" : " T");
  return g_string_free(text, FALSE);
}

static void fail_joints(const AioSums *sums, const ArmModel *model, GError **error) {
  ArmJointType type[ARM_MAX_JOINTS];
  for (gsize j = 0; j < model->n; j++)
    type[j] = model->joints[j].type;
  char *joints = joints_text(model->n, type), *found = joints_text(sums->n, sums->type);
  char *expected = g_strdup_printf("sums of an arm with %s", joints);
  aio_error_set_file(error, AIO_ERROR_MEANING, sums->name, expected, found);
  g_free(joints);
  g_free(expected);
  g_free(found);
}

/* What was read, or why it is no sums of this model. */
static bool check_sums(const AioSums *sums, const AioSumsFields *f, const ArmModel *model,
                       GError **error) {
  const char *fault = f->fault ? f->fault : check_options(sums);
  fault = fault || is_digest(sums->arm_digest) ? fault : "the arm has no digest";
  if (f->status != ARM_OK)
    set_status(error, sums, f->status);
  else if (!fault && !has_joints(sums, model))
    fail_joints(sums, model, error);
  else if (fault || (fault = check_recordings(sums)))
    aio_error_set_file(error, AIO_ERROR_MEANING, sums->name, "sums of a recording", fault);
  else
    return true;
  return false;
}

static AioSums *load(Source *source, const ArmModel *model, AioShelf *shelf, GError **error) {
  if (!check_head(source, error))
    return NULL;
  AioSums *sums = empty(source->path);
  sums->shelf = shelf;
  AioSumsFields *f = g_new0(AioSumsFields, 1);
  f->get = get_bytes;
  f->user = source;
  f->left = source->length - HEAD;
  f->shelf = shelf ? aio_shelf_face(shelf) : NULL;
  aio_sums_visit(f, sums);
  for (guint k = 0; k < sums->recordings->len; k++)
    ((AioReduced *)g_ptr_array_index(sums->recordings, k))->from = g_strdup(source->path);
  bool is_good = !source->error;
  if (source->error)
    g_propagate_error(error, g_steal_pointer(&source->error));
  else
    is_good = check_sums(sums, f, model, error);
  g_free(f);
  if (!is_good)
    g_clear_pointer(&sums, aio_sums_free);
  return sums;
}

AioSums *aio_sums_load_bytes(const char *name, const char *bytes, gsize length,
                             const ArmModel *model, GError **error) {
  Source source = {.path = name, .fd = -1, .bytes = (const guint8 *)bytes, .length = length};
  return load(&source, model, NULL, error);
}

AioSums *aio_sums_load(const char *path, const ArmModel *model, AioShelf *shelf, GError **error) {
  Source source = {.path = path, .fd = aio_file_open(path, error)};
  if (source.fd < 0)
    return NULL;
  AioSums *sums = NULL;
  const off_t size = lseek(source.fd, 0, SEEK_END);
  source.length = size > 0 && seek_to(&source, 0) ? (gsize)size : 0;
  if (source.length > MAX_SIZE)
    g_set_error(error, AIO_ERROR, AIO_ERROR_TOO_LARGE, "%s: expected at most %zu bytes, found more",
                path, MAX_SIZE);
  else
    sums = load(&source, model, shelf, error);
  close(source.fd);
  return sums;
}
