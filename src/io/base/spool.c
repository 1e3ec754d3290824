/* SPDX-License-Identifier: MIT */
/* Bits of positive doubles are ordered as the doubles are: four passes over the values each count
 * 16 more bits of the one that is looked for. */
#include "io/base/spool.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "io/base/error.h"
#include "io/base/file.h"
#include "io/base/temporary.h"

enum { KEPT = 1 << 18, PART = 1 << 13, RADIX_BITS = 16, RADIX = 1 << RADIX_BITS, WORD = 64 };

struct AioSpool {
  GArray *values; /* double: those that are in no file yet */
  gsize spilled;  /* values in the file */
  int fd;         /* -1: none */
  GError *error;
};

AioSpool *aio_spool_new(void) {
  AioSpool *spool = g_new0(AioSpool, 1);
  spool->values = g_array_new(FALSE, FALSE, sizeof(double));
  spool->fd = -1;
  return spool;
}

void aio_spool_clear(AioSpool *spool) {
  if (spool->fd >= 0)
    close(spool->fd);
  spool->fd = -1;
  spool->spilled = 0;
  g_array_set_size(spool->values, 0);
  g_clear_error(&spool->error);
}

void aio_spool_free(AioSpool *spool) {
  if (!spool)
    return;
  aio_spool_clear(spool);
  g_array_unref(spool->values);
  g_free(spool);
}

/* ---- the file ---- */

static void spill(AioSpool *spool) {
  if (spool->fd < 0)
    spool->fd = aio_temporary_open(&spool->error);
  if (spool->fd < 0 || !aio_temporary_write(spool->fd, spool->values->data,
                                            spool->values->len * sizeof(double), &spool->error))
    return;
  spool->spilled += spool->values->len;
  g_array_set_size(spool->values, 0);
}

void aio_spool_add(AioSpool *spool, double value) {
  if (spool->error)
    return;
  g_array_append_val(spool->values, value);
  if (spool->values->len == KEPT)
    spill(spool);
}

/* ---- reading ---- */

typedef void (*TakePart)(const double *values, gsize n, void *data);

static bool read_part(AioSpool *spool, double *part, gsize n, GError **error) {
  const gssize size = (gssize)(n * sizeof *part);
  const gssize got = aio_file_read(spool->fd, "a temporary file", part, (gsize)size, error);
  if (got >= 0 && got < size)
    g_set_error(error, AIO_ERROR, AIO_ERROR_IO, "a temporary file has become shorter");
  return got == size;
}

/* The file is left at its end, where more may be written. */
static bool each_part(AioSpool *spool, TakePart take, void *data, GError **error) {
  double part[PART];
  if (spool->error) {
    g_propagate_error(error, g_error_copy(spool->error));
    return false;
  }
  if (spool->spilled > 0 && lseek(spool->fd, 0, SEEK_SET) != 0)
    return aio_temporary_fail(error, "read");
  for (gsize left = spool->spilled; left > 0;) {
    const gsize n = MIN(left, PART);
    if (!read_part(spool, part, n, error))
      return false;
    take(part, n, data);
    left -= n;
  }
  take((const double *)(const void *)spool->values->data, spool->values->len, data);
  return true;
}

typedef struct {
  void (*each)(double value, void *data);
  void *data;
} Caller;

static void take_each(const double *values, gsize n, void *data) {
  const Caller *caller = data;
  for (gsize k = 0; k < n; k++)
    caller->each(values[k], caller->data);
}

bool aio_spool_each(AioSpool *spool, void (*each)(double value, void *data), void *data,
                    GError **error) {
  Caller caller = {each, data};
  return each_part(spool, take_each, &caller, error);
}

/* ---- ranks ---- */

typedef struct {
  guint64 prefix; /* the bits above those that are counted */
  int shift;
  gsize counts[RADIX];
} Count;

static void count_part(const double *values, gsize n, void *data) {
  Count *count = data;
  for (gsize k = 0; k < n; k++) {
    guint64 bits;
    memcpy(&bits, &values[k], sizeof bits);
    if (count->shift + RADIX_BITS == WORD || bits >> (count->shift + RADIX_BITS) == count->prefix)
      count->counts[bits >> count->shift & (RADIX - 1)]++;
  }
}

/* The value before which `rank` others come in order. */
static bool find_rank(AioSpool *spool, gsize rank, Count *count, double *out, GError **error) {
  count->prefix = 0;
  for (count->shift = WORD - RADIX_BITS; count->shift >= 0; count->shift -= RADIX_BITS) {
    guint64 digit = 0;
    memset(count->counts, 0, sizeof count->counts);
    if (!each_part(spool, count_part, count, error))
      return false;
    for (; digit < RADIX - 1 && rank >= count->counts[digit]; digit++)
      rank -= count->counts[digit];
    count->prefix = count->prefix << RADIX_BITS | digit;
  }
  memcpy(out, &count->prefix, sizeof *out);
  return true;
}

bool aio_spool_rank(AioSpool *spool, gsize rank, double *out, GError **error) {
  Count *count = g_new(Count, 1);
  const bool is_found = find_rank(spool, rank, count, out, error);
  g_free(count);
  return is_found;
}

bool aio_spool_median(AioSpool *spool, double *out, GError **error) {
  const gsize n = spool->spilled + spool->values->len;
  double low = (double)NAN, high;
  Count *count = g_new(Count, 1);
  bool is_found = n == 0 || find_rank(spool, (n - 1) / 2, count, &low, error);
  high = low;
  if (is_found && n > 0 && n % 2 == 0)
    is_found = find_rank(spool, n / 2, count, &high, error);
  if (is_found)
    *out = n % 2 == 1 ? low : 0.5 * low + 0.5 * high;
  g_free(count);
  return is_found;
}
