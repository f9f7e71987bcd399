import 'server-only';
import type { ClusterInfo } from '@/lib/api/cluster';
import type { KubeObject } from '@/lib/kube/object';
import type { WorkloadKind } from '@/lib/workloads/kind';
import type { RevisionSource, Workload } from '@/lib/history/workload';
import type { AccessReviews } from '@/server/cluster/access';
import type { ViewerAccess } from '@/server/cluster/viewer-access';
import type { ClusterCache, WorkloadKey } from '@/server/cluster/cache';
import type { RolloutCache, RolloutKey } from '@/server/cluster/rollout-index';
import type { ViewerTransport } from '@/server/cluster/transport';
import type { ArgoPlace } from '@/server/shared/cluster-entry';
import type { Viewer } from '@/server/shared/viewer';
import type { ClusterIdentity } from '@/server/cluster/cluster-identity';

export interface Connection {
  state: ClusterInfo['connection']['state'];
  message: string | null;
  /** Milliseconds since the epoch. */
  observedAt: number | null;
  since: number;
}

/** One cluster as the process reads it: connection, cache, rights. */
export interface Cluster {
  readonly identity: ClusterIdentity;
  /** The only namespaces that Shiplog reads; none: all. */
  readonly namespaces: readonly string[];
  /** Where the Argo CD is that deploys to it. */
  readonly argocd: ArgoPlace;
  readonly connection: Connection;
  readonly cache: ClusterCache;
  readonly rollouts: RolloutCache;
  readonly access: AccessReviews;
  readonly viewerAccess: Pick<ViewerAccess, 'inNamespaces'>;
  /** The process's own identity. */
  readonly self: Viewer;
  /** Every cache is filled, or known to be forbidden. Remains true from then on. */
  readonly ready: boolean;
  /** Calls back with changed workloads, at most once per turn of the event loop. Returns the unsubscriber. */
  onChange(listener: (keys: readonly WorkloadKey[]) => void): () => void;
  /**
   * Calls back with rollouts, and records of them, that changed or whose workload or pods did. Returns the
   * unsubscriber.
   */
  onRolloutChange(listener: (keys: readonly RolloutKey[]) => void): () => void;
  /** Calls back when the connection, the name of the cluster or {@link ready} has changed. Returns the unsubscriber. */
  onConnection(listener: (connection: Connection) => void): () => void;
  /**
   * The only way to the API server for a read or an action: with the viewer's credential. Throws AppError `forbidden`
   * for an identity that Shiplog does not impersonate.
   */
  transportFor(viewer: Viewer): ViewerTransport;
  /**
   * The object as the API server has it now, read as the viewer, with the literal text of its template. The
   * result holds its body in no store; `summary` is as in the cache.
   */
  readWorkload(viewer: Viewer, kind: WorkloadKind, namespace: string, name: string): Promise<FreshWorkload>;
  /** The source object as it is now, read as the viewer. */
  readSource(viewer: Viewer, kind: WorkloadKind, namespace: string, name: string): Promise<FreshSource>;
  stop(): Promise<void>;
}

export interface FreshWorkload {
  object: KubeObject;
  summary: Workload;
}

export interface FreshSource {
  object: KubeObject;
  summary: RevisionSource;
}
