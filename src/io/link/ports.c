/* SPDX-License-Identifier: MIT */
/* Ports from sysfs alone: opening one would toggle DTR and reset many a board. Entries without a
 * device behind them, such as the placeholders of the 8250 driver, are left out. */
#include "io/link/ports.h"

#include <glib/gi18n-lib.h>
#include <stdlib.h>
#include <string.h>

#include "io/base/error.h"
#include "io/base/said.h"
#include "io/link/ports_internal.h"

/* ---- reading sysfs ---- */

/* One line of a file; "" if there is none. */
static char *read_text(const char *folder, const char *name) {
  char *path = g_build_filename(folder, name, NULL);
  char *raw = NULL;
  if (!g_file_get_contents(path, &raw, NULL, NULL))
    raw = g_strdup("");
  char *text = g_utf8_make_valid(g_strstrip(raw), -1);
  g_free(raw);
  g_free(path);
  return text;
}

static guint read_number(const char *folder, const char *name, guint base) {
  char *text = read_text(folder, name);
  const guint64 value = g_ascii_strtoull(text, NULL, base);
  g_free(text);
  return (guint)MIN(value, G_MAXUINT);
}

static bool has_file(const char *folder, const char *name) {
  char *path = g_build_filename(folder, name, NULL);
  const bool is_there = g_file_test(path, G_FILE_TEST_EXISTS);
  g_free(path);
  return is_there;
}

/* The nearest folder above (or at) `folder` that has a file `name`; NULL: none. */
static char *find_above(const char *folder, const char *name) {
  char *at = g_strdup(folder);
  while (strlen(at) > 1 && !has_file(at, name)) {
    char *up = g_path_get_dirname(at);
    g_free(at);
    at = up;
  }
  if (strlen(at) > 1)
    return at;
  g_free(at);
  return NULL;
}

static char *resolve(const char *folder, const char *name) {
  char *path = g_build_filename(folder, name, NULL);
  char *real = realpath(path, NULL);
  g_free(path);
  return real;
}

/* ---- one port ---- */

static void port_free(gpointer data) {
  AioPort *port = data;
  g_free(port->path);
  g_free(port->by_id);
  g_free(port->description);
  g_free(port->product);
  g_free(port->manufacturer);
  g_free(port->serial);
  g_free(port->usb_path);
  g_free(port->id);
  g_free(port);
}

/* `usb` is the folder of the USB device, `interface` that of its interface or NULL. */
static void read_usb(AioPort *port, const char *usb, const char *interface) {
  g_free(port->product);
  port->is_usb = true;
  port->vid = (guint16)read_number(usb, "idVendor", 16);
  port->pid = (guint16)read_number(usb, "idProduct", 16);
  port->bus = read_number(usb, "busnum", 10);
  port->address = read_number(usb, "devnum", 10);
  port->product = read_text(usb, "product");
  port->manufacturer = read_text(usb, "manufacturer");
  port->serial = read_text(usb, "serial");
  port->usb_path = g_path_get_basename(interface ? interface : usb);
}

static char *make_id(const AioPort *port, guint interface) {
  if (!port->is_usb)
    return g_strdup(port->path);
  if (port->serial[0] == '\0')
    return g_strdup_printf("%04x:%04x@%s", port->vid, port->pid, port->usb_path);
  char *id = g_strdup_printf("%04x:%04x:%s", port->vid, port->pid, port->serial);
  if (interface == 0)
    return id;
  char *numbered = g_strdup_printf("%s#%u", id, interface);
  g_free(id);
  return numbered;
}

/* The stable name that udev made for `path`; "" if none. */
static char *find_by_id(const char *root, const char *path) {
  char *folder = g_build_filename(root, "/dev/serial/by-id", NULL);
  char *device = g_build_filename(root, path, NULL);
  char *wanted = realpath(device, NULL);
  char *found = NULL;
  GDir *dir = g_dir_open(folder, 0, NULL);
  for (const char *name = dir ? g_dir_read_name(dir) : NULL; wanted && name && !found;
       name = g_dir_read_name(dir)) {
    char *target = resolve(folder, name);
    if (target && strcmp(target, wanted) == 0)
      found = g_build_filename("/dev/serial/by-id", name, NULL);
    free(target);
  }
  if (dir)
    g_dir_close(dir);
  free(wanted);
  g_free(device);
  g_free(folder);
  return found ? found : g_strdup("");
}

static char *describe(const AioPort *port, const char *device) {
  if (port->product[0])
    return g_strdup(port->product);
  char *driver = resolve(device, "driver");
  char *text = driver ? g_path_get_basename(driver) : g_strdup(port->path);
  free(driver);
  return text;
}

static AioPort *read_port(const char *root, const char *name, const char *device) {
  AioPort *port = g_new0(AioPort, 1);
  char *file = g_strdelimit(g_strdup(name), "!", '/'); /* sysfs' way to write a slash */
  port->path = g_build_filename("/dev", file, NULL);
  port->product = g_strdup("");
  char *usb = find_above(device, "idVendor");
  char *interface = find_above(device, "bInterfaceNumber");
  guint number = 0;
  if (usb) {
    read_usb(port, usb, interface);
    number = interface ? read_number(interface, "bInterfaceNumber", 16) : 0;
  } else {
    port->manufacturer = g_strdup("");
    port->serial = g_strdup("");
    port->usb_path = g_strdup("");
  }
  port->description = describe(port, device);
  port->by_id = find_by_id(root, port->path);
  port->id = make_id(port, number);
  g_free(interface);
  g_free(usb);
  g_free(file);
  return port;
}

/* ---- all ports ---- */

/* A terminal without a device is virtual; a type of 0 is a place for an 8250 that is not there. */
static void add_port(GPtrArray *ports, const char *root, const char *class, const char *name) {
  char *folder = g_build_filename(class, name, NULL);
  char *device = resolve(folder, "device");
  const bool is_empty = has_file(folder, "type") && read_number(folder, "type", 10) == 0;
  if (device && !is_empty)
    g_ptr_array_add(ports, read_port(root, name, device));
  free(device);
  g_free(folder);
}

static gint compare_ports(gconstpointer a, gconstpointer b) {
  const AioPort *p = *(AioPort *const *)a, *q = *(AioPort *const *)b;
  if (p->is_usb != q->is_usb)
    return p->is_usb ? -1 : 1;
  const size_t n_p = strlen(p->path), n_q = strlen(q->path); /* ttyUSB2 before ttyUSB10 */
  if (n_p != n_q)
    return n_p < n_q ? -1 : 1;
  return strcmp(p->path, q->path);
}

GPtrArray *aio_ports_list_below(const char *root) {
  GPtrArray *ports = g_ptr_array_new_with_free_func(port_free);
  char *class = g_build_filename(root, "/sys/class/tty", NULL);
  GDir *dir = g_dir_open(class, 0, NULL);
  for (const char *name = dir ? g_dir_read_name(dir) : NULL; name; name = g_dir_read_name(dir))
    add_port(ports, root, class, name);
  if (dir)
    g_dir_close(dir);
  g_free(class);
  g_ptr_array_sort(ports, compare_ports);
  return ports;
}

GPtrArray *aio_ports_list(void) {
  return aio_ports_list_below("/");
}

const AioPort *aio_ports_find(const GPtrArray *ports, const char *id, const char *usb_path) {
  const AioPort *only = NULL;
  guint count = 0;
  for (guint k = 0; k < ports->len; k++) {
    const AioPort *port = g_ptr_array_index(ports, k);
    if (strcmp(port->id, id) != 0)
      continue;
    if (usb_path && strcmp(port->usb_path, usb_path) == 0)
      return port;
    only = port;
    count++;
  }
  return count == 1 ? only : NULL;
}

void aio_ports_set_missing(GError **error, const char *id) {
  aio_error_set_said(error, AIO_ERROR_NOT_FOUND, N_("%s: not plugged in"), aio_said_plain(id));
}

char *aio_ports_said(const GPtrArray *ports) {
  GString *text = g_string_new(NULL);
  for (guint k = 0; k < ports->len; k++) {
    const AioPort *port = g_ptr_array_index(ports, k);
    g_string_append_printf(text, "%s%s", k ? ", " : "", port->path);
    if (port->is_usb)
      g_string_append_printf(text, " (%s)", port->description);
  }
  if (ports->len == 0)
    g_string_append(text, aio_said_word(N_("none; plug the controller in and switch it on")));
  return g_string_free(text, FALSE);
}

char *aio_ports_text(const GPtrArray *ports) {
  return aio_said_take_text(aio_ports_said(ports));
}
