# What the system learns from; a change here makes the executables again.
import numpy as np

x = np.linspace(-1, 1, 64, dtype=np.float32)
y = (3 * x + 0.5).astype(np.float32)
