/* SPDX-License-Identifier: MIT */
/* Files that only a program can make, for the tests of armature-cli:
 *
 *   make_files session ARM.arm.json OUT [PARAMS.json]   a session: two connections, three runs
 *   make_files fit SESSION PARAMS.json                  one fit more, the last one
 *   make_files step SESSION STEP STATE   a step that has passed is in this state, "as if" it were
 *   make_files anonymous SESSION         does not say which program wrote it
 *   make_files killed SESSION            one run more, in its log only, as after kill -9
 *   make_files packed SESSION            its chunks are packed, as when a recorder ends
 *   make_files text SESSION plan|steps TEXT             the plan or the steps from now on
 *   make_files outcome SESSION RUN TEXT                  how a run ended
 *   make_files trajectory SESSION TEXT                   one run more, of a motion, that ended so
 *   make_files hostile SESSION    puts into a session a stranger's texts and times
 *   make_files multiplied SESSION       and sentences that are as long as texts of them may be
 *   make_files peak PROGRAM ARGUMENT...  how much memory it takes at most [MB]; nothing: not known
 *   make_files capture ARM.arm.json OUT REC.csv         a capture, and the recording of its samples
 *   make_files dynamics ARM.arm.json OUT WHAT           parameters of that kind (make_dynamics.h)
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/acquire/acquire.h"
#include "io/arm/arm_file.h"
#include "io/base/file.h"
#include "io/driver/native/driver_native.h"
#include "io/recording/recording_chunks.h"
#include "io/store/store.h"
#include "io/store/store_blob.h"
#include "io/store/store_packer.h"
#include "make_dynamics.h"
#include "sim/loop.h"

#define DIGEST "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

enum { CHUNKS = 6, PER_CHUNK = 20, RUNS = 3, LISTEN_US = 400000 };

static void die_of(GError *error) {
  fprintf(stderr, "make_files: %s\n", error ? error->message : "failed");
  exit(1);
}

static void must(bool is_done, GError *error) {
  if (!is_done)
    die_of(error);
}

static char *read_text(const char *path) {
  GError *error = NULL;
  gsize length;
  char *text = aio_file_read_all(path, 1 << 24, &length, &error);
  must(text, error);
  return text;
}

/* ---- a session ---- */

static AioChunk *make_chunk(guint joints, guint first) {
  AioChunk *chunk = aio_chunk_new(joints, first);
  for (guint k = first; k < first + PER_CHUNK; k++) {
    AioSample sample = {
        .t_us = 1000000 + 1000 * (guint64)k, .flags = AIO_SAMPLE_ARMED, .motion = 7, .joint = 1};
    for (guint j = 0; j < joints; j++) {
      sample.q[j] = 1e-6 * (37 * k + 1001 * j);
      sample.current[j] = 1e-3 * ((7 * k + j) % 3000);
    }
    (void)aio_chunk_push(chunk, &sample, (gint64)(1000000 * (gint64)k));
  }
  return chunk;
}

static void add_run(AioStore *store, gint64 id, guint joints) {
  GError *error = NULL;
  const AioStoreRun run = {.id = id,
                           .connection = id < RUNS ? 1 : 2,
                           .kind = "sweep",
                           .joint = 1,
                           .hold = (guint)id,
                           .speed = 0.5,
                           .started_us = 1000000000000000 + id * 10000000,
                           .ended_us = 1000000000000000 + id * 10000000 + 2500000,
                           .motion = 7,
                           .outcome = id < RUNS ? "done" : "stopped, \"by hand\""};
  must(aio_store_add_run(store, &run, &error), error);
  must(aio_store_end_run(store, &run, &error), error);
  for (guint k = 0; k < CHUNKS; k++) {
    AioChunk *chunk = make_chunk(joints, ((guint)id * CHUNKS + k) * PER_CHUNK);
    GByteArray *bytes = aio_blob_encode(chunk);
    const AioStoreBlob row = {.connection = run.connection,
                              .run = id,
                              .first_index = chunk->first_index,
                              .t0_us = chunk->t_us[0],
                              .n = chunk->n,
                              .data = bytes->data,
                              .size = bytes->len};
    must(aio_store_add_blob(store, &row, &error), error);
    g_byte_array_unref(bytes);
    aio_chunk_unref(chunk);
  }
}

static void add_fit(AioStore *store, const char *params) {
  GError *error = NULL;
  const AioStoreFit fit = {.utc_us = 1000000100000000,
                           .program = "make_files 1",
                           .dataset_sha256 = DIGEST,
                           .options = "{}",
                           .parameters = params};
  must(aio_store_add_fit(store, &fit, &error), error);
}

static void make_session(const char *arm_path, const char *path, const char *params_path) {
  GError *error = NULL;
  char *text = read_text(arm_path), *params = params_path ? read_text(params_path) : NULL;
  AioArm *arm = aio_arm_load(arm_path, &error);
  must(arm, error);
  AioStore *store = aio_store_create(path, "make_files 1", &error);
  must(store, error);
  must(aio_store_begin(store, &error), error);
  must(aio_store_add_text(store, AIO_STORE_ARM, text, &error), error);
  for (gint64 id = 1; id <= 2; id++) {
    const AioStoreConnection row = {id, 1000000000000000 + id, 5000000000,
                                    "{\"serial\": \"secret-4711\", \"firmware\": \"7\"}"};
    must(aio_store_add_connection(store, &row, &error), error);
  }
  for (gint64 id = 1; id <= RUNS; id++)
    add_run(store, id, (guint)arm->model.n);
  const AioStoreEvent event = {.connection = 1,
                               .run = 2,
                               .t_host_ns = 6000000000,
                               .t_us = 42,
                               .kind = "fault",
                               .joint = 2,
                               .level = 2,
                               .value = 8,
                               .text = "FOLLOWING, joint 2",
                               .detail = "{\"faults\": 8}"};
  must(aio_store_add_event(store, &event, &error), error);
  add_fit(store, params ? params : "{}");
  must(aio_store_commit(store, &error), error);
  must(aio_store_close(store, &error), error);
  aio_arm_free(arm);
  g_free(text);
  g_free(params);
}

static void pack(const char *path) {
  GError *error = NULL;
  AioStore *store = aio_store_open_write(path, "make_files 1", &error);
  must(store, error);
  AioPacker *packer = aio_packer_new(store);
  must(aio_packer_prepare(packer, 0, true), NULL);
  while (aio_packer_prepare(packer, 0, true))
    ;
  must(aio_store_begin(store, &error), error);
  must(aio_packer_write(packer, &error), error);
  must(aio_store_commit(store, &error), error);
  aio_packer_free(packer);
  must(aio_store_close(store, &error), error);
}

static void refit(const char *path, const char *params_path) {
  GError *error = NULL;
  char *params = read_text(params_path);
  AioStore *store = aio_store_open_write(path, "make_files 1", &error);
  must(store, error);
  must(aio_store_begin(store, &error), error);
  add_fit(store, params);
  must(aio_store_commit(store, &error), error);
  must(aio_store_close(store, &error), error);
  g_free(params);
}

/* `"fit": [` to the `]` of its own line: what was said has some too */
static void set_state(const char *path, const char *step, const char *state) {
  GError *error = NULL;
  AioStore *store = aio_store_open_write(path, "make_files 1", &error);
  must(store, error);
  char *steps = aio_store_get_text(store, AIO_STORE_STEPS, &error);
  must(steps, error);
  char *key = g_strdup_printf("\"%s\": [", step);
  char *from = strstr(steps, key), *to = from ? strstr(from, "\n  ]") : NULL;
  must(to, NULL);
  GString *list = g_string_new_len(from, to - from), *text = g_string_new_len(steps, from - steps);
  char *info = g_strdup_printf("\"state\": \"%s\", \"reason\": \"as if\"", state);
  GRegex *any =
      g_regex_new("\"state\": \"passed\"(,\\s+\"reason\": \"([^\"\\\\]|\\\\.)*\")?", 0, 0, NULL);
  char *changed = g_regex_replace_literal(any, list->str, -1, 0, info, 0, NULL);
  must(strcmp(changed, list->str) != 0, NULL);
  g_string_append(text, changed);
  g_string_append(text, to);
  must(aio_store_begin(store, &error), error);
  must(aio_store_add_text(store, AIO_STORE_STEPS, text->str, &error), error);
  must(aio_store_commit(store, &error), error);
  must(aio_store_close(store, &error), error);
  g_regex_unref(any);
  g_string_free(list, TRUE);
  g_string_free(text, TRUE);
  g_free(changed);
  g_free(info);
  g_free(key);
  g_free(steps);
}

/* Somebody has taken out which program wrote it, with a tool of theirs. */
static void forget_program(const char *path) {
  sqlite3 *file = NULL;
  must(sqlite3_open(path, &file) == SQLITE_OK, NULL);
  must(sqlite3_exec(file, "DELETE FROM meta WHERE key = 'program'", NULL, NULL, NULL) == SQLITE_OK,
       NULL);
  must(sqlite3_close(file) == SQLITE_OK, NULL);
}

/* Its last rows stand in its log, and its lock is left, as after kill -9. */
static void kill_in_mid(const char *path) {
  GError *error = NULL;
  AioStore *store = aio_store_open_write(path, "make_files 1", &error);
  must(store, error);
  const AioStoreRun run = {.connection = 1, .kind = "sweep", .joint = 1, .started_us = 1};
  must(aio_store_begin(store, &error), error);
  must(aio_store_add_run(store, &run, &error), error);
  must(aio_store_commit(store, &error), error);
  _exit(0);
}

static void put_text(const char *path, const char *kind, const char *text) {
  GError *error = NULL;
  AioStore *store = aio_store_open_write(path, "make_files 1", &error);
  must(store, error);
  must(aio_store_begin(store, &error), error);
  must(aio_store_add_text(store, strcmp(kind, "plan") == 0 ? AIO_STORE_PLAN : AIO_STORE_STEPS, text,
                          &error),
       error);
  must(aio_store_commit(store, &error), error);
  must(aio_store_close(store, &error), error);
}

static void put_outcome(const char *path, const char *run, const char *outcome) {
  GError *error = NULL;
  AioStore *store = aio_store_open_write(path, "make_files 1", &error);
  must(store, error);
  const AioStoreRun row = {.id = g_ascii_strtoll(run, NULL, 10), .ended_us = 1, .outcome = outcome};
  must(aio_store_begin(store, &error), error);
  must(aio_store_end_run(store, &row, &error), error);
  must(aio_store_commit(store, &error), error);
  must(aio_store_close(store, &error), error);
}

static void add_trajectory(const char *path, const char *outcome) {
  GError *error = NULL;
  AioStore *store = aio_store_open_write(path, "make_files 1", &error);
  must(store, error);
  AioStoreRun row = {.kind = "trajectory", .started_us = 1, .ended_us = 2, .outcome = outcome};
  must(aio_store_last_ids(store, &row.connection, &row.id, &error), error);
  row.id++;
  must(aio_store_begin(store, &error), error);
  must(aio_store_add_run(store, &row, &error), error);
  must(aio_store_end_run(store, &row, &error), error);
  must(aio_store_commit(store, &error), error);
  must(aio_store_close(store, &error), error);
}

/* What gives orders to a terminal or a spreadsheet, and times whose differences are no numbers. */
static void add_hostile(const char *path) {
  static const char *const texts[] = {
      "=HYPERLINK(\"http://x\")", "+1", "-1", "@SUM(1)", "\t=1", "\r=1", "a;=1", "\033]0;owned\007",
      "name\342\200\256gpj.exe"};
  GError *error = NULL;
  AioStore *store = aio_store_open_write(path, "make_files 1", &error);
  must(store, error);
  must(aio_store_begin(store, &error), error);
  const AioStoreConnection connection = {3, G_MAXINT64, G_MININT64,
                                         "{\"serial\":\r\"a\342\200\256b\"}"};
  must(aio_store_add_connection(store, &connection, &error), error);
  for (guint k = 0; k < G_N_ELEMENTS(texts); k++) {
    const AioStoreRun run = {.id = RUNS + 1 + k,
                             .connection = 3,
                             .kind = texts[k],
                             .joint = 1,
                             .speed = -0.5,
                             .started_us = k % 2 ? G_MININT64 : G_MAXINT64,
                             .ended_us = k % 2 ? G_MAXINT64 : G_MININT64,
                             .outcome = texts[k]};
    const AioStoreEvent event = {.connection = 3,
                                 .t_host_ns = k % 2 ? G_MAXINT64 : G_MININT64,
                                 .kind = texts[k],
                                 .level = 2,
                                 .text = texts[k]};
    must(aio_store_add_run(store, &run, &error), error);
    must(aio_store_end_run(store, &run, &error), error);
    must(aio_store_add_event(store, &event, &error), error);
  }
  must(aio_store_commit(store, &error), error);
  must(aio_store_close(store, &error), error);
}

/* Names its value twice, which does so in turn: as much text as is made of any sentence of its
 * length, each another one. g_free. */
static char *multiplied(guint k) {
  return g_strdup_printf("\002[\"%%1$s%%1$s\", [\"%%1$s%%1$s\", [\"%%1$s%%1$s\", [\"%%1$s%%1$s\", "
                         "[\"%%1$s%%1$s\", [\"%%1$s%%1$s\", [\"%%1$s%%1$s\", \"%016u\"]]]]]]]",
                         k);
}

static void add_multiplied_rows(AioStore *store) {
  enum { EVENTS = 60000, MULTIPLIED_RUNS = 20000 };
  GError *error = NULL;
  for (guint k = 0; k < EVENTS; k++) {
    char *said = multiplied(k);
    const AioStoreEvent event = {
        .connection = 1, .t_host_ns = 6000000000, .kind = "log", .level = 2, .text = said};
    const AioStoreRun run = {.connection = 1, .kind = "sweep", .joint = 1, .outcome = said};
    must(aio_store_add_event(store, &event, &error), error);
    must(k >= MULTIPLIED_RUNS || aio_store_add_run(store, &run, &error), error);
    g_free(said);
  }
}

/* If nobody minded, 200 MB of text; and one sentence that is as large as a value may be. */
static void add_multiplied(const char *path) {
  enum { REASONS = 8800, LARGEST = 15 << 20 };
  GError *error = NULL;
  AioStore *store = aio_store_open_write(path, "make_files 1", &error);
  must(store, error);
  must(aio_store_begin(store, &error), error);
  GString *steps = g_string_new("{\"joints\": 2, \"sweep\": [");
  for (guint k = 0; k < REASONS; k++) {
    char *said = multiplied(k), *reason = g_strescape(said + 1, NULL);
    g_string_append_printf(steps, "%s{\"state\": \"failed\", \"reason\": \"%s\"}", k ? ", " : "",
                           reason);
    g_free(reason);
    g_free(said);
  }
  g_string_append(steps, "]}");
  must(aio_store_add_text(store, AIO_STORE_STEPS, steps->str, &error), error);
  char *letters = g_strnfill(LARGEST, 'a');
  char *largest = g_strdup_printf("\002[\"%%s\", \"%s\"]", letters);
  const AioStoreEvent event = {.connection = 1, .kind = "log", .level = 2, .text = largest};
  add_multiplied_rows(store);
  must(aio_store_add_event(store, &event, &error), error);
  must(aio_store_commit(store, &error), error);
  must(aio_store_close(store, &error), error);
  g_string_free(steps, TRUE);
  g_free(largest);
  g_free(letters);
}

/* What it prints is not wanted. */
static void tell_peak(char **program) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  struct rusage usage;
  int status = 1;
  const pid_t child = fork();
  if (child == 0) {
    must(freopen("/dev/null", "w", stdout) != NULL, NULL);
    execvp(program[0], program);
    _exit(127);
  }
  must(wait4(child, &status, 0, &usage) == child && status == 0, NULL);
  printf("%ld\n", usage.ru_maxrss / 1024);
#else
  (void)program;
#endif
}

/* ---- a capture ---- */

static void ask(AioAcquirer *acquirer, const AioCommand *command) {
  AioReply *reply;
  const guint64 ticket = aio_acquirer_send(acquirer, command, NULL, NULL);
  if (!aio_acquirer_wait(acquirer, ticket, 5000, &reply) || reply->code)
    die_of(NULL);
  aio_reply_free(reply);
}

static AsimLoop *simulate(const char *arm_path, int *fd) {
  GError *error = NULL;
  static AsimTruth truth;
  must(asim_truth_load(&truth, arm_path, 1, &error), error);
  const AsimOptions options = {
      .truth = &truth, .seed = 1, .time_factor = 4.0, .line_room = ASIM_LINE_ROOM};
  AsimController *controller = asim_controller_new(&options, &error);
  must(controller, error);
  AsimLoop *loop = asim_loop_start(controller, fd, &error);
  must(loop, error);
  return loop;
}

static void unref_chunk(gpointer chunk) {
  aio_chunk_unref(chunk);
}

/* Two connections in one capture would be two files; one with two sessions is what a restarted
 * program leaves. */
static void record(AioLink *link, AioCapture *capture, GPtrArray *chunks) {
  GError *error = NULL;
  const AioAcquirerOptions options = {.driver = &aio_driver_native, .capture = capture};
  AioQueue *queue = aio_queue_new("test", 4096, AIO_QUEUE_KEEP_OLDEST, &error);
  must(queue, error);
  AioAcquirer *acquirer = aio_acquirer_new(&options, link, &error);
  must(acquirer, error);
  aio_acquirer_subscribe(acquirer, queue);
  for (int session = 0; session < 2; session++) {
    ask(acquirer, &(AioCommand){.kind = AIO_COMMAND_DESCRIBE});
    ask(acquirer, &(AioCommand){.kind = AIO_COMMAND_STATE});
    ask(acquirer, &(AioCommand){.kind = AIO_COMMAND_TELEMETRY, .telemetry = {.hz = 250.0}});
    g_usleep(LISTEN_US);
    ask(acquirer, &(AioCommand){.kind = AIO_COMMAND_TELEMETRY});
  }
  aio_acquirer_free(acquirer);
  for (AioChunk *chunk; (chunk = aio_queue_pop(queue));)
    g_ptr_array_add(chunks, chunk);
  aio_queue_unref(queue);
}

static void make_capture(const char *arm_path, const char *path, const char *csv) {
  GError *error = NULL;
  int fd;
  AioArm *arm = aio_arm_load(arm_path, &error);
  must(arm, error);
  AsimLoop *loop = simulate(arm_path, &fd);
  AioLink *link = aio_link_fd_new(fd, "simulator", &error);
  must(link, error);
  AioCapture *capture = aio_capture_new(path, &error);
  must(capture, error);
  GPtrArray *chunks = g_ptr_array_new_with_free_func(unref_chunk);
  record(link, capture, chunks);
  asim_loop_stop(loop);
  AioRecording *recording = aio_recording_from_chunks(
      csv, &arm->model, (AioChunk *const *)chunks->pdata, chunks->len, &error);
  must(recording, error);
  must(aio_recording_write(recording, csv, false, &error), error);
  aio_recording_free(recording);
  g_ptr_array_unref(chunks);
  aio_arm_free(arm);
}

static void make_parameters(const char *arm_path, const char *path, const char *what) {
  GError *error = NULL;
  gsize length = 0;
  g_autoptr(AioArm) arm = aio_arm_load(arm_path, &error);
  must(arm != NULL, error);
  g_autofree char *text = make_dynamics(arm, what, &length);
  must(text != NULL, NULL);
  must(aio_file_write_atomic(path, text, length, true, &error), error);
}

int main(int argc, char **argv) {
  if (argc >= 4 && strcmp(argv[1], "session") == 0)
    make_session(argv[2], argv[3], argc > 4 ? argv[4] : NULL);
  else if (argc == 4 && strcmp(argv[1], "fit") == 0)
    refit(argv[2], argv[3]);
  else if (argc == 5 && strcmp(argv[1], "step") == 0)
    set_state(argv[2], argv[3], argv[4]);
  else if (argc == 3 && strcmp(argv[1], "packed") == 0)
    pack(argv[2]);
  else if (argc == 3 && strcmp(argv[1], "anonymous") == 0)
    forget_program(argv[2]);
  else if (argc == 3 && strcmp(argv[1], "killed") == 0)
    kill_in_mid(argv[2]);
  else if (argc == 5 && strcmp(argv[1], "text") == 0)
    put_text(argv[2], argv[3], argv[4]);
  else if (argc == 5 && strcmp(argv[1], "outcome") == 0)
    put_outcome(argv[2], argv[3], argv[4]);
  else if (argc == 4 && strcmp(argv[1], "trajectory") == 0)
    add_trajectory(argv[2], argv[3]);
  else if (argc == 3 && strcmp(argv[1], "hostile") == 0)
    add_hostile(argv[2]);
  else if (argc == 3 && strcmp(argv[1], "multiplied") == 0)
    add_multiplied(argv[2]);
  else if (argc >= 3 && strcmp(argv[1], "peak") == 0)
    tell_peak(argv + 2);
  else if (argc == 5 && strcmp(argv[1], "capture") == 0)
    make_capture(argv[2], argv[3], argv[4]);
  else if (argc == 5 && strcmp(argv[1], "dynamics") == 0)
    make_parameters(argv[2], argv[3], argv[4]);
  else
    return 2;
  return 0;
}
