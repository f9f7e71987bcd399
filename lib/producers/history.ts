import { activationsOfControllerRevisions, type Activations } from '@/lib/history/activations';
import { findAdoption, nothingAdopted } from '@/lib/history/adoption';
import { assembleHistory } from '@/lib/history/assemble';
import { causeOfControllerRevision, inheritedByControllerRevisions } from '@/lib/history/change-cause';
import { explainControllerRevision } from '@/lib/history/explanation';
import { compareSources, numberOfSource } from '@/lib/history/revision-order';
import type { RevisionHistory } from '@/lib/history/revision';
import { producerOf } from '@/lib/producers/producers';
import { revisionLabelValues } from '@/lib/producers/revision-labels';
import { isStoredObject, ownerOf } from '@/lib/producers/stored-object';
import type { HistoryInput } from '@/lib/workloads/kind';
import type { PodSummary } from '@/lib/history/pod';
import type { RevisionSource, Workload } from '@/lib/history/workload';
import { textAt } from '@/lib/kube/read';

interface TargetGuess {
  target: RevisionSource | null;
  /** The status's current revision, where the status distinguishes it from the target. */
  current: RevisionSource | null;
  /** Only the order of the revisions points to it. */
  isAssumed: boolean;
}

const TARGET_MEMBERS = [['updateRevision'], ['updatedRevision'], ['currentRevision']] as const;
const NUMBER_ANNOTATION = /\/revision$/;

/**
 * The revision that the owner requests, if its status or its annotations name one; else the newest, which is
 * only assumed. `oldestFirst` contains only revisions.
 */
function guessTarget(
  workload: Workload,
  oldestFirst: readonly RevisionSource[],
  find: (identifier: string) => RevisionSource | undefined,
): TargetGuess {
  const newest = oldestFirst.at(-1) ?? null;
  const own = newest === null ? undefined : producerOf(ownerOf(newest))?.targetAt;
  const named = (path: readonly string[]) => findNamed(textAt(workload.status, ...path), oldestFirst, find);
  const current = named(['currentRevision']) ?? null;
  for (const path of [...TARGET_MEMBERS, ...(own ?? [])]) {
    const target = named(path);
    if (target !== undefined) return { target, current: current ?? target, isAssumed: false };
  }
  const numbered = findByAnnotation(workload, oldestFirst);
  if (numbered !== undefined) return { target: numbered, current: numbered, isAssumed: false };
  return { target: newest, current: newest, isAssumed: newest !== null };
}

/** A status may contain any suffix of the name. */
function findNamed(
  identifier: string | undefined,
  oldestFirst: readonly RevisionSource[],
  find: (identifier: string) => RevisionSource | undefined,
): RevisionSource | undefined {
  if (identifier === undefined || identifier === '') return undefined;
  return find(identifier) ?? oldestFirst.findLast(({ name }) => name.endsWith(`-${identifier}`));
}

function findByAnnotation(
  { annotations }: Workload,
  oldestFirst: readonly RevisionSource[],
): RevisionSource | undefined {
  for (const [key, value] of Object.entries(annotations)) {
    if (!NUMBER_ANNOTATION.test(key) || !/^\d+$/.test(value)) continue;
    const found = oldestFirst.findLast((source) => numberOfSource(source) === Number(value));
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * The history of an owner of which only the ControllerRevisions are known. `sources` are those of its group
 * (see `groupKeyOf`), in no particular order. The number of an object may repeat, stay the same for all, or
 * change, so each object is a revision of its own, identified by its uid.
 */
export function readOwnerHistory({
  workload,
  sources,
  orphans,
  pods,
  children: parts = [],
}: HistoryInput): RevisionHistory {
  const inOrder = sources.toSorted(compareSources);
  const { revisions = [], stored = [] } = Object.groupBy(inOrder, (source) =>
    isStoredObject(source) ? 'stored' : 'revisions',
  );
  const find = createFinder(revisions);
  const { target, current, isAssumed } = guessTarget(workload, revisions, find);
  const named = isAssumed ? [] : [target?.uid, current?.uid];
  const generated = parts.flatMap(({ labels }) =>
    revisionLabelValues(labels).flatMap((value) => find(value) ?? []),
  );
  const counted = new Set([...named, ...generated.map(({ uid }) => uid)]);
  const sourceOfPod = (pod: PodSummary) => firstMatch(revisionNamesOf(pod), find);
  const isMatched = generated.length > 0 || pods.some((pod) => sourceOfPod(pod) !== undefined);
  const provesTime = hasOrderedNumbers(revisions);
  const adoption = provesTime ? findAdoption(revisions, workload, false) : nothingAdopted;
  const history = assembleHistory({
    oldestFirst: revisions,
    orphans,
    pods,
    target,
    isCurrent: ({ uid }) => uid === current?.uid,
    isLiveForController: ({ uid }) => counted.has(uid),
    sourceOfPod,
    causeOf: causeOfControllerRevision,
    inheritedCauses: inheritedByControllerRevisions(revisions),
    activations: provesTime ? activationsOfControllerRevisions(revisions, target, adoption) : NO_ACTIVATIONS,
    adoption,
    explain: (facts) => (provesTime ? explainControllerRevision(facts) : null),
    prunedNext: new Set(),
    warnings: [],
  });
  return {
    ...history,
    // What needs a warning elsewhere is usual here, and the page explains the numbers.
    warnings: [],
    ...(isAssumed && { targetAssumed: true }),
    ...(!isMatched && { livenessUnknown: true }),
    ...(stored.length > 0 && { stored: stored.reverse() }),
  };
}

/** Numbers that do not follow time prove no activation. */
const NO_ACTIVATIONS: Activations = new Map();

function hasOrderedNumbers(revisions: readonly RevisionSource[]): boolean {
  const [first] = revisions;
  const numbering = first === undefined ? undefined : producerOf(ownerOf(first))?.numbering;
  return numbering === 'counted' || numbering === 'renumbered';
}

function revisionNamesOf({
  revisionLabel,
  metadataValues = {},
  revisionLabelValues = [],
}: PodSummary): string[] {
  const own = revisionLabel === null ? [] : [revisionLabel];
  return [...own, ...revisionLabelValues, ...Object.values(metadataValues)];
}

function firstMatch(
  values: readonly string[],
  find: (identifier: string) => RevisionSource | undefined,
): RevisionSource | undefined {
  return values.map(find).find((source) => source !== undefined);
}

/** Every name that pods, statuses and workloads may use for a revision. */
interface Identifiers {
  name: string;
  /** The name without that of its owner, where it begins with it. */
  suffix: string | null;
  /** Of its labels for a hash or a revision. */
  values: readonly string[];
}

function identifiersOf(source: RevisionSource): Identifiers {
  const prefix = `${source.controllerName ?? ''}-`;
  const hasPrefix = prefix.length > 1 && source.name.startsWith(prefix);
  return {
    name: source.name,
    suffix: hasPrefix ? source.name.slice(prefix.length) : null,
    values: revisionLabelValues(source.labels),
  };
}

/** Newest sources by their possible names; a name of several of them means the newest. */
function createFinder(
  oldestFirst: readonly RevisionSource[],
): (identifier: string) => RevisionSource | undefined {
  const byName = new Map<string, RevisionSource>();
  const byOther = new Map<string, RevisionSource>();
  for (const source of oldestFirst) {
    const { name, suffix, values } = identifiersOf(source);
    byName.set(name, source);
    for (const value of suffix === null ? values : [...values, suffix]) byOther.set(value, source);
  }
  return (identifier) => byName.get(identifier) ?? byOther.get(identifier);
}
