/* SPDX-License-Identifier: MIT */
#include "core/params/terms.h"

#include <stdbool.h>

ArmParamKind arm_term_kind(ArmFrictionTerm term) {
  return term == ARM_TERM_LOAD ? ARM_PARAM_LOAD : ARM_PARAM_CURVE;
}

const char *arm_term_key(ArmFrictionTerm term) {
  return term == ARM_TERM_LOAD ? "load" : "curve";
}

const char *arm_term_outcome_key(ArmTermOutcome outcome) {
  static const char *const keys[ARM_TERM_OUTCOMES] = {
      "not_offered", "chosen", "few_strokes", "unseen", "absurd", "not_needed", "no_gain",
  };
  return (unsigned)outcome < ARM_TERM_OUTCOMES ? keys[outcome] : "";
}

const char *arm_term_outcome_text(ArmFrictionTerm term, ArmTermOutcome outcome) {
  const bool is_load = term == ARM_TERM_LOAD;
  switch (outcome) {
  case ARM_TERM_NOT_OFFERED:
    return "not asked for";
  case ARM_TERM_CHOSEN:
    return "chosen";
  case ARM_TERM_FEW_STROKES:
    return "not decidable: record more strokes, both ways";
  case ARM_TERM_UNSEEN:
    return is_load ? "load-dependent friction cannot be seen, its gravity is too small"
                   : "the curve of friction cannot be seen, record more speeds";
  case ARM_TERM_ABSURD:
    return "more than half of the load: check sign and unit of the current";
  case ARM_TERM_NOT_NEEDED:
    return "not decidable: nothing significant";
  case ARM_TERM_NO_GAIN:
    return "not decidable: strokes left out are not predicted 2 % better";
  case ARM_TERM_OUTCOMES:
    break;
  }
  return "";
}
