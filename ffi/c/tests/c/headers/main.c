/* headers FOLDER: runs the tests of all headers, which are valid C and C++. FOLDER has the models and plugins/. */
#include "../check.h"

#define EACH_HEADER(X) \
  X(base) \
  X(error) \
  X(log) \
  X(model) \
  X(options) \
  X(registry) \
  X(plan) \
  X(interpreter) \
  X(tensor) \
  X(signature) \
  X(plugins) \
  X(subgraph) \
  X(observer) \
  X(profile) \
  X(picture) \
  X(session)

#define DECLARE(name) void test_##name(const char *folder);
EACH_HEADER(DECLARE)

#define CALL(name) test_##name(argv[1]);
int main(int argc, char **argv) {
  REQUIRE(argc == 2);
  EACH_HEADER(CALL)
  return 0;
}
