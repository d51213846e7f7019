// Time windows: a cron schedule of starts, a duration, and a time zone.

import { CronSchedule } from '#kube/time/cron';
import { parseDuration } from './duration.ts';
import { TimeZone } from '#kube/time/time-zone';
import { parsed, refused, type Parsed } from '#kube/parsed';
import type { DurationMs, Instant } from '#kube/units';

/** A window in a custom resource. */
export interface WindowText {
  readonly start: string;
  readonly duration: string;
  /** IANA name; absent: UTC. */
  readonly timeZone?: string;
}

/** A parsed window. */
export interface Window {
  readonly start: CronSchedule;
  readonly durationMs: DurationMs;
}

/** One opening of a window, [start, end). */
export interface Opening {
  readonly start: Instant;
  readonly end: Instant;
}

/** Parses a window; a refusal names the invalid field. */
export function parseWindow(text: WindowText): Parsed<Window> {
  const timeZone = text.timeZone ?? 'UTC';
  const zone = TimeZone.parse(timeZone);
  if (!zone.ok) return refused(`timeZone: ${zone.message}`);
  const start = CronSchedule.parse(text.start, timeZone);
  if (!start.ok) return refused(`start: ${start.message}`);
  const duration = parseDuration(text.duration);
  if (!duration.ok) return refused(`duration: ${duration.message}`);
  return parsed({ start: start.value, durationMs: duration.value });
}

/** The opening at a time; null: all windows are closed. Of several, the one that closes last. */
export function findOpening(windows: readonly Window[], at: Instant): Opening | null {
  let longest: Opening | null = null;
  for (const window of windows) {
    const start = window.start.previous(at);
    if (start === null) continue;
    const end = start + window.durationMs;
    if (end > at && (longest === null || end > longest.end)) longest = { start, end };
  }
  return longest;
}

/** The first opening that starts after `after`; null: there is none. */
export function findNextOpening(windows: readonly Window[], after: Instant): Opening | null {
  let first: Opening | null = null;
  for (const window of windows) {
    const start = window.start.next(after);
    if (start !== null && (first === null || start < first.start)) first = { start, end: start + window.durationMs };
  }
  return first;
}
