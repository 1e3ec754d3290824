/* SPDX-License-Identifier: MIT */
/* Every way in which writing parameters can go wrong: what the controller has then, and what the
 * text says. */
#include <glib.h>
#include <string.h>
#include <sys/socket.h>

#include "transfer_case.h"
#include "wire/message.h"

enum { SLOT_HEADER = 24 };

static void ignore(const AioReply *reply, void *ctx) {
  (void)reply, (void)ctx;
}

/* Somebody else writes between COMMIT and reading back. */
static void meddle(void *data) {
  Case *c = data;
  guint n;
  const AioParam *params = ase_transfer_params(c->transfer, &n);
  for (guint k = 0; k < n; k++)
    if (strcmp(params[k].name, "gravity.ky[2]") == 0)
      ase_device_send(
          c->rig.device,
          &(AioCommand){.kind = AIO_COMMAND_PARAM_SET, .param = {.id = params[k].id, .value = 7.5}},
          ignore, NULL);
}

static void test_differs(void) {
  Case *c = case_new(true);
  AseParamSet *set = case_other_set(c, 1.0);
  c->on_checking = meddle;
  case_upload(c, set, false);
  case_expect_text(c, "gravity.ky[2]");
  const GArray *differences = ase_transfer_differences(c->transfer);
  g_assert_cmpuint(differences->len, ==, 1);
  const AseParamChange *change = &g_array_index(differences, AseParamChange, 0);
  g_assert_cmpstr(change->name, ==, "gravity.ky[2]");
  g_assert_cmpfloat(change->after, ==, 7.5);
  g_assert_null(ase_transfer_proof(c->transfer));
  ase_param_set_free(set);
  case_free(c);
}

/* The set was made of other parameters than the controller has by now. */
static void test_outdated(void) {
  Case *c = case_new(true);
  AseParamSet *set = case_other_set(c, 1.0);
  meddle(c);
  case_upload(c, set, false);
  case_expect_text(c, "nothing was written");
  g_assert_null(ase_transfer_backup_path(c->transfer));
  ase_param_set_free(set);
  case_free(c);
}

/* A value that the controller does not take: it refuses the whole set at COMMIT. */
static void test_out_of_range(void) {
  Case *c = case_new(true);
  AseParamSet *set = case_other_set(c, 1.0);
  set->after[set->n - 1] = 1e20;
  case_upload(c, set, false);
  case_expect_text(c, "friction.viscous_neg[2]");
  case_expect_text(c, "the old parameters are in force");
  case_expect_values(c, set->before);
  ase_param_set_free(set);
  case_free(c);
}

/* Power fails at this byte or erase of a COMMIT: an erase, 4 n bytes, the header. */
static void fail_power(gint32 at, bool is_new) {
  Case *c = case_new(true);
  GError *error = NULL;
  AseParamSet *first = case_other_set(c, 1.0);
  case_upload(c, first, true);
  AseParamSet *second = case_other_set(c, 3.0);
  const gint32 last = 1 + 4 * (gint32)second->n + SLOT_HEADER;
  const guint32 starts = ase_device_description(c->rig.device)->boot_count;
  rig_test(&c->rig, WIRE_TEST_BROWN_OUT, 0, at < 0 ? last + at : at, 0);
  case_upload(c, second, is_new);
  g_test_message("%d: %s", at, c->text);
  if (!is_new) {
    case_expect_text(c, "the old parameters are in force");
    g_assert_cmpuint(ase_device_description(c->rig.device)->boot_count, ==, starts + 1);
  }
  const AseTransferProof *written = ase_transfer_proof(c->transfer);
  const AseTransferProof proof = written ? *written : (AseTransferProof){.digest = 0};
  case_expect_values(c, is_new ? second->after : second->before);
  if (is_new) {
    g_assert_true(ase_transfer_verify(c->transfer, &proof, true, &error));
    case_wait_end(c, true);
  }
  ase_param_set_free(first);
  ase_param_set_free(second);
  case_free(c);
}

static void test_brown_out(void) {
  static const gint32 points[] = {0, 1, 2, 30, -SLOT_HEADER, -12, -1};
  for (guint k = 0; k < G_N_ELEMENTS(points); k++)
    fail_power(points[k], false);
  fail_power(G_MAXINT32, true);
}

static gboolean pull(gpointer data) {
  shutdown(((Case *)data)->cable, SHUT_RDWR);
  return G_SOURCE_REMOVE;
}

static void pull_soon(void *data) {
  g_timeout_add(60, pull, data);
}

static void pull_now(void *data) {
  pull(data);
}

/* Answers take 30 ms, so that 60 ms after its beginning an upload is amid its data. */
static void test_unplug(void) {
  Case *c = case_new(true);
  AseParamSet *set = case_other_set(c, 1.0);
  rig_test(&c->rig, WIRE_TEST_LATE_FRAMES, 0, 300000, 0);
  c->on_writing = pull_soon;
  case_upload(c, set, false);
  g_test_message("%s", c->text);
  case_expect_text(c, "the old parameters are in force");
  rig_test(&c->rig, WIRE_TEST_LATE_FRAMES, 0, 0, 1);
  c->on_writing = NULL;
  case_expect_values(c, set->before);
  case_upload(c, set, true);
  ase_param_set_free(set);
  case_free(c);
}

/* COMMIT is done, its set cannot be read back at first. */
static void test_unplug_late(void) {
  Case *c = case_new(true);
  AseParamSet *set = case_other_set(c, 1.0);
  c->on_checking = pull_now;
  case_upload(c, set, true);
  case_expect_values(c, set->after);
  ase_param_set_free(set);
  case_free(c);
}

static void test_never_back(void) {
  Case *c = case_new(false);
  AseParamSet *set = case_other_set(c, 1.0);
  rig_test(&c->rig, WIRE_TEST_LATE_FRAMES, 0, 300000, 0);
  c->on_writing = pull_soon;
  case_upload(c, set, false);
  case_expect_text(c, "either the old parameters or the new ones, whole");
  ase_param_set_free(set);
  case_free(c);
}

static void test_armed(void) {
  Case *c = case_new(true);
  GError *error = NULL;
  AseParamSet *set = case_other_set(c, 1.0);
  rig_arm(&c->rig);
  g_assert_false(ase_transfer_upload(c->transfer, set, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_assert_nonnull(strstr(error->message, "disarm"));
  g_clear_error(&error);
  g_assert_false(ase_transfer_is_running(c->transfer));
  case_expect_values(c, set->before);
  ase_param_set_free(set);
  case_free(c);
}

static void arm_now(void *data) {
  g_assert_true(ase_device_arm(((Case *)data)->rig.device, NULL));
}

/* Armed when the upload is on its way: the controller itself refuses. */
static void test_armed_late(void) {
  Case *c = case_new(true);
  AseParamSet *set = case_other_set(c, 1.0);
  c->on_writing = arm_now;
  case_upload(c, set, false);
  g_test_message("%s", c->text);
  case_expect_text(c, "the old parameters are in force");
  ase_param_set_free(set);
  case_free(c);
}

static void test_no_backup(void) {
  Case *c = case_new(true);
  char *file = g_build_filename(c->folder, "in-the-way", NULL);
  g_file_set_contents(file, "x", 1, NULL);
  case_set_folder(c, file);
  AseParamSet *set = case_other_set(c, 1.0);
  case_upload(c, set, false);
  case_expect_text(c, "nothing was written to the controller");
  case_expect_text(c, "in-the-way");
  case_expect_values(c, set->before);
  ase_param_set_free(set);
  g_free(file);
  case_free(c);
}

static void test_wrong_controller(void) {
  Case *c = case_new(true);
  GError *error = NULL;
  AseParamSet *set = case_other_set(c, 1.0);
  const AioDescription *description = ase_device_description(c->rig.device);
  guint n;
  const AioParam *params = ase_transfer_params(c->transfer, &n);
  AseBackup *backup = ase_backup_new(description, params, n, 0);
  g_free(backup->serial);
  backup->serial = g_strdup("another-1");
  g_assert_false(ase_transfer_restore(c->transfer, backup, false, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_assert_nonnull(strstr(error->message, "another-1"));
  g_assert_nonnull(strstr(error->message, description->serial));
  g_clear_error(&error);
  case_upload(c, set, true);
  g_strlcpy(backup->params[0].name, "servo.gone", sizeof backup->params[0].name);
  g_assert_true(ase_transfer_restore(c->transfer, backup, true, &error));
  case_wait_end(c, true);
  g_assert_cmpuint(ase_transfer_missing(c->transfer)->len, ==, 2); /* either way */
  case_expect_values(c, set->before);
  ase_backup_free(backup);
  ase_param_set_free(set);
  case_free(c);
}

/* After the restart the controller has something else. */
static void test_not_persistent(void) {
  Case *c = case_new(true);
  GError *error = NULL;
  AseParamSet *set = case_other_set(c, 1.0);
  case_upload(c, set, true);
  AseTransferProof proof = *ase_transfer_proof(c->transfer);
  proof.digest ^= 1;
  g_assert_true(ase_transfer_verify(c->transfer, &proof, true, &error));
  case_wait_end(c, false);
  case_expect_text(c, "upload again");
  g_strlcpy(proof.serial, "another-1", sizeof proof.serial);
  g_assert_true(ase_transfer_verify(c->transfer, &proof, true, &error));
  case_wait_end(c, false);
  case_expect_text(c, "another-1");
  ase_param_set_free(set);
  case_free(c);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/transfer/differs", test_differs);
  g_test_add_func("/transfer/outdated", test_outdated);
  g_test_add_func("/transfer/out-of-range", test_out_of_range);
  g_test_add_func("/transfer/brown-out", test_brown_out);
  g_test_add_func("/transfer/unplug", test_unplug);
  g_test_add_func("/transfer/unplug-late", test_unplug_late);
  g_test_add_func("/transfer/never-back", test_never_back);
  g_test_add_func("/transfer/armed", test_armed);
  g_test_add_func("/transfer/armed-late", test_armed_late);
  g_test_add_func("/transfer/no-backup", test_no_backup);
  g_test_add_func("/transfer/wrong-controller", test_wrong_controller);
  g_test_add_func("/transfer/not-persistent", test_not_persistent);
  return g_test_run();
}
