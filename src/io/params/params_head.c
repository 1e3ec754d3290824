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

bool aio_params_load_origin(const char *name, const char *bytes, gsize length,
                            AioParamsOrigin *origin, GError **error) {
  AioParamsOrigin read = {0};
  AioJson *json = aio_json_parse(name, bytes, length, error);
  const AioJsonNode *root = json ? aio_json_root(json) : NULL;
  const bool is_read =
      root && aio_params_kind(root, error) &&
      aio_params_read_arm(root, &read.arm_name, &read.arm_digest, &read.program, error) &&
      aio_params_read_digest(root, &read.digest, &read.stated_digest, error);
  aio_json_free(json);
  if (is_read)
    *origin = read;
  else
    aio_params_origin_clear(&read);
  return is_read;
}

void aio_params_origin_clear(AioParamsOrigin *origin) {
  g_free(origin->arm_name);
  g_free(origin->arm_digest);
  g_free(origin->program);
  g_free(origin->digest);
  g_free(origin->stated_digest);
  *origin = (AioParamsOrigin){0};
}
