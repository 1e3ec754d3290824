/* SPDX-License-Identifier: MIT */
/* What is written of a fit of sweeps, and with what it was made; and read back. */
#include <string.h>

#include "io/json/json_write.h"
#include "io/params/verdict_file.h"
#include "session/method/method_gravity.h"

bool ase_gravity_has_rows(const AseFit *fit, guint joint) {
  return ase_gravity_of(fit)->refined.joint[joint - 1].rows_used > 0;
}

void ase_gravity_offer_terms(const AseFit *of, bool offers[ARM_TERMS]) {
  const ArmGravityFit *fit = ase_gravity_of(of);
  for (gsize j = 0; j < fit->refined.n; j++)
    for (guint t = 0; t < ARM_TERMS; t++)
      offers[t] = offers[t] || fit->refined.joint[j].has_term[t];
}

static bool has_terms(const ArmGravityFit *fit) {
  for (gsize j = 0; j < fit->refined.n; j++)
    for (guint t = 0; t < ARM_TERMS; t++)
      if (fit->refined.joint[j].has_term[t])
        return true;
  return false;
}

static bool was_offered(const ArmGravityFit *fit, ArmFrictionTerm term) {
  for (gsize j = 0; j < fit->refined.n; j++)
    if (fit->refined.joint[j].trial[term].outcome != ARM_TERM_NOT_OFFERED)
      return true;
  return false;
}

/* What came of each friction term, also where none was chosen: the parameter file then says nothing
 * of them. */
static void write_trials(AioJsonWriter *w, const ArmGravityFit *fit) {
  aio_json_write_key(w, "trials");
  aio_json_write_begin_array(w);
  for (gsize j = 0; j < fit->refined.n; j++)
    for (guint t = 0; t < ARM_TERMS; t++) {
      const ArmTermTrial *trial = &fit->refined.joint[j].trial[t];
      aio_json_write_begin_flat_object(w);
      aio_json_put_int(w, "joint", (gint64)j + 1);
      aio_json_put_string(w, "name", arm_term_key((ArmFrictionTerm)t));
      aio_json_put_string(w, "outcome", arm_term_outcome_key(trial->outcome));
      aio_json_put_number(w, "value", trial->value);
      aio_json_put_number(w, "sd", trial->sd);
      aio_json_put_number(w, "gain", trial->gain);
      aio_json_write_end_object(w);
    }
  aio_json_write_end_array(w);
}

/* In a parameter file nothing of friction terms where there are none: then it is as it was before
 * there were any. */
char *ase_gravity_options(const AseFit *of, const AseFitSettings *settings, bool is_file) {
  const ArmGravityFit *fit = ase_gravity_of(of);
  const ArmRowOptions *rows = settings->rows;
  GString *text = g_string_new(NULL);
  AioJsonWriter *w = aio_json_writer_new(text);
  aio_json_write_begin_flat_object(w);
  aio_json_put_number(w, "min_speed_rad_s", rows->min_speed_R);
  aio_json_put_number(w, "min_speed_m_s", rows->min_speed_T);
  aio_json_put_bool(w, "acceleration", rows->wants_acceleration);
  aio_json_put_bool(w, "plateau", rows->wants_plateau);
  aio_json_put_number(w, "plateau_end_rad", rows->plateau_end_R);
  aio_json_put_number(w, "plateau_end_part", rows->plateau_end_part);
  aio_json_put_int(w, "exclusions", settings->exclusions);
  for (guint t = 0; t < ARM_TERMS && (!is_file || has_terms(fit)); t++)
    aio_json_put_bool(w, t == ARM_TERM_LOAD ? "friction_load" : "friction_curve",
                      was_offered(fit, (ArmFrictionTerm)t));
  aio_limits_write_changed(w, settings->limits);
  if (!is_file)
    write_trials(w, fit);
  aio_json_write_end_object(w);
  aio_json_writer_free(w);
  return g_strchomp(g_string_free(text, FALSE));
}

char *ase_gravity_format(const AseFit *fit, const char *arm_name, const char *arm_digest,
                         const char *program, const AioProvenance *provenance,
                         const GPtrArray *held_out) {
  gsize length;
  return aio_params_format_validated(ase_gravity_of(fit), NULL, arm_name, arm_digest, program,
                                     provenance, held_out, &length);
}

/* Older programs stated no digest. */
static bool was_changed(const AioParams *params) {
  return params->stated_digest && strcmp(params->stated_digest, params->digest) != 0;
}

bool ase_gravity_recall(const char *name, const char *text, gsize length, const ArmModel *model,
                        AseFitted *found, bool *is_changed, GError **error) {
  AioParams *params = aio_params_load_bytes(name, text, length, model, error);
  if (!params)
    return false;
  *is_changed = was_changed(params);
  *found = (AseFitted){.fit = ase_gravity_wrap(g_memdup2(&params->fit, sizeof params->fit)),
                       .arm_digest = g_strdup(params->arm_digest)};
  if (params->provenance)
    found->wild = g_steal_pointer(&params->provenance->wild);
  memset(&params->fit, 0, sizeof params->fit); /* what it owns has moved */
  aio_params_free(params);
  return true;
}
