/* SPDX-License-Identifier: MIT */
/* The serial ports of this computer, as /sys/class/tty and /dev/serial/by-id show them. Nothing is
 * opened, so that a listing disturbs nobody and may be repeated every second. Pseudo terminals are
 * not listed.
 */
#ifndef ARMATURE_IO_PORTS_H
#define ARMATURE_IO_PORTS_H

#include <glib.h>
#include <stdbool.h>

/* Texts are UTF-8, "" where the device says nothing. */
typedef struct {
  char *path;        /* "/dev/ttyUSB0" */
  char *by_id;       /* "/dev/serial/by-id/usb-...": stays the same when ttyUSB0 becomes ttyUSB1 */
  char *description; /* for people: product, else the driver's name, else the path */
  char *product, *manufacturer, *serial;
  bool is_usb;
  guint16 vid, pid;   /* 0 unless USB */
  guint bus, address; /* 0 unless USB */
  char *usb_path;     /* "1-2.3:1.0": the socket it is plugged into, and the interface */
  /* What to remember a device by: "0403:6014:FT4THUQ1", a second port of one adapter
   * "0403:6014:FT4THUQ1#1"; without a serial number the socket, "1a86:7523@1-2.3:1.0"; not USB: the
   * path. */
  char *id;
} AioPort;

/* In the order of their names, USB first. Free with g_ptr_array_unref, which frees the ports. Never
 * NULL. */
GPtrArray *aio_ports_list(void);

/* The port that `id` remembers, or NULL. Adapters that share one serial number are told apart by
 * `usb_path` (NULL: not known); NULL too if that does not decide: ask, do not guess. */
const AioPort *aio_ports_find(const GPtrArray *ports, const char *id, const char *usb_path);

/* Of what it does not find: AIO_ERROR_NOT_FOUND, "ID: not plugged in", as a sentence. */
void aio_ports_set_missing(GError **error, const char *id);

/* "/dev/ttyUSB0 (USB Serial), /dev/ttyS0", or what to do when there is none. Free with g_free. */
char *aio_ports_text(const GPtrArray *ports);
/* The same as a sentence of io/base/said, or plain text. g_free. */
char *aio_ports_said(const GPtrArray *ports);

#endif
