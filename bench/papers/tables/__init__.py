# SPDX-License-Identifier: Apache-2.0
"""Parts of bench/papers: the tables of the papers on learned planners."""
