# SPDX-License-Identifier: Apache-2.0
"""What all benchmarks share: running berth, keeping answers, statistics, tables and charts."""
