# SPDX-License-Identifier: Apache-2.0
"""What many plans are worth."""
from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from ._arrays import Table, frozen, numpy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._arrays import Bools, Floats, Ints


@dataclasses.dataclass(frozen=True, repr=False)
class Scores(Table):
    """One entry per plan, as the simulator has it, to the last bit."""
    picoseconds: Ints  # per step (per sample for the objective 'pipeline'), also of plans that do not fit in memory
    over: Ints  # bytes that the device or pool lacks which lacks most; 0: the plan fits
    peaks: Ints  # [plans, devices and then pools]: most bytes held at one time
    on_cpu: int  # plans that ran there
    on_gpu: int
    card: str  # the GPU in use; "": none

    def __len__(self) -> int:
        return len(self.picoseconds)

    @property
    def step_time(self) -> Floats:
        """Seconds, also of plans that do not fit in memory."""
        seconds: Floats = self.picoseconds / 1e12
        return frozen(seconds)

    @property
    def feasible(self) -> Bools:
        """Which plans fit in memory."""
        return frozen(self.over == 0)

    def order(self) -> NDArray[np.int64]:
        """The plans, best first: by what they lack, then by time. order()[0] is the best one."""
        best_first: NDArray[np.int64] = numpy().lexsort((self.picoseconds, self.over))
        return best_first
