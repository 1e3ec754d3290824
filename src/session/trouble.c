/* SPDX-License-Identifier: MIT */
/* One trouble at a time, the worst: a list would leave the choice to somebody in a hurry. Of
 * several faults the one that causes the others comes first. */
#include "session/trouble.h"

#include <glib/gi18n-lib.h>

#include "io/base/said.h"

/* ---- what the arm does meanwhile ---- */

static char *arm_out_of_reach(const AseSituation *s) {
  if (!s->state)
    return g_strdup(_("What the arm does is not known. Watch the arm."));
  if (s->state->state == AIO_DEVICE_ARMED && s->has_no_lease)
    return g_strdup(
        _("The arm was armed, and the controller has no lease: it goes on to the end of "
          "its motion. Watch the arm; switch its drives off if need be."));
  if (s->state->state == AIO_DEVICE_ARMED)
    return g_strdup_printf(
        _("The arm was armed: the controller stops it and holds it by itself, at "
          "the latest %.1f s after that. Watch the arm."),
        1e-3 * s->lease_ms);
  return g_strdup(s->state->drives_on ? _("The arm was held and not armed: it stays as it was.")
                                      : _("The drives were off: the arm stays as it was."));
}

/* The way to it may be well, so that the lease is renewed. */
static char *arm_unheard(const AseSituation *s) {
  return g_strdup(
      s->state->state == AIO_DEVICE_ARMED
          ? _("The arm was armed when it was last heard; what it does now is not known. "
              "Watch the arm.")
          : _("The arm was not armed when it was last heard."));
}

static char *arm_here(const AseSituation *s) {
  if (!s->state->drives_on)
    return g_strdup(_("The drives are off: an arm without brakes falls, or has fallen."));
  if (s->state->motion == AIO_MOTION_STOPPING)
    return g_strdup(_("The arm is coming to rest."));
  if (s->state->state == AIO_DEVICE_ARMED)
    return g_strdup(s->state->motion == AIO_MOTION_NONE ? _("The arm is armed and holds its pose.")
                                                        : _("The arm is armed and moves."));
  return g_strdup(_("The arm holds its pose; it is not armed."));
}

/* ---- faults ---- */

/* Of several, the first of this list says what helps: it is the cause of the others. */
static const struct {
  guint32 fault;
  const char *helps;
} cures[] = {
    {AIO_FAULT_SUPPLY_LOW | AIO_FAULT_SUPPLY_HIGH,
     N_("Look at the supply of the controller; then clear the faults.")},
    {AIO_FAULT_ENCODER | AIO_FAULT_DRIVE,
     N_("Look at the cables of the joint's encoder and motor; then clear the faults.")},
    {AIO_FAULT_FOLLOWING | AIO_FAULT_CURRENT,
     N_("Look whether anything blocks the arm, or a brake is closed; then clear the faults.")},
    {AIO_FAULT_TEMPERATURE, N_("Let the motor cool down; then clear the faults.")},
    {AIO_FAULT_LEASE,
     N_("The computer or the cable was silent for too long: look at the cable, end what keeps the "
        "computer busy; then clear the faults.")},
};

static const char *cure_of(guint32 faults) {
  for (gsize k = 0; k < G_N_ELEMENTS(cures); k++)
    if (faults & cures[k].fault)
      return _(cures[k].helps);
  return _("Remove the cause; then clear the faults.");
}

static void tell_faults(AseTrouble *t, const AseSituation *s) {
  const guint32 off = AIO_FAULT_KILL | AIO_FAULT_EMERGENCY;
  char *faults = aio_faults_text(s->state->faults, s->state->fault_joints);
  t->arm = arm_here(s);
  t->remedy = ASE_REMEDY_CLEAR_FAULTS;
  if (s->state->faults & off) {
    t->kind = ASE_TROUBLE_KILLED;
    t->cause = g_strdup(_("The drives were switched off by command."));
    t->helps = g_strdup(_("When nobody is in the reach of the arm, clear the faults; then arm it "
                          "again."));
  } else {
    t->kind = ASE_TROUBLE_FAULT;
    /* TRANSLATORS: "FOLLOWING: a joint does not follow its set-point" */
    t->cause = g_strdup_printf(_("The controller has stopped the arm: %s."), faults);
    t->helps = g_strdup(cure_of(s->state->faults));
  }
  g_free(faults);
}

/* ---- the others ---- */

static void tell_lost(AseTrouble *t, const AseSituation *s) {
  t->kind = ASE_TROUBLE_LINK_LOST;
  t->remedy = ASE_REMEDY_RECONNECT;
  t->cause = g_strdup_printf(_("The link was lost: %s."), s->reason);
  t->arm = arm_out_of_reach(s);
  t->helps = g_strdup(s->comes_back ? _("Look at cable and supply; the program connects again by "
                                        "itself as soon as the port is there.")
                                    : _("Look at cable and supply, then connect again."));
}

static void tell_failed(AseTrouble *t, const AseSituation *s) {
  t->kind = ASE_TROUBLE_LINK_FAILED;
  t->remedy = ASE_REMEDY_RECONNECT;
  t->cause = g_strdup_printf(_("The controller does not answer as it should: %s."), s->reason);
  t->arm = arm_out_of_reach(s);
  t->helps = g_strdup(_("Look whether it has power and whether port and rate are right; then "
                        "connect again."));
}

static void tell_silent(AseTrouble *t, const AseSituation *s) {
  t->kind = ASE_TROUBLE_SILENT;
  t->remedy = ASE_REMEDY_RECONNECT;
  t->arm = arm_unheard(s);
  if (s->foreign) {
    t->cause = g_strdup_printf(_("The controller has fallen silent: %s."), s->foreign);
    t->helps = g_strdup(_("Hold and Power off are still sent. End or unplug what else sends, then "
                          "connect again."));
    return;
  }
  t->cause = g_strdup(_("The controller has fallen silent: no sample has come for a second."));
  t->helps = g_strdup(_("Hold and Power off are still sent. Look at cable and supply, then connect "
                        "again."));
}

static void tell_estop(AseTrouble *t, const AseSituation *s) {
  t->kind = ASE_TROUBLE_ESTOP;
  t->cause = g_strdup(_("The emergency stop chain is open."));
  t->arm = arm_here(s);
  t->helps = g_strdup(_("Release the emergency stop button; then clear the faults."));
}

static void tell_disk(AseTrouble *t, const AseSituation *s) {
  t->kind = ASE_TROUBLE_DISK;
  t->remedy = ASE_REMEDY_SAVE_ELSEWHERE;
  t->cause = g_strdup_printf(_("Nothing can be recorded: %s."), s->disk_failure);
  t->arm =
      s->link == ASE_LINK_READY && s->state ? arm_here(s) : g_strdup(_("No arm is connected."));
  t->helps = g_strdup(_("Free some space, or save elsewhere; what was measured waits in memory."));
}

void ase_trouble_of(AseTrouble *trouble, const AseSituation *s) {
  const bool is_ready = s->link == ASE_LINK_READY && s->state;
  *trouble = (AseTrouble){.kind = ASE_TROUBLE_NONE};
  if (s->link == ASE_LINK_LOST)
    tell_lost(trouble, s);
  else if (s->link == ASE_LINK_FAILED)
    tell_failed(trouble, s);
  else if (is_ready && s->is_silent)
    tell_silent(trouble, s);
  else if (is_ready && !s->has_no_estop && !s->state->is_estop_closed)
    tell_estop(trouble, s);
  else if (is_ready && s->state->faults)
    tell_faults(trouble, s);
  else if (s->disk_failure && *s->disk_failure)
    tell_disk(trouble, s);
}

void ase_session_trouble(AseSession *session, AseTrouble *trouble) {
  AseDevice *device = ase_session_device(session);
  const guint32 can = ase_device_last_capabilities(device);
  const char *said = ase_device_foreign(device);
  char *foreign = said ? aio_said_line(said) : NULL;
  const AseSituation situation = {.link = ase_device_link(device),
                                  .foreign = foreign,
                                  .is_silent = ase_device_is_silent(device),
                                  .reason = ase_device_reason(device),
                                  .state = ase_device_last_state(device),
                                  .lease_ms = ase_device_lease_ms(device),
                                  .has_no_lease = !(can & AIO_CAN_LEASE),
                                  .has_no_estop = !(can & AIO_CAN_ESTOP),
                                  .comes_back = ase_device_comes_back(device),
                                  .disk_failure = ase_session_disk_failure(session)};
  ase_trouble_of(trouble, &situation);
  g_free(foreign);
}

void ase_trouble_clear(AseTrouble *trouble) {
  g_free(trouble->cause);
  g_free(trouble->arm);
  g_free(trouble->helps);
  *trouble = (AseTrouble){.kind = ASE_TROUBLE_NONE};
}

const char *ase_remedy_title(AseRemedy remedy) {
  static const char *const titles[ASE_REMEDIES] = {[ASE_REMEDY_RECONNECT] = N_("Reconnect"),
                                                   [ASE_REMEDY_CLEAR_FAULTS] = N_("Clear faults"),
                                                   [ASE_REMEDY_SAVE_ELSEWHERE] =
                                                       N_("Save elsewhere")};
  return titles[remedy] ? _(titles[remedy]) : NULL;
}
