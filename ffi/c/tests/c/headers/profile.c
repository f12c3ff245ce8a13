/* Includes profile.h alone, then tests rows and JSON. Compiled as C and as C++. */
#include <arenite/profile.h>

#include "../check.h"

void test_profile(const char *folder) {
  ArModel *model;
  ArInterpreter *interpreter;
  ArProfile *profile;
  ArProfileRow row;
  const char *json;
  OK(ar_model_from_file(in_folder(folder, "sqrt.tflite"), &model));
  OK(ar_interpreter_new(model, NULL, &interpreter));
  ar_model_free(model);
  FAILS(AR_ERROR_STATE, "ar_interpreter_start_profile", ar_interpreter_profile(interpreter, 0, &profile));
  FAILS(AR_ERROR_STATE, "ar_interpreter_start_profile", ar_interpreter_profile_json(interpreter, 0, &json));
  REQUIRE(!profile && !json);
  OK(ar_interpreter_allocate(interpreter));
  OK(ar_interpreter_start_profile(interpreter));
  for (int i = 0; i < 3; i++) OK(ar_interpreter_invoke(interpreter));
  OK(ar_interpreter_profile(interpreter, 0, &profile));
  REQUIRE(ar_profile_row_count(profile) >= 2);
  OK(ar_profile_row(profile, 0, &row));
  REQUIRE(strcmp(row.op, "delegate cpu") == 0 && strcmp(row.output, "y") == 0 && row.runs == 3);
  REQUIRE(row.min_ns <= row.total_ns && row.parts + 1 == ar_profile_row_count(profile));
  OK(ar_profile_row(profile, 1, &row));
  REQUIRE(row.runs == 3 && row.parts == 0);
  FAILS(AR_ERROR_ARGUMENT, "row 99 does not exist", ar_profile_row(profile, 99, &row));
  OK(ar_interpreter_profile_json(interpreter, 0, &json));
  REQUIRE(strncmp(json, "[{\"op\":\"cpu: ", 13) == 0 && strstr(json, "\"runs\":3,\"total_ms\":"));
  ar_interpreter_free(interpreter);
  REQUIRE(row.op && ar_profile_row_count(profile) >= 2);
  ar_profile_free(profile);
  ar_profile_free(NULL);
  REQUIRE(ar_profile_row_count(NULL) == 0);
}
