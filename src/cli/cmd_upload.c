/* SPDX-License-Identifier: MIT */
/* `upload` and `restore`: parameters into a controller, with a backup before and proof after. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/live.h"
#include "cli/port.h"
#include "cli/text.h"
#include "io/base/said.h"
#include "io/json/json_write.h"
#include "io/params/held_out.h"
#include "io/params/verdict_file.h"
#include "session/check.h"
#include "session/method/gravity.h"
#include "session/transfer/transfer.h"

typedef struct {
  const char *port, *driver, *session, *arm, *params, *backup, *backups;
  double baud;
  bool prove, json, force;
} Args;

#define SHARED_OPTIONS                                                                             \
  {"port", CLI_TEXT, true, offsetof(Args, port), "PORT", cli_port_help},                           \
      {"baud", CLI_NUMBER, false, offsetof(Args, baud), "N", cli_baud_help},                       \
      {"driver", CLI_TEXT, false, offsetof(Args, driver), "NAME", cli_driver_help},                \
      {"backups",                                                                                  \
       CLI_TEXT,                                                                                   \
       false,                                                                                      \
       offsetof(Args, backups),                                                                    \
       "DIR",                                                                                      \
       "Where the backup of what the controller has now goes. Default: armature/backups in the "   \
       "user's data directory."},                                                                  \
      {"prove",                                                                                    \
       CLI_FLAG,                                                                                   \
       false,                                                                                      \
       offsetof(Args, prove),                                                                      \
       NULL,                                                                                       \
       "Wait until the controller has restarted (switch it off and on; a simulated one is "        \
       "restarted), and check that it has kept the parameters. A restart switches the drives "     \
       "off: the arm may fall."},                                                                  \
  {                                                                                                \
    "json", CLI_FLAG, false, offsetof(Args, json), NULL, "JSON instead of a table."                \
  }

static const CliOption upload_options[] = {
    SHARED_OPTIONS,
    {"session", CLI_TEXT, false, offsetof(Args, session), "FILE.armsession",
     "Upload the fit of this session."},
    {"arm", CLI_TEXT, false, offsetof(Args, arm), "ARM.arm.json",
     "With --params: the arm file they belong to."},
    {"params", CLI_TEXT, false, offsetof(Args, params), "P.json",
     "Upload the parameters that `fit` or `calibrate` wrote."},
    {"force", CLI_FLAG, false, offsetof(Args, force), NULL,
     "Also of a model that does not fit, of which nothing tells whether it does, that was fitted "
     "from what looks wrong, whose validation has failed or whose file was changed, without the "
     "friction terms (load, curve) that a controller has no place for, into another controller "
     "than the one the session was measured with, and into one whose joints, motor signs or gear "
     "ratios are not those of the arm file. Never into one with another number of joints."},
};

static const CliOption restore_options[] = {
    SHARED_OPTIONS,
    {"backup", CLI_TEXT, true, offsetof(Args, backup), "FILE.json", "The backup to bring back."},
    {"force", CLI_FLAG, false, offsetof(Args, force), NULL,
     "Also into another controller than the one it was made of, or other firmware: parameters are "
     "matched by name. Never into one with another number of joints."},
};

/* What a verb does, from the controller's connection on. */
typedef struct {
  CliLive live;
  AseDevice *device;
  AseTransfer *transfer;
  bool is_over, is_done;
  char *text;                /* of the task that ended last */
  AseParamSet *set;          /* uploaded; NULL: restored */
  const AioArm *arm;         /* of what is uploaded; NULL: restored */
  const ArmGravityFit *fit;  /* what is uploaded; NULL: restored */
  ArmParamSet found;         /* of fit */
  AseSession *session;       /* of what is uploaded; NULL: a file, or restored */
  const GPtrArray *held_out; /* of a file: what it says of its validation; NULL: nothing */
  bool is_changed;           /* that file since it was written */
} Work;

/* ---- waiting ---- */

static bool is_settled(void *data) {
  const AseLinkState link = ase_device_link(data);
  return link == ASE_LINK_READY || link == ASE_LINK_FAILED || link == ASE_LINK_LOST;
}

static bool is_over(void *data) {
  return ((const Work *)data)->is_over;
}

static void on_finished(AseTransfer *transfer, gboolean is_done, const char *text, Work *work) {
  (void)transfer;
  g_free(work->text);
  work->text = aio_said_text(text);
  work->is_done = is_done;
  work->is_over = true;
}

static void on_progress(AseTransfer *transfer, const char *what, double part, Work *work) {
  (void)transfer;
  g_autofree char *line = aio_said_line(what);
  if (isnan(part)) /* the user's turn */
    cli_live_say(&work->live, "%s", line);
}

/* CLI_OK: the task that has begun is done. What is on its way is finished, whoever interrupts. */
static int finish(Work *work, bool has_begun, GError **error) {
  if (!has_begun) {
    cli_fail(g_steal_pointer(error));
    return CLI_DEVICE;
  }
  if (!cli_live_wait(&work->live, is_over, work, (double)INFINITY)) {
    ase_transfer_cancel(work->transfer);
    while (!work->is_over)
      g_main_context_iteration(NULL, TRUE);
  }
  work->is_over = false;
  if (!work->is_done)
    cli_error("%s", work->text);
  return work->is_done ? CLI_OK : work->live.is_interrupted ? CLI_INTERRUPTED : CLI_DEVICE;
}

/* ---- what was done ---- */

static void write_changes(AioJsonWriter *w, const char *key, const GArray *changes) {
  aio_json_write_key(w, key);
  aio_json_write_begin_array(w);
  for (guint k = 0; changes && k < changes->len; k++) {
    const AseParamChange *change = &g_array_index(changes, AseParamChange, k);
    aio_json_write_begin_flat_object(w);
    aio_json_put_string(w, "name", change->name);
    aio_json_put_string(w, "unit", change->unit);
    aio_json_put_number(w, "before", change->before);
    aio_json_put_number(w, "after", change->after);
    aio_json_put_number(w, "sd", change->sd);
    aio_json_put_string(w, "note", *change->note ? aio_said_shown(change->note) : NULL);
    aio_json_write_end_object(w);
  }
  aio_json_write_end_array(w);
}

static const GPtrArray *missing_of(const Work *work) {
  return work->set ? work->set->missing : ase_transfer_missing(work->transfer);
}

/* g_string_free it. */
static GString *make_json(const Work *work, bool is_proved) {
  const AseTransferProof *proof = ase_transfer_proof(work->transfer);
  const GPtrArray *missing = missing_of(work);
  g_autofree char *digest = proof ? g_strdup_printf("%08x", proof->digest) : NULL;
  GString *text = g_string_new(NULL);
  AioJsonWriter *w = aio_json_writer_new(text);
  aio_json_write_begin_object(w);
  aio_json_put_string(w, "format", "armature-upload");
  aio_json_put_int(w, "version", 1);
  aio_json_put_string(w, "backup", ase_transfer_backup_path(work->transfer));
  aio_json_put_string(w, "digest", digest);
  aio_json_put_bool(w, "proved", is_proved);
  write_changes(w, "changes", work->set ? work->set->changes : NULL);
  write_changes(w, "differences", ase_transfer_differences(work->transfer));
  aio_json_write_key(w, "missing");
  aio_json_write_begin_array(w);
  for (guint k = 0; missing && k < missing->len; k++) {
    g_autofree char *line = aio_said_line(missing->pdata[k]);
    aio_json_write_string(w, line);
  }
  aio_json_write_end_array(w);
  aio_json_write_end_object(w);
  aio_json_writer_free(w);
  return text;
}

static void print_table(const Work *work) {
  const GPtrArray *missing = missing_of(work);
  CliTable *table = cli_table_new("lrrll");
  const char *const heads[] = {"parameter", "before", "after", "unit", ""};
  for (gsize k = 0; k < G_N_ELEMENTS(heads); k++)
    cli_table_cell(table, "%s", heads[k]);
  for (guint k = 0; work->set && k < work->set->changes->len; k++) {
    const AseParamChange *change = &g_array_index(work->set->changes, AseParamChange, k);
    cli_table_take(table, cli_name(change->name));
    cli_table_take(table, cli_format_number(change->before, 6));
    cli_table_take(table, cli_format_number(change->after, 6));
    cli_table_take(table, cli_name(change->unit));
    cli_table_take(table, cli_name(aio_said_shown(change->note)));
  }
  cli_table_finish(table);
  for (guint k = 0; missing && k < missing->len; k++)
    cli_print_wrapped(aio_said_text(missing->pdata[k]));
}

/* What was done is put into words before the next task forgets it. */
static int conclude(const Args *args, Work *work) {
  GError *error = NULL;
  g_autoptr(GString) json = make_json(work, args->prove);
  int code = CLI_OK;
  cli_live_say(&work->live, "%s", work->text);
  if (!args->json && work->set)
    print_table(work);
  if (args->prove) {
    const AseTransferProof proof = *ase_transfer_proof(work->transfer);
    code = finish(work, ase_transfer_verify(work->transfer, &proof, true, &error), &error);
    if (code == CLI_OK)
      cli_live_say(&work->live, "%s", work->text);
  }
  if (args->json && code == CLI_OK)
    code = cli_write(NULL, json->str, json->len, false);
  return code;
}

/* ---- the verbs ---- */

static void object(const Args *args, const char *what) {
  cli_error("%s: %s; nothing was written, --force uploads all the same",
            args->session ? args->session : args->params, what);
}

static bool has_failed_validation(AseSession *session) {
  return ase_procedure_state(ase_session_procedure(session), ASE_STEP_VALIDATE) == ASE_STATE_FAILED;
}

/* What the fit itself does not know, warned of also with --force. */
static void warn_steps(const Args *args, AseSession *session) {
  const AseProcedure *procedure = ase_session_procedure(session);
  const char *fit = ase_step_reason(&procedure->steps[ASE_STEP_FIT]);
  const char *validation = ase_step_reason(&procedure->steps[ASE_STEP_VALIDATE]);
  AseUploadDoubts doubts;
  ase_session_upload_doubts(session, &doubts);
  if (doubts.is_unjudged)
    cli_warning("%s: nothing tells whether the fit is good%s%s", args->session, *fit ? ": " : "",
                fit);
  if (doubts.is_unvalidated)
    cli_warning("%s: %s%s%s", args->session,
                has_failed_validation(session) ? "the validation has failed"
                                               : "the fit is not validated, though there are "
                                                 "sweeps for it",
                *validation ? ": " : "", validation);
}

/* What is known of a fit that comes from a file, as a session knows it. */
static void doubts_of_file(const Work *work, AseUploadDoubts *out) {
  const AioHeldOutState state = aio_held_out_state(work->held_out);
  *out = (AseUploadDoubts){.serial = ""};
  out->is_misfit = aio_verdict_is_misfit(work->fit);
  out->is_doubtful = aio_verdict_is_doubtful(work->fit);
  out->is_unjudged = !out->is_misfit && !out->is_doubtful && aio_verdict_is_unknown(work->fit);
  out->is_unvalidated =
      state == AIO_HELD_OUT_FAILED || state == AIO_HELD_OUT_STALE || state == AIO_HELD_OUT_MISSING;
}

/* Against the numbers themselves. */
static bool object_to_fit(const Args *args, const Work *work, const AseUploadDoubts *doubts) {
  const bool has_failed = work->session ? has_failed_validation(work->session)
                                        : aio_held_out_state(work->held_out) == AIO_HELD_OUT_FAILED;
  if (doubts->is_misfit)
    object(args, "the model did not fit, its currents are wrong");
  if (doubts->is_doubtful && !doubts->is_misfit)
    object(args, "what it was fitted from looks wrong");
  if (doubts->is_unjudged)
    object(args, "nothing tells whether the model fits");
  if (doubts->is_unvalidated)
    object(args, has_failed ? "the validation has failed"
                            : "its validation is out of date, or missing though there are sweeps");
  if (work->is_changed)
    object(args, "its numbers were changed after they were fitted");
  return doubts->is_misfit || doubts->is_doubtful || doubts->is_unjudged ||
         doubts->is_unvalidated || work->is_changed;
}

static void object_all(const Args *args, const GPtrArray *said) {
  for (guint k = 0; k < said->len; k++) {
    g_autofree char *line = aio_said_line(said->pdata[k]);
    object(args, line);
  }
}

/* Against the arm that is connected, as far as it can be told. */
static bool object_to_arm(const Args *args, const Work *work) {
  guint n;
  const AioParam *params = ase_transfer_params(work->transfer, &n);
  const AioDescription *d = ase_device_description(work->device);
  g_autoptr(GPtrArray) list =
      d ? ase_check_arm(work->arm, d, params, n) : g_ptr_array_new_with_free_func(g_free);
  object_all(args, list);
  return list->len > 0;
}

/* All that stands against it at once: --force is for all of it. What does not fit was said when the
 * parameters were read. */
static int may_upload(const Args *args, const Work *work) {
  g_autoptr(GError) other = NULL;
  g_autoptr(GPtrArray) lost = ase_param_lost_terms(&work->found);
  const AioDescription *d = ase_device_description(work->device);
  AseUploadDoubts doubts;
  if (args->force)
    return CLI_OK;
  if (work->session)
    ase_session_upload_doubts(work->session, &doubts);
  else
    doubts_of_file(work, &doubts);
  const bool is_infeasible = object_to_fit(args, work, &doubts);
  if (work->session && d &&
      !ase_procedure_is_of(ase_session_procedure(work->session), d->serial, &other))
    object(args, other->message);
  const bool is_other_arm = object_to_arm(args, work);
  object_all(args, lost);
  if (is_infeasible)
    return CLI_INFEASIBLE;
  return other || is_other_arm || lost->len ? CLI_DEVICE : CLI_OK;
}

static int check_count(const Args *args, const Work *work) {
  g_autoptr(GError) error = NULL;
  if (ase_check_count(work->arm, ase_device_description(work->device), &error))
    return CLI_OK;
  cli_error("%s: %s; nothing was written", args->session ? args->session : args->params,
            error->message);
  return CLI_DEVICE;
}

static int upload_fit(const Args *args, Work *work) {
  GError *error = NULL;
  guint n;
  int code = check_count(args, work);
  if (code == CLI_OK)
    code = finish(work, ase_transfer_read(work->transfer, &error), &error);
  if (code == CLI_OK)
    code = may_upload(args, work);
  if (code != CLI_OK)
    return code;
  const AioParam *params = ase_transfer_params(work->transfer, &n);
  work->set = ase_param_set_from_fit(&work->found, params, n, &error);
  if (!work->set) {
    cli_fail(error);
    return CLI_DEVICE;
  }
  code = finish(work, ase_transfer_upload(work->transfer, work->set, &error), &error);
  return code == CLI_OK ? conclude(args, work) : code;
}

static int restore_backup(const Args *args, Work *work, const AseBackup *backup) {
  GError *error = NULL;
  const bool has_begun = ase_transfer_restore(work->transfer, backup, args->force, &error);
  const int code = finish(work, has_begun, &error);
  return code == CLI_OK ? conclude(args, work) : code;
}

/* fit or backup is NULL; session: whose fit it is, or NULL; params: the file it is from, or NULL;
 * arm NULL: not known. */
static int work_at(const Args *args, const CliVerb *verb, const ArmGravityFit *fit,
                   AseSession *session, const AioParams *params, const AioArm *arm,
                   const AseBackup *backup) {
  Work work = {.arm = arm,
               .fit = fit,
               .session = session,
               .held_out = params ? params->held_out : NULL,
               .is_changed = params && params->stated_digest &&
                             strcmp(params->stated_digest, params->digest) != 0};
  g_autoptr(CliPort) port = NULL;
  AioLink *link;
  AseDeviceOptions device;
  GError *error = NULL;
  const CliDriver driver = {args->driver, arm, args->baud};
  int code = cli_port_open(verb, args->port, &driver, &port, &link);
  if (code != CLI_OK)
    return code;
  const bool *is_torque = params ? params->is_torque : NULL; /* sessions have currents */
  const ArmStatus status =
      fit ? arm_gravity_set(&fit->refined, is_torque, false, &work.found) : ARM_OK;
  ase_device_options_default(&device);
  device.reopen = cli_port_reopen;
  device.reopen_ctx = port;
  device.driver = args->driver;
  device.arm = arm;
  work.device = ase_device_new();
  work.transfer = ase_transfer_new(work.device, args->backups);
  g_signal_connect(work.transfer, "finished", G_CALLBACK(on_finished), &work);
  g_signal_connect(work.transfer, "progress", G_CALLBACK(on_progress), &work);
  cli_live_begin(&work.live, NULL, args->json);
  code = CLI_DEVICE;
  if (status != ARM_OK) {
    aio_link_close(link);
    cli_error("%s", arm_status_text(status));
  } else if (!ase_device_open(work.device, link, &device, &error)) {
    aio_link_close(link);
    cli_fail(error);
  } else if (!cli_live_wait(&work.live, is_settled, work.device, (double)INFINITY)) {
    code = CLI_INTERRUPTED;
  } else if (ase_device_link(work.device) != ASE_LINK_READY) {
    cli_error("%s: %s", cli_port_name(port), ase_device_reason(work.device));
  } else {
    code = fit ? upload_fit(args, &work) : restore_backup(args, &work, backup);
  }
  cli_live_end(&work.live);
  g_object_unref(work.transfer);
  ase_device_close(work.device);
  g_object_unref(work.device);
  ase_param_set_free(work.set);
  arm_param_set_clear(&work.found);
  g_free(work.text);
  return code;
}

static int upload_session(const Args *args) {
  g_autoptr(GError) error = NULL;
  g_autoptr(AseSession) session = ase_session_open_read(args->session, &error);
  if (!session)
    return cli_fail(g_steal_pointer(&error));
  if (!ase_session_may_export(session, &error)) {
    cli_error("%s: %s", args->session, error->message);
    return CLI_BAD_INPUT;
  }
  const ArmGravityFit *fit = ase_gravity_of(ase_session_fit(session));
  cli_warn_misfit(args->session, fit);
  warn_steps(args, session);
  return work_at(args, &cli_upload, fit, session, NULL, ase_session_arm(session), NULL);
}

static int run_upload(const void *arguments) {
  const Args *args = arguments;
  ArmStructure structure;
  const bool has_params = args->params && args->arm;
  if ((args->session != NULL) == has_params || (args->session && (args->params || args->arm)))
    return cli_usage(&cli_upload, "state what to upload: either --session, or --params with --arm");
  if (args->session)
    return upload_session(args);
  g_autoptr(AioArm) arm = cli_load_arm(args->arm, &structure);
  g_autoptr(AioParams) params = arm ? cli_load_params(args->params, args->arm, arm) : NULL;
  return params ? work_at(args, &cli_upload, &params->fit, NULL, params, arm, NULL) : CLI_BAD_INPUT;
}

static int run_restore(const void *arguments) {
  const Args *args = arguments;
  GError *error = NULL;
  g_autoptr(AseBackup) backup = ase_backup_load(args->backup, &error);
  if (!backup)
    return cli_fail(error);
  return work_at(args, &cli_restore, NULL, NULL, NULL, NULL, backup);
}

const CliVerb cli_upload = {
    .name = "upload",
    .summary = "parameters into a controller, with a backup before and proof after",
    .purpose =
        "Reads what the controller has and writes it to a dated backup, sends the new parameters, "
        "has them committed at once, reads them back and lists every field that differs. A "
        "controller that loses power meanwhile has the old set or the new one, never a mixture. "
        "Nothing moves. The protocol has places for gravity and friction of sweeps: what "
        "`identify` "
        "found of a moving arm goes into firmware as C (`export`), not by this verb.",
    .example = "armature-cli upload --session bench.armsession --port 0403:6014:FT4THUQ1 --prove\n"
               "uploads the fit of a session and, after the controller was switched off and on, "
               "proves that it has kept it.",
    .exits = "0 done, 2 usage, 3 bad input, or the result could not be printed (a closed standard "
             "output is refused before anything is sent; otherwise stderr says what is written), "
             "4 the model did not fit, nobody knows whether it does, "
             "its recording looks wrong, its validation has failed or its file was changed (see "
             "--force), 5 the controller: "
             "not there, refused, without a place for friction terms, not the one of the session "
             "or not of this arm (see --force), or other values read back than written, 130 "
             "interrupted (what was on its way is finished first).",
    .options = upload_options,
    .n_options = G_N_ELEMENTS(upload_options),
    .args_size = sizeof(Args),
    .run = run_upload,
};

const CliVerb cli_restore = {
    .name = "restore",
    .summary = "a backup of its parameters back into a controller",
    .purpose = "Brings back what `upload` has backed up; what the controller has now is backed up "
               "first. Nothing moves.",
    .example = "armature-cli restore --backup 20261121T201500Z-1a2b3c4d.json --port /dev/ttyUSB0\n"
               "brings the parameters of that moment back.",
    .exits = "0 done, 2 usage, 3 no such backup, or a damaged one, 5 the controller: not there, "
             "refused, not the one the backup was made of, 130 interrupted.",
    .options = restore_options,
    .n_options = G_N_ELEMENTS(restore_options),
    .args_size = sizeof(Args),
    .run = run_restore,
};
