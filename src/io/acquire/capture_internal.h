/* SPDX-License-Identifier: MIT */
#ifndef ARMATURE_IO_CAPTURE_INTERNAL_H
#define ARMATURE_IO_CAPTURE_INTERNAL_H

#include <stdio.h>

#include "io/acquire/capture.h"

enum {
  AIO_CAPTURE_NATIVE = 1,  /* version of captures of the native driver */
  AIO_CAPTURE_VERSION = 2, /* the newest */
  AIO_CAPTURE_RECORD = 16, /* bytes before those of a record */
  AIO_CAPTURE_CRC = 4      /* and behind them */
};

/* The driver of captures of version 1, which do not name it. */
#define AIO_CAPTURE_NATIVE_DRIVER "native"

extern const guint8 AIO_CAPTURE_MAGIC[8];

/* Takes over `file` (closes it, on failure too). `name` for messages. */
AioCaptureReader *aio_capture_reader_from(FILE *file, const char *name, GError **error);

#endif
