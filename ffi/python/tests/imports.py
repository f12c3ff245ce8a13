"""Checks that `import arenite` takes less than 30 ms of the processor, and imports no other package."""

import subprocess
import sys

PROGRAM = """
import sys, time
before = set(sys.modules)
start = time.process_time()
import arenite
print(1000 * (time.process_time() - start))
others = {"numpy", "ml_dtypes"} & set(sys.modules)
assert not others, others
"""

times = [float(subprocess.check_output([sys.executable, "-c", PROGRAM])) for _ in range(20)]
print(f"import arenite: {min(times):.1f} ms")
sys.exit(f"it takes 30 ms or more: {times}" if min(times) >= 30 else 0)
