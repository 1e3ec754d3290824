/* SPDX-License-Identifier: MIT */
/* `plan`: which sweeps to record, before anything moves. */
#include <math.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/plan_report.h"
#include "io/params/params_file.h"

typedef struct {
  const char *arm, *params, *out;
  double noise, seed, positions;
  bool json, force, ignore_limits;
} Args;

static const CliOption options[] = {
    {"arm", CLI_TEXT, true, offsetof(Args, arm), "ARM.arm.json",
     "Arm file: geometry, gravity and joint limits."},
    {"params", CLI_TEXT, false, offsetof(Args, params), "P.json",
     "Parameters of an earlier fit: the best holds follow from the real masses. Default: nominal "
     "masses and drives of the arm file."},
    {"noise", CLI_NUMBER, false, offsetof(Args, noise), "X",
     "Standard deviation of a current sample in A, where P.json knows none. Default 0.02 A."},
    {"positions", CLI_NUMBER, false, offsetof(Args, positions), "N",
     "Samples per sweep that the prediction counts with. Default 126."},
    {"seed", CLI_NUMBER, false, offsetof(Args, seed), "N",
     "Seed of the search; the same seed gives the same plan. Default 1."},
    {"ignore-limits", CLI_FLAG, false, offsetof(Args, ignore_limits), NULL,
     "Treat every rotational joint as free within +-180 deg: for study, not for motion."},
    {"json", CLI_FLAG, false, offsetof(Args, json), NULL, "Print JSON instead of the table."},
    {"out", CLI_OUT, false, offsetof(Args, out), "PLAN.json", "Also write the JSON to this file."},
    {"force", CLI_FLAG, false, offsetof(Args, force), NULL, "Overwrite --out when it exists."},
};

static int set_options(const Args *args, ArmPlanOptions *out) {
  arm_plan_options_default(out);
  out->seed = 1;
  out->ignores_limits = args->ignore_limits;
  if (!isnan(args->noise))
    out->noise_sd = args->noise;
  if (out->noise_sd <= 0.0)
    return cli_usage(&cli_plan, "--noise: expected a standard deviation above 0");
  if (!isnan(args->seed) &&
      !(args->seed >= 0.0 && args->seed <= 1e15 && args->seed == floor(args->seed)))
    return cli_usage(&cli_plan, "--seed: expected a whole number from 0 to 1e15");
  if (!isnan(args->seed))
    out->seed = (uint64_t)args->seed;
  if (!isnan(args->positions) && !(args->positions >= 2.0 && args->positions <= 100000.0 &&
                                   args->positions == floor(args->positions)))
    return cli_usage(&cli_plan, "--positions: expected a whole number from 2 to 100000");
  if (!isnan(args->positions))
    out->positions = (size_t)args->positions;
  return CLI_OK;
}

static int print_plan(const Args *args, const CliPlanReport *report) {
  gsize length;
  int code = CLI_OK;
  g_autofree char *json = cli_plan_format(report, &length);
  if (args->json)
    code = cli_write(NULL, json, length, false);
  else
    cli_plan_print(report);
  if (args->out && code == CLI_OK)
    code = cli_write(args->out, json, length, args->force);
  return code == CLI_OK ? cli_plan_judge(report) : code;
}

static int make_plan(const Args *args, const AioArm *arm, const ArmGravityParameters *parameters,
                     const ArmPlanOptions *plan_options) {
  g_autofree ArmPlan *plan = g_new0(ArmPlan, 1);
  g_autofree ArmPlanReport *report = g_new0(ArmPlanReport, 1);
  g_auto(ArmParamSet) found = {0};
  const CliPlanReport all = {arm, args->params, plan_options, plan, report, &found};
  ArmStatus status = arm_plan_propose(&arm->model, parameters, plan_options, plan);
  if (status == ARM_OK)
    status = arm_plan_evaluate(&arm->model, parameters, plan_options, plan, report);
  if (status == ARM_OK)
    status = arm_gravity_set(&report->predicted, NULL, false, &found);
  int code = status == ARM_OK ? print_plan(args, &all)
                              : cli_fail_status(status, args->params ? args->params : args->arm);
  arm_plan_report_clear(report);
  return code;
}

/* the file's links, else a made-up load (see arm_plan_nominal) */
static int plan_nominal(const Args *args, const AioArm *arm, ArmPlanOptions *plan_options) {
  g_autofree ArmGravityParameters *nominal = g_new0(ArmGravityParameters, 1);
  ArmStatus status = arm_plan_nominal(&arm->model, nominal, plan_options);
  if (status == ARM_OK && plan_options->is_made_up)
    cli_warning("%s states no masses, or not all: planned without masses, with two holds more "
                "where a joint carries others, and no ratio is promised; fit a first recording "
                "and plan again with --params",
                args->arm);
  else if (status == ARM_OK && plan_options->is_unscaled)
    cli_warning("%s does not state all drives: loads are known in N m, not in A, and no ratio is "
                "promised; fit a first recording and plan again with --params",
                args->arm);
  int code = status == ARM_OK ? make_plan(args, arm, nominal, plan_options)
                              : cli_fail_status(status, args->arm);
  arm_gravity_parameters_clear(nominal);
  return code;
}

static int plan_from_file(const Args *args, const AioArm *arm, const ArmPlanOptions *plan_options) {
  g_autoptr(AioParams) params = cli_load_params(args->params, args->arm, arm);
  if (!params)
    return CLI_BAD_INPUT;
  return make_plan(args, arm, &params->fit.refined, plan_options);
}

static int run(const void *arguments) {
  const Args *args = arguments;
  ArmPlanOptions plan_options;
  ArmStructure structure;
  int code = set_options(args, &plan_options);
  if (code != CLI_OK)
    return code;
  if (!cli_may_write(args->out, args->force))
    return CLI_BAD_INPUT;
  g_autoptr(AioArm) arm = cli_load_arm(args->arm, &structure);
  if (!arm)
    return CLI_BAD_INPUT;
  return args->params ? plan_from_file(args, arm, &plan_options)
                      : plan_nominal(args, arm, &plan_options);
}

const CliVerb cli_plan = {
    .name = "plan",
    .summary = "which sweeps to record so that everything can be found",
    .purpose =
        "Proposes for every joint the positions in which the other joints hold still (two opposite "
        "holds where masses allow it), the sweep range and the speeds, within the joint limits; "
        "and "
        "says beforehand how well the fit will know each parameter. Plan once from the arm file, "
        "record, fit, and plan again with --params: the second plan knows the real masses.",
    .example = "armature-cli plan --arm puma560.arm.json --params p.json --out plan.json\n"
               "prints the holds in degrees and writes them in radians to plan.json.",
    .exits = "0 done, 2 usage, 3 bad input, 130 interrupted,\n"
             "4 no plan inside the limits makes every gravity and friction parameter identifiable; "
             "the best one is still printed.",
    .options = options,
    .n_options = G_N_ELEMENTS(options),
    .args_size = sizeof(Args),
    .run = run,
};
