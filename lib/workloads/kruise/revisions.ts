import { assembleControllerRevisionHistory, findOwned } from '@/lib/workloads/controller-revisions';
import { isEqualTemplate } from '@/lib/history/template-equality';
import type { RevisionHistory } from '@/lib/history/revision';
import type { IsLive } from '@/lib/history/revision-pruning';
import type { HistoryInput } from '@/lib/workloads/kind';
import type { PodSummary } from '@/lib/history/pod';
import { numberAt } from '@/lib/kube/read';
import type { RevisionSource, Workload } from '@/lib/history/workload';

/** Labels of a ControllerRevision with its hash, by kind of the workload. */
const HASH_LABELS = ['controller.kubernetes.io/hash', 'controller-revision-hash'];
const LIMIT_DEFAULT = 10;

type FindRevision = (named: string | null | undefined) => RevisionSource | undefined;

/** What a kind of OpenKruise determines about its revisions. */
interface RevisionRules {
  /** The target by the status: a full name or a hash. */
  update: string | undefined;
  /** The revision that last completed, named alike; null for a kind without one. */
  current: string | null | undefined;
  /** Whether a pod stays on an older revision even when one more revision completes. */
  isHeld(pod: PodSummary): boolean;
  prunedBy(sources: readonly RevisionSource[], limit: number, isLive: IsLive): string[];
}

/** The history of a workload of OpenKruise: ControllerRevisions by the uid of their owner, whatever their labels. */
export function kruiseHistory(input: HistoryInput, rules: RevisionRules): RevisionHistory {
  const { workload } = input;
  const owned = findOwned(input);
  const find = buildRevisionFinder(workload, owned.oldestFirst);
  const target = findTarget(workload, owned.oldestFirst, find(rules.update));
  const current = rules.current === null ? target : (find(rules.current) ?? target);
  const counted = new Set([target, current, find(rules.update)].map((source) => source?.uid));
  const heldRevisions = new Set(
    owned.pods.filter((pod) => rules.isHeld(pod)).map((pod) => find(pod.revisionLabel)?.uid),
  );
  if (heldRevisions.size > 0) heldRevisions.add(current?.uid);
  const limit = numberAt(workload.spec, 'revisionHistoryLimit') ?? LIMIT_DEFAULT;
  return assembleControllerRevisionHistory(input, owned, {
    target,
    isCurrent: (source) => source.uid === current?.uid,
    isLiveForController: (source) => counted.has(source.uid),
    sourceOfPod: (pod) => find(pod.revisionLabel),
    prunedNext: new Set(rules.prunedBy(owned.oldestFirst, limit, ({ uid }) => heldRevisions.has(uid))),
    warnings: [],
  });
}

/**
 * Pods and statuses name a revision by its full name or by its hash alone, depending on kind, version and
 * feature gates.
 */
function buildRevisionFinder(workload: Workload, sources: readonly RevisionSource[]): FindRevision {
  const byName = new Map(sources.map((source) => [source.name, source]));
  const byHash = new Map(sources.map((source) => [hashOf(workload, source), source]));
  return (named) => (named == null ? undefined : (byName.get(named) ?? byHash.get(named)));
}

function hashOf({ name }: Workload, source: RevisionSource): string {
  const label = HASH_LABELS.map((key) => source.labels[key]).find((hash) => hash !== undefined);
  return label ?? (source.name.startsWith(`${name}-`) ? source.name.slice(name.length + 1) : source.name);
}

/**
 * The status names the target once the controller has observed the spec. Until then templates are compared:
 * the newest of equal ones is used again. The controller serializes a template anew when it records it, so
 * bytes need not agree.
 */
function findTarget(
  workload: Workload,
  oldestFirst: readonly RevisionSource[],
  named: RevisionSource | undefined,
): RevisionSource | null {
  const observed = numberAt(workload.status, 'observedGeneration') ?? 0;
  if (observed >= workload.generation && named !== undefined) return named;
  return (
    oldestFirst.findLast((source) => source.bodyId === workload.bodyId) ??
    oldestFirst.findLast((source) => isEqualTemplate(source, workload)) ??
    null
  );
}
