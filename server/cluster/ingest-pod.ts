import { rolloutPodLabels } from '@/lib/rollout/systems/table';
import type { KubeObject } from '@/lib/kube/object';
import { otherRevisionLabelValues } from '@/lib/producers/revision-labels';
import { podSummaryOf } from '@/lib/pods/pod-block';
import { pickPodMetadata } from '@/lib/pods/pod-metadata';
import type { PodSummary } from '@/lib/history/pod';
import { podMetadataKeysOfKinds } from '@/lib/workloads/kinds/table';

const relevantKeys: ReadonlySet<string> = new Set([...podMetadataKeysOfKinds, ...rolloutPodLabels]);

/** A pod as the cache keeps it, with the labels and annotations that workload kinds and rollout systems read. */
export function ingestPod(object: KubeObject): PodSummary {
  const summary = podSummaryOf(object);
  const metadataValues = pickPodMetadata(relevantKeys, object.metadata);
  const revisionLabelValues = otherRevisionLabelValues(object.metadata.labels);
  return {
    ...summary,
    ...(metadataValues && { metadataValues }),
    ...(revisionLabelValues.length > 0 && { revisionLabelValues }),
  };
}
