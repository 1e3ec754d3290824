/* SPDX-License-Identifier: MIT */
/* Arm and parameter files with all that is doubtful about them said once, on stderr: edited
 * numbers, another arm, a misfit. Numbers that travel without it are how wrong parameters reach an
 * arm. */
#include <math.h>
#include <string.h>

#include "cli/cli.h"
#include "io/params/verdict_file.h"

static void warn_near_parallel(const char *path, const ArmStructure *structure) {
  for (size_t i = 0; i < structure->n; i++)
    if (structure->is_near_parallel[i])
      cli_warning("%s: the axes of joint %d and the joint before it are nearly, but not exactly, "
                  "parallel; if they are meant to be parallel, write 0 or 180 deg exactly",
                  path, (int)i + 1);
}

AioArm *cli_load_arm(const char *path, ArmStructure *structure) {
  GError *error = NULL;
  g_autoptr(AioArm) arm = aio_arm_load(path, &error);
  if (!arm) {
    cli_fail(error);
    return NULL;
  }
  ArmStatus status = arm_structure_find(&arm->model, structure);
  if (status != ARM_OK) {
    cli_fail_status(status, path);
    return NULL;
  }
  warn_near_parallel(path, structure);
  return g_steal_pointer(&arm);
}

static void warn_lines(const char *path, const GPtrArray *lines) {
  for (guint k = 0; k < lines->len; k++)
    cli_warning("%s: %s", path, (const char *)lines->pdata[k]);
}

void cli_warn_misfit(const char *path, const ArmGravityFit *fit) {
  g_autoptr(GPtrArray) lines = aio_verdict_reminders(fit);
  warn_lines(path, lines);
}

/* What a parameter file says of itself and of the arm. */
typedef struct {
  const char *path, *arm_path;
  const char *digest, *stated_digest, *arm_digest, *arm_name;
} Origin;

static void warn_origin(const Origin *of, const AioArm *arm) {
  if (of->stated_digest && strcmp(of->stated_digest, of->digest) != 0)
    cli_warning("%s was changed after it was written: it says %s, its content is %s. Its numbers "
                "and error bars may not be what the fit found",
                of->path, of->stated_digest, of->digest);
  if (!of->stated_digest)
    cli_warning("%s has no digest: whether its numbers are those that were fitted cannot be told",
                of->path);
  if (of->arm_digest && strcmp(of->arm_digest, arm->digest) != 0)
    cli_warning("%s was fitted with another arm file (%s) than %s. Parameters belong to the frames "
                "and the gravity of the arm file they were fitted with: use that file, or fit "
                "again with this one",
                of->path, of->arm_name ? of->arm_name : "unnamed", of->arm_path);
}

const AseMethod *cli_load_method(const char *path) {
  GError *error = NULL;
  g_autoptr(AioJson) json = aio_json_load(path, &error);
  const AseMethod *method = json ? ase_method_of(aio_json_root(json), &error) : NULL;
  if (!method)
    cli_fail(error);
  return method;
}

void cli_warn_found(const char *path, const AseFound *found) {
  g_autoptr(GPtrArray) lines = ase_found_reminders(found);
  warn_lines(path, lines);
}

bool cli_load_found(const char *path, const char *arm_path, const AioArm *arm, AseFound *found) {
  GError *error = NULL;
  gsize length;
  g_auto(AioParamsOrigin) origin = {0};
  g_autoptr(AioJson) json = aio_json_load(path, &error);
  const char *text = json ? aio_json_bytes(json, &length) : NULL;
  if (!text || !ase_found_load_text(path, text, length, &arm->model, found, &error) ||
      !aio_params_load_origin(path, text, length, &origin, &error)) {
    cli_fail(error);
    return false;
  }
  const Origin of = {
      path, arm_path, origin.digest, origin.stated_digest, origin.arm_digest, origin.arm_name};
  warn_origin(&of, arm);
  cli_warn_found(path, found);
  return true;
}

bool cli_refuse_unconverged(const char *path, const ArmParamSet *found) {
  for (size_t k = 0; k < found->n; k++)
    if (!found->estimate[k].identifiable && found->estimate[k].reason == ARM_REASON_NOT_CONVERGED) {
      cli_error("%s: expected parameters that were found, found those of a search that did not "
                "converge: none of them is a number. Identify again, from other recordings",
                path);
      return true;
    }
  return false;
}

/* ---- for verbs that only one method serves ---- */

static void refuse_kind(const char *path, const AseMethod *method) {
  const bool is_dynamics = method == &ase_method_dynamics;
  cli_error("%s: expected parameters of kind \"gravity\", found \"%s\"%s", path,
            ase_method_key(method),
            is_dynamics ? ", which are of an arm that moves as a whole: here give those that `fit` "
                          "wrote of sweeps. `predict`, `dynamics`, `excite`, `export` and `diff` "
                          "take these"
                        : ": `export` and `diff` take these");
}

AioParams *cli_load_params(const char *path, const char *arm_path, const AioArm *arm) {
  GError *error = NULL;
  const AseMethod *method = cli_load_method(path);
  if (!method)
    return NULL;
  if (method != &ase_method_gravity) {
    refuse_kind(path, method);
    return NULL;
  }
  AioParams *params = aio_params_load(path, &arm->model, &error);
  if (!params) {
    cli_fail(error);
    return NULL;
  }
  const Origin of = {
      path, arm_path, params->digest, params->stated_digest, params->arm_digest, params->arm_name};
  warn_origin(&of, arm);
  g_autoptr(GPtrArray) lines = aio_params_validation_lines(params);
  cli_warn_misfit(path, &params->fit);
  warn_lines(path, lines);
  return params;
}

AioDynamics *cli_load_dynamics(const char *path, const char *arm_path, const AioArm *arm) {
  GError *error = NULL;
  g_autoptr(AioDynamics) dynamics = aio_dynamics_load(path, &arm->model, &error);
  if (!dynamics) {
    cli_fail(error);
    return NULL;
  }
  const Origin of = {path,
                     arm_path,
                     dynamics->digest,
                     dynamics->stated_digest,
                     dynamics->arm_digest,
                     dynamics->arm_name};
  if (cli_refuse_unconverged(path, &dynamics->found))
    return NULL;
  warn_origin(&of, arm);
  g_autoptr(GPtrArray) lines = aio_dynamics_reminders(dynamics);
  warn_lines(path, lines);
  return g_steal_pointer(&dynamics);
}

bool cli_parse_zero_speed(const char *rule, ArmPredictOptions *out) {
  static const char deadband[] = "deadband=";
  if (!rule || strcmp(rule, "none") == 0) {
    out->zero_speed = ARM_ZERO_SPEED_NONE;
    return true;
  }
  if (strcmp(rule, "sign-error") == 0) {
    out->zero_speed = ARM_ZERO_SPEED_SIGN_ERROR;
    return true;
  }
  if (strcmp(rule, "band") == 0) {
    out->zero_speed = ARM_ZERO_SPEED_BAND;
    return true;
  }
  if (!g_str_has_prefix(rule, deadband))
    return false;
  const char *number = rule + strlen(deadband);
  char *end;
  out->zero_speed = ARM_ZERO_SPEED_DEADBAND;
  out->deadband = g_ascii_strtod(number, &end);
  return end != number && *end == '\0' && isfinite(out->deadband) && out->deadband > 0.0;
}
