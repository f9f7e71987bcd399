import { type Begun } from '@/lib/ledger/activate';
import { attribute } from '@/lib/ledger/attribution';
import { isSameTemplate } from '@/lib/ledger/meaning';
import { isSince, later, ms } from '@/lib/ledger/moments';
import {
  type Gap,
  type LedgerTools,
  type Observation,
  type ObservedRevision,
} from '@/lib/ledger/observation';
import {
  type ArchivedActivation,
  type Outcome,
  type RemovedPod,
  type RevisionRef,
  type RolloutRecord,
} from '@/lib/ledger/record';
import { endOfRelease, endRelease, isUnderWay, keepsOpen, paceOf, releaseOf } from '@/lib/ledger/release';
import { addToRelease, leaveRelease } from '@/lib/ledger/release-steps';
import { closeList } from '@/lib/ledger/pod-list';
import { addSample } from '@/lib/ledger/samples';
import { addSpan, endSpans } from '@/lib/ledger/spans';
import { addToSteps, endSteps } from '@/lib/ledger/steps';
import { addWarnings } from '@/lib/ledger/warnings';

/** The record of a rollout that has just been noticed, without what is seen of its course. */
export function openRecord(
  observation: Observation,
  { activation, previous, notBefore, isPresent }: Begun,
  gap: Gap | null,
  tools: LedgerTools,
): RolloutRecord {
  const { life, revisions, desiredPods } = observation;
  const { revision, index, from, fromNotAfter } = activation;
  const to = revisions.find(({ id }) => id === revision.id);
  const others = revisions
    .filter((each) => each.pods > 0 && each.id !== previous?.id && !isSameTemplate(each, revision, tools))
    .map(({ number, id, hash }) => ({ number, id, hash }));
  const unseenFrom = from ?? notBefore ?? gap?.from ?? fromNotAfter;
  return {
    id: tools.recordId(life, index),
    workload: {
      cluster: life.cluster,
      resource: life.resource,
      kind: life.kind,
      namespace: life.namespace,
      name: life.name,
      uid: life.uid,
      labels: life.labels,
    },
    activation: index,
    from: previous,
    to: revision,
    others: isPresent && gap === null ? others : [],
    startedAt: from,
    startedNotAfter: from === null ? fromNotAfter : null,
    endedAt: null,
    outcome: null,
    unwatched:
      gap === null || unseenFrom === null ? [] : [{ from: unseenFrom, to: later(gap.to, unseenFrom) }],
    actor: null,
    actionId: null,
    cause: null,
    summary: tools.summary(previous, revision),
    restart: previous !== null && tools.isRestart(previous, revision),
    images: to?.images ?? (revision.id === null ? tools.imagesOf(revision) : []),
    strategy: observation.strategy,
    desiredPods: isPresent ? desiredPods : null,
    steps: [],
    release: null,
    spans: [],
    samples: [],
    events: [],
    pinned: false,
  };
}

/** What is known of the looks before this one. */
export interface Looked {
  /** What was not watched since the last one. */
  gap: Gap | null;
  /** The record is new, and has its gap already. */
  isNew: boolean;
  /** What is asked for now is what the record leads to. */
  isTarget: boolean;
  /** The pods that went since the last look. */
  removed: readonly RemovedPod[];
}

/** The record with what is seen of an open rollout now. After a gap its stretch is marked, and what it may hide is left open. */
export function follow(
  record: RolloutRecord,
  observation: Observation,
  activations: readonly ArchivedActivation[],
  looked: Looked,
  tools: LedgerTools,
): RolloutRecord {
  const { at, revisions, desiredPods, warnings, related } = observation;
  const start = startOf(record);
  const { gap, isNew } = looked;
  const watched = gap === null || isNew ? record : pass(record, gap);
  const spans = addSpan(watched.spans, paceOf(record, observation), start);
  const samples = addSample(watched.samples, at, [...revisions, ...canaryOf(observation)]);
  const events = addWarnings(
    addWarnings(watched.events, related, beginningBefore(record, activations) ?? start),
    warnings,
    start,
  );
  // A pending template moves no pod, and what the status says is not about this target any more.
  if (!looked.isTarget) return { ...watched, spans, samples, events };
  const stepped = withSteps(watched, observation, looked);
  const summary = summaryOf(watched, stepped, observation);
  return attributed(
    { ...watched, summary, desiredPods, spans, samples, events, ...stepped },
    observation,
    activations,
    tools,
  );
}

/** A workload that a release leads to was made for it, and has no revision before this one. */
function summaryOf(
  { from, release: known, summary }: RolloutRecord,
  { release }: Pick<RolloutRecord, 'release'>,
  { release: seen }: Observation,
): string {
  const hasBegun = known === null && release !== null;
  return from === null && hasBegun ? (seen?.change ?? summary) : summary;
}

function withSteps(
  record: RolloutRecord,
  observation: Observation,
  { gap, isNew, removed }: Looked,
): Pick<RolloutRecord, 'steps' | 'release'> {
  const isGap = gap !== null;
  const { steps, release } = record;
  const seen = releaseOf(record, observation);
  if (seen !== null) return addToRelease(record, seen, observation, removed, isGap);
  if (release !== null) return leaveRelease({ ...record, release }, observation, isGap);
  // Its release has yet to begin, and its steps are those of the record.
  if (isUnderWay(observation.release)) return { steps, release };
  // A release that goes back sets partitions by itself.
  const native = keepsOpen(observation.release) ? { ...observation, partition: null } : observation;
  const course = { start: startOf(record), isGap: isGap && !isNew, isFirst: record.from === null };
  return { steps: addToSteps(steps, native, removed, course), release };
}

/** The pods of the target that another workload has, which the system made for the release. */
function canaryOf({
  release,
  target,
  activePods,
}: Observation): Pick<ObservedRevision, 'hash' | 'pods' | 'ready'>[] {
  if (release === null || target === null || release.hash !== target.hash) return [];
  const own = new Set(activePods.map(({ uid }) => uid));
  const pods = [...release.steps.flatMap((step) => step.pods), ...release.unassignedPods].filter(
    ({ uid }) => !own.has(uid),
  );
  return [{ hash: target.hash, pods: pods.length, ready: pods.filter(({ ready }) => ready).length }];
}

/** Since when a change of configuration may belong to this rollout: the pods that ran before had not seen it. */
function beginningBefore(
  { activation }: RolloutRecord,
  activations: readonly ArchivedActivation[],
): string | null {
  const before = activations.findLast(({ index }) => index < activation);
  return before?.from ?? before?.fromNotAfter ?? null;
}

/** Marks a gap: what was going on was so at least until it began. */
export function pass(record: RolloutRecord, gap: Gap): RolloutRecord {
  const from = gap.from ?? startOf(record) ?? gap.to;
  const spans = gap.from === null ? record.spans : endSpans(record.spans, gap.from);
  return { ...record, spans, unwatched: [...record.unwatched, { from, to: gap.to }] };
}

/** `endedAt` is null where nobody saw it; `at` is when the end was noticed. */
export function endRecord(
  record: RolloutRecord,
  outcome: Outcome,
  endedAt: string | null,
  at: string,
): RolloutRecord {
  const start = startOf(record);
  const end = endedAt === null ? null : endAfter(record, outcome, later(endedAt, start));
  return {
    ...record,
    outcome,
    endedAt: end,
    spans: endSpans(record.spans, end ?? at),
    steps: endSteps(record.steps, outcome, end).map(closeList),
    release: record.release === null ? null : endRelease(record.release, outcome),
  };
}

/**
 * No rollout is over before its last step. What the cluster says of its end is in whole seconds, and of the workload alone.
 * One that a later one has ended was over when that began.
 */
function endAfter({ steps }: RolloutRecord, outcome: Outcome, end: string): string {
  if (outcome !== 'completed') return end;
  return steps.reduce((last, step) => [step.startedAt, step.endedAt].reduce(later, last), end);
}

/**
 * Whether the rollout is over. Where pods have failed since, only what the cluster says of this rollout proves that
 * they all ran once.
 */
export function isComplete(record: RolloutRecord, { completion, state, release }: Observation): boolean {
  if (keepsOpen(release)) return false;
  if (completion === null || state !== 'degraded') return completion !== null;
  const start = startOf(record);
  return completion.provenAt !== null && (start === null || isSince(completion.provenAt, start));
}

/**
 * When a rollout that is seen to be complete was so first: as the cluster says, else within what was watched. Null
 * after a gap.
 */
export function completedAt(
  record: RolloutRecord,
  { completion, stateSince, at, release }: Observation,
  watchedUntil: string | null,
  isGap: boolean,
): string | null {
  const start = startOf(record);
  const released = endOfRelease(release, start);
  const available = completion?.provenAt ?? null;
  const proven = released === null ? available : later(released, available);
  if (proven !== null && (start === null || isSince(proven, start))) return proven;
  if (isGap) return null;
  const isWithin = ms(stateSince) >= ms(watchedUntil ?? start) && ms(stateSince) <= ms(at);
  return isWithin ? stateSince : at;
}

export function startOf({ startedAt, startedNotAfter }: RolloutRecord): string | null {
  return startedAt ?? startedNotAfter;
}

/** Whether a later template ends the rollout by going back, or by going on. */
export function outcomeBefore(
  next: RevisionRef,
  earlier: readonly ArchivedActivation[],
  usedBefore: boolean,
  tools: Pick<LedgerTools, 'meaning'>,
): Outcome {
  const isReturn = usedBefore || earlier.some(({ revision }) => isSameTemplate(revision, next, tools));
  return isReturn ? 'rolledBack' : 'superseded';
}

function attributed(
  record: RolloutRecord,
  observation: Observation,
  activations: readonly ArchivedActivation[],
  tools: LedgerTools,
): RolloutRecord {
  const position = activations.findIndex(({ index }) => index === record.activation);
  const activation = activations[position];
  if (record.actor !== null || activation === undefined) return record;
  const found = attribute(activation, activations.slice(0, position), observation, tools);
  if (found === null) return record;
  const { actor, action } = found;
  const reason = action?.reason === '' ? null : (action?.reason ?? null);
  return { ...record, actor, actionId: action?.id ?? null, cause: record.cause ?? reason };
}
