/* SPDX-License-Identifier: MIT */
/* `simulate`: armature-sim by another name; it takes over this process. */
#include <errno.h>
#include <unistd.h>

#include "cli/cli.h"

typedef struct {
  const char *arm, *speed, *seed, *storage, *link, *time_limit;
  GPtrArray *faults;
} Args;

static const CliOption options[] = {
    {"arm", CLI_TEXT, false, offsetof(Args, arm), "FILE|NAME",
     "Arm file or name of an arm: truth2 (default), table1, stanford, scara, planar2r .."},
    {"speed", CLI_TEXT, false, offsetof(Args, speed), "X",
     "Device time per wall time, 1 to 1000. Default: 1."},
    {"seed", CLI_TEXT, false, offsetof(Args, seed), "N", "Of noise and bit errors. Default: 1."},
    {"storage", CLI_TEXT, false, offsetof(Args, storage), "FILE",
     "Parameters and boot count survive in this file."},
    {"fault", CLI_TEXTS, false, offsetof(Args, faults), "SPEC",
     "Plant a fault, such as stall,joint=2,at=30,for=1; may be repeated."},
    {"link", CLI_TEXT, false, offsetof(Args, link), "PATH",
     "Keep a symbolic link to the pseudo-terminal here."},
    {"time-limit", CLI_TEXT, false, offsetof(Args, time_limit), "S", "End after this wall time."},
};

static void add(GPtrArray *argv, const char *name, const char *value) {
  if (value)
    g_ptr_array_add(argv, g_strdup_printf("--%s=%s", name, value));
}

/* Beside this program, as installed and as built; else wherever PATH says. */
static char *find_simulator(void) {
  static const char *const places[] = {"armature-sim", "../sim/armature-sim"};
  g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
  g_autofree char *folder = self ? g_path_get_dirname(self) : NULL;
  for (gsize k = 0; folder && k < G_N_ELEMENTS(places); k++) {
    g_autofree char *path = g_build_filename(folder, places[k], NULL);
    if (access(path, X_OK) == 0)
      return g_steal_pointer(&path);
  }
  return g_find_program_in_path("armature-sim");
}

static int run(const void *arguments) {
  const Args *args = arguments;
  g_autofree char *program = find_simulator();
  if (!program) {
    cli_error("armature-sim: not installed beside armature-cli, nor in PATH");
    return CLI_BAD_INPUT;
  }
  g_autoptr(GPtrArray) argv = g_ptr_array_new_with_free_func(g_free);
  g_ptr_array_add(argv, g_strdup("armature-sim"));
  add(argv, "arm", args->arm);
  add(argv, "speed", args->speed);
  add(argv, "seed", args->seed);
  add(argv, "storage", args->storage);
  for (guint k = 0; args->faults && k < args->faults->len; k++)
    add(argv, "fault", g_ptr_array_index(args->faults, k));
  add(argv, "link", args->link);
  add(argv, "time-limit", args->time_limit);
  g_ptr_array_add(argv, NULL);
  execv(program, (char **)argv->pdata);
  cli_error("%s: %s", program, g_strerror(errno));
  return CLI_BAD_INPUT;
}

const CliVerb cli_simulate = {
    .name = "simulate",
    .summary = "a simulated controller on a pseudo-terminal",
    .purpose =
        "Starts armature-sim: an arm and its controller to try everything with. Prints the "
        "path to give to --port of the other verbs, which may also have a simulated arm "
        "inside themselves: --port sim:truth2. An arm that is armed holds 2 s after the host "
        "has fallen silent, a real one after 300 ms.",
    .example = "armature-cli simulate --arm table1 --speed 10 --link ./arm\n"
               "then, in another terminal: armature-cli info --port ./arm",
    .exits = "0 done (--time-limit), 2 usage, 3 bad input, 5 no pseudo-terminal, 130 interrupted.",
    .options = options,
    .n_options = G_N_ELEMENTS(options),
    .args_size = sizeof(Args),
    .run = run,
};
