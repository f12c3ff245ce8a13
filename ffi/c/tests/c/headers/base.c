/* Includes base.h alone, then tests the version. Compiled as C and as C++. */
#include <arenite/base.h>

#include "../check.h"

void test_base(const char *folder) {
  char version[32];
  (void)folder;
  snprintf(version, sizeof version, "%d.%d.%d", ARENITE_VERSION_MAJOR, ARENITE_VERSION_MINOR, ARENITE_VERSION_PATCH);
  REQUIRE(strcmp(ar_version(), version) == 0);
}
