/* SPDX-License-Identifier: MIT */
/* Checksums that tell whether a file is still the one it was: "sha256:<64 hex digits>". */
#ifndef ARMATURE_IO_DIGEST_H
#define ARMATURE_IO_DIGEST_H

#include "io/json/json_read.h"

/* Of what a JSON file says: the checksum of its canonical text, which has no white space, members
 * sorted by the bytes of their keys, numbers with 17 significant digits, strings with JSON's short
 * escapes. Left out: members whose keys begin with x_, and the member `skipped` (may be NULL) of
 * `root` itself. g_free it. */
char *aio_json_digest(const AioJsonNode *root, const char *skipped);

/* Of plain bytes. g_free it. */
char *aio_bytes_digest(const char *bytes, gsize length);

/* Of the bytes that a checksum of SHA-256 has seen. g_free it. */
char *aio_sum_digest(GChecksum *sum);

/* Of a file as it is now; NULL when it cannot be read. g_free it. */
char *aio_file_digest(const char *path);

#endif
