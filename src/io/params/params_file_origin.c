/* SPDX-License-Identifier: MIT */
/* Units and provenance. A file may be read years later by somebody who knows nothing of the fit:
 * what it was made of, with checksums, is in it, and units that are not ours are refused. */
#include "io/params/params_file_origin.h"

#include <string.h>

#include "io/recording/wild_spans.h"

enum { WILD_LISTED = 50 };

static void write_line(AioJsonWriter *w, const char *key, guint line) {
  aio_json_write_key(w, key);
  if (line > 0)
    aio_json_write_int(w, line);
  else
    aio_json_write_null(w);
}

/* Which samples were left out as wild, by file and line or time; not a word where none were. */
static void write_wild(AioJsonWriter *w, const AioProvenance *provenance) {
  const GArray *spans = provenance->wild;
  gint64 more = 0;
  if (!spans || spans->len == 0)
    return;
  aio_json_write_key(w, "wild");
  aio_json_write_begin_array(w);
  for (guint k = 0; k < spans->len; k++) {
    const AioWildSpan *span = &g_array_index(spans, AioWildSpan, k);
    if (k >= WILD_LISTED || span->recording >= provenance->recordings->len) {
      more += (gint64)span->samples;
      continue;
    }
    const AioSource *source = g_ptr_array_index(provenance->recordings, span->recording);
    aio_json_write_begin_flat_object(w);
    aio_json_put_int(w, "joint", span->joint);
    aio_json_put_string(w, "recording", source->name);
    write_line(w, "first_line", span->first_line);
    write_line(w, "last_line", span->last_line);
    aio_json_put_int(w, "samples", (gint64)span->samples);
    aio_json_put_number(w, "from_s", span->from_s);
    aio_json_put_number(w, "to_s", span->to_s);
    aio_json_write_end_object(w);
  }
  aio_json_write_end_array(w);
  aio_json_put_int(w, "wild_more", more);
}

void aio_params_write_provenance(AioJsonWriter *w, const AioProvenance *provenance) {
  aio_json_write_key(w, "provenance");
  aio_json_write_begin_object(w);
  aio_json_put_string(w, "program", provenance->program);
  aio_json_put_string(w, "version", provenance->version);
  aio_json_put_string(w, "arm_digest", provenance->arm_digest);
  aio_json_write_key(w, "recordings");
  aio_json_write_begin_array(w);
  for (guint k = 0; k < provenance->recordings->len; k++) {
    const AioSource *source = g_ptr_array_index(provenance->recordings, k);
    aio_json_write_begin_flat_object(w);
    aio_json_put_string(w, "name", source->name);
    aio_json_put_string(w, "digest", source->digest);
    aio_json_write_end_object(w);
  }
  aio_json_write_end_array(w);
  write_wild(w, provenance);
  aio_json_write_key(w, "options");
  aio_json_write_raw(w, provenance->options ? provenance->options : "null");
  aio_json_write_end_object(w);
}

static bool read_text(const AioJsonNode *object, const char *key, char **out, GError **error) {
  const AioJsonNode *node = aio_json_require(object, key, error);
  const char *text = NULL;
  if (!node || (node->kind != AIO_JSON_NULL && !aio_json_get_string(node, &text, error)))
    return false;
  *out = g_strdup(text);
  return true;
}

static bool read_recordings(const AioJsonNode *object, AioProvenance *into, GError **error) {
  static const char *const known[] = {"name", "digest", NULL};
  const AioJsonNode *list = aio_json_require(object, "recordings", error);
  if (!list || !aio_json_require_kind(list, AIO_JSON_ARRAY, error))
    return false;
  for (gsize k = 0; k < aio_json_size(list); k++) {
    const AioJsonNode *item = aio_json_item(list, k);
    char *name = NULL, *digest = NULL;
    bool is_read = aio_json_check_keys(item, known, true, error) &&
                   read_text(item, "name", &name, error) &&
                   read_text(item, "digest", &digest, error);
    if (is_read)
      aio_provenance_add_recording(into, name, digest);
    g_free(name);
    g_free(digest);
    if (!is_read)
      return false;
  }
  return true;
}

static bool read_line(const AioJsonNode *item, const char *key, guint *line, GError **error) {
  const AioJsonNode *node = aio_json_require(item, key, error);
  gint64 number = 0;
  if (!node ||
      (node->kind != AIO_JSON_NULL && !aio_json_get_int(node, 1, G_MAXUINT, &number, error)))
    return false;
  *line = (guint)number;
  return true;
}

static bool read_span(const AioJsonNode *item, const AioProvenance *into, AioWildSpan *span,
                      GError **error) {
  static const char *const known[] = {"joint",   "recording", "first_line", "last_line",
                                      "samples", "from_s",    "to_s",       NULL};
  const char *name;
  gint64 joint, samples;
  if (!aio_json_check_keys(item, known, true, error))
    return false;
  const AioJsonNode *of = aio_json_require(item, "joint", error);
  const AioJsonNode *file = of ? aio_json_require(item, "recording", error) : NULL;
  const AioJsonNode *count = file ? aio_json_require(item, "samples", error) : NULL;
  const AioJsonNode *from = count ? aio_json_require(item, "from_s", error) : NULL;
  const AioJsonNode *to = from ? aio_json_require(item, "to_s", error) : NULL;
  if (!to || !aio_json_get_int(of, 1, ARM_MAX_JOINTS, &joint, error) ||
      !aio_json_get_string(file, &name, error) ||
      !aio_json_get_int(count, 1, G_MAXINT64, &samples, error) ||
      !aio_json_get_number_or_null(from, &span->from_s, error) ||
      !aio_json_get_number_or_null(to, &span->to_s, error) ||
      !read_line(item, "first_line", &span->first_line, error) ||
      !read_line(item, "last_line", &span->last_line, error))
    return false;
  span->joint = (guint)joint;
  span->samples = (gsize)samples;
  for (span->recording = 0; span->recording < into->recordings->len; span->recording++)
    if (g_strcmp0(((AioSource *)into->recordings->pdata[span->recording])->name, name) == 0)
      return true;
  return aio_json_fail(file, "the name of one of the recordings", error);
}

static bool read_wild(const AioJsonNode *object, AioProvenance *into, GError **error) {
  const AioJsonNode *list = aio_json_member(object, "wild");
  if (!list)
    return true;
  if (!aio_json_require_kind(list, AIO_JSON_ARRAY, error))
    return false;
  into->wild = g_array_new(FALSE, FALSE, sizeof(AioWildSpan));
  for (gsize k = 0; k < aio_json_size(list); k++) {
    AioWildSpan span = {0};
    if (!read_span(aio_json_item(list, k), into, &span, error))
      return false;
    g_array_append_val(into->wild, span);
  }
  return true;
}

static bool read_options(const AioJsonNode *object, AioProvenance *into, GError **error) {
  const AioJsonNode *options = aio_json_require(object, "options", error);
  if (!options)
    return false;
  if (options->kind == AIO_JSON_NULL)
    return true;
  if (!aio_json_require_kind(options, AIO_JSON_OBJECT, error))
    return false;
  into->options = aio_json_raw(options);
  return true;
}

bool aio_params_read_provenance(const AioJsonNode *root, AioProvenance **provenance,
                                GError **error) {
  static const char *const known[] = {"program", "version", "arm_digest", "recordings",
                                      "options", "wild",    "wild_more",  NULL};
  const AioJsonNode *node = aio_json_member(root, "provenance");
  if (!node)
    return true;
  AioProvenance *read = aio_provenance_new(NULL, NULL, NULL);
  if (aio_json_check_keys(node, known, true, error) &&
      read_text(node, "program", &read->program, error) &&
      read_text(node, "version", &read->version, error) &&
      read_text(node, "arm_digest", &read->arm_digest, error) &&
      read_recordings(node, read, error) && read_wild(node, read, error) &&
      read_options(node, read, error)) {
    *provenance = read;
    return true;
  }
  aio_provenance_free(read);
  return false;
}

/* ---- in memory ---- */

static void source_free(gpointer pointer) {
  AioSource *source = pointer;
  g_free(source->name);
  g_free(source->digest);
  g_free(source);
}

AioProvenance *aio_provenance_new(const char *program, const char *version,
                                  const char *arm_digest) {
  AioProvenance *provenance = g_new0(AioProvenance, 1);
  provenance->program = g_strdup(program);
  provenance->version = g_strdup(version);
  provenance->arm_digest = g_strdup(arm_digest);
  provenance->recordings = g_ptr_array_new_with_free_func(source_free);
  return provenance;
}

void aio_provenance_add_recording(AioProvenance *provenance, const char *name, const char *digest) {
  AioSource *source = g_new0(AioSource, 1);
  source->name = g_strdup(name);
  source->digest = g_strdup(digest);
  g_ptr_array_add(provenance->recordings, source);
}

void aio_provenance_free(AioProvenance *provenance) {
  if (!provenance)
    return;
  g_free(provenance->program);
  g_free(provenance->version);
  g_free(provenance->arm_digest);
  g_free(provenance->options);
  if (provenance->wild)
    g_array_unref(provenance->wild);
  g_ptr_array_unref(provenance->recordings);
  g_free(provenance);
}
