/* SPDX-License-Identifier: MIT */
/* What every parameter file begins with: what it is, of which arm, by which program. */
#include "io/json/digest.h"
#include "io/params/params_file_origin.h"
#include "io/params/params_set.h"

void aio_params_write_head(AioJsonWriter *w, const ArmMethod *method, bool has_terms,
                           const AioParamsHead *head) {
  aio_json_put_string(w, "format", "armature-parameters");
  aio_json_put_int(w, "version", has_terms ? 2 : 1);
  aio_json_put_string(w, "kind", method->key);
  if (head->digest)
    aio_json_put_string(w, "digest", head->digest);
  if (head->program)
    aio_json_put_string(w, "program", head->program);
  aio_json_write_key(w, "arm");
  aio_json_write_begin_object(w);
  aio_json_put_string(w, "name", head->arm_name);
  aio_json_put_string(w, "digest", head->arm_digest);
  aio_json_write_end_object(w);
  if (head->provenance)
    aio_params_write_provenance(w, head->provenance);
}

static bool read_text(const AioJsonNode *node, char **out, GError **error) {
  const char *text = NULL;
  if (node->kind != AIO_JSON_NULL && !aio_json_get_string(node, &text, error))
    return false;
  *out = g_strdup(text);
  return true;
}

bool aio_params_read_arm(const AioJsonNode *root, char **arm_name, char **arm_digest,
                         char **program, GError **error) {
  static const char *const known[] = {"name", "digest", NULL};
  const AioJsonNode *arm = aio_json_require(root, "arm", error);
  if (!arm || !aio_json_check_keys(arm, known, true, error))
    return false;
  const AioJsonNode *name = aio_json_require(arm, "name", error);
  const AioJsonNode *digest = name ? aio_json_require(arm, "digest", error) : NULL;
  const AioJsonNode *by = aio_json_member(root, "program");
  return digest && read_text(name, arm_name, error) && read_text(digest, arm_digest, error) &&
         (!by || read_text(by, program, error));
}

bool aio_params_read_digest(const AioJsonNode *root, char **digest, char **stated, GError **error) {
  const AioJsonNode *node = aio_json_member(root, "digest");
  *digest = aio_json_digest(root, "digest");
  return !node || read_text(node, stated, error);
}
