import { type Json, type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { type Resource } from '@/sandbox/controllers/engine/resource';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import {
  type BatchReleaseObject,
  CONTROL_INFO,
  type ReleasePlan,
} from '@/sandbox/controllers/kruise/shared/batch-release-object';
import { controllerReference } from '@/sandbox/controllers/objects/owner';
import { type Pod } from '@/sandbox/controllers/objects/pod';
import { type IntOrString } from '@/sandbox/controllers/objects/workloads';

/** The object that a BatchRelease works on. */
export interface ClaimedWorkload {
  readonly manager: ControllerManager;
  readonly batchRelease: BatchReleaseObject;
  readonly resource: Resource<KubeObject>;
  readonly workload: KubeObject;
}

/** The target of a rollout. */
export interface BatchTarget {
  /** As the plan has it. */
  readonly part: IntOrString;
  /** In replicas. */
  readonly size: number;
  readonly replicas: number;
}

export interface BatchCounts {
  readonly updated: number;
  readonly updatedReady: number;
}

interface Revisions {
  readonly stable?: string;
  readonly update: string;
}

/** How one kind of workload is released in batches. Each function may be called repeatedly at any time. */
export interface Control {
  revisions(): Revisions;
  /** Claims the workload. Returns whether it is claimed. */
  prepare(): Promise<boolean>;
  upgrade(target: BatchTarget): Promise<void>;
  counts(): BatchCounts;
  /** Pods of the new version. */
  updatedPods(): Pod[];
  /** Pods of any version that need a revision label which their kind does not set. */
  unnamedPods?(): readonly { pod: Pod; revision: string }[];
  /** Releases the claim, with the rest upgraded or left unchanged. Returns whether that is done. */
  release(plan: ReleasePlan): Promise<boolean>;
}

/** The annotation by which that BatchRelease claims the workload. */
export function controlInfo(batchRelease: BatchReleaseObject): Record<string, string> {
  const { apiVersion, kind, name, uid } = controllerReference(batchRelease);
  const text = { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
  return { [CONTROL_INFO]: JSON.stringify(text) };
}

export function isClaimed({ workload, batchRelease }: ClaimedWorkload): boolean {
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
