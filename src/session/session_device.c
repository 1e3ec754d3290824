/* SPDX-License-Identifier: MIT */
/* CONNECT, DESCRIBE and CHECK: what the controller tells of itself decides them. */
#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "io/json/json_write.h"
#include "session/base/text.h"
#include "session/check.h"
#include "session/session_internal.h"

enum { FIRST_SAMPLE_MS = 3000 }; /* as long as a HELLO is repeated */

/* ---- the connection in the file ---- */

static char *description_to_json(const AioDescription *d) {
  GString *text = g_string_new(NULL);
  AioJsonWriter *w = aio_json_writer_new(text);
  aio_json_write_begin_object(w);
  aio_json_put_string(w, "driver", d->driver);
  aio_json_put_string(w, "name", d->name);
  aio_json_put_string(w, "serial", d->serial);
  aio_json_put_string(w, "firmware", d->firmware);
  aio_json_put_string(w, "protocol", d->protocol);
  aio_json_put_int(w, "boot_count", d->boot_count);
  aio_json_put_string(w, "reset", d->reset_text);
  aio_json_put_int(w, "capabilities", d->capabilities);
  aio_json_put_int(w, "joints", d->joints);
  aio_json_put_number(w, "time_factor", d->time_factor);
  aio_json_put_int(w, "digest", d->digest);
  aio_json_write_end_object(w);
  aio_json_writer_free(w);
  return g_string_free(text, FALSE);
}

static void record_connection(AseSession *self) {
  const AioDescription *d = ase_device_description(self->device);
  if (d && !self->is_described) {
    char *json = description_to_json(d);
    ase_record_connect(self->record, json);
    g_free(json);
  }
  self->is_described = d != NULL;
}

/* ---- CHECK ---- */

static void stop_waiting(AseSession *self) {
  if (self->check_timeout)
    g_source_remove(self->check_timeout);
  self->check_timeout = 0;
}

static void append_health(GString *text, AseSession *self, guint joints) {
  const double supply = ase_device_supply(self->device);
  double hottest = NAN;
  for (guint j = 1; j <= joints; j++)
    hottest = fmax(hottest, ase_device_temperature(self->device, j));
  if (!isnan(supply))
    g_string_append_printf(text, _(", supply %.1f V"), supply);
  if (!isnan(hottest))
    g_string_append_printf(text, _(", hottest motor %.0f degrees Celsius"), hottest);
}

/* What a person must do, since the controller does not. */
static void append_caution(GString *text, const AioDescription *d) {
  char *caution = ase_check_caution(d);
  if (caution)
    g_string_append_printf(text, "; %s", caution);
  g_free(caution);
}

static GPtrArray *find_objections(AseSession *self, const AseCondition *condition) {
  GPtrArray *list =
      ase_check_drives(self->arm, (const AioParam *)self->params->data, self->params->len);
  g_ptr_array_extend_and_steal(list, ase_check_condition(self->arm, self->edits, condition));
  return list;
}

static void judge_condition(AseSession *self, const double *q) {
  double motor_C[ARM_MAX_JOINTS];
  const AioDescription *d = ase_device_description(self->device);
  for (guint j = 0; j < ARM_MAX_JOINTS; j++)
    motor_C[j] = ase_device_temperature(self->device, j + 1);
  const AseCondition condition = {
      .description = d, .state = ase_device_state(self->device), .q = q, .motor_C = motor_C};
  GPtrArray *objections = find_objections(self, &condition);
  if (objections->len > 0) {
    char *text = ase_check_text(objections);
    ase_procedure_fail(self->procedure, ASE_STEP_CHECK, 0, text);
    ase_session_say(self, 2, "%s", text);
    g_free(text);
  } else {
    GString *text =
        g_string_new(d->capabilities & AIO_CAN_ESTOP
                         ? _("pose, limits and emergency stop chain are as they should be")
                         : _("pose and limits are as they should be"));
    append_health(text, self, d->joints);
    append_caution(text, d);
    ase_procedure_pass(self->procedure, ASE_STEP_CHECK, 0, text->str);
    g_string_free(text, TRUE);
  }
  g_ptr_array_unref(objections);
}

/* One of now: those of a controller that has fallen silent tell nothing of it. */
static bool has_sample(AseSession *self, double *q) {
  return ase_device_pose(self->device, q) && !ase_device_is_silent(self->device);
}

/* An answer comes to every command, be it that the controller does not answer. */
static gboolean on_no_sample(gpointer data) {
  AseSession *self = data;
  double q[ARM_MAX_JOINTS];
  if (has_sample(self, q))
    return G_SOURCE_CONTINUE;
  self->check_timeout = 0;
  ase_procedure_fail(self->procedure, ASE_STEP_CHECK, 0,
                     _("no sample came within 3 s of the controller's answer; check the cable and "
                       "repeat this step"));
  ase_session_sync(self);
  return G_SOURCE_REMOVE;
}

void ase_session_check(AseSession *self) {
  double q[ARM_MAX_JOINTS];
  stop_waiting(self);
  if (!self->is_asking && has_sample(self, q)) {
    judge_condition(self, q);
  } else {
    ase_procedure_start(self->procedure, ASE_STEP_CHECK, 0);
    self->check_timeout = g_timeout_add(FIRST_SAMPLE_MS, on_no_sample, self);
  }
}

static void on_chunk(AseDevice *device, gpointer chunk, AseSession *self) {
  (void)device, (void)chunk;
  if (!self->check_timeout || self->is_asking)
    return;
  ase_session_check(self);
  ase_session_sync(self);
}

/* ---- the controller's own parameters ---- */

typedef struct {
  GWeakRef session;
  guint connection;
} Question;

static void forget_params(AseSession *self) {
  self->connections++;
  self->is_asking = false;
  g_array_set_size(self->params, 0);
}

/* A controller without parameters is as good as one with the right ones. */
static void take_params(AseSession *self, const AioReply *reply) {
  forget_params(self);
  if (!reply->code)
    g_array_append_vals(self->params, reply->params, reply->n_params);
  else if (reply->code == AIO_REPLY_CODE(AIO_ERROR_TIMEOUT))
    ase_session_say(self, 1,
                    _("the controller's parameters could not be read (%s): its motor signs and "
                      "gear ratios were not compared with the arm file"),
                    reply->message);
  if (!self->check_timeout)
    return;
  ase_session_check(self);
  ase_session_sync(self);
}

static void on_params(const AioReply *reply, void *ctx) {
  Question *question = ctx;
  AseSession *self = g_weak_ref_get(&question->session);
  if (self && question->connection == self->connections)
    take_params(self, reply);
  g_clear_object(&self);
  g_weak_ref_clear(&question->session);
  g_free(question);
}

static void ask_params(AseSession *self) {
  const AioCommand command = {.kind = AIO_COMMAND_PARAMS_GET};
  Question *question = g_new0(Question, 1);
  forget_params(self);
  g_weak_ref_init(&question->session, self);
  question->connection = self->connections;
  self->is_asking = true;
  ase_device_send(self->device, &command, on_params, question);
}

void ase_session_check_again(AseSession *self) {
  if (ase_device_link(self->device) == ASE_LINK_READY && !ase_device_is_armed(self->device))
    ask_params(self);
  ase_session_check(self);
}

/* ---- CONNECT, DESCRIBE ---- */

/* DESCRIBE: is it the controller of the arm file, and can it do what is needed? */
static bool judge_controller(AseSession *self) {
  const AioDescription *d = ase_device_description(self->device);
  GPtrArray *objections = ase_check_controller(self->arm, d);
  const bool is_right = objections->len == 0;
  if (is_right) {
    char *text = g_strdup_printf(_("%s %s, firmware %s, protocol %s, %u joints"), d->name,
                                 d->serial, d->firmware, d->protocol, d->joints);
    ase_procedure_pass(self->procedure, ASE_STEP_DESCRIBE, 0, g_strstrip(text));
    g_free(text);
  } else {
    char *text = ase_check_text(objections);
    ase_procedure_fail(self->procedure, ASE_STEP_DESCRIBE, 0, text);
    ase_session_say(self, 2, "%s", text);
    g_free(text);
  }
  g_ptr_array_unref(objections);
  return is_right;
}

static void describe(AseSession *self) {
  const AioDescription *d = ase_device_description(self->device);
  ase_procedure_meet(self->procedure, d->serial, d->digest);
  ask_params(self);
  if (judge_controller(self))
    ase_session_check(self);
}

void ase_session_compare_arm(AseSession *self) {
  if (ase_device_link(self->device) != ASE_LINK_READY)
    return;
  ase_procedure_pass(self->procedure, ASE_STEP_CONNECT, 0, NULL);
  judge_controller(self);
}

/* What the lost link ended would blame it still, now that it is there again. */
static void tell_interrupted(AseSession *self) {
  AseProcedure *p = self->procedure;
  for (AseStep step = ASE_STEP_DRY_RUN; step <= ASE_STEP_SWEEP && *self->lost_link; step++)
    for (guint joint = 1; joint <= p->joints; joint++)
      if (p->joint[step][joint - 1].state == ASE_STATE_FAILED &&
          strcmp(p->joint[step][joint - 1].reason, self->lost_link) == 0)
        ase_procedure_fail(p, step, joint,
                           _("interrupted: the link was lost, and is there again; arm, then start "
                             "it again: it goes on where it was"));
}

static void follow(AseSession *self, AseLinkState link, const char *reason) {
  AseProcedure *p = self->procedure;
  switch (link) {
  case ASE_LINK_ASKING:
    ase_procedure_changed(p, ASE_INPUT_DEVICE, *reason ? reason : NULL);
    ase_procedure_start(p, ASE_STEP_CONNECT, 0);
    break;
  case ASE_LINK_READY:
    ase_procedure_pass(p, ASE_STEP_CONNECT, 0, NULL);
    if (*self->lost_link)
      ase_session_say(self, 0, _("the controller is connected again"));
    tell_interrupted(self);
    *self->lost_link = '\0';
    describe(self);
    break;
  case ASE_LINK_LOST:
    ase_procedure_changed(p, ASE_INPUT_DEVICE, _("the link was lost"));
    ase_procedure_fail(p, ASE_STEP_CONNECT, 0, reason);
    ase_session_say(self, 2, _("the link was lost: %s"), reason);
    ase_text_copy(self->lost_link, sizeof self->lost_link, reason);
    break;
  case ASE_LINK_FAILED:
    ase_procedure_fail(p, ASE_STEP_CONNECT, 0, reason);
    ase_session_say(self, 2, "%s", reason);
    break;
  case ASE_LINK_CLOSED:
    ase_procedure_changed(p, ASE_INPUT_DEVICE, _("the connection was closed"));
    break;
  }
}

/* What CHECK blamed is gone: nobody should have to ask again. */
static void check_when_well(AseSession *self) {
  const bool was_unwell = self->is_unwell;
  self->is_unwell =
      ase_device_state(self->device)->faults != 0 || ase_device_is_silent(self->device);
  if (!was_unwell || self->is_unwell || self->link != ASE_LINK_READY ||
      ase_procedure_state(self->procedure, ASE_STEP_CHECK) != ASE_STATE_FAILED)
    return;
  ase_session_check_again(self);
  ase_session_sync(self);
}

static void on_changed(AseDevice *device, AseSession *self) {
  const AseLinkState link = ase_device_link(device);
  record_connection(self);
  if (link == self->link)
    check_when_well(self);
  if (link == self->link)
    return;
  self->link = link;
  stop_waiting(self);
  if (link != ASE_LINK_READY)
    forget_params(self);
  follow(self, link, ase_device_reason(device));
  ase_session_sync(self);
}

static void on_event(AseDevice *device, gpointer event, AseSession *self) {
  const AioEvent *told = event;
  (void)device;
  ase_record_add_event(self->record, event);
  if (told->kind == AIO_EVENT_FOREIGN)
    ase_session_emit_message(self, 1, told->text);
}

void ase_session_watch_device(AseSession *self) {
  g_signal_connect_object(self->device, "changed", G_CALLBACK(on_changed), self, 0);
  g_signal_connect_object(self->device, "chunk", G_CALLBACK(on_chunk), self, 0);
  g_signal_connect_object(self->device, "event", G_CALLBACK(on_event), self, 0);
}

/* What is left behind stays as it is, and no stop reaches it any more. A link that is lost, or
 * silent, is nothing to stay for: no command is answered there. */
bool ase_session_may_connect(AseSession *self, GError **error) {
  if (ase_record_is_read_only(self->record) || ase_record_is_closed(self->record))
    return ase_session_refuse(error, _("this session is open for reading only: it cannot record; "
                                       "open it for writing to connect a controller"));
  if (ase_device_link(self->device) != ASE_LINK_READY || ase_device_is_silent(self->device))
    return true;
  if (ase_motion_is_on(self->motion))
    return ase_session_refuse(error, _("the arm moves; hold it first"));
  if (ase_device_is_armed(self->device))
    return ase_session_refuse(error, _("the arm is armed; disarm it first"));
  return true;
}

bool ase_session_connect(AseSession *self, AioLink *link, const AseDeviceOptions *options,
                         GError **error) {
  if (!ase_session_may_connect(self, error))
    return false;
  ase_record_begin(self->record); /* makes the log: three syncs */
  self->telemetry_hz = options->telemetry_hz;
  AseDeviceOptions of_arm = *options;
  of_arm.arm = self->arm;
  return ase_device_open(self->device, link, &of_arm, error);
}

bool ase_session_disconnect(AseSession *self, GError **error) {
  if (!ase_session_may_connect(self, error))
    return false;
  ase_device_close(self->device);
  return true;
}
