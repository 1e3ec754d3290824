/* SPDX-License-Identifier: MIT */
/* The way of a task from answer to answer: what the controller has is read, kept as a backup,
 * replaced as one set and read again; a proof restarts it and reads once more. Only what was read
 * counts: when power or the cable failed amid it, the old set or the new one is there, and is
 * looked for (docs/protocol.md, COMMIT). */
#include "io/base/said.h"
#include "session/transfer/transfer_internal.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

enum {
  POLL_MS = 250, /* longer than a controller needs to fall silent after it refused a COMMIT */
  RETURN_S = 10, /* for a controller that lost power or its cable amid an upload */
  NAMED = 5      /* parameters in a message */
};

static void send(AseTransfer *self, const AioCommand *command, AioReplyFunc done) {
  self->is_asking = true;
  ase_device_send(self->device, command, done, g_object_ref(self));
}

static void fail_with(AseTransfer *self, GError *error) {
  ase_transfer_finish(self, false, g_strdup(aio_error_said(error)));
  g_error_free(error);
}

/* ---- what was read ---- */

/* "servo.kp, servo.kd and 3 more" */
static char *names_said(const GArray *changes) {
  GPtrArray *list = aio_said_list_new();
  for (guint k = 0; k < MIN(changes->len, (guint)NAMED); k++)
    aio_said_list_add(list, "%s%s", k ? ", " : "", g_array_index(changes, AseParamChange, k).name);
  if (changes->len > NAMED)
    aio_said_list_add(list, N_(" and %u more"), changes->len - NAMED);
  return aio_said_list_join(list, "");
}

static bool has(AseTransfer *self, const double *values) {
  if (self->n != self->n_set)
    return false;
  GArray *differences = ase_param_differences(values, self->params, self->n);
  const bool is_same = differences->len == 0;
  g_array_unref(differences);
  return is_same;
}

static char *written_said(AseTransfer *self) {
  return aio_said(N_("%u parameters are written, stored and read back, digest %08x; what was "
                     "there before is in %s"),
                  self->n, self->digest, self->path);
}

/* Neither the old set nor the new one, or one that is not stored. */
static char *wrong_said(AseTransfer *self) {
  if (self->differences->len == 0)
    return aio_said(N_("the controller uses the new parameters, but has not stored them "
                       "(digest %08x in use, %08x stored); they are lost when it is switched "
                       "off; upload again"),
                    self->digest, self->stored);
  char *names = names_said(self->differences);
  /* TRANSLATORS: the first two are a failure and "; ", or both are empty */
  char *text =
      aio_said(N_("%s%sthe controller does not have what was written: %s; what was "
                  "there before is in %s"),
               self->failure ? self->failure : "", self->failure ? "; " : "", names, self->path);
  g_free(names);
  return text;
}

static void judge_upload(AseTransfer *self, const AioDescription *description) {
  if (self->n != self->n_set || strcmp(self->proof.serial, description->serial) != 0) {
    ase_transfer_finish(self, false,
                        aio_said(N_("another controller answers now; connect the right one")));
    return;
  }
  self->differences = ase_param_differences(self->after, self->params, self->n);
  if (self->failure && has(self, self->before)) {
    ase_transfer_finish(
        self, false,
        aio_said(N_("%s; the old parameters are in force, all of them"), self->failure));
    return;
  }
  if (self->differences->len || self->digest != self->stored) {
    ase_transfer_finish(self, false, wrong_said(self));
    return;
  }
  self->has_proof = true;
  self->proof.digest = self->digest;
  self->proof.boot_count = description->boot_count;
  ase_transfer_finish(self, true, written_said(self));
}

/* ---- writing ---- */

static void poll_until(AseTransfer *self, gint64 deadline_us);

static void on_uploaded(const AioReply *reply, void *ctx) {
  AseTransfer *self = ctx;
  self->is_asking = false;
  self->step = STEP_CHECK;
  if (reply->code)
    self->failure = aio_said(N_("the upload failed (%s)"), reply->message);
  ase_transfer_progress(self, aio_said_word(N_("reading back what the controller has now")), 0.7);
  poll_until(self, g_get_monotonic_time() + RETURN_S * G_USEC_PER_SEC);
  g_object_unref(self);
}

static bool save(AseTransfer *self, const AioDescription *description, GError **error) {
  GError *why = NULL;
  AseBackup *backup = ase_backup_new(description, self->params, self->n, self->digest);
  self->path = ase_backup_save(backup, self->directory, &why);
  ase_backup_free(backup);
  backup = self->path ? ase_backup_load(self->path, &why) : NULL;
  const bool is_saved = backup != NULL;
  ase_backup_free(backup);
  if (!is_saved)
    aio_error_set_said(
        error, (AioErrorCode)why->code, "%s%s",
        aio_said_word(N_("nothing was written to the controller, because there is no backup: ")),
        aio_error_said(why));
  g_clear_error(&why);
  return is_saved;
}

static void write_set(AseTransfer *self, const AioDescription *description) {
  GError *error = NULL;
  ase_transfer_progress(self, aio_said_word(N_("writing the backup")), 0.3);
  if (!save(self, description, &error)) {
    fail_with(self, error);
    return;
  }
  ase_transfer_progress(self, aio_said_word(N_("writing to the controller")), 0.4);
  if (self->is_cancelled) {
    ase_transfer_finish(self, false, aio_said(N_("cancelled; nothing was written")));
    return;
  }
  g_strlcpy(self->proof.serial, description->serial, sizeof self->proof.serial);
  self->step = STEP_WRITE;
  const AioCommand command = {.kind = AIO_COMMAND_PARAMS_UPLOAD,
                              .params = {.n = self->n_set, .values = self->after}};
  send(self, &command, on_uploaded);
}

static bool find_restored(AseTransfer *self, GError **error) {
  AseParamSet *set =
      ase_param_set_from_params(self->restored, self->n_restored, self->params, self->n, error);
  if (!set)
    return false;
  self->n_set = set->n;
  self->before = g_steal_pointer(&set->before);
  self->after = g_steal_pointer(&set->after);
  self->missing = g_ptr_array_ref(set->missing);
  ase_param_set_free(set);
  return true;
}

static void on_read(AseTransfer *self, const AioDescription *description) {
  GError *error = NULL;
  if (self->task == TASK_READ)
    ase_transfer_finish(self, true, aio_said(N_("%u parameters read"), self->n));
  else if (self->task == TASK_RESTORE && !find_restored(self, &error))
    fail_with(self, error);
  else if (!has(self, self->before))
    ase_transfer_finish(
        self, false,
        aio_said(N_("the controller's parameters are no longer those that the changes were made "
                    "for; nothing was written; read them again")));
  else
    write_set(self, description);
}

/* ---- verifying ---- */

static void judge_restart(AseTransfer *self, const AioDescription *description) {
  const AseTransferProof *expected = &self->expected;
  if (self->digest == expected->digest && self->stored == expected->digest)
    ase_transfer_finish(
        self, true,
        aio_said(N_("the controller has the parameters still after a restart: digest %08x, "
                    "start %u, written in start %u"),
                 self->digest, description->boot_count, expected->boot_count));
  else
    ase_transfer_finish(
        self, false,
        aio_said(N_("the set with the digest %08x was written, after the restart the "
                    "controller uses %08x and has %08x stored; upload again"),
                 expected->digest, self->digest, self->stored));
}

static void on_restarting(const AioReply *reply, void *ctx) {
  AseTransfer *self = ctx;
  self->is_asking = false;
  if (reply->code && reply->code != AIO_REPLY_CODE(AIO_ERROR_GONE) &&
      reply->code != AIO_REPLY_CODE(AIO_ERROR_TIMEOUT))
    ase_transfer_finish(self, false,
                        aio_said(N_("the controller does not restart: %s"), reply->message));
  g_object_unref(self);
}

static void restart(AseTransfer *self, const AioDescription *description) {
  if (self->step == STEP_RESTART)
    return;
  self->step = STEP_RESTART;
  if (!self->may_restart || !(description->capabilities & AIO_CAN_TEST)) {
    ase_transfer_progress(self, aio_said_word(N_("switch the controller off and on again")), NAN);
    return;
  }
  ase_transfer_progress(self, aio_said_word(N_("restarting the controller")), 0.3);
  self->deadline_us = g_get_monotonic_time() + RETURN_S * G_USEC_PER_SEC;
  const AioCommand command = {.kind = AIO_COMMAND_TEST,
                              .test = {.kind = AIO_TEST_REBOOT, .value = AIO_RESET_SOFTWARE}};
  send(self, &command, on_restarting);
}

/* ---- reading ---- */

/* Amid a check the link may still be down, or go down once more. */
static void on_unread(AseTransfer *self, const AioReply *reply) {
  if (self->step != STEP_READ)
    return;
  ase_transfer_finish(
      self, false,
      aio_said("%s%s", reply->code ? reply->message : aio_said_word(N_("the connection was lost")),
               self->task == TASK_READ ? "" : aio_said_word(N_("; nothing was written"))));
}

static void on_params(const AioReply *reply, void *ctx) {
  AseTransfer *self = ctx;
  self->is_asking = false;
  const AioDescription *description = ase_transfer_ready(self);
  if (reply->code || !description) {
    on_unread(self, reply);
  } else {
    g_free(self->params);
    self->params = g_memdup2(reply->params, reply->n_params * sizeof *reply->params);
    self->n = reply->n_params;
    if (self->step == STEP_CHECK)
      judge_upload(self, description);
    else
      on_read(self, description);
  }
  g_object_unref(self);
}

static void on_digest(const AioReply *reply, void *ctx) {
  AseTransfer *self = ctx;
  self->is_asking = false;
  const AioDescription *description = ase_transfer_ready(self);
  if (reply->code || !description) {
    on_unread(self, reply);
  } else {
    self->digest = reply->digest;
    self->stored = reply->stored_digest;
    if (self->task == TASK_VERIFY)
      judge_restart(self, description);
    else
      send(self, &(AioCommand){.kind = AIO_COMMAND_PARAMS_GET}, on_params);
  }
  g_object_unref(self);
}

static void ask(AseTransfer *self) {
  send(self, &(AioCommand){.kind = AIO_COMMAND_PARAMS_DIGEST}, on_digest);
}

/* ---- waiting ---- */

static char *overdue_said(AseTransfer *self) {
  if (self->task == TASK_VERIFY)
    return aio_said(N_("the controller did not come back after its restart; connect it again"));
  return aio_said(N_("%s; the controller did not come back, it has either the old parameters "
                     "or the new ones, whole; connect it again and read them; the old ones "
                     "are in %s"),
                  self->failure ? self->failure
                                : aio_said_word(N_("the parameters could not be read back")),
                  self->path);
}

static void look_for_restart(AseTransfer *self, const AioDescription *description) {
  if (strcmp(description->serial, self->expected.serial) != 0)
    ase_transfer_finish(
        self, false,
        aio_said(N_("the parameters were written to the controller \"%s\", connected is "
                    "\"%s\"; connect the right one"),
                 self->expected.serial, description->serial));
  else if (description->boot_count == self->expected.boot_count)
    restart(self, description);
  else
    ask(self);
}

static gboolean on_poll(gpointer data) {
  AseTransfer *self = data;
  const AioDescription *description = ase_transfer_ready(self);
  g_object_ref(self);
  if (!self->is_asking && self->task == TASK_VERIFY && self->is_cancelled)
    ase_transfer_finish(
        self, false,
        aio_said(N_("cancelled; whether the parameters outlast a restart is not known")));
  else if (!self->is_asking && g_get_monotonic_time() > self->deadline_us)
    ase_transfer_finish(self, false, overdue_said(self));
  else if (!self->is_asking && description && self->task == TASK_VERIFY)
    look_for_restart(self, description);
  else if (!self->is_asking && description)
    ask(self);
  const gboolean goes_on = self->source != 0;
  g_object_unref(self);
  return goes_on;
}

/* After success at once, else after the time in which a restart would show. */
static void poll_until(AseTransfer *self, gint64 deadline_us) {
  self->deadline_us = deadline_us;
  self->source = g_timeout_add(POLL_MS, on_poll, self);
  if (!self->failure)
    on_poll(self);
}

void ase_transfer_run(AseTransfer *self) {
  if (self->task == TASK_VERIFY) {
    poll_until(self, G_MAXINT64);
  } else {
    self->step = STEP_READ;
    ase_transfer_progress(self, aio_said_word(N_("reading the controller's parameters")), 0.0);
    ask(self);
  }
}
