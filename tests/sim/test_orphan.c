/* SPDX-License-Identifier: MIT */
/* A test that aborts leaves no simulator behind, which would run until the computer is restarted.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/sim_process.h"
#include "support/support.h"

/* As a test that fails: tells which process its simulator is, and ends without a word. */
static void fail_with_simulator(int out) {
  const char *const argv[] = {g_getenv("ARMATURE_SIMULATOR"), "--arm",
                              test_source_path("data/robots/planar2r.arm.json"), NULL};
  SimProcess sim;
  pid_t pid = 0;
  if (sim_process_start(&sim, argv, NULL))
    pid = atoi(g_subprocess_get_identifier(sim.process));
  _exit(write(out, &pid, sizeof pid) == sizeof pid ? 0 : 1);
}

/* Orphans come to this process, which so sees how they end. */
static void test_orphan(void) {
  int ends[2], status = 0;
  pid_t pid = 0;
  g_assert_cmpint(prctl(PR_SET_CHILD_SUBREAPER, 1), ==, 0);
  g_assert_cmpint(pipe(ends), ==, 0);
  const pid_t child = fork();
  if (child == 0)
    fail_with_simulator(ends[1]);
  g_assert_cmpint(read(ends[0], &pid, sizeof pid), ==, sizeof pid);
  g_assert_cmpint(pid, >, 0);
  g_assert_cmpint(waitpid(child, &status, 0), ==, child);
  g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
  g_assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  close(ends[0]);
  close(ends[1]);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/sim/orphan", test_orphan);
  return g_test_run();
}
