import { type Adoption, nothingAdopted } from '@/lib/history/adoption';
import type { Activations } from '@/lib/history/activations';
import type { InheritedCauses } from '@/lib/history/change-cause';
import {
  explainAdoption,
  type KnownActivation,
  nothingKnown,
  type NumberFacts,
} from '@/lib/history/explanation';
import { findDuplicates } from '@/lib/history/template-equality';
import { numberOfSource } from '@/lib/history/revision-order';
import { findPredecessors } from '@/lib/history/predecessor';
import { findReactivated } from '@/lib/history/reactivation';
import { isRestart } from '@/lib/history/restart';
import type { RevisionHistory, Revision } from '@/lib/history/revision';
import type { PodSummary } from '@/lib/history/pod';
import type { RevisionSource } from '@/lib/history/workload';
import { formatList } from '@/lib/format/text';

/** What a kind has determined by its own rules; the rest of a history follows from it in the same way for all. */
export interface AssembledFacts {
  /** Owned by the workload, oldest first. */
  oldestFirst: readonly RevisionSource[];
  orphans: readonly RevisionSource[];
  /** Owned by the workload, directly or through a source. */
  pods: readonly PodSummary[];
  target: RevisionSource | null;
  /** The sources that the controller counts as current. */
  isCurrent: (source: RevisionSource) => boolean;
  /** The group of a source that shares its revision with others. Absent: each is a revision of its own. */
  identityOf?: (source: RevisionSource) => RevisionIdentity;
  /**
   * The oldest source of the same content, by uid, for each that has an older one. Absent: by their
   * templates.
   */
  duplicates?: ReadonlyMap<string, string>;
  /** Live for its controller, whether or not a pod runs it. */
  isLiveForController: (source: RevisionSource) => boolean;
  sourceOfPod: (pod: PodSummary) => RevisionSource | undefined;
  causeOf: (source: RevisionSource) => string | null;
  inheritedCauses: InheritedCauses;
  activations: Activations;
  /** Absent: its controller adopts none. */
  adoption?: Adoption;
  /** What happened to the number of a revision, as text; null when it never changed. */
  explain: (facts: NumberFacts) => string | null;
  prunedNext: ReadonlySet<string>;
  warnings: readonly string[];
}

/** A revision that several source objects carry. */
export interface RevisionIdentity {
  id: string;
  /** Of all carriers. */
  numbers: readonly number[];
  /** Of the first of them. */
  createdAt: string;
}

interface PodCount {
  any: boolean;
  total: number;
  ready: number;
}

/** Puts the history together, newest first. */
export function assembleHistory(facts: AssembledFacts): RevisionHistory {
  const counts = new Map<string, PodCount>();
  const sourceOfPod = new Map<string, RevisionSource>();
  for (const pod of facts.pods) {
    const source = facts.sourceOfPod(pod);
    if (source === undefined) continue;
    sourceOfPod.set(pod.uid, source);
    counts.set(source.uid, addPod(counts.get(source.uid), pod));
  }
  const buildRevision = revisionBuilder(facts, counts);
  const revisions = facts.oldestFirst.map(buildRevision).reverse();
  const bySource = new Map(revisions.map((revision) => [revision.source.uid, revision]));
  const revisionOfPod = new Map<string, Revision>();
  for (const [podUid, source] of sourceOfPod) {
    const revision = bySource.get(source.uid);
    if (revision !== undefined) revisionOfPod.set(podUid, revision);
  }
  return {
    revisions,
    target: (facts.target && bySource.get(facts.target.uid)) ?? null,
    orphans: facts.orphans,
    gaps: findGaps(facts.activations),
    warnings: [...findWarnings(facts.oldestFirst, facts.pods, revisionOfPod), ...facts.warnings],
    revisionOfPod,
  };
}

function revisionBuilder(
  facts: AssembledFacts,
  counts: ReadonlyMap<string, PodCount>,
): (source: RevisionSource, index: number) => Revision {
  const { oldestFirst } = facts;
  const identities = new Map(oldestFirst.map((source) => [source.uid, facts.identityOf?.(source)]));
  const idOf = (uid: string) => identities.get(uid)?.id ?? uid;
  const duplicates = facts.duplicates ?? findDuplicates(oldestFirst);
  const { adoption = nothingAdopted } = facts;
  const reactivated = findReactivated(oldestFirst, adoption);
  const bySource = new Map(oldestFirst.map((source) => [source.uid, source]));
  const activationsOf = ({ uid }: RevisionSource) => facts.activations.get(uid) ?? [];
  const predecessors = findPredecessors(
    oldestFirst.map((source) => ({ id: source.uid, activations: activationsOf(source) })).reverse(),
  );
  return (source, index) => {
    const number = numberOfSource(source);
    const target = source.uid === facts.target?.uid;
    const pods = counts.get(source.uid) ?? countFromScale(source, facts.pods);
    const before = bySource.get(predecessors.get(source.uid)?.id ?? '');
    const activations = activationsOf(source);
    const origin = facts.inheritedCauses.get(source.uid);
    const sharesNumber = [oldestFirst[index - 1], oldestFirst[index + 1]].some(
      (other) => other !== undefined && number !== null && numberOfSource(other) === number,
    );
    const identity = identities.get(source.uid);
    const oldest = duplicates.get(source.uid);
    const numbers = [...source.formerNumbers, ...(identity?.numbers ?? [])];
    const numbersBefore = adoption.before.get(source.uid);
    const isReactivated = reactivated.has(source.uid);
    const adopted = isReactivated ? null : explainAdoption(source, adoption);
    return {
      id: idOf(source.uid),
      number,
      name: source.name,
      source,
      target,
      current: facts.isCurrent(source),
      live: pods.any || facts.isLiveForController(source),
      serving: pods.total > 0,
      pods: { total: pods.total, ready: pods.ready },
      alsoNumbers: [...new Set(numbers)].filter((former) => former !== number),
      duplicateOf: oldest === undefined ? null : idOf(oldest),
      sharesNumber,
      reactivated: isReactivated,
      changeCause: facts.causeOf(source),
      causeInheritedFrom: origin === undefined ? null : numberOfSource(origin),
      restart: before !== undefined && isRestart(before, source),
      createdAt: identity?.createdAt ?? source.createdAt,
      activations,
      explain: explainWith.bind(null, facts.explain, adopted, {
        source,
        activation: activations.at(-1),
        isReactivated,
      }),
      numbersBefore: numbersBefore ?? [],
      prunedNext: facts.prunedNext.has(source.uid),
    };
  };
}

/** Hundreds of histories are cached: bound, it retains its arguments, where a closure would retain all that is above. */
function explainWith(
  explain: AssembledFacts['explain'],
  adopted: string | null,
  own: Omit<NumberFacts, keyof KnownActivation>,
  known: KnownActivation = nothingKnown,
): string | null {
  return adopted ?? explain({ ...own, ...known });
}

/** Finished and terminating pods keep a revision live, but no controller counts them any more. */
function addPod(known: PodCount | undefined, pod: PodSummary): PodCount {
  const counts = isActive(pod) ? 1 : 0;
  return {
    any: true,
    total: (known?.total ?? 0) + counts,
    ready: (known?.ready ?? 0) + (pod.ready ? counts : 0),
  };
}

/** A pod that its controller still counts: neither finished nor being deleted. */
export function isActive(pod: Pick<PodSummary, 'phase' | 'deletedAt'>): boolean {
  return pod.deletedAt === null && !hasEnded(pod);
}

/** A pod whose containers have all ended for good. */
export function hasEnded({ phase }: Pick<PodSummary, 'phase'>): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}

/** Without any known pod (pods may not be listed) a ReplicaSet still reports how many it has. */
function countFromScale(source: RevisionSource, pods: readonly PodSummary[]): PodCount {
  if (source.scale === null || pods.length > 0) return { any: false, total: 0, ready: 0 };
  return { any: source.scale.current > 0, total: source.scale.current, ready: source.scale.ready };
}

/** A number set by hand can be anything; a list of all lower numbers would be endless. */
const GAPS_MAX = 1_000;

/**
 * Numbers from 1 up to the highest that no source object has or is known to have had, ascending; of very many
 * only the highest. Numbers increase by one, so each of them was assigned once.
 */
function findGaps(activations: Activations): number[] {
  const known = new Set([...activations.values()].flat().map((activation) => activation.number));
  const gaps: number[] = [];
  for (let number = Math.max(0, ...known); number > 0 && gaps.length < GAPS_MAX; number -= 1) {
    if (!known.has(number)) gaps.push(number);
  }
  return gaps.reverse();
}

/** Warnings about a history of any kind, one sentence each. */
function findWarnings(
  oldestFirst: readonly RevisionSource[],
  pods: readonly PodSummary[],
  revisionOfPod: ReadonlyMap<string, Revision>,
): string[] {
  return [
    ...sharedNumbers(oldestFirst),
    ...unreadableNumbers(oldestFirst),
    ...podsWithoutRevision(pods, revisionOfPod),
  ];
}

function sharedNumbers(sources: readonly RevisionSource[]): string[] {
  const names = new Map<number, string[]>();
  for (const source of sources) {
    const number = numberOfSource(source);
    if (number !== null) names.set(number, [...(names.get(number) ?? []), source.name]);
  }
  return [...names]
    .filter(([, sharing]) => sharing.length > 1)
    .map(
      ([number, sharing]) =>
        `${formatList(sharing)} share the number ${number}; kubectl shows only one of them.`,
    );
}

function unreadableNumbers(sources: readonly RevisionSource[]): string[] {
  return sources.flatMap((source) => {
    switch (source.number.kind) {
      case 'number':
        return [];
      case 'missing':
        return [`${source.name} has no revision number; kubectl treats it as 0.`];
      case 'invalid':
        return [
          `${source.name} has the revision number “${source.number.text}”, which is not an integer; kubectl omits it.`,
        ];
    }
  });
}

function podsWithoutRevision(
  pods: readonly PodSummary[],
  revisionOfPod: ReadonlyMap<string, Revision>,
): string[] {
  const podNames = pods.filter((pod) => !revisionOfPod.has(pod.uid)).map((pod) => pod.name);
  if (podNames.length === 0) return [];
  const verb = podNames.length === 1 ? 'runs' : 'run';
  return [`${formatList(podNames)} ${verb} a revision that Kubernetes has pruned.`];
}
