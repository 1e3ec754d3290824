/* SPDX-License-Identifier: MIT */
/* One byte in 10000 is wrong while the arm does its sweeps: every corrupt frame is counted, none is
 * accepted, and what is missing is known. What came is captured and taken apart here by other code:
 * the specification's sentences, byte by byte. */
#include <glib/gstdio.h>
#include <math.h>

#include "chain.h"
#include "wire/message.h"

enum { PER_MILLION = 100, TELEM = 0x840, FRAME_MAX = 512, STUFFED_MAX = 515 };

typedef struct {
  guint8 run[STUFFED_MAX + 1]; /* the bytes since the last 00 */
  gsize n;                     /* also counts what did not fit */
  guint64 bytes, good, bad, telem, telem_missing, off_grid;
  guint16 next_seq;
  guint32 last_us;
} Wire;

/* CRC-32 of IEEE 802.3, bit by bit; over a frame with its own CRC the residue is this. */
enum { RESIDUE = 0x2144df1c };

static guint32 crc_of(const guint8 *bytes, gsize n) {
  guint32 crc = 0xffffffffu;
  for (gsize k = 0; k < n; k++) {
    crc ^= bytes[k];
    for (int bit = 0; bit < 8; bit++)
      crc = (crc >> 1) ^ (crc & 1 ? 0xedb88320u : 0);
  }
  return ~crc;
}

/* 0: a block reaches beyond the end. */
static gsize unstuff(guint8 *out, const guint8 *in, gsize n) {
  gsize length = 0;
  for (gsize at = 0; at < n;) {
    const gsize code = in[at];
    if (at + code > n)
      return 0;
    for (gsize k = 1; k < code; k++)
      out[length++] = in[at + k];
    at += code;
    if (code < 255 && at < n)
      out[length++] = 0;
  }
  return length;
}

static void take_telem(Wire *w, const guint8 *frame) {
  const guint16 seq = (guint16)(frame[2] | frame[3] << 8);
  const guint32 t_us = (guint32)frame[4] | (guint32)frame[5] << 8 | (guint32)frame[6] << 16 |
                       (guint32)frame[7] << 24;
  if (w->telem++ > 0) {
    const guint missing = (guint16)(seq - w->next_seq);
    w->telem_missing += missing;
    w->off_grid += t_us - w->last_us != (missing + 1) * CHAIN_PERIOD_US;
  }
  w->next_seq = (guint16)(seq + 1);
  w->last_us = t_us;
}

static void end_run(Wire *w) {
  guint8 frame[STUFFED_MAX];
  const gsize n = w->n <= STUFFED_MAX ? unstuff(frame, w->run, w->n) : 0;
  if (w->n == 0)
    return;
  if (n < 12 || n > FRAME_MAX || crc_of(frame, n) != RESIDUE) {
    w->bad++;
  } else {
    w->good++;
    if (((frame[0] | frame[1] << 8) & 0xfff) == TELEM)
      take_telem(w, frame);
  }
}

static void take_bytes(Wire *w, const guint8 *bytes, gsize n) {
  w->bytes += n;
  for (gsize k = 0; k < n; k++) {
    if (bytes[k] == 0) {
      end_run(w);
      w->n = 0;
    } else {
      if (w->n < STUFFED_MAX)
        w->run[w->n] = bytes[k];
      w->n++;
    }
  }
}

/* What was received until then. */
static Wire read_capture(const char *path, gint64 until_ns) {
  GError *error = NULL;
  Wire w = {.n = 0};
  AioCaptureRecord record;
  AioCaptureReader *reader = aio_capture_reader_new(path, &error);
  g_assert_no_error(error);
  while (aio_capture_reader_next(reader, &record))
    if (record.direction == AIO_CAPTURE_RECEIVED && record.t_ns <= until_ns)
      take_bytes(&w, record.bytes, record.n);
  g_assert_null(aio_capture_reader_damage(reader));
  aio_capture_reader_free(reader);
  return w;
}

static void expect_rows(const Chain *c) {
  const GPtrArray *runs = ase_runner_runs(c->runner);
  guint64 rows = 0, missing = 0;
  for (guint k = 0; k < runs->len; k++) {
    const AseRun *run = runs->pdata[k];
    g_assert_true(run->is_complete);
    for (guint i = 0; i < run->chunks->len; i++)
      missing += ((const AioChunk *)run->chunks->pdata[i])->lost;
    rows += ase_run_samples(run);
  }
  g_test_message("%" G_GUINT64_FORMAT " rows in %u runs, %" G_GUINT64_FORMAT " missing", rows,
                 runs->len, missing);
  g_assert_cmpuint(missing, >, 0);
  g_assert_cmpuint(missing, <, rows / 10); /* a starved machine loses some on the pty too */
}

static void test_bit_errors(void) {
  GError *error = NULL;
  char *folder = g_dir_make_tmp("armature-bits-XXXXXX", &error);
  char *path = g_build_filename(folder, "bytes.capture", NULL);
  char *fault = g_strdup_printf("bit-errors=%d", PER_MILLION);
  AioCapture *capture = aio_capture_new(path, &error);
  g_assert_no_error(error);
  Chain *c = chain_new(fault, 10, capture, NULL);
  rig_arm(&c->rig);
  g_assert_true(ase_runner_start(c->runner, 0, c->itinerary->legs->len, &error));
  chain_expect_stop(c, "done");
  g_assert_true(c->is_done);
  g_assert_cmpstr(ase_device_reason(c->rig.device), ==, "");
  ase_device_disarm(c->rig.device);
  aio_reply_free(chain_run(c, &(AioCommand){.kind = AIO_COMMAND_TELEMETRY}));
  rig_pass(0.3); /* the line is silent */
  chain_expect_state(c, AIO_DEVICE_HALTED, true, 0);
  rig_pass(0.1);
  AioStatistics s;
  ase_device_statistics(c->rig.device, &s);
  const gint64 until_ns = 1000 * g_get_monotonic_time();
  expect_rows(c);
  chain_free(c); /* ends the capture */
  const Wire w = read_capture(path, until_ns);
  const double expected = 1e-6 * PER_MILLION * (double)w.bytes;
  g_test_message("%" G_GUINT64_FORMAT " bytes, %" G_GUINT64_FORMAT " frames, %" G_GUINT64_FORMAT
                 " corrupt (%.0f wrong bytes expected), %" G_GUINT64_FORMAT
                 " samples lost, %" G_GUINT64_FORMAT " requests repeated",
                 w.bytes, w.good, w.bad, expected, w.telem_missing, s.counters.retries);
  g_assert_cmpuint(s.counters.bytes, ==, w.bytes);
  g_assert_cmpuint(s.counters.frames, ==, w.good);
  g_assert_cmpuint(s.counters.frames_bad, ==, w.bad);
  g_assert_cmpuint(s.counters.samples, ==, w.telem);
  g_assert_cmpuint(s.counters.samples_lost, ==, w.telem_missing);
  g_assert_cmpuint(w.off_grid, ==, 0); /* what was accepted is what was sent */
  g_assert_cmpfloat(fabs((double)w.bad - expected), <, 6 * sqrt(expected));
  g_assert_cmpfloat(expected, >, 50);
  g_remove(path);
  g_rmdir(folder);
  g_free(fault);
  g_free(path);
  g_free(folder);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  chain_begin(argv[1]);
  g_test_add_func("/faults/bit errors at 1e-4 per byte", test_bit_errors);
  return g_test_run();
}
