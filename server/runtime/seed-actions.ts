import 'server-only';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Action } from '@/lib/api/action';
import type { ReviewEntry } from '@/lib/api/activity-event';
import type { RolloutRecord } from '@/lib/api/record';
import type { Workload } from '@/lib/history/workload';
import type { RolloutObject } from '@/lib/rollout/rollout-facts';
import { AUDIT_FILE, type AuditEntry } from '@/server/audit/audit';
import type { Cluster } from '@/server/cluster/cluster';
import { type AuditedAction, ownActions } from '@/server/recorder/own-actions';
import type { WorkloadName } from '@/server/views/find-workload';
import { deriveRolloutView } from '@/server/views/rollout-view';
import { deriveView, type WorkloadView } from '@/server/views/workload-view';
import type { Clock } from '@/server/shared/clock';
import type { SeedWrite } from '@/sandbox/seed/seed-writes';

/** An approval, or another action without a record of its own, is done after a moment. */
const MOMENT_MS = 4_000;

/** What people do through Shiplog in a seeded history, as the audit of Shiplog has it. */
export class SeededActions {
  readonly #cluster: Cluster;
  readonly #clock: Clock;
  readonly #actions: Action[] = [];
  /** By path of the workload: the ids of the revisions of its versions, and the version that was deployed last. */
  readonly #versions = new Map<string, { ids: (string | null)[]; last: number }>();

  constructor(cluster: Cluster, clock: Clock) {
    this.#cluster = cluster;
    this.#clock = clock;
  }

  /** To be called before each write. */
  before(write: SeedWrite): void {
    if (write.about === undefined) return;
    const { workload: path, version } = write.about;
    const versions = this.#versions.get(path) ?? { ids: [], last: -1 };
    this.#versions.set(path, versions);
    const view = this.#viewOf(placeOf(path));
    if (versions.last >= 0) versions.ids[versions.last] ??= view?.history.target?.id ?? null;
    if (write.by.shiplog !== undefined) this.#add(write, view, versions.ids[version ?? -1] ?? null);
    else if (version !== null) versions.last = version;
  }

  /** Those that may have begun a rollout of the workload, as the recorder wants them. */
  of(workload: Workload): AuditedAction[] {
    return ownActions(this.#actions, this.#cluster.cache, workload);
  }

  /** Writes the audit file, the reviews last; the records tell how the actions ended. */
  save(folder: string, records: readonly RolloutRecord[], reviews: readonly ReviewEntry[]): void {
    const recordOf = new Map(records.map((record) => [record.actionId, record]));
    const actions = this.#actions.flatMap((action) => entriesOf(action, recordOf.get(action.id)));
    const lines = [...actions, ...reviews];
    const text = lines.map((entry) => `${JSON.stringify(entry)}\n`).join('');
    if (text !== '') writeFileSync(join(folder, AUDIT_FILE), text, { mode: 0o600 });
  }

  #viewOf({ resource, namespace, name }: WorkloadName): WorkloadView | undefined {
    const workload = this.#cluster.cache.workload(resource, namespace, name);
    return workload && deriveView(this.#cluster, workload, this.#clock.now());
  }

  #add(write: SeedWrite, view: WorkloadView | undefined, toId: string | null): void {
    const { shiplog, user } = write.by;
    if (view === undefined || shiplog === undefined) return;
    const { workload, history } = view;
    const { resource, namespace, name, uid } = workload;
    const isRollback = shiplog.action === 'rollback';
    const { target } = history;
    const rollout = this.#cluster.rollouts.rolloutsOf(workload)[0];
    const isOfRollout = write.do === 'patch' && rollout?.name === placeOf(write.path).name && !isRollback;
    const of = isOfRollout ? rollout : { resource, namespace, name, uid };
    this.#actions.push({
      id: `${name}-${this.#actions.length}`,
      cluster: this.#cluster.identity.id,
      action: shiplog.action,
      resource: of.resource,
      namespace: of.namespace,
      name: of.name,
      uid: of.uid,
      actor: user,
      reason: shiplog.reason,
      from: target?.number ?? null,
      to: isRollback ? (history.revisions.find(({ id }) => id === toId)?.number ?? null) : null,
      fromId: target?.id ?? null,
      toId: isRollback ? toId : null,
      toOrigin: isRollback ? 'cluster' : null,
      toHash: null,
      step: shiplog.action === 'approve' && rollout !== undefined ? this.#stepOf(rollout) : null,
      rollout:
        isRollback && rollout !== undefined ? { resource: rollout.resource, name: rollout.name } : null,
      state: 'accepted',
      startedAt: new Date(write.at).toISOString(),
      endedAt: null,
      message: 'Applied.',
      recordedAs: null,
      progress: null,
    });
  }

  #stepOf(rollout: RolloutObject): Action['step'] {
    const views = { view: (workload: Workload) => deriveView(this.#cluster, workload, this.#clock.now()) };
    const { step } = deriveRolloutView(this.#cluster, views, rollout, this.#clock.now()).rollout;
    if (step === null) return null;
    return { from: step.index, to: step.index < step.total ? step.index + 1 : null };
  }
}

/** The workload of a path such as /apis/apps/v1/namespaces/shop/deployments/cart. */
function placeOf(path: string): WorkloadName {
  const [, , group, , , namespace = '', plural, name = ''] = path.split('/');
  return { resource: `${plural}.${group}`, namespace, name };
}

/** From the attempt to the end; what its record says is known better. */
function entriesOf(action: Action, record: RolloutRecord | undefined): AuditEntry[] {
  const common = {
    seen: null,
    expectation: null,
    code: null,
    apiMessage: null,
    identity: null,
    sender: null,
    origin: null,
    fromHash: record?.from?.hash ?? null,
    findings: [],
    idempotencyKey: null,
  };
  const endedAt = record?.endedAt ?? new Date(Date.parse(action.startedAt) + MOMENT_MS).toISOString();
  const pods = record?.desiredPods ?? null;
  const ended: Action = {
    ...action,
    state: 'done',
    endedAt,
    message: pods === null ? 'Observed by the controller.' : `Complete: ${pods} ready.`,
    recordedAs: record?.to.number ?? null,
    progress: pods === null ? null : { desired: pods, updated: pods, ready: pods },
  };
  return [
    { at: action.startedAt, event: 'attempted', action, ...common },
    { at: endedAt, event: 'finished', action: ended, ...common },
  ];
}
