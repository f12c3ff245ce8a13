/* Both headers go together, in either order, and agree on what they share: a macro of another value is an error. */
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
