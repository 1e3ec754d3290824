/* SPDX-License-Identifier: MIT */
/* Sessions of each earlier schema open, go on and give the same results; so do those of before
 * sentences were kept, whose reasons, outcomes and events are texts in the language of whoever was
 * there. An older session is one of now from which SQLite takes what the older program did not
 * write. */
#include <sqlite3.h>
#include <string.h>

#include "bench.h"
#include "folder.h"
#include "io/base/said.h"
#include "io/store/store.h"
#include "io/store/store_blob.h"
#include "io/store/store_pack.h"
#include "session/method/gravity.h"

#define FACTOR 50.0

typedef struct {
  const char *name;
  int version;                 /* of the schema */
  bool has_texts, is_unmarked; /* its sentences are of before the mark (io/base/said) */
  const char *held; /* that somebody else's language put in the place of a reason; NULL: English */
} Older;

static const Older OLDER[] = {{"v1", 1, true, false, NULL},
                              {"v2", 2, true, false, NULL},
                              {"v2-german", 2, true, false, "das Programm wurde beendet"},
                              {"v2-unmarked", 2, false, true, NULL},
                              {"v2-sentences", 2, false, false, NULL},
                              {"v3", 3, false, false, NULL}};

/* ---- what an older program would have left ---- */

static void text_of(sqlite3_context *context, int n, sqlite3_value **values) {
  (void)n;
  if (sqlite3_value_type(values[0]) == SQLITE_NULL)
    return;
  sqlite3_result_text(context, aio_said_text((const char *)sqlite3_value_text(values[0])), -1,
                      g_free);
}

/* Where the step says something, it says `held`, or its text. */
static void make_text(AseStepInfo *info, const char *held) {
  if (info->reason)
    info->reason = g_intern_string(held ? held : ase_step_reason(info));
}

/* The last row of `steps`, as texts. g_free. */
static char *older_steps(const char *json, const char *held) {
  AseProcedure *procedure = g_new0(AseProcedure, 1);
  GError *error = NULL;
  g_assert_true(ase_procedure_from_json(procedure, ase_session_steps(), json, &error));
  for (AseStep step = 0; step < ASE_STEPS; step++) {
    make_text(&procedure->steps[step], held);
    for (guint j = 0; j < procedure->joints; j++)
      make_text(&procedure->joint[step][j], held);
  }
  char *out = ase_procedure_to_json(procedure);
  g_free(procedure);
  return out;
}

static void run_sql(sqlite3 *db, const char *sql) {
  char *wrong = NULL;
  if (sqlite3_exec(db, sql, NULL, NULL, &wrong) != SQLITE_OK)
    g_error("%s: %s", sql, wrong);
}

/* Of JSON, too. */
static char *without_marks(const char *steps) {
  GString *out = g_string_new(steps);
  g_string_replace(out, "\\u0002[", "[", 0);
  return g_string_free(out, FALSE);
}

static void put_older(sqlite3 *db, const char *path, const Older *how) {
  GError *error = NULL;
  AioStore *store = aio_store_open_read(path, &error);
  char *steps = aio_store_get_text(store, AIO_STORE_STEPS, &error);
  aio_store_close(store, NULL);
  char *older = how->is_unmarked ? without_marks(steps) : older_steps(steps, how->held);
  g_assert_cmpstr(older, !=, steps);
  char *digest = g_compute_checksum_for_string(G_CHECKSUM_SHA256, older, -1);
  char *sql = sqlite3_mprintf("UPDATE steps SET text = %Q, sha256 = %Q"
                              " WHERE id = (SELECT max(id) FROM steps)",
                              older, digest);
  run_sql(db, sql);
  run_sql(db, how->is_unmarked ? "UPDATE runs SET outcome = ltrim(outcome, char(2));"
                                 "UPDATE events SET text = ltrim(text, char(2));"
                               : "UPDATE runs SET outcome = text_of(outcome);"
                                 "UPDATE events SET text = text_of(text);");
  sqlite3_free(sql);
  g_free(digest);
  g_free(older);
  g_free(steps);
}

/* A chunk where its pack is: `id`, connection, run as in this row. */
static void insert_chunk(sqlite3 *db, gint64 id, sqlite3_stmt *pack, const AioChunk *chunk) {
  sqlite3_stmt *insert = NULL;
  GByteArray *bytes = aio_blob_encode(chunk);
  g_assert_cmpint(
      sqlite3_prepare_v2(db, "INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?)", -1, &insert, NULL),
      ==, SQLITE_OK);
  sqlite3_bind_int64(insert, 1, id);
  for (int column = 1; column <= 2; column++)
    sqlite3_bind_value(insert, column + 1, sqlite3_column_value(pack, column));
  sqlite3_bind_int64(insert, 4, (gint64)chunk->first_index);
  sqlite3_bind_int64(insert, 5, chunk->n);
  sqlite3_bind_int64(insert, 6, (gint64)chunk->t_us[0]);
  sqlite3_bind_blob(insert, 7, bytes->data, (int)bytes->len, SQLITE_STATIC);
  g_assert_cmpint(sqlite3_step(insert), ==, SQLITE_DONE);
  sqlite3_finalize(insert);
  g_byte_array_unref(bytes);
}

/* Versions before the third packed nothing. */
static void unpack(sqlite3 *db) {
  sqlite3_stmt *packs = NULL;
  const char *why = NULL;
  g_assert_cmpint(
      sqlite3_prepare_v2(db, "SELECT id, connection, run, data FROM packs", -1, &packs, NULL), ==,
      SQLITE_OK);
  while (sqlite3_step(packs) == SQLITE_ROW) {
    gint64 id = sqlite3_column_int64(packs, 0);
    AioPack *pack =
        aio_pack_open(sqlite3_column_blob(packs, 3), (gsize)sqlite3_column_bytes(packs, 3), &why);
    g_assert_nonnull(pack);
    for (AioChunk *chunk; (chunk = aio_pack_next(pack)) != NULL; aio_chunk_unref(chunk))
      insert_chunk(db, id++, packs, chunk);
    aio_pack_free(pack);
  }
  sqlite3_finalize(packs);
  run_sql(db, "DROP TABLE packs");
}

static void make_older(const char *path, const Older *older) {
  sqlite3 *db = NULL;
  g_assert_cmpint(sqlite3_open(path, &db), ==, SQLITE_OK);
  g_assert_cmpint(sqlite3_create_function(db, "text_of", 1, SQLITE_UTF8, NULL, text_of, NULL, NULL),
                  ==, SQLITE_OK);
  if (older->has_texts || older->is_unmarked)
    put_older(db, path, older);
  if (older->version < 3)
    unpack(db);
  if (older->version < 2)
    run_sql(db, "DROP TABLE statistics");
  char *version = g_strdup_printf("PRAGMA user_version = %d", older->version);
  run_sql(db, version);
  g_free(version);
  g_assert_cmpint(sqlite3_close(db), ==, SQLITE_OK);
}

static bool has_sentence(const AioStoreEvent *row, void *data) {
  *(bool *)data |= row->text[0] == AIO_SAID_MARK;
  return true;
}

static void check_older(const char *path, const Older *older) {
  GError *error = NULL;
  bool has_any = false;
  AioStore *store = aio_store_open_read(path, &error);
  g_assert_no_error(error);
  g_assert_true(aio_store_each_event(store, has_sentence, &has_any, &error));
  aio_store_close(store, NULL);
  g_assert_true(has_any != older->has_texts);
}

/* ---- one measurement for all versions ---- */

static char *kept_folder;

static void copy(const char *from, const char *to) {
  GError *error = NULL;
  char *bytes = NULL;
  gsize size = 0;
  g_file_get_contents(from, &bytes, &size, &error);
  g_assert_no_error(error);
  g_file_set_contents(to, bytes, (gssize)size, &error);
  g_assert_no_error(error);
  g_free(bytes);
}

/* Ends the bench; a copy of its session's file. */
static char *keep(Bench *bench, const char *name) {
  char *path = g_build_filename(kept_folder, name, NULL);
  bench_close(bench);
  copy(bench->path, path);
  bench_clear(bench);
  return path;
}

/* Another controller of the arm, and what an older program would have left of the session. */
static void open_older(Bench *bench, const char *kept, const Older *older) {
  char *folder = folder_new(), *path = g_build_filename(folder, "bench.armsession", NULL);
  copy(kept, path);
  make_older(path, older);
  check_older(path, older);
  bench_init_in(bench, "planar2r", FACTOR, folder);
  g_free(path);
}

/* ---- the same results ---- */

/* To the last bit. */
static void assert_same_fit(const ArmGravityFit *now, const ArmGravityFit *then) {
  for (gsize j = 0; j < 2; j++) {
    const ArmJointFit *a = &now->refined.joint[j], *b = &then->refined.joint[j];
    g_assert_cmpuint(a->rows_used, ==, b->rows_used);
    g_assert_cmpmem(&a->residual_sd, sizeof a->residual_sd, &b->residual_sd, sizeof b->residual_sd);
    for (gsize k = 0; k < G_N_ELEMENTS(a->w); k++)
      g_assert_cmpmem(&a->w[k].used, sizeof(double), &b->w[k].used, sizeof(double));
    for (gsize k = 0; k < G_N_ELEMENTS(a->friction); k++) {
      g_assert_cmpmem(&a->friction[k].used, sizeof(double), &b->friction[k].used, sizeof(double));
      g_assert_cmpmem(&a->friction[k].sd, sizeof(double), &b->friction[k].sd, sizeof(double));
    }
  }
  g_assert_cmpint(now->verdict.verdict, ==, then->verdict.verdict);
}

static guint complete_runs(const Bench *bench) {
  const GPtrArray *runs = ase_session_runs(bench->session);
  guint complete = 0;
  for (guint k = 0; k < runs->len; k++)
    complete += ((const AseRun *)runs->pdata[k])->is_complete;
  return complete;
}

/* A session that is fitted, measured once; each version has a copy of its file. */
typedef struct {
  char *path, *parameters, *reason;
  ArmGravityFit *fit;
  guint complete;
} Fitted;

static const Fitted *fitted(void) {
  static Fitted it;
  if (it.path)
    return &it;
  Bench bench;
  bench_init(&bench, "planar2r", FACTOR);
  bench_plan_one(&bench, 0.3);
  bench_connect(&bench);
  bench_reach(&bench, ASE_STEP_FIT);
  it.fit = g_memdup2(ase_gravity_of(ase_session_fit(bench.session)), sizeof *it.fit);
  it.parameters = ase_session_parameters(bench.session, NULL);
  it.reason = g_strdup(bench_reason(&bench, ASE_STEP_FIT));
  it.complete = complete_runs(&bench);
  g_assert_cmpuint(it.fit->refined.joint[1].rows_used, >, 100);
  it.path = keep(&bench, "fitted.armsession");
  return &it;
}

static void test_results(gconstpointer data) {
  const Older *older = data;
  const Fitted *then = fitted();
  Bench bench;
  open_older(&bench, then->path, older);
  g_assert_cmpuint(complete_runs(&bench), ==, then->complete);
  g_assert_cmpint(bench_state(&bench, ASE_STEP_FIT), ==, ASE_STATE_UNJUDGED);
  g_assert_cmpstr(bench_reason(&bench, ASE_STEP_FIT), ==, older->held ? older->held : then->reason);
  char *again = ase_session_parameters(bench.session, NULL);
  g_assert_cmpstr(again, ==, then->parameters);
  assert_same_fit(ase_gravity_of(ase_session_fit(bench.session)), then->fit);
  bench_do(&bench, ASE_STEP_FIT); /* of its samples, anew */
  g_assert_cmpint(bench_state(&bench, ASE_STEP_FIT), ==, ASE_STATE_UNJUDGED);
  assert_same_fit(ase_gravity_of(ase_session_fit(bench.session)), then->fit);
  g_free(again);
  bench_clear(&bench);
}

/* ---- it goes on ---- */

static gint64 first_sweep(const Bench *bench) {
  const GPtrArray *runs = ase_session_runs(bench->session);
  for (guint k = 0; k < runs->len; k++) {
    const AseRun *run = runs->pdata[k];
    if (run->is_complete && run->purpose != ASE_PURPOSE_DRY_RUN)
      return run->id;
  }
  return 0;
}

/* In the middle of the second sweep of four. */
static const char *interrupted(void) {
  static char *path;
  if (path)
    return path;
  Bench bench;
  bench_init(&bench, "planar2r", FACTOR);
  bench_plan_one(&bench, 0.3);
  bench_connect(&bench);
  bench_reach(&bench, ASE_STEP_DRY_RUN);
  bench_sweep_until(&bench, 1);
  rig_pass(0.03);
  return path = keep(&bench, "interrupted.armsession");
}

static void test_goes_on(gconstpointer data) {
  Bench bench;
  open_older(&bench, interrupted(), data);
  g_assert_nonnull(strstr(bench.kept, "resumed: 1 of 4 sweeps, "));
  g_assert_cmpint(bench_state(&bench, ASE_STEP_DRY_RUN), ==, ASE_STATE_PASSED);
  g_assert_cmpint(bench_state(&bench, ASE_STEP_SWEEP), ==, ASE_STATE_FAILED);
  const gint64 first = first_sweep(&bench);
  g_assert_cmpint(first, !=, 0);
  bench_connect(&bench);
  bench_arm(&bench);
  bench_reach(&bench, ASE_STEP_FIT);
  g_assert_cmpint(first_sweep(&bench), ==, first); /* was not done again */
  bench_close(&bench);
  bench_open(&bench);
  g_assert_nonnull(ase_session_fit(bench.session));
  bench_clear(&bench);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  kept_folder = folder_new();
  for (gsize k = 0; k < G_N_ELEMENTS(OLDER); k++) {
    char *results = g_strconcat("/session/versions/results/", OLDER[k].name, NULL);
    char *goes_on = g_strconcat("/session/versions/goes-on/", OLDER[k].name, NULL);
    g_test_add_data_func(results, &OLDER[k], test_results);
    g_test_add_data_func(goes_on, &OLDER[k], test_goes_on);
    g_free(results);
    g_free(goes_on);
  }
  const int status = g_test_run();
  folder_free(kept_folder);
  return status;
}
