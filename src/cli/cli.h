/* SPDX-License-Identifier: MIT */
/* What the verbs of armature-cli share: options as tables, messages, exit codes, output.
 *
 * stdout carries only the result (JSON, CSV or a table for people); every message goes to stderr
 * as "armature-cli: error: ..." or "armature-cli: warning: ...".
 */
#ifndef ARMATURE_CLI_CLI_H
#define ARMATURE_CLI_CLI_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/arm/structure.h"
#include "core/sweeps/predict.h"
#include "io/arm/arm_file.h"
#include "io/params/dynamics_file.h"
#include "io/params/params_file.h"
#include "session/method/method.h"

enum {
  CLI_OK = 0,
  CLI_USAGE = 2,      /* an unknown, missing or contradictory option */
  CLI_BAD_INPUT = 3,  /* a file cannot be read, means nothing here, or cannot be written */
  CLI_INFEASIBLE = 4, /* not identifiable or infeasible; the result is still printed */
  CLI_DEVICE = 5,     /* the controller: no port, no answer, refused, lost; told on stderr */
  CLI_INTERRUPTED = 130
};

typedef enum {
  CLI_FLAG,    /* bool */
  CLI_TEXT,    /* const char *, NULL = not given */
  CLI_OUT,     /* as CLI_TEXT: a file that the verb writes; never one that another option names */
  CLI_TEXTS,   /* GPtrArray * of const char *, may be given several times; NULL = not given */
  CLI_NUMBER,  /* double, NAN = not given */
  CLI_OPERAND, /* const char *, NULL = not given: an argument without an option, in the order of the
                  table */
  CLI_OPERANDS /* GPtrArray * of const char *, NULL = not given: all such arguments; the only
                  operand of its verb */
} CliOptionKind;

typedef struct {
  const char *name; /* without dashes; of an operand: what messages call it */
  CliOptionKind kind;
  bool is_required;
  size_t offset;     /* of the field in the verb's argument struct */
  const char *value; /* what the value is called in the help: "ARM.arm.json" */
  const char *help; /* with unit and default, {drivers} and {rates} for those of the registry; NULL:
                        an older name of another one, not shown */
} CliOption;

typedef struct {
  const char *name, *summary;
  const char *purpose; /* a paragraph: what for, when, what comes out */
  const char *example; /* a realistic command, and what it does */
  const char *exits;   /* what the exit codes mean for this verb */
  const CliOption *options;
  size_t n_options, args_size;
  int (*run)(const void *args); /* returns the exit code */
} CliVerb;

extern const CliVerb cli_structure, cli_base, cli_fit, cli_predict, cli_plan, cli_import,
    cli_dynamics, cli_export, cli_ports, cli_info, cli_log, cli_replay, cli_simulate, cli_diff,
    cli_report_bug, cli_calibrate, cli_validate, cli_upload, cli_restore, cli_diagnose, cli_excite,
    cli_record, cli_identify, cli_reduce;

/* The verbs, NULL-terminated, in the order of work. */
extern const CliVerb *const cli_verbs[];

/* ---- options.c, help.c ---- */

/* Parses argv[0..argc-1] (the verb's own) and runs the verb. */
int cli_run_verb(const CliVerb *verb, int argc, char **argv);
void cli_print_help(void);
void cli_print_verb_help(const CliVerb *verb);

/* ---- message.c ---- */
/* A line on stderr, nothing before it; what a terminal would obey is written out, here as below. */
void cli_note(const char *format, ...) G_GNUC_PRINTF(1, 2);
void cli_error(const char *format, ...) G_GNUC_PRINTF(1, 2);
void cli_warning(const char *format, ...) G_GNUC_PRINTF(1, 2);
/* An error that the caller made with the options: adds where help is. Returns CLI_USAGE. */
int cli_usage(const CliVerb *verb, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* Prints and frees the error. Returns CLI_BAD_INPUT. */
int cli_fail(GError *error);
/* The same of several findings, a line each, that quote no line end of a stranger's. */
int cli_fail_findings(GError *error);
/* The core refused: says what it was doing. Returns the exit code for the status. */
int cli_fail_status(ArmStatus status, const char *doing);

/* ---- output.c ---- */

/* Before a message: what was printed so far comes first. Why it failed is kept for the end. */
void cli_flush(void);

/* May `path` (NULL = stdout, always) be written? Says so on stderr when not: asked before long
 * work, decided again when the file is written. */
bool cli_may_write(const char *path, bool force);
/* The same beside a session that is yet to be made. */
bool cli_may_write_with(const char *session, const char *path, bool force);
/* May standard output be written? Says so on stderr when it is closed: asked before anything is
 * done to a controller. A full disk shows only later. */
bool cli_may_print(void);
/* Writes a result to stdout, or atomically to `path`. Returns the exit code. */
int cli_write(const char *path, const char *bytes, gsize length, bool force);

/* A result that comes row by row and is never in the memory as a whole; a file has its name only
 * when the last row is there. One at a time. */
typedef struct CliOutput CliOutput;
/*   path  NULL: stdout. Returns NULL when the error is printed. */
CliOutput *cli_output_new(const char *path, bool force);
/* Where the next row is to be appended. */
GString *cli_output_text(CliOutput *output);
/* After each row: hands on what has come together. Returns the exit code; unless it is CLI_OK,
 * nothing more can be written. */
int cli_output_row(CliOutput *output);
/* Writes the rest when `code` is CLI_OK, else removes what there is of a file; frees. Returns the
 * exit code. */
int cli_output_end(CliOutput *output, int code);

/* After the last write to stdout: did everything arrive? Returns `code` or CLI_BAD_INPUT. */
int cli_finish(int code);
/* Makes SIGINT, SIGTERM, SIGHUP end the program with 130, 143, 129 and no half-written file. */
void cli_catch_signals(void);
/* From now on a first such signal is only kept: for a search that is ended by it and has a result
 * all the same. A second one ends the program as before. */
void cli_defer_signals(void);
/* The signal that was kept, 0 = none; the exit code is 128 more. */
int cli_deferred_signal(void);

/* ---- load.c ---- */

/* NULL: the error is printed. Free with aio_arm_free. */
AioArm *cli_load_arm(const char *path, ArmStructure *structure);

/* Which method found what this parameter file holds. NULL: the error is printed. */
const AseMethod *cli_load_method(const char *path);

/* As cli_load_params, of any method.
 *   found  out; ase_found_clear
 * false: the error is printed. */
bool cli_load_found(const char *path, const char *arm_path, const AioArm *arm, AseFound *found);

/* Are they of a search that did not converge? Then they say nothing of an arm: true, and the error
 * is printed. */
bool cli_refuse_unconverged(const char *path, const ArmParamSet *found);

/* Parameters of `arm` that sweeps gave; says on stderr when they were fitted with another arm file
 * than `arm_path` or changed since, or that it does not tell. NULL: the error is printed. Free with
 * aio_params_free. */
AioParams *cli_load_params(const char *path, const char *arm_path, const AioArm *arm);

/* As cli_load_params, of kind "dynamics". Free with aio_dynamics_free. */
AioDynamics *cli_load_dynamics(const char *path, const char *arm_path, const AioArm *arm);

/* Numbers of a model that does not fit, or of a doubtful recording, are used all the same: whoever
 * does is told each time.
 *   path  of the file or session that the fit is from */
void cli_warn_misfit(const char *path, const ArmGravityFit *fit);
/* Likewise of any method: all that it would have them told, a failed validation too. */
void cli_warn_found(const char *path, const AseFound *found);

/* "none" (also NULL), "deadband=V" or "sign-error"; false: none of these, or V is not above 0. */
bool cli_parse_zero_speed(const char *rule, ArmPredictOptions *out);

#endif
