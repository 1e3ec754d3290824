/* SPDX-License-Identifier: MIT */
#include "session/method/results.h"

struct AseResults {
  AseFitted fitted;
  AseValidation *validation;
  bool wants_validation;
};

void ase_fitted_clear(AseFitted *fitted) {
  g_clear_pointer(&fitted->fit, ase_fit_unref);
  g_clear_pointer(&fitted->arm_digest, g_free);
  g_clear_pointer(&fitted->sha256, g_free);
  g_clear_pointer(&fitted->wild, g_array_unref);
}

AseResults *ase_results_new(void) {
  return g_new0(AseResults, 1);
}

void ase_results_free(AseResults *self) {
  if (self)
    ase_results_clear(self);
  g_free(self);
}

void ase_results_clear(AseResults *self) {
  ase_fitted_clear(&self->fitted);
  g_clear_pointer(&self->validation, g_free);
  self->wants_validation = false;
}

void ase_results_take_fit(AseResults *self, AseFitted *fitted) {
  ase_results_clear(self);
  self->fitted = *fitted;
  *fitted = (AseFitted){0};
}

const AseFit *ase_results_fit(const AseResults *self) {
  return self->fitted.fit;
}
AseFit *ase_results_ref_fit(const AseResults *self) {
  return self->fitted.fit ? ase_fit_ref(self->fitted.fit) : NULL;
}
const char *ase_results_arm_digest(const AseResults *self) {
  return self->fitted.arm_digest;
}
const char *ase_results_sha256(const AseResults *self) {
  return self->fitted.sha256;
}
const GArray *ase_results_wild(const AseResults *self) {
  return self->fitted.wild;
}

void ase_results_take_validation(AseResults *self, AseValidation *validation) {
  g_free(self->validation);
  self->validation = validation;
}

const AseValidation *ase_results_validation(const AseResults *self) {
  return self->validation;
}

void ase_results_want_validation(AseResults *self, bool wants) {
  self->wants_validation = wants;
}

bool ase_results_wants_validation(const AseResults *self) {
  return self->wants_validation;
}
