# SPDX-License-Identifier: Apache-2.0
"""What bench/reality is made of."""
