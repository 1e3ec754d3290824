/* SPDX-License-Identifier: MIT */
/* Line 12.2: a session sweeps while somebody else sends recorded requests of every kind on the same
 * line, two a second of the controller's time. Simulated controller, socket, driver, acquirer,
 * device, runner, session, file: nothing is played but the line.
 *
 *   show_replayed [SECONDS [SPEED]]   of the controller's time for each part, default 600; its time
 *                                     passes SPEED times as fast (20). Leases are wall time */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../session/bench.h"
#include "../wire/requests.h"
#include "wire/bytes.h"
#include "wire/crc32.h"
#include "wire/frame.h"

#define SWEEP_SPEED 0.2 /* of the slower sweeps of joint 2 [rad/s] */

enum { PER_S = 2, KEPT = 64, LEASE_KIND = 9, TICK_MS = 5 };

typedef enum { BEHIND, AHEAD, OWN, STOPS } Part;

/* Somebody else on the line. */
typedef struct {
  Bench bench;
  Part part;
  int fd;               /* of the host's end, our own descriptor of it */
  guint32 token;        /* of an earlier session with the controller */
  RequestTarget target; /* what its requests were about */
  double per_ms;        /* frames that are due in a millisecond */
  gint64 began_us;      /* when the injection began */
  guint injected, source;
  GRand *random;
  GMutex mutex;            /* of what the reader's thread writes: */
  guint16 last;            /* number of the last request that is not urgent */
  guint n_kept, n_motions; /* motions that were asked for */
  struct {
    gsize n;
    guint8 bytes[WIRE_FRAME_MAX];
  } kept[KEPT];              /* requests of the present session, the newest */
  guint ended, foreign_told; /* of the main loop: motions that ended, warnings */
  guint64 foreign;
} Show;

static int failures;

static void show(const char *what, double measured, const char *target, bool is_met) {
  failures += !is_met;
  printf("SHOW 12.2 %s measured=%.6g target=%s %s\n", what, measured, target,
         is_met ? "PASS" : "FAIL");
  fflush(stdout);
}

/* ---- the tap: what the host sends passes, and is kept ---- */

typedef struct {
  AioLink base;
  AioLink *inner;
  Show *show;
  WireDecoder decoder;
  guint16 last_motion;
} Tap;

static void keep(Tap *tap, const WireReceived *request) {
  Show *s = tap->show;
  const WireHeader *h = &request->header;
  g_mutex_lock(&s->mutex);
  if (h->type != WIRE_TYPE_STOP && h->type != WIRE_TYPE_KILL) {
    s->n_motions += wire_is_motion(h->type) && h->seq != tap->last_motion;
    if (wire_is_motion(h->type))
      tap->last_motion = h->seq;
    s->last = h->seq;
    const guint at = s->n_kept++ % KEPT;
    s->kept[at].n = wire_frame_encode(s->kept[at].bytes, h, request->payload, request->length);
  }
  g_mutex_unlock(&s->mutex);
}

static gssize tap_write(AioLink *link, const guint8 *bytes, gsize n, GError **error) {
  Tap *tap = (Tap *)link;
  WireReceived request;
  const gssize sent = aio_link_write(tap->inner, bytes, n, error);
  size_t left = sent > 0 ? (size_t)sent : 0;
  while (wire_decoder_next(&tap->decoder, &bytes, &left, &request))
    keep(tap, &request);
  return sent;
}

static gssize tap_read(AioLink *link, guint8 *bytes, gsize room, gint64 *t_ns, GError **error) {
  return aio_link_read(((Tap *)link)->inner, bytes, room, t_ns, error);
}

static int tap_fd(AioLink *link) {
  return aio_link_fd(((Tap *)link)->inner);
}

static void tap_close(AioLink *link) {
  aio_link_close(((Tap *)link)->inner);
  g_free(link->name);
  g_free(link);
}

static const AioLinkClass tap_class = {
    .kind = "tap", .read = tap_read, .write = tap_write, .fd = tap_fd, .close = tap_close};

static AioLink *tap_new(AioLink *inner, Show *s) {
  Tap *tap = g_new0(Tap, 1);
  tap->base = (AioLink){&tap_class, g_strdup(inner->name)};
  tap->inner = inner;
  tap->show = s;
  wire_decoder_init(&tap->decoder);
  return &tap->base;
}

/* ---- an earlier session ---- */

static void send_frame(int fd, guint16 type, guint16 seq, const guint8 *payload, gsize n) {
  guint8 bytes[1 + WIRE_FRAME_MAX] = {WIRE_DELIMITER};
  const WireHeader header = {WIRE_VERSION, type, seq, 0};
  const gsize length = 1 + wire_frame_encode(bytes + 1, &header, payload, n);
  if (write(fd, bytes, length) != (gssize)length)
    g_error("the line is full");
}

/* Its HELLO, and what HELLO_ACK told it. */
static void earlier_session(Show *s) {
  GError *error = NULL;
  const int fd = asim_loop_connect(s->bench.loop, &error);
  guint8 payload[WIRE_SIZE_HELLO], bytes[4096];
  const WireHello hello = {.major = WIRE_VERSION, .minor = WIRE_MINOR, .host_id = 4711};
  WireDecoder decoder;
  WireReceived received;
  WireHelloAck ack = {.token = 0};
  g_assert_no_error(error);
  wire_decoder_init(&decoder);
  wire_hello_put(payload, &hello);
  for (guint k = 0; k < 100 && ack.token == 0; k++) {
    send_frame(fd, WIRE_TYPE_HELLO, 1, payload, sizeof payload);
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    (void)poll(&wait, 1, 100);
    const gssize n = read(fd, bytes, sizeof bytes);
    const guint8 *at = bytes;
    size_t left = n > 0 ? (size_t)n : 0;
    while (wire_decoder_next(&decoder, &at, &left, &received))
      if (received.header.type == WIRE_TYPE_HELLO_ACK)
        (void)wire_hello_ack_get(&ack, received.payload, received.length);
  }
  close(fd);
  g_assert_cmphex(ack.token, !=, 0);
  s->token = ack.token;
  s->target = (RequestTarget){.schema_crc = ack.schema_crc,
                              .digest = ack.digest,
                              .token = ack.token,
                              .param = 1,
                              .value = 0x3f000000u,
                              .set_bytes = (guint16)(4 * ack.params)};
}

/* ---- the injection ---- */

/* Of the earlier session, with its guard or as minor version 0 had it; every 22nd is its HELLO. */
static void inject_earlier(Show *s, guint16 seq) {
  guint8 sent[REQUEST_ROOM + WIRE_SIZE_GUARD];
  const guint kind = s->injected / 2 % (REQUEST_KINDS + 1);
  const WireGuard guard = {s->token, 0};
  const gsize at = s->injected % 2 ? WIRE_SIZE_GUARD : 0;
  if (kind == REQUEST_KINDS) {
    const WireHello hello = {.major = WIRE_VERSION, .minor = (uint8_t)(at > 0), .host_id = 4711};
    wire_hello_put(sent, &hello);
    send_frame(s->fd, WIRE_TYPE_HELLO, seq, sent, WIRE_SIZE_HELLO);
    return;
  }
  const Frame frame = request_of_kind(kind, &s->target);
  wire_guard_put(sent, &guard);
  memcpy(sent + at, frame.payload, frame.n);
  send_frame(s->fd, (guint16)(frame.type | (at ? WIRE_GUARDED : 0)), seq, sent, at + frame.n);
}

static void inject_own(Show *s) {
  const guint n = MIN(s->n_kept, (guint)KEPT);
  const guint k = (guint)g_rand_int_range(s->random, 0, (gint)n);
  const guint8 delimiter = WIRE_DELIMITER;
  if (write(s->fd, &delimiter, 1) != 1 ||
      write(s->fd, s->kept[k].bytes, s->kept[k].n) != (gssize)s->kept[k].n)
    g_error("the line is full");
}

static void inject(Show *s) {
  g_mutex_lock(&s->mutex);
  const guint near = (guint)g_rand_int_range(s->random, 0, 20);
  const guint far = (guint)g_rand_int_range(s->random, 1, 40001);
  const guint step = s->injected % 3 ? far : near;
  if (s->part == OWN)
    inject_own(s);
  else if (s->part == STOPS)
    send_frame(s->fd, WIRE_TYPE_STOP, 7, NULL, 0);
  else
    inject_earlier(s,
                   (guint16)(s->part == AHEAD ? s->last + MAX(step, 1) : s->last - step % 32768));
  s->injected++;
  g_mutex_unlock(&s->mutex);
}

/* A command is on its way for a moment, and then its number is the host's last one. */
static gboolean on_tick(gpointer data) {
  Show *s = data;
  const double ms = 1e-3 * (double)(g_get_monotonic_time() - s->began_us);
  if (ase_device_is_armed(ase_session_device(s->bench.session)))
    while (s->injected < s->per_ms * ms)
      inject(s);
  return G_SOURCE_CONTINUE;
}

static void on_event(AseDevice *device, gpointer data, Show *s) {
  const AioEvent *event = data;
  (void)device;
  s->ended += event->kind == AIO_EVENT_MOTION_END;
  s->foreign_told += event->kind == AIO_EVENT_FOREIGN;
}

/* ---- the session ---- */

static void connect_session(Show *s) {
  GError *error = NULL;
  const int fd = asim_loop_connect(s->bench.loop, &error);
  g_assert_no_error(error);
  s->fd = dup(fd);
  AioLink *link = aio_link_fd_new(fd, "simulator", &error);
  AseDeviceOptions options;
  ase_device_options_default(&options);
  options.lockout_s = 0.2;
  options.lease_ms = RIG_LEASE_MS;
  if (!link || !ase_session_connect(s->bench.session, tap_new(link, s), &options, &error))
    g_error("%s", error->message);
  bench_until(&s->bench, ASE_STEP_CHECK, 20);
  g_assert_cmpint(bench_state(&s->bench, ASE_STEP_CHECK), ==, ASE_STATE_PASSED);
}

static void begin(Show *s, Part part, double speed, bool is_minor_0) {
  *s = (Show){
      .part = part, .fd = -1, .random = g_rand_new_with_seed(12), .per_ms = 1e-3 * PER_S * speed};
  g_mutex_init(&s->mutex);
  bench_init(&s->bench, "planar2r", speed);
  if (is_minor_0)
    bench_replace_by_minor_0(&s->bench, speed);
  bench_plan_one(&s->bench, SWEEP_SPEED);
  earlier_session(s);
  connect_session(s);
  g_signal_connect(ase_session_device(s->bench.session), "event", G_CALLBACK(on_event), s);
  bench_reach(&s->bench, ASE_STEP_DRY_RUN);
  s->ended = 0;
  s->n_motions = 0;
}

static void end(Show *s) {
  g_source_remove(s->source);
  close(s->fd);
  bench_clear(&s->bench);
  g_rand_free(s->random);
  g_mutex_clear(&s->mutex);
}

static void start_injection(Show *s) {
  s->began_us = g_get_monotonic_time();
  s->injected = 0;
  s->source = g_timeout_add(TICK_MS, on_tick, s);
}

typedef struct {
  bool has_come;
  guint32 digest, stored, faults;
  AioDeviceState state;
} Answer;

static void on_digest(const AioReply *reply, void *ctx) {
  *(Answer *)ctx = (Answer){!reply->code, reply->digest, reply->stored_digest, reply->state.faults,
                            reply->state.state};
}

static bool has_come(void *data) {
  return ((Answer *)data)->has_come;
}

static Answer ask_digest(Show *s) {
  Answer answer = {.has_come = false};
  ase_device_send(ase_session_device(s->bench.session),
                  &(AioCommand){.kind = AIO_COMMAND_PARAMS_DIGEST}, on_digest, &answer);
  g_assert_true(rig_wait(has_come, &answer, 10));
  return answer;
}

/* Sweeps again and again until so much of the controller's time has passed. */
static guint sweep_for(Show *s, double seconds, double speed) {
  guint failed = 0;
  const gint64 until = g_get_monotonic_time() + (gint64)(1e6 * seconds / speed);
  do {
    bench_do(&s->bench, ASE_STEP_SWEEP);
    failed += bench_state(&s->bench, ASE_STEP_SWEEP) != ASE_STATE_PASSED;
    if (failed)
      printf("# %s\n", bench_reason(&s->bench, ASE_STEP_SWEEP));
  } while (!failed && g_get_monotonic_time() < until);
  return failed;
}

static void show_part(Part part, const char *name, double seconds, double speed) {
  static Show s;
  char what[120];
  begin(&s, part, speed, false);
  const Answer before = ask_digest(&s);
  start_injection(&s);
  const guint failed = sweep_for(&s, seconds, speed);
  const Answer after = ask_digest(&s);
  AioStatistics statistics;
  ase_device_statistics(ase_session_device(s.bench.session), &statistics);
  s.foreign = statistics.counters.foreign;
  const double least = 0.8 * PER_S * seconds;
  g_snprintf(what, sizeof what, "%s: frames sent", name);
  show(what, s.injected, "at least 1.6 a second", s.injected >= least);
  g_snprintf(what, sizeof what, "%s: steps of sweeps that did not pass", name);
  show(what, failed, "0", failed == 0);
  g_snprintf(what, sizeof what, "%s: motions that nobody asked for", name);
  show(what, (double)s.ended - s.n_motions, "0", s.ended == s.n_motions && s.ended > 0);
  g_snprintf(what, sizeof what, "%s: parameter sets changed, in use or stored", name);
  show(what, (before.digest != after.digest) + (before.stored != after.stored), "0",
       before.digest == after.digest && before.stored == after.stored);
  g_snprintf(what, sizeof what, "%s: not armed, or with faults, afterwards", name);
  show(what, after.state != AIO_DEVICE_ARMED || after.faults, "0",
       after.state == AIO_DEVICE_ARMED && after.faults == 0);
  g_snprintf(what, sizeof what, "%s: part of the frames that was counted as foreign", name);
  /* the last two of its own are repetitions, and answered as such */
  const double counted = part == OWN ? 0.5 : 0.9;
  show(what, (double)s.foreign / s.injected, part == OWN ? "above 0.5" : "above 0.9",
       s.foreign > counted * s.injected);
  end(&s);
}

/* A recorded STOP stops; an older controller obeys or follows the numbers: the message says why. */
static void show_stopped(Part part, const char *name, double speed, bool is_minor_0) {
  static Show s;
  begin(&s, part, speed, is_minor_0);
  start_injection(&s);
  bench_do(&s.bench, ASE_STEP_SWEEP);
  const char *reason = bench_reason(&s.bench, ASE_STEP_SWEEP);
  const bool is_named =
      strstr(reason, "another program or a replayed recording sends on this line") != NULL;
  printf("# %s: %s\n", name, reason);
  show(name, is_named, "1", is_named && bench_state(&s.bench, ASE_STEP_SWEEP) == ASE_STATE_FAILED);
  end(&s);
}

int main(int argc, char **argv) {
  const double seconds = argc > 1 ? atof(argv[1]) : 600.0, speed = argc > 2 ? atof(argv[2]) : 20.0;
  show_part(BEHIND, "earlier session, numbers behind or equal", seconds, speed);
  show_part(AHEAD, "earlier session, numbers 1 to 40000 ahead", seconds, speed);
  show_part(OWN, "the present session once more", seconds, speed);
  show_stopped(STOPS, "a recorded STOP: the run ends and names it", speed, false);
  show_stopped(AHEAD, "firmware of minor version 0: the run ends and names it", speed, true);
  return failures ? 1 : 0;
}
