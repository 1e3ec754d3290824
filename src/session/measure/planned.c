/* SPDX-License-Identifier: MIT */
#include "session/measure/planned.h"

struct AsePlanned {
  AseItinerary *itinerary;
  ArmPlanReport *forecast;
  bool wants_forecast;
  AseJob *forecasting; /* NULL: nobody does */
};

static void clear_report(gpointer report) {
  arm_plan_report_clear(report);
}

void ase_forecast_unref(ArmPlanReport *forecast) {
  if (forecast)
    g_atomic_rc_box_release_full(forecast, clear_report);
}

AsePlanned *ase_planned_new(void) {
  return g_new0(AsePlanned, 1);
}

void ase_planned_free(AsePlanned *self) {
  if (!self)
    return;
  ase_planned_stop(self);
  ase_planned_forget(self);
  g_free(self);
}

void ase_planned_forget(AsePlanned *self) {
  g_clear_pointer(&self->forecast, ase_forecast_unref);
  self->wants_forecast = false;
  if (self->forecasting)
    ase_job_cancel(self->forecasting);
  g_clear_pointer(&self->itinerary, ase_itinerary_free);
}

void ase_planned_stop(AsePlanned *self) {
  g_clear_pointer(&self->forecasting, ase_job_free);
  self->wants_forecast = false;
}

void ase_planned_take_itinerary(AsePlanned *self, AseItinerary *itinerary) {
  ase_itinerary_free(self->itinerary);
  self->itinerary = itinerary;
}

const AseItinerary *ase_planned_itinerary(const AsePlanned *self) {
  return self->itinerary;
}

void ase_planned_take_forecast(AsePlanned *self, ArmPlanReport *forecast) {
  ase_forecast_unref(self->forecast);
  self->forecast = forecast;
}

const ArmPlanReport *ase_planned_forecast(const AsePlanned *self) {
  return self->forecast;
}

ArmPlanReport *ase_planned_ref_forecast(const AsePlanned *self) {
  return self->forecast ? g_atomic_rc_box_acquire(self->forecast) : NULL;
}

void ase_planned_want_forecast(AsePlanned *self, bool wants) {
  self->wants_forecast = wants;
}

bool ase_planned_wants_forecast(const AsePlanned *self) {
  return self->wants_forecast;
}

void ase_planned_begin_forecast(AsePlanned *self, AseJob *job) {
  self->wants_forecast = false;
  self->forecasting = job;
}

void ase_planned_end_forecast(AsePlanned *self) {
  g_clear_pointer(&self->forecasting, ase_job_free);
}

bool ase_planned_is_forecasting(const AsePlanned *self) {
  return self->forecasting != NULL;
}
