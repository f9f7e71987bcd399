import { rolloutPodLabels } from '@/lib/rollout/systems';
import { type KubeObject } from '@/lib/kube/object';
import { revisionMarksOf } from '@/lib/producers/revision-marks';
import { podSummaryOf } from '@/lib/workloads/block';
import { marksOf } from '@/lib/workloads/pod-marks';
import { type PodSummary } from '@/lib/workloads/pod';
import { podMarksOfKinds } from '@/lib/workloads/table';

const read: ReadonlySet<string> = new Set([...podMarksOfKinds, ...rolloutPodLabels]);

/** A pod as the cache keeps it, with the labels and annotations that kinds and systems of rollouts read. */
export function markedPod(object: KubeObject): PodSummary {
  const summary = podSummaryOf(object);
  const marks = marksOf(read, object.metadata);
  const revisionMarks = revisionMarksOf(object.metadata.labels);
  return {
    ...summary,
    ...(marks && { marks }),
    ...(revisionMarks.length > 0 && { revisionMarks }),
  };
}
