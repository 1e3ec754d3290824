/* SPDX-License-Identifier: MIT */
/* What an earlier program left in the file. It may come from anywhere: a run that no procedure of
 * this arm can have made does not count. */
#include "session/session_load.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "io/base/said.h"
#include "session/session_edits.h"
#include "session/session_moving.h"

#define MOST_SAMPLES 1e12 /* 30 years at 1 kHz: a file says more only when somebody wrote it so */

typedef struct {
  AseSession *self;
  GHashTable *superseded, *imported; /* of gint64 */
  GHashTable *samples, *lost;        /* gint64 to double */
  guint interrupted;
  AseRun *run; /* whose chunks are read */
  char *parameters, *sha256;
} Load;

/* ---- runs ---- */

/* NULL: of no interest here. */
static GHashTable *table_of(const Load *load, const char *name) {
  return strcmp(name, ASE_STATISTIC_SUPERSEDED) == 0 ? load->superseded
         : strcmp(name, ASE_STATISTIC_IMPORTED) == 0 ? load->imported
         : strcmp(name, ASE_STATISTIC_SAMPLES) == 0  ? load->samples
         : strcmp(name, ASE_STATISTIC_LOST) == 0     ? load->lost
                                                     : NULL;
}

static bool on_statistic(const AioStoreStatistic *row, void *data) {
  GHashTable *table = table_of(data, row->name);
  if (table)
    g_hash_table_insert(table, g_memdup2(&row->run, sizeof row->run),
                        g_memdup2(&row->value, sizeof row->value));
  return true;
}

static bool on_run(const AioStoreRun *row, void *data) {
  Load *load = data;
  AseSession *self = load->self;
  AseLeg leg = {.sweeps = true, .joint = row->joint, .hold = row->hold, .speed_R = row->speed};
  load->interrupted = g_strcmp0(row->outcome, ASE_OUTCOME_DONE) == 0 ? 0 : row->joint;
  ase_record_note_open_run(self->record, row->outcome ? 0 : row->id);
  if (ase_run_is_of_motion(row->kind) && !g_hash_table_contains(load->superseded, &row->id))
    ase_following_meet_run(self->following, row->id,
                           g_strcmp0(row->outcome, ASE_OUTCOME_DONE) == 0);
  if (!ase_run_purpose_of(row->kind, &leg.purpose) || row->joint < 1 ||
      row->joint > self->arm->model.n || !(row->speed > 0.0) || row->motion > G_MAXUINT16 ||
      g_hash_table_contains(load->superseded, &row->id))
    return true;
  AseRun *run = ase_run_new(&leg, row->id);
  run->motion = (guint16)row->motion;
  run->is_imported = g_hash_table_contains(load->imported, &row->id);
  run->is_complete = g_strcmp0(row->outcome, ASE_OUTCOME_DONE) == 0;
  run->outcome =
      row->outcome ? g_strdup(row->outcome) : aio_said(N_("interrupted: the program ended"));
  g_ptr_array_add(ase_record_runs(self->record), run);
  return true;
}

static bool on_chunk(const AioStoreChunk *row, void *data) {
  Load *load = data;
  if (row->chunk->joints == load->self->arm->model.n)
    g_ptr_array_add(load->run->chunks, aio_chunk_ref(row->chunk));
  return true;
}

/* false: it was not written, or is not a count. */
static bool find_count(GHashTable *table, gint64 run, gsize *count) {
  const double *value = g_hash_table_lookup(table, &run);
  if (!value || !(*value >= 0.0 && *value <= MOST_SAMPLES))
    return false;
  *count = (gsize)*value;
  return true;
}

/* Its samples stay where they are; only those of a run that the program did not see the end of must
 * be looked at to know how many there are. */
static bool load_run(Load *load, AioStore *store, AseRun *run, GError **error) {
  gsize samples = 0, lost = 0;
  const bool is_counted =
      find_count(load->samples, run->id, &samples) && find_count(load->lost, run->id, &lost);
  if (!is_counted && run->is_imported && !aio_store_count_samples(store, run->id, &samples, error))
    return false;
  if (is_counted || run->is_imported) {
    ase_run_shelve_unread(run, ase_record_shelf(load->self->record), samples, lost);
    return true;
  }
  load->run = run;
  const bool ok = aio_store_each_chunk(store, run->id, on_chunk, load, error);
  if (ok)
    ase_run_shelve(run, ase_record_shelf(load->self->record));
  return ok;
}

static bool load_runs(Load *load, AioStore *store, GError **error) {
  const GPtrArray *runs = ase_record_runs(load->self->record);
  bool ok = aio_store_each_statistic(store, on_statistic, load, error) &&
            aio_store_each_run(store, on_run, load, error);
  for (guint k = 0; k < runs->len && ok; k++)
    ok = load_run(load, store, runs->pdata[k], error);
  return ok;
}

/* ---- the fit ---- */

static bool on_fit(const AioStoreFit *row, void *data) {
  Load *load = data;
  g_free(load->parameters);
  g_free(load->sha256);
  load->parameters = g_strdup(row->parameters);
  load->sha256 = g_strdup(row->dataset_sha256);
  return true;
}

/* What it rests on is there: it can be fitted again. */
static void refuse_fit(AseSession *self, const char *why) {
  const AseStepState state = ase_procedure_state(self->procedure, ASE_STEP_FIT);
  if (!ase_state_is_done(state) && state != ASE_STATE_FAILED) /* a misfit is stored too */
    return; /* of another arm than now, and said so */
  char *reason = aio_said(N_("the fit in the file cannot be used: %s"), why);
  ase_procedure_outdate(self->procedure, ASE_STEP_FIT, reason);
  g_free(reason);
}

/* A fit that failed has none; of one that is done and has none nothing can be judged or written. */
static void miss_fit(AseSession *self) {
  if (ase_state_is_done(ase_procedure_state(self->procedure, ASE_STEP_FIT)))
    refuse_fit(self, aio_said_word(N_("there is none")));
}

/* Not what was fitted here: somebody changed it, or the arm, which nobody was told of. NULL: it
 * is. */
static const char *objection(const AseSession *self, const AseFitted *fitted, bool is_changed) {
  if (is_changed)
    return aio_said_word(N_("it was changed after it was fitted"));
  if (ase_state_is_done(ase_procedure_state(self->procedure, ASE_STEP_FIT)) && fitted->arm_digest &&
      strcmp(fitted->arm_digest, self->arm->digest) != 0)
    return aio_said_word(N_("it was fitted with another arm file"));
  return NULL;
}

static void take_fit(Load *load) {
  AseSession *self = load->self;
  AseFitted fitted = {0};
  bool is_changed = false;
  GError *error = NULL;
  if (!load->parameters) {
    miss_fit(self);
    return;
  }
  if (!ase_session_measuring(self)->recall("fit", load->parameters, strlen(load->parameters),
                                           &self->arm->model, &fitted, &is_changed, &error)) {
    refuse_fit(self, aio_error_said(error));
    g_error_free(error);
    return;
  }
  const char *why = objection(self, &fitted, is_changed);
  if (why) {
    refuse_fit(self, why);
    ase_fitted_clear(&fitted);
    return;
  }
  if (!fitted.arm_digest)
    fitted.arm_digest = g_strdup(self->arm->digest);
  fitted.sha256 = g_steal_pointer(&load->sha256);
  ase_results_take_fit(self->results, &fitted);
}

/* ---- the plan ---- */

/* Its limits and speeds are those that PLAN has passed with, or nobody knows any more. */
static void take_plan(AseSession *self) {
  AseEdits *edits = self->edits;
  const bool has_passed = self->procedure->steps[ASE_STEP_PLAN].state == ASE_STATE_PASSED;
  edits->is_outdated = edits->is_proposed && !has_passed;
  ase_planned_want_forecast(self->planned, edits->has_plan && has_passed);
  if (edits->has_plan)
    ase_planned_take_itinerary(self->planned, ase_session_plan_itinerary(self, NULL));
}

/* ---- texts ---- */

static char *arm_text_of(AioStore *store, GError **error) {
  GError *missing = NULL;
  char *text = aio_store_get_text(store, AIO_STORE_ARM, &missing);
  if (g_error_matches(missing, AIO_ERROR, AIO_ERROR_NOT_FOUND)) {
    g_clear_error(&missing);
    aio_error_set_said(
        error, AIO_ERROR_NOT_FOUND,
        N_("%s: the session has no arm: the program ended just when it was begun, and nothing was "
           "measured; begin it anew, the same name will do"),
        aio_said_plain(aio_store_path(store)));
  }
  if (missing)
    g_propagate_error(error, missing);
  return text;
}

/* What the session holds is no file of its own that its name could be looked for. */
static bool load_plan(AseSession *self, AioStore *store, GError **error) {
  GError *wrong = NULL;
  char *edits = aio_store_get_text(store, AIO_STORE_PLAN, error);
  char *steps = edits ? aio_store_get_text(store, AIO_STORE_STEPS, error) : NULL;
  const bool ok = steps && ase_edits_from_json(self->edits, &self->arm->model, edits, &wrong) &&
                  ase_procedure_from_json(self->procedure, self->procedure->table, steps, &wrong) &&
                  ase_following_recall(self->following, steps, &wrong);
  g_free(edits);
  g_free(steps);
  if (wrong)
    g_propagate_prefixed_error(error, wrong, "%s: ", aio_store_path(store));
  return ok;
}

static bool load_texts(AseSession *self, AioStore *store, GError **error) {
  char *arm_text = arm_text_of(store, error);
  AioArm *arm = arm_text ? aio_arm_load_stored(ase_editor_arm_name(self->editor), arm_text,
                                               strlen(arm_text), error)
                         : NULL;
  if (!arm) {
    g_free(arm_text);
    return false;
  }
  ase_session_take_arm(self, arm, arm_text);
  const bool ok = load_plan(self, store, error);
  if (ok && self->procedure->joints != arm->model.n)
    ase_procedure_init(self->procedure, self->procedure->table, (guint)arm->model.n);
  return ok;
}

static GHashTable *new_table(void) {
  return g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
}

void ase_session_pass_imported(AseSession *self) {
  const AseSteps *table = self->procedure->table;
  /* the arm is described by its file, here */
  const guint recorded = ase_steps_way_to(table, ASE_STEP_SWEEP) & ~ASE_BIT(ASE_STEP_CONFIGURE);
  for (guint k = 0; k < table->count; k++) {
    const AseStep step = table->rows[k].step;
    if (recorded & ASE_BIT(step) && self->procedure->steps[step].state != ASE_STATE_PASSED)
      ase_procedure_pass(self->procedure, step, 0, aio_said_word(N_("from a recording")));
  }
}

bool ase_session_load(AseSession *self, AioStore *store, guint *interrupted, GError **error) {
  ase_record_look_where_from(self->record, store);
  Load load = {.self = self,
               .superseded = new_table(),
               .imported = new_table(),
               .samples = new_table(),
               .lost = new_table()};
  const bool ok = load_texts(self, store, error) && load_runs(&load, store, error) &&
                  aio_store_each_fit(store, on_fit, &load, error);
  if (ok) {
    ase_telling_know(self->telling, self->procedure);
    ase_procedure_resume(self->procedure);
    if (ase_session_is_imported(self))
      ase_session_pass_imported(self);
    take_fit(&load);
    take_plan(self);
    ase_results_want_validation(
        self->results, ase_results_fit(self->results) &&
                           self->procedure->steps[ASE_STEP_VALIDATE].state != ASE_STATE_WAITING);
  }
  *interrupted = load.interrupted;
  g_hash_table_unref(load.superseded);
  g_hash_table_unref(load.imported);
  g_hash_table_unref(load.samples);
  g_hash_table_unref(load.lost);
  g_free(load.parameters);
  g_free(load.sha256);
  return ok;
}

/* ---- words ---- */

static guint count_planned(const AseSession *self) {
  const AseItinerary *itinerary = ase_planned_itinerary(self->planned);
  guint sweeps = 0;
  for (guint k = 0; itinerary && k < itinerary->legs->len; k++) {
    const AseLeg *leg = &g_array_index(itinerary->legs, AseLeg, k);
    sweeps += leg->sweeps && leg->purpose != ASE_PURPOSE_DRY_RUN;
  }
  return sweeps;
}

char *ase_session_kept(AseSession *self, guint interrupted) {
  guint sweeps = 0;
  gsize samples = 0;
  const GPtrArray *runs = ase_record_runs(self->record);
  for (guint k = 0; k < runs->len; k++) {
    const AseRun *run = runs->pdata[k];
    if (run->purpose == ASE_PURPOSE_DRY_RUN)
      continue;
    sweeps += run->is_complete;
    samples += ase_run_samples(run);
  }
  GPtrArray *list = aio_said_list_new();
  aio_said_list_add(list, N_("resumed: "));
  if (ase_planned_itinerary(self->planned))
    aio_said_list_take(list, aio_said_many_by(2, "%u of %u sweep, %zu samples",
                                              "%u of %u sweeps, %zu samples", sweeps,
                                              count_planned(self), samples));
  else if (ase_session_is_imported(self))
    aio_said_list_take(list,
                       aio_said_many("%u sweep from a recording, %zu samples",
                                     "%u sweeps from a recording, %zu samples", sweeps, samples));
  else
    aio_said_list_add(list, N_("no plan yet"));
  if (interrupted)
    aio_said_list_add(list, N_("; interrupted in joint %u"), interrupted);
  const AseFollowed *followed = ase_following_last(self->following);
  if (followed)
    /* TRANSLATORS: the file of a motion, and what came of it */
    aio_said_list_add(list, N_("; motion %s: %s"), followed->name, followed->reason);
  return aio_said_list_join(list, "");
}

/* ---- can it be read? ---- */

static void look_at(const AioChunk *chunk, void *data) {
  (void)chunk, (void)data;
}

bool ase_session_check_samples(AseSession *self, GError **error) {
  const GPtrArray *runs = ase_session_runs(self);
  AioStore *reader = NULL;
  bool is_there = true;
  for (guint k = 0; k < runs->len && is_there; k++) {
    const AseRun *run = runs->pdata[k];
    if (run->is_complete && run->sweeps)
      is_there = ase_run_each_chunk(run, &reader, look_at, NULL, error);
  }
  aio_store_close(reader, NULL);
  return is_there;
}
