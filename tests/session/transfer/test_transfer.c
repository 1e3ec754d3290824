/* SPDX-License-Identifier: MIT */
/* Parameters to a simulated controller and back, when nothing goes wrong. */
#include <string.h>

#include "transfer_case.h"
#include "wire/message.h"

static void test_cycle(void) {
  Case *c = case_new(true);
  GError *error = NULL;
  AseParamSet *set = case_other_set(c, 1.0);
  case_upload(c, set, true);
  g_assert_cmpuint(ase_transfer_differences(c->transfer)->len, ==, 0);
  case_expect_text(c, ase_transfer_backup_path(c->transfer));
  char *path = g_strdup(ase_transfer_backup_path(c->transfer));
  const AseTransferProof proof = *ase_transfer_proof(c->transfer);
  case_expect_values(c, set->after);

  g_assert_true(ase_transfer_verify(c->transfer, &proof, true, &error));
  case_wait_end(c, true);
  case_expect_text(c, "after a restart");
  g_assert_cmpuint(c->prompts, ==, 0);
  case_expect_values(c, set->after);
  g_assert_cmpuint(ase_device_description(c->rig.device)->boot_count, ==, proof.boot_count + 1);

  AseBackup *backup = ase_backup_load(path, &error);
  g_assert_no_error(error);
  g_assert_true(ase_transfer_restore(c->transfer, backup, false, &error));
  case_wait_end(c, true);
  g_assert_cmphex(ase_transfer_proof(c->transfer)->digest, ==, backup->digest);
  case_expect_values(c, set->before);
  ase_backup_free(backup);
  ase_param_set_free(set);
  g_free(path);
  case_free(c);
}

static bool is_prompted(void *data) {
  return ((Case *)data)->prompts > 0;
}

/* The user restarts the controller; a restart that has happened already counts. */
static void test_by_hand(void) {
  Case *c = case_new(true);
  GError *error = NULL;
  AseParamSet *set = case_other_set(c, 2.0);
  case_upload(c, set, true);
  const AseTransferProof proof = *ase_transfer_proof(c->transfer);
  g_assert_true(ase_transfer_verify(c->transfer, &proof, false, &error));
  g_assert_true(rig_wait(is_prompted, c, 5.0));
  rig_pass(0.6);
  g_assert_false(c->has_finished);
  g_assert_cmpuint(c->prompts, ==, 1);
  rig_test(&c->rig, WIRE_TEST_REBOOT, 0, WIRE_RESET_POWER, 0);
  case_wait_end(c, true);
  g_assert_true(ase_transfer_verify(c->transfer, &proof, false, &error));
  case_wait_end(c, true);
  g_assert_cmpuint(c->prompts, ==, 1);
  ase_param_set_free(set);
  case_free(c);
}

static void cancel_now(void *data) {
  ase_transfer_cancel(((Case *)data)->transfer);
}

static void test_cancel(void) {
  Case *c = case_new(true);
  GError *error = NULL;
  AseParamSet *set = case_other_set(c, 2.0);
  g_assert_true(ase_transfer_upload(c->transfer, set, &error));
  g_assert_false(ase_transfer_read(c->transfer, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_clear_error(&error);
  ase_transfer_cancel(c->transfer);
  case_wait_end(c, false);
  case_expect_text(c, "nothing was written");
  case_expect_values(c, set->before);
  c->on_writing = cancel_now; /* the last occasion */
  case_upload(c, set, false);
  case_expect_text(c, "nothing was written");
  c->on_writing = NULL;
  c->on_checking = cancel_now; /* too late */
  case_upload(c, set, true);
  const AseTransferProof proof = *ase_transfer_proof(c->transfer);
  g_assert_true(ase_transfer_verify(c->transfer, &proof, false, &error));
  g_assert_true(rig_wait(is_prompted, c, 5.0));
  ase_transfer_cancel(c->transfer);
  case_wait_end(c, false);
  ase_param_set_free(set);
  case_free(c);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/transfer/cycle", test_cycle);
  g_test_add_func("/transfer/by-hand", test_by_hand);
  g_test_add_func("/transfer/cancel", test_cancel);
  return g_test_run();
}
