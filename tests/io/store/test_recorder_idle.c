/* SPDX-License-Identifier: MIT */
/* An arm at rest: the last seconds before something happens, and the first after it, are written;
 * what was left out is marked; nothing of a motion is lost. */
#include <string.h>

#include "io/base/said.h"
#include "io/store/recorder_internal.h"
#include "recorder_case.h"

enum { JOINTS = 6, CHUNK_MS = 20, PIECE = 20, IDLE_S = 1, PIECES_MAX = 64 };

/* Stretches of the file without a gap, [from, to) in chunks. */
typedef struct {
  guint from[PIECES_MAX], to[PIECES_MAX], n;
  guint marks;
  guint64 left_out, lost, t_us[PIECES_MAX];
  guint healths;
  bool is_marked_first; /* the mark stands before what has ended the rest */
} Found;

static void start_resting(RecorderCase *c, double idle_s) {
  GError *error = NULL;
  AioStore *store = aio_store_create(c->path, "test 1", &error);
  g_assert_no_error(error);
  c->queue = aio_queue_new("recorder", 1 << 14, AIO_QUEUE_KEEP_OLDEST, &error);
  const AioRecorderOptions options = {
      .program = "test 1", .on_news = recorder_case_news, .news_ctx = c, .idle_s = idle_s};
  c->recorder = aio_recorder_new(store, c->queue, &options, &error);
  g_assert_no_error(error);
}

static void start(RecorderCase *c) {
  start_resting(c, IDLE_S);
}

/* Chunks of 20 ms; the samples of an arm at rest have no motion and are not armed. */
static void push(RecorderCase *c, guint chunks, guint16 flags, guint16 motion, guint8 joint,
                 guint lost) {
  for (guint k = 0; k < chunks; k++) {
    AioChunk *chunk = session_chunk(JOINTS, c->next, PIECE);
    chunk->lost = lost;
    for (guint i = 0; i < chunk->n; i++) {
      chunk->flags[i] = flags;
      chunk->motion[i] = motion;
      chunk->joint[i] = joint;
    }
    g_assert_true(aio_queue_push(c->queue, chunk));
    aio_chunk_unref(chunk);
    c->next += PIECE;
  }
}

static void rest(RecorderCase *c, guint chunks) {
  push(c, chunks, AIO_SAMPLE_ESTOP_CLOSED | AIO_SAMPLE_FAULT, 0, 0, 0);
}

static void move(RecorderCase *c, guint chunks) {
  push(c, chunks, AIO_SAMPLE_ESTOP_CLOSED, 7, 0, 0);
}

static void report(RecorderCase *c, AioEventKind kind) {
  const AioEvent event = {.kind = kind, .t_host_ns = (gint64)(1000000 * c->next), .text = "text"};
  aio_recorder_add_event(c->recorder, &event);
}

static bool on_chunk(const AioStoreChunk *row, void *data) {
  Found *found = data;
  const guint at = (guint)(row->chunk->first_index / PIECE);
  if (found->n == 0 || found->to[found->n - 1] != at) {
    g_assert_cmpuint(found->n, <, PIECES_MAX);
    found->from[found->n++] = at;
  }
  found->to[found->n - 1] = at + 1;
  return true;
}

static bool on_event(const AioStoreEvent *row, void *data) {
  Found *found = data;
  if (row->id == 1)
    found->is_marked_first = strcmp(row->kind, "idle") == 0;
  found->healths += strcmp(row->kind, "health") == 0;
  if (strcmp(row->kind, "idle") != 0)
    return true;
  char *said = g_strdup_printf("idle: %" G_GINT64_FORMAT " samples in ", row->value);
  char *text = aio_said_text(row->text);
  g_assert_true(g_str_has_prefix(text, said));
  const double seconds = g_ascii_strtod(text + strlen(said), NULL); /* at 1 kHz */
  g_assert_true(fabs(seconds - 1e-3 * (double)row->value) < 0.1);
  g_assert_cmpuint(row->level, ==, 0);
  char *samples = g_strdup_printf("{\"samples\": %" G_GINT64_FORMAT ", ", row->value);
  g_assert_true(g_str_has_prefix(row->detail, samples));
  g_assert_true(g_str_has_suffix(row->detail, "}\n"));
  const char *exact = strstr(row->detail, "\"seconds\": ");
  g_assert_nonnull(exact);
  g_assert_cmpfloat_with_epsilon(g_ascii_strtod(exact + 11, NULL), seconds, 0.051);
  g_free(samples);
  found->lost += g_ascii_strtoull(strstr(row->detail, "\"lost\": ") + 8, NULL, 10);
  found->left_out += (guint64)row->value;
  found->t_us[found->marks++] = row->t_us;
  g_free(text);
  g_free(said);
  return true;
}

static Found read_back(RecorderCase *c) {
  GError *error = NULL;
  Found found = {.n = 0};
  recorder_case_stop(c);
  AioStore *store = aio_store_open_read(c->path, &error);
  g_assert_true(aio_store_each_chunk(store, 0, on_chunk, &found, &error));
  g_assert_true(aio_store_each_event(store, on_event, &found, &error));
  g_assert_no_error(error);
  aio_store_close(store, NULL);
  return found;
}

/* Chunks that are not in the file are those that the marks tell of. */
static void check(const Found *found, const guint (*pieces)[2], guint n) {
  guint64 missing = pieces[0][0];
  g_assert_cmpuint(found->n, ==, n);
  for (guint k = 0; k < n; k++) {
    g_assert_cmpuint(found->from[k], ==, pieces[k][0]);
    g_assert_cmpuint(found->to[k], ==, pieces[k][1]);
    missing += k ? pieces[k][0] - pieces[k - 1][1] : 0;
  }
  g_assert_cmpuint(found->left_out, ==, missing * PIECE);
}

/* 50 chunks are a second, and the one that is as old as that is kept. */
static void test_motion(RecorderCase *c, gconstpointer data) {
  static const guint pieces[][2] = {{1000 - 51, 1100 + 50}, {3000 - 51, 3000}};
  AioRecorderStatus status;
  (void)data;
  start(c);
  rest(c, 1000);
  move(c, 100);
  rest(c, 1900);
  g_assert_true(aio_recorder_flush(c->recorder, NULL));
  aio_recorder_status(c->recorder, &status);
  g_assert_cmpuint(status.samples, ==, 201 * PIECE);
  g_assert_cmpuint(status.samples_waiting, ==, 0);
  g_assert_cmpuint(status.samples_lost, ==, 0);
  g_assert_cmpuint(status.samples_idle, ==, (1000 - 51 + 1900 - 50 - 51) * PIECE);
  const Found found = read_back(c);
  check(&found, pieces, G_N_ELEMENTS(pieces));
  g_assert_cmpuint(found.marks, ==, 2);
  g_assert_cmpuint(found.t_us[0], ==, 0);
  g_assert_cmpuint(found.t_us[1], ==, 1000 * PIECE * 1150);
}

static void test_event(RecorderCase *c, gconstpointer data) {
  const AioEventKind kind = (AioEventKind)GPOINTER_TO_INT(data);
  static const guint pieces[][2] = {{449, 550}, {949, 1000}};
  start(c);
  rest(c, 500);
  report(c, kind);
  rest(c, 500);
  const Found found = read_back(c);
  check(&found, pieces, G_N_ELEMENTS(pieces));
  g_assert_true(found.is_marked_first);
}

/* A report a second for three minutes: one a minute stays, and none wakes it. */
static void test_health(RecorderCase *c, gconstpointer data) {
  static const guint pieces[][2] = {{9000 - 51, 9000}};
  (void)data;
  start(c);
  report(c, AIO_EVENT_HEALTH); /* before the first sample */
  for (guint k = 0; k < 180; k++) {
    rest(c, 50);
    report(c, AIO_EVENT_HEALTH);
  }
  const Found found = read_back(c);
  check(&found, pieces, G_N_ELEMENTS(pieces));
  g_assert_cmpuint(found.healths, ==, 4);
}

/* While it moves, every one stays. */
static void test_health_in_motion(RecorderCase *c, gconstpointer data) {
  (void)data;
  start(c);
  for (guint k = 0; k < 20; k++) {
    move(c, 50);
    report(c, AIO_EVENT_HEALTH);
  }
  const Found found = read_back(c);
  g_assert_cmpuint(found.healths, ==, 20);
}

/* An arm that may move at any moment does not rest, nor one of which a joint sweeps. */
static void test_armed(RecorderCase *c, gconstpointer data) {
  static const guint pieces[][2] = {{0, 1000}};
  (void)data;
  start(c);
  push(c, 500, AIO_SAMPLE_ARMED, 0, 0, 0);
  push(c, 500, 0, 0, 1, 0);
  const Found found = read_back(c);
  check(&found, pieces, G_N_ELEMENTS(pieces));
  g_assert_cmpuint(found.marks, ==, 0);
}

/* Nor does one in a run, whatever its samples say. */
static void test_run(RecorderCase *c, gconstpointer data) {
  static const guint pieces[][2] = {{449, 850}, {1249, 1300}};
  const AioStoreRun run = {.kind = "sweep", .joint = 1};
  (void)data;
  start(c);
  rest(c, 500);
  const gint64 id = aio_recorder_begin_run(c->recorder, &run);
  rest(c, 300);
  aio_recorder_end_run(c->recorder, id, 0, "done");
  rest(c, 500);
  const Found found = read_back(c);
  check(&found, pieces, G_N_ELEMENTS(pieces));
}

/* Also one without a sample. */
static void test_empty_run(RecorderCase *c, gconstpointer data) {
  static const guint pieces[][2] = {{449, 550}, {949, 1000}};
  const AioStoreRun run = {.kind = "move"};
  (void)data;
  start(c);
  rest(c, 500);
  aio_recorder_end_run(c->recorder, aio_recorder_begin_run(c->recorder, &run), 0, "refused");
  rest(c, 500);
  const Found found = read_back(c);
  check(&found, pieces, G_N_ELEMENTS(pieces));
}

/* One that has ended before the first sample does not matter. */
static void test_early_run(RecorderCase *c, gconstpointer data) {
  static const guint pieces[][2] = {{149, 200}};
  const AioStoreRun run = {.kind = "move"};
  (void)data;
  start(c);
  aio_recorder_end_run(c->recorder, aio_recorder_begin_run(c->recorder, &run), 0, "refused");
  rest(c, 200);
  const Found found = read_back(c);
  check(&found, pieces, G_N_ELEMENTS(pieces));
}

/* Chunks of one sample each, 1 ms apart but for the last one, whose clock goes back: to the
 * nanosecond a second is kept, and all of it in its order. */
static void push_one(RecorderCase *c, guint16 motion, gint64 back_ns) {
  AioChunk *chunk = session_chunk(JOINTS, c->next, 1);
  chunk->flags[0] = 0;
  chunk->motion[0] = motion;
  chunk->joint[0] = 0;
  chunk->t_host_ns[0] -= back_ns;
  g_assert_true(aio_queue_push(c->queue, chunk));
  aio_chunk_unref(chunk);
  c->next++;
}

static bool on_one(const AioStoreChunk *row, void *data) {
  GArray *found = data;
  g_array_append_val(found, row->chunk->first_index);
  return true;
}

static void test_single(RecorderCase *c, gconstpointer data) {
  GError *error = NULL;
  GArray *found = g_array_new(FALSE, FALSE, sizeof(guint64));
  (void)data;
  start(c);
  for (guint k = 0; k < 4500; k++)
    push_one(c, k == 1500 ? 7 : 0, 0);
  push_one(c, 0, 2500000000); /* as if it were kept still */
  recorder_case_stop(c);
  AioStore *store = aio_store_open_read(c->path, &error);
  g_assert_true(aio_store_each_chunk(store, 0, on_one, found, &error));
  g_assert_no_error(error);
  aio_store_close(store, NULL);
  g_assert_cmpuint(found->len, ==, 2002 + 1002); /* 499 to 2500, 3499 to 4500 */
  for (guint k = 0; k < found->len; k++)
    g_assert_cmpuint(g_array_index(found, guint64, k), ==, (k < 2002 ? 499 : 3499 - 2002) + k);
  g_array_free(found, TRUE);
}

/* ---- by itself ---- */

/* An arm rests when no sample has moved for a second, nor a run goes on; what is not a sample of
 * the chunk does not count. */
static void test_is_resting(void) {
  AioRecorder r = {.run = 0};
  AioChunk *chunk = session_chunk(JOINTS, 0, 2);
  chunk->n = 1;
  chunk->motion[0] = 0;
  aio_recorder_watch_motion(&r, chunk);
  g_assert_cmpint(r.moved_us, ==, 0);
  g_assert_true(aio_recorder_is_resting(&r));
  r.run = 1;
  g_assert_false(aio_recorder_is_resting(&r));
  r.run = 0;
  chunk->motion[0] = 7;
  aio_recorder_watch_motion(&r, chunk);
  g_assert_cmpint(r.moved_us, >, 0);
  r.moved_us += G_USEC_PER_SEC * G_GINT64_CONSTANT(3600);
  g_assert_false(aio_recorder_is_resting(&r));
  aio_chunk_unref(chunk);
}

/* What the line lost of it is told with the mark; a new connection ends it. */
static void test_lost(RecorderCase *c, gconstpointer data) {
  static const guint pieces[][2] = {{49, 150}, {249, 300}};
  (void)data;
  start(c);
  push(c, 100, 0, 0, 0, 3);
  g_assert_cmpint(aio_recorder_connect(c->recorder, "{}"), ==, 2);
  rest(c, 200);
  const Found found = read_back(c);
  check(&found, pieces, G_N_ELEMENTS(pieces));
  g_assert_cmpuint(found.marks, ==, 2);
  g_assert_cmpuint(found.lost, ==, 49 * 3);
}

static guint64 left_out(RecorderCase *c) {
  AioRecorderStatus status;
  g_assert_true(aio_recorder_flush(c->recorder, NULL));
  aio_recorder_status(c->recorder, &status);
  return status.samples_idle;
}

/* However many seconds there are, no more than some memory holds; and all of it again after that.
 */
static void test_room(RecorderCase *c, gconstpointer data) {
  (void)data;
  start_resting(c, 3600);
  for (guint k = 0; k < 20 && left_out(c) == 0; k++)
    rest(c, 2000);
  const guint64 before = left_out(c);
  g_assert_cmpuint(before, >, 0);
  g_assert_cmpuint(before, <=, 2000 * PIECE); /* of those that came last */
  rest(c, 100);                               /* each pushes the oldest out */
  const guint64 more = left_out(c);
  g_assert_cmpuint(more - before, >=, 99 * PIECE);
  g_assert_cmpuint(more - before, <=, 101 * PIECE);
  report(c, AIO_EVENT_FAULT);
  push(c, 1, 0, 0, 0, 0);
  c->next += 4000000; /* an hour later what rests is no more kept awake */
  rest(c, 2000);
  g_assert_cmpuint(left_out(c), ==, more);
}

#define ADD(name, data, function)                                                                  \
  g_test_add("/recorder/idle/" name, RecorderCase, data, recorder_case_set_up, function,           \
             recorder_case_tear_down)

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  ADD("motion", NULL, test_motion);
  ADD("fault", GINT_TO_POINTER(AIO_EVENT_FAULT), test_event);
  ADD("state", GINT_TO_POINTER(AIO_EVENT_STATE), test_event);
  ADD("health", NULL, test_health);
  ADD("health-in-motion", NULL, test_health_in_motion);
  ADD("armed", NULL, test_armed);
  ADD("run", NULL, test_run);
  ADD("empty-run", NULL, test_empty_run);
  ADD("room", NULL, test_room);
  ADD("lost", NULL, test_lost);
  ADD("early-run", NULL, test_early_run);
  ADD("single", NULL, test_single);
  g_test_add_func("/recorder/idle/is-resting", test_is_resting);
  return g_test_run();
}
