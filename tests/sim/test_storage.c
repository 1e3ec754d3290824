/* SPDX-License-Identifier: MIT */
/* Parameters that survive: over restarts of the program, and over power failing at every byte. */
#include <glib/gstdio.h>
#include <string.h>

#include "host.h"
#include "sim/storage.h"

static char *work;

static char *work_path(const char *name) {
  return g_build_filename(work, name, NULL);
}

static Host *start(const char *storage) {
  Host *host = host_new("planar2r", &(AsimOptions){.seed = 1, .storage = storage});
  host_run_ms(host, 2);
  host_hello(host);
  return host;
}

static WireDigest digest(Host *host) {
  WireDigest out;
  g_assert_cmpuint(host_request(host, WIRE_TYPE_DIGEST_GET, NULL, 0), ==, WIRE_TYPE_DIGEST);
  g_assert_true(wire_digest_get(&out, host_answer(host)->payload, host_answer(host)->length));
  return out;
}

/* gravity.kx[1] */
static void set_kx(Host *host, guint32 schema_crc, float x) {
  guint8 payload[WIRE_SIZE_PARAM_SET];
  WireParamSet set = {schema_crc, 111, 0};
  WireParamValue value;
  memcpy(&set.value, &x, sizeof x);
  wire_param_set_put(payload, &set);
  g_assert_cmpuint(host_request(host, WIRE_TYPE_PARAM_SET, payload, sizeof payload), ==,
                   WIRE_TYPE_PARAM_VALUE);
  g_assert_true(
      wire_param_value_get(&value, host_answer(host)->payload, host_answer(host)->length));
  g_assert_cmpuint(value.status, ==, WIRE_PARAM_OK);
  g_assert_cmpuint(value.value, ==, set.value);
}

/* The type of the answer to COMMIT of the set in use, 0: none. */
static guint16 commit(Host *host, guint32 schema_crc) {
  guint8 payload[WIRE_SIZE_COMMIT];
  const WireCommit message = {schema_crc, digest(host).in_use};
  wire_commit_put(payload, &message);
  return host_request(host, WIRE_TYPE_COMMIT, payload, sizeof payload);
}

static void test_restart(void) {
  g_autofree char *path = work_path("restart");
  guint32 stored = 0;
  for (guint run = 1; run <= 5; run++) {
    Host *host = start(path);
    const WireHelloAck ack = host_hello(host);
    g_assert_cmpuint(ack.boot_count, ==, run);
    g_assert_cmpuint(digest(host).stored, ==, stored);
    if (run > 1)
      g_assert_cmpuint(ack.digest, ==, stored);
    set_kx(host, ack.schema_crc, (float)run * 0.25f);
    g_assert_cmpuint(commit(host, ack.schema_crc), ==, WIRE_TYPE_DIGEST);
    stored = digest(host).stored;
    g_assert_cmpuint(digest(host).generation, ==, run);
    set_kx(host, ack.schema_crc, 99.0f); /* not committed: lost */
    host_free(host);
  }
}

/* Without a file a restart of the device keeps the set, a new device does not know it. */
static void test_memory(void) {
  Host *host = start(NULL);
  const guint32 crc = host_hello(host).schema_crc;
  set_kx(host, crc, 1.5f);
  g_assert_cmpuint(commit(host, crc), ==, WIRE_TYPE_DIGEST);
  const guint32 stored = digest(host).stored;
  g_assert_cmpuint(host_test(host, WIRE_TEST_REBOOT, 0, WIRE_RESET_BUTTON, 0), ==, 0);
  host_run_ms(host, 2);
  g_assert_cmpuint(host_hello(host).digest, ==, stored);
  host_free(host);
  host = start(NULL);
  g_assert_cmpuint(digest(host).stored, ==, 0);
  host_free(host);
}

/* Power fails after `power` operations of the second COMMIT; true when the new set is in force. */
static bool is_new_after(const char *path, gint32 power, bool *has_failed) {
  (void)g_unlink(path);
  Host *host = start(path);
  const guint32 crc = host_hello(host).schema_crc;
  set_kx(host, crc, 1.0f);
  g_assert_cmpuint(commit(host, crc), ==, WIRE_TYPE_DIGEST);
  const guint32 old = digest(host).stored;
  set_kx(host, crc, 2.0f);
  const guint32 fresh = digest(host).in_use;
  g_assert_cmpuint(host_test(host, WIRE_TEST_BROWN_OUT, 0, power, 0), ==, 0);
  *has_failed = commit(host, crc) == 0;
  g_assert_true(*has_failed || host_answer(host)->header.type == WIRE_TYPE_DIGEST);
  host_run_ms(host, 2);
  WireEvent event;
  g_assert_true(host_event(host, WIRE_EVENT_BOOT, &event));
  g_assert_cmpint(event.value, ==, *has_failed ? 2 : 1);
  if (*has_failed)
    g_assert_cmpint(event.reason, ==, WIRE_RESET_BROWN_OUT);
  const guint32 in_use = host_hello(host).digest;
  host_free(host);
  host = start(path); /* and so the file says, to another program */
  g_assert_cmpuint(host_hello(host).digest, ==, in_use);
  host_free(host);
  g_assert_true(in_use == old || in_use == fresh);
  return in_use == fresh;
}

/* erase, 4 bytes per parameter, header of 24 bytes */
static void test_brown_out(void) {
  g_autofree char *path = work_path("brown-out");
  const gint32 operations = 1 + 4 * (3 + 2 * 10) + WIRE_SLOT_HEADER_BYTES;
  for (gint32 power = 0; power <= operations; power++) {
    bool has_failed;
    const bool is_new = is_new_after(path, power, &has_failed);
    g_assert_true(has_failed == (power < operations));
    g_assert_true(is_new == (power >= operations));
  }
}

static void test_wrong_files(void) {
  g_autofree char *path = work_path("wrong"), *missing = work_path("no/such"), *long_text = NULL;
  AsimStorage *storage = g_new0(AsimStorage, 1), *second = g_new0(AsimStorage, 1);
  GError *error = NULL;
  g_assert_true(g_file_set_contents(path, "something else", -1, NULL));
  g_assert_false(asim_storage_open(storage, path, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_assert_nonnull(strstr(error->message, "expected a storage file of armature-sim"));
  g_clear_error(&error);
  long_text = g_strnfill(ASIM_STORAGE_BYTES, 'x');
  g_assert_true(g_file_set_contents(path, long_text, ASIM_STORAGE_BYTES, NULL));
  g_assert_false(asim_storage_open(storage, path, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_clear_error(&error);
  g_assert_false(asim_storage_open(storage, missing, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_IO);
  g_clear_error(&error);
  g_assert_false(asim_storage_open(storage, work, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_IO);
  g_clear_error(&error);
  (void)g_unlink(path);
  g_assert_true(asim_storage_open(storage, path, &error));
  g_assert_false(asim_storage_open(second, path, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_BUSY);
  g_clear_error(&error);
  asim_storage_close(storage);
  g_assert_true(asim_storage_open(second, path, &error));
  asim_storage_close(second);
  g_free(storage);
  g_free(second);
}

static void remove_work(void) {
  static const char *const names[] = {"restart", "brown-out", "wrong"};
  for (gsize k = 0; k < G_N_ELEMENTS(names); k++) {
    g_autofree char *path = work_path(names[k]);
    (void)g_unlink(path);
  }
  g_rmdir(work);
  g_free(work);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  work = g_dir_make_tmp("armature-sim-XXXXXX", NULL);
  g_test_add_func("/sim/storage/restart", test_restart);
  g_test_add_func("/sim/storage/memory", test_memory);
  g_test_add_func("/sim/storage/brown-out", test_brown_out);
  g_test_add_func("/sim/storage/wrong-files", test_wrong_files);
  const int status = g_test_run();
  remove_work();
  return status;
}
