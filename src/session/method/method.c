/* SPDX-License-Identifier: MIT */
/* A parameter file says of which kind it is; the list says who reads it. */
#include "session/method/method.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "io/base/error.h"
#include "io/base/safe_text.h"

const char *ase_method_key(const AseMethod *method) {
  return method->finds()->key;
}

/* "gravity", "dynamics" or "third" */
static char *list_keys(void) {
  GString *keys = g_string_new(NULL);
  for (gsize k = 0; ase_method_list[k]; k++) {
    const bool is_last = !ase_method_list[k + 1];
    g_string_append_printf(keys, "%s\"%s\"",
                           k == 0    ? ""
                           : is_last ? " or "
                                     : ", ",
                           ase_method_key(ase_method_list[k]));
  }
  return g_string_free(keys, FALSE);
}

const AseMethod *ase_method_of(const AioJsonNode *root, GError **error) {
  const AioJsonNode *kind = aio_params_kind(root, error);
  if (!kind)
    return NULL;
  for (gsize k = 0; ase_method_list[k]; k++)
    if (strcmp(ase_method_key(ase_method_list[k]), kind->string) == 0)
      return ase_method_list[k];
  char *keys = list_keys(), *found = aio_text_visible(kind->string, false);
  aio_json_fail_with(kind, AIO_ERROR_REFUSED, error, "expected parameters of kind %s, found \"%s\"",
                     keys, found);
  g_free(keys);
  g_free(found);
  return NULL;
}

/* ---- reading ---- */

/* A parameter file names the type of each joint; that is all of the arm that it takes to read it.
 * g_free. */
static ArmModel *model_of(const AioJsonNode *root) {
  ArmModel *model = g_new0(ArmModel, 1);
  const AioJsonNode *joints = aio_json_member(root, "joints");
  for (gsize j = 0; joints && j < MIN(aio_json_size(joints), ARM_MAX_JOINTS); j++) {
    const AioJsonNode *type = aio_json_member(aio_json_item(joints, j), "type");
    const bool is_T = type && type->kind == AIO_JSON_STRING && strcmp(type->string, "T") == 0;
    model->joints[model->n++].type = is_T ? ARM_JOINT_T : ARM_JOINT_R;
  }
  return model;
}

bool ase_found_load_text(const char *name, const char *text, gsize length, const ArmModel *model,
                         AseFound *found, GError **error) {
  AioJson *json = aio_json_parse(name, text, length, error);
  const AseMethod *method = json ? ase_method_of(aio_json_root(json), error) : NULL;
  ArmModel *own = method && !model ? model_of(aio_json_root(json)) : NULL;
  AseFound read = {.method = method};
  aio_json_free(json);
  bool is_read = method != NULL;
  if (is_read && method->load)
    is_read = method->load(name, text, length, own ? own : model, &read, error);
  else if (is_read)
    is_read = aio_params_load_found(name, text, length, method->finds(), own ? own : model,
                                    &read.set, error);
  g_free(own);
  if (is_read)
    *found = read;
  return is_read;
}

void ase_found_clear(AseFound *found) {
  arm_param_set_clear(&found->set);
  if (found->whole)
    found->method->free_whole(found->whole);
  *found = (AseFound){0};
}

/* ---- what can be done with it ---- */

GPtrArray *ase_found_reminders(const AseFound *found) {
  return found->method->reminders ? found->method->reminders(found)
                                  : g_ptr_array_new_with_free_func(g_free);
}

char *ase_found_export_c(const AioArm *arm, const AseFound *found, const AioExportC *options,
                         gsize *length, GError **error) {
  if (found->method->export_c)
    return found->method->export_c(arm, found, options, length, error);
  aio_error_set_said(
      error, AIO_ERROR_REFUSED,
      N_("there is no C code of parameters of kind \"%s\": export them as a table (csv)"),
      ase_method_key(found->method));
  return NULL;
}
