import { type Json, type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { type Resource } from '@/server/sandbox/controllers/engine/resource';
import { type World } from '@/server/sandbox/controllers/engine/world';
import {
  type BatchRelease,
  CONTROL_INFO,
  type ReleasePlan,
} from '@/server/sandbox/controllers/kruise/batch-release/batch-release-object';
import { controllerReference } from '@/server/sandbox/controllers/objects/owner';
import { type Pod } from '@/server/sandbox/controllers/objects/pod';
import { type IntOrString } from '@/server/sandbox/controllers/objects/workloads';

/** What a BatchRelease works on. */
export interface Held {
  readonly world: World;
  readonly batchRelease: BatchRelease;
  readonly resource: Resource<KubeObject>;
  readonly workload: KubeObject;
}

/** How far a release is to go. */
export interface Target {
  /** As the plan has it. */
  readonly part: IntOrString;
  /** In replicas. */
  readonly size: number;
  readonly replicas: number;
}

export interface Counts {
  readonly updated: number;
  readonly updatedReady: number;
}

export interface Revisions {
  readonly stable?: string;
  readonly update: string;
}

/** How one kind of workload is released in batches. Each function may be called again at any moment. */
export interface Control {
  revisions(): Revisions;
  /** Takes hold of the workload. Says when it has it. */
  prepare(): Promise<boolean>;
  upgrade(target: Target): Promise<void>;
  counts(): Counts;
  /** Pods of the new version. */
  updatedPods(): Pod[];
  /** Pods of any version that get a revision label which their kind does not give them. */
  unnamedPods?(): readonly { pod: Pod; revision: string }[];
  /** Lets go of the workload, with the rest upgraded or left as it is. Says when that is done. */
  release(plan: ReleasePlan): Promise<boolean>;
}

/** Marks the workload as held by that BatchRelease. */
export function controlInfo(batchRelease: BatchRelease): Record<string, string> {
  const { apiVersion, kind, name, uid } = controllerReference(batchRelease);
  const text = { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
  return { [CONTROL_INFO]: JSON.stringify(text) };
}

export function isHeld({ workload, batchRelease }: Held): boolean {
  const [[key, value] = ['', '']] = Object.entries(controlInfo(batchRelease));
  return workload.metadata.annotations?.[key] === value;
}

/** A merge patch that changes annotations, labels and the spec of a workload; null removes. */
export function workloadPatch(
  annotations: Record<string, string | null>,
  labels: Record<string, string | null>,
  spec: JsonObject,
): JsonObject {
  const metadata: Record<string, Json> = { annotations, labels };
  return { metadata, spec };
}
