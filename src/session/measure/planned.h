/* SPDX-License-Identifier: MIT */
/* What a plan comes to: the way that the arm is going to take, and what is expected to be known
 * afterwards. Plain values; whether they still hold is a matter of the steps. */
#ifndef ARMATURE_SESSION_PLANNED_H
#define ARMATURE_SESSION_PLANNED_H

#include "session/base/job.h"
#include "session/measure/itinerary.h"

/* A forecast is counted (g_atomic_rc_box) and never changed. NULL allowed. */
void ase_forecast_unref(ArmPlanReport *forecast);

typedef struct AsePlanned AsePlanned;

AsePlanned *ase_planned_new(void);
void ase_planned_free(AsePlanned *planned); /* NULL allowed */

/* Another plan: nothing is left, none is wanted, a forecast that is being made is cancelled. */
void ase_planned_forget(AsePlanned *planned);
/* The program ends: no forecast is made or wanted any more. */
void ase_planned_stop(AsePlanned *planned);

/* The whole calibration; taken over instead of another one, NULL: none. */
void ase_planned_take_itinerary(AsePlanned *planned, AseItinerary *itinerary);
const AseItinerary *ase_planned_itinerary(const AsePlanned *planned); /* borrowed */

/* Taken over instead of another one, NULL: none. */
void ase_planned_take_forecast(AsePlanned *planned, ArmPlanReport *forecast);
const ArmPlanReport *ase_planned_forecast(const AsePlanned *planned); /* borrowed */
ArmPlanReport *ase_planned_ref_forecast(const AsePlanned *planned);   /* NULL: none */

/* The plan of the file had one: it is to be made when it is asked for. */
void ase_planned_want_forecast(AsePlanned *planned, bool wants);
bool ase_planned_wants_forecast(const AsePlanned *planned);

/* The job that makes it, while there is one; taken over. The wish is granted with it. */
void ase_planned_begin_forecast(AsePlanned *planned, AseJob *job);
void ase_planned_end_forecast(AsePlanned *planned);
bool ase_planned_is_forecasting(const AsePlanned *planned);

#endif
