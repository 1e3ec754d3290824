/* SPDX-License-Identifier: MIT */
/* Motions of an arm that moves as a whole: base parameters, friction, rotors, torque constants. */
#include <glib/gi18n-lib.h>

#include "io/params/dynamics_file.h"
#include "session/method/method.h"

static void free_whole(gpointer dynamics) {
  aio_dynamics_free(dynamics);
}

/* The set moves. */
static bool load(const char *name, const char *text, gsize length, const ArmModel *model,
                 AseFound *found, GError **error) {
  AioDynamics *dynamics = aio_dynamics_load_bytes(name, text, length, model, error);
  if (!dynamics)
    return false;
  found->set = dynamics->found;
  dynamics->found = (ArmParamSet){0};
  found->whole = dynamics;
  return true;
}

static GPtrArray *reminders(const AseFound *found) {
  return aio_dynamics_reminders(found->whole);
}

static char *export_c(const AioArm *arm, const AseFound *found, const AioExportC *options,
                      gsize *length, GError **error) {
  AioDynamics with_set = *(const AioDynamics *)found->whole; /* frees nothing */
  with_set.found = found->set;
  return aio_export_c_dynamics(arm, &with_set, options, length, error);
}

const AseMethod ase_method_dynamics = {
    .finds = arm_dynamics_method,
    .load = load,
    .free_whole = free_whole,
    .reminders = reminders,
    .export_c = export_c,
    .beside_sweeps = N_("It is of full dynamics, from recordings of an arm that moves: "
                        "friction is compared, gravity has no counterpart in it.")};
