/* SPDX-License-Identifier: MIT */
/* The whole of a parameter file: what all methods have, and what a gravity fit says besides. The
 * keys and their order are promised (docs/parameter-file.md): a fit without friction terms is
 * written as it was before there were any, byte by byte: older programs and digests hold. */
#include "io/params/params_file.h"

#include <string.h>

#include "io/json/digest.h"
#include "io/params/doubts_file.h"
#include "io/params/held_out.h"
#include "io/params/params_file_origin.h"
#include "io/params/params_set.h"
#include "io/params/verdict_file.h"

static void write_refinement(AioJsonWriter *w, const ArmGravityFit *fit) {
  aio_json_write_key(w, "refinement");
  aio_json_write_begin_flat_object(w);
  aio_json_put_int(w, "iterations", (gint64)fit->iterations);
  aio_json_put_number(w, "relative_gradient", fit->relative_gradient);
  aio_json_put_bool(w, "converged", fit->is_converged);
  aio_json_write_end_object(w);
}

typedef struct {
  const ArmMethod *method;
  const ArmParamSet *found, *recursion; /* recursion NULL: none */
  const ArmGravityFit *fit;             /* NULL: of another method */
  const AioParamsTried *tried[2];       /* of found, of recursion; NULL: no terms */
  const char *arm_name, *arm_digest, *program;
  const AioProvenance *provenance;
  const GPtrArray *held_out; /* NULL: nothing is said of a validation */
} Source;

static void write_head(AioJsonWriter *w, const Source *source, const char *digest) {
  const bool has_terms = aio_params_has_terms(source->found) ||
                         (source->recursion && aio_params_has_terms(source->recursion));
  aio_params_write_head(w, source->method, has_terms,
                        &(AioParamsHead){digest, source->program, source->arm_name,
                                         source->arm_digest, source->provenance});
}

static GString *format(const Source *source, const char *digest) {
  const ArmGravityFit *fit = source->fit;
  const AioParamsExtra of_found = {.verdict = fit ? &fit->verdict : NULL,
                                   .tried = source->tried[0]};
  const AioParamsExtra of_recursion = {.tried = source->tried[1]};
  GString *out = g_string_new(NULL);
  AioJsonWriter *w = aio_json_writer_new(out);
  aio_json_write_begin_object(w);
  write_head(w, source, digest);
  aio_params_write_units(w, source->found);
  if (fit) {
    aio_verdict_write(w, fit);
    aio_doubts_write(w, &fit->doubts);
  }
  if (source->held_out && source->held_out->len > 0)
    aio_held_out_write(w, source->held_out, source->found);
  aio_params_write_set(w, source->method, source->found, &of_found);
  aio_params_write_covariance(w, source->found);
  if (fit)
    write_refinement(w, fit);
  if (source->recursion) {
    aio_json_write_key(w, "recursive");
    aio_json_write_begin_object(w);
    aio_params_write_set(w, source->method, source->recursion, &of_recursion);
    aio_json_write_end_object(w);
  }
  aio_json_write_end_object(w);
  aio_json_writer_free(w);
  return out;
}

static char *format_with_digest(const Source *source, gsize *length) {
  GString *text = format(source, NULL);
  AioJson *json = aio_json_parse("parameters", text->str, text->len, NULL);
  /* Larger than this program would read: then without. */
  char *digest = json ? aio_json_digest(aio_json_root(json), "digest") : NULL;
  aio_json_free(json);
  g_string_free(text, TRUE);
  text = format(source, digest);
  g_free(digest);
  *length = text->len;
  return g_string_free(text, FALSE);
}

char *aio_params_format_found(const ArmMethod *method, const ArmParamSet *found,
                              const char *arm_name, const char *arm_digest, const char *program,
                              const AioProvenance *provenance, gsize *length) {
  const Source source = {.method = method,
                         .found = found,
                         .arm_name = arm_name,
                         .arm_digest = arm_digest,
                         .program = program,
                         .provenance = provenance};
  return format_with_digest(&source, length);
}

/* NULL: no joint of the set has a term. g_free. */
static AioParamsTried *tried_of(const ArmParamSet *set, const ArmJointFit *joints) {
  if (!aio_params_has_terms(set))
    return NULL;
  AioParamsTried *tried = g_new(AioParamsTried, set->n_joints);
  for (size_t i = 0; i < set->n_joints; i++)
    memcpy(tried[i].trial, joints[i].trial, sizeof tried[i].trial);
  return tried;
}

char *aio_params_format(const ArmGravityFit *fit, const bool *is_torque, const char *arm_name,
                        const char *arm_digest, const char *program,
                        const AioProvenance *provenance, gsize *length) {
  return aio_params_format_validated(fit, is_torque, arm_name, arm_digest, program, provenance,
                                     NULL, length);
}

char *aio_params_format_validated(const ArmGravityFit *fit, const bool *is_torque,
                                  const char *arm_name, const char *arm_digest, const char *program,
                                  const AioProvenance *provenance, const GPtrArray *held_out,
                                  gsize *length) {
  const bool has_recursion = fit->recursive.n > 0;
  ArmParamSet found, recursion = {0};
  if (arm_gravity_set(&fit->refined, is_torque, true, &found) != ARM_OK ||
      (has_recursion && arm_gravity_set(&fit->recursive, is_torque, false, &recursion) != ARM_OK))
    g_error("parameters: not enough memory"); /* as GLib does */
  AioParamsTried *of_found = tried_of(&found, fit->refined.joint);
  AioParamsTried *of_recursion = has_recursion ? tried_of(&recursion, fit->recursive.joint) : NULL;
  const Source source = {.method = arm_gravity_method(),
                         .found = &found,
                         .recursion = has_recursion ? &recursion : NULL,
                         .fit = fit,
                         .tried = {of_found, of_recursion},
                         .arm_name = arm_name,
                         .arm_digest = arm_digest,
                         .program = program,
                         .provenance = provenance,
                         .held_out = held_out};
  char *text = format_with_digest(&source, length);
  g_free(of_found);
  g_free(of_recursion);
  arm_param_set_clear(&found);
  arm_param_set_clear(&recursion);
  return text;
}
