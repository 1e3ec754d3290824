/* SPDX-License-Identifier: MIT */
#include "session/measure/leg_end.h"

#include <glib/gi18n-lib.h>

#include "io/base/said.h"

static const char *const words[ASE_ENDS] = {
    [ASE_END_DONE] = "",
    [ASE_END_PAUSED] = N_("paused"),
    [ASE_END_HELD] = N_("held"),
    [ASE_END_KILLED] = N_("the drives were switched off"),
    [ASE_END_FAULT] = N_("a fault of the controller"),
    [ASE_END_CURRENT] = N_("the current limit of the sweep was reached"),
    [ASE_END_UNDERRUN] = N_("the computer was too slow with the next segment"),
    [ASE_END_DISPLACED] = N_("another program took the controller over"),
    [ASE_END_DISARMED] = N_("disarmed"),
    [ASE_END_UNKNOWN] = N_("ended for an unknown reason"),
    [ASE_END_RESTARTED] = N_("the controller restarted"),
    [ASE_END_CLOSED] = N_("the connection was closed"),
    [ASE_END_SILENT] = N_("the controller has fallen silent; Hold was sent, but watch the arm"),
    [ASE_END_LATE] = N_("it did not end in time; the arm was stopped"),
};

AseEndKind ase_end_kind(AioMotionEnd end) {
  switch (end) {
  case AIO_END_DONE:
    return ASE_END_DONE;
  case AIO_END_STOP:
    return ASE_END_HELD;
  case AIO_END_KILL:
    return ASE_END_KILLED;
  case AIO_END_FAULT:
    return ASE_END_FAULT;
  case AIO_END_CURRENT:
    return ASE_END_CURRENT;
  case AIO_END_UNDERRUN:
    return ASE_END_UNDERRUN;
  case AIO_END_HELLO:
    return ASE_END_DISPLACED;
  case AIO_END_DISARM:
    return ASE_END_DISARMED;
  case AIO_END_NONE:
    break;
  }
  return ASE_END_UNKNOWN;
}

const char *ase_leg_end_said(const AseLegEnd *end) {
  const char *plain = words[end->kind] ? words[end->kind] : words[ASE_END_UNKNOWN];
  return end->said ? end->said : aio_said_word(plain);
}

void ase_leg_end_set(AseLegEnd *end, AseEndKind kind, char *said) {
  g_free(end->said);
  *end = (AseLegEnd){.kind = kind, .said = said};
}

void ase_leg_end_clear(AseLegEnd *end) {
  ase_leg_end_set(end, ASE_END_DONE, NULL);
}
