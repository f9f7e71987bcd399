import 'server-only';
import type { Action } from '@/lib/api/action';
import type { RecordSummary } from '@/lib/api/record-summary';
import { ARRIVAL_MS, FOLLOW_MS } from '@/server/actions/completion';
import { processIdentity } from '@/server/audit/process-identity';
import type { ActionRepository, ListedAction } from '@/server/archive/actions';
import type { RolloutRepository } from '@/server/archive/rollouts';
import type { Audit, AuditEntry } from '@/server/audit/audit';
import type { Logger } from '@/server/shared/log';

interface OrphanSource {
  actions: Pick<ActionRepository, 'list'>;
  rollouts: Pick<RolloutRepository, 'summariesById'>;
}

interface OrphanedActionsOptions {
  audit: Pick<Audit, 'append' | 'entry'>;
  archive: () => OrphanSource | null;
  clusterId: () => string;
  /** Whether this is the one process that records. */
  isRecording: () => boolean;
  log: Logger;
  now: () => number;
}

const CHECK_INTERVAL_MS = 60_000;
/** Checked together; the others follow when these have ended. */
const OPEN_MAX = 200;

/** The follower of an action notices its end within seconds of its record. */
const REPORT_DELAY_MS = 5 * 60_000;

/** By then its follower has stopped, if the process lived. */
const ABANDONED_AFTER_MS = FOLLOW_MS + ARRIVAL_MS + REPORT_DELAY_MS;

const FOLLOWER_ENDED = 'The Shiplog process that tracked it ended.';

/**
 * Ends the open actions of dead processes, of which this one has no line: by the record of the rollout that
 * an action started, or without an outcome once no process can be following it any more. The lines that end
 * them are in the audit file of this process.
 */
export class OrphanedActions {
  readonly #options: OrphanedActionsOptions;
  #checkedAt = -Infinity;

  constructor(options: OrphanedActionsOptions) {
    this.#options = options;
  }

  /** The caller repeats it. Never rejects. */
  async check(): Promise<void> {
    const { archive, isRecording, now, log } = this.#options;
    const opened = archive();
    if (opened === null || !isRecording() || now() - this.#checkedAt < CHECK_INTERVAL_MS) return;
    this.#checkedAt = now();
    try {
      await this.#closeAll(opened);
    } catch (error) {
      log.warn('open actions of other processes cannot be checked', { error });
    }
  }

  async #closeAll(archive: OrphanSource): Promise<void> {
    const { audit, clusterId, now } = this.#options;
    const { items } = await archive.actions.list({
      clusters: [clusterId()],
      states: ['accepted', 'following'],
      untilMs: now() - REPORT_DELAY_MS,
      limit: OPEN_MAX,
    });
    const open = items.filter(
      ({ action }) => action.endedAt === null && audit.entry(action.id) === undefined,
    );
    const ids = open.flatMap(({ recordId }) => (recordId === null ? [] : [recordId]));
    const recordSummaries = ids.length === 0 ? [] : await archive.rollouts.summariesById(ids);
    for (const listed of open) {
      const summary = recordSummaries.find(({ id }) => id === listed.recordId);
      const end = (summary && provenEnd(summary, now())) ?? unprovenEnd(listed.action, now());
      if (end !== undefined) audit.append(entryOf(listed, end, now()));
    }
  }
}

type End = Pick<Action, 'state' | 'message'>;

/** What the outcome of its rollout proves of an action. Absent: nothing. */
const provenEnds: Partial<Record<NonNullable<RecordSummary['outcome']>, End>> = {
  completed: { state: 'done', message: 'Completed, according to the record of its rollout.' },
  rolledBack: {
    state: 'failed',
    message: 'Rolled back before completion, according to the record of its rollout.',
  },
  undone: {
    state: 'failed',
    message: 'Reverted by the owner of the workload, according to the record of its rollout.',
  },
  noPods: { state: 'done', message: 'Completed without pods, according to the record of its rollout.' },
  superseded: { state: 'failed', message: 'Superseded by another rollout, according to its record.' },
  failed: { state: 'failed', message: 'The rollout failed, according to its record.' },
};

function provenEnd({ outcome, endedAt }: RecordSummary, nowMs: number): End | undefined {
  const isSettled = endedAt !== null && nowMs - Date.parse(endedAt) >= REPORT_DELAY_MS;
  return isSettled && outcome !== null ? provenEnds[outcome] : undefined;
}

/** Its state remains the last proven one. */
function unprovenEnd({ state, startedAt }: Action, nowMs: number): End | undefined {
  const isAbandoned = nowMs - Date.parse(startedAt) >= ABANDONED_AFTER_MS;
  return isAbandoned ? { state, message: 'Outcome unknown.' } : undefined;
}

function entryOf(
  { action, identity, sender, origin, fromHash, idempotencyKey }: ListedAction,
  end: End,
  nowMs: number,
): AuditEntry {
  const at = new Date(nowMs).toISOString();
  const message = `${end.message} ${FOLLOWER_ENDED}`;
  return {
    at,
    event: 'finished',
    action: { ...action, ...end, message, endedAt: at },
    seen: null,
    expectation: null,
    code: null,
    apiMessage: null,
    identity: identity && { ...identity, groups: [...identity.groups] },
    ...(sender && { sender }),
    origin,
    fromHash,
    idempotencyKey,
    holder: processIdentity,
  };
}
