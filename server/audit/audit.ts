import 'server-only';
import {
  chmodSync,
  closeSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type Action, actionSchema, senderSchema } from '@/lib/api/action';
import { type EventEntry, eventEntrySchema } from '@/lib/api/activity-event';
import { instant } from '@/lib/api/common';
import { AppError } from '@/lib/errors';
import { upgradeAction } from '@/server/archive/upgrades';

/** How a follower recognizes the end of an action. Keyed hashes only: the file contains no template. */
const expectationSchema = z.object({
  /** Of the template after the write. */
  template: z.string(),
  /** Of the template before, where the workload shows a write only once its controller has acted on it. */
  before: z.string().optional(),
  /** Of the template that the write replaces. Lines of earlier versions lack it. */
  replaces: z.string().optional(),
  /** What the write sets outside of the template, by JSON pointers into the workload; null: removed. */
  sets: z
    .array(z.object({ path: z.string(), value: z.union([z.string(), z.number(), z.boolean(), z.null()]) }))
    .optional(),
  /** The first generation of the workload that contains the write. */
  generation: z.number(),
  /** The goal: every pod runs it, the controller has observed it, the pod has been replaced, or Shiplog owns no field. */
  until: z.enum(['rollout', 'observed', 'replaced', 'goal', 'released']),
  /** The pod to replace. */
  pod: z.object({ name: z.string(), uid: z.string() }).nullable(),
  /** Of an action on a rollout: the goal, in the progressive rollout with this `run.id`. */
  goal: z
    .object({
      until: z.enum(['step', 'observed', 'disabled', 'enabled', 'aborted', 'retried', 'written', 'deleted']),
      from: z.number().nullable(),
      to: z.number().nullable(),
      runId: z.string().nullable(),
      /** Version of the object before the write. */
      before: z.string(),
      /** Whether the write creates another generation. Lines of earlier versions lack it. */
      changesSpec: z.boolean().optional(),
      /** Another write preceded this one, and succeeded. */
      isHalfDone: z.boolean().optional(),
    })
    .nullable()
    .optional(),
});
export type Expectation = z.infer<typeof expectationSchema>;

export const auditEntrySchema = z.object({
  at: instant,
  /** `attempted` is written before the write is sent; `accepted` or `failed` when its answer is known. */
  event: z.enum(['attempted', 'accepted', 'finished', 'refused', 'failed']),
  /** The action at that time. */
  action: actionSchema,
  /** The precondition token of the template that the viewer looked at. */
  seen: z.string().nullable(),
  expectation: expectationSchema.nullable(),
  /** Of a rejection or failure: the error's code and the API server's own words. */
  code: z.string().nullable(),
  apiMessage: z.string().nullable(),
  /**
   * Whom the API server took the request for: null for Shiplog's own identity, else the user with the groups that Shiplog
   * impersonated, none of them with a token. Lines of the first version lack these.
   */
  identity: z
    .object({ user: z.string(), groups: z.array(z.string()) })
    .nullable()
    .optional(),
  /** Lines of earlier versions lack it. */
  sender: senderSchema.nullable().optional(),
  /** The page's origin; null for a program. */
  origin: z.string().nullable().optional(),
  /** Hash of the template that was the target. */
  fromHash: z.string().nullable().optional(),
  /** Why it was rejected. */
  findings: z.array(z.object({ code: z.string(), message: z.string() })).optional(),
  /** What the owners of the workload do to the change, and what prevents it: as the person could read them. */
  owners: z.string().optional(),
  /** Hash of the idempotency key of the request. */
  idempotencyKey: z.string().nullable().optional(),
  /** The process that follows the action: machine, process id, and a number among processes with the same. */
  holder: z.string().optional(),
  /** How many attempts of this viewer this line covers: all were rejected within the same minute. */
  attempts: z.number().optional(),
});
export type AuditEntry = z.infer<typeof auditEntrySchema>;

/** What is known of an action from its start, and is in every line of it. */
export type AuditFacts = Pick<
  AuditEntry,
  'identity' | 'sender' | 'origin' | 'fromHash' | 'owners' | 'idempotencyKey' | 'holder'
>;

/** In the data directory. */
export const AUDIT_FILE = 'audit.jsonl';

/** Of those that were attempted and have ended. */
const ENDED_MAX = 500;
/** Of rejected ones; they never displace an attempted one. */
const REFUSED_MAX = 200;
const ROTATE_BYTES = 16 * 1024 * 1024;
/** A line has about 1 KB, so this is far more than the actions that stay in memory. */
const READ_BYTES_MAX = 8 * 1024 * 1024;

/**
 * Every attempt to change something, with its outcome: one JSON line each in `audit.jsonl` of the data directory,
 * append-only, on disk when `append` or `note` returns. The last entry of the latest actions and of every open one
 * stays in memory. A file that has grown large is renamed and stays next to the new one.
 */
export class Audit {
  /** Undefined once closed: the number may by then be another file's. */
  #fd: number | undefined;
  readonly #path: string;
  readonly #latest = new Map<string, AuditEntry>();
  /** Those that ended without an attempt. */
  readonly #refused = new Set<string>();
  /** A process that died during a write left half a line; the next one must not continue it. */
  #isTorn: boolean;
  readonly #listeners = new Set<(entry: AuditEntry) => void>();

  private constructor(path: string, fd: number) {
    this.#path = path;
    this.#fd = fd;
    const text = readTail(fd);
    this.#isTorn = text !== '' && !text.endsWith('\n');
    for (const line of text.split('\n')) {
      const entry = parseAuditLine(line);
      if (entry !== undefined) this.#remember(entry);
    }
  }

  static open(dataDir: string): Audit {
    const path = join(dataDir, AUDIT_FILE);
    const fd = openSync(path, 'a+', 0o600);
    chmodSync(path, 0o600);
    return new Audit(path, fd);
  }

  /** Throws AppError `internal` when the line can't be written; the caller must then not do what it announces. */
  append(entry: AuditEntry): void {
    this.#write(entry);
    this.#remember(entry);
    for (const listener of this.#listeners) listener(entry);
  }

  /** Writes a line to disk and nowhere else. Throws as `append` does. */
  note(entry: EventEntry): void {
    this.#write(entry);
  }

  #write(entry: AuditEntry | EventEntry): void {
    try {
      if (this.#fd === undefined) throw new Error('closed');
      writeFully(this.#fd, `${this.#isTorn ? '\n' : ''}${JSON.stringify(entry)}\n`);
      this.#isTorn = false;
      fsyncSync(this.#fd);
    } catch (error) {
      this.#isTorn = true;
      throw new AppError(
        'internal',
        'Nothing was changed: Shiplog cannot write the audit file in its data directory. Check the disk.',
        {},
        error,
      );
    }
  }

  /** Receives every line of an action as soon as it is on disk. */
  onAppend(listener: (entry: AuditEntry) => void): void {
    this.#listeners.add(listener);
  }

  /** Bytes of the file from `offset` on, at most `length`; empty at its end, and once it is closed. */
  read(offset: number, length: number): Buffer {
    return this.#fd === undefined ? Buffer.alloc(0) : readAt(this.#fd, offset, length);
  }

  /**
   * Begins a new file where this one has grown large, or another process has already renamed it. To be called when
   * everything in it has been read; open actions are in the new one, too. Returns whether it did.
   */
  rotate(largeBytes = ROTATE_BYTES): boolean {
    if (this.#fd === undefined) return false;
    const own = fstatSync(this.#fd);
    const isOurs = statSync(this.#path, { throwIfNoEntry: false })?.ino === own.ino;
    if (isOurs && own.size < largeBytes) return false;
    const open = this.open().map((entry) => `${JSON.stringify(entry)}\n`);
    if (isOurs) {
      const draft = `${this.#path}.draft`;
      writeFileSync(draft, open.join(''), { mode: 0o600, flush: true });
      // The file name always exists.
      linkSync(this.#path, this.#path.replace(/\.jsonl$/, `-${Date.now()}.jsonl`));
      renameSync(draft, this.#path);
    }
    const fd = openSync(this.#path, 'a+', 0o600);
    if (!isOurs) {
      writeFully(fd, open.join(''));
      fsyncSync(fd);
    }
    closeSync(this.#fd);
    this.#fd = fd;
    this.#isTorn = false;
    return true;
  }

  /** The latest entry of an action, or undefined for one that is unknown or long past. */
  entry(id: string): AuditEntry | undefined {
    return this.#latest.get(id);
  }

  /** The latest actions in their last state, newest first. */
  actions(): Action[] {
    return [...this.#latest.values()].map(({ action }) => action).reverse();
  }

  /** Entries of actions whose end is unknown: those to follow after a restart. */
  open(): AuditEntry[] {
    return [...this.#latest.values()].filter(({ event }) => isOpen(event));
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  /** In the order in which actions began. */
  #remember(entry: AuditEntry): void {
    const { id } = entry.action;
    const previous = this.#latest.get(id);
    this.#latest.set(id, entry);
    if (entry.event === 'attempted' || entry.event === 'accepted') return;
    // An attempted one keeps its position from then on.
    if (previous === undefined && entry.event !== 'finished') this.#refused.add(id);
    const isRefused = this.#refused.has(id);
    const ended = [...this.#latest.values()].filter(
      ({ event, action }) => !isOpen(event) && this.#refused.has(action.id) === isRefused,
    );
    for (const { action } of ended.slice(0, -(isRefused ? REFUSED_MAX : ENDED_MAX))) {
      this.#latest.delete(action.id);
      this.#refused.delete(action.id);
    }
  }
}

function isOpen(event: AuditEntry['event']): boolean {
  return event === 'attempted' || event === 'accepted';
}

function readTail(fd: number): string {
  const { size } = fstatSync(fd);
  const start = Math.max(0, size - READ_BYTES_MAX);
  return readAt(fd, start, size - start).toString('utf8');
}

function readAt(fd: number, offset: number, length: number): Buffer {
  const buffer = Buffer.alloc(length);
  let done = 0;
  while (done < length) {
    const bytes = readSync(fd, buffer, done, length - done, offset + done);
    if (bytes === 0) break;
    done += bytes;
  }
  return buffer.subarray(0, done);
}

function writeFully(fd: number, text: string): void {
  const bytes = Buffer.from(text, 'utf8');
  for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
}

const anyEntrySchema = z.preprocess(upgradeAction, auditEntrySchema);

/** Undefined for half a line, for a line of a later version, and for a line that is about no action. */
export function parseAuditLine(line: string): AuditEntry | undefined {
  return parseLine(anyEntrySchema, line);
}

/** A line of a review, or of a sign-in; undefined for any other. */
export function parseEventLine(line: string): EventEntry | undefined {
  return parseLine(eventEntrySchema, line);
}

function parseLine<T>(schema: z.ZodType<T>, line: string): T | undefined {
  if (line === '') return undefined;
  try {
    return schema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
