/* SPDX-License-Identifier: MIT */
/* `validate`: how well a session's fit predicts what it has not seen. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/session_report.h"

typedef struct {
  const char *session;
  bool json;
} Args;

static const CliOption options[] = {
    {"session", CLI_TEXT, true, offsetof(Args, session), "FILE.armsession",
     "A session that `calibrate` recorded."},
    {"json", CLI_FLAG, false, offsetof(Args, json), NULL, "JSON instead of a table."},
};

static int print(const Args *args, AseSession *session) {
  g_autofree char *json = cli_session_validation_json(session);
  int code = CLI_OK;
  if (args->json)
    code = cli_write(NULL, json, strlen(json), false);
  else
    cli_session_print_validation(session);
  return code == CLI_OK ? cli_session_judge(session) : code;
}

static bool validate(AseSession *session, GError **error) {
  const AseProcedure *procedure = ase_session_procedure(session);
  if (!ase_session_start(session, ASE_STEP_VALIDATE, error))
    return false;
  while (ase_procedure_state(procedure, ASE_STEP_VALIDATE) == ASE_STATE_RUNNING)
    g_main_context_iteration(NULL, TRUE);
  return true;
}

static int run(const void *arguments) {
  const Args *args = arguments;
  GError *error = NULL;
  g_autoptr(AseSession) session = ase_session_open_read(args->session, &error);
  int code = CLI_BAD_INPUT;
  if (!session)
    return cli_fail(error);
  if (!validate(session, &error))
    cli_fail(error);
  else if (!ase_session_validation(session))
    cli_error("%s: %s", args->session,
              ase_step_reason(&ase_session_procedure(session)->steps[ASE_STEP_VALIDATE]));
  else
    code = print(args, session);
  return code;
}

const CliVerb cli_validate = {
    .name = "validate",
    .summary = "how well a session's fit predicts what it has not seen",
    .purpose = "Predicts the validation sweeps of a session - other holds and speeds than those of "
               "the fit - and compares: rms, mean and largest error of each joint; the error of "
               "its sweeps, noise averaged out, beside what the fit promised for them; and how "
               "much friction drifted from the first sweep to its repetition. Changes nothing.",
    .example = "armature-cli validate --session bench.armsession\n"
               "prints one line per joint.",
    .exits = "0 every joint passed, 2 usage, 3 no such session, or nothing in it to validate with, "
             "4 a joint failed or its friction drifted; the result is still printed, 130 "
             "interrupted.",
    .options = options,
    .n_options = G_N_ELEMENTS(options),
    .args_size = sizeof(Args),
    .run = run,
};
