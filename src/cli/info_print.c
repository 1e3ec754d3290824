/* SPDX-License-Identifier: MIT */
/* A controller's own words, for people and, key by key, for scripts; in SI as io/driver/driver has
 * them. */
#include <math.h>
#include <stdio.h>

#include "cli/info_report.h"
#include "cli/text.h"
#include "io/base/safe_text.h"
#include "io/json/json_write.h"

#define DEG (180.0 / G_PI)

static const struct {
  guint32 bit;
  const char *key, *text;
} abilities[] = {
    {AIO_CAN_SWEEP, "sweep", "sweeps"},
    {AIO_CAN_TRAJECTORY, "trajectory", "trajectories"},
    {AIO_CAN_STORE, "store", "keeps parameters without power"},
    {AIO_CAN_TEST, "test", "simulated, faults can be planted"},
    {AIO_CAN_KILL, "power_off", "drives can be switched off"},
    {AIO_CAN_CURRENT, "current", "measures currents"},
    {AIO_CAN_LEASE, "lease", "holds by itself when the computer dies"},
    {AIO_CAN_ESTOP, "estop", "watches over an emergency stop chain"},
};

/* ---- for people ---- */

enum { INDENT = 12 };

/* Takes ownership of `text`. */
static void line(const char *key, char *text) {
  g_autofree char *visible = aio_text_visible(text, false);
  g_autofree char *lines = cli_wrap(visible, INDENT, INDENT, CLI_WIDTH);
  printf("%-*s%s\n", INDENT, key, lines);
  g_free(text);
}

static void print_who(const CliInfo *info) {
  const AioDescription *d = info->description;
  GString *can = g_string_new(NULL);
  for (gsize k = 0; k < G_N_ELEMENTS(abilities); k++)
    if (d->capabilities & abilities[k].bit)
      g_string_append_printf(can, "%s%s", can->len ? ", " : "", abilities[k].text);
  line("controller", g_strdup_printf("%s, serial number %s", *d->name ? d->name : "(no name)",
                                     *d->serial ? d->serial : "unknown"));
  line("firmware", g_strdup_printf("%s, protocol %s %s%s", d->firmware, d->driver, d->protocol,
                                   d->is_read_only ? ": not understood, read only" : ""));
  line("started", g_strdup_printf("by %s, start number %u", d->reset_text, d->boot_count));
  line("time", g_strdup_printf("%g times real time", d->time_factor));
  line("can", g_string_free(can, FALSE));
}

static void print_state(const AioDescription *d, const AioState *state) {
  g_autofree char *faults = aio_faults_text(state->faults, state->fault_joints);
  const char *drives = state->state == AIO_DEVICE_OFF ? ""
                       : state->drives_on             ? ", drives on"
                                                      : ", drives off";
  line("state",
       g_strdup_printf("%s%s, emergency stop chain %s", aio_device_state_text(state->state), drives,
                       !(d->capabilities & AIO_CAN_ESTOP) ? "none"
                       : state->is_estop_closed           ? "closed"
                                                          : "OPEN"));
  line("faults", g_strdup(*faults ? faults : "none"));
}

static void print_statistics(const CliInfo *info) {
  const AioStatistics *s = &info->statistics;
  line("telemetry", g_strdup_printf("%.0f samples/s of %.0f, %" G_GUINT64_FORMAT " lost, "
                                    "%" G_GUINT64_FORMAT " bad frames of %" G_GUINT64_FORMAT,
                                    s->samples_per_s, info->rate_wanted, s->counters.samples_lost,
                                    s->counters.frames_bad, s->counters.frames));
  line("round trip",
       g_strdup_printf("%.2f ms (median), %.2f ms (99 %%)", 1e-6 * (double)s->round_trip_p50_ns,
                       1e-6 * (double)s->round_trip_p99_ns));
}

static void print_joints(const AioDescription *d) {
  CliTable *table = cli_table_new("rlrrrrr");
  const char *const heads[] = {"joint", "type", "from", "to", "speed", "accel.", "current"};
  for (gsize k = 0; k < G_N_ELEMENTS(heads); k++)
    cli_table_cell(table, "%s", heads[k]);
  for (guint j = 0; j < d->joints; j++) {
    const AioJointInfo *joint = &d->joint[j];
    const bool is_R = joint->type == ARM_JOINT_R;
    const double scale = is_R ? DEG : 1.0;
    cli_table_cell(table, "%u", j + 1);
    cli_table_cell(table, "%s", is_R ? "R [deg]" : "T [m]");
    cli_table_take(table, cli_format_number(scale * joint->q_min, 5));
    cli_table_take(table, cli_format_number(scale * joint->q_max, 5));
    cli_table_take(table, cli_format_number(scale * joint->speed_max, 4));
    cli_table_take(table, cli_format_number(scale * joint->accel_max, 4));
    cli_table_take(table, cli_format_number(joint->current_max, 3));
  }
  cli_table_finish(table);
}

static void print_params(const CliInfo *info) {
  CliTable *table = cli_table_new("rlrll");
  const char *const heads[] = {"id", "parameter", "value", "unit", ""};
  for (gsize k = 0; k < G_N_ELEMENTS(heads); k++)
    cli_table_cell(table, "%s", heads[k]);
  for (guint k = 0; k < info->n_params; k++) {
    const AioParam *param = &info->params[k];
    cli_table_cell(table, "%u", param->id);
    cli_table_take(table, cli_name(param->name));
    cli_table_take(table, cli_format_number(param->value, 6));
    cli_table_take(table, cli_name(param->unit));
    cli_table_cell(table, "%s", param->is_read_only ? "read only" : "");
  }
  cli_table_finish(table);
}

void cli_info_print(const CliInfo *info) {
  print_who(info);
  print_state(info->description, &info->state);
  print_statistics(info);
  putchar('\n');
  print_joints(info->description);
  if (info->params) {
    putchar('\n');
    print_params(info);
  }
}

/* ---- for scripts ---- */

static void write_joint(AioJsonWriter *w, guint j, const AioJointInfo *joint) {
  aio_json_write_begin_flat_object(w);
  aio_json_put_int(w, "joint", j + 1);
  aio_json_put_string(w, "type", joint->type == ARM_JOINT_R ? "R" : "T");
  aio_json_put_number(w, "q_min", joint->q_min);
  aio_json_put_number(w, "q_max", joint->q_max);
  aio_json_put_number(w, "speed_max", joint->speed_max);
  aio_json_put_number(w, "accel_max", joint->accel_max);
  aio_json_put_number(w, "current_max_A", joint->current_max);
  aio_json_put_number(w, "temperature_max_C", joint->temperature_max_C);
  aio_json_put_number(w, "following_max", joint->following_max);
  aio_json_put_number(w, "quantum", joint->quantum);
  aio_json_write_end_object(w);
}

static void write_controller(AioJsonWriter *w, const AioDescription *d) {
  aio_json_write_key(w, "controller");
  aio_json_write_begin_object(w);
  aio_json_put_string(w, "driver", d->driver);
  aio_json_put_string(w, "name", d->name);
  aio_json_put_string(w, "serial", d->serial);
  aio_json_put_string(w, "firmware", d->firmware);
  aio_json_put_string(w, "protocol", d->protocol);
  aio_json_put_bool(w, "read_only", d->is_read_only);
  aio_json_put_int(w, "boot_count", d->boot_count);
  aio_json_put_string(w, "reset", d->reset_text);
  aio_json_put_number(w, "time_factor", d->time_factor);
  aio_json_put_number(w, "telemetry_max_hz", d->telemetry_max_hz);
  aio_json_put_int(w, "lease_min_ms", d->lease_min_ms);
  aio_json_put_int(w, "lease_max_ms", d->lease_max_ms);
  aio_json_write_key(w, "can");
  aio_json_write_begin_array(w);
  for (gsize k = 0; k < G_N_ELEMENTS(abilities); k++)
    if (d->capabilities & abilities[k].bit)
      aio_json_write_string(w, abilities[k].key);
  aio_json_write_end_array(w);
  aio_json_write_key(w, "joints");
  aio_json_write_begin_array(w);
  for (guint j = 0; j < d->joints; j++)
    write_joint(w, j, &d->joint[j]);
  aio_json_write_end_array(w);
  aio_json_write_end_object(w);
}

static void write_state(AioJsonWriter *w, const AioDescription *d, const AioState *state) {
  g_autofree char *faults = aio_faults_text(state->faults, state->fault_joints);
  aio_json_write_key(w, "state");
  aio_json_write_begin_object(w);
  aio_json_put_string(w, "state", aio_device_state_text(state->state));
  aio_json_put_string(w, "motion", aio_motion_text(state->motion));
  aio_json_put_bool(w, "drives_on", state->drives_on);
  if (d->capabilities & AIO_CAN_ESTOP) {
    aio_json_put_bool(w, "emergency_stop_closed", state->is_estop_closed);
  } else {
    aio_json_write_key(w, "emergency_stop_closed");
    aio_json_write_null(w);
  }
  aio_json_put_int(w, "faults", state->faults);
  aio_json_put_string(w, "faults_text", faults);
  aio_json_write_end_object(w);
}

static void write_statistics(AioJsonWriter *w, const CliInfo *info) {
  const AioStatistics *s = &info->statistics;
  aio_json_write_key(w, "statistics");
  aio_json_write_begin_object(w);
  aio_json_put_number(w, "samples_per_s", s->samples_per_s);
  aio_json_put_number(w, "samples_per_s_wanted", info->rate_wanted);
  aio_json_put_number(w, "bytes_per_s", s->bytes_per_s);
  aio_json_put_int(w, "samples_lost", (gint64)s->counters.samples_lost);
  aio_json_put_int(w, "frames", (gint64)s->counters.frames);
  aio_json_put_int(w, "frames_bad", (gint64)s->counters.frames_bad);
  aio_json_put_int(w, "retries", (gint64)s->counters.retries);
  aio_json_put_int(w, "timeouts", (gint64)s->counters.timeouts);
  aio_json_put_int(w, "foreign", (gint64)s->counters.foreign);
  aio_json_put_number(w, "round_trip_p50_s", 1e-9 * (double)s->round_trip_p50_ns);
  aio_json_put_number(w, "round_trip_p99_s", 1e-9 * (double)s->round_trip_p99_ns);
  aio_json_put_number(w, "clock_skew_ppm", s->clock_skew_ppm);
  aio_json_write_end_object(w);
}

static void write_params(AioJsonWriter *w, const CliInfo *info) {
  aio_json_write_key(w, "parameters");
  aio_json_write_begin_array(w);
  for (guint k = 0; k < info->n_params; k++) {
    const AioParam *param = &info->params[k];
    aio_json_write_begin_flat_object(w);
    aio_json_put_int(w, "id", param->id);
    aio_json_put_string(w, "name", param->name);
    aio_json_put_string(w, "unit", param->unit);
    aio_json_put_number(w, "value", param->value);
    aio_json_put_number(w, "minimum", param->minimum);
    aio_json_put_number(w, "maximum", param->maximum);
    aio_json_put_bool(w, "read_only", param->is_read_only);
    aio_json_write_end_object(w);
  }
  aio_json_write_end_array(w);
}

GString *cli_info_json(const CliInfo *info) {
  GString *text = g_string_new(NULL);
  AioJsonWriter *w = aio_json_writer_new(text);
  aio_json_write_begin_object(w);
  aio_json_put_string(w, "format", "armature-controller");
  aio_json_put_int(w, "version", 1);
  aio_json_put_string(w, "port", cli_port_name(info->port));
  write_controller(w, info->description);
  write_state(w, info->description, &info->state);
  write_statistics(w, info);
  if (info->params)
    write_params(w, info);
  aio_json_write_end_object(w);
  aio_json_writer_free(w);
  return text;
}
