/* SPDX-License-Identifier: MIT */
/* Line 16.3: 12 joints at 1 kHz with 5 mA of noise, a sweep after the other, from the simulated
 * controller's telemetry to a session's file, six times as fast as it would come; what the file
 * takes for an hour, and what reading it takes: `armature-cli replay` to CSV.
 *
 *   show_packed ARMATURE_CLI [SECONDS]     of the recording; default 120, 3600 is the hour; below
 *                                          120 only what a busy machine cannot disturb is judged
 */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../session/folder.h"
#include "io/driver/native/wire_units.h"
#include "io/store/recorder.h"
#include "io/store/store_blob.h"
#include "io/store/store_internal.h"
#include "sim/controller.h"
#include "support/support.h"
#include "wire/frame.h"

#define NOISE_A 0.005

enum {
  JOINTS = 12,
  HZ = 1000,
  SWEEP_S = 60,
  PASSES = 24,
  TIMES = 6,
  JUDGED_S = 120,
  MOST_MB_H = 150,
  MOST_MEMORY_MB = 64
};

static bool all_pass = true;

static void need(bool is_good, const char *what) {
  if (is_good)
    return;
  fprintf(stderr, "show_packed: %s\n", what);
  exit(2);
}

static void show(const char *what, double measured, const char *target, bool is_met) {
  all_pass &= is_met;
  printf("SHOW 16.3 %s measured=%.4g target=%s %s\n", what, measured, target,
         is_met ? "PASS" : "FAIL");
  fflush(stdout);
}

/* ---- from the controller ---- */

typedef struct {
  AsimController *controller;
  WireDecoder decoder;
  guint16 seq;
  guint32 token;
  AioRecorder *recorder;
  AioQueue *queue;
  AioChunk *chunk;
  guint64 samples;
} Chain;

static void ask(Chain *c, guint16 type, const guint8 *payload, size_t length) {
  guint8 bytes[WIRE_FRAME_MAX];
  const WireHeader header = {WIRE_VERSION, type, c->seq++, 0};
  asim_controller_receive(c->controller, bytes, wire_frame_encode(bytes, &header, payload, length));
}

static void push_chunk(Chain *c) {
  need(aio_queue_push(c->queue, c->chunk), "the recorder's queue is full");
  aio_chunk_unref(c->chunk);
  c->chunk = aio_chunk_new(JOINTS, c->samples);
}

static void take_telem(Chain *c, const WireReceived *frame) {
  WireTelem telem;
  need(wire_telem_get(&telem, frame->payload, frame->length), "TELEM");
  AioSample sample = {.t_us = c->samples * (1000000 / HZ),
                      .flags = AIO_SAMPLE_DRIVES_ON | AIO_SAMPLE_ARMED,
                      .motion = telem.motion_id,
                      .joint = telem.joint};
  for (guint j = 0; j < JOINTS; j++) {
    WireTelemJoint joint;
    const size_t at = WIRE_SIZE_TELEM + (size_t)j * WIRE_SIZE_TELEM_JOINT;
    need(wire_telem_joint_get(&joint, frame->payload + at, frame->length - at), "TELEM_JOINT");
    sample.q[j] = aio_wire_length(joint.q);
    sample.qd[j] = aio_wire_length(joint.qd);
    sample.current[j] = aio_wire_current(joint.current);
    sample.joint_flags[j] = joint.flags;
  }
  const gint64 t_host_ns = 1000 * (gint64)sample.t_us + (gint64)(c->samples * 7919 % 523);
  if (!aio_chunk_push(c->chunk, &sample, t_host_ns)) {
    push_chunk(c);
    aio_chunk_push(c->chunk, &sample, t_host_ns);
  }
  c->samples++;
}

static void drain(Chain *c) {
  guint8 buffer[4096];
  size_t n;
  while ((n = asim_controller_take(c->controller, buffer, sizeof buffer)) > 0) {
    const uint8_t *bytes = buffer;
    WireReceived received;
    WireHelloAck ack;
    while (wire_decoder_next(&c->decoder, &bytes, &n, &received))
      if (received.header.type == WIRE_TYPE_TELEM)
        take_telem(c, &received);
      else if (received.header.type == WIRE_TYPE_HELLO_ACK &&
               wire_hello_ack_get(&ack, received.payload, received.length))
        c->token = ack.token;
  }
}

static void start_arm(Chain *c) {
  guint8 payload[WIRE_PAYLOAD_MAX];
  wire_hello_put(payload, &(WireHello){.major = WIRE_VERSION, .host_id = 1});
  ask(c, WIRE_TYPE_HELLO, payload, WIRE_SIZE_HELLO);
  drain(c);
  wire_arm_put(payload, &(WireArm){c->token, 2000});
  ask(c, WIRE_TYPE_ARM, payload, WIRE_SIZE_ARM);
  wire_subscribe_put(payload, &(WireSubscribe){HZ, 1});
  ask(c, WIRE_TYPE_SUBSCRIBE, payload, WIRE_SIZE_SUBSCRIBE);
}

/* 2 rad there and back at 1 rad/s, for most of a run. */
static void sweep(Chain *c, guint joint) {
  guint8 payload[WIRE_PAYLOAD_MAX];
  wire_sweep_put(payload,
                 &(WireSweep){(guint8)joint, PASSES, 0, -1000000, 1000000, 1000000, 4000000, 0});
  ask(c, WIRE_TYPE_SWEEP, payload, WIRE_SIZE_SWEEP);
}

/* A tenth of a second in a sixtieth. */
static void pass(Chain *c) {
  guint8 payload[WIRE_PAYLOAD_MAX];
  const gint64 begun = g_get_monotonic_time();
  wire_lease_put(payload, &(WireLease){c->token});
  ask(c, WIRE_TYPE_LEASE, payload, WIRE_SIZE_LEASE);
  asim_controller_advance(c->controller, 100000);
  drain(c);
  const gint64 left = begun + 100000 / TIMES - g_get_monotonic_time();
  if (left > 0)
    g_usleep((gulong)left);
}

static void record_runs(Chain *c, double seconds) {
  start_arm(c);
  for (guint run = 0; (double)c->samples < seconds * HZ; run++) {
    const guint joint = 1 + run % JOINTS;
    const AioStoreRun row = {.kind = "sweep", .joint = joint, .hold = 1, .speed = 1};
    const gint64 id = aio_recorder_begin_run(c->recorder, &row);
    const guint64 until = c->samples + (guint64)SWEEP_S * HZ;
    sweep(c, joint);
    while (c->samples < until && (double)c->samples < seconds * HZ)
      pass(c);
    push_chunk(c);
    aio_recorder_end_run(c->recorder, id, 0, "done");
  }
}

/* ---- the session ---- */

static bool put_arm(AioStore *store, gconstpointer text, GError **error) {
  return aio_store_add_text(store, AIO_STORE_ARM, text, error);
}

static AioStore *make_store(const char *path, const char *arm) {
  GError *error = NULL;
  char *text = NULL;
  need(g_file_get_contents(arm, &text, NULL, NULL), arm);
  AioStore *store = aio_store_create_filled(path, "show 1", put_arm, text, &error);
  need(store != NULL, error ? error->message : path);
  g_free(text);
  return store;
}

static AsimController *make_controller(const char *arm) {
  GError *error = NULL;
  AsimTruth *truth = g_new0(AsimTruth, 1);
  const AsimOptions options = {.truth = truth, .time_factor = 1.0, .line_room = 1 << 20};
  need(asim_truth_load(truth, arm, 1, &error), error ? error->message : arm);
  for (guint j = 0; j < JOINTS; j++)
    truth->plant.joints[j].noise_sd = NOISE_A;
  AsimController *controller = asim_controller_new(&options, &error);
  need(controller != NULL, error ? error->message : arm);
  g_free(truth);
  return controller;
}

static void judge_recorder(Chain *c, double seconds) {
  AioRecorderStatus status;
  need(aio_recorder_flush(c->recorder, NULL), "not all was written");
  aio_recorder_status(c->recorder, &status);
  const double worst_ms = 1e-3 * (double)status.worst_commit_us;
  show("samples lost", (double)status.samples_lost, "0", status.samples_lost == 0);
  if (seconds < JUDGED_S)
    return;
  show("deepest queue [chunks]", status.deepest_queue, "< 256", status.deepest_queue < 256);
  show("worst commit [ms]", worst_ms, "< 250", worst_ms < 250);
}

static void record(const char *path, double seconds) {
  const char *arm = test_source_path("tests/show/twelve.arm.json");
  Chain c = {.controller = make_controller(arm),
             .queue = aio_queue_new("recorder", 512, AIO_QUEUE_KEEP_OLDEST, NULL),
             .chunk = aio_chunk_new(JOINTS, 0)};
  c.recorder = aio_recorder_new(make_store(path, arm), c.queue,
                                &(AioRecorderOptions){.program = "show 1"}, NULL);
  need(c.recorder != NULL, "no recorder");
  record_runs(&c, seconds);
  judge_recorder(&c, seconds);
  need(aio_recorder_free(c.recorder, NULL), "the session was not closed");
  aio_chunk_unref(c.chunk);
  aio_queue_unref(c.queue);
  asim_controller_free(c.controller);
}

/* ---- the figures ---- */

typedef struct {
  guint64 samples, chunk_bytes, holes;
  gint64 packs, left;
} Stored;

static bool on_chunk(const AioStoreChunk *row, void *data) {
  Stored *s = data;
  GByteArray *bytes = aio_blob_encode(row->chunk);
  s->holes += row->chunk->first_index != s->samples;
  s->samples += row->chunk->n;
  s->chunk_bytes += bytes->len;
  g_byte_array_unref(bytes);
  return true;
}

static Stored look_into(const char *path) {
  Stored s = {.samples = 0};
  AioStore *store = aio_store_open_read(path, NULL);
  need(store && aio_store_each_chunk(store, 0, on_chunk, &s, NULL) &&
           aio_sql_get_int(store->sql, "SELECT count(*) FROM packs", &s.packs, NULL) &&
           aio_sql_get_int(store->sql, "SELECT count(*) FROM chunks", &s.left, NULL),
       "the session cannot be read");
  aio_store_close(store, NULL);
  return s;
}

static double megabytes(const char *path) {
  GStatBuf info = {0};
  need(g_stat(path, &info) == 0, path);
  return 1e-6 * (double)info.st_size;
}

static void judge_file(const char *path) {
  const Stored s = look_into(path);
  const double hours = (double)s.samples / HZ / 3600, size = megabytes(path);
  printf("# %.0f s, %" G_GINT64_FORMAT " packs, %" G_GINT64_FORMAT
         " chunks left; %.1f MB for %.1f MB of chunks\n",
         3600 * hours, s.packs, s.left, size, 1e-6 * (double)s.chunk_bytes);
  show("samples missing in what was packed", (double)s.holes, "0", s.holes == 0);
  show("file [MB/h]", size / hours, "<= 150", size / hours <= MOST_MB_H);
}

/* The whole of it to a CSV; peak memory [MB]. */
static double replay(const char *program, const char *path, const char *csv, double *cpu_s) {
  struct rusage usage;
  int status;
  const pid_t pid = fork();
  if (pid == 0) {
    execl(program, program, "replay", path, "--out", csv, (char *)NULL);
    _exit(127);
  }
  need(pid > 0 && wait4(pid, &status, 0, &usage) == pid && status == 0, "replay failed");
  *cpu_s = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec);
  return (double)usage.ru_maxrss / 1024;
}

static void judge_replay(const char *program, const char *path, const char *folder) {
  double cpu_s = 0;
  char *csv = g_build_filename(folder, "all.csv", NULL);
  const double memory = replay(program, path, csv, &cpu_s);
  printf("# replay: %.0f s of CPU, %.0f MB of CSV\n", cpu_s, megabytes(csv));
  show("replay to CSV, peak memory [MB]", memory, "< 64", memory < MOST_MEMORY_MB);
  g_free(csv);
}

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "show_packed ARMATURE_CLI [SECONDS]\n");
    return 2;
  }
  const double seconds = argc > 2 ? g_ascii_strtod(argv[2], NULL) : 120;
  char *folder = folder_new(), *path = g_build_filename(folder, "twelve.armsession", NULL);
  record(path, seconds);
  judge_file(path);
  judge_replay(argv[1], path, folder);
  g_free(path);
  folder_free(folder);
  return all_pass ? EXIT_SUCCESS : EXIT_FAILURE;
}
