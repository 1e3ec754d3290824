/* SPDX-License-Identifier: MIT */
/* CONNECT, DESCRIBE and CHECK: what the controller tells of itself decides them. */
#include "session/contact.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "io/base/said.h"
#include "io/json/json_write.h"
#include "session/base/text.h"
#include "session/check.h"

enum { FIRST_SAMPLE_MS = 3000 }; /* as long as a HELLO is repeated */

struct AseContact {
  AseContactOwner owner;
  AseDevice *device;
  AseProcedure *procedure;
  const AseEdits *edits;
  AseLinkState link;     /* as seen last */
  const char *lost_link; /* why, interned, and said so; NULL: it is not lost */
  bool is_described;
  bool is_unwell; /* faults or silence, as seen last */
  double telemetry_hz;
  guint check_timeout; /* source: no sample comes; 0: none */
  guint connections;   /* counted; what was asked before the last counts no more */
  bool is_asking;      /* for the controller's parameters; CHECK waits for the answer */
  GArray *params;      /* of AioParam, as the controller told them last; empty: it has none */
};

static const AioArm *arm_of(const AseContact *self) {
  return self->owner.arm(self->owner.object);
}

static void sync_procedure(AseContact *self) {
  self->owner.sync(self->owner.object);
}

static void say(AseContact *self, int level, const char *format, ...) G_GNUC_PRINTF(3, 4);
static void say(AseContact *self, int level, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *said = aio_said_v(format, arguments);
  va_end(arguments);
  self->owner.say(self->owner.object, level, said);
  g_free(said);
}

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

static void record_connection(AseContact *self) {
  const AioDescription *d = ase_device_description(self->device);
  if (d && !self->is_described) {
    char *json = description_to_json(d);
    self->owner.described(self->owner.object, json);
    g_free(json);
  }
  self->is_described = d != NULL;
}

/* ---- CHECK ---- */

static void stop_waiting(AseContact *self) {
  if (self->check_timeout)
    g_source_remove(self->check_timeout);
  self->check_timeout = 0;
}

static void add_health(GPtrArray *list, AseContact *self, guint joints) {
  const double supply = ase_device_supply(self->device);
  double hottest = NAN;
  for (guint j = 1; j <= joints; j++)
    hottest = fmax(hottest, ase_device_temperature(self->device, j));
  if (!isnan(supply))
    aio_said_list_add(list, N_(", supply %.1f V"), supply);
  if (!isnan(hottest))
    aio_said_list_add(list, N_(", hottest motor %.0f degrees Celsius"), hottest);
}

/* What a person must do, since the controller does not. */
static void add_caution(GPtrArray *list, const AioDescription *d) {
  char *caution = ase_check_caution(d);
  if (caution)
    aio_said_list_add(list, "; %s", caution);
  g_free(caution);
}

static GPtrArray *find_objections(AseContact *self, const AseCondition *condition) {
  GPtrArray *list =
      ase_check_drives(arm_of(self), (const AioParam *)self->params->data, self->params->len);
  g_ptr_array_extend_and_steal(list, ase_check_condition(arm_of(self), self->edits, condition));
  const double hz = ase_device_telemetry_hz(self->device);
  char *rate = hz > 0.0 ? ase_check_rate_said(hz) : NULL; /* 0: not known */
  if (rate)
    aio_said_list_add(list, N_("telemetry: %s"), rate);
  g_free(rate);
  return list;
}

static void judge_condition(AseContact *self, const double *q) {
  double motor_C[ARM_MAX_JOINTS];
  const AioDescription *d = ase_device_description(self->device);
  for (guint j = 0; j < ARM_MAX_JOINTS; j++)
    motor_C[j] = ase_device_temperature(self->device, j + 1);
  const AseCondition condition = {
      .description = d, .state = ase_device_state(self->device), .q = q, .motor_C = motor_C};
  GPtrArray *objections = find_objections(self, &condition);
  if (objections->len > 0) {
    char *text = ase_check_said(objections);
    ase_procedure_fail(self->procedure, ASE_STEP_CHECK, 0, text);
    say(self, 2, "%s", text);
    g_free(text);
  } else {
    GPtrArray *list = aio_said_list_new();
    aio_said_list_take(
        list, aio_said_words(d->capabilities & AIO_CAN_ESTOP
                                 ? N_("pose, limits and emergency stop chain are as they should be")
                                 : N_("pose and limits are as they should be")));
    add_health(list, self, d->joints);
    add_caution(list, d);
    char *text = aio_said_list_join(list, "");
    ase_procedure_pass(self->procedure, ASE_STEP_CHECK, 0, text);
    g_free(text);
  }
  g_ptr_array_unref(objections);
}

/* One of now: those of a controller that has fallen silent tell nothing of it. */
static bool has_sample(AseContact *self, double *q) {
  return ase_device_pose(self->device, q) && !ase_device_is_silent(self->device);
}

/* An answer comes to every command, be it that the controller does not answer. */
static gboolean on_no_sample(gpointer data) {
  AseContact *self = data;
  double q[ARM_MAX_JOINTS];
  if (has_sample(self, q))
    return G_SOURCE_CONTINUE;
  self->check_timeout = 0;
  ase_procedure_fail(
      self->procedure, ASE_STEP_CHECK, 0,
      aio_said_word(N_("no sample came within 3 s of the controller's answer; check the cable and "
                       "repeat this step")));
  sync_procedure(self);
  return G_SOURCE_REMOVE;
}

void ase_contact_check(AseContact *self) {
  double q[ARM_MAX_JOINTS];
  stop_waiting(self);
  if (!self->is_asking && has_sample(self, q)) {
    judge_condition(self, q);
  } else {
    ase_procedure_start(self->procedure, ASE_STEP_CHECK, 0);
    self->check_timeout = g_timeout_add(FIRST_SAMPLE_MS, on_no_sample, self);
  }
}

static void on_chunk(AseDevice *device, gpointer chunk, AseContact *self) {
  (void)device, (void)chunk;
  if (!self->check_timeout || self->is_asking)
    return;
  gpointer object = g_object_ref(self->owner.object);
  ase_contact_check(self);
  sync_procedure(self);
  g_object_unref(object);
}

/* ---- the controller's own parameters ---- */

typedef struct {
  GWeakRef owner; /* whose contact is there as long as it is */
  AseContact *contact;
  guint connection;
} Question;

static void forget_params(AseContact *self) {
  self->connections++;
  self->is_asking = false;
  g_array_set_size(self->params, 0);
}

/* A controller without parameters is as good as one with the right ones. */
static void take_params(AseContact *self, const AioReply *reply) {
  forget_params(self);
  if (!reply->code)
    g_array_append_vals(self->params, reply->params, reply->n_params);
  else if (reply->code == AIO_REPLY_CODE(AIO_ERROR_TIMEOUT))
    say(self, 1,
        N_("the controller's parameters could not be read (%s): its motor signs and "
           "gear ratios were not compared with the arm file"),
        reply->message);
  if (!self->check_timeout)
    return;
  ase_contact_check(self);
  sync_procedure(self);
}

static void on_params(const AioReply *reply, void *ctx) {
  Question *question = ctx;
  gpointer owner = g_weak_ref_get(&question->owner);
  if (owner && question->connection == question->contact->connections)
    take_params(question->contact, reply);
  g_clear_object(&owner);
  g_weak_ref_clear(&question->owner);
  g_free(question);
}

static void ask_params(AseContact *self) {
  const AioCommand command = {.kind = AIO_COMMAND_PARAMS_GET};
  Question *question = g_new0(Question, 1);
  forget_params(self);
  g_weak_ref_init(&question->owner, self->owner.object);
  question->contact = self;
  question->connection = self->connections;
  self->is_asking = true;
  ase_device_send(self->device, &command, on_params, question);
}

void ase_contact_check_again(AseContact *self) {
  if (ase_device_link(self->device) == ASE_LINK_READY && !ase_device_is_armed(self->device))
    ask_params(self);
  ase_contact_check(self);
}

/* ---- CONNECT, DESCRIBE ---- */

/* DESCRIBE: is it the controller of the arm file, and can it do what is needed? */
static bool judge_controller(AseContact *self) {
  const AioDescription *d = ase_device_description(self->device);
  GPtrArray *objections = ase_check_controller(arm_of(self), d);
  const bool is_right = objections->len == 0;
  if (is_right) {
    char *name = g_strstrip(g_strdup_printf("%s %s", d->name, d->serial)); /* either may be "" */
    char *text = aio_said(N_("%s, firmware %s, protocol %s, %u joints"), name, d->firmware,
                          d->protocol, d->joints);
    g_free(name);
    ase_procedure_pass(self->procedure, ASE_STEP_DESCRIBE, 0, text);
    g_free(text);
  } else {
    char *text = ase_check_said(objections);
    ase_procedure_fail(self->procedure, ASE_STEP_DESCRIBE, 0, text);
    say(self, 2, "%s", text);
    g_free(text);
  }
  g_ptr_array_unref(objections);
  return is_right;
}

static void describe(AseContact *self) {
  const AioDescription *d = ase_device_description(self->device);
  ase_procedure_meet(self->procedure, d->serial, d->digest);
  ask_params(self);
  if (judge_controller(self))
    ase_contact_check(self);
}

void ase_contact_compare_arm(AseContact *self) {
  if (ase_device_link(self->device) != ASE_LINK_READY)
    return;
  ase_procedure_pass(self->procedure, ASE_STEP_CONNECT, 0, NULL);
  judge_controller(self);
}

/* What the lost link ended would blame it still, now that it is there again. */
static void tell_interrupted(AseContact *self) {
  AseProcedure *p = self->procedure;
  for (AseStep step = 0; step < ASE_STEPS && self->lost_link; step++)
    for (guint joint = 1; joint <= p->joints && ase_step_moves(step); joint++) {
      const AseStepInfo *info = ase_procedure_joint_info(p, step, joint);
      if (info->state == ASE_STATE_FAILED && info->reason == self->lost_link)
        ase_procedure_fail(
            p, step, joint,
            aio_said_word(N_("interrupted: the link was lost, and is there again; arm, then start "
                             "it again: it goes on where it was")));
    }
}

static void follow(AseContact *self, AseLinkState link, const char *reason) {
  AseProcedure *p = self->procedure;
  switch (link) {
  case ASE_LINK_ASKING:
    ase_procedure_changed(p, ASE_INPUT_DEVICE, *reason ? reason : NULL);
    ase_procedure_start(p, ASE_STEP_CONNECT, 0);
    break;
  case ASE_LINK_READY:
    ase_procedure_pass(p, ASE_STEP_CONNECT, 0, NULL);
    if (self->lost_link)
      say(self, 0, N_("the controller is connected again"));
    tell_interrupted(self);
    self->lost_link = NULL;
    describe(self);
    break;
  case ASE_LINK_LOST:
    ase_procedure_changed(p, ASE_INPUT_DEVICE, aio_said_word(N_("the link was lost")));
    ase_procedure_fail(p, ASE_STEP_CONNECT, 0, reason);
    say(self, 2, N_("the link was lost: %s"), reason);
    self->lost_link = p->steps[ASE_STEP_CONNECT].reason;
    break;
  case ASE_LINK_FAILED:
    ase_procedure_fail(p, ASE_STEP_CONNECT, 0, reason);
    say(self, 2, "%s", reason);
    break;
  case ASE_LINK_CLOSED:
    ase_procedure_changed(p, ASE_INPUT_DEVICE, aio_said_word(N_("the connection was closed")));
    break;
  }
}

/* What CHECK blamed is gone: nobody should have to ask again. */
static void check_when_well(AseContact *self) {
  const bool was_unwell = self->is_unwell;
  self->is_unwell =
      ase_device_state(self->device)->faults != 0 || ase_device_is_silent(self->device);
  if (!was_unwell || self->is_unwell || self->link != ASE_LINK_READY ||
      ase_procedure_state(self->procedure, ASE_STEP_CHECK) != ASE_STATE_FAILED)
    return;
  ase_contact_check_again(self);
  sync_procedure(self);
}

static void look(AseContact *self) {
  const AseLinkState link = ase_device_link(self->device);
  record_connection(self);
  if (link == self->link)
    check_when_well(self);
  if (link == self->link)
    return;
  self->link = link;
  stop_waiting(self);
  if (link != ASE_LINK_READY)
    forget_params(self);
  follow(self, link, ase_device_reason_said(self->device));
  sync_procedure(self);
}

static void on_changed(AseDevice *device, AseContact *self) {
  gpointer object = g_object_ref(self->owner.object);
  (void)device;
  look(self);
  g_object_unref(object);
}

static void on_event(AseDevice *device, gpointer event, AseContact *self) {
  gpointer object = g_object_ref(self->owner.object);
  (void)device;
  self->owner.event(object, event);
  g_object_unref(object);
}

/* ---- the object ---- */

AseContact *ase_contact_new(AseDevice *device, AseProcedure *procedure, const AseEdits *edits,
                            const AseContactOwner *owner) {
  AseContact *self = g_new0(AseContact, 1);
  self->owner = *owner;
  self->device = g_object_ref(device);
  self->procedure = procedure;
  self->edits = edits;
  self->params = g_array_new(FALSE, FALSE, sizeof(AioParam));
  g_signal_connect(device, "changed", G_CALLBACK(on_changed), self);
  g_signal_connect(device, "chunk", G_CALLBACK(on_chunk), self);
  g_signal_connect(device, "event", G_CALLBACK(on_event), self);
  return self;
}

void ase_contact_free(AseContact *self) {
  if (!self)
    return;
  stop_waiting(self);
  g_signal_handlers_disconnect_by_data(self->device, self);
  g_object_unref(self->device);
  g_array_unref(self->params);
  g_free(self);
}

bool ase_contact_open(AseContact *self, AioLink *link, const AseDeviceOptions *options,
                      GError **error) {
  AseDeviceOptions of_arm = *options;
  of_arm.arm = arm_of(self);
  self->telemetry_hz = options->telemetry_hz;
  return ase_device_open(self->device, link, &of_arm, error);
}

const GArray *ase_contact_params(const AseContact *self) {
  return self->params;
}
guint ase_contact_connections(const AseContact *self) {
  return self->connections;
}
double ase_contact_telemetry_hz(const AseContact *self) {
  return self->telemetry_hz;
}
