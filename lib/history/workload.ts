import type { z } from 'zod';
import type { imageSchema, Writer } from '@/lib/api/common';
import type { placeholderSchema } from '@/lib/api/workloads';
import type { Immutable } from '@/lib/immutable';
import type { JsonObject } from '@/lib/kube/json';
import type { OwnerReference } from '@/lib/kube/object';

/**
 * What a revision records: a pod template (`spec.template`) without `$patch` and without the label
 * `pod-template-hash`, the template of groups of pods, or the data of a controller that Shiplog does not know
 * (see `lib/kube/recorded-data`).
 */
export type Template = JsonObject;

export interface ContainerImage extends Immutable<z.infer<typeof imageSchema>> {
  init: boolean;
}

/**
 * One entry of managedFields, reduced to what a reader of histories needs. A fact with its source: the
 * manager names a tool, seldom a person. `time` is the last write of any field of that entry.
 */
export interface FieldWrite extends Writer {
  subresource: string | null;
  /** The entry owns (part of) spec.template. */
  template: boolean;
  /** Of Shiplog's own entry: it owns nothing else, except the change cause. Absent: it may. */
  templateOnly?: true;
  /** The entry owns the revision number (annotation of a ReplicaSet, field of a ControllerRevision). */
  revision: boolean;
}

/** Identity of a pod template without its body. Equal ids mean equal templates. */
export interface TemplateFacts {
  /** Hash of the canonical JSON of the {@link Template}: byte equality. Key of the body store. */
  bodyId: string;
  /** Hash of the normalized template: semantic equality, order counts (`EqualIgnoreHash`). */
  semanticId: string;
  images: readonly ContainerImage[];
  /** Annotation `kubectl.kubernetes.io/restartedAt` of the template. */
  restartedAt: string | null;
  /** Annotation `kubernetes.io/change-cause` of the template itself (kubectl falls back to it). */
  templateCause: string | null;
}

/** A workload as the cache keeps it: the body of its template lives in the body store. */
export interface Workload extends TemplateFacts {
  resource: string;
  /** The API version in which it was read and is written: `v1`. */
  version: string;
  uid: string;
  namespace: string;
  name: string;
  resourceVersion: string;
  generation: number;
  createdAt: string;
  deletedAt: string | null;
  /** Its deletion leaves its pods and revisions. Absent: it does not. */
  leavesDependents?: boolean | undefined;
  labels: Readonly<Record<string, string>>;
  /** Without `kubectl.kubernetes.io/last-applied-configuration`, whose presence is {@link hasLastApplied}. */
  annotations: Readonly<Record<string, string>>;
  hasLastApplied: boolean;
  owners: readonly OwnerReference[];
  writes: readonly FieldWrite[];
  /** Last known write of anything but the status. Absent, or null: unknown. */
  editedAt?: string | null;
  /** `spec` without `template`. */
  spec: JsonObject;
  status: JsonObject;
  /** Why no object of its own was read. Absent: it was. */
  placeholder?: Placeholder;
}

/** Stands for a workload whose object could not be read. */
export interface Placeholder extends Immutable<z.infer<typeof placeholderSchema>> {
  owner: OwnerReference | null;
}

/** A complete object embedded in the data of a ControllerRevision. */
export interface EmbeddedObject {
  apiVersion: string;
  kind: string;
  name: string | null;
}

/**
 * What a source object reports of the rollout that it was created for. `running` may have failed without a
 * report; times are RFC 3339.
 */
export interface RevisionRun {
  state: 'notStarted' | 'running' | 'suspended' | 'terminated' | 'failed' | 'succeeded';
  startedAt: string | null;
  endedAt: string | null;
}

export type SourceNumber =
  | { kind: 'number'; value: number }
  /** A ReplicaSet without the annotation: counts as 0 for kubectl. */
  | { kind: 'missing' }
  /** Not an integer: kubectl skips it. */
  | { kind: 'invalid'; text: string };

/** A ReplicaSet or ControllerRevision as the cache keeps it: the carrier of one revision. */
export interface RevisionSource extends TemplateFacts {
  resource: string;
  uid: string;
  namespace: string;
  name: string;
  /** uid of the controlling owner; null for an orphan. */
  controllerUid: string | null;
  controllerKind: string | null;
  controllerName: string | null;
  /** Absent where it is not needed: ReplicaSets have one kind of controller. */
  controllerApiVersion?: string | null;
  /** What its data is a copy of. Absent: no complete object. */
  embeddedObject?: EmbeddedObject;
  /** Its own report of its rollout. Absent: it has none. */
  run?: RevisionRun;
  /** Why it holds no template to roll back to; its data is then stored as it is. Absent: it holds one. */
  fault?: string;
  labels: Readonly<Record<string, string>>;
  number: SourceNumber;
  /** Former numbers, from `deployment.kubernetes.io/revision-history`, ascending as written. */
  formerNumbers: readonly number[];
  /** Annotation `kubernetes.io/change-cause` of the object. */
  changeCause: string | null;
  /** All other annotations of the object except last-applied and the `deployment.kubernetes.io/` bookkeeping. */
  annotations: Readonly<Record<string, string>>;
  createdAt: string;
  deletedAt: string | null;
  /** Its owner was written by another client than its content: a controller adopted it. Absent: no write shows that. */
  claimed?: true;
  writes: readonly FieldWrite[];
  /** ReplicaSets only: counts, and whether the controller has observed the last spec. */
  scale: {
    desired: number;
    current: number;
    ready: number;
    available: number;
    observed: boolean;
  } | null;
}
