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
import { type Action, actionSchema } from '@/lib/api/actions';
import { instant } from '@/lib/api/common';
import { AppError } from '@/lib/errors';
import { type ReviewEntry, reviewEntrySchema } from '@/server/review-entry';

/** By what a follower tells the end of an action. Keyed hashes only: the file holds no template. */
export const expectationSchema = z.object({
  /** Of the template that is there once the write has been done. */
  template: z.string(),
  /** Of the one that was there before, where the workload tells of a write only once something has been made of it. */
  before: z.string().optional(),
  /** Of the one that the write finds there. Lines of earlier versions lack it. */
  replaces: z.string().optional(),
  /** What the write sets outside of the template, by JSON pointers into the workload; null: taken away. */
  sets: z
    .array(z.object({ path: z.string(), value: z.union([z.string(), z.number(), z.boolean(), z.null()]) }))
    .optional(),
  /** The first generation of the workload that holds the write. */
  generation: z.number(),
  /** What must have come about: every pod runs it, the controller has seen it, or the pod has been replaced. */
  until: z.enum(['rollout', 'observed', 'replaced', 'goal']),
  /** The pod that is to be replaced. */
  pod: z.object({ name: z.string(), uid: z.string() }).nullable(),
  /** Of an action on a rollout: what must have come about, in the release with this id. */
  goal: z
    .object({
      until: z.enum(['step', 'observed', 'disabled', 'enabled', 'aborted', 'retried', 'written', 'deleted']),
      from: z.number().nullable(),
      to: z.number().nullable(),
      release: z.string().nullable(),
      /** Version of the object before the write. */
      before: z.string(),
      /** Whether the write makes another generation. Lines of earlier versions lack it. */
      changesSpec: z.boolean().optional(),
      /** Another write came before this one, and was done. */
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
  /** The action as it stood then. */
  action: actionSchema,
  /** Stands for the template that the viewer saw. */
  seen: z.string().nullable(),
  expectation: expectationSchema.nullable(),
  /** Of a refusal or failure: the error's code and the API server's own words. */
  code: z.string().nullable(),
  apiMessage: z.string().nullable(),
  /** As whom the API server took it; null for Shiplog's own identity. Lines of the first version lack these. */
  identity: z
    .object({ user: z.string(), groups: z.array(z.string()) })
    .nullable()
    .optional(),
  /** The page's origin; null for a program. */
  origin: z.string().nullable().optional(),
  /** Stands for the template that was the target. */
  fromHash: z.string().nullable().optional(),
  /** Why it was refused. */
  findings: z.array(z.object({ code: z.string(), message: z.string() })).optional(),
  /** Hash of the key that the request carried. */
  idempotencyKey: z.string().nullable().optional(),
  /** The process that follows the action: machine, process id, and which of those with the same. */
  holder: z.string().optional(),
  /** How many attempts of this viewer this line stands for: they were turned away within the same minute. */
  attempts: z.number().optional(),
});
export type AuditEntry = z.infer<typeof auditEntrySchema>;

/** What is known of an action from its beginning, and stands in every line of it. */
export type AuditFacts = Pick<AuditEntry, 'identity' | 'origin' | 'fromHash' | 'idempotencyKey' | 'holder'>;

/** Of those that were begun and have ended. */
const ENDED_MAX = 500;
/** Of those that were turned away; they never push out any that was begun. */
const REFUSED_MAX = 200;
const ROTATE_BYTES = 16 * 1024 * 1024;
/** A line has about 1 KB, so this is far more than the actions that are kept. */
const READ_BYTES_MAX = 8 * 1024 * 1024;

/**
 * Every attempt to change something, with its outcome: one JSON line each in `audit.jsonl` of the data directory,
 * only ever appended, on disk when `append` or `note` returns. The last entry of the latest actions is kept in
 * memory, and that of every one that is open. A file that has grown large gets another name and stays beside the new one.
 */
export class Audit {
  /** Undefined once closed: the number may by then be another file's. */
  #fd: number | undefined;
  readonly #path: string;
  readonly #latest = new Map<string, AuditEntry>();
  /** Those that ended without having begun. */
  readonly #refused = new Set<string>();
  /** A process that died while it wrote left half a line; the next one must not continue it. */
  #isTorn: boolean;
  readonly #listeners = new Set<(entry: AuditEntry) => void>();

  private constructor(path: string, fd: number) {
    this.#path = path;
    this.#fd = fd;
    const text = readTail(fd);
    this.#isTorn = text !== '' && !text.endsWith('\n');
    for (const line of text.split('\n')) {
      const entry = parseAuditLine(line);
      if (entry !== undefined) this.#keep(entry);
    }
  }

  static open(dataDir: string): Audit {
    const path = join(dataDir, 'audit.jsonl');
    const fd = openSync(path, 'a+', 0o600);
    chmodSync(path, 0o600);
    return new Audit(path, fd);
  }

  /** Throws AppError `internal` when the line can't be written; what it was to announce must then not be done. */
  append(entry: AuditEntry): void {
    this.#write(entry);
    this.#keep(entry);
    for (const listener of this.#listeners) listener(entry);
  }

  /** A line that is on disk and nowhere else. Throws as `append` does. */
  note(entry: ReviewEntry): void {
    this.#write(entry);
  }

  #write(entry: AuditEntry | ReviewEntry): void {
    try {
      if (this.#fd === undefined) throw new Error('closed');
      writeWhole(this.#fd, `${this.#isTorn ? '\n' : ''}${JSON.stringify(entry)}\n`);
      this.#isTorn = false;
      fsyncSync(this.#fd);
    } catch (error) {
      this.#isTorn = true;
      throw new AppError(
        'internal',
        'The audit file in the data directory cannot be written, and nothing is done without it. Look at the disk.',
        {},
        error,
      );
    }
  }

  /** Told of every line of an action as soon as it is on disk. */
  onAppend(listener: (entry: AuditEntry) => void): void {
    this.#listeners.add(listener);
  }

  /** Bytes of the file from `offset` on, at most `length`; empty at its end, and once it is closed. */
  read(offset: number, length: number): Buffer {
    return this.#fd === undefined ? Buffer.alloc(0) : readAt(this.#fd, offset, length);
  }

  /**
   * Begins a new file where this one has grown large, or has already got another name by another process. To be called
   * when everything in it has been read; what is open is in the new one, too. Returns whether it did.
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
      // At no moment is there no file under the name.
      linkSync(this.#path, this.#path.replace(/\.jsonl$/, `-${Date.now()}.jsonl`));
      renameSync(draft, this.#path);
    }
    const fd = openSync(this.#path, 'a+', 0o600);
    if (!isOurs) {
      writeWhole(fd, open.join(''));
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

  /** The latest actions as they stood last, newest first. */
  actions(): Action[] {
    return [...this.#latest.values()].map(({ action }) => action).reverse();
  }

  /** Entries of actions whose end is not known: those to follow after a restart. */
  open(): AuditEntry[] {
    return [...this.#latest.values()].filter(({ event }) => isOpen(event));
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  /** In the order in which actions began. */
  #keep(entry: AuditEntry): void {
    const { id } = entry.action;
    const was = this.#latest.get(id);
    this.#latest.set(id, entry);
    if (entry.event === 'attempted' || entry.event === 'accepted') return;
    // One that was begun stands in its place from then on.
    if (was === undefined && entry.event !== 'finished') this.#refused.add(id);
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

function writeWhole(fd: number, text: string): void {
  const bytes = Buffer.from(text, 'utf8');
  for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
}

/** Undefined for half a line, for what another version wrote, and for a line of a review. */
export function parseAuditLine(line: string): AuditEntry | undefined {
  return parseLine(auditEntrySchema, line);
}

export function isReviewLine(line: string): boolean {
  return parseLine(reviewEntrySchema, line) !== undefined;
}

function parseLine<T>(schema: z.ZodType<T>, line: string): T | undefined {
  if (line === '') return undefined;
  try {
    return schema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
