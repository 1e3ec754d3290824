/* SPDX-License-Identifier: MIT */
/* What goes into a header is checked first, and its whole text made in memory: a header that would
 * not compile, or would be another arm's, does not come into being. */
#include "io/export/export_c.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "io/export/export_c_gravity.h"
#include "io/export/export_c_internal.h"
#include "io/export/export_c_text.h"

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

static bool check_input(const AioArm *arm, const AioParams *params, const AioExportC *options,
                        GError **error) {
  bool is_same = arm->model.n == params->fit.refined.n;
  for (size_t i = 0; i < arm->model.n && is_same; i++)
    is_same = arm->model.joints[i].type == params->fit.refined.type[i];
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

static bool has_terms(const AioExport *x, int i) {
  return x->p->joint[i].has_term[ARM_TERM_LOAD] || x->p->joint[i].has_term[ARM_TERM_CURVE];
}

static void gather(AioExport *x) {
  for (int i = 0; i < x->n; i++) {
    const ArmJointFit *joint = &x->p->joint[i];
    const double limit = x->params->is_torque[i] ? (double)NAN : x->options->current_max[i];
    x->is_known[i] = joint->rows_used > 0;
    x->limit[i] = isnan(limit) ? AIO_EXPORT_NO_LIMIT : limit;
    for (int f = 0; f < 4; f++)
      x->has_friction[i] = x->has_friction[i] || joint->friction[f].used != 0.0;
    x->has_friction[i] = x->has_friction[i] || has_terms(x, i);
    x->reads_speed = x->reads_speed || (x->is_known[i] && x->has_friction[i]);
  }
  aio_export_c_gravity(&x->arm->model, x->p, x->program, x->gravity);
  for (int i = 0; i < x->n; i++)
    if (x->is_known[i])
      aio_program_need(x->program, x->gravity[i]);
}

/* A literal that is no float would not compile. */
static bool check_size(const AioExport *x, GError **error) {
  double largest = aio_program_largest(x->program);
  for (int i = 0; i < x->n; i++) {
    largest = fmax(largest, fmax(fabs(x->gravity[i].factor), x->limit[i]));
    for (int f = 0; f < 4; f++)
      largest = fmax(largest, fabs(x->p->joint[i].friction[f].used));
    for (int t = 0; t < ARM_TERMS; t++)
      if (x->p->joint[i].has_term[t])
        largest = fmax(largest, fabs(x->p->joint[i].term[t].used));
    if (x->p->joint[i].has_term[ARM_TERM_CURVE])
      largest = fmax(largest, x->p->joint[i].curve_speed);
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

char *aio_export_c(const AioArm *arm, const AioParams *params, const AioExportC *options,
                   gsize *length, GError **error) {
  if (!check_input(arm, params, options, error))
    return NULL;
  AioExport *x = g_new0(AioExport, 1);
  if (aio_params_found(params, &x->found) != ARM_OK) {
    g_set_error_literal(error, AIO_ERROR, AIO_ERROR_MEMORY, "export: not enough memory");
    g_free(x);
    return NULL;
  }
  x->arm = arm;
  x->params = params;
  x->options = options;
  x->p = &params->fit.refined;
  x->n = (int)arm->model.n;
  x->prefix = options->prefix ? g_strdup(options->prefix) : aio_c_prefix_from(arm->name);
  x->program = aio_program_new();
  gather(x);
  char *text = check_size(x, error) ? print_header(x, length) : NULL;
  aio_program_free(x->program);
  arm_param_set_clear(&x->found);
  g_free(x->prefix);
  g_free(x);
  return text;
}
