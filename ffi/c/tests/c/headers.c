/* Both headers can be included together, in either order. They agree on shared definitions: a macro with two values
 * would be an error. */
#ifdef PLUGIN_FIRST
#include <arenite_plugin.h>
#include <arenite.h>
#else
#include <arenite.h>
#include <arenite_plugin.h>
#endif

int main(void) {
  ArStatus status = AR_STATUS_OK;
  return (int)(status + ar_error_code(NULL));
}
