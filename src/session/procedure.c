/* SPDX-License-Identifier: MIT */
/* All that depends on what is the method's table of steps: `needs`, `rests`, `inputs`. Staleness
 * runs along it, and no step knows another one. Reasons are kept as they were said. */
#include "session/procedure.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "io/base/said.h"
#include "io/json/json_read.h"
#include "io/json/json_write.h"
#include "session/base/text.h"

enum { MOST_JSON = 4 << 20 }; /* with the longest reason for each joint of each step: 0.7 MB */

static const char *const state_keys[ASE_STATES] = {
    N_("waiting"), N_("ready"), N_("running"), N_("passed"), N_("failed"), N_("stale"), "unjudged"};
static const char *const input_texts[ASE_INPUTS] = {
    N_("the connection is a new one"),        N_("the arm has been edited"),
    N_("limits or free ranges have changed"), N_("the plan has changed"),
    N_("the recorded data have changed"),     N_("the lab's limits have changed"),
    N_("other friction is to be tried"),      N_("the lab's limits have changed")};

const char *ase_state_key(AseStepState state) {
  return state_keys[state];
}

const char *ase_step_reason(const AseStepInfo *info) {
  return aio_said_shown(info->reason);
}

bool ase_state_is_done(AseStepState state) {
  return state == ASE_STATE_PASSED || state == ASE_STATE_UNJUDGED;
}

void ase_procedure_init(AseProcedure *procedure, const AseSteps *steps, guint joints) {
  memset(procedure, 0, sizeof *procedure); /* compared and copied as bytes */
  procedure->table = steps;
  procedure->joints = MIN(joints, ARM_MAX_JOINTS);
}

/* ---- states ---- */

static const AseStepRow *row_of(const AseProcedure *procedure, AseStep step) {
  return ase_steps_find(procedure->table, step);
}

/* The k-th in the method's order; NULL: there are no more. */
static const AseStepRow *row_at(const AseProcedure *procedure, guint k) {
  const AseSteps *table = procedure->table;
  return table && k < table->count ? &table->rows[k] : NULL;
}

bool ase_procedure_has(const AseProcedure *procedure, AseStep step) {
  return row_of(procedure, step) != NULL;
}

bool ase_procedure_wants(const AseProcedure *procedure, AseStep step) {
  return ase_procedure_has(procedure, step) && !ase_state_is_done(procedure->steps[step].state);
}

AseStep ase_procedure_find(const AseProcedure *procedure, AseStepState state) {
  const AseStepRow *row;
  for (guint k = 0; (row = row_at(procedure, k)); k++)
    if (ase_procedure_state(procedure, row->step) == state)
      return row->step;
  return ASE_STEPS;
}

/* The first one that is yet to be done before it; ASE_STEPS: none. */
static AseStep first_missing(const AseProcedure *procedure, const AseStepRow *of) {
  const AseStepRow *row;
  for (guint k = 0; (row = row_at(procedure, k)); k++)
    if (of->needs & ASE_BIT(row->step) && !ase_state_is_done(procedure->steps[row->step].state))
      return row->step;
  return ASE_STEPS;
}

static AseStepState shown(const AseProcedure *procedure, AseStep step, AseStepState state) {
  const AseStepRow *row = row_of(procedure, step);
  if (state != ASE_STATE_WAITING && state != ASE_STATE_READY)
    return state;
  return row && first_missing(procedure, row) == ASE_STEPS ? ASE_STATE_READY : ASE_STATE_WAITING;
}

AseStepState ase_procedure_state(const AseProcedure *procedure, AseStep step) {
  return shown(procedure, step, procedure->steps[step].state);
}

const AseStepInfo *ase_procedure_joint_info(const AseProcedure *procedure, AseStep step,
                                            guint joint) {
  const AseStepRow *row = row_of(procedure, step);
  if (!row || !row->is_jointwise || joint == 0 || joint > procedure->joints)
    return &procedure->steps[step];
  return &procedure->joint[step][joint - 1];
}

AseStepState ase_procedure_joint_state(const AseProcedure *procedure, AseStep step, guint joint) {
  return shown(procedure, step, ase_procedure_joint_info(procedure, step, joint)->state);
}

char *ase_procedure_missing_said(const AseProcedure *procedure, AseStep step) {
  const AseStepRow *row = row_of(procedure, step);
  if (!row)
    return aio_said(N_("this method has no such step"));
  const AseStep missing = first_missing(procedure, row);
  if (missing == ASE_STEPS)
    return NULL;
  const AseStepState state = ase_procedure_state(procedure, missing);
  const char *reason = procedure->steps[missing].reason;
  /* TRANSLATORS: the step that comes before, its state and reason */
  return aio_said(N_("first comes \"%s\" (%s%s%s)"), ase_steps_said(procedure->table, missing),
                  aio_said_word(state_keys[state]), reason ? ": " : "", reason);
}

bool ase_procedure_may_start(const AseProcedure *procedure, AseStep step, GError **error) {
  char *missing = ase_procedure_missing_said(procedure, step);
  if (missing && ase_procedure_has(procedure, step))
    aio_error_set_said(error, AIO_ERROR_REFUSED, "%s: %s", ase_steps_said(procedure->table, step),
                       missing);
  else if (missing)
    aio_error_set_kept(error, AIO_ERROR_REFUSED, missing);
  g_free(missing);
  return !missing;
}

/* ---- results ---- */

static void set(AseStepInfo *info, AseStepState state, const char *reason) {
  memset(info, 0, sizeof *info);
  info->state = state;
  info->reason = ase_reason_keep(reason);
}

/* What all joints say; NULL: each something else. */
static const char *common_reason(const AseProcedure *procedure, AseStep step) {
  const AseStepInfo *joint = procedure->joint[step];
  for (guint j = 1; j < procedure->joints; j++)
    if (joint[j].reason != joint[0].reason)
      return NULL;
  return joint[0].reason;
}

/* One joint that fails fails the step; a step is done with its last joint, and passes if all have.
 */
static void follow_joints(AseProcedure *procedure, AseStep step) {
  guint count[ASE_STATES] = {0};
  const AseStepInfo *first[ASE_STATES] = {NULL};
  for (guint j = procedure->joints; j-- > 0;) {
    const AseStepInfo *info = &procedure->joint[step][j];
    count[info->state]++;
    first[info->state] = info;
  }
  static const AseStepState order[] = {ASE_STATE_RUNNING, ASE_STATE_FAILED, ASE_STATE_STALE};
  for (guint k = 0; k < G_N_ELEMENTS(order); k++)
    if (count[order[k]]) {
      set(&procedure->steps[step], order[k], first[order[k]]->reason);
      return;
    }
  const bool is_done = count[ASE_STATE_PASSED] + count[ASE_STATE_UNJUDGED] == procedure->joints;
  if (is_done && count[ASE_STATE_UNJUDGED])
    set(&procedure->steps[step], ASE_STATE_UNJUDGED, first[ASE_STATE_UNJUDGED]->reason);
  else
    set(&procedure->steps[step], is_done ? ASE_STATE_PASSED : ASE_STATE_WAITING,
        is_done ? common_reason(procedure, step) : NULL);
}

static bool has_result(const AseStepInfo *info) {
  return ase_state_is_done(info->state) || info->state == ASE_STATE_FAILED;
}

static void make_stale(AseProcedure *procedure, const AseStepRow *row, const char *reason);

static void make_stale_above(AseProcedure *procedure, AseStep step, const char *reason) {
  const AseStepRow *row;
  for (guint k = 0; (row = row_at(procedure, k)); k++)
    if (row->rests & ASE_BIT(step))
      make_stale(procedure, row, reason);
}

static void make_stale(AseProcedure *procedure, const AseStepRow *row, const char *reason) {
  const AseStep step = row->step;
  for (guint j = 0; row->is_jointwise && j < procedure->joints; j++)
    if (has_result(&procedure->joint[step][j]))
      set(&procedure->joint[step][j], ASE_STATE_STALE, reason);
  if (has_result(&procedure->steps[step]))
    set(&procedure->steps[step], ASE_STATE_STALE, reason);
  make_stale_above(procedure, step, reason);
}

static void set_result(AseProcedure *procedure, AseStep step, guint joint, AseStepState state,
                       const char *reason) {
  const AseStepRow *row = row_of(procedure, step);
  if (!row)
    return;
  if (!row->is_jointwise) {
    set(&procedure->steps[step], state, reason);
  } else {
    for (guint j = 0; j < procedure->joints; j++)
      if (joint == 0 || joint == j + 1)
        set(&procedure->joint[step][j], state, reason);
    follow_joints(procedure, step);
  }
  char *text = aio_said(N_("\"%s\" has been repeated"), ase_steps_said(procedure->table, step));
  make_stale_above(procedure, step, text);
  g_free(text);
}

void ase_procedure_start(AseProcedure *procedure, AseStep step, guint joint) {
  set_result(procedure, step, joint, ASE_STATE_RUNNING, NULL);
}

void ase_procedure_pass(AseProcedure *procedure, AseStep step, guint joint, const char *reason) {
  set_result(procedure, step, joint, ASE_STATE_PASSED, reason);
}

void ase_procedure_fail(AseProcedure *procedure, AseStep step, guint joint, const char *reason) {
  set_result(procedure, step, joint, ASE_STATE_FAILED, reason);
}

void ase_procedure_leave_unjudged(AseProcedure *procedure, AseStep step, guint joint,
                                  const char *reason) {
  set_result(procedure, step, joint, ASE_STATE_UNJUDGED, reason);
}

void ase_procedure_outdate(AseProcedure *procedure, AseStep step, const char *reason) {
  const AseStepRow *row = row_of(procedure, step);
  if (row)
    make_stale(procedure, row, reason);
}

void ase_procedure_outdate_joint(AseProcedure *procedure, AseStep step, guint joint,
                                 const char *reason) {
  const AseStepRow *row = row_of(procedure, step);
  if (!row)
    return;
  AseStepInfo *info =
      row->is_jointwise ? &procedure->joint[step][joint - 1] : &procedure->steps[step];
  if (has_result(info))
    set(info, ASE_STATE_STALE, reason);
  if (row->is_jointwise)
    follow_joints(procedure, step);
}

void ase_procedure_changed(AseProcedure *procedure, AseInput input, const char *what) {
  const AseStepRow *row;
  for (guint k = 0; (row = row_at(procedure, k)); k++)
    if (row->inputs & ASE_BIT(input))
      make_stale(procedure, row, what ? what : aio_said_word(input_texts[input]));
}

static bool is_other(const char *then, const char *now) {
  return *then && strcmp(then, now) != 0;
}

void ase_procedure_meet(AseProcedure *procedure, const char *serial, guint32 digest) {
  if (is_other(procedure->dry_run_serial, serial)) {
    const char *said =
        aio_said_word(N_("another controller is connected than the one of the dry run"));
    ase_procedure_outdate(procedure, ASE_STEP_DRY_RUN, said);
    if (procedure->steps[ASE_STEP_SWEEP].state == ASE_STATE_FAILED)
      ase_procedure_outdate(procedure, ASE_STEP_SWEEP, said);
  }
  if (is_other(procedure->proof.serial, serial))
    ase_procedure_outdate(
        procedure, ASE_STEP_UPLOAD,
        aio_said_word(N_("another controller is connected than the one that was written to")));
  else if (digest && procedure->proof.digest && digest != procedure->proof.digest)
    ase_procedure_outdate(
        procedure, ASE_STEP_UPLOAD,
        aio_said_word(N_("the controller has other parameters than were written")));
}

bool ase_procedure_is_of(const AseProcedure *procedure, const char *serial, GError **error) {
  if (!is_other(procedure->fit_serial, serial))
    return true;
  aio_error_set_said(error, AIO_ERROR_REFUSED,
                     N_("these parameters were measured with controller %s; this is %s"),
                     procedure->fit_serial, serial);
  return false;
}

void ase_procedure_resume(AseProcedure *procedure) {
  const char *interrupted = aio_said_word(N_("interrupted: the program ended"));
  for (AseStep step = 0; step < ASE_STEPS; step++) {
    for (guint j = 0; j < procedure->joints; j++)
      if (procedure->joint[step][j].state == ASE_STATE_RUNNING)
        set(&procedure->joint[step][j], ASE_STATE_FAILED, interrupted);
    if (procedure->steps[step].state == ASE_STATE_RUNNING)
      set(&procedure->steps[step], ASE_STATE_FAILED, interrupted);
  }
  ase_procedure_changed(procedure, ASE_INPUT_DEVICE,
                        aio_said_word(N_("not connected since the program started")));
}

/* ---- files ---- */

static void write_info(AioJsonWriter *w, const AseStepInfo *info) {
  aio_json_write_begin_flat_object(w);
  aio_json_put_string(w, "state", state_keys[info->state]);
  char *reason = aio_said_to_file(info->reason);
  if (reason)
    aio_json_put_string(w, "reason", reason);
  g_free(reason);
  aio_json_write_end_object(w);
}

static void write_step(AioJsonWriter *w, const AseProcedure *procedure, const AseStepRow *row) {
  aio_json_write_key(w, row->key);
  if (!row->is_jointwise) {
    write_info(w, &procedure->steps[row->step]);
    return;
  }
  aio_json_write_begin_array(w);
  for (guint j = 0; j < procedure->joints; j++)
    write_info(w, &procedure->joint[row->step][j]);
  aio_json_write_end_array(w);
}

static void write_proof(AioJsonWriter *w, const AseTransferProof *proof) {
  aio_json_write_key(w, "proof");
  aio_json_write_begin_flat_object(w);
  aio_json_put_string(w, "serial", proof->serial);
  aio_json_put_int(w, "digest", proof->digest);
  aio_json_put_int(w, "boot_count", proof->boot_count);
  aio_json_write_end_object(w);
}

static void write_serial(AioJsonWriter *w, const char *key, const char *serial) {
  if (*serial)
    aio_json_put_string(w, key, serial);
}

char *ase_procedure_to_json(const AseProcedure *procedure) {
  return ase_procedure_to_json_with(procedure, NULL, NULL);
}

char *ase_procedure_to_json_with(const AseProcedure *procedure, const char *key, const char *json) {
  GString *text = g_string_new(NULL);
  AioJsonWriter *w = aio_json_writer_new(text);
  aio_json_write_begin_object(w);
  aio_json_put_int(w, "joints", procedure->joints);
  write_serial(w, "dry_run_serial", procedure->dry_run_serial);
  write_serial(w, "sweep_serial", procedure->sweep_serial);
  write_serial(w, "fit_serial", procedure->fit_serial);
  if (procedure->proof.digest)
    write_proof(w, &procedure->proof);
  const AseStepRow *row;
  for (guint k = 0; (row = row_at(procedure, k)); k++)
    write_step(w, procedure, row);
  if (json) {
    aio_json_write_key(w, key);
    aio_json_write_raw(w, json);
  }
  aio_json_write_end_object(w);
  aio_json_writer_free(w);
  return g_string_free(text, FALSE);
}

static bool read_info(const AioJsonNode *node, AseStepInfo *info, GError **error) {
  static const char *const known[] = {"state", "reason", NULL};
  if (!aio_json_require_kind(node, AIO_JSON_OBJECT, error) ||
      !aio_json_check_keys(node, known, false, error))
    return false;
  const AioJsonNode *state = aio_json_require(node, "state", error);
  const AioJsonNode *reason = aio_json_member(node, "reason");
  const char *key = NULL, *words = NULL;
  if (!state || !aio_json_get_string(state, &key, error) ||
      (reason && !aio_json_get_string(reason, &words, error)))
    return false;
  for (guint k = 0; k < ASE_STATES; k++)
    if (strcmp(key, state_keys[k]) == 0) {
      char *said = aio_said_from_file(words);
      set(info, (AseStepState)k, said);
      g_free(said);
      return true;
    }
  return aio_json_fail(state, "a state of a step", error);
}

static bool read_step(const AioJsonNode *node, AseProcedure *procedure, const AseStepRow *row,
                      GError **error) {
  const AseStep step = row->step;
  if (!row->is_jointwise)
    return read_info(node, &procedure->steps[step], error);
  if (!aio_json_require_kind(node, AIO_JSON_ARRAY, error))
    return false;
  if (aio_json_size(node) != procedure->joints)
    return aio_json_fail(node, "one entry per joint", error);
  for (guint j = 0; j < procedure->joints; j++)
    if (!read_info(aio_json_item(node, j), &procedure->joint[step][j], error))
      return false;
  follow_joints(procedure, step);
  return true;
}

/* NULL: none. */
static bool read_serial(const AioJsonNode *node, char *out, GError **error) {
  const char *serial;
  if (!node)
    return true;
  if (!aio_json_get_string(node, &serial, error))
    return false;
  ase_text_copy(out, ASE_SERIAL_BYTES, serial);
  return true;
}

static bool read_count(const AioJsonNode *object, const char *key, guint32 *out, GError **error) {
  gint64 value;
  const AioJsonNode *node = aio_json_require(object, key, error);
  if (!node || !aio_json_get_int(node, 0, G_MAXUINT32, &value, error))
    return false;
  *out = (guint32)value;
  return true;
}

static bool read_proof(const AioJsonNode *node, AseTransferProof *proof, GError **error) {
  const AioJsonNode *serial = aio_json_require_kind(node, AIO_JSON_OBJECT, error)
                                  ? aio_json_require(node, "serial", error)
                                  : NULL;
  return serial && read_serial(serial, proof->serial, error) &&
         read_count(node, "digest", &proof->digest, error) &&
         read_count(node, "boot_count", &proof->boot_count, error);
}

/* Files of earlier programs have none of them. */
static bool read_controllers(const AioJsonNode *root, AseProcedure *procedure, GError **error) {
  const AioJsonNode *proof = aio_json_member(root, "proof");
  return read_serial(aio_json_member(root, "dry_run_serial"), procedure->dry_run_serial, error) &&
         read_serial(aio_json_member(root, "sweep_serial"), procedure->sweep_serial, error) &&
         read_serial(aio_json_member(root, "fit_serial"), procedure->fit_serial, error) &&
         (!proof || read_proof(proof, &procedure->proof, error));
}

static bool read_all(const AioJsonNode *root, AseProcedure *procedure, const AseSteps *steps,
                     GError **error) {
  gint64 joints;
  const AioJsonNode *count = aio_json_require_kind(root, AIO_JSON_OBJECT, error)
                                 ? aio_json_require(root, "joints", error)
                                 : NULL;
  if (!count || !aio_json_get_int(count, 1, ARM_MAX_JOINTS, &joints, error))
    return false;
  ase_procedure_init(procedure, steps, (guint)joints);
  const AseStepRow *row;
  for (guint k = 0; (row = row_at(procedure, k)); k++) {
    const AioJsonNode *step = aio_json_require(root, row->key, error);
    if (!step || !read_step(step, procedure, row, error))
      return false;
  }
  return read_controllers(root, procedure, error);
}

bool ase_procedure_from_json(AseProcedure *procedure, const AseSteps *steps, const char *json,
                             GError **error) {
  const gsize bytes = strlen(json);
  if (bytes > MOST_JSON)
    aio_error_set_said(error, AIO_ERROR_TOO_LARGE,
                       N_("the steps take %.1f MB, more than this program ever writes; the file "
                          "was changed by another program, it is not used"),
                       1e-6 * (double)bytes);
  AioJson *document = bytes <= MOST_JSON ? aio_json_parse("procedure", json, bytes, error) : NULL;
  if (!document)
    return false;
  AseProcedure *read = g_new(AseProcedure, 1);
  const bool ok = read_all(aio_json_root(document), read, steps, error);
  if (ok)
    *procedure = *read;
  g_free(read);
  aio_json_free(document);
  return ok;
}
