# SPDX-License-Identifier: Apache-2.0
"""Parts of bench/reality and bench/capped: real runs beside predictions."""
