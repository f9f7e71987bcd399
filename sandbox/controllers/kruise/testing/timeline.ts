import { expect } from 'vitest';
import { type KubeObject } from '@/lib/kube/object';
import { conditionAt, numberAt, objectAt, textAt } from '@/lib/kube/read';
import { type RecordedTimeline } from '@/sandbox/controllers/kruise/testing/recorded-timelines';
import { HISTORIES } from '@/sandbox/controllers/kruise/testing/rollout-manifests';
import { type ObjectState, type RolloutSandbox } from '@/sandbox/controllers/kruise/testing/rollout-sandbox';

/** The same summary of what was simulated. */
export function timelineOf(changes: readonly ObjectState[]): RecordedTimeline {
  return {
    rollout: rowsOf(changes, 'rollouts.rollouts.kruise.io', rolloutRow),
    batch: rowsOf(changes, 'batchreleases.rollouts.kruise.io', batchRow),
    deployment: rowsOf(changes, 'deployments.apps', deploymentRow),
    services: sumRows(changes, 'services', ({ spec }) => textAt(spec, 'selector', 'pod-template-hash')),
    ingresses: sumRows(
      changes,
      'ingresses.networking.k8s.io',
      ({ metadata }) => metadata.annotations?.['nginx.ingress.kubernetes.io/canary-weight'],
    ),
  };
}

/**
 * The recorded states that the simulation did not reach in that order: empty if it reached all. Hashes count
 * as names, not as values.
 */
export function missingRows(recorded: readonly string[], played: readonly string[]): string[] {
  const [wanted, found] = [withNames(recorded), withNames(played)];
  let from = 0;
  for (const [index, row] of wanted.entries()) {
    const at = found.indexOf(row, from);
    if (at === -1) return [`recorded: ${wanted[index] ?? ''}`, ...found.slice(from)];
    from = at + 1;
  }
  return [];
}

/** That the simulation reached all recorded states. */
export function expectRecorded({ changes }: RolloutSandbox, recorded: RecordedTimeline): void {
  const played = timelineOf(changes);
  for (const key of Object.keys(recorded) as (keyof RecordedTimeline)[])
    expect({ [key]: missingRows(recorded[key], played[key]) }).toEqual({ [key]: [] });
}

/** What the id says of each record, its phase and the number of pods of its steps, the oldest first. */
export async function recordRows(
  sandbox: RolloutSandbox,
  rowOf: (id: string | undefined) => object,
): Promise<object[]> {
  const histories = await sandbox.list(HISTORIES);
  return histories
    .toSorted((a, b) => a.metadata.creationTimestamp.localeCompare(b.metadata.creationTimestamp))
    .map(({ metadata, status }) => ({
      ...rowOf(metadata.labels?.['rollouts.kruise.io/rollout-id']),
      phase: status?.phase ?? 'pending',
      pods: ((status?.canarySteps ?? []) as { pods?: unknown[] }[]).map(({ pods = [] }) => pods.length),
    }));
}

function rowsOf(
  changes: readonly ObjectState[],
  collection: string,
  row: (object: KubeObject) => string,
): string[] {
  return changes
    .filter((change) => change.collection === collection && change.type !== 'DELETED')
    .map(({ object }) => row(object))
    .filter((text, index, all) => text !== all[index - 1]);
}

/** All objects of a kind at one time, as one row. */
function sumRows(
  changes: readonly ObjectState[],
  collection: string,
  tell: (object: KubeObject) => string | undefined,
): string[] {
  const present = new Map<string, string>();
  const rows: string[] = [''];
  for (const { collection: of, type, object } of changes) {
    if (of !== collection) continue;
    if (type === 'DELETED') present.delete(object.metadata.name);
    else present.set(object.metadata.name, tell(object) ?? '-');
    const row = [...present]
      .filter(([name]) => name !== 'kubernetes')
      .sort()
      .map(([name, words]) => `${name}:${words}`)
      .join(' ');
    if (row !== rows.at(-1)) rows.push(row);
  }
  return rows;
}

function rolloutRow({ status }: KubeObject): string {
  const sub = objectAt(status, 'canaryStatus') ?? {};
  const state = textAt(sub, 'currentStepState') ?? '';
  const text = (key: string) => textAt(sub, key) ?? '';
  const sizes = `${numberAt(sub, 'canaryReplicas') ?? ''}/${numberAt(sub, 'canaryReadyReplicas') ?? ''}`;
  return [
    textAt(status, 'phase') ?? '',
    textAt(conditionAt(status, 'Progressing'), 'reason') ?? '-',
    textAt(conditionAt(status, 'Succeeded'), 'status') ?? '-',
    `${numberAt(sub, 'currentStepIndex') ?? ''}>${numberAt(sub, 'nextStepIndex') ?? ''}`,
    state,
    text('finalisingStep') || '-',
    `id=${text('observedRolloutID')}`,
    `rev=${text('canaryRevision')}`,
    `stable=${text('stableRevision')}`,
    `hash=${text('podTemplateHash')}`,
    ...(state === 'StepUpgrade' ? [] : [sizes]),
    `| ${textAt(status, 'message') ?? ''}`,
  ].join(' ');
}

function batchRow({ spec, status }: KubeObject): string {
  const plan = objectAt(spec, 'releasePlan') ?? {};
  const state = textAt(status, 'canaryStatus', 'batchState') ?? '-';
  return [
    textAt(status, 'phase') ?? '',
    numberAt(status, 'canaryStatus', 'currentBatch') ?? '',
    state === 'Verifying' ? 'Upgrading' : state,
    `to=${numberAt(plan, 'batchPartition') ?? '-'}`,
    textAt(plan, 'finalizingPolicy') ?? '-',
    textAt(plan, 'rollingStyle') ?? '',
    `id=${textAt(plan, 'rolloutID') ?? ''}`,
    `stable=${textAt(status, 'stableRevision') ?? ''}`,
    `update=${textAt(status, 'updateRevision') ?? ''}`,
  ].join(' ');
}

function deploymentRow({ metadata, spec }: KubeObject): string {
  const { annotations = {}, labels = {}, ownerReferences = [] } = metadata;
  const [container] = (objectAt(spec, 'template', 'spec')?.containers ?? []) as { image: string }[];
  const partition = /"partition":("[^"]*"|\d+)/.exec(
    annotations['rollouts.kruise.io/deployment-strategy'] ?? '',
  );
  const names = (record: object) => `[${Object.keys(record).map(shortName).sort().join(',')}]`;
  return [
    ownerReferences.length === 0 ? 'stable' : 'canary',
    numberAt(spec, 'replicas') ?? '',
    spec?.paused === true ? 'paused' : '-',
    textAt(spec, 'strategy', 'type') ?? '',
    container?.image.slice(-2) ?? '',
    `revision=${annotations['deployment.kubernetes.io/revision'] ?? ''}`,
    names(annotations),
    names(labels),
    ...(partition === null ? [] : [`partition=${partition[1] ?? ''}`]),
  ].join(' ');
}

function shortName(key: string): string {
  return key.slice(key.indexOf('/') + 1);
}

/** Numbers revisions and hashes of pods in the order in which they appear, each separately. */
function withNames(rows: readonly string[]): string[] {
  const names = new Map<string, string>();
  const nameOf = (space: string, hash: string) => {
    const key = `${space} ${hash}`;
    const known =
      names.get(key) ?? `${space}${[...names.keys()].filter((one) => one.startsWith(space)).length}`;
    names.set(key, known);
    return known;
  };
  return rows.map((row) =>
    row.replaceAll(
      /(id=|rev=|update=|stable=|hash=|:)(rollback-)?(?:[a-z]+-)?([0-9a-z]{7,10})(?= |$)/g,
      (_whole, field: string, rollback: string | undefined, hash: string) => {
        const space = field === 'id=' || field === 'rev=' || field === 'update=' ? 'revision' : 'pods';
        return `${field}${rollback ?? ''}${nameOf(space, hash)}`;
      },
    ),
  );
}
