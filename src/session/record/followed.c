/* SPDX-License-Identifier: MIT */
/* A list, and the same as JSON. The run that a file states counts only once it has been found among
 * the file's runs: somebody may have taken it away. */
#include "session/record/followed.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "io/base/safe_text.h"
#include "io/base/said.h"
#include "io/json/json_read.h"
#include "io/json/json_write.h"
#include "session/base/text.h"

#define MOST (G_GINT64_CONSTANT(1) << 53) /* exact in JSON, whoever reads it */

/* The list is written with each step, and may be a stranger's. DIGEST_BYTES: hexadecimal digits. */
enum { MOST_MOTIONS = 1000, NAME_BYTES = 256, DIGEST_BYTES = 64 };

/* As names of arms are, and never a sentence. g_free. */
static char *name_kept(const char *name) {
  char *kept = g_strndup(aio_said_plain(name), NAME_BYTES - 1);
  aio_text_cut(kept);
  return kept;
}

static void followed_free(gpointer data) {
  AseFollowed *followed = data;
  g_free(followed->name);
  g_free(followed->digest);
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
  followed->name = name_kept(name);
  followed->digest = g_strdup(digest);
  followed->reason = "";
  followed->is_on = true;
  if (k < list->len || list->len >= MOST_MOTIONS)
    g_ptr_array_remove_index(list, k < list->len ? k : 0);
  g_ptr_array_add(list, followed);
  return followed;
}

void ase_followed_end(AseFollowed *followed, bool is_passed, const char *reason) {
  followed->is_on = false;
  followed->is_passed = is_passed;
  followed->reason = ase_reason_keep(reason);
  if (!followed->reason)
    followed->reason = "";
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

static bool read_text(const AioJsonNode *object, const char *key, const char **out,
                      GError **error) {
  const AioJsonNode *node = aio_json_require(object, key, error);
  return node && aio_json_get_string(node, out, error);
}

static bool read_digest(const AioJsonNode *object, char **out, GError **error) {
  const char *digest = NULL;
  if (!read_text(object, "sha256", &digest, error))
    return false;
  if (strlen(digest) != DIGEST_BYTES)
    return aio_json_fail(aio_json_member(object, "sha256"), "64 hexadecimal digits", error);
  *out = g_strdup(digest);
  return true;
}

static bool read_count(const AioJsonNode *object, const char *key, gint64 *out, GError **error) {
  const AioJsonNode *node = aio_json_require(object, key, error);
  return node && aio_json_get_int(node, 0, MOST, out, error);
}

static bool read_state(const AioJsonNode *object, AseFollowed *followed, GError **error) {
  const char *state = NULL, *reason = NULL;
  if (!read_text(object, "state", &state, error) || !read_text(object, "reason", &reason, error))
    return false;
  const bool was_on = strcmp(state, "running") == 0, is_passed = strcmp(state, "passed") == 0;
  if (!was_on && !is_passed && strcmp(state, "failed") != 0)
    return aio_json_fail(aio_json_member(object, "state"), "passed, failed or running", error);
  ase_followed_end(followed, is_passed,
                   was_on ? aio_said_word(N_("interrupted: the program ended")) : reason);
  return true;
}

static bool read_one(const AioJsonNode *node, AseFollowed *out, GError **error) {
  gint64 design = 0, samples = 0, lost = 0;
  const char *name = NULL;
  const AioJsonNode *apart = NULL;
  if (!aio_json_require_kind(node, AIO_JSON_OBJECT, error) ||
      !read_text(node, "name", &name, error) || !read_digest(node, &out->digest, error) ||
      !read_count(node, "design", &design, error) || !read_state(node, out, error) ||
      !read_count(node, "run", &out->claimed, error) ||
      !read_count(node, "samples", &samples, error) || !read_count(node, "lost", &lost, error))
    return false;
  out->name = name_kept(name);
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
  const gsize all = aio_json_size(array);
  for (gsize k = all > MOST_MOTIONS ? all - MOST_MOTIONS : 0; k < all; k++) {
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
