/* SPDX-License-Identifier: MIT */
/* What a verb says of the session that it leaves: where it is, how to go on. */
#include "cli/ending.h"

#include "cli/text.h"
#include "io/base/error.h"
#include "io/json/json_write.h"

static const char END_IS_LOST[] = "its end, which could not be written, is lost";

/* Nothing stands where it was, or what is somebody else's, and no other folder took it. */
static bool is_all_lost(const CliEnding *ending, AseSession *session) {
  return g_error_matches(ending->failure, AIO_ERROR, AIO_ERROR_GONE) ||
         !g_file_test(ase_session_path(session), G_FILE_TEST_EXISTS);
}

static char *lost_text(const CliEnding *ending, AseSession *session) {
  const char *lost = ase_session_lost(session);
  if (is_all_lost(ending, session))
    return g_strdup("all that was measured");
  if (ending->failure)
    return g_strconcat(lost ? lost : "", lost ? "; " : "", END_IS_LOST, NULL);
  return g_strdup(lost);
}

static void tell_result(const CliEnding *ending, CliLive *live) {
  const GError *cause = ase_session_left_for(live->session);
  g_autofree char *lost = lost_text(ending, live->session);
  g_autofree char *path = g_filename_display_name(ase_session_path(live->session));
  g_autofree char *session = cli_json_string(path);
  g_autofree char *moved = cli_json_string(cause ? cause->message : NULL);
  g_autofree char *missing = cli_json_string(lost);
  cli_live_result(live, ending->code, "parameters", ending->parameters, "validation",
                  ending->validation, "recording", ending->recording, "session", session,
                  "moved_because", moved, "lost", missing, NULL);
}

/* Who would go on there would be refused once more. */
static void forget_refused_port(CliEnding *ending, AseSession *session) {
  if (ase_procedure_state(ase_session_procedure(session), ASE_STEP_DESCRIBE) == ASE_STATE_FAILED)
    ending->port = NULL;
}

void cli_ending_close(CliEnding *ending, CliLive *live) {
  forget_refused_port(ending, live->session);
  if (!ase_session_close(live->session, &ending->failure)) {
    cli_error("%s", ending->failure->message);
    ending->code = ending->code == CLI_OK ? CLI_BAD_INPUT : ending->code;
  }
  if (ending->has_result)
    tell_result(ending, live);
}

/* ", because ...", or nothing. g_free. */
static char *why_text(const CliEnding *ending, AseSession *session) {
  const GError *cause = ase_session_left_for(session);
  if (!cause)
    return g_strdup("");
  return g_strdup_printf(
      ", because %s %s%s", ending->session,
      g_error_matches(cause, AIO_ERROR, AIO_ERROR_GONE)
          ? "was deleted, renamed, replaced or overwritten"
          : "could not be written any more",
      g_error_matches(cause, AIO_ERROR, AIO_ERROR_FULL) ? ": free some space there" : "");
}

/* All of the sentence but its end. g_free. */
static char *where_text(const CliEnding *ending, AseSession *session, const char *subject) {
  const char *lost = ase_session_lost(session);
  const bool is_full = g_error_matches(ending->failure, AIO_ERROR, AIO_ERROR_FULL);
  g_autofree char *why = why_text(ending, session);
  return g_strdup_printf(
      "%s is in %s%s%s%s%s%s%s", lost ? "What is left of what was measured" : subject,
      ase_session_path(session),
      ending->failure ? ", but for its end, which could not be written and is lost" : "",
      is_full ? ": free some space" : "", why, lost ? " (" : "", lost ? lost : "", lost ? ")" : "");
}

void cli_ending_say(const CliEnding *ending, AseSession *session) {
  const char *path = ase_session_path(session);
  const bool stops = ending->code == CLI_DEVICE || ending->code == CLI_INTERRUPTED;
  if (is_all_lost(ending, session)) {
    cli_note("%s is gone, and no other folder took what was measured: it is lost.", path);
  } else if (stops || ending->failure) {
    g_autofree char *where = where_text(ending, session, "What was measured");
    g_autofree char *word = cli_shell_word(path),
                    *port = cli_shell_word(ending->port ? ending->port : "PORT");
    cli_note("%s; go on with: armature-cli %s --resume --session %s --port %s%s%s", where,
             ending->again, word, port, ending->is_real ? " --allow-motion" : "",
             ending->port ? ""
                          : " (where the session's arm is; if that was begun with the wrong arm "
                            "file, begin another "
                            "session)");
  } else if (ending->rewrite) {
    g_autofree char *word = cli_shell_word(path),
                    *port = cli_shell_word(ending->port ? ending->port : "PORT");
    cli_note("The result is in %s; write it elsewhere, without motion, with: armature-cli %s "
             "--resume --session %s --port %s%s --out FILE",
             path, ending->rewrite, word, port, ending->is_real ? " --allow-motion" : "");
  } else if (ase_session_left_for(session)) {
    g_autofree char *where = where_text(ending, session, "The session");
    cli_note("%s.", where);
  }
}

void cli_ending_clear(CliEnding *ending) {
  g_free(ending->parameters);
  g_free(ending->validation);
  g_free(ending->recording);
  g_clear_error(&ending->failure);
}
