import 'server-only';
import type { Audit, AuditEntry } from '@/server/audit/audit';

/** Of one viewer within a minute; further attempts share one line. */
const LINES_MAX = 10;
const MINUTE_MS = 60_000;

interface Minute {
  lines: number;
  /** The last of those without a line of their own, and how many these are. */
  rest: { entry: AuditEntry; attempts: number } | null;
  timer: NodeJS.Timeout;
}

/**
 * Attempts that were rejected before anything was sent. The audit has them, but they cannot fill the disk.
 */
export class Refusals {
  readonly #audit: Pick<Audit, 'append'>;
  readonly #minutes = new Map<string, Minute>();

  constructor(audit: Pick<Audit, 'append'>) {
    this.#audit = audit;
  }

  /** Whether the attempt has a line of its own. Throws as {@link Audit.append} does. */
  append(viewerId: string, entry: AuditEntry): boolean {
    const minute = this.#minutes.get(viewerId) ?? this.#begin(viewerId);
    if (minute.lines < LINES_MAX) {
      minute.lines += 1;
      this.#audit.append(entry);
      return true;
    }
    minute.rest = { entry, attempts: (minute.rest?.attempts ?? 0) + 1 };
    return false;
  }

  /** Writes the attempts that have no line yet. */
  stop(): void {
    for (const viewerId of [...this.#minutes.keys()]) this.#end(viewerId);
  }

  #begin(viewerId: string): Minute {
    const timer = setTimeout(() => this.#end(viewerId), MINUTE_MS).unref();
    const minute: Minute = { lines: 0, rest: null, timer };
    this.#minutes.set(viewerId, minute);
    return minute;
  }

  #end(viewerId: string): void {
    const minute = this.#minutes.get(viewerId);
    if (minute === undefined) return;
    clearTimeout(minute.timer);
    this.#minutes.delete(viewerId);
    if (minute.rest === null) return;
    const { entry, attempts } = minute.rest;
    const message = `${attempts} attempts were rejected within a minute. The last one: ${entry.action.message}`;
    try {
      this.#audit.append({ ...entry, attempts, action: { ...entry.action, message } });
    } catch {
      // The disk is full: those before have lines, and nothing was done.
    }
  }
}
