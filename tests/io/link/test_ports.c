/* SPDX-License-Identifier: MIT */
/* The list of ports, on a made-up /sys and /dev. */
#include <ftw.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "io/base/error.h"
#include "io/base/said.h"
#include "io/link/ports_internal.h"

typedef struct {
  char *root;
} Tree;

static int remove_entry(const char *path, const struct stat *found, int kind, struct FTW *place) {
  (void)found, (void)kind, (void)place;
  return remove(path);
}

static void tree_clear(Tree *tree) {
  g_assert_cmpint(nftw(tree->root, remove_entry, 16, FTW_DEPTH | FTW_PHYS), ==, 0);
  g_free(tree->root);
}

static void put(const Tree *tree, const char *path, const char *text) {
  char *full = g_build_filename(tree->root, path, NULL), *folder = g_path_get_dirname(full);
  g_assert_cmpint(g_mkdir_with_parents(folder, 0700), ==, 0);
  g_assert_true(g_file_set_contents(full, text, -1, NULL));
  g_free(folder);
  g_free(full);
}

static void put_link(const Tree *tree, const char *path, const char *target) {
  char *full = g_build_filename(tree->root, path, NULL), *folder = g_path_get_dirname(full);
  char *to = g_build_filename(tree->root, target, NULL);
  g_assert_cmpint(g_mkdir_with_parents(folder, 0700), ==, 0);
  g_assert_cmpint(symlink(to, full), ==, 0);
  g_free(to);
  g_free(folder);
  g_free(full);
}

static void put_number(const Tree *tree, const char *folder, const char *name, const char *text) {
  char *path = g_build_filename(folder, name, NULL);
  put(tree, path, text);
  g_free(path);
}

/* A USB device in socket `place`, "1-2". */
static void put_usb(const Tree *tree, const char *place, const char *vid, const char *pid,
                    const char *product, const char *serial) {
  char *folder = g_strdup_printf("sys/devices/pci0/usb1/%s", place);
  put_number(tree, folder, "idVendor", vid);
  put_number(tree, folder, "idProduct", pid);
  put_number(tree, folder, "busnum", "1\n");
  put_number(tree, folder, "devnum", "17\n");
  put_number(tree, folder, "manufacturer", "Maker\n");
  if (product)
    put_number(tree, folder, "product", product);
  if (serial)
    put_number(tree, folder, "serial", serial);
  g_free(folder);
}

/* An interface of it, "0", and the terminal on that, with the folder between that adapters have. */
static void put_terminal(const Tree *tree, const char *place, const char *interface,
                         const char *name) {
  char *folder = g_strdup_printf("sys/devices/pci0/usb1/%s/%s:1.%s", place, place, interface);
  char *number = g_strdup_printf("0%s\n", interface);
  char *device = g_build_filename(folder, name, NULL);
  char *link = g_strdup_printf("sys/class/tty/%s/device", name);
  char *node = g_strdup_printf("dev/%s", name);
  put_number(tree, folder, "bInterfaceNumber", number);
  put_number(tree, device, "uevent", "");
  put_link(tree, link, device);
  put(tree, node, "");
  g_free(node);
  g_free(link);
  g_free(device);
  g_free(number);
  g_free(folder);
}

static Tree tree_new(void) {
  Tree tree = {g_dir_make_tmp("armature-ports-XXXXXX", NULL)};
  put(&tree, "sys/class/tty/tty1/dev", "4:1\n"); /* virtual: no device */
  put_link(&tree, "sys/class/tty/ttyS0/device", "sys/devices/platform/serial8250");
  put_link(&tree, "sys/devices/platform/serial8250/driver", "sys/bus/drivers/serial8250");
  put(&tree, "sys/bus/drivers/serial8250/uevent", "");
  put(&tree, "sys/class/tty/ttyS0/type", "4\n");
  put_link(&tree, "sys/class/tty/ttyS1/device", "sys/devices/platform/serial8250");
  put(&tree, "sys/class/tty/ttyS1/type", "0\n"); /* an empty place */
  put_usb(&tree, "1-2", "0403\n", "6014\n", "USB <-> Serial Converter\n", "FT4THUQ1\n");
  put_terminal(&tree, "1-2", "0", "ttyUSB10");
  put_terminal(&tree, "1-2", "1", "ttyUSB2");
  put_link(&tree, "dev/serial/by-id/usb-FTDI_FT4THUQ1-if00-port0", "dev/ttyUSB10");
  put_usb(&tree, "1-3.4", "1a86\n", "7523\n", NULL, NULL);
  put_terminal(&tree, "1-3.4", "0", "ttyUSB3");
  put_usb(&tree, "1-5", "10c4\n", "ea60\n", "CP210\xff\n", "0001\n");
  put_terminal(&tree, "1-5", "0", "ttyUSB4");
  put_usb(&tree, "1-6", "10c4\n", "ea60\n", "CP2102\n", "0001\n");
  put_terminal(&tree, "1-6", "0", "ttyUSB5");
  return tree;
}

static const AioPort *port_at(const GPtrArray *ports, guint k) {
  return g_ptr_array_index(ports, k);
}

static void test_list(void) {
  Tree tree = tree_new();
  GPtrArray *ports = aio_ports_list_below(tree.root);
  const char *const paths[] = {"/dev/ttyUSB2", "/dev/ttyUSB3",  "/dev/ttyUSB4",
                               "/dev/ttyUSB5", "/dev/ttyUSB10", "/dev/ttyS0"};
  g_assert_cmpuint(ports->len, ==, G_N_ELEMENTS(paths));
  for (guint k = 0; k < ports->len; k++)
    g_assert_cmpstr(port_at(ports, k)->path, ==, paths[k]);
  const AioPort *port = port_at(ports, 4);
  g_assert_true(port->is_usb);
  g_assert_cmpuint(port->vid, ==, 0x0403);
  g_assert_cmpuint(port->pid, ==, 0x6014);
  g_assert_cmpuint(port->bus, ==, 1);
  g_assert_cmpuint(port->address, ==, 17);
  g_assert_cmpstr(port->product, ==, "USB <-> Serial Converter");
  g_assert_cmpstr(port->description, ==, "USB <-> Serial Converter");
  g_assert_cmpstr(port->manufacturer, ==, "Maker");
  g_assert_cmpstr(port->serial, ==, "FT4THUQ1");
  g_assert_cmpstr(port->usb_path, ==, "1-2:1.0");
  g_assert_cmpstr(port->by_id, ==, "/dev/serial/by-id/usb-FTDI_FT4THUQ1-if00-port0");
  g_assert_cmpstr(port->id, ==, "0403:6014:FT4THUQ1");
  g_assert_cmpstr(port_at(ports, 0)->id, ==, "0403:6014:FT4THUQ1#1");
  g_assert_cmpstr(port_at(ports, 0)->by_id, ==, "");
  g_assert_cmpstr(port_at(ports, 1)->id, ==, "1a86:7523@1-3.4:1.0");
  g_assert_cmpstr(port_at(ports, 1)->description, ==, "/dev/ttyUSB3");
  g_assert_true(g_utf8_validate(port_at(ports, 2)->product, -1, NULL));
  g_assert_false(port_at(ports, 5)->is_usb);
  g_assert_cmpstr(port_at(ports, 5)->description, ==, "serial8250");
  g_assert_cmpstr(port_at(ports, 5)->id, ==, "/dev/ttyS0");
  g_ptr_array_unref(ports);
  tree_clear(&tree);
}

static void check_found(const GPtrArray *ports, const char *id, const char *usb_path,
                        const char *path) {
  const AioPort *port = aio_ports_find(ports, id, usb_path);
  g_assert_cmpstr(port ? port->path : NULL, ==, path);
}

/* Kept when a cable is lost, and read in another language. */
static void test_missing(void) {
  GError *error = NULL;
  aio_ports_set_missing(&error, "usb-FTDI");
  g_assert_error(error, AIO_ERROR, AIO_ERROR_NOT_FOUND);
  g_assert_cmpstr(error->message, ==, "usb-FTDI: not plugged in");
  g_assert_cmpint(aio_error_said(error)[0], ==, AIO_SAID_MARK);
  g_clear_error(&error);
}

static void test_find(void) {
  Tree tree = tree_new();
  GPtrArray *ports = aio_ports_list_below(tree.root);
  check_found(ports, "0403:6014:FT4THUQ1", NULL, "/dev/ttyUSB10");
  check_found(ports, "0403:6014:FT4THUQ1", "1-99:1.0", "/dev/ttyUSB10"); /* in another socket */
  check_found(ports, "0403:6014:FT4THUQ1#1", NULL, "/dev/ttyUSB2");
  check_found(ports, "1a86:7523@1-3.4:1.0", NULL, "/dev/ttyUSB3");
  check_found(ports, "1a86:7523@1-3.5:1.0", NULL, NULL);
  check_found(ports, "10c4:ea60:0001", NULL, NULL); /* two of them */
  check_found(ports, "10c4:ea60:0001", "1-6:1.0", "/dev/ttyUSB5");
  check_found(ports, "10c4:ea60:0001", "1-7:1.0", NULL);
  check_found(ports, "/dev/ttyS0", "", "/dev/ttyS0");
  char *text = aio_ports_text(ports);
  g_assert_nonnull(strstr(text, "/dev/ttyUSB10 (USB <-> Serial Converter), /dev/ttyS0"));
  g_free(text);
  g_ptr_array_unref(ports);
  tree_clear(&tree);
}

/* Plugged into another socket, it gets another name, and is still found. */
static void test_replugged(void) {
  Tree tree = {g_dir_make_tmp("armature-ports-XXXXXX", NULL)};
  put_usb(&tree, "1-9", "0403\n", "6014\n", "U2D2\n", "FT4THUQ1\n");
  put_terminal(&tree, "1-9", "0", "ttyUSB7");
  GPtrArray *ports = aio_ports_list_below(tree.root);
  check_found(ports, "0403:6014:FT4THUQ1", "1-2:1.0", "/dev/ttyUSB7");
  g_ptr_array_unref(ports);
  tree_clear(&tree);
}

static void test_none(void) {
  GPtrArray *ports = aio_ports_list_below("/nowhere");
  g_assert_cmpuint(ports->len, ==, 0);
  char *text = aio_ports_text(ports);
  g_assert_nonnull(strstr(text, "none; plug the controller in"));
  g_free(text);
  g_ptr_array_unref(ports);
}

static void test_this_computer(void) {
  GPtrArray *ports = aio_ports_list();
  char *text = aio_ports_text(ports);
  g_test_message("%s", text);
  for (guint k = 0; k < ports->len; k++)
    g_assert_true(g_str_has_prefix(port_at(ports, k)->path, "/dev/"));
  g_free(text);
  g_ptr_array_unref(ports);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/ports/list", test_list);
  g_test_add_func("/ports/find", test_find);
  g_test_add_func("/ports/missing", test_missing);
  g_test_add_func("/ports/replugged", test_replugged);
  g_test_add_func("/ports/none", test_none);
  g_test_add_func("/ports/this-computer", test_this_computer);
  return g_test_run();
}
