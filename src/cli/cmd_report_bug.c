/* SPDX-License-Identifier: MIT */
/* `report-bug`: what helps to find a fault, and nothing about who has it. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/session_file.h"
#include "cli/tar.h"
#include "io/base/file.h"
#include "io/json/json_read.h"
#include "io/json/json_write.h"
#include "io/link/ports.h"

typedef struct {
  const char *out, *session;
  bool with_session, force;
} Args;

static const CliOption options[] = {
    {"out", CLI_OUT, true, offsetof(Args, out), "FILE.tar", "Write the bundle to this file."},
    {"force", CLI_FLAG, false, offsetof(Args, force), NULL, "Overwrite --out when it exists."},
    {"session", CLI_TEXT, false, offsetof(Args, session), "FILE",
     "Tell the structure of this session: kinds, joints, times and outcomes of its runs, kinds of "
     "its events, states of its steps; no samples, no names, no texts."},
    {"with-session", CLI_FLAG, false, offsetof(Args, with_session), NULL,
     "Add the session itself. It holds the name of the computer, the arm file and all samples: "
     "look into it first."},
};

enum { SESSION_BYTES_MAX = 1 << 30 };

/* ---- leaving out who it is ---- */

static void replace(GString *text, const char *what, const char *with) {
  if (what && strlen(what) >= 3)
    g_string_replace(text, what, with, 0);
}

/* The last line of defence: nothing here should hold any of it. */
static void scrub(GString *text) {
  g_autoptr(GRegex) places = g_regex_new(
      "/(home|root|Users|media|mnt|run/(user|media)|dev/serial)\\b[^\"\\s]*", 0, 0, NULL);
  g_autofree char *scrubbed =
      g_regex_replace_literal(places, text->str, (gssize)text->len, 0, "(path)", 0, NULL);
  g_string_assign(text, scrubbed);
  replace(text, g_get_home_dir(), "(home)");
  replace(text, g_get_host_name(), "(computer)");
  replace(text, g_get_user_name(), "(user)");
  if (strcmp(g_get_real_name(), "Unknown") != 0)
    replace(text, g_get_real_name(), "(user)");
}

/* ---- the computer ---- */

static void put_first_line(AioJsonWriter *w, const char *key, const char *path) {
  g_autofree char *text = NULL;
  (void)g_file_get_contents(path, &text, NULL, NULL);
  if (text)
    text[strcspn(text, "\n")] = 0;
  aio_json_put_string(w, key, text);
}

static void write_system(AioJsonWriter *w) {
  g_autofree char *os = g_get_os_info(G_OS_INFO_KEY_PRETTY_NAME);
  g_autofree char *glib =
      g_strdup_printf("%u.%u.%u", glib_major_version, glib_minor_version, glib_micro_version);
  aio_json_put_string(w, "program", ARMATURE_PROGRAM);
  aio_json_put_string(w, "built_with", ARMATURE_BUILT_WITH);
  aio_json_put_string(w, "glib_running", glib);
  aio_json_put_string(w, "os", os);
  put_first_line(w, "kernel", "/proc/sys/kernel/osrelease");
  aio_json_put_int(w, "processors", g_get_num_processors());
  aio_json_put_string(w, "locale", g_getenv("LC_ALL") ? g_getenv("LC_ALL") : g_getenv("LANG"));
}

/* Without serial number, socket and by-id path, which holds the serial number. */
static void write_ports(AioJsonWriter *w) {
  g_autoptr(GPtrArray) ports = aio_ports_list();
  aio_json_write_key(w, "ports");
  aio_json_write_begin_array(w);
  for (guint k = 0; k < ports->len; k++) {
    const AioPort *port = g_ptr_array_index(ports, k);
    g_autofree char *usb_id = g_strdup_printf("%04x:%04x", port->vid, port->pid);
    aio_json_write_begin_flat_object(w);
    aio_json_put_string(w, "path", port->path);
    aio_json_put_string(w, "usb_id", port->is_usb ? usb_id : NULL);
    aio_json_put_string(w, "product", port->is_usb ? port->product : NULL);
    aio_json_write_end_object(w);
  }
  aio_json_write_end_array(w);
}

/* ---- the session ---- */

static void write_arm(AioJsonWriter *w, const AioArm *arm) {
  aio_json_write_key(w, "joint_types");
  aio_json_write_begin_array(w);
  for (gsize j = 0; arm && j < arm->model.n; j++)
    aio_json_write_string(w, arm->model.joints[j].type == ARM_JOINT_R ? "R" : "T");
  aio_json_write_end_array(w);
}

/* Every "state" of the procedure in order; the reasons beside them are texts. */
static void write_states(AioJsonWriter *w, const AioJsonNode *node) {
  if (node->key && strcmp(node->key, "state") == 0 && node->kind == AIO_JSON_STRING) {
    g_autofree char *path = aio_json_path(node->parent);
    aio_json_write_begin_flat_object(w);
    aio_json_put_string(w, "step", path);
    aio_json_put_string(w, "state", node->string);
    aio_json_write_end_object(w);
  }
  for (gsize k = 0; k < aio_json_size(node); k++)
    write_states(w, aio_json_item(node, k));
}

static void write_steps(AioJsonWriter *w, const char *steps) {
  g_autoptr(AioJson) json = steps ? aio_json_parse("steps", steps, strlen(steps), NULL) : NULL;
  aio_json_write_key(w, "steps");
  aio_json_write_begin_array(w);
  if (json)
    write_states(w, aio_json_root(json));
  aio_json_write_end_array(w);
}

static void write_runs(AioJsonWriter *w, const CliSessionFile *file) {
  aio_json_write_key(w, "runs");
  aio_json_write_begin_array(w);
  for (guint k = 0; k < file->runs->len; k++) {
    const AioStoreRun *run = &g_array_index(file->runs, AioStoreRun, k);
    g_autofree char *outcome = run->outcome ? cli_said(run->outcome) : NULL;
    aio_json_write_begin_flat_object(w);
    aio_json_put_string(w, "kind", run->kind);
    aio_json_put_int(w, "connection", run->connection);
    aio_json_put_int(w, "joint", run->joint);
    aio_json_put_int(w, "hold", run->hold);
    aio_json_put_number(w, "speed", run->speed);
    aio_json_put_number(w, "seconds", run->ended_us ? cli_run_seconds(run) : -1.0);
    aio_json_put_int(w, "samples", (gint64)g_array_index(file->samples, guint64, k));
    aio_json_put_string(w, "outcome", outcome);
    aio_json_write_end_object(w);
  }
  aio_json_write_end_array(w);
}

static bool write_event(const AioStoreEvent *event, void *data) {
  AioJsonWriter *w = data;
  aio_json_write_begin_flat_object(w);
  aio_json_put_string(w, "kind", event->kind);
  aio_json_put_int(w, "run", event->run);
  aio_json_put_int(w, "t_us", (gint64)event->t_us);
  aio_json_put_int(w, "joint", event->joint);
  aio_json_put_int(w, "level", event->level);
  aio_json_put_int(w, "value", event->value);
  aio_json_write_end_object(w);
  return true;
}

static bool write_events(AioJsonWriter *w, const CliSessionFile *file) {
  aio_json_write_key(w, "events");
  aio_json_write_begin_array(w);
  const bool is_read = cli_session_each_event(file, write_event, w);
  aio_json_write_end_array(w);
  return is_read;
}

/* false: the error is printed. */
static bool write_session(AioJsonWriter *w, const CliSessionFile *file) {
  aio_json_write_key(w, "session");
  if (!file) {
    aio_json_write_null(w);
    return true;
  }
  aio_json_write_begin_object(w);
  aio_json_put_string(w, "program", file->program);
  write_arm(w, file->arm);
  aio_json_put_int(w, "connections", file->connections->len);
  aio_json_put_int(w, "fits", file->fits->len);
  write_steps(w, file->steps);
  write_runs(w, file);
  const bool is_read = write_events(w, file);
  aio_json_write_end_object(w);
  return is_read;
}

/* ---- the bundle ---- */

/* NULL: the error is printed. */
static GString *make_report(const CliSessionFile *file) {
  g_autoptr(GString) text = g_string_new(NULL);
  AioJsonWriter *w = aio_json_writer_new(text);
  aio_json_write_begin_object(w);
  aio_json_put_string(w, "format", "armature-bug-report");
  aio_json_put_int(w, "version", 1);
  write_system(w);
  write_ports(w);
  const bool is_read = write_session(w, file);
  aio_json_write_end_object(w);
  aio_json_writer_free(w);
  scrub(text);
  return is_read ? g_steal_pointer(&text) : NULL;
}

static int write_bundle(const Args *args, const CliSessionFile *file) {
  static const char note[] =
      "report.json: versions, ports and the structure of a session; no names, no samples.\n"
      "To be complete, please say what you did, what you expected, and what happened.\n";
  GError *error = NULL;
  gsize length = 0;
  g_autofree char *session =
      args->with_session ? aio_file_read_all(args->session, SESSION_BYTES_MAX, &length, &error)
                         : NULL;
  if (error)
    return cli_fail(error);
  const gint64 now_s = g_get_real_time() / G_USEC_PER_SEC;
  g_autoptr(GByteArray) tar = g_byte_array_new();
  g_autoptr(GString) report = make_report(file);
  if (!report)
    return CLI_BAD_INPUT;
  cli_tar_add(tar, "armature-report/README.txt", now_s, note, sizeof note - 1);
  cli_tar_add(tar, "armature-report/report.json", now_s, report->str, report->len);
  if (session)
    cli_tar_add(tar, "armature-report/session.armsession", now_s, session, length);
  cli_tar_end(tar);
  int code = cli_write(args->out, (const char *)tar->data, tar->len, args->force);
  if (code == CLI_OK)
    cli_note("%s: %s; look into it before you send it", args->out,
             session ? "with the session, which holds the name of this computer and all samples"
                     : "no names, no samples");
  return code;
}

static int run(const void *arguments) {
  const Args *args = arguments;
  if (args->with_session && !args->session)
    return cli_usage(&cli_report_bug, "--with-session: say which with --session");
  if (!cli_may_write(args->out, args->force))
    return CLI_BAD_INPUT;
  g_autoptr(CliSessionFile) file = args->session ? cli_session_file_load(args->session) : NULL;
  if (args->session && !file)
    return CLI_BAD_INPUT;
  return write_bundle(args, file);
}

const CliVerb cli_report_bug = {
    .name = "report-bug",
    .summary = "a bundle for a bug report, without personal data",
    .purpose = "Writes a tar archive with what helps to find a fault: versions of the program and "
               "its libraries, system and kernel, serial ports without serial numbers, and, of a "
               "session, how it went. Names of users, computers, folders, arms and controllers are "
               "left out. Nothing is sent anywhere.",
    .example = "armature-cli report-bug --session bench.armsession --out bug.tar\n"
               "writes bug.tar; tar xf bug.tar shows what is in it.",
    .exits = "0 done, 2 usage, 3 the session cannot be read or the bundle not written, 130 "
             "interrupted.",
    .options = options,
    .n_options = G_N_ELEMENTS(options),
    .args_size = sizeof(Args),
    .run = run,
};
