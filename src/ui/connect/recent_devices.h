/* SPDX-License-Identifier: MIT */
/* Devices that were connected before, the last one first, by what they are remembered by
 * (AioPort.id: the serial number, never ttyUSB0), in the settings. */
#ifndef ARMATURE_UI_RECENT_DEVICES_H
#define ARMATURE_UI_RECENT_DEVICES_H

#include <glib.h>

enum { AUI_RECENT_DEVICES = 6 };

typedef struct {
  char *id, *title; /* "0403:6014:FT4THUQ1", "FTDI C232HM" */
  guint baud;
} AuiRecentDevice;

/* Of AuiRecentDevice; g_ptr_array_unref frees them. */
GPtrArray *aui_recent_devices(void);

/* Puts it first. */
void aui_recent_devices_add(const char *id, const char *title, guint baud);

#endif
