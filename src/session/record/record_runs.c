/* SPDX-License-Identifier: MIT */
/* The runs that count. One that is repeated makes its earlier ones count no more; one whose samples
 * are on the disk lets go of them. */
#include "session/record/record_internal.h"

#include <string.h>

/* ---- what the file calls them ---- */

static const char *const kinds[] = {
    [ASE_PURPOSE_DRY_RUN] = "dry-run",   [ASE_PURPOSE_WARM_UP] = "warm-up",
    [ASE_PURPOSE_MEASURE] = "sweep",     [ASE_PURPOSE_DRIFT] = "drift",
    [ASE_PURPOSE_VALIDATE] = "validate",
};

#define TRAJECTORY "trajectory"

const char *ase_run_kind(const AseLeg *leg) {
  if (leg->trajectory)
    return leg->purpose == ASE_PURPOSE_DRY_RUN ? TRAJECTORY "-dry-run" : TRAJECTORY;
  return leg->sweeps ? kinds[leg->purpose] : "move";
}

bool ase_run_purpose_of(const char *kind, AsePurpose *purpose) {
  for (guint k = 0; k < G_N_ELEMENTS(kinds); k++)
    if (strcmp(kind, kinds[k]) == 0) {
      *purpose = (AsePurpose)k;
      return true;
    }
  return false;
}

bool ase_run_is_of_motion(const char *kind) {
  return strcmp(kind, TRAJECTORY) == 0;
}

/* ---- what leaves the memory ---- */

typedef struct {
  GWeakRef owner; /* whose record is there as long as it is */
  AseRecord *record;
  GMainContext *context; /* the record's, which outlives the recorder */
  gint64 run;
} Stored;

static void stored_free(gpointer data) {
  Stored *stored = data;
  g_weak_ref_clear(&stored->owner);
  g_free(stored);
}

static gboolean on_stored(gpointer data) {
  Stored *stored = data;
  gpointer owner = g_weak_ref_get(&stored->owner);
  AseRecord *self = stored->record;
  for (guint k = 0; owner && !self->is_closed && k < self->runs->len; k++) {
    AseRun *run = self->runs->pdata[k];
    if (run->id == stored->run)
      ase_run_shelve(run, self->shelf);
  }
  g_clear_object(&owner);
  return G_SOURCE_REMOVE;
}

/* Nothing: its turn comes after all chunks of the run, in the same transaction or a later one. */
static bool write_nothing(AioStore *store, gconstpointer data, GError **error) {
  (void)store, (void)data, (void)error;
  return true;
}

/* In the writer's thread, when that is committed; or when it never will be, the record being
 * closed. */
static void on_committed(gpointer data) {
  Stored *stored = data;
  GSource *source = g_idle_source_new();
  g_source_set_callback(source, on_stored, stored, stored_free);
  g_source_attach(source, stored->context);
  g_source_unref(source);
}

void ase_record_shelve(AseRecord *self, const AseRun *run) {
  if (!self->recorder || !run->id)
    return;
  Stored *stored = g_new0(Stored, 1);
  g_weak_ref_init(&stored->owner, self->owner.object);
  stored->record = self;
  stored->context = self->context;
  stored->run = run->id;
  aio_recorder_add(self->recorder, write_nothing, stored, on_committed);
}

/* ---- which of them count ---- */

GPtrArray *ase_record_runs(const AseRecord *self) {
  return self->runs;
}
GPtrArray *ase_record_earlier(const AseRecord *self) {
  return self->earlier;
}
AseShelf *ase_record_shelf(const AseRecord *self) {
  return self->shelf;
}

void ase_record_take_runs(AseRecord *self, GPtrArray *runs) {
  g_ptr_array_unref(self->runs);
  self->runs = runs;
}

GPtrArray *ase_record_ref_runs(const AseRecord *self) {
  GPtrArray *runs = g_ptr_array_new_with_free_func((GDestroyNotify)ase_run_unref);
  for (guint k = 0; k < self->runs->len; k++)
    g_ptr_array_add(runs, ase_run_ref(self->runs->pdata[k]));
  return runs;
}

void ase_record_write_counts(AseRecord *self, const AseRun *run) {
  ase_record_write_statistic(self, run->id, ASE_STATISTIC_SAMPLES, (double)ase_run_samples(run));
  ase_record_write_statistic(self, run->id, ASE_STATISTIC_LOST, (double)ase_run_lost(run));
}

void ase_record_add_run(AseRecord *self, AseRun *run) {
  g_ptr_array_add(self->runs, ase_run_ref(run));
  ase_record_write_counts(self, run);
  ase_record_shelve(self, run);
}

void ase_record_supersede(AseRecord *self, guint k) {
  const AseRun *run = self->runs->pdata[k];
  if (run->id)
    ase_record_write_statistic(self, run->id, ASE_STATISTIC_SUPERSEDED, 1.0);
  if (run->purpose == ASE_PURPOSE_MEASURE)
    g_ptr_array_add(self->earlier, g_ptr_array_steal_index(self->runs, k));
  else
    g_ptr_array_remove_index(self->runs, k);
}

static bool is_same_sweep(const AseRun *run, const AseLeg *leg) {
  return run->purpose == leg->purpose && run->joint == leg->joint && run->hold == leg->hold &&
         run->speed == leg->speed_R;
}

void ase_record_supersede_sweep(AseRecord *self, const AseLeg *leg) {
  for (guint k = self->runs->len; k-- > 0;)
    if (is_same_sweep(self->runs->pdata[k], leg))
      ase_record_supersede(self, k);
}

guint ase_record_drop_lost(AseRecord *self) {
  AioStore *reader = NULL;
  guint dropped = 0;
  for (guint k = self->runs->len; k-- > 0;) {
    AseRun *run = self->runs->pdata[k];
    gsize room = 0;
    if (self->is_closed && run->id && !run->shelf) /* nothing of it waits any more */
      ase_run_shelve(run, self->shelf);
    if (!run->id || !run->shelf ||
        (ase_run_room(run, &reader, &room, NULL) && room >= ase_run_samples(run)))
      continue;
    ase_record_supersede(self, k);
    dropped++;
  }
  aio_store_close(reader, NULL);
  return dropped;
}

bool ase_record_has_complete(const AseRecord *self, const AseLeg *leg) {
  for (guint k = 0; k < self->runs->len; k++) {
    const AseRun *run = self->runs->pdata[k];
    if (run->is_complete && is_same_sweep(run, leg))
      return true;
  }
  return false;
}

bool ase_record_has_complete_of(const AseRecord *self, AsePurpose purpose, guint joint) {
  for (guint k = 0; k < self->runs->len; k++) {
    const AseRun *run = self->runs->pdata[k];
    if (run->purpose == purpose && (!joint || run->joint == joint) && run->is_complete)
      return true;
  }
  return false;
}
