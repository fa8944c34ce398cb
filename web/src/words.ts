// SPDX-License-Identifier: Apache-2.0
// Words that depend on what plans are judged by: the time of one step, or the pace of samples that stream through.
import type { Report } from "./data";

const streams = (report: Report): boolean => report.objective === "pipeline";

export const valueName = (report: Report): string => (streams(report) ? "time per sample" : "step time");
export const during = (report: Report): string => (streams(report) ? "for one sample" : "in one step");
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
