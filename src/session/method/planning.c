/* SPDX-License-Identifier: MIT */
#include "session/method/planning.h"

#include <string.h>

#include "session/measure/planned.h"

void ase_planning_clear(AsePlanning *planning) {
  ase_fit_unref(planning->found);
  memset(planning, 0, sizeof *planning);
}

void ase_proposal_clear(AseProposal *proposal) {
  ase_forecast_unref(proposal->forecast);
  memset(proposal, 0, sizeof *proposal);
}
