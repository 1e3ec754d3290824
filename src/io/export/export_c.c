/* SPDX-License-Identifier: MIT */
/* What goes into a header is checked first, and its whole text made in memory: a header that would
 * not compile, or would be another arm's, does not come into being. */
#include "io/export/export_c.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "io/export/export_c_dynamics.h"
#include "io/export/export_c_gravity.h"
#include "io/export/export_c_internal.h"
#include "io/export/export_c_text.h"
#include "io/params/verdict_file.h"

void aio_export_c_default(AioExportC *options, const AioArm *arm) {
  *options = (AioExportC){.zero_speed = ARM_ZERO_SPEED_NONE};
  for (size_t i = 0; i < ARM_MAX_JOINTS; i++)
    options->current_max[i] =
        i < arm->model.n ? arm->model.joints[i].limits.current_max : (double)NAN;
}

bool aio_export_c_is_prefix(const char *prefix) {
  bool is_good = g_ascii_isalpha(*prefix) && strlen(prefix) <= 32 && !strstr(prefix, "__");
  for (const char *c = prefix; *c && is_good; c++)
    is_good = g_ascii_isalnum(*c) || *c == '_';
  return is_good && !g_str_has_suffix(prefix, "_");
}

static char *print_header(const AioExport *x, gsize *length) {
  GString *out = g_string_new(NULL);
  char *upper = g_ascii_strup(x->prefix, -1);
  aio_export_c_comment(x, out);
  g_string_append_printf(out, "#ifndef %s_CURRENT_H\n#define %s_CURRENT_H\n\n#include <math.h>\n\n",
                         upper, upper);
  g_string_append_printf(out, "#define %s_JOINTS %d\n", upper, x->n);
  aio_export_c_function(x, false, out);
  aio_export_c_function(x, true, out);
  g_string_append(out, "\n#endif\n");
  g_free(upper);
  *length = out->len;
  return g_string_free(out, FALSE);
}

/* ---- what goes in ---- */

static bool check_input(const AioArm *arm, const ArmParamSet *found, const AioExportC *options,
                        GError **error) {
  bool is_same = arm->model.n == found->n_joints;
  for (size_t i = 0; i < arm->model.n && is_same; i++)
    is_same = arm->model.joints[i].type == found->type[i];
  if (!is_same)
    g_set_error(error, AIO_ERROR, AIO_ERROR_MEANING,
                "export: expected parameters of an arm with the same joints as \"%s\"", arm->name);
  else if (options->prefix && !aio_export_c_is_prefix(options->prefix))
    g_set_error(error, AIO_ERROR, AIO_ERROR_MEANING,
                "prefix: expected a letter, then letters, digits or single underscores, at most 32 "
                "in all, found \"%s\"",
                options->prefix);
  else
    return true;
  return false;
}

static double used(const AioExport *x, ArmParamKind kind, int i) {
  const ArmEstimate *e = arm_param_set_at(x->found, (ArmParamId){kind, (guchar)i, 0});
  return e ? e->used : 0.0;
}

static bool has(const AioExport *x, ArmParamKind kind, int i) {
  return arm_param_set_at(x->found, (ArmParamId){kind, (guchar)i, 0}) != NULL;
}

static void gather_friction(AioExport *x, int i) {
  AioExportFriction *friction = &x->friction[i];
  for (int f = 0; f < 4; f++) {
    friction->lambda[f] = used(x, (ArmParamKind)(ARM_PARAM_COULOMB_POS + f), i);
    x->has_friction[i] = x->has_friction[i] || friction->lambda[f] != 0.0;
  }
  friction->has_load = has(x, ARM_PARAM_LOAD, i);
  friction->load = used(x, ARM_PARAM_LOAD, i);
  friction->has_curve = has(x, ARM_PARAM_CURVE, i);
  friction->curve = used(x, ARM_PARAM_CURVE, i);
  friction->curve_speed = used(x, ARM_PARAM_CURVE_SPEED, i);
  friction->sign = used(x, ARM_PARAM_FRICTION_SIGN, i);
  x->has_friction[i] = x->has_friction[i] || friction->has_load || friction->has_curve;
}

static void gather(AioExport *x) {
  for (int i = 0; i < x->n; i++) {
    const double limit = x->found->is_torque[i] ? (double)NAN : x->options->current_max[i];
    x->is_known[i] = x->found->joint[i].rows_used > 0;
    x->limit[i] = isnan(limit) ? AIO_EXPORT_NO_LIMIT : limit;
    gather_friction(x, i);
    x->reads_speed = x->reads_speed || (x->is_known[i] && x->has_friction[i]);
  }
  for (int i = 0; i < x->n; i++)
    if (x->is_known[i]) {
      aio_program_need(x->program, x->load[i]);
      aio_program_need(x->program, x->rotor[i]);
    }
}

/* A literal that is no float would not compile. */
static bool check_size(const AioExport *x, GError **error) {
  double largest = aio_program_largest(x->program);
  for (int i = 0; i < x->n; i++) {
    const AioExportFriction *friction = &x->friction[i];
    const double numbers[] = {x->load[i].factor, x->rotor[i].factor, x->limit[i],
                              friction->load,    friction->curve,    friction->curve_speed};
    for (gsize k = 0; k < G_N_ELEMENTS(numbers); k++)
      largest = fmax(largest, fabs(numbers[k]));
    for (int f = 0; f < 4; f++)
      largest = fmax(largest, fabs(friction->lambda[f]));
    for (int j = 0; j < i; j++)
      largest = fmax(largest, fabs(x->arm->model.coupling[i][j]));
  }
  if (largest <= (double)FLT_MAX)
    return true;
  g_set_error(error, AIO_ERROR, AIO_ERROR_REFUSED,
              "export: expected numbers that fit a float, found %.3g: the parameters are those of "
              "no arm",
              largest);
  return false;
}

/* What differs between methods: the load of every joint as lines of a program. */
typedef void LoadOf(const ArmModel *model, const void *parameters, AioProgram *program,
                    AioScalar *load, AioScalar *rotor);

static char *export_with(const AioArm *arm, const AioExportOrigin *of, const AioExportC *options,
                         bool is_motion, LoadOf *load_of, const void *parameters, gsize *length,
                         GError **error) {
  if (!check_input(arm, of->found, options, error))
    return NULL;
  AioExport *x = g_new0(AioExport, 1);
  x->arm = arm;
  x->of = of;
  x->options = options;
  x->found = of->found;
  x->is_motion = is_motion;
  x->n = (int)arm->model.n;
  x->prefix = options->prefix ? g_strdup(options->prefix) : aio_c_prefix_from(arm->name);
  x->program = aio_program_new();
  for (int i = 0; i < x->n; i++)
    x->load[i] = x->rotor[i] = aio_scalar_number(0.0);
  load_of(&arm->model, parameters, x->program, x->load, x->rotor);
  gather(x);
  char *text = check_size(x, error) ? print_header(x, length) : NULL;
  aio_program_free(x->program);
  g_free(x->prefix);
  g_free(x);
  return text;
}

/* ---- of sweeps ---- */

static void load_of_gravity(const ArmModel *model, const void *parameters, AioProgram *program,
                            AioScalar *load, AioScalar *rotor) {
  (void)rotor;
  aio_export_c_gravity(model, parameters, program, load);
}

char *aio_export_c(const AioArm *arm, const AioParams *params, const AioExportC *options,
                   gsize *length, GError **error) {
  ArmParamSet found = {0};
  if (aio_params_found(params, &found) != ARM_OK) {
    g_set_error_literal(error, AIO_ERROR, AIO_ERROR_MEMORY, "export: not enough memory");
    return NULL;
  }
  GPtrArray *warnings = aio_verdict_reminders(&params->fit);
  g_ptr_array_extend_and_steal(warnings, aio_params_validation_lines(params));
  const AioExportOrigin of = {
      &found, params->digest, params->arm_name, params->arm_digest, params->provenance, warnings};
  char *text =
      export_with(arm, &of, options, false, load_of_gravity, &params->fit.refined, length, error);
  g_ptr_array_unref(warnings);
  arm_param_set_clear(&found);
  return text;
}

/* ---- of arms that move as a whole ---- */

static GPtrArray *warnings_of_dynamics(const AioDynamics *dynamics) {
  GPtrArray *warnings = g_ptr_array_new_with_free_func(g_free);
  if (dynamics->verdict == ARM_VERDICT_MISFIT)
    g_ptr_array_add(warnings, g_strdup("the model did not fit, as its verdict says"));
  for (guint k = 0; k < dynamics->warnings->len; k++) {
    const AioDynamicsWarning *warning = g_ptr_array_index(dynamics->warnings, k);
    g_ptr_array_add(warnings, g_strdup_printf("told when it was identified: %s", warning->message));
  }
  return warnings;
}

static void load_of_dynamics(const ArmModel *model, const void *parameters, AioProgram *program,
                             AioScalar *load, AioScalar *rotor) {
  aio_export_c_dynamics_load(model, parameters, program, load, rotor);
}

char *aio_export_c_dynamics(const AioArm *arm, const AioDynamics *dynamics,
                            const AioExportC *options, gsize *length, GError **error) {
  GPtrArray *warnings = warnings_of_dynamics(dynamics);
  const AioExportOrigin of = {&dynamics->found,     dynamics->digest,     dynamics->arm_name,
                              dynamics->arm_digest, dynamics->provenance, warnings};
  char *text =
      export_with(arm, &of, options, true, load_of_dynamics, &dynamics->found, length, error);
  g_ptr_array_unref(warnings);
  return text;
}
