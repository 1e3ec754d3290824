/* SPDX-License-Identifier: MIT */
/* `reduce`: recordings in, sums out, from which `fit --reduced` fits; sums in, all of them out. */
#include <math.h>

#include "cli/fit_options.h"
#include "cli/reduce_session.h"
#include "cli/reduced.h"

typedef struct {
  const char *arm, *session, *out;
  GPtrArray *csv, *sums;
  CliFitArgs fit;
  bool sums_alone, force;
} Args;

static const CliOption options[] = {
    {"SUMS", CLI_OPERANDS, false, offsetof(Args, sums), NULL,
     "Files of sums that this verb has written, to be put together: same arm file, same options, "
     "each recording once."},
    {"arm", CLI_TEXT, true, offsetof(Args, arm), "ARM.arm.json", "Arm file: geometry and gravity."},
    {"csv", CLI_TEXTS, false, offsetof(Args, csv), "REC.csv",
     "A recording as `fit` reads it; may be given several times."},
    {"session", CLI_TEXT, false, offsetof(Args, session), "FILE.armsession",
     "In place of --csv: the sweeps of a session, as its own fit takes them: without those of the "
     "validation and what was excluded, and with the session's own choice of rows."},
    {"out", CLI_OUT, true, offsetof(Args, out), "SUMS", "Where the sums go."},
    {"force", CLI_FLAG, false, offsetof(Args, force), NULL, "Overwrite --out when it exists."},
    {"min-speed", CLI_NUMBER, false, offsetof(Args, fit.min_speed), "X", cli_fit_min_speed_help},
    {"min-speed-t", CLI_NUMBER, false, offsetof(Args, fit.min_speed_t), "X",
     "The same for sliding joints alone, in m/s."},
    {"acceleration", CLI_FLAG, false, offsetof(Args, fit.acceleration), NULL,
     cli_fit_acceleration_help},
    {"plateau", CLI_FLAG, false, offsetof(Args, fit.plateau), NULL, cli_fit_plateau_help},
    {"lowpass", CLI_NUMBER, false, offsetof(Args, fit.lowpass), "HZ", cli_fit_lowpass_help},
    {"sums-alone", CLI_FLAG, false, offsetof(Args, sums_alone), NULL,
     "Keep no rows of joints whose speed varies within strokes: a small file, of which a fit knows "
     "slow errors, and friction curves of such joints, less well."},
    {"rate", CLI_NUMBER, false, offsetof(Args, fit.rate), "HZ", CLI_RATE_HELP},
};

static int check_args(const Args *args) {
  const int code = cli_fit_check_args(&cli_reduce, &args->fit);
  if (code != CLI_OK)
    return code;
  if (!args->csv && !args->session && !args->sums)
    return cli_usage(&cli_reduce, "--csv REC.csv, --session FILE or SUMS is missing");
  if (args->csv && args->session)
    return cli_usage(&cli_reduce,
                     "--csv and --session: reduce one, then put its sums to the other");
  if (args->session && cli_fit_chooses_rows(&args->fit))
    return cli_usage(&cli_reduce,
                     "options that choose rows belong to --csv: a session has its own");
  if (!args->csv && cli_fit_chooses_rows(&args->fit))
    return cli_usage(&cli_reduce, "options that choose rows belong to --csv: sums keep theirs");
  if (!args->csv && !args->session && args->sums_alone)
    return cli_usage(&cli_reduce, "--sums-alone belongs to --csv and --session: sums keep theirs");
  return cli_may_write(args->out, args->force) ? CLI_OK : CLI_BAD_INPUT;
}

static ArmStatus reduce_rows(const ArmModel *model, const CliRows *rows, const ArmFitOptions *used,
                             ArmReduced *sums) {
  const ArmRowSource source = aio_row_store_source(rows->store);
  return arm_sums_of_rows(model, &source, used, sums);
}

/* One recording, by itself: what is wild is judged by its own rows. */
static int add_recording(const Args *args, const AioArm *arm, const ArmFitOptions *used,
                         const char *path, AioSums *all) {
  GError *error = NULL;
  ArmReduced sums;
  g_auto(CliRows) rows = {0};
  g_autoptr(GPtrArray) one = g_ptr_array_new();
  g_autofree char *name = g_path_get_basename(path);
  g_ptr_array_add(one, (gpointer)path);
  if (!cli_rows_load(one, &arm->model, args->fit.rate, args->fit.acceleration, true, &rows))
    return CLI_BAD_INPUT;
  cli_warn_recording(rows.about);
  const ArmStatus status = reduce_rows(&arm->model, &rows, used, &sums);
  if (status == ARM_E_SOURCE && aio_shelf_error(all->shelf))
    return cli_fail(g_error_copy(aio_shelf_error(all->shelf)));
  if (status != ARM_OK)
    return cli_fit_fail(&args->fit, &rows, status);
  if (sums.used == 0)
    cli_warning("%s: no usable row moves a joint", path);
  return aio_sums_add(all, name, g_ptr_array_index(rows.digests, 0), &sums, &error)
             ? CLI_OK
             : cli_fail(error);
}

typedef struct {
  CliOutput *output;
  int code;
} Written;

static bool put_piece(const guint8 *bytes, gsize size, void *user) {
  Written *written = user;
  g_string_append_len(cli_output_text(written->output), (const char *)bytes, (gssize)size);
  written->code = cli_output_row(written->output);
  return written->code == CLI_OK;
}

static int write_sums(const Args *args, const AioSums *all) {
  Written written = {cli_output_new(args->out, args->force), CLI_OK};
  if (!written.output)
    return CLI_BAD_INPUT;
  aio_sums_write(all, put_piece, &written);
  return cli_output_end(written.output, written.code);
}

static int add_recordings(const Args *args, const AioArm *arm, const ArmFitOptions *used,
                          AioSums *all) {
  int code = CLI_OK;
  for (guint k = 0; k < args->csv->len && code == CLI_OK; k++)
    code = add_recording(args, arm, used, g_ptr_array_index(args->csv, k), all);
  return code;
}

static int reduce_all(const Args *args, const AioArm *arm) {
  ArmFitOptions used;
  GError *error = NULL;
  g_autoptr(AioShelf) shelf = aio_shelf_new();
  g_autoptr(AioSums) before =
      args->sums ? cli_reduced_load(args->sums, args->arm, arm, shelf) : NULL;
  if (args->sums && !before)
    return CLI_BAD_INPUT;
  if (!args->csv && !args->session)
    return write_sums(args, before);
  g_autoptr(AseSession) session =
      args->session ? cli_reduce_open_session(args->session, args->arm, arm) : NULL;
  if (args->session && !session)
    return CLI_BAD_INPUT;
  cli_fit_set_options(&args->fit, &used);
  if (session)
    used.rows = ase_session_edits(session)->rows;
  used.sums_alone = args->sums_alone;
  used.shelf = aio_shelf_face(shelf);
  g_autoptr(AioSums) all =
      aio_sums_new(args->out, &arm->model, arm->name, arm->digest, &used, args->fit.rate);
  all->shelf = shelf;
  int code =
      session ? cli_reduce_add_session(session, &used, all) : add_recordings(args, arm, &used, all);
  if (code == CLI_OK && before && !aio_sums_merge(all, before, &error))
    code = cli_fail(error);
  return code == CLI_OK ? write_sums(args, all) : code;
}

static int run(const void *arguments) {
  const Args *args = arguments;
  ArmStructure structure;
  const int code = check_args(args);
  if (code != CLI_OK)
    return code;
  g_autoptr(AioArm) arm = cli_load_arm(args->arm, &structure);
  return arm ? reduce_all(args, arm) : CLI_BAD_INPUT;
}

const CliVerb cli_reduce = {
    .name = "reduce",
    .summary = "recordings to sums that a fit needs, merged in any order",
    .purpose =
        "Keeps of a recording what `fit` needs of it, some kilobytes for each stroke (one pass of "
        "one joint), however many rows it has; `fit --reduced` then fits without the rows. Of "
        "joints whose speed varies within strokes, as in swings, ramps and moves, their rows are "
        "kept as well (some 120 bytes each for six joints), unless --sums-alone is given: with "
        "them the fit is that of the recording. Sums of "
        "several recordings are put together in any order with the same result, to the byte. A "
        "recording that is there twice is refused, since its rows would count twice, and so are "
        "sums of another arm file, or whose rows were chosen by other options.\n\n"
        "A long recording may be reduced in parts. A stroke that the cut goes through is one "
        "stroke "
        "again when both parts are put together, if time goes on within five steps and position, "
        "speed and held joints go on as well; of a part alone it is a shorter stroke, which the "
        "fit "
        "has and the verdict may leave out. What is wild is judged by the rows of each part.",
    .example =
        "armature-cli reduce --arm puma560.arm.json --csv monday.csv --out monday.sums\n"
        "armature-cli reduce --arm puma560.arm.json monday.sums tuesday.sums --out both.sums\n"
        "armature-cli reduce --arm puma560.arm.json --session bench.armsession --out bench.sums\n"
        "armature-cli fit --arm puma560.arm.json --reduced both.sums\n"
        "fits both days together, without their rows.",
    .exits = "0 done, 2 usage, 3 bad input: among it a recording that is there twice, or sums that "
             "do not belong together, 130 interrupted.",
    .options = options,
    .n_options = G_N_ELEMENTS(options),
    .args_size = sizeof(Args),
    .run = run,
};
