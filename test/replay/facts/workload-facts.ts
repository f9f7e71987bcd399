import type { ActionKind } from '@/lib/api/action-values';
import type { Blocker } from '@/lib/api/pods';
import { chooseDefaultTarget } from '@/lib/history/default-target';
import type { Revision } from '@/lib/history/revision';
import type { Workload } from '@/lib/history/workload';
import type { JsonObject } from '@/lib/kube/json';
import type { ControlInput, RollbackInput } from '@/lib/workloads/kind';
import { retainedTarget } from '@/lib/workloads/rollback-target';
import type { Cluster } from '@/server/cluster/cluster';
import { factsOf } from '@/server/cluster/ingest';
import type { WorkloadView } from '@/server/views/workload-view';
import { codeOf, codesOf } from '@/test/replay/facts/codes';
import { type Facts, factsFrom, flags, secondsAt, shortHash, words } from '@/test/replay/facts/facts';
import { describePlan, knownValues } from '@/test/replay/facts/write-facts';

/** Where facts are read, and when. */
export interface Moment {
  cluster: Cluster;
  nowMs: number;
  /** Times are told from here. */
  startMs: number;
  /** Of many like it: a rollback is planned to the newest other revision alone. */
  isBrief?: boolean;
  /** For a viewer who may not list pods. */
  isBlind?: boolean;
}

/** Everything that Shiplog says of a workload. */
export function readWorkloadFacts(moment: Moment, view: WorkloadView): Facts {
  const { kind, workload, history, status, pods, children } = view;
  const { startMs } = moment;
  const { isPaused, partition } = kind.settings(workload);
  const { desired, updated, ready, available } = status.pods;
  const previous = kind.previous(history);
  const chosen = chooseDefaultTarget(history, previous, workload) ?? undefined;
  const names = pods.map(({ name }) => name).sort();
  // A number is as good among many that are alike, and takes less room.
  const podName = (name: string) => (moment.isBrief === true ? `#${names.indexOf(name)}` : name);
  const groups = kind.groups?.read({ workload, history, pods, children });
  return factsFrom({
    state: status.state,
    why: codesOf(status.message.split('; ')),
    since: secondsAt(status.since, startMs),
    blockers: status.blockers
      .map((blocker) => describeBlocker(podName(blocker.pod), blocker, startMs))
      .join(', '),
    pods: `${desired} desired ${updated} updated ${ready} ready ${available} available`,
    kubectl: status.kubectl.verdict,
    paused: isPaused ? 'yes' : null,
    partition: partition?.value.toString() ?? null,
    history: history.revisions.map((revision) => describeRevision(revision, startMs)).join(', '),
    target:
      history.target === null
        ? 'pending'
        : revisionName(history.target) + (history.targetAssumed ? ' assumed' : ''),
    default: chosen === undefined ? null : revisionName(chosen.revision),
    previous: previous === null ? null : revisionName(previous),
    missing: [...history.gaps, ...history.orphans.map(({ name }) => name)].join(' '),
    warnings: codesOf(history.warnings),
    groups:
      groups?.items
        .map(({ index, state, revision, updated: U, held: H, surge: S }) =>
          words(index, state, revision && revisionName(revision), flags({ U, H, S })),
        )
        .join(', ') ?? null,
    components:
      kind.generator
        ?.components({ workload, children })
        .map(({ name, healthy, workloads }) => `${name} ${healthy} ${workloads.length}`)
        .join(', ') ?? null,
    ...describeActions(moment, view),
  });
}

function describeBlocker(pod: string, { revision, block }: Blocker, startMs: number): string {
  const { kind, reason, container, since, restarts } = block;
  return words(pod, revision ?? '-', kind, reason, container, restarts || null, secondsAt(since, startMs));
}

/** Its number, or its name where it has none. */
function revisionName({ number, name }: Pick<Revision, 'number' | 'name'>): string {
  return number === null ? name : String(number);
}

function describeRevision(revision: Revision, startMs: number): string {
  const { target: T, current: C, live: L, serving: S, restart: R, prunedNext: P, sharesNumber: N } = revision;
  const { pods, duplicateOf, alsoNumbers, changeCause, causeInheritedFrom } = revision;
  const explanation = revision.explain();
  const last = revision.activations.at(-1);
  const began = last?.from ?? last?.fromNotAfter;
  return words(
    revisionName(revision),
    flags({ T, C, L, S, R, P, N, A: revision.reactivated, D: duplicateOf !== null }),
    `${pods.ready}/${pods.total}`,
    alsoNumbers.length > 0 && `also ${alsoNumbers.join(' ')}`,
    changeCause !== null && `cause ${shortHash(changeCause)}`,
    causeInheritedFrom !== null && `of ${causeInheritedFrom}`,
    revision.activations.length > 1 && `${revision.activations.length} times`,
    last && words('from', secondsAt(began, startMs), last.from === null && 'at the latest'),
    last?.open === false && 'over',
    explanation !== null && codeOf(explanation),
  );
}

/** What a person can do, and what it would write: `can …`, by action and target. */
function describeActions(moment: Moment, view: WorkloadView): Record<string, string> {
  if (view.workload.placeholder !== undefined) return {};
  const { cluster, nowMs } = moment;
  const { kind, history, pods, children } = view;
  const { workload, templateOwner } = withOwnedTemplate(cluster, view);
  const currentTemplate = templateOf(cluster, workload);
  const now = new Date(nowMs).toISOString().replace(/\.\d+Z$/, 'Z');
  const facts = { workload, currentTemplate, history, pods, children };
  const known = knownValues([
    ['uid', workload.uid],
    ['version', workload.resourceVersion],
    ['now', now],
    ['template', currentTemplate],
    ...pods.map(({ name, uid }) => [`pod ${name}`, uid] as const),
  ]);
  const told: Record<string, string> = {};
  const own = { ...facts, workload: view.workload, currentTemplate: templateOf(cluster, view.workload), now };
  const [pod] = [...pods].sort((a, b) => (a.name < b.name ? -1 : 1));
  const controls: [name: string, action: Exclude<ActionKind, 'rollback'>, input?: Partial<ControlInput>][] = [
    ['pause', 'pause'],
    ['resume', 'resume'],
    ['restart', 'restart'],
    ['move the partition to 0', 'partition', { partition: 0 }],
    ['move the partition to 1', 'partition', { partition: 1 }],
    ['delete a pod', 'deletePod', { pod }],
  ];
  for (const [name, action, input] of controls) {
    const plan = action === 'deletePod' && pod === undefined ? undefined : kind.writes[action];
    if (plan !== undefined) told[`can ${name}`] = describePlan(plan({ ...own, ...input }), known);
  }
  const refusals = kind.writes.refusesRollback?.(workload) ?? [];
  if (refusals.length > 0) told['can roll back'] = describePlan({ plan: null, findings: refusals }, known);
  const rollsBackInSteps = cluster.rollouts
    .rolloutsOf(workload)
    .some((each) => each.rollsBackInSteps === true);
  const others = history.revisions.filter(({ target }) => !target);
  const revisions = moment.isBrief === true ? [others[0] ?? history.revisions[0]] : history.revisions;
  for (const revision of revisions) {
    if (revision === undefined) continue;
    const template = cluster.cache.template(revision.source.bodyId);
    if (template === undefined) continue;
    const to = retainedTarget(revision);
    const asked = { to, template, reason: '', likeKubectl: false };
    const input: RollbackInput = { ...facts, ...asked, templateOwner, rollsBackInSteps };
    const named = knownValues([['target', template]], known);
    const name = `can roll back to ${revisionName(revision)}`;
    told[name] = describePlan(kind.writes.rollback(input), named);
    if (revision !== others[0]) continue;
    const plan = (more: Partial<RollbackInput>) =>
      describePlan(kind.writes.rollback({ ...input, ...more }), named);
    if (kind.resource.id === 'deployments.apps')
      told[`${name} like kubectl`] = plan({ likeKubectl: true, reason: 'why' });
    if (kind.writes.movesPartition === true) told[`${name} at once`] = plan({ partition: 0 });
  }
  return told;
}

function templateOf({ cache }: Cluster, { bodyId }: Pick<Workload, 'bodyId'>): JsonObject {
  return cache.template(bodyId) ?? {};
}

/** The workload as if the template that another object holds were its own. */
function withOwnedTemplate(
  cluster: Cluster,
  { kind, workload }: WorkloadView,
): Pick<RollbackInput, 'workload' | 'templateOwner'> {
  const owner = kind.template?.owner?.(workload);
  if (owner == null) return { workload };
  const found = cluster.cache.workload(owner.resource.id, owner.namespace, owner.name);
  if (found === undefined)
    return { workload, templateOwner: { state: 'unreadable', owner, reason: 'it has none.' } };
  const { bodyId: _body, semanticId: _meaning, images: _images, ...others } = workload;
  const { restartedAt: _restart, templateCause: _cause, ...rest } = others;
  return {
    workload: Object.assign(factsOf(templateOf(cluster, found)), rest),
    templateOwner: { state: 'found', owner, workload: found },
  };
}
