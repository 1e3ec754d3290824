/* SPDX-License-Identifier: MIT */
#include "cli/tar.h"

#include <string.h>

enum { BLOCK = 512, CHECKSUM_AT = 148, CHECKSUM_BYTES = 8 };

static void put(guint8 *header, gsize at, const char *text) {
  for (gsize k = 0; text[k]; k++) /* fields are not terminated */
    header[at + k] = (guint8)text[k];
}

static void put_octal(guint8 *header, gsize at, int digits, guint64 number) {
  char text[32];
  g_snprintf(text, sizeof text, "%0*" G_GINT64_MODIFIER "o", digits, number);
  put(header, at, text);
}

static void fill(GByteArray *tar, gsize n) {
  static const guint8 zeros[2 * BLOCK];
  g_byte_array_append(tar, zeros, (guint)n);
}

/* Offsets: POSIX.1-2017, pax, "ustar Interchange Format". */
void cli_tar_add(GByteArray *tar, const char *name, gint64 mtime_s, const void *bytes, gsize n) {
  guint8 header[BLOCK] = {0};
  guint sum = 0;
  put(header, 0, name);
  put(header, 100, "0000644");
  put(header, 108, "0000000");
  put(header, 116, "0000000");
  put_octal(header, 124, 11, n);
  put_octal(header, 136, 11, (guint64)MAX(mtime_s, 0));
  memset(header + CHECKSUM_AT, ' ', CHECKSUM_BYTES);
  put(header, 156, "0");
  put(header, 257, "ustar");
  put(header, 263, "00");
  for (int k = 0; k < BLOCK; k++)
    sum += header[k];
  put_octal(header, CHECKSUM_AT, 6, sum);
  header[CHECKSUM_AT + 6] = 0;
  g_byte_array_append(tar, header, sizeof header);
  g_byte_array_append(tar, bytes, (guint)n);
  fill(tar, (BLOCK - n % BLOCK) % BLOCK);
}

void cli_tar_end(GByteArray *tar) {
  fill(tar, 2 * BLOCK);
}
