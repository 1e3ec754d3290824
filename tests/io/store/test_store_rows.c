/* SPDX-License-Identifier: MIT */
/* Each number of a row comes out in its own place, what drivers report becomes a row, and rows are
 * read as they were at one moment. */
#include "io/base/said.h"
#include "io/store/store_event.h"
#include "io/store/store_internal.h"
#include "session_case.h"

typedef struct {
  char *folder, *path;
  AioStore *store;
} Case;

static void set_up(Case *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  c->folder = session_folder();
  c->path = g_build_filename(c->folder, "bench.armsession", NULL);
  c->store = aio_store_create(c->path, "test 1", &error);
  g_assert_no_error(error);
}

static void tear_down(Case *c, gconstpointer data) {
  (void)data;
  g_assert_true(aio_store_close(c->store, NULL));
  g_free(c->path);
  session_remove(c->folder);
}

/* ---- one moment ---- */

static void write_state(AioStore *store, const char *text) {
  GError *error = NULL;
  g_assert_true(aio_store_begin(store, &error));
  g_assert_true(aio_store_add_text(store, AIO_STORE_ARM, text, &error));
  g_assert_true(aio_store_add_text(store, AIO_STORE_PLAN, text, &error));
  g_assert_true(aio_store_commit(store, &error));
  g_assert_no_error(error);
}

static void check_text(AioStore *store, AioStoreText kind, const char *expected) {
  g_autofree char *text = aio_store_get_text(store, kind, NULL);
  g_assert_cmpstr(text, ==, expected);
}

/* An arm and the plan of another one, committed in between, would be a session that there never
 * was. */
static void test_one_moment(Case *c, gconstpointer data) {
  (void)data;
  write_state(c->store, "two joints");
  AioStore *reader = aio_store_open_read(c->path, NULL);
  g_assert_true(aio_store_stand_still(reader, NULL));
  write_state(c->store, "six joints");
  check_text(reader, AIO_STORE_ARM, "two joints");
  write_state(c->store, "seven joints");
  check_text(reader, AIO_STORE_PLAN, "two joints");
  g_assert_true(aio_store_close(reader, NULL));
  reader = aio_store_open_read(c->path, NULL);
  check_text(reader, AIO_STORE_ARM, "seven joints");
  check_text(reader, AIO_STORE_PLAN, "seven joints");
  g_assert_true(aio_store_close(reader, NULL));
}

/* ---- ids that are not alike ---- */

enum { CONNECTIONS = 3, RUN = 7, RUN_CONNECTION = 2, CHUNK = 40, RAW = 50, EVENT = 60 };

static void add_rows(AioStore *store) {
  GError *error = NULL;
  for (gint64 id = 1; id <= CONNECTIONS; id++)
    g_assert_true(aio_store_add_connection(
        store,
        &(AioStoreConnection){.id = id, .utc_us = 100 + id, .t_host_ns = 200, .controller = "{}"},
        &error));
  const AioStoreRun run = {
      .id = RUN, .connection = RUN_CONNECTION, .kind = "move", .speed = (double)NAN, .hold = 9};
  g_assert_true(aio_store_add_run(store, &run, &error));
  AioChunk *chunk = session_chunk(2, 11, 5);
  GByteArray *bytes = aio_blob_encode(chunk);
  const AioStoreBlob blob = {.id = CHUNK,
                             .connection = CONNECTIONS,
                             .run = RUN,
                             .first_index = 11,
                             .t0_us = chunk->t_us[0],
                             .n = 5,
                             .data = bytes->data,
                             .size = bytes->len};
  g_assert_true(aio_store_add_blob(store, &blob, &error));
  const AioStoreRaw raw = {
      .id = RAW, .connection = 2, .t_host_ns = 3, .bytes = (const guint8 *)"", .n = 0};
  g_assert_true(aio_store_add_raw(store, &raw, &error));
  const AioStoreEvent event = {
      .id = EVENT, .connection = CONNECTIONS, .run = RUN, .kind = "k", .text = ""};
  g_assert_true(aio_store_add_event(store, &event, &error));
  const AioStoreStatistic statistic = {.id = 70, .run = RUN, .name = "s", .value = (double)NAN};
  g_assert_true(aio_store_add_statistic(store, &statistic, &error));
  g_assert_no_error(error);
  g_byte_array_unref(bytes);
  aio_chunk_unref(chunk);
}

static bool on_connection(const AioStoreConnection *row, void *count) {
  g_assert_cmpint(row->id, ==, ++*(guint *)count);
  g_assert_cmpint(row->utc_us, ==, 100 + row->id);
  return true;
}

static bool on_run(const AioStoreRun *row, void *count) {
  g_assert_cmpint(row->id, ==, RUN);
  g_assert_cmpint(row->connection, ==, RUN_CONNECTION);
  g_assert_cmpuint(row->joint, ==, 0);
  g_assert_cmpuint(row->hold, ==, 9);
  g_assert_true(isnan(row->speed));
  g_assert_cmpint(row->started_us, ==, 0);
  g_assert_cmpint(row->ended_us, ==, 0);
  g_assert_null(row->outcome);
  return ++*(guint *)count;
}

static bool on_chunk(const AioStoreChunk *row, void *count) {
  g_assert_cmpint(row->id, ==, CHUNK);
  g_assert_cmpint(row->connection, ==, CONNECTIONS);
  g_assert_cmpint(row->run, ==, RUN);
  g_assert_cmpuint(row->chunk->first_index, ==, 11);
  return ++*(guint *)count;
}

static bool on_raw(const AioStoreRaw *row, void *count) {
  g_assert_cmpint(row->id, ==, RAW);
  g_assert_cmpint(row->connection, ==, 2);
  g_assert_cmpint(row->t_host_ns, ==, 3);
  g_assert_false(row->is_sent);
  g_assert_nonnull(row->bytes);
  g_assert_cmpuint(row->n, ==, 0);
  return ++*(guint *)count;
}

static bool on_event(const AioStoreEvent *row, void *count) {
  g_assert_cmpint(row->id, ==, EVENT);
  g_assert_cmpint(row->connection, ==, CONNECTIONS);
  g_assert_cmpint(row->run, ==, RUN);
  g_assert_null(row->detail);
  return ++*(guint *)count;
}

static bool on_statistic(const AioStoreStatistic *row, void *count) {
  g_assert_cmpint(row->id, ==, 70);
  g_assert_cmpint(row->run, ==, RUN);
  g_assert_cmpint(row->utc_us, ==, 0);
  g_assert_true(isnan(row->value));
  return ++*(guint *)count;
}

static void test_ids(Case *c, gconstpointer data) {
  GError *error = NULL;
  guint n[6] = {0};
  gint64 connection = 5, run = 5;
  gsize samples = 0;
  (void)data;
  g_assert_true(aio_store_last_ids(c->store, &connection, &run, &error));
  g_assert_cmpint(connection, ==, 0);
  g_assert_cmpint(run, ==, 0);
  add_rows(c->store);
  g_assert_true(aio_store_each_connection(c->store, on_connection, &n[0], &error));
  g_assert_true(aio_store_each_run(c->store, on_run, &n[1], &error));
  g_assert_true(aio_store_each_chunk(c->store, 0, on_chunk, &n[2], &error));
  g_assert_true(aio_store_each_raw(c->store, on_raw, &n[3], &error));
  g_assert_true(aio_store_each_event(c->store, on_event, &n[4], &error));
  g_assert_true(aio_store_each_statistic(c->store, on_statistic, &n[5], &error));
  g_assert_no_error(error);
  for (guint k = 0; k < G_N_ELEMENTS(n); k++)
    g_assert_cmpuint(n[k], ==, k == 0 ? CONNECTIONS : 1);
  g_assert_true(aio_store_each_chunk(c->store, 1, on_chunk, &n[2], &error));
  g_assert_cmpuint(n[2], ==, 1); /* of run 1 there is none */
  g_assert_true(aio_store_count_samples(c->store, RUN, &samples, &error));
  g_assert_cmpuint(samples, ==, 5);
  g_assert_true(aio_store_count_samples(c->store, 1, &samples, &error));
  g_assert_cmpuint(samples, ==, 0);
  g_assert_true(aio_store_last_ids(c->store, &connection, &run, &error));
  g_assert_cmpint(connection, ==, CONNECTIONS);
  g_assert_cmpint(run, ==, RUN);
}

/* ---- what drivers report ---- */

static const char *const KINDS[] = {[AIO_EVENT_STATE] = "state",
                                    [AIO_EVENT_BOOT] = "boot",
                                    [AIO_EVENT_MOTION_END] = "motion-end",
                                    [AIO_EVENT_LEG] = "leg",
                                    [AIO_EVENT_FAULT] = "fault",
                                    [AIO_EVENT_CLEARED] = "cleared",
                                    [AIO_EVENT_LOG] = "log",
                                    [AIO_EVENT_HEALTH] = "health",
                                    [AIO_EVENT_LINK] = "link",
                                    [AIO_EVENT_FOREIGN] = "foreign",
                                    [AIO_EVENT_CLOCK] = "clock",
                                    [AIO_EVENT_CLOCK + 1] = "other"};

static AioEvent report(AioEventKind kind) {
  AioEvent event = {.kind = kind,
                    .t_host_ns = 30 + (gint64)kind,
                    .t_us = 20,
                    .motion_id = 513,
                    .joint = 4,
                    .end = AIO_END_CURRENT,
                    .value = 77,
                    .level = 1,
                    .state = {.state = AIO_DEVICE_LOCKED,
                              .motion = AIO_MOTION_STOPPING,
                              .drives_on = true,
                              .faults = 6,
                              .active = 4},
                    .supply_V = 24.5,
                    .board_C = (double)NAN,
                    .text = "said"};
  for (guint k = 0; k < ARM_MAX_JOINTS; k++)
    event.motor_C[k] = k == 0 || k == 2 ? 30.0 + k : (double)NAN;
  return event;
}

static bool on_report(const AioStoreEvent *row, void *data) {
  guint *k = data;
  const char *detail = NULL;
  if (*k == AIO_EVENT_STATE)
    detail = "{\"state\": 3, \"motion\": 4, \"drives_on\": true, \"estop_closed\": false, "
             "\"faults\": 6, \"active\": 4}\n";
  else if (*k == AIO_EVENT_MOTION_END)
    detail = "{\"end\": 5}\n";
  else if (*k == AIO_EVENT_HEALTH)
    detail = "{\"supply_V\": 24.5, \"board_C\": null, \"motor_C\": [30, null, 32]}\n";
  g_assert_cmpstr(row->kind, ==, KINDS[*k]);
  g_assert_cmpstr(row->detail, ==, detail);
  g_assert_cmpint(row->t_host_ns, ==, 30 + *k);
  g_assert_cmpuint(row->t_us, ==, 20);
  g_assert_cmpint(row->connection, ==, 2);
  g_assert_cmpint(row->run, ==, RUN);
  g_assert_cmpuint(row->motion, ==, 513);
  g_assert_cmpuint(row->joint, ==, 4);
  g_assert_cmpint(row->value, ==, 77);
  g_assert_cmpuint(row->level, ==, 1);
  g_assert_cmpstr(row->text, ==, "said");
  ++*k;
  return true;
}

static void test_reports(Case *c, gconstpointer data) {
  GError *error = NULL;
  guint n = 0;
  (void)data;
  const AioStoreRun run = {.id = RUN, .connection = 2, .kind = "move"};
  for (gint64 id = 1; id <= 2; id++)
    g_assert_true(aio_store_add_connection(
        c->store, &(AioStoreConnection){.id = id, .controller = "{}"}, &error));
  g_assert_true(aio_store_add_run(c->store, &run, &error));
  for (gsize k = 0; k < G_N_ELEMENTS(KINDS); k++) {
    const AioEvent event = report((AioEventKind)k);
    g_assert_true(aio_store_add_driver_event(c->store, 2, RUN, &event, &error));
    g_assert_no_error(error);
  }
  g_assert_true(aio_store_each_event(c->store, on_report, &n, &error));
  g_assert_no_error(error);
  g_assert_cmpuint(n, ==, G_N_ELEMENTS(KINDS));
}

/* Of joints whose motors tell nothing there is no number at the end. */
static bool on_health(const AioStoreEvent *row, void *data) {
  g_assert_cmpstr(row->detail, ==,
                  ++*(guint *)data == 1
                      ? "{\"supply_V\": 24.5, \"board_C\": null, \"motor_C\": [30]}\n"
                      : "{\"supply_V\": 24.5, \"board_C\": null, \"motor_C\": []}\n");
  return true;
}

static void test_one_motor(Case *c, gconstpointer data) {
  GError *error = NULL;
  guint n = 0;
  (void)data;
  AioEvent event = report(AIO_EVENT_HEALTH);
  event.motor_C[2] = (double)NAN;
  g_assert_true(
      aio_store_add_connection(c->store, &(AioStoreConnection){.id = 1, .controller = "{}"}, NULL));
  g_assert_true(aio_store_add_driver_event(c->store, 1, 0, &event, &error));
  event.motor_C[0] = (double)NAN;
  g_assert_true(aio_store_add_driver_event(c->store, 1, 0, &event, &error));
  g_assert_true(aio_store_each_event(c->store, on_health, &n, &error));
  g_assert_no_error(error);
  g_assert_cmpuint(n, ==, 2);
}

/* Whatever a driver says, the row is kept. */
static bool on_odd(const AioStoreEvent *row, void *data) {
  guint *k = data;
  g_assert_cmpuint(row->level, ==, *k ? 2 : 0);
  g_assert_cmpuint(row->joint, ==, *k ? ARM_MAX_JOINTS : ARM_MAX_JOINTS - 1);
  g_assert_true(g_utf8_validate(row->text, -1, NULL));
  ++*k;
  return true;
}

static void test_odd_reports(Case *c, gconstpointer data) {
  GError *error = NULL;
  guint n = 0;
  (void)data;
  g_assert_true(
      aio_store_add_connection(c->store, &(AioStoreConnection){.id = 1, .controller = "{}"}, NULL));
  for (int k = 0; k < 2; k++) {
    AioEvent event = report(AIO_EVENT_LOG);
    event.level = k ? 3 : -1;
    event.joint = k ? ARM_MAX_JOINTS + 1 : ARM_MAX_JOINTS - 1;
    memcpy(event.text, "\xff!", 3);
    g_assert_true(aio_store_add_driver_event(c->store, 1, 0, &event, &error));
    g_assert_no_error(error);
  }
  g_assert_true(aio_store_each_event(c->store, on_odd, &n, &error));
  g_assert_cmpuint(n, ==, 2);
}

/* What a controller logged is its own, whatever it looks like; a plain text comes back as it is,
 * and so does a sentence. */
static const char *const TEXTS[] = {"[\"held\"]", "[\"held\"]", "\002[\"held\"]", "held"};

static bool on_said(const AioStoreEvent *row, void *data) {
  guint *k = data;
  char *text = aio_said_text(row->text);
  g_assert_cmpstr(text, ==, *k < 2 ? "[\"held\"]" : "held");
  g_free(text);
  ++*k;
  return true;
}

static bool on_outcome(const AioStoreRun *row, void *data) {
  g_assert_cmpstr(row->outcome, ==, "\002[\"%s\", \"[\\\"held\\\"]\"]");
  ++*(guint *)data;
  return true;
}

static void test_said(Case *c, gconstpointer data) {
  GError *error = NULL;
  guint n = 0;
  (void)data;
  const AioStoreRun run = {.id = RUN, .connection = 1, .kind = "move", .outcome = TEXTS[0]};
  g_assert_true(
      aio_store_add_connection(c->store, &(AioStoreConnection){.id = 1, .controller = "{}"}, NULL));
  g_assert_true(aio_store_add_run(c->store, &run, &error));
  g_assert_true(aio_store_end_run(c->store, &run, &error));
  for (guint k = 0; k < G_N_ELEMENTS(TEXTS); k++) {
    AioEvent event = {.kind = AIO_EVENT_LOG, .t_us = k == 0 ? 20 : 0};
    g_strlcpy(event.text, TEXTS[k], sizeof event.text);
    g_assert_true(aio_store_add_driver_event(c->store, 1, 0, &event, &error));
  }
  g_assert_true(aio_store_each_event(c->store, on_said, &n, &error));
  g_assert_cmpuint(n, ==, G_N_ELEMENTS(TEXTS));
  n = 2;
  g_assert_true(aio_store_each_event_after(c->store, 2, on_said, &n, &error));
  g_assert_cmpuint(n, ==, G_N_ELEMENTS(TEXTS));
  /* of before the mark: the controller's, and what a program said */
  g_assert_true(aio_sql_exec(c->store->sql,
                             "UPDATE events SET text = '[\"held\"]' WHERE id IN (1, 3)", &error));
  n = 0;
  g_assert_true(aio_store_each_event(c->store, on_said, &n, &error));
  g_assert_cmpuint(n, ==, G_N_ELEMENTS(TEXTS));
  n = 0;
  g_assert_true(aio_store_each_run(c->store, on_outcome, &n, &error));
  g_assert_cmpuint(n, ==, 1);
}

/* The figure that is asked for: 21 bytes a sample and 26 a joint, 32 + 32 a chunk of 20 ms, a fifth
 * more, and 64 MiB. */
static void test_space(Case *c, gconstpointer data) {
  GError *error = NULL;
  (void)data;
  g_assert_false(aio_store_check_space(c->path, 6, 1000, 1e9, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_FULL);
  char *said =
      g_strconcat(c->path, ": expected 216240067 MB free to record 1000000000 s, found ", NULL);
  g_assert_true(g_str_has_prefix(error->message, said));
  g_free(said);
  g_clear_error(&error);
  g_assert_false(aio_store_check_space("/nowhere/at all/x", 6, 1000, 1, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_IO);
  g_clear_error(&error);
}

#define ADD(name, function) g_test_add("/store-rows/" name, Case, NULL, set_up, function, tear_down)

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  ADD("one-moment", test_one_moment);
  ADD("ids", test_ids);
  ADD("reports", test_reports);
  ADD("one-motor", test_one_motor);
  ADD("odd-reports", test_odd_reports);
  ADD("said", test_said);
  ADD("space", test_space);
  return g_test_run();
}
