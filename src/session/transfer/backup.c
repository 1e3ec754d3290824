/* SPDX-License-Identifier: MIT */
/* Values and their writing. Backups are never overwritten: of two in one second the later one gets
 * a number, since what a backup is for is the state that nobody has any more. */
#include "session/transfer/backup_internal.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <string.h>

#include <glib/gstdio.h>

#include "io/base/file.h"
#include "io/base/said.h"
#include "io/json/digest.h"
#include "io/json/json_read.h"
#include "io/json/json_write.h"

enum { SAME_SECOND = 100 }; /* attempts at a name */

const char *const ase_backup_type_keys[ASE_BACKUP_TYPES] = {
    [AIO_PARAM_INT] = "int", [AIO_PARAM_UINT] = "uint", [AIO_PARAM_FLOAT] = "float"};

AseBackup *ase_backup_new(const AioDescription *description, const AioParam *params, guint n,
                          guint32 digest) {
  GDateTime *now = g_date_time_new_now_utc();
  AseBackup *backup = g_new0(AseBackup, 1);
  backup->date = g_date_time_format(now, "%Y-%m-%dT%H:%M:%SZ");
  backup->controller = g_utf8_make_valid(description->name, -1);
  backup->serial = g_utf8_make_valid(description->serial, -1);
  backup->firmware = g_utf8_make_valid(description->firmware, -1);
  backup->schema_crc = description->schema_crc;
  backup->digest = digest;
  backup->n = n;
  backup->params = g_memdup2(params, n * sizeof *params);
  g_date_time_unref(now);
  return backup;
}

void ase_backup_free(AseBackup *backup) {
  if (!backup)
    return;
  g_free(backup->date);
  g_free(backup->controller);
  g_free(backup->serial);
  g_free(backup->firmware);
  g_free(backup->params);
  g_free(backup);
}

bool ase_backup_fits(const AseBackup *backup, const AioDescription *description, GError **error) {
  if (strcmp(backup->serial, description->serial) != 0) {
    aio_error_set_said(
        error, AIO_ERROR_REFUSED,
        N_("the backup is of the controller %s with the serial number \"%s\", connected is %s "
           "with \"%s\"; connect the right one"),
        aio_said_plain(backup->controller), aio_said_plain(backup->serial), description->name,
        description->serial);
    return false;
  }
  if (backup->schema_crc != description->schema_crc) {
    aio_error_set_said(
        error, AIO_ERROR_REFUSED,
        N_("the backup is of firmware %s with the parameter schema %08x, the controller has "
           "%s with %08x: parameters may mean something else; "
           "forced, they are matched by name"),
        aio_said_plain(backup->firmware), backup->schema_crc, description->firmware,
        description->schema_crc);
    return false;
  }
  return true;
}

/* ---- writing ---- */

static void put_hex(AioJsonWriter *w, const char *key, guint32 number) {
  char digits[9];
  g_snprintf(digits, sizeof digits, "%08x", number);
  aio_json_put_string(w, key, digits);
}

static void write_param(AioJsonWriter *w, const AioParam *param) {
  aio_json_write_begin_flat_object(w);
  aio_json_put_string(w, "name", param->name);
  aio_json_put_string(w, "type", ase_backup_type_keys[param->type]);
  aio_json_put_string(w, "unit", param->unit);
  aio_json_put_number(w, "value", param->value);
  aio_json_write_end_object(w);
}

static GString *format(const AseBackup *backup, const char *checksum) {
  GString *text = g_string_new(NULL);
  AioJsonWriter *w = aio_json_writer_new(text);
  aio_json_write_begin_object(w);
  aio_json_put_string(w, "format", ASE_BACKUP_FORMAT);
  aio_json_put_int(w, "version", ASE_BACKUP_VERSION);
  aio_json_put_string(w, "date", backup->date);
  aio_json_write_key(w, "controller");
  aio_json_write_begin_object(w);
  aio_json_put_string(w, "name", backup->controller);
  aio_json_put_string(w, "serial", backup->serial);
  aio_json_put_string(w, "firmware", backup->firmware);
  put_hex(w, "schema_crc", backup->schema_crc);
  put_hex(w, "digest", backup->digest);
  aio_json_write_end_object(w);
  aio_json_write_key(w, "parameters");
  aio_json_write_begin_array(w);
  for (guint k = 0; k < backup->n; k++)
    write_param(w, &backup->params[k]);
  aio_json_write_end_array(w);
  if (checksum)
    aio_json_put_string(w, "checksum", checksum);
  aio_json_write_end_object(w);
  aio_json_writer_free(w);
  return text;
}

static GString *format_with_checksum(const AseBackup *backup, GError **error) {
  GString *text = format(backup, NULL);
  AioJson *json = aio_json_parse("backup", text->str, text->len, error);
  g_string_free(text, TRUE);
  if (!json)
    return NULL;
  char *checksum = aio_json_digest(aio_json_root(json), "checksum");
  text = format(backup, checksum);
  g_free(checksum);
  aio_json_free(json);
  return text;
}

/* A name for a folder of what a controller says of itself. */
static char *folder_of(const char *serial) {
  if (!*serial)
    return g_strdup("unknown");
  char *name = g_strcanon(g_strdup(serial), G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "-_.", '_');
  if (name[0] == '.')
    name[0] = '_';
  return name;
}

static char *make_folder(const AseBackup *backup, const char *directory, GError **error) {
  char *name = folder_of(backup->serial);
  char *folder = directory
                     ? g_build_filename(directory, name, NULL)
                     : g_build_filename(g_get_user_data_dir(), "armature", "backups", name, NULL);
  g_free(name);
  if (g_mkdir_with_parents(folder, 0700) == 0)
    return folder;
  aio_error_set_said(error, AIO_ERROR_IO, N_("%s: the folder for backups cannot be made: %s"),
                     folder, g_strerror(errno));
  g_free(folder);
  return NULL;
}

static char *path_in(const AseBackup *backup, const char *folder, guint attempt) {
  char *date = g_strdup(backup->date), *suffix;
  char *kept = date;
  for (const char *c = date; *c; c++)
    if (*c != '-' && *c != ':')
      *kept++ = *c;
  *kept = 0;
  suffix = attempt > 1 ? g_strdup_printf("-%u", attempt) : g_strdup("");
  char *path = g_strdup_printf("%s/%s-%08x%s.json", folder, date, backup->digest, suffix);
  g_free(suffix);
  g_free(date);
  return path;
}

/* Two of one second get different names. */
static char *write_new(const AseBackup *backup, const char *folder, const GString *text,
                       GError **error) {
  for (guint attempt = 1;; attempt++) {
    GError *reason = NULL;
    char *path = path_in(backup, folder, attempt);
    if (aio_file_write_atomic(path, text->str, text->len, false, &reason))
      return path;
    g_free(path);
    if (attempt == SAME_SECOND || !g_error_matches(reason, AIO_ERROR, AIO_ERROR_EXISTS)) {
      g_propagate_error(error, reason);
      return NULL;
    }
    g_clear_error(&reason);
  }
}

char *ase_backup_save(const AseBackup *backup, const char *directory, GError **error) {
  char *path = NULL;
  char *folder = make_folder(backup, directory, error);
  GString *text = folder ? format_with_checksum(backup, error) : NULL;
  if (text) {
    path = write_new(backup, folder, text, error);
    g_string_free(text, TRUE);
  }
  g_free(folder);
  return path;
}
