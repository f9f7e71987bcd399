import { type NewActivation, findNewActivations } from '@/lib/records/new-activations';
import { assignCause, isCauseOfAnother, withCause, withLateCause } from '@/lib/records/assign-cause';
import { isSameTemplate, withMeaning } from '@/lib/records/template-meaning';
import { cutTimes, earlierOf, laterOf, ms } from '@/lib/records/times';
import type {
  WorkloadCause,
  Gap,
  RecordingTools,
  RecorderMemory,
  Observation,
  ObservationResult,
  Watch,
} from '@/lib/records/observation';
import type { ArchivedActivation, RevisionRef, WorkloadIncarnation } from '@/lib/api/incarnation';
import type { RolloutRecord } from '@/lib/api/record';
import type { Outcome } from '@/lib/api/record-values';
import { podsToRemember, findRemovedPods } from '@/lib/records/removed-pods';
import {
  isAborted,
  isRolledBackByDeletion,
  isRolloutInProgress,
  reopenIfResumed,
} from '@/lib/records/progressive-rollout';
import { markPruned, updateRevisions } from '@/lib/records/archived-revisions';
import {
  completedAt,
  endRecord,
  updateRecord,
  hasNoPods,
  isComplete,
  openRecord,
  outcomeBefore,
  reopenWithPods,
  undoingManager,
  markUnwatched,
  withAttribution,
} from '@/lib/records/record-lifecycle';
import { findInherited } from '@/lib/records/inherited-target';
import { findPending } from '@/lib/records/pending-template';
import { isChanged, samplesUntil } from '@/lib/records/samples';

/** Of an unchanged open rollout, how often at least the recorder saves that it was watched. */
const SAVE_INTERVAL_MS = 60_000;

interface RecordDraft {
  activations: ArchivedActivation[];
  changed: Map<number, ArchivedActivation>;
  record: RolloutRecord | null;
  ended: RolloutRecord[];
  pausedGap: Gap | null;
}

/**
 * Updates what the recorder remembers of a workload from an observation. The result depends on the current
 * state alone, so missed states change nothing except what is marked as not observed, and the same state
 * twice changes nothing.
 */
export function observe(
  memory: RecorderMemory,
  observation: Observation,
  tools: RecordingTools,
): ObservationResult {
  const gap = gapOf(memory, observation);
  const draft = advanceActivations(memory, observation, gap, tools);
  const opened = openAfterPause(memory, draft, observation, gap, tools);
  const resumed = opened && reopenIfResumed(opened, observation);
  const isTarget = resumed !== null && hasCurrentTarget(resumed, observation, tools);
  const started = isTarget ? reopenWithPods(resumed, observation) : resumed;
  const { record, cause } = assignCause(started, memory, observation, gap, tools);
  const observed =
    record?.outcome === null
      ? updateOpenRecord(memory, record, draft, observation, gap, tools)
      : withLateEvidence(record, draft, memory, observation, gap, tools);
  const known = updateRevisions(memory.revisions, observation, (revision) =>
    isCauseOfAnother(revision, cause, observed),
  );
  const { at } = observation;
  const ended = draft.ended.map((each) => cutTimes(each, at));
  const current = observed && cutTimes(observed, at);
  return buildResult(memory, observation, { ...draft, ended, cause }, current, known, tools);
}

/**
 * The workload is deleted: its open rollout has failed, unless it may have ended in a gap, or its pods and revisions stay
 * for the next incarnation to complete it. Null where nothing is remembered of it.
 */
export function observeDeletion(
  memory: RecorderMemory,
  at: string,
  watch: Watch,
  leavesDependents: boolean,
): ObservationResult | null {
  if (memory.incarnation === null || memory.incarnation.deletedAt !== null) return null;
  const gap = gapOf(memory, { at, watch, incarnation: memory.incarnation });
  const incarnation: WorkloadIncarnation = { ...memory.incarnation, deletedAt: at };
  const revisions = markPruned(memory.revisions, new Set(), at);
  const last = memory.activations.at(-1);
  const activations = last === undefined || gap !== null ? [] : [{ ...last, to: at }];
  const isOpen = memory.record?.outcome === null;
  const outcome = leavesDependents ? 'superseded' : 'failed';
  const record = isOpen ? endWithWorkload(memory.record, outcome, gap, at) : memory.record;
  return {
    memory: {
      ...memory,
      incarnation,
      revisions: new Map([...memory.revisions, ...revisions.map((entry) => [entry.id, entry] as const)]),
      activations: [...memory.activations.slice(0, -activations.length || undefined), ...activations],
      record,
      watchedUntil: at,
    },
    changes: { incarnation, revisions, activations, records: isOpen && record !== null ? [record] : [] },
  };
}

function endWithWorkload(
  record: RolloutRecord | null,
  outcome: Outcome,
  gap: Gap | null,
  at: string,
): RolloutRecord | null {
  if (record === null) return null;
  if (gap === null) return endRecord(record, outcome, at, at);
  return endRecord(markUnwatched(record, gap), 'unknown', null, gap.from ?? at);
}

/** The gap up to now; null where the watch has continued since the last observation, or since the beginning. */
function gapOf(
  { watchedUntil }: RecorderMemory,
  { at, watch, incarnation }: Pick<Observation, 'at' | 'watch'> & { incarnation: WorkloadIncarnation },
): Gap | null {
  const isWatchedSinceCreation = ms(incarnation.createdAt) >= Math.floor(ms(watch.since) / 1000) * 1000;
  if (watchedUntil === null) return isWatchedSinceCreation ? null : { from: null, to: at };
  if (ms(watchedUntil) >= ms(watch.since)) return null;
  return { from: laterOf(watchedUntil, watch.lostAt), to: at };
}

/** Ends the record of each activation that another one followed, and opens the next. */
function advanceActivations(
  memory: RecorderMemory,
  observation: Observation,
  gap: Gap | null,
  tools: RecordingTools,
): RecordDraft {
  const draft: RecordDraft = {
    activations: [...memory.activations],
    changed: new Map(),
    record: memory.record,
    ended: [],
    pausedGap: null,
  };
  if (draft.activations.length === 0) {
    const inherited = findInherited(memory, observation, tools);
    if (inherited === 'adopting') return draft;
    if (inherited !== null) {
      draft.activations.push(inherited);
      draft.changed.set(inherited.index, inherited);
    }
  }
  adoptRecordedTarget(draft, observation, tools);
  const watchedUntil = gap === null ? (memory.watchedUntil ?? observation.incarnation.createdAt) : null;
  const { pending } = memory;
  const evidence = { watchedUntil, pending };
  for (const started of findNewActivations(draft.activations, observation, evidence, tools)) {
    const { from } = started.activation;
    const isPending = pending !== null && from !== null && from === pending.since;
    // The pods since then are those of the new record.
    if (isPending && draft.record?.outcome === null)
      draft.record = { ...draft.record, samples: samplesUntil(draft.record.samples, from) };
    // What began and ended between two observations was not observed, even where the watch had no gap.
    const isWatched = gap === null && draft.record?.id === memory.record?.id && memory.isObservedOpen;
    endPrevious(
      draft,
      started,
      observation,
      isWatched ? null : (gap ?? { from: null, to: observation.at }),
      tools,
    );
    draft.activations.push(started.activation);
    draft.changed.set(started.activation.index, started.activation);
    if (started.isCurrent && isStartPaused(observation)) {
      draft.record = null;
      draft.pausedGap = gap;
      continue;
    }
    const last = draft.record;
    const unobservedGap = started.isCurrent ? gap : (gap ?? { from: null, to: observation.at });
    const previous = servedBefore(last, started, tools);
    const opened = openRecord(observation, { ...started, previous }, unobservedGap, tools);
    const record = isPending ? { ...opened, samples: pending.samples } : opened;
    draft.record = withCause(record, memory, observation, gap);
  }
  return draft;
}

/** The target before. After an abort, what has served instead of it, unless the spec only returns to that. */
function servedBefore(
  last: RolloutRecord | null,
  { previous, activation }: NewActivation,
  tools: RecordingTools,
): NewActivation['previous'] {
  const isAfterAbort = last?.outcome === 'failed' && last.progressiveRollout?.result === 'failed';
  if (!isAfterAbort || last.from === null || previous?.id !== last.to.id) return previous;
  return isSameTemplate(last.from, activation.revision, tools) ? previous : last.from;
}

/**
 * A template that a progressive rollout introduced before a source recorded it has got its number and id, or
 * another form: written by its controller, with defaults.
 */
function adoptRecordedTarget(draft: RecordDraft, observation: Observation, tools: RecordingTools): void {
  const { target, revisions } = observation;
  const last = draft.activations.at(-1);
  if (last === undefined || target === null) return;
  if (!needsNumberOrId(last.revision, target) && !isOnlyRenumbered(last, target, observation)) return;
  if (!isSameTemplate(last.revision, target, tools)) return;
  const named = { ...last, revision: withMeaning(target, tools) };
  draft.activations = [...draft.activations.slice(0, -1), named];
  draft.changed.set(named.index, named);
  if (draft.record?.outcome !== null || draft.record.activation !== named.index) return;
  const images = revisions.find(({ id }) => id === target.id)?.images ?? draft.record.images;
  const record = withTarget({ ...draft.record, images }, named.revision);
  // The first revision starts the workload, as its number shows.
  const isFirst = record.from === null && record.to.number === 1 && record.progressiveRollout === null;
  draft.record = isFirst ? { ...record, summary: tools.summary(null, record.to) } : record;
}

function needsNumberOrId(known: RevisionRef, target: RevisionRef): boolean {
  if (known.id === null) return target.id !== null || target.hash !== known.hash;
  return known.id === target.id && known.number === null && target.number !== null;
}

/** A controller that adopts older revisions numbers its target again, though nothing has changed the template. */
function isOnlyRenumbered(
  { revision: { id, number }, from, fromNotAfter }: ArchivedActivation,
  target: RevisionRef,
  { activations, templateWrittenAt, incarnation }: Observation,
): boolean {
  const { number: next } = target;
  if (id === null || id !== target.id || number === null || next === null || next <= number) return false;
  const start = from ?? fromNotAfter ?? incarnation.createdAt;
  const hasOthers = activations.some(
    ({ revision }) => revision.id !== id && (revision.number ?? 0) > number && (revision.number ?? 0) < next,
  );
  return !hasOthers && ms(templateWrittenAt) <= ms(start);
}

/** Under the hash that the template has from now on. */
function withTarget(record: RolloutRecord, to: RevisionRef): RolloutRecord {
  const before = record.to.hash;
  if (before === to.hash) return { ...record, to };
  const samples = record.samples.map((sample) => ({
    ...sample,
    byRevision: sample.byRevision.map(
      ([hash, pods, ready]) => [hash === before ? to.hash : hash, pods, ready] as const,
    ),
  }));
  return { ...record, to, samples };
}

function endPrevious(
  draft: RecordDraft,
  { activation }: NewActivation,
  observation: Observation,
  gap: Gap | null,
  tools: RecordingTools,
): void {
  const last = draft.activations.at(-1);
  if (last === undefined) return;
  const to = activation.from;
  const ended = { ...last, to };
  draft.activations = [...draft.activations.slice(0, -1), ended];
  draft.changed.set(ended.index, ended);
  const { record } = draft;
  if (record?.outcome !== null) return;
  if (gap !== null) {
    draft.ended.push(endRecord(markRestUnwatched(record, gap, to), 'unknown', to, observation.at));
    return;
  }
  const { number, id } = activation.revision;
  const next = observation.revisions.find((revision) => revision.id === id && revision.number === number);
  const outcome = outcomeBefore(
    activation.revision,
    draft.activations.slice(0, -1),
    next?.usedBefore === true,
    tools,
  );
  const undoneBy = undoingManager(record, activation, draft.activations, observation, tools);
  const isIdle = observation.countsPods && record.unwatched.length === 0 && hasNoPods(record);
  if (undoneBy === null) draft.ended.push(endRecord(record, isIdle ? 'noPods' : outcome, to, observation.at));
  else draft.ended.push({ ...endRecord(record, 'undone', to, observation.at), undoneBy });
}

/** The unobserved rest of a rollout, up to its end where that is known. */
function markRestUnwatched(record: RolloutRecord, gap: Gap, end: string | null): RolloutRecord {
  // A record created in the same observation has its gap already.
  const isNew = record.samples.length === 0 && record.unwatched.length > 0;
  const to = end === null ? gap.to : earlierOf(gap.to, end);
  if (isNew) {
    return { ...record, unwatched: record.unwatched.map(({ from }) => ({ from: earlierOf(from, to), to })) };
  }
  return markUnwatched(record, { from: gap.from === null ? null : earlierOf(gap.from, to), to });
}

/** The target of a paused workload that no pod runs yet: its rollout begins when it is resumed. */
function isStartPaused({ paused, target, revisions, progressiveRollout }: Observation): boolean {
  // A progressive rollout pauses the workload while it is in progress.
  if (!paused || target === null || isRolloutInProgress(progressiveRollout)) return false;
  const mine = revisions.find(({ id }) => id === target.id);
  return mine?.pods === 0 && revisions.some(({ pods }) => pods > 0);
}

/** The record of an activation that was paused until now. */
function openAfterPause(
  memory: RecorderMemory,
  draft: RecordDraft,
  observation: Observation,
  gap: Gap | null,
  tools: RecordingTools,
): RolloutRecord | null {
  const last = draft.activations.at(-1);
  const { at, target } = observation;
  if (draft.record !== null || last === undefined || last.adopted === true) return draft.record;
  if (memory.record === null && memory.pausedGap !== null) {
    draft.pausedGap = { from: memory.pausedGap.from, to: draft.pausedGap?.to ?? memory.pausedGap.to };
  } else if (gap !== null) draft.pausedGap ??= gap;
  if (target === null || !isSameTemplate(last.revision, target, tools) || isStartPaused(observation))
    return null;
  // Paused during a gap: it may have begun before.
  const isKnown = gap === null && draft.pausedGap === null;
  const started: NewActivation = {
    activation: { ...last, from: isKnown ? at : null, fromNotAfter: isKnown ? null : at },
    notBefore: gap?.from ?? last.from,
    previous: draft.activations.at(-2)?.revision ?? null,
    isCurrent: true,
  };
  const record = openRecord(observation, started, gap, tools);
  const { pausedGap } = draft;
  const unwatched =
    gap === null && pausedGap !== null
      ? [{ from: pausedGap.from ?? last.from ?? pausedGap.to, to: pausedGap.to }]
      : record.unwatched;
  return withCause({ ...record, unwatched }, memory, observation, gap);
}

/** Updates the open rollout from the observation, and ends it when it is over. */
function updateOpenRecord(
  memory: RecorderMemory,
  record: RolloutRecord,
  draft: RecordDraft,
  observation: Observation,
  gap: Gap | null,
  tools: RecordingTools,
): RolloutRecord {
  const isAdopted = memory.watchedUntil === null && gap !== null;
  const isNew = record.id !== memory.record?.id;
  const isTarget = hasCurrentTarget(record, observation, tools);
  const isOver = isTarget && isComplete(record, observation);
  // The pods of a rollout that was over before the first observation may have been replaced since.
  const observed = isAdopted && isOver ? { ...observation, targetPods: [], warnings: [] } : observation;
  const context = { gap, isNew, isTarget, removed: findRemovedPods(memory, observation, gap) };
  const withOwnCause = isNew || gap === null ? record : withCause(record, memory, observation, gap);
  const followed = updateRecord(withOwnCause, observed, draft.activations, context, tools);
  if (isTarget && isAborted(followed, observation)) {
    const end = gap === null ? (observation.progressiveRollout?.since ?? observation.at) : null;
    return endRecord(followed, 'failed', end, observation.at);
  }
  if (!isOver) return followed;
  if (isRolledBackByDeletion(followed, observation))
    return endRecord(followed, 'rolledBack', gap === null ? observation.at : null, observation.at);
  const end = completedAt(followed, observation, memory.watchedUntil, gap !== null);
  const isIdle = observation.countsPods && hasNoPods(followed);
  // Pods may have come and gone while it was not watched.
  const outcome = !isIdle ? 'completed' : followed.unwatched.length === 0 ? 'noPods' : 'unknown';
  return endRecord(followed, outcome, outcome === 'unknown' ? (end ?? observation.at) : end, observation.at);
}

/** Who and why may be observed after a quick rollout is over: workload, sources and pods are watched separately. */
function withLateEvidence(
  record: RolloutRecord | null,
  { activations }: RecordDraft,
  memory: RecorderMemory,
  observation: Observation,
  gap: Gap | null,
  tools: RecordingTools,
): RolloutRecord | null {
  const explained = withLateCause(record, memory, observation, gap);
  const isLate = explained !== null && gap === null && hasCurrentTarget(explained, observation, tools);
  return isLate ? withAttribution(explained, observation, activations, tools) : explained;
}

function buildResult(
  memory: RecorderMemory,
  observation: Observation,
  { activations, changed, ended, pausedGap, cause }: RecordDraft & { cause: WorkloadCause },
  record: RolloutRecord | null,
  known: ReturnType<typeof updateRevisions>,
  tools: RecordingTools,
): ObservationResult {
  const { incarnation, at } = observation;
  const isUnchanged = record === null || !isWorthSaving(memory, record, at);
  const gap = gapOf(memory, observation);
  const isSameIncarnation =
    memory.incarnation !== null && JSON.stringify(memory.incarnation) === JSON.stringify(incarnation);
  return {
    memory: {
      incarnation: isSameIncarnation ? memory.incarnation : incarnation,
      earlier: activations.length === 0 ? memory.earlier : null,
      revisions: known.revisions,
      activations: changed.size === 0 ? memory.activations : activations,
      record,
      isObservedOpen: isObservedOpen(memory, observation, record, tools),
      pausedGap: record === null ? pausedGap : null,
      cause,
      pending: findPending(memory, observation, gap),
      pods: podsToRemember(memory, observation, gap),
      watchedUntil: at,
      savedAt: isUnchanged ? memory.savedAt : at,
    },
    changes: {
      incarnation: isSameIncarnation ? null : incarnation,
      revisions: known.changed,
      activations: [...changed.values()],
      records: isUnchanged ? ended : [...ended, record],
    },
  };
}

/** Whether the desired template is the one that the rollout leads to. */
function hasCurrentTarget({ to }: RolloutRecord, { target }: Observation, tools: RecordingTools): boolean {
  return target !== null && isSameTemplate(to, target, tools);
}

/** While the current template is pending, nothing shows how far the rollout before it has come. */
function isObservedOpen(
  memory: RecorderMemory,
  observation: Observation,
  record: RolloutRecord | null,
  tools: RecordingTools,
): boolean {
  if (record?.outcome !== null) return false;
  if (hasCurrentTarget(record, observation, tools)) return true;
  return memory.isObservedOpen && memory.record?.id === record.id && gapOf(memory, observation) === null;
}

function isWorthSaving(memory: RecorderMemory, record: RolloutRecord, at: string): boolean {
  const before = memory.record;
  if (before === record) return false;
  if (before?.id !== record.id || before.outcome !== record.outcome) return true;
  if (record.outcome === null && !(ms(at) - ms(memory.savedAt) < SAVE_INTERVAL_MS)) return true;
  return isChanged(before.samples, record.samples) || comparableText(before) !== comparableText(record);
}

function comparableText({ samples: _samples, ...rest }: RolloutRecord): string {
  return JSON.stringify(rest);
}
