/* SPDX-License-Identifier: MIT */
#include "io/arm/structure_json.h"

#include "io/json/json_write.h"

char *aio_structure_parameter_name(ArmJointType type, gsize joint, gsize axis) {
  if (type == ARM_JOINT_T)
    return g_strdup_printf("mhat%" G_GSIZE_FORMAT, joint + 1);
  return g_strdup_printf("k%" G_GSIZE_FORMAT "%c", joint + 1, axis == 0 ? 'x' : 'y');
}

/* An array with one flag per joint of the given type, null for the other ones. */
static void write_flags(AioJsonWriter *w, const char *key, const ArmModel *model, ArmJointType type,
                        const bool *flags) {
  aio_json_write_key(w, key);
  aio_json_write_begin_array(w);
  for (size_t i = 0; i < model->n; i++) {
    if (model->joints[i].type == type)
      aio_json_write_int(w, flags[i] ? 1 : 0);
    else
      aio_json_write_null(w);
  }
  aio_json_write_end_array(w);
}

static void write_clusters(AioJsonWriter *w, const ArmStructure *structure) {
  aio_json_write_key(w, "clusters");
  aio_json_write_begin_array(w);
  for (size_t c = 0; c < structure->n_clusters; c++) {
    aio_json_write_begin_array(w);
    for (size_t i = 0; i < structure->n; i++)
      if (structure->cluster[i] == (int)c)
        aio_json_write_int(w, (gint64)i + 1);
    aio_json_write_end_array(w);
  }
  aio_json_write_end_array(w);
}

static void write_parameter(AioJsonWriter *w, const ArmModel *model, const ArmStructure *structure,
                            size_t joint, size_t axis) {
  static const char *const kinds[] = {"kx", "ky"};
  ArmJointType type = model->joints[joint].type;
  ArmReason reason = arm_structure_reason(model, structure, joint);
  char *name = aio_structure_parameter_name(type, joint, axis);
  aio_json_write_begin_flat_object(w);
  aio_json_put_string(w, "name", name);
  aio_json_put_string(w, "kind", type == ARM_JOINT_T ? "mhat" : kinds[axis]);
  aio_json_put_int(w, "joint", (gint64)joint + 1);
  aio_json_put_bool(w, "minimal", structure->has_own[joint]);
  aio_json_put_string(w, "reason", arm_reason_text(reason));
  aio_json_put_string(w, "reason_key", arm_reason_key(reason));
  aio_json_write_end_object(w);
  g_free(name);
}

static void write_parameters(AioJsonWriter *w, const ArmModel *model,
                             const ArmStructure *structure) {
  aio_json_write_key(w, "parameters");
  aio_json_write_begin_array(w);
  for (size_t i = 0; i < model->n; i++)
    for (size_t axis = 0; axis < (model->joints[i].type == ARM_JOINT_R ? 2 : 1); axis++)
      write_parameter(w, model, structure, i, axis);
  aio_json_write_end_array(w);
}

static void write_count(AioJsonWriter *w, const ArmStructure *structure) {
  aio_json_write_key(w, "count");
  aio_json_write_begin_flat_object(w);
  aio_json_put_int(w, "gravity", (gint64)structure->count_gravity);
  aio_json_put_int(w, "ratios", (gint64)structure->count_ratios);
  aio_json_put_int(w, "friction", (gint64)structure->count_friction);
  aio_json_write_end_object(w);
}

char *aio_structure_format(const ArmModel *model, const ArmStructure *structure, gsize *length) {
  GString *out = g_string_new(NULL);
  AioJsonWriter *w = aio_json_writer_new(out);
  aio_json_write_begin_object(w);
  aio_json_put_string(w, "format", "armature-structure");
  aio_json_put_int(w, "version", 1);
  aio_json_put_int(w, "n", (gint64)structure->n);
  aio_json_put_int(w, "r", (gint64)structure->r);
  aio_json_put_int(w, "s", (gint64)structure->s);
  write_flags(w, "delta", model, ARM_JOINT_R, structure->delta);
  write_flags(w, "sigma", model, ARM_JOINT_T, structure->sigma);
  write_flags(w, "sigma_hat", model, ARM_JOINT_T, structure->sigma_hat);
  write_clusters(w, structure);
  write_parameters(w, model, structure);
  write_count(w, structure);
  aio_json_write_key(w, "near_parallel");
  aio_json_write_begin_array(w);
  for (size_t i = 0; i < structure->n; i++)
    if (structure->is_near_parallel[i])
      aio_json_write_int(w, (gint64)i + 1);
  aio_json_write_end_array(w);
  aio_json_write_end_object(w);
  aio_json_writer_free(w);
  *length = out->len;
  return g_string_free(out, FALSE);
}
