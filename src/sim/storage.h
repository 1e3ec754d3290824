/* SPDX-License-Identifier: MIT */
/* The controller's persistent memory: a boot count and the two parameter slots of wire/device.h, in
 * a file that is written byte by byte as the device writes, or in memory. Power may fail after any
 * number of operations. */
#ifndef ARMATURE_SIM_STORAGE_H
#define ARMATURE_SIM_STORAGE_H

#include <glib.h>
#include <stdbool.h>

#include "wire/device.h"

enum {
  ASIM_SLOT_BYTES = WIRE_SLOT_HEADER_BYTES + 4 * WIRE_DEVICE_PARAMS,
  ASIM_STORAGE_HEADER = 12, /* "ASIMSTO1", boot count u32 */
  ASIM_STORAGE_BYTES = ASIM_STORAGE_HEADER + WIRE_SLOTS * ASIM_SLOT_BYTES
};

typedef struct {
  int fd; /* -1: in memory */
  guint8 image[ASIM_STORAGE_BYTES];
  gint64 power; /* bytes and erases until power fails; G_MAXINT64: it does not */
  bool is_dead; /* power has failed: nothing works until asim_storage_boot */
} AsimStorage;

/* Opens or creates the file; NULL: in memory. false: AIO_ERROR_IO, AIO_ERROR_BUSY (another
 * simulator has it open), AIO_ERROR_REFUSED (the file is something else). */
bool asim_storage_open(AsimStorage *storage, const char *path, GError **error);
void asim_storage_close(AsimStorage *storage);

/* Power is back: counts the start. Returns the count, from 1. */
guint32 asim_storage_boot(AsimStorage *storage);

/* As in WireHal. */
bool asim_storage_erase(AsimStorage *storage, int slot);
bool asim_storage_write(AsimStorage *storage, int slot, gsize offset, const guint8 *bytes, gsize n);
bool asim_storage_load(AsimStorage *storage, int slot, gsize offset, guint8 *bytes, gsize n);

#endif
