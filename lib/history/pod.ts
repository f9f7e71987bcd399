/** Why a pod does not become ready, as far as its own status shows. */
export type PodBlockKind =
  | 'imagePull'
  | 'crashLoop'
  | 'configError'
  | 'unschedulable'
  | 'volume'
  | 'init'
  | 'readiness'
  | 'notStarted'
  | 'terminating'
  | 'failed';

export interface PodBlock {
  kind: PodBlockKind;
  container: string | null;
  /** The API's own reason: `ImagePullBackOff`, `CrashLoopBackOff`, `Unschedulable`, … */
  reason: string;
  message: string | null;
  /** Since when the pod has been blocked, where the pod proves it. */
  since: string | null;
  restarts: number;
  lastTermination: { reason: string | null; exitCode: number | null; finishedAt: string | null } | null;
}

/** A pod as the cache keeps it. */
export interface PodSummary {
  uid: string;
  namespace: string;
  name: string;
  /** uid of the controlling owner: a ReplicaSet, or the workload itself. */
  controllerUid: string | null;
  node: string | null;
  ip: string | null;
  phase: string;
  ready: boolean;
  /** Transition time of condition Ready when it is true. */
  readyAt: string | null;
  createdAt: string;
  startedAt: string | null;
  deletedAt: string | null;
  restarts: number;
  /** Label `controller-revision-hash`: a revision name (StatefulSet) or a hash (DaemonSet). */
  revisionLabel: string | null;
  /** Label `pod-template-generation` (DaemonSet). */
  templateGeneration: string | null;
  images: readonly { container: string; image: string; imageId: string | null }[];
  /** Labels and annotations that kinds and rollout systems read; absent where it has none of them. */
  metadataValues?: Readonly<Record<string, string>>;
  /** Values of other labels that identify a revision, by their keys; absent where it has none of them. */
  revisionLabelValues?: readonly string[];
  /** Null while there is no problem. */
  block: PodBlock | null;
}
