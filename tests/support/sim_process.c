/* SPDX-License-Identifier: MIT */
#include "support/sim_process.h"

#include "support/dies.h"

/* The path is printed when the line is there. */
static char *read_port(GSubprocess *process, GError **error) {
  GDataInputStream *lines = g_data_input_stream_new(g_subprocess_get_stdout_pipe(process));
  g_filter_input_stream_set_close_base_stream(G_FILTER_INPUT_STREAM(lines), FALSE);
  char *port = g_data_input_stream_read_line(lines, NULL, NULL, error);
  g_object_unref(lines);
  return port;
}

bool sim_process_start(SimProcess *sim, const char *const *argv, GError **error) {
  *sim = (SimProcess){.process = NULL};
  GSubprocessLauncher *launcher =
      g_subprocess_launcher_new(G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_SILENCE);
  g_subprocess_launcher_set_child_setup(launcher, test_dies_with_parent, NULL, NULL);
  sim->process = g_subprocess_launcher_spawnv(launcher, argv, error);
  g_object_unref(launcher);
  if (!sim->process)
    return false;
  GError *unread = NULL;
  sim->port = read_port(sim->process, &unread);
  if (sim->port)
    return true;
  if (unread)
    g_propagate_error(error, unread);
  else
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED, "%s ended without a line", argv[0]);
  sim_process_stop(sim);
  return false;
}

void sim_process_kill(const SimProcess *sim) {
  g_subprocess_force_exit(sim->process);
}

void sim_process_stop(SimProcess *sim) {
  if (sim->process) {
    sim_process_kill(sim);
    g_subprocess_wait(sim->process, NULL, NULL); /* the signal is sent by another thread */
  }
  g_clear_object(&sim->process);
  g_clear_pointer(&sim->port, g_free);
}
