import type { Workload } from '@/lib/history/workload';
import type { JsonObject } from '@/lib/kube/json';

/** What markers are read from: a workload, or an owner that has an owner itself. */
export type Marked = Pick<Workload, 'resource' | 'namespace' | 'name' | 'labels' | 'annotations' | 'writes'>;

interface Found {
  /** What shows it: "annotation argocd.argoproj.io/tracking-id", "field manager helm". */
  evidence: string;
  /** Null where no marker has a valid name: then nothing of it becomes part of a command, a link or a request. */
  name: string | null;
}

/**
 * What writes a workload from a description elsewhere. Argo CD names no namespace for an application that is in its own
 * namespace, and an installation only where several share a cluster.
 */
export type Owner =
  | (Found & { kind: 'application'; namespace: string | null; installation: string | null })
  | (Found & {
      kind: 'kustomization' | 'helmRelease' | 'resourceSet';
      namespace: string;
      /** The mark on the workload that excludes it from this owner; null where it has none. */
      excludedBy: string | null;
    })
  | (Found & { kind: 'helm'; namespace: string | null })
  | (Found & { kind: 'tool'; tool: ToolName })
  | (Found & { kind: 'pipeline'; tool: string; identifies: string });

export type ToolName = 'Config Sync' | 'Rancher Fleet' | 'kapp' | 'KubeVela';

/** An object as the person could read it; `absent` where it does not exist or its kind is not served. */
export type Reading =
  | { state: 'found'; object: JsonObject }
  | { state: 'unreadable' }
  | { state: 'absent' }
  | { state: 'ambiguous' };

/** An owner of an Application: what puts its sync policy back. */
export type Parent = Exclude<Owner, { kind: 'tool' | 'pipeline' }> | ApplicationSet;

interface ApplicationSet {
  kind: 'applicationSet';
  namespace: string;
  name: string;
}

/** An owner with everything that was read about it. */
export interface OwnerReading {
  owner: Owner;
  object: Reading;
  /** The AppProject of an Application. */
  project: Reading;
  /** Of an Application, from the nearest up. */
  parents: readonly { parent: Parent; object: Reading }[];
}

/** What is known without reading anything. */
export function unread(owner: Owner): OwnerReading {
  const object = { state: 'unreadable' } as const;
  return { owner, object, project: object, parents: [] };
}
