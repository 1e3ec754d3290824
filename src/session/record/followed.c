/* SPDX-License-Identifier: MIT */
/* A list, and the same as JSON. The run that a file states counts only once it has been found among
 * the file's runs: somebody may have taken it away. */
#include "session/record/followed.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "io/base/said.h"
#include "io/json/json_read.h"
#include "io/json/json_write.h"

#define MOST (G_GINT64_CONSTANT(1) << 53) /* exact in JSON, whoever reads it */

static void followed_free(gpointer data) {
  AseFollowed *followed = data;
  g_free(followed->name);
  g_free(followed->digest);
  g_free(followed->reason);
  g_free(followed);
}

GPtrArray *ase_followed_new(void) {
  return g_ptr_array_new_with_free_func(followed_free);
}

AseFollowed *ase_followed_last(const GPtrArray *list) {
  return list->len ? list->pdata[list->len - 1] : NULL;
}

static guint index_of(const GPtrArray *list, const char *digest) {
  guint k = 0;
  while (k < list->len && strcmp(((const AseFollowed *)list->pdata[k])->digest, digest) != 0)
    k++;
  return k;
}

AseFollowed *ase_followed_find(const GPtrArray *list, const char *digest) {
  const guint k = index_of(list, digest);
  return k < list->len ? list->pdata[k] : NULL;
}

AseFollowed *ase_followed_begin(GPtrArray *list, const char *name, const char *digest) {
  const guint k = index_of(list, digest);
  AseFollowed *followed = g_new0(AseFollowed, 1);
  followed->name = g_strdup(name);
  followed->digest = g_strdup(digest);
  followed->reason = g_strdup("");
  followed->is_on = true;
  if (k < list->len)
    g_ptr_array_remove_index(list, k);
  g_ptr_array_add(list, followed);
  return followed;
}

void ase_followed_end(AseFollowed *followed, bool is_passed, const char *reason) {
  followed->is_on = false;
  followed->is_passed = is_passed;
  g_free(followed->reason);
  followed->reason = g_strdup(reason);
}

void ase_followed_meet_run(const GPtrArray *list, gint64 run) {
  for (guint k = 0; k < list->len; k++) {
    AseFollowed *followed = list->pdata[k];
    if (followed->claimed == run)
      followed->run = run;
  }
}

/* ---- files ---- */

static const char *state_of(const AseFollowed *followed) {
  return followed->is_on ? "running" : followed->is_passed ? "passed" : "failed";
}

static void write_one(AioJsonWriter *w, const AseFollowed *followed, gsize joints) {
  aio_json_write_begin_object(w);
  aio_json_put_string(w, "name", followed->name);
  aio_json_put_string(w, "sha256", followed->digest);
  aio_json_put_int(w, "design", followed->design);
  aio_json_put_string(w, "state", state_of(followed));
  aio_json_put_string(w, "reason", followed->reason);
  aio_json_put_int(w, "run", followed->run);
  aio_json_put_int(w, "samples", (gint64)followed->samples);
  aio_json_put_int(w, "lost", (gint64)followed->lost);
  aio_json_put_numbers(w, "apart", followed->apart, joints);
  aio_json_write_end_object(w);
}

char *ase_followed_to_json(const GPtrArray *list, gsize joints) {
  if (list->len == 0)
    return NULL;
  GString *text = g_string_new(NULL);
  AioJsonWriter *w = aio_json_writer_new(text);
  aio_json_write_begin_array(w);
  for (guint k = 0; k < list->len; k++)
    write_one(w, list->pdata[k], joints);
  aio_json_write_end_array(w);
  aio_json_writer_free(w);
  return g_strchomp(g_string_free(text, FALSE));
}

static bool read_text(const AioJsonNode *object, const char *key, char **out, GError **error) {
  const char *text = NULL;
  const AioJsonNode *node = aio_json_require(object, key, error);
  if (!node || !aio_json_get_string(node, &text, error))
    return false;
  *out = g_strdup(text);
  return true;
}

static bool read_count(const AioJsonNode *object, const char *key, gint64 *out, GError **error) {
  const AioJsonNode *node = aio_json_require(object, key, error);
  return node && aio_json_get_int(node, 0, MOST, out, error);
}

static bool read_state(const AioJsonNode *object, AseFollowed *followed, GError **error) {
  const char *state = NULL;
  const AioJsonNode *node = aio_json_require(object, "state", error);
  if (!node || !aio_json_get_string(node, &state, error) ||
      !read_text(object, "reason", &followed->reason, error))
    return false;
  followed->is_passed = strcmp(state, "passed") == 0;
  if (strcmp(state, "running") == 0)
    ase_followed_end(followed, false, aio_said_word(N_("interrupted: the program ended")));
  else if (!followed->is_passed && strcmp(state, "failed") != 0)
    return aio_json_fail(node, "passed, failed or running", error);
  return true;
}

static bool read_one(const AioJsonNode *node, AseFollowed *out, GError **error) {
  gint64 design = 0, samples = 0, lost = 0;
  const AioJsonNode *apart = NULL;
  if (!aio_json_require_kind(node, AIO_JSON_OBJECT, error) ||
      !read_text(node, "name", &out->name, error) ||
      !read_text(node, "sha256", &out->digest, error) ||
      !read_count(node, "design", &design, error) || !read_state(node, out, error) ||
      !read_count(node, "run", &out->claimed, error) ||
      !read_count(node, "samples", &samples, error) || !read_count(node, "lost", &lost, error))
    return false;
  out->design = (guint)CLAMP(design, 0, G_MAXUINT);
  out->samples = (guint64)samples;
  out->lost = (guint64)lost;
  apart = aio_json_require(node, "apart", error);
  if (!apart || !aio_json_require_kind(apart, AIO_JSON_ARRAY, error))
    return false;
  if (aio_json_size(apart) > ARM_MAX_JOINTS)
    return aio_json_fail(apart, "one number per joint", error);
  return aio_json_get_numbers(apart, aio_json_size(apart), out->apart, error);
}

static bool read_all(const AioJsonNode *array, GPtrArray *list, GError **error) {
  if (!aio_json_require_kind(array, AIO_JSON_ARRAY, error))
    return false;
  for (gsize k = 0; k < aio_json_size(array); k++) {
    AseFollowed *followed = g_new0(AseFollowed, 1);
    g_ptr_array_add(list, followed);
    if (!read_one(aio_json_item(array, k), followed, error))
      return false;
  }
  return true;
}

bool ase_followed_from_json(GPtrArray *list, const char *steps, GError **error) {
  AioJson *document = aio_json_parse("steps", steps, strlen(steps), error);
  if (!document)
    return false;
  GPtrArray *read = ase_followed_new();
  const AioJsonNode *array = aio_json_member(aio_json_root(document), ASE_FOLLOWED_KEY);
  const bool ok = !array || read_all(array, read, error);
  while (ok && read->len)
    g_ptr_array_add(list, g_ptr_array_steal_index(read, 0));
  g_ptr_array_unref(read);
  aio_json_free(document);
  return ok;
}
