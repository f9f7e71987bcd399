import 'server-only';
import { createHash } from 'node:crypto';
import { AppError, messageOf } from '@/lib/errors';
import type { ActionRepository, JournalChunk } from '@/server/archive/actions';
import type { ArchivedAction } from '@/lib/api/action';
import type { ArchivedEvent } from '@/server/archive/events';
import { type Audit, type AuditEntry, parseEventLine, parseAuditLine } from '@/server/audit/audit';
import type { Logger } from '@/server/shared/log';

export type JournalRepository = Pick<ActionRepository, 'journal' | 'saveJournal'>;

interface AuditJournalOptions {
  audit: Pick<Audit, 'read' | 'onAppend' | 'rotate'>;
  log: Logger;
  /** Milliseconds since the epoch. */
  now?: () => number;
}

type JournalPosition = Omit<JournalChunk, 'id' | 'actions' | 'events'>;

/** What is read at a time: one transaction, during which no request is answered. */
const CHUNK_BYTES = 256 * 1024;
/** More than two lines have in common. */
const CHECKSUM_BYTES = 4_096;
/** No action has a longer line, but another version may have written more. */
const TEXT_CHARS_MAX = 2_000;
const RETRY_MS = 5_000;

/**
 * Copies the lines of the audit file into the archive. The file comes first: it is written before an action is
 * executed, whatever the state of the archive. How far it has been read is stored with the actions, in the same
 * transaction, so that each line is copied once, also after a crash or a time without the archive.
 */
export class AuditJournal {
  readonly #options: AuditJournalOptions;
  readonly #now: () => number;
  #repository: JournalRepository | undefined;
  #id: string | undefined;
  #position: JournalPosition | undefined;
  #copying: Promise<void> | undefined;
  #isWoken = false;
  #failure: { error: unknown; at: number } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(options: AuditJournalOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    options.audit.onAppend(() => this.#wake());
  }

  /** The archive is open: copies the file's new lines. */
  attach(repository: JournalRepository): void {
    this.#repository = repository;
    this.#wake();
  }

  /**
   * Resolves once the archive has everything in the file. Rejects with AppError `archive_unavailable` where that is
   * impossible now.
   */
  async settled(): Promise<void> {
    if (this.#failure !== undefined && this.#now() - this.#failure.at < RETRY_MS) throw this.#failure.error;
    await this.#copyOnce();
  }

  /** Lines that could not be read, as far as the file has been copied. */
  get damaged(): number {
    return this.#position?.damaged ?? 0;
  }

  /** Tries once more, so that the next start has nothing to do. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#repository !== undefined) await this.#copyOnce().catch(() => undefined);
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #wake(): void {
    if (this.#repository === undefined || this.#isStopped) return;
    this.#copyOnce().catch(() => undefined);
  }

  /** One at a time; callers that come meanwhile wait for a run that begins later. */
  async #copyOnce(): Promise<void> {
    this.#isWoken = true;
    while (this.#copying !== undefined) await this.#copying.catch(() => undefined);
    if (!this.#isWoken) {
      if (this.#failure !== undefined) throw this.#failure.error;
      return;
    }
    this.#isWoken = false;
    this.#copying = this.#tryCopy();
    try {
      await this.#copying;
    } finally {
      this.#copying = undefined;
    }
  }

  async #tryCopy(): Promise<void> {
    try {
      await this.#copyAll();
      if (this.#failure !== undefined) this.#options.log.info('the archive contains all actions again');
      this.#failure = undefined;
    } catch (error) {
      if (this.#failure === undefined) {
        const reason = messageOf(error);
        this.#options.log.warn('actions are only in the audit file until the archive is available', {
          reason,
        });
      }
      this.#failure = { error, at: this.#now() };
      this.#position = undefined;
      this.#retryLater();
      throw error;
    }
  }

  #retryLater(): void {
    if (this.#isStopped || this.#repository === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#wake(), RETRY_MS).unref();
  }

  async #copyAll(): Promise<void> {
    const repository = this.#repository;
    if (repository === undefined) throw new AppError('archive_unavailable', 'The archive is not open.');
    const id = (this.#id ??= idOf(this.#options.audit));
    if (id === undefined) return;
    this.#position ??= await this.#loadPosition(repository, id);
    for (;;) {
      const known: JournalPosition = this.#position;
      const { bytes, damaged, actions, events } = this.#read(id, known.bytes);
      if (bytes === known.bytes) {
        this.#rotate();
        return;
      }
      const reached = { bytes, damaged: known.damaged + damaged, mark: this.#checksumAt(bytes) };
      await repository.saveJournal({ id, ...reached, actions, events });
      this.#position = reached;
    }
  }

  /** Archived lines need not stay in a file that is read at each start. */
  #rotate(): void {
    try {
      if (!this.#options.audit.rotate()) return;
      this.#id = undefined;
      this.#position = undefined;
    } catch (error) {
      this.#options.log.warn('the audit file could not be rotated; it keeps growing', { error });
    }
  }

  /** A file that was restored from a copy is read again from the start. */
  async #loadPosition(repository: JournalRepository, id: string): Promise<JournalPosition> {
    const known = await repository.journal(id);
    return known.mark === this.#checksumAt(known.bytes) ? known : { bytes: 0, damaged: 0, mark: '' };
  }

  #checksumAt(bytes: number): string {
    const start = Math.max(0, bytes - CHECKSUM_BYTES);
    return hashOf(this.#options.audit.read(start, bytes - start));
  }

  /** The complete lines after `start`: the last state of each action, the other lines, and where the lines end. */
  #read(file: string, start: number): Pick<JournalChunk, 'bytes' | 'damaged' | 'actions' | 'events'> {
    const chunk = this.#options.audit.read(start, CHUNK_BYTES);
    const end = chunk.lastIndexOf(0x0a) + 1;
    if (end === 0 && chunk.length < CHUNK_BYTES) return { bytes: start, damaged: 0, actions: [], events: [] };
    const actions = new Map<string, ArchivedAction>();
    const events: ArchivedEvent[] = [];
    let damaged = 0;
    let at = start;
    // A line that fills a full read is not from Shiplog: its rest is skipped the same way.
    const lines = end === 0 ? [chunk.toString('utf8')] : chunk.toString('utf8', 0, end - 1).split('\n');
    for (const line of lines) {
      const entry = parseAuditLine(line);
      if (entry !== undefined) {
        actions.delete(entry.action.id);
        actions.set(entry.action.id, archivedAction(entry));
      } else if (line !== '') {
        const event = parseEventLine(line);
        if (event === undefined) {
          damaged += 1;
          this.#options.log.warn('a line of the audit file is unreadable and was skipped', { byte: at });
        } else events.push({ id: `${file}-${at}`, entry: event });
      }
      at += Buffer.byteLength(line) + 1;
    }
    return {
      bytes: start + (end === 0 ? chunk.length : end),
      damaged,
      actions: [...actions.values()],
      events,
    };
  }
}

/** The first line, which never changes, identifies a file; undefined while it has none. */
function idOf(audit: AuditJournalOptions['audit']): string | undefined {
  const first = audit.read(0, CHUNK_BYTES);
  const end = first.indexOf(0x0a);
  if (end === -1 && first.length < CHUNK_BYTES) return undefined;
  return hashOf(end === -1 ? first : first.subarray(0, end));
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 32);
}

function archivedAction(entry: AuditEntry): ArchivedAction {
  const { at, action, code, apiMessage, identity, sender, origin, fromHash, findings, idempotencyKey } =
    entry;
  return {
    at,
    action: { ...action, reason: truncate(action.reason), message: truncate(action.message) },
    code,
    apiMessage: apiMessage === null ? null : truncate(apiMessage),
    identity: identity ?? null,
    ...(sender && { sender }),
    origin: origin ?? null,
    fromHash: fromHash ?? null,
    findings: (findings ?? []).map(({ code: of, message }) => ({ code: of, message: truncate(message) })),
    idempotencyKey: idempotencyKey ?? null,
  };
}

function truncate(text: string): string {
  return text.length <= TEXT_CHARS_MAX ? text : `${text.slice(0, TEXT_CHARS_MAX - 2)} …`;
}
