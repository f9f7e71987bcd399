import 'server-only';
import { type Action } from '@/lib/api/actions';
import { type RecordMark } from '@/lib/ledger/mark';
import { ARRIVAL_MS, FOLLOW_MS } from '@/server/actions/judge';
import { ownHolder } from '@/server/actions/process-holder';
import { type Archive, type ListedAction } from '@/server/archive/archive';
import { type Audit, type AuditEntry } from '@/server/audit';
import { type Logger } from '@/server/log';

export interface OrphansOptions {
  audit: Pick<Audit, 'append' | 'entry'>;
  archive: () => Pick<Archive, 'actions' | 'marksById'> | null;
  clusterId: () => string;
  /** Whether this is the one process that records. */
  isRecording: () => boolean;
  log: Logger;
  now: () => number;
}

const LOOK_MS = 60_000;
/** Looked at together; the others when these have ended. */
const OPEN_MAX = 200;

/** Whoever follows an action notices its end within seconds of its record. */
const TOLD_MS = 5 * 60_000;

/** By then whoever followed it has stopped, if it lived. */
const UNFOLLOWED_MS = FOLLOW_MS + ARRIVAL_MS + TOLD_MS;

const GONE = 'The Shiplog that followed it ended without telling.';

/**
 * Ends the open actions of processes that are gone, of which this one has no line: by the record of the rollout that an
 * action began, or without an outcome once nobody can be following it any more. What ends them stands in the audit file
 * of this process.
 */
export class Orphans {
  readonly #options: OrphansOptions;
  #lookedAt = -Infinity;

  constructor(options: OrphansOptions) {
    this.#options = options;
  }

  /** To be called again and again. Never rejects. */
  async look(): Promise<void> {
    const { archive, isRecording, now, log } = this.#options;
    const opened = archive();
    if (opened === null || !isRecording() || now() - this.#lookedAt < LOOK_MS) return;
    this.#lookedAt = now();
    try {
      await this.#endAll(opened);
    } catch (error) {
      log.warn('open actions of other processes cannot be looked at', { error });
    }
  }

  async #endAll(archive: Pick<Archive, 'actions' | 'marksById'>): Promise<void> {
    const { audit, clusterId, now } = this.#options;
    const { items } = await archive.actions({
      ...{ cluster: clusterId(), states: ['accepted', 'following'], untilMs: now() - TOLD_MS },
      ...{ namespace: null, resource: null, name: null, actor: null, kinds: null, sinceMs: null },
      ...{ limit: OPEN_MAX, cursor: null },
    });
    const open = items.filter(
      ({ action }) => action.endedAt === null && audit.entry(action.id) === undefined,
    );
    const ids = open.flatMap(({ recordId }) => (recordId === null ? [] : [recordId]));
    const marks = ids.length === 0 ? [] : await archive.marksById(ids);
    for (const listed of open) {
      const mark = marks.find(({ id }) => id === listed.recordId);
      const end = provenEnd(mark, now()) ?? unprovenEnd(listed.action, now());
      if (end !== null) audit.append(entryOf(listed, end, now()));
    }
  }
}

type End = Pick<Action, 'state' | 'message'>;

function provenEnd(mark: RecordMark | undefined, nowMs: number): End | null {
  if (mark === undefined || mark.endedAt === null || nowMs - Date.parse(mark.endedAt) < TOLD_MS) return null;
  switch (mark.outcome) {
    case 'completed':
      return { state: 'done', message: `Complete, as the record of its rollout says. ${GONE}` };
    case 'rolledBack':
      return { state: 'failed', message: `Rolled back before it was complete, as the record says. ${GONE}` };
    case 'superseded':
      return { state: 'failed', message: `Another rollout replaced it, as the record says. ${GONE}` };
    case 'failed':
      return { state: 'failed', message: `The rollout failed, as its record says. ${GONE}` };
    default:
      return null;
  }
}

/** Its state stays what was proven last. */
function unprovenEnd({ state, startedAt }: Action, nowMs: number): End | null {
  if (nowMs - Date.parse(startedAt) < UNFOLLOWED_MS) return null;
  return { state, message: `How it ended is not known. ${GONE}` };
}

function entryOf(
  { action, identity, origin, fromHash, idempotencyKey }: ListedAction,
  end: End,
  nowMs: number,
): AuditEntry {
  const at = new Date(nowMs).toISOString();
  return {
    ...{ at, event: 'finished', action: { ...action, ...end, endedAt: at }, seen: null, expectation: null },
    ...{ code: null, apiMessage: null, origin, fromHash, idempotencyKey, holder: ownHolder },
    identity: identity && { ...identity, groups: [...identity.groups] },
  };
}
