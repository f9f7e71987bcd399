import type { NewActivation } from '@/lib/records/new-activations';
import { actsByItself, isOwnerManager } from '@/lib/owners/markers';
import { attributeActivation } from '@/lib/records/attribution';
import { isSameTemplate } from '@/lib/records/template-meaning';
import { isAtOrAfter, laterOf, ms } from '@/lib/records/times';
import type { Gap, RecordingTools, KnownPod, Observation, ObservedRevision } from '@/lib/records/observation';
import type { ArchivedActivation, RevisionRef } from '@/lib/api/incarnation';
import type { Outcome } from '@/lib/api/record-values';
import type { RolloutRecord } from '@/lib/api/record';
import {
  progressiveEndedAt,
  endProgressiveRollout,
  isRolloutInProgress,
  keepsRecordOpen,
  progressOf,
  findProgressiveRollout,
} from '@/lib/records/progressive-rollout';
import { updateProgressiveSteps, detachProgressiveRollout } from '@/lib/records/progressive-steps';
import { withoutUnlisted } from '@/lib/records/step-pods';
import { addSample } from '@/lib/records/samples';
import { addSpan, endSpans } from '@/lib/records/spans';
import { updateSteps, endSteps } from '@/lib/records/wave-steps';
import { addWarnings } from '@/lib/records/warnings';

/** The record of a newly found rollout, before its progress is observed. */
export function openRecord(
  observation: Observation,
  { activation, previous, notBefore, isCurrent }: NewActivation,
  gap: Gap | null,
  tools: RecordingTools,
): RolloutRecord {
  const { incarnation, revisions, desiredPods } = observation;
  const { createdAt: _created, deletedAt: _deleted, ...workload } = incarnation;
  const { revision, index, from, fromNotAfter } = activation;
  const to = revisions.find(({ id }) => id === revision.id);
  const others = revisions
    .filter((each) => each.pods > 0 && each.id !== previous?.id && !isSameTemplate(each, revision, tools))
    .map(({ number, id, hash }) => ({ number, id, hash }));
  const unwatchedFrom = from ?? notBefore ?? gap?.from ?? fromNotAfter;
  return {
    id: tools.recordId(incarnation, index),
    workload,
    activation: index,
    from: previous,
    to: revision,
    others: isCurrent && gap === null ? others : [],
    startedAt: from,
    startedNotAfter: from === null ? fromNotAfter : null,
    endedAt: null,
    outcome: null,
    unwatched:
      gap === null || unwatchedFrom === null
        ? []
        : [{ from: unwatchedFrom, to: laterOf(gap.to, unwatchedFrom) }],
    actor: null,
    actionId: null,
    cause: null,
    summary: tools.summary(previous, revision),
    restart: previous !== null && tools.isRestart(previous, revision),
    images: to?.images ?? (revision.id === null ? tools.imagesOf(revision) : []),
    strategy: observation.strategy,
    desiredPods: isCurrent ? desiredPods : null,
    steps: [],
    progressiveRollout: null,
    spans: [],
    samples: [],
    events: [],
    pinned: false,
  };
}

/** What is known from the observations before this one. */
export interface ObservationContext {
  /** The gap since the last one. */
  gap: Gap | null;
  /** The record is new, and has its gap already. */
  isNew: boolean;
  /** The desired template is the one that the record leads to. */
  isTarget: boolean;
  /** The pods that went since the last observation. */
  removed: readonly KnownPod[];
}

/**
 * The record of an open rollout, updated from an observation. A gap is marked, and what it may hide stays
 * open.
 */
export function updateRecord(
  record: RolloutRecord,
  observation: Observation,
  activations: readonly ArchivedActivation[],
  context: ObservationContext,
  tools: RecordingTools,
): RolloutRecord {
  const { at, revisions, desiredPods, warnings, configChanges } = observation;
  const start = latestStartOf(record);
  const { gap, isNew } = context;
  const watched = gap === null || isNew ? record : markUnwatched(record, gap);
  const spans = addSpan(watched.spans, progressOf(record, observation), start);
  const samples = addSample(watched.samples, at, [...revisions, ...canaryPods(observation)]);
  const events = addWarnings(
    addWarnings(watched.events, configChanges, previousStart(record, activations) ?? start),
    warnings,
    start,
  );
  // A pending template moves no pod, and the status no longer describes this target.
  if (!context.isTarget) return { ...watched, spans, samples, events };
  const stepped = withSteps(watched, observation, context);
  const summary = summaryOf(watched, stepped, observation);
  return withAttribution(
    { ...watched, summary, desiredPods, spans, samples, events, ...stepped },
    observation,
    activations,
    tools,
  );
}

/** A workload that a progressive rollout leads to was created for it, and has no revision before this one. */
function summaryOf(
  { from, progressiveRollout: known, summary }: RolloutRecord,
  { progressiveRollout }: Pick<RolloutRecord, 'progressiveRollout'>,
  { progressiveRollout: observed }: Observation,
): string {
  const hasBegun = known === null && progressiveRollout !== null;
  return from === null && hasBegun ? (observed?.change ?? summary) : summary;
}

function withSteps(
  record: RolloutRecord,
  observation: Observation,
  { gap, isNew, removed }: ObservationContext,
): Pick<RolloutRecord, 'steps' | 'progressiveRollout'> {
  const isGap = gap !== null;
  const { steps, progressiveRollout } = record;
  const driving = observation.progressiveRollout;
  const observed = findProgressiveRollout(record, observation);
  if (observed !== null) return updateProgressiveSteps(record, observed, observation, removed, isGap);
  if (progressiveRollout !== null)
    return detachProgressiveRollout({ ...record, progressiveRollout }, observation, isGap);
  // Its progressive rollout has yet to begin, and its steps are those of the record.
  if (isRolloutInProgress(driving)) return { steps, progressiveRollout };
  const isFirst = record.from === null;
  const partition = isUnpartitioned(isFirst, observation) ? null : observation.partition;
  const rollout = { start: latestStartOf(record), isGap: isGap && !isNew, isFirst };
  return { steps: updateSteps(steps, { ...observation, partition }, removed, rollout), progressiveRollout };
}

/**
 * A progressive rollout that steps back sets partitions by itself. While there is one revision, all pods get it whatever
 * the partition, as it is the current and the update revision of every controller that has one.
 * https://github.com/openkruise/kruise/blob/master/pkg/controller/cloneset/sync/cloneset_sync_utils.go,
 * https://github.com/kubernetes-sigs/lws/blob/main/pkg/controllers/leaderworkerset_controller.go (rollingUpdateParameters)
 */
function isUnpartitioned(isFirst: boolean, { progressiveRollout, revisions }: Observation): boolean {
  return keepsRecordOpen(progressiveRollout) || (isFirst && revisions.length <= 1);
}

/** The pods of the target in another workload, which the system created for the progressive rollout. */
function canaryPods({
  progressiveRollout: rollout,
  target,
  activePods,
}: Observation): Pick<ObservedRevision, 'hash' | 'pods' | 'ready'>[] {
  if (rollout === null || target === null || rollout.hash !== target.hash) return [];
  const own = new Set(activePods.map(({ uid }) => uid));
  const pods = [...rollout.steps.flatMap((step) => step.pods), ...rollout.unassignedPods].filter(
    ({ uid }) => !own.has(uid),
  );
  return [{ hash: target.hash, pods: pods.length, ready: pods.filter(({ ready }) => ready).length }];
}

/** Since when a change of configuration may belong to this rollout: the pods that ran before had not read it. */
function previousStart(
  { activation }: RolloutRecord,
  activations: readonly ArchivedActivation[],
): string | null {
  const before = activations.findLast(({ index }) => index < activation);
  return before?.from ?? before?.fromNotAfter ?? null;
}

/** Marks a gap: a state that was open held at least until the gap began. */
export function markUnwatched(record: RolloutRecord, gap: Gap): RolloutRecord {
  const from = gap.from ?? latestStartOf(record) ?? gap.to;
  const spans = gap.from === null ? record.spans : endSpans(record.spans, gap.from);
  return { ...record, spans, unwatched: [...record.unwatched, { from, to: gap.to }] };
}

/** `endedAt` is null where the end was not observed; `at` is when it was noticed. */
export function endRecord(
  record: RolloutRecord,
  outcome: Outcome,
  endedAt: string | null,
  at: string,
): RolloutRecord {
  const start = latestStartOf(record);
  const end = endedAt === null ? null : endAfterSteps(record, outcome, laterOf(endedAt, start));
  return {
    ...record,
    outcome,
    endedAt: end,
    spans: endSpans(record.spans, end ?? at),
    steps: endSteps(record.steps, outcome, end).map(withoutUnlisted),
    progressiveRollout:
      record.progressiveRollout && endProgressiveRollout(record.progressiveRollout, outcome),
  };
}

/**
 * No rollout is over before its last step. The cluster reports its end in whole seconds, and for the workload
 * alone. A superseded one was over when the later one began.
 */
function endAfterSteps({ steps }: RolloutRecord, outcome: Outcome, end: string): string {
  if (outcome !== 'completed') return end;
  return steps.reduce((last, step) => [step.startedAt, step.endedAt].reduce(laterOf, last), end);
}

/**
 * Whether the rollout is over. Where pods have failed since, only the cluster's report on this rollout proves
 * that they all ran once.
 */
export function isComplete(record: RolloutRecord, observation: Observation): boolean {
  const { completion, state } = observation;
  if (keepsRecordOpen(observation.progressiveRollout)) return false;
  if (completion === null || state !== 'degraded') return completion !== null;
  return provenEnd(record, completion) !== null;
}

/**
 * When a rollout observed as complete first was: as the cluster reports, else within the watched time. Null
 * after a gap.
 */
export function completedAt(
  record: RolloutRecord,
  { completion, stateSince, at, progressiveRollout }: Observation,
  watchedUntil: string | null,
  isGap: boolean,
): string | null {
  const start = latestStartOf(record);
  const systemEnd = progressiveEndedAt(progressiveRollout, start);
  const available = provenEnd(record, completion);
  const proven = systemEnd === null ? available : laterOf(systemEnd, available);
  if (proven !== null) return proven;
  if (isGap) return null;
  const isWithin = ms(stateSince) >= ms(watchedUntil ?? start) && ms(stateSince) <= ms(at);
  return isWithin ? stateSince : at;
}

/**
 * When the cluster reported this rollout as complete. It reports one without pods as complete at once: that proves
 * nothing of pods that come later.
 */
function provenEnd(record: RolloutRecord, completion: Observation['completion']): string | null {
  const provenAt = completion?.provenAt ?? null;
  const from = record.resumedAt ?? latestStartOf(record);
  return provenAt === null || from === null || isAtOrAfter(provenAt, from) ? provenAt : null;
}

function latestStartOf({ startedAt, startedNotAfter }: RolloutRecord): string | null {
  return startedAt ?? startedNotAfter;
}

/** Whether the workload was scaled to zero when the rollout was last observed, and no pod of it ever had been. */
export function hasNoPods({ desiredPods, steps, progressiveRollout, samples, to }: RolloutRecord): boolean {
  return (
    desiredPods === 0 &&
    steps.every(({ pods }) => pods.length === 0) &&
    (progressiveRollout === null || progressiveRollout.unassigned.length === 0) &&
    samples.every(({ byRevision }) => byRevision.every(([hash]) => hash !== to.hash))
  );
}

/**
 * The record of a rollout that had ended without pods is in progress again as soon as one is desired, and when its
 * progressive rollout begins, whose steps then have the pods: between releases Flagger scales the workload to zero. It
 * scales it up a while before it reports a new one. https://docs.flagger.app/usage/how-it-works
 */
export function reopenWithPods(record: RolloutRecord, observation: Observation): RolloutRecord {
  const { progressiveRollout: driving, desiredPods, countsPods, at } = observation;
  const { outcome, progressiveRollout: known, to, resumedAt } = record;
  const hadNone = outcome !== null && hasNoPods(record);
  if (outcome === 'failed' || !countsPods || (!hadNone && resumedAt === undefined)) return record;
  const isBegun =
    known === null &&
    isRolloutInProgress(driving) &&
    driving.state !== 'starting' &&
    driving.hash === to.hash;
  if (!isBegun && !(hadNone && desiredPods > 0)) return record;
  return {
    ...record,
    outcome: null,
    endedAt: null,
    resumedAt: hadNone ? at : resumedAt,
    steps: isBegun ? [] : record.steps,
    progressiveRollout: known && { ...known, result: null },
  };
}

/** Whether a later template ends the rollout by rolling back or by superseding it. */
export function outcomeBefore(
  next: RevisionRef,
  earlier: readonly ArchivedActivation[],
  usedBefore: boolean,
  tools: Pick<RecordingTools, 'meaning'>,
): Outcome {
  const isReturn = usedBefore || earlier.some(({ revision }) => isSameTemplate(revision, next, tools));
  return isReturn ? 'rolledBack' : 'superseded';
}

/**
 * The field manager of the owner that undoes a rollout begun by hand: it acts by itself, and puts the template before
 * back. Null where that is not proven, or where the owner only follows its source, as after a revert of a commit.
 */
export function undoingManager(
  { from, actor }: Pick<RolloutRecord, 'from' | 'actor'>,
  next: ArchivedActivation,
  earlier: readonly ArchivedActivation[],
  observation: Observation,
  tools: RecordingTools,
): string | null {
  const isByHand = actor !== null && (actor.manager === null || !isOwnerManager(actor.manager));
  if (!isByHand || from === null || !isSameTemplate(from, next.revision, tools)) return null;
  // Times of writes are whole seconds, and its own may be as late.
  const writes = observation.writes.filter(({ isShiplog, manager }) =>
    actor.manager === null ? !isShiplog : manager !== actor.manager,
  );
  const { actions } = observation;
  const manager = attributeActivation(next, earlier, { writes, actions }, tools)?.actor.manager ?? null;
  return manager !== null && actsByItself(manager) ? manager : null;
}

/** The record with who started it, once that is proven. */
export function withAttribution(
  record: RolloutRecord,
  observation: Observation,
  activations: readonly ArchivedActivation[],
  tools: RecordingTools,
): RolloutRecord {
  const position = activations.findIndex(({ index }) => index === record.activation);
  const activation = activations[position];
  if (record.actor !== null || activation === undefined) return record;
  const found = attributeActivation(activation, activations.slice(0, position), observation, tools);
  if (found === null) return record;
  const { actor, action } = found;
  const reason = action?.reason === '' ? null : (action?.reason ?? null);
  return { ...record, actor, actionId: action?.id ?? null, cause: record.cause ?? reason };
}
