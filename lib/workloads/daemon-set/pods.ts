import type { PodSummary } from '@/lib/history/pod';
import { formatList } from '@/lib/format/text';
import type { RevisionSource, Workload } from '@/lib/history/workload';

const HASH = 'controller-revision-hash';
const GENERATION = 'deprecated.daemonset.template.generation';

/**
 * The revision of a DaemonSet's pod: by the hash on its label, which the revision carries as a label too; else, for
 * pods of old servers, the target when the template generations agree.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/daemon/util/daemonset_util.go (IsPodUpdated)
 */
export function buildRevisionFinder(
  workload: Workload,
  oldestFirst: readonly RevisionSource[],
  target: RevisionSource | null,
): (pod: PodSummary) => RevisionSource | undefined {
  const byHash = new Map(oldestFirst.map((source) => [source.labels[HASH] ?? source.name, source]));
  const generation = workload.annotations[GENERATION];
  return (pod) => {
    const labelled = pod.revisionLabel === null ? undefined : byHash.get(pod.revisionLabel);
    if (labelled !== undefined) return labelled;
    const isUpdated = generation !== undefined && pod.templateGeneration === generation;
    return isUpdated ? (target ?? undefined) : undefined;
  };
}

/**
 * Pods with a wrong label: when a DaemonSet has two revisions of one template, the controller labels all of
 * its pods as current, also those that run another template.
 * https://github.com/kubernetes/kubernetes/issues/111280
 */
export function describeRelabelledPods(
  pods: readonly PodSummary[],
  oldestFirst: readonly RevisionSource[],
  sourceOfPod: (pod: PodSummary) => RevisionSource | undefined,
): string[] {
  const mislabelled = pods.filter((pod) => {
    const source = sourceOfPod(pod);
    return source !== undefined && !runsImagesOf(pod, source);
  });
  const known = mislabelled.filter((pod) => oldestFirst.some((source) => runsImagesOf(pod, source)));
  const unknown = mislabelled.filter((pod) => !known.includes(pod));
  return [
    ...relabelledSentence(known, 'an older template: the controller relabelled', 'and will not update'),
    ...relabelledSentence(
      unknown,
      'images that no revision has: a webhook changed',
      'or the controller relabelled',
    ),
  ];
}

function relabelledSentence(pods: readonly PodSummary[], what: string, then: string): string[] {
  if (pods.length === 0) return [];
  const [verb, them] = pods.length === 1 ? ['runs', 'it'] : ['run', 'them'];
  const names = formatList(pods.map(({ name }) => name));
  return [`By their images ${names} ${verb} ${what} ${them}, ${then} ${them}.`];
}

/** Containers that the revision does not have are ignored: webhooks add them. */
function runsImagesOf(pod: PodSummary, source: RevisionSource): boolean {
  return source.images.every(
    ({ container, image, init }) =>
      init || pod.images.every((running) => running.container !== container || running.image === image),
  );
}
