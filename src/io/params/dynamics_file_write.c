/* SPDX-License-Identifier: MIT */
/* A file of kind "dynamics": a set as every method's, and what it means for an arm that moves. */
#include <math.h>
#include <string.h>

#include "io/json/digest.h"
#include "io/params/dynamics_file.h"
#include "io/params/params_file_origin.h"
#include "io/params/params_set.h"

const char *aio_gauge_key(AioGauge gauge) {
  static const char *const keys[AIO_GAUGES] = {"datasheet", "reference", "torque", "known-load"};
  return (unsigned)gauge < AIO_GAUGES ? keys[gauge] : "";
}

const char *aio_nominal_key(ArmNominalFate fate) {
  static const char *const keys[] = {"known", "rounded", "repaired", "guessed"};
  return (unsigned)fate < G_N_ELEMENTS(keys) ? keys[fate] : "";
}

/* ---- life ---- */

static void free_warning(gpointer data) {
  AioDynamicsWarning *warning = data;
  g_free(warning->code);
  g_free(warning->message);
  g_free(warning);
}

static void free_weakest(gpointer data) {
  AioWeakest *weakest = data;
  g_free(weakest->direction);
  g_free(weakest->motion);
  g_free(weakest);
}

AioDynamics *aio_dynamics_new(void) {
  AioDynamics *dynamics = g_new0(AioDynamics, 1);
  dynamics->gauge_joint = -1;
  dynamics->verdict = ARM_VERDICT_UNKNOWN;
  for (gsize j = 0; j < ARM_MAX_JOINTS; j++)
    dynamics->joint_verdict[j] = ARM_VERDICT_UNKNOWN;
  for (gsize j = 0; j < ARM_MAX_JOINTS; j++)
    dynamics->sample_sd[j] = dynamics->p[j] = NAN;
  dynamics->held_out = aio_held_out_list_new();
  dynamics->warnings = g_ptr_array_new_with_free_func(free_warning);
  dynamics->weakest = g_ptr_array_new_with_free_func(free_weakest);
  return dynamics;
}

void aio_dynamics_free(AioDynamics *dynamics) {
  if (!dynamics)
    return;
  g_free(dynamics->arm_name);
  g_free(dynamics->arm_digest);
  g_free(dynamics->program);
  g_free(dynamics->digest);
  g_free(dynamics->stated_digest);
  aio_provenance_free(dynamics->provenance);
  arm_param_set_clear(&dynamics->found);
  g_ptr_array_unref(dynamics->held_out);
  g_ptr_array_unref(dynamics->warnings);
  g_ptr_array_unref(dynamics->weakest);
  g_free(dynamics);
}

AioHeldOut *aio_dynamics_add_held_out(AioDynamics *dynamics, const char *name) {
  return aio_held_out_add(dynamics->held_out, name);
}

void aio_dynamics_judge(AioDynamics *dynamics, gsize joints, bool has_converged) {
  dynamics->verdict = has_converged ? ARM_VERDICT_FITS : ARM_VERDICT_UNKNOWN;
  for (gsize j = 0; j < joints; j++) {
    ArmVerdictKind *own = &dynamics->joint_verdict[j];
    if (*own == ARM_VERDICT_FITS && !has_converged)
      *own = ARM_VERDICT_UNKNOWN;
    dynamics->verdict = MAX(dynamics->verdict, *own);
  }
}

void aio_dynamics_warn(AioDynamics *dynamics, const char *code, gsize joint, const char *message) {
  AioDynamicsWarning *warning = g_new0(AioDynamicsWarning, 1);
  warning->code = g_strdup(code);
  warning->joint = joint;
  warning->message = g_strdup(message);
  g_ptr_array_add(dynamics->warnings, warning);
}

void aio_dynamics_add_weakest(AioDynamics *dynamics, const char *direction, const char *motion) {
  AioWeakest *weakest = g_new0(AioWeakest, 1);
  weakest->direction = g_strdup(direction);
  weakest->motion = g_strdup(motion);
  g_ptr_array_add(dynamics->weakest, weakest);
}

/* ---- parts ---- */

static void put_joint(AioJsonWriter *w, gint64 joint) {
  aio_json_write_key(w, "joint");
  if (joint > 0)
    aio_json_write_int(w, joint);
  else
    aio_json_write_null(w);
}

static void write_gauge(AioJsonWriter *w, const AioDynamics *dynamics) {
  aio_json_write_key(w, "gauge");
  aio_json_write_begin_flat_object(w);
  aio_json_put_string(w, "kind", aio_gauge_key(dynamics->gauge));
  put_joint(w, dynamics->gauge_joint + 1);
  aio_json_write_end_object(w);
}

static void write_warnings(AioJsonWriter *w, const AioDynamics *dynamics) {
  aio_json_put_string(w, "verdict", arm_verdict_key(dynamics->verdict));
  aio_json_write_key(w, "warnings");
  aio_json_write_begin_array(w);
  for (guint k = 0; k < dynamics->warnings->len; k++) {
    const AioDynamicsWarning *warning = g_ptr_array_index(dynamics->warnings, k);
    aio_json_write_begin_flat_object(w);
    aio_json_put_string(w, "code", warning->code);
    put_joint(w, (gint64)warning->joint);
    aio_json_put_string(w, "message", warning->message);
    aio_json_write_end_object(w);
  }
  aio_json_write_end_array(w);
}

/* The worst of a joint over all recordings that were held out; NAN: none. */
static double worst(const AioDynamics *dynamics, gsize i, bool is_relative) {
  double most = NAN;
  for (guint k = 0; k < dynamics->held_out->len; k++) {
    const AioHeldOut *held_out = g_ptr_array_index(dynamics->held_out, k);
    const AioJointHeldOut *joint = &held_out->joint[i];
    most = fmax(most, is_relative ? joint->rms_error / joint->rms : joint->rms_error);
  }
  return most;
}

/* Where it is kept least; NAN: nowhere known. */
static double promised(const AioDynamics *dynamics, gsize i) {
  double most = -1, of_most = NAN;
  for (guint k = 0; k < dynamics->held_out->len; k++) {
    const AioHeldOut *held_out = g_ptr_array_index(dynamics->held_out, k);
    const AioJointHeldOut *joint = &held_out->joint[i];
    if (!(joint->rms_error / joint->promised > most))
      continue;
    most = joint->rms_error / joint->promised;
    of_most = joint->promised;
  }
  return of_most;
}

/* What strokes are judged by is not known of an arm that moves as a whole. */
static void write_joint(AioJsonWriter *w, size_t i, const void *of) {
  static const char *const of_strokes[] = {"gravity_A", "direction_A", "speed_relative",
                                           "scatter_relative", "trend_relative"};
  const AioDynamics *dynamics = of;
  char room[AIO_PARAM_KEY];
  aio_json_put_number(w, aio_params_key("sample_sd_A", &dynamics->found, i, room),
                      dynamics->sample_sd[i]);
  aio_json_write_key(w, "samples");
  aio_json_write_begin_flat_object(w);
  for (int use = 0; use < ARM_DYN_USES; use++)
    if (dynamics->samples[i][use] > 0)
      aio_json_put_int(w, arm_dyn_use_key((ArmDynUse)use), (gint64)dynamics->samples[i][use]);
  aio_json_write_end_object(w);
  aio_json_write_key(w, "misfit");
  aio_json_write_begin_flat_object(w);
  aio_json_put_string(w, "verdict", arm_verdict_key(dynamics->joint_verdict[i]));
  for (gsize k = 0; k < G_N_ELEMENTS(of_strokes); k++)
    aio_json_put_number(w, of_strokes[k], NAN);
  aio_json_put_number(w, "promised_A", promised(dynamics, i));
  aio_json_put_number(w, "p", dynamics->p[i]);
  aio_json_put_number(w, "validation_A", worst(dynamics, i, false));
  aio_json_put_number(w, "validation_relative", worst(dynamics, i, true));
  aio_json_write_end_object(w);
}

/* Of a joint whose rotor base parameters hold beside the link. */
static void write_rotor(AioJsonWriter *w, const ArmDynamicsRotor *rotor) {
  aio_json_put_number(w, "rotor_inertia", rotor->inertia);
  aio_json_put_number(w, "rotor_sd", rotor->sd);
  aio_json_put_number(w, "rotor_prior_sd", rotor->prior_sd);
}

static void write_links(AioJsonWriter *w, const AioDynamics *dynamics) {
  aio_json_write_key(w, "links");
  aio_json_write_begin_array(w);
  for (gsize i = 0; i < dynamics->found.n_joints && dynamics->has_links; i++) {
    const AioDynamicsLink *link = &dynamics->link[i];
    aio_json_write_begin_object(w);
    aio_json_put_int(w, "joint", (gint64)i + 1);
    aio_json_put_number(w, "mass_kg", link->link.mass_kg);
    aio_json_put_numbers(w, "com_m", link->link.com_m, 3);
    aio_json_put_numbers(w, "inertia_com_kg_m2", link->link.inertia_com_kg_m2, 6);
    aio_json_put_bool(w, "is_consistent", link->is_consistent);
    aio_json_put_string(w, "nominal", aio_nominal_key(link->fate));
    aio_json_put_numbers(w, "sd", link->sd, ARM_INERTIA_PARAMETERS);
    aio_json_put_numbers(w, "prior_sd", link->prior_sd, ARM_INERTIA_PARAMETERS);
    if (link->rotor.is_held)
      write_rotor(w, &link->rotor);
    aio_json_write_end_object(w);
  }
  aio_json_write_end_array(w);
  if (!dynamics->has_links)
    return;
  aio_json_write_key(w, "completion");
  aio_json_write_begin_flat_object(w);
  aio_json_put_string(w, "method", arm_consistent_method_key(dynamics->completion));
  aio_json_put_string(w, "reason", arm_consistent_reason_key(dynamics->completion_reason));
  aio_json_write_end_object(w);
}

static void write_weakest(AioJsonWriter *w, const AioDynamics *dynamics) {
  aio_json_write_key(w, "weakest");
  aio_json_write_begin_array(w);
  for (guint k = 0; k < dynamics->weakest->len; k++) {
    const AioWeakest *weakest = g_ptr_array_index(dynamics->weakest, k);
    aio_json_write_begin_flat_object(w);
    aio_json_put_string(w, "direction", weakest->direction);
    aio_json_put_string(w, "motion", weakest->motion);
    aio_json_write_end_object(w);
  }
  aio_json_write_end_array(w);
}

/* ---- all of it ---- */

static void write_head(AioJsonWriter *w, const AioDynamics *dynamics, const char *digest) {
  aio_params_write_head(w, arm_dynamics_method(), aio_params_has_terms(&dynamics->found),
                        &(AioParamsHead){digest, dynamics->program, dynamics->arm_name,
                                         dynamics->arm_digest, dynamics->provenance});
}

static GString *format(const AioDynamics *dynamics, const char *digest) {
  AioParamsTried tried[ARM_MAX_JOINTS];
  for (gsize j = 0; j < ARM_MAX_JOINTS; j++)
    memcpy(tried[j].trial, dynamics->tried[j], sizeof tried[j].trial);
  const AioParamsExtra extra = {.tried = aio_params_has_terms(&dynamics->found) ? tried : NULL,
                                .write_joint = write_joint,
                                .of = dynamics};
  GString *out = g_string_new(NULL);
  AioJsonWriter *w = aio_json_writer_new(out);
  aio_json_write_begin_object(w);
  write_head(w, dynamics, digest);
  write_gauge(w, dynamics);
  write_warnings(w, dynamics);
  aio_params_write_units(w, &dynamics->found);
  aio_params_write_set(w, arm_dynamics_method(), &dynamics->found, &extra);
  write_links(w, dynamics);
  aio_held_out_write(w, dynamics->held_out, &dynamics->found);
  write_weakest(w, dynamics);
  aio_params_write_covariance(w, &dynamics->found);
  aio_json_write_end_object(w);
  aio_json_writer_free(w);
  return out;
}

char *aio_dynamics_format(const AioDynamics *dynamics, gsize *length) {
  GString *text = format(dynamics, NULL);
  AioJson *json = aio_json_parse("parameters", text->str, text->len, NULL);
  /* Larger than this program would read: then without. */
  char *digest = json ? aio_json_digest(aio_json_root(json), "digest") : NULL;
  aio_json_free(json);
  g_string_free(text, TRUE);
  text = format(dynamics, digest);
  g_free(digest);
  *length = text->len;
  return g_string_free(text, FALSE);
}
