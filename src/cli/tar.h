/* SPDX-License-Identifier: MIT */
/* A tar archive (POSIX ustar) in memory: files of nobody, readable by all. */
#ifndef ARMATURE_CLI_TAR_H
#define ARMATURE_CLI_TAR_H

#include <glib.h>

/* name: ASCII, at most 99 characters. */
void cli_tar_add(GByteArray *tar, const char *name, gint64 mtime_s, const void *bytes, gsize n);
/* The end of the archive; nothing is added behind it. */
void cli_tar_end(GByteArray *tar);

#endif
