/* SPDX-License-Identifier: MIT */
/* What was recorded goes the way of anybody's recordings: as CSV, which `replay --run` gives too,
 * into `identify`. The sweeps are not among what is fitted: a joint has one noise in an
 * identification, and theirs is several times smaller than what a model misses of a motion, so that
 * the sds of inertias would be too small by as much. */
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/full.h"
#include "cli/identify.h"
#include "cli/replay.h"
#include "io/json/json_read.h"
#include "io/store/store.h"
#include "session/base/job.h"
#include "session/recording.h"

/* Of the slowest sweep, and of what the slowest joint is capable of. */
#define SWEPT_PART   0.5
#define FASTEST_PART 0.25

/* ---- which runs ---- */

typedef struct {
  GHashTable *motions;   /* of gint64: complete, and not superseded */
  GHashTable *others;    /* of gint64: connections to another controller */
  GHashTable *strangers; /* of motions, those of such connections */
  const char *serial;    /* of the controller that is there; NULL: the link is lost */
  gint64 last_sweep;
  gint64 strange[CLI_FULL_MOTIONS]; /* what would be taken, if it were this controller's; 0: none */
  CliFullRuns *runs;
} Finding;

static void add(GHashTable *set, gint64 id) {
  g_hash_table_add(set, g_memdup2(&id, sizeof id));
}

static bool add_connection(const AioStoreConnection *row, void *data) {
  const Finding *f = data;
  g_autoptr(AioJson) json =
      aio_json_parse("controller", row->controller, strlen(row->controller), NULL);
  const AioJsonNode *node = json ? aio_json_member(aio_json_root(json), "serial") : NULL;
  const char *serial;
  if (f->serial && node && aio_json_get_string(node, &serial, NULL) && *serial &&
      strcmp(serial, f->serial) != 0)
    add(f->others, row->id);
  return true;
}

static bool add_run(const AioStoreRun *row, void *data) {
  Finding *f = data;
  if (g_strcmp0(row->outcome, ASE_OUTCOME_DONE) != 0)
    return true;
  if (strcmp(row->kind, "sweep") == 0)
    f->last_sweep = row->id;
  if (strcmp(row->kind, "trajectory") != 0)
    return true;
  add(f->motions, row->id);
  if (g_hash_table_contains(f->others, &row->connection))
    add(f->strangers, row->id);
  return true;
}

static bool drop_superseded(const AioStoreStatistic *row, void *data) {
  Finding *f = data;
  if (strcmp(row->name, "superseded") == 0)
    g_hash_table_remove(f->motions, &row->run);
  return true;
}

/* One that is older than a sweep may be of another payload, or tool. */
static bool take_motion(const AioStoreStatistic *row, void *data) {
  Finding *f = data;
  const bool is_design = strcmp(row->name, ASE_STATISTIC_DESIGN) == 0;
  gint64 *to = g_hash_table_contains(f->strangers, &row->run) ? f->strange : f->runs->motion;
  for (guint k = 0; k < CLI_FULL_MOTIONS && is_design; k++)
    if (row->value == k + 1 && row->run > f->last_sweep &&
        g_hash_table_contains(f->motions, &row->run))
      to[k] = row->run;
  return true;
}

static bool find_runs(AioStore *store, Finding *f, GError **error) {
  return aio_store_each_connection(store, add_connection, f, error) &&
         aio_store_each_run(store, add_run, f, error) &&
         aio_store_each_statistic(store, drop_superseded, f, error) &&
         aio_store_each_statistic(store, take_motion, f, error);
}

static void say_strangers(CliLive *live, const Finding *f) {
  for (guint k = 0; k < CLI_FULL_MOTIONS; k++)
    if (f->strange[k] && !f->runs->motion[k])
      cli_live_say(live,
                   "motion %u: run %" G_GINT64_FORMAT " was recorded with another controller than "
                   "this (%s): it is followed again",
                   k + 1, f->strange[k], f->serial);
}

int cli_full_find_runs(CliLive *live, CliFullRuns *runs) {
  AseSession *session = live->session;
  const AioDescription *d = ase_device_description(ase_session_device(session));
  GError *error = NULL;
  g_autoptr(GHashTable) motions = cli_runs_new();
  g_autoptr(GHashTable) others = cli_runs_new();
  g_autoptr(GHashTable) strangers = cli_runs_new();
  *runs = (CliFullRuns){{0}};
  Finding f = {.motions = motions,
               .others = others,
               .strangers = strangers,
               .serial = d ? d->serial : NULL,
               .runs = runs};
  if (!ase_session_flush(session, &error))
    return cli_fail(error);
  AioStore *store = aio_store_open_read(ase_session_path(session), &error);
  const bool ok = store && find_runs(store, &f, &error);
  aio_store_close(store, NULL);
  if (!ok)
    return cli_fail(error);
  say_strangers(live, &f);
  return CLI_OK;
}

/* ---- as files ---- */

typedef struct {
  const char *session;
  char *stem;   /* of the session's name */
  char *folder; /* NULL: there is none */
  GPtrArray *fitted, *held_out;
} Files;

static void files_clear(Files *files) {
  for (guint k = 0; files->fitted && k < files->fitted->len; k++)
    (void)g_unlink(files->fitted->pdata[k]);
  for (guint k = 0; files->held_out && k < files->held_out->len; k++)
    (void)g_unlink(files->held_out->pdata[k]);
  if (files->folder)
    (void)g_rmdir(files->folder);
  g_clear_pointer(&files->fitted, g_ptr_array_unref);
  g_clear_pointer(&files->held_out, g_ptr_array_unref);
  g_free(files->folder);
  g_free(files->stem);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Files, files_clear)

/* Results say its name. */
static int add_motion(Files *files, gint64 run, GPtrArray *to) {
  g_autoptr(GHashTable) one = cli_runs_new();
  g_autofree char *name = g_strdup_printf("%s-run-%" G_GINT64_FORMAT ".csv", files->stem, run);
  char *path = g_build_filename(files->folder, name, NULL);
  g_ptr_array_add(to, path);
  g_hash_table_add(one, g_memdup2(&run, sizeof run));
  return cli_replay_runs(files->session, one, path);
}

static int make_files(AseSession *session, const CliFullRuns *runs, Files *files) {
  GError *error = NULL;
  *files = (Files){.session = ase_session_path(session),
                   .fitted = g_ptr_array_new_with_free_func(g_free),
                   .held_out = g_ptr_array_new_with_free_func(g_free)};
  files->stem = g_path_get_basename(files->session);
  if (g_str_has_suffix(files->stem, ".armsession"))
    files->stem[strlen(files->stem) - strlen(".armsession")] = 0;
  files->folder = g_dir_make_tmp("armature-XXXXXX", &error);
  if (!files->folder)
    return cli_fail(error);
  const int code = add_motion(files, runs->motion[CLI_FULL_FITTED], files->fitted);
  return code == CLI_OK ? add_motion(files, runs->motion[CLI_FULL_JUDGED], files->held_out) : code;
}

/* ---- identification ---- */

/* As `--friction` says it, of what the session's fits try. */
static const char *friction_of(const AseEdits *edits) {
  const bool load = edits->offers_term[ARM_TERM_LOAD], curve = edits->offers_term[ARM_TERM_CURVE];
  return load && curve ? "auto" : load ? "load" : curve ? "curve" : "base";
}

/* Near a reversal a joint sticks, which the model does not know of, and friction was not swept
 * there: of PUMA truth 2 the default misses the other motion by 9.2, 7.0 and 2.7 mA in joints 1 to
 * 3, this by 2.5, 1.5 and 2.0. */
static double least_speed(const double *swept, guint n, const ArmModel *model, ArmJointType type) {
  double least = (double)INFINITY;
  for (guint k = 0; k < n; k++)
    least = fmin(least, SWEPT_PART * swept[k]);
  for (gsize j = 0; j < model->n; j++)
    if (model->joints[j].type == type)
      least = fmin(least, FASTEST_PART * model->joints[j].limits.speed_max);
  return isfinite(least) ? least : (double)NAN;
}

/* What does not pass is written too; what was interrupted is not, so that --resume may. */
static int put_out(const CliFull *full, const char *parameters, int code) {
  code = cli_live_code_now(full->live, code);
  if (code == CLI_INTERRUPTED)
    return code;
  const int written = cli_write(full->out, parameters, strlen(parameters), full->force);
  return written == CLI_OK ? code : written;
}

/* Beside the main loop, so that Ctrl-C is heard while it computes. */
typedef struct {
  const CliIdentifyArgs *args;
  const AioArm *arm;
  const ArmVerdictLimits *limits;
  int code;
  bool is_over;
} Identification;

static void identify(AseJob *job, void *data) {
  Identification *work = data;
  (void)job;
  work->code = cli_identify_recordings(work->args, work->arm, work->limits);
}

static void on_identified(void *data, bool is_cancelled, void *ctx) {
  (void)is_cancelled, (void)ctx;
  ((Identification *)data)->is_over = true;
}

static void forget_progress(double part, void *ctx) {
  (void)part, (void)ctx;
}

static void keep(void *data) {
  (void)data; /* it is the caller's */
}

static bool is_identified(void *data) {
  return ((Identification *)data)->is_over;
}

static int identify_beside(CliLive *live, Identification *work) {
  const AseJobTask task = {.work = identify,
                           .data = work,
                           .free_data = keep,
                           .progress = forget_progress,
                           .done = on_identified};
  g_autoptr(AseJob) job = ase_job_start(&task);
  if (!cli_live_wait(live, is_identified, work, (double)INFINITY)) {
    cli_live_say(live, "interrupted: what is being computed cannot be cut short; this ends with "
                       "it, and writes nothing");
    ase_job_cancel(job);
  }
  while (!work->is_over)
    g_main_context_iteration(NULL, TRUE);
  return work->code;
}

int cli_full_identify(const CliFull *full, const CliFullRuns *runs, char **parameters) {
  AseSession *session = full->live->session;
  const AseEdits *edits = ase_session_edits(session);
  const ArmModel *model = &ase_session_arm(session)->model;
  g_auto(Files) files = {0};
  g_autofree char *text = NULL;
  int code = make_files(session, runs, &files);
  if (code != CLI_OK)
    return code;
  const CliIdentifyArgs args = {
      .arm = full->at->resume ? full->at->session : full->at->arm,
      .friction = friction_of(edits),
      .csv = files.fitted,
      .validate = files.held_out,
      .lowpass = (double)NAN,
      .min_speed = least_speed(edits->speeds_R, edits->n_speeds, model, ARM_JOINT_R),
      .min_speed_t = least_speed(edits->speeds_T, edits->n_speeds, model, ARM_JOINT_T),
      .json = full->json,
      .text = &text};
  ArmVerdictLimits limits = edits->misfit;
  limits.validation_relative = 0.01 * edits->validation_percent;
  cli_live_say(full->live, "identifying from motion 1, judging on motion 2");
  Identification work = {.args = &args, .arm = ase_session_arm(session), .limits = &limits};
  code = identify_beside(full->live, &work);
  if (!text)
    return cli_live_code_now(full->live, code);
  g_free(*parameters);
  *parameters = g_steal_pointer(&text);
  return put_out(full, *parameters, code);
}
