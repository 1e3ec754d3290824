/* SPDX-License-Identifier: MIT */
/* `ports`: what is plugged in, and how to open it. */
#include <stdio.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/text.h"
#include "io/json/json_write.h"
#include "io/link/port_holder.h"
#include "io/link/ports.h"

typedef struct {
  bool json;
} Args;

static const CliOption options[] = {
    {"json", CLI_FLAG, false, offsetof(Args, json), NULL, "JSON instead of a table."},
};

static bool is_permitted(const AioPort *port) {
  return access(port->path, R_OK | W_OK) == 0;
}

static void write_port(AioJsonWriter *w, const AioPort *port) {
  g_autofree char *holder = aio_port_holder(port->path);
  g_autofree char *vid_pid =
      port->is_usb ? g_strdup_printf("%04x:%04x", port->vid, port->pid) : NULL;
  aio_json_write_begin_object(w);
  aio_json_put_string(w, "port", port->id);
  aio_json_put_string(w, "path", port->path);
  aio_json_put_string(w, "by_id", *port->by_id ? port->by_id : NULL);
  aio_json_put_string(w, "product", *port->product ? port->product : NULL);
  aio_json_put_string(w, "manufacturer", *port->manufacturer ? port->manufacturer : NULL);
  aio_json_put_string(w, "usb_id", vid_pid);
  aio_json_put_string(w, "serial", *port->serial ? port->serial : NULL);
  aio_json_put_string(w, "socket", *port->usb_path ? port->usb_path : NULL);
  aio_json_put_bool(w, "permitted", is_permitted(port));
  aio_json_put_string(w, "held_by", holder);
  aio_json_write_end_object(w);
}

static int print_json(const GPtrArray *ports) {
  g_autoptr(GString) text = g_string_new(NULL);
  AioJsonWriter *w = aio_json_writer_new(text);
  aio_json_write_begin_object(w);
  aio_json_put_string(w, "format", "armature-ports");
  aio_json_put_int(w, "version", 1);
  aio_json_write_key(w, "ports");
  aio_json_write_begin_array(w);
  for (guint k = 0; k < ports->len; k++)
    write_port(w, g_ptr_array_index(ports, k));
  aio_json_write_end_array(w);
  aio_json_write_end_object(w);
  aio_json_writer_free(w);
  return cli_write(NULL, text->str, text->len, false);
}

static void add_row(CliTable *table, const AioPort *port) {
  g_autofree char *holder = aio_port_holder(port->path);
  cli_table_take(table, cli_name(port->id));
  cli_table_take(table, cli_name(port->path));
  cli_table_take(table, cli_name(port->description));
  if (holder)
    cli_table_take(table, g_strdup_printf("open in %s", holder));
  else
    cli_table_cell(table, "%s", is_permitted(port) ? "free" : "not permitted to you");
}

static void print_table(const GPtrArray *ports) {
  if (ports->len == 0) {
    printf("No serial port. Plug the controller in and switch it on; if it stays away, try another "
           "cable\n(some only charge) and look at `dmesg`. Without a controller: --port "
           "sim:truth2\n");
    return;
  }
  CliTable *table = cli_table_new("llll");
  cli_table_cell(table, "--port");
  cli_table_cell(table, "path");
  cli_table_cell(table, "product");
  cli_table_cell(table, "now");
  for (guint k = 0; k < ports->len; k++)
    add_row(table, g_ptr_array_index(ports, k));
  cli_table_finish(table);
}

static int run(const void *arguments) {
  const Args *args = arguments;
  g_autoptr(GPtrArray) ports = aio_ports_list();
  int code = CLI_OK;
  if (args->json)
    code = print_json(ports);
  else
    print_table(ports);
  return code;
}

const CliVerb cli_ports = {
    .name = "ports",
    .summary = "the serial ports, what is plugged into them and who uses them",
    .purpose =
        "Lists serial ports without opening any. The first column is what to give to --port of the "
        "other verbs: for a USB adapter vendor, product and serial number, which stay the same "
        "when "
        "/dev/ttyUSB0 becomes /dev/ttyUSB1.",
    .example = "armature-cli ports\nlists them; armature-cli info --port 0403:6014:FT4THUQ1 then "
               "asks the controller who it is.",
    .exits = "0 done, also when there is none, 2 usage, 130 interrupted.",
    .options = options,
    .n_options = G_N_ELEMENTS(options),
    .args_size = sizeof(Args),
    .run = run,
};
