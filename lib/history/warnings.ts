import { numberOfSource } from '@/lib/history/revision-order';
import { type Revision } from '@/lib/history/revision';
import { type PodSummary } from '@/lib/history/pod';
import { formatList } from '@/lib/format/text';
import { type RevisionSource } from '@/lib/history/workload';

/** Warnings about a history of any kind, one sentence each. */
export function findWarnings(
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
