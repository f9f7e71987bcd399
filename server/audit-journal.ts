import 'server-only';
import { createHash } from 'node:crypto';
import { AppError } from '@/lib/errors';
import { type Archive, type ArchivedAction, type JournalPart } from '@/server/archive/archive';
import { type Audit, type AuditEntry, isReviewLine, parseAuditLine } from '@/server/audit';
import { type Logger } from '@/server/log';

export type JournalArchive = Pick<Archive, 'journal' | 'saveJournal'>;

export interface AuditJournalOptions {
  audit: Pick<Audit, 'read' | 'onAppend' | 'rotate'>;
  log: Logger;
  /** Milliseconds since the epoch. */
  now?: () => number;
}

type Reached = Omit<JournalPart, 'id' | 'actions'>;

/** What is read at a time: it is one transaction, and a moment in which no request is answered. */
const PART_BYTES = 256 * 1024;
/** More than two lines have in common. */
const MARK_BYTES = 4_096;
/** Nothing that an action says is longer, but another version may have written more. */
const TEXT_CHARS_MAX = 2_000;
const RETRY_MS = 5_000;

/**
 * Brings the lines of the audit file into the archive. The file comes first: it is written before an action is done,
 * whatever becomes of the archive. How far it has been read is kept beside the actions, in the same transaction, so
 * that each line is brought over once, also after a crash or a time without the archive.
 */
export class AuditJournal {
  readonly #options: AuditJournalOptions;
  readonly #now: () => number;
  #archive: JournalArchive | undefined;
  #id: string | undefined;
  #known: Reached | undefined;
  #feeding: Promise<void> | undefined;
  #isWoken = false;
  #failure: { error: unknown; at: number } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(options: AuditJournalOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    options.audit.onAppend(() => this.#wake());
  }

  /** The archive is there; what the file has gained meanwhile goes over. */
  attach(archive: JournalArchive): void {
    this.#archive = archive;
    this.#wake();
  }

  /**
   * Once everything that is in the file is in the archive too. Rejects with AppError `archive_unavailable` where that
   * can't be now.
   */
  async settled(): Promise<void> {
    if (this.#failure !== undefined && this.#now() - this.#failure.at < RETRY_MS) throw this.#failure.error;
    await this.#feed();
  }

  /** Lines that could not be read, as far as the file has been brought over. */
  get damaged(): number {
    return this.#known?.damaged ?? 0;
  }

  /** Tries once more, so that the next start has nothing to do. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#archive !== undefined) await this.#feed().catch(() => undefined);
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #wake(): void {
    if (this.#archive === undefined || this.#isStopped) return;
    this.#feed().catch(() => undefined);
  }

  /** One at a time; whoever asks meanwhile is answered by a look at the file that began later. */
  async #feed(): Promise<void> {
    this.#isWoken = true;
    while (this.#feeding !== undefined) await this.#feeding.catch(() => undefined);
    if (!this.#isWoken) {
      if (this.#failure !== undefined) throw this.#failure.error;
      return;
    }
    this.#isWoken = false;
    this.#feeding = this.#bringOver();
    try {
      await this.#feeding;
    } finally {
      this.#feeding = undefined;
    }
  }

  async #bringOver(): Promise<void> {
    try {
      await this.#bringAll();
      if (this.#failure !== undefined) this.#options.log.info('the archive has all actions again');
      this.#failure = undefined;
    } catch (error) {
      if (this.#failure === undefined) {
        const reason = error instanceof Error ? error.message : String(error);
        this.#options.log.warn('actions are in the audit file only for now', { reason });
      }
      this.#failure = { error, at: this.#now() };
      this.#known = undefined;
      this.#retryLater();
      throw error;
    }
  }

  #retryLater(): void {
    if (this.#isStopped || this.#archive === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#wake(), RETRY_MS).unref();
  }

  async #bringAll(): Promise<void> {
    const archive = this.#archive;
    if (archive === undefined) throw new AppError('archive_unavailable', 'The archive is not open.');
    const id = (this.#id ??= idOf(this.#options.audit));
    if (id === undefined) return;
    this.#known ??= await this.#reached(archive, id);
    for (;;) {
      const known: Reached = this.#known;
      const { bytes, damaged, actions } = this.#read(known.bytes);
      if (bytes === known.bytes) {
        this.#startAnew();
        return;
      }
      const reached = { bytes, damaged: known.damaged + damaged, mark: this.#markAt(bytes) };
      await archive.saveJournal({ id, ...reached, actions });
      this.#known = reached;
    }
  }

  /** What is in the archive need not stay in a file that is read at each start. */
  #startAnew(): void {
    try {
      if (!this.#options.audit.rotate()) return;
      this.#id = undefined;
      this.#known = undefined;
    } catch (error) {
      this.#options.log.warn('no new audit file can be begun; the present one goes on growing', { error });
    }
  }

  /** A file that was put back from a copy is read again from the start. */
  async #reached(archive: JournalArchive, id: string): Promise<Reached> {
    const known = await archive.journal(id);
    return known.mark === this.#markAt(known.bytes) ? known : { bytes: 0, damaged: 0, mark: '' };
  }

  #markAt(bytes: number): string {
    const start = Math.max(0, bytes - MARK_BYTES);
    return hashOf(this.#options.audit.read(start, bytes - start));
  }

  /** The whole lines after `start`: of each action how it stood last, and where they end. */
  #read(start: number): Pick<JournalPart, 'bytes' | 'damaged' | 'actions'> {
    const chunk = this.#options.audit.read(start, PART_BYTES);
    const end = chunk.lastIndexOf(0x0a) + 1;
    if (end === 0 && chunk.length < PART_BYTES) return { bytes: start, damaged: 0, actions: [] };
    const actions = new Map<string, ArchivedAction>();
    let damaged = 0;
    let at = start;
    // A line that fills a whole part is none of ours: what follows of it is left out the same way.
    const lines = end === 0 ? [chunk.toString('utf8')] : chunk.toString('utf8', 0, end - 1).split('\n');
    for (const line of lines) {
      const entry = parseAuditLine(line);
      if (entry !== undefined) {
        actions.delete(entry.action.id);
        actions.set(entry.action.id, archivedAction(entry));
      } else if (line !== '' && !isReviewLine(line)) {
        damaged += 1;
        this.#options.log.warn('a line of the audit file cannot be read and is left out', { byte: at });
      }
      at += Buffer.byteLength(line) + 1;
    }
    return { bytes: start + (end === 0 ? chunk.length : end), damaged, actions: [...actions.values()] };
  }
}

/** A file is told by its first line, which never changes; undefined while it has none. */
function idOf(audit: AuditJournalOptions['audit']): string | undefined {
  const first = audit.read(0, PART_BYTES);
  const end = first.indexOf(0x0a);
  if (end === -1 && first.length < PART_BYTES) return undefined;
  return hashOf(end === -1 ? first : first.subarray(0, end));
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 32);
}

function archivedAction(entry: AuditEntry): ArchivedAction {
  const { at, action, code, apiMessage, identity, origin, fromHash, findings, idempotencyKey } = entry;
  return {
    at,
    action: { ...action, reason: bounded(action.reason), message: bounded(action.message) },
    code,
    apiMessage: apiMessage === null ? null : bounded(apiMessage),
    identity: identity ?? null,
    origin: origin ?? null,
    fromHash: fromHash ?? null,
    findings: (findings ?? []).map(({ code: of, message }) => ({ code: of, message: bounded(message) })),
    idempotencyKey: idempotencyKey ?? null,
  };
}

function bounded(text: string): string {
  return text.length <= TEXT_CHARS_MAX ? text : `${text.slice(0, TEXT_CHARS_MAX - 2)} …`;
}
