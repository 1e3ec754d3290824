/* SPDX-License-Identifier: MIT */
/* Names of parameters as files have them, and back: all made of the catalogue's keys, so that none
 * is listed here. The unit in a key follows the joint: what is found of a moving arm from torques
 * has Nm or N where the others have A. */
#include <string.h>

#include "io/params/params_set.h"

const char *aio_params_key(const char *key, const ArmParamSet *set, size_t i, char *room) {
  const char *at = strstr(key, "_A");
  if (!set->is_of_motion || !set->is_torque[i] || !at || (at[2] != '\0' && at[2] != '_'))
    return key;
  g_snprintf(room, AIO_PARAM_KEY, "%.*s_%s%s", (int)(at - key), key,
             set->type[i] == ARM_JOINT_R ? "Nm" : "N", at + 2);
  return room;
}

const char *aio_params_constant_key(ArmParamKind kind, ArmJointType type, char *room) {
  const ArmParamInfo *info = arm_param_info(kind);
  const bool is_end = info->form == ARM_AS_LOADS || info->form == ARM_AS_LOADS_END;
  const char *end = is_end ? strrchr(info->key, '_') : info->key + strlen(info->key);
  const char *unit = arm_param_unit_of(info->quantity, type, false, type, false);
  const bool has_unit = strcmp(unit, "1") != 0;
  g_snprintf(room, AIO_PARAM_KEY, "%.*s%s%s", (int)(end - info->key), info->key,
             has_unit ? "_" : "", has_unit ? unit : "");
  return g_strdelimit(room, "/", '_');
}

char *aio_params_name(ArmParamId id) {
  if (arm_param_info(id.kind)->scope == ARM_OF_PAIR)
    return g_strdup_printf("%s_%d_%d", arm_param_key(id.kind), id.i + 1, id.j + 1);
  return g_strdup_printf("%s_%d", arm_param_key(id.kind), id.i + 1);
}

char *aio_param_name(const ArmParamSet *set, size_t k) {
  const ArmParam *param = &set->param[k];
  const ArmParamInfo *info = arm_param_info(param->id.kind);
  char room[AIO_PARAM_KEY];
  if (param->name || info->scope == ARM_OF_PAIR)
    return param->name ? g_strdup(param->name) : aio_params_name(param->id);
  return g_strdup_printf("%s_%d", aio_params_key(info->key, set, param->id.i, room),
                         param->id.i + 1);
}

/* A joint number from 1 at *text, no sign and no leading zero; moves *text behind it. */
static bool parse_joint(const char **text, size_t n, unsigned char *joint) {
  size_t number = 0, digits = 0;
  if (**text == '0')
    return false;
  for (; g_ascii_isdigit(**text) && digits < 3; digits++)
    number = 10 * number + (size_t)(*(*text)++ - '0');
  if (digits == 0 || number < 1 || number > n)
    return false;
  *joint = (unsigned char)(number - 1);
  return true;
}

bool aio_params_parse_name(const char *name, size_t n, ArmParamId *id) {
  for (int kind = 0; kind < ARM_PARAM_KINDS; kind++) {
    const ArmParamInfo *info = arm_param_info((ArmParamKind)kind);
    const char *key = info->key;
    if (arm_param_is_constant((ArmParamKind)kind) || info->scope == ARM_NAMED ||
        !g_str_has_prefix(name, key) || name[strlen(key)] != '_')
      continue;
    ArmParamId found = {(ArmParamKind)kind, 0, 0};
    const char *rest = name + strlen(key) + 1;
    const bool is_one =
        parse_joint(&rest, n, &found.i) &&
        (info->scope != ARM_OF_PAIR ||
         (*rest++ == '_' && parse_joint(&rest, n, &found.j) && found.i < found.j)) &&
        *rest == '\0';
    if (!is_one) /* the key of another kind may begin like this one */
      continue;
    *id = found;
    return true;
  }
  return false;
}

/* Keys depend on what was measured. */
static size_t find_of_motion(const ArmParamSet *set, const char *name) {
  const char *joint = strrchr(name, '_');
  for (size_t k = 0; k < set->n && joint; k++) {
    char digits[8];
    g_snprintf(digits, sizeof digits, "_%d", set->param[k].id.i + 1);
    if (set->param[k].name || strcmp(digits, joint) != 0)
      continue;
    char *own = aio_param_name(set, k);
    const bool is_it = strcmp(own, name) == 0;
    g_free(own);
    if (is_it)
      return k;
  }
  return ARM_PARAM_NONE;
}

size_t aio_param_find(const ArmParamSet *set, const char *name) {
  ArmParamId id;
  for (size_t k = 0; k < set->n; k++)
    if (set->param[k].name && strcmp(set->param[k].name, name) == 0)
      return k;
  if (set->is_of_motion)
    return find_of_motion(set, name);
  if (!aio_params_parse_name(name, set->n_joints, &id))
    return ARM_PARAM_NONE;
  const size_t k = arm_param_set_find(set, id);
  return k == ARM_PARAM_NONE || set->param[k].name ? ARM_PARAM_NONE : k;
}

ArmStatus aio_params_found(const AioParams *params, ArmParamSet *set) {
  return arm_gravity_set(&params->fit.refined, params->is_torque, true, set);
}
