import { Cron } from 'croner';
import { offsetMs } from '@/lib/format/time';
import type { JsonObject } from '@/lib/kube/json';
import { objectsAt, textAt, valueAt } from '@/lib/kube/read';
import { parseGoDuration } from '@/lib/owners/go-duration';
import { matchesGlob } from '@/lib/owners/glob';

interface Window {
  kind: 'allow' | 'deny';
  schedule: Cron;
  durationMs: number;
  timeZone: string;
}

/** Why nothing is synced at a time, and until when; `untilMs` is null where no end is near. */
export interface Block {
  kind: 'allow' | 'deny';
  untilMs: number | null;
}

/** Argo CD parses five fields, and no names such as `@daily`: https://pkg.go.dev/github.com/robfig/cron/v3 */
const FIELDS = 5;

/** Windows that follow each other without a gap are one; more are not followed. */
const ENDS_MAX = 100;

/**
 * What of a project prevents automated syncs of an application now: a deny window, or an allow window that is not open
 * while no other one is. Null where nothing does. Windows that no schedule or duration describes count as closed.
 * https://argo-cd.readthedocs.io/en/stable/user-guide/sync_windows/
 */
export function blockAt(project: JsonObject, application: JsonObject, nowMs: number): Block | null {
  const windows = objectsAt(project, 'spec', 'syncWindows')
    .filter((window) => isMatch(window, application))
    .flatMap((window) => parseWindow(window) ?? []);
  const kind = blockedBy(windows, nowMs);
  if (kind === null) return null;
  let atMs = nowMs;
  for (let count = 0; count < ENDS_MAX; count += 1) {
    const changes = windows.flatMap((window) => nextChange(window, atMs) ?? []);
    if (changes.length === 0) break;
    atMs = Math.min(...changes);
    if (blockedBy(windows, atMs) === null) return { kind, untilMs: atMs };
  }
  return { kind, untilMs: null };
}

function blockedBy(windows: readonly Window[], atMs: number): Block['kind'] | null {
  const allow = windows.filter(({ kind }) => kind === 'allow');
  if (windows.some((window) => window.kind === 'deny' && isOpen(window, atMs))) return 'deny';
  return allow.length === 0 || allow.some((window) => isOpen(window, atMs)) ? null : 'allow';
}

function isOpen(window: Window, atMs: number): boolean {
  const start = nextTime(window.schedule, onClock(window, atMs) - window.durationMs);
  return start !== null && start <= onClock(window, atMs);
}

/** When it opens or closes next. */
function nextChange(window: Window, atMs: number): number | null {
  const clock = onClock(window, atMs);
  const opens = nextTime(window.schedule, clock);
  const closes = nextTime(window.schedule, clock - window.durationMs);
  const next = Math.min(opens ?? Infinity, closes === null ? Infinity : closes + window.durationMs);
  return next === Infinity ? null : atMs + next - clock;
}

/** Argo CD runs a schedule in UTC, moved by the offset that the zone has at the moment. */
function onClock({ timeZone }: Window, atMs: number): number {
  try {
    return atMs + offsetMs(atMs, timeZone === '' ? 'UTC' : timeZone);
  } catch {
    return atMs;
  }
}

function parseWindow(window: JsonObject): Window | null {
  const kind = textAt(window, 'kind');
  const schedule = parseSchedule(textAt(window, 'schedule') ?? '');
  const durationMs = parseGoDuration(textAt(window, 'duration') ?? '');
  if ((kind !== 'allow' && kind !== 'deny') || schedule === null || durationMs === null) return null;
  return { kind, schedule, durationMs, timeZone: textAt(window, 'timeZone') ?? '' };
}

/** The namespace is the destination of the application, not that of an object. One of the lists is enough, unless `andOperator` requires all. */
function isMatch(window: JsonObject, application: JsonObject): boolean {
  const destination = (member: string) => textAt(application, 'spec', 'destination', member) ?? '';
  const results = [
    listed(window, 'applications', [textAt(application, 'metadata', 'name') ?? '']),
    listed(
      window,
      'clusters',
      [destination('name'), destination('server')].filter((text) => text !== ''),
    ),
    listed(window, 'namespaces', [destination('namespace')]),
  ].filter((result) => result !== null);
  if (valueAt(window, 'andOperator') !== true) return results.includes(true);
  return results.length > 0 && results.every(Boolean);
}

/** Null where the list is empty. */
function listed(window: JsonObject, member: string, texts: readonly string[]): boolean | null {
  const patterns = valueAt(window, member);
  if (!Array.isArray(patterns) || patterns.length === 0) return null;
  return patterns.some(
    (pattern) => typeof pattern === 'string' && texts.some((text) => matchesGlob(pattern, text)),
  );
}

/** A schedule on a clock of its own; null where the text is none. */
export function parseSchedule(text: string): Cron | null {
  if (text.trim().split(/\s+/).length !== FIELDS) return null;
  try {
    return new Cron(text.trim(), { paused: true, sloppyRanges: true, timezone: 'UTC' });
  } catch {
    return null;
  }
}

/** The first time of a schedule after another one, both in milliseconds on its own clock; null where there is none. */
export function nextTime(schedule: Cron, afterMs: number): number | null {
  return schedule.nextRun(new Date(afterMs))?.getTime() ?? null;
}
