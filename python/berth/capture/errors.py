# SPDX-License-Identifier: Apache-2.0
"""What can go wrong, in one line."""


class CaptureError(Exception):
    """The model cannot be captured; the text says why and what might help."""
