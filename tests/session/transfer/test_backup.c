/* SPDX-License-Identifier: MIT */
/* Backups of a controller's parameters: every bit comes back, and hostile files do not. */
#include <float.h>
#include <glib.h>
#include <math.h>
#include <string.h>

#include "folder.h"
#include "io/json/digest.h"
#include "session/transfer/backup.h"

static AioDescription description(const char *serial) {
  AioDescription d = {.schema_crc = 0xfedcba98};
  g_strlcpy(d.name, "arm \"7\"", sizeof d.name);
  g_strlcpy(d.serial, serial, sizeof d.serial);
  g_strlcpy(d.firmware, "1.2.3", sizeof d.firmware);
  return d;
}

static const double hard_values[] = {
    0.0,     -0.0,          (double)0.1f,    (double)FLT_MIN / 4,
    FLT_MAX, (double)-1e9f, (double)1.0e-7f, (double)(1.0f / 3.0f)};
enum { FLOATS = G_N_ELEMENTS(hard_values), ALL = FLOATS + 3 };

static AseBackup *hard_backup(const char *serial) {
  AioParam params[ALL] = {{.type = AIO_PARAM_INT, .value = G_MININT32},
                          {.type = AIO_PARAM_UINT, .value = G_MAXUINT32},
                          {.type = AIO_PARAM_FLOAT, .value = NAN}};
  for (guint k = 3; k < ALL; k++)
    params[k] =
        (AioParam){.type = AIO_PARAM_FLOAT, .value = hard_values[k - 3], .unit = "A s2/rad"};
  for (guint k = 0; k < ALL; k++)
    g_snprintf(params[k].name, sizeof params[k].name, "p.%u", k);
  const AioDescription d = description(serial);
  return ase_backup_new(&d, params, ALL, 0x0a1b2c3d);
}

static void test_round_trip(void) {
  GError *error = NULL;
  char *folder = folder_new();
  AseBackup *backup = hard_backup("abc");
  char *path = ase_backup_save(backup, folder, &error);
  g_assert_no_error(error);
  AseBackup *read = ase_backup_load(path, &error);
  g_assert_no_error(error);
  g_assert_cmpstr(read->controller, ==, "arm \"7\"");
  g_assert_cmpstr(read->serial, ==, "abc");
  g_assert_cmpstr(read->firmware, ==, "1.2.3");
  g_assert_cmpstr(read->date, ==, backup->date);
  g_assert_cmphex(read->schema_crc, ==, 0xfedcba98);
  g_assert_cmphex(read->digest, ==, 0x0a1b2c3d);
  g_assert_cmpuint(read->n, ==, ALL);
  for (guint k = 0; k < ALL; k++) {
    g_assert_cmpstr(read->params[k].name, ==, backup->params[k].name);
    g_assert_cmpstr(read->params[k].unit, ==, backup->params[k].unit);
    g_assert_cmpint(read->params[k].type, ==, backup->params[k].type);
    if (k == 2)
      g_assert_true(isnan(read->params[k].value));
    else
      g_assert_cmpmem(&read->params[k].value, 8, &backup->params[k].value, 8);
  }
  ase_backup_free(read);
  ase_backup_free(backup);
  g_free(path);
  folder_free(folder);
}

/* Two within one second, and names that would lead elsewhere. */
static void test_names(void) {
  static const char *const serials[] = {"../../up", "/etc", "..", "", "a b/c\n"};
  char *folder = folder_new();
  GError *error = NULL;
  for (guint k = 0; k < G_N_ELEMENTS(serials); k++) {
    AseBackup *backup = hard_backup(serials[k]);
    char *first = ase_backup_save(backup, folder, &error);
    g_assert_no_error(error);
    char *second = ase_backup_save(backup, folder, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(first, !=, second);
    char *parent = g_path_get_dirname(first), *grand = g_path_get_dirname(parent);
    g_assert_cmpstr(grand, ==, folder);
    g_assert_true(g_str_has_suffix(first, "Z-0a1b2c3d.json"));
    g_assert_null(strstr(first + strlen(folder), "/.."));
    ase_backup_free(ase_backup_load(first, &error));
    g_assert_no_error(error);
    g_free(parent);
    g_free(grand);
    g_free(first);
    g_free(second);
    ase_backup_free(backup);
  }
  folder_free(folder);
}

static void test_unwritable(void) {
  char *folder = folder_new(), *file = g_build_filename(folder, "file", NULL);
  GError *error = NULL;
  g_assert_true(g_file_set_contents(file, "x", 1, NULL));
  AseBackup *backup = hard_backup("abc");
  g_assert_null(ase_backup_save(backup, file, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_IO);
  g_assert_nonnull(strstr(error->message, file));
  g_clear_error(&error);
  ase_backup_free(backup);
  folder_free(folder);
  g_free(file);
}

/* Where XDG_DATA_HOME says; set in main, because GLib asks once. */
static void test_default(void) {
  GError *error = NULL;
  AseBackup *backup = hard_backup("abc");
  char *path = ase_backup_save(backup, NULL, &error);
  g_assert_no_error(error);
  char *folder =
      g_build_filename(g_getenv("XDG_DATA_HOME"), "armature", "backups", "abc", "", NULL);
  g_assert_true(g_str_has_prefix(path, folder));
  ase_backup_free(ase_backup_load(path, &error));
  g_assert_no_error(error);
  ase_backup_free(backup);
  g_free(folder);
  g_free(path);
}

/* ---- hostile files ---- */

static char *good_text(void) {
  char *folder = folder_new(), *text = NULL;
  AseBackup *backup = hard_backup("abc");
  char *path = ase_backup_save(backup, folder, NULL);
  g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
  g_free(path);
  ase_backup_free(backup);
  folder_free(folder);
  return text;
}

/* The text with its checksum made right again, so that what lies behind it is tested. */
static char *sealed(const char *text) {
  AioJson *json = aio_json_parse("x", text, strlen(text), NULL);
  const AioJsonNode *node = json ? aio_json_member(aio_json_root(json), "checksum") : NULL;
  if (!node || node->kind != AIO_JSON_STRING) {
    aio_json_free(json);
    return g_strdup(text);
  }
  char *digest = aio_json_digest(aio_json_root(json), "checksum");
  char *out = g_strdup_printf("%.*s\"%s\"%s", (int)node->begin, text, digest, text + node->end);
  g_free(digest);
  aio_json_free(json);
  return out;
}

static void expect_error(const char *text, int code, const char *part) {
  GError *error = NULL;
  g_assert_null(ase_backup_load_bytes("b.json", text, strlen(text), &error));
  g_assert_error(error, AIO_ERROR, code);
  if (!g_str_has_prefix(error->message, "b.json:") || !strstr(error->message, part))
    g_error("expected b.json:.. %s in: %s", part, error->message);
  g_clear_error(&error);
}

static void test_hostile(void) {
  static const struct {
    const char *from, *to;
    int code;
    const char *part;
  } cases[] = {
      {"armature-controller-backup", "armature-session", AIO_ERROR_MEANING, "2:13: format"},
      {"\"version\": 1", "\"version\": 2", AIO_ERROR_REFUSED, "newer program"},
      {"\"version\": 1", "\"version\": 0", AIO_ERROR_MEANING, "version"},
      {"\"date\": \"20", "\"date\": \"yesterday", AIO_ERROR_MEANING, "date"},
      {"\"serial\"", "\"seriel\"", AIO_ERROR_MEANING, "serial"},
      {"\"0a1b2c3d\"", "\"0A1B2C3D\"", AIO_ERROR_MEANING, "8 hexadecimal"},
      {"\"0a1b2c3d\"", "\"a1b2c3d\"", AIO_ERROR_MEANING, "8 hexadecimal"},
      {"\"0a1b2c3d\"", "169552957", AIO_ERROR_MEANING, "controller.digest"},
      {"\"p.1\"", "\"p.0\"", AIO_ERROR_MEANING, "a name of its own"},
      {"\"p.1\"", "\"\"", AIO_ERROR_MEANING, "a name of its own"},
      {"\"p.1\"", "\"a name that is much too long for any parameter\"", AIO_ERROR_MEANING,
       "a shorter text"},
      {"\"uint\"", "\"double\"", AIO_ERROR_MEANING, "\"float\""},
      {"4294967295", "4294967296", AIO_ERROR_MEANING, "value"},
      {"4294967295", "1.5", AIO_ERROR_MEANING, "value"},
      {"4294967295", "null", AIO_ERROR_MEANING, "value"},
      {"-2147483648", "-2147483649", AIO_ERROR_MEANING, "value"},
      {"-1000000000", "-1000000001", AIO_ERROR_MEANING, "32 bits"},
      {"-1000000000", "1e300", AIO_ERROR_MEANING, "32 bits"},
      {"-1000000000", "\"1\"", AIO_ERROR_MEANING, "value"},
      {"\"unit\": \"\"", "\"units\": \"\"", AIO_ERROR_MEANING, "unit"},
      {"\"parameters\": [", "\"parameters\": 3, \"x_\": [", AIO_ERROR_MEANING, "parameters"},
      {"\"checksum\"", "\"x_checksum\"", AIO_ERROR_MEANING, "checksum"},
      {"\"format\"", "\"more\": 1, \"format\"", AIO_ERROR_MEANING, "more"},
  };
  char *good = good_text();
  for (guint k = 0; k < G_N_ELEMENTS(cases); k++) {
    char **parts = g_strsplit(good, cases[k].from, 2);
    g_assert_cmpuint(g_strv_length(parts), ==, 2);
    char *bad = g_strjoinv(cases[k].to, parts), *text = sealed(bad);
    expect_error(text, cases[k].code, cases[k].part);
    g_free(text);
    g_free(bad);
    g_strfreev(parts);
  }
  expect_error("[]", AIO_ERROR_MEANING, "object");
  expect_error("", AIO_ERROR_SYNTAX, "");
  g_free(good);
}

/* One digit changed, or cut off anywhere. */
static void test_changed(void) {
  char *good = good_text(), *digit = strstr(good, "-1000000000");
  digit[2] = '8'; /* -1800000000, is a float of 32 bits too */
  expect_error(good, AIO_ERROR_MEANING, "changed after it was written");
  g_free(good);
  good = good_text();
  const gsize length = strlen(good) - 2;
  for (gsize k = 0; k < length; k += 7) {
    GError *error = NULL;
    g_assert_null(ase_backup_load_bytes("b.json", good, k, &error));
    g_assert_nonnull(error);
    g_clear_error(&error);
  }
  g_free(good);
}

static void test_fits(void) {
  GError *error = NULL;
  AseBackup *backup = hard_backup("abc");
  AioDescription d = description("abc");
  g_assert_true(ase_backup_fits(backup, &d, &error));
  d.schema_crc = 0x11112222;
  g_assert_false(ase_backup_fits(backup, &d, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_assert_nonnull(strstr(error->message, "fedcba98"));
  g_assert_nonnull(strstr(error->message, "11112222"));
  g_clear_error(&error);
  d = description("xyz");
  g_assert_false(ase_backup_fits(backup, &d, &error));
  g_assert_nonnull(strstr(error->message, "abc"));
  g_assert_nonnull(strstr(error->message, "xyz"));
  g_clear_error(&error);
  ase_backup_free(backup);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  char *folder = folder_new();
  g_setenv("XDG_DATA_HOME", folder, TRUE);
  g_test_add_func("/backup/round-trip", test_round_trip);
  g_test_add_func("/backup/names", test_names);
  g_test_add_func("/backup/default", test_default);
  g_test_add_func("/backup/unwritable", test_unwritable);
  g_test_add_func("/backup/hostile", test_hostile);
  g_test_add_func("/backup/changed", test_changed);
  g_test_add_func("/backup/fits", test_fits);
  const int result = g_test_run();
  folder_free(folder);
  return result;
}
