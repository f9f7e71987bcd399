import type { z } from 'zod';
import type { podSchema } from '@/lib/api/pods';
import type { Immutable } from '@/lib/immutable';

/** A pod as the cache keeps it. */
export interface PodSummary extends Immutable<z.infer<typeof podSchema>> {
  namespace: string;
  /** uid of the controlling owner: a ReplicaSet, or the workload itself. */
  controllerUid: string | null;
  /** Label `controller-revision-hash`: a revision name (StatefulSet) or a hash (DaemonSet). */
  revisionLabel: string | null;
  /** Label `pod-template-generation` (DaemonSet). */
  templateGeneration: string | null;
  images: readonly { container: string; image: string; imageId: string | null }[];
  /** Labels and annotations that kinds and rollout systems read; absent where it has none of them. */
  metadataValues?: Readonly<Record<string, string>>;
  /** Values of other labels that identify a revision, by their keys; absent where it has none of them. */
  revisionLabelValues?: readonly string[];
}
