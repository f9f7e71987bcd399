import { semanticText } from '@/lib/diff/normalize';
import { canonicalJson, type JsonObject } from '@/lib/kube/json';
import { controllerUidOf, type KubeObject, type ManagedFieldsEntry } from '@/lib/kube/object';
import { podSummaryOf } from '@/lib/pods/pod-block';
import { pickPodMetadata } from '@/lib/pods/pod-metadata';
import type { PodSummary } from '@/lib/history/pod';
import type { HistoryInput, SourceKind, WorkloadKind } from '@/lib/workloads/kind';
import {
  CHANGE_CAUSE,
  cleanTemplate,
  imagesOf,
  restartedAtOf,
  templateCauseOf,
  withoutRestart,
  fieldWritesOf,
  isClaimed,
} from '@/lib/workloads/template-facts';
import { specWithoutTemplate, templateOfObject } from '@/lib/workloads/template-location';
import type { RevisionSource, TemplateFacts, Workload } from '@/lib/history/workload';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

export const NAMESPACE = 'shop';
export const WORKLOAD_UID = 'uid-workload';

/** A time in a test: so many minutes after noon. */
export function at(minute: number): string {
  return new Date(Date.UTC(2026, 7, 1, 12, minute)).toISOString().replace('.000', '');
}

export interface Parts {
  uid?: string;
  name?: string;
  created?: number;
  owner?: string | null;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  managedFields?: ManagedFieldsEntry[];
  generation?: number;
  deleted?: string;
}

export function template(image: string, extra: JsonObject = {}): JsonObject {
  return {
    metadata: { labels: { app: 'checkout' } },
    spec: { containers: [{ name: 'app', image: `checkout:${image}` }] },
    ...extra,
  };
}

export function object(kind: string, parts: Parts, body: Partial<KubeObject> = {}): KubeObject {
  const name = parts.name ?? 'checkout';
  const owner = parts.owner === undefined ? WORKLOAD_UID : parts.owner;
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: {
      name,
      namespace: NAMESPACE,
      uid: parts.uid ?? `uid-${name}`,
      resourceVersion: '1',
      generation: parts.generation ?? 1,
      creationTimestamp: at(parts.created ?? 0),
      ...unlessEmpty('labels', parts.labels),
      ...unlessEmpty('annotations', parts.annotations),
      managedFields: parts.managedFields ?? [],
      ...(parts.deleted === undefined ? {} : { deletionTimestamp: parts.deleted }),
      ...(owner === null
        ? {}
        : {
            ownerReferences: [
              { apiVersion: 'apps/v1', kind: 'Owner', name: 'checkout', uid: owner, controller: true },
            ],
          }),
    },
    ...body,
  };
}

/** The API server omits empty maps. */
function unlessEmpty(key: string, map: Record<string, string> = {}): Record<string, Record<string, string>> {
  return Object.keys(map).length === 0 ? {} : { [key]: map };
}

export function replicaSet(
  revision: number | string | null,
  image: string,
  parts: Parts & { history?: string; replicas?: number; ready?: number } = {},
): KubeObject {
  const hash = parts.name ?? `checkout-${revision ?? 'none'}`;
  const body = template(image);
  return object(
    'ReplicaSet',
    {
      ...parts,
      name: hash,
      annotations: {
        ...(revision === null ? {} : { 'deployment.kubernetes.io/revision': String(revision) }),
        ...(parts.history === undefined
          ? {}
          : { 'deployment.kubernetes.io/revision-history': parts.history }),
        ...parts.annotations,
      },
    },
    {
      spec: {
        replicas: parts.replicas ?? 0,
        template: { ...body, metadata: { labels: { app: 'checkout', 'pod-template-hash': hash } } },
      },
      status: {
        replicas: parts.replicas ?? 0,
        readyReplicas: parts.ready ?? parts.replicas ?? 0,
        availableReplicas: parts.ready ?? parts.replicas ?? 0,
        observedGeneration: 1,
      },
    },
  );
}

export function controllerRevision(
  revision: number,
  image: string,
  parts: Parts & { template?: JsonObject } = {},
): KubeObject {
  const name = parts.name ?? `checkout-${image}`;
  return object(
    'ControllerRevision',
    { ...parts, name },
    { revision, data: { spec: { template: { $patch: 'replace', ...(parts.template ?? template(image)) } } } },
  );
}

export interface PodParts extends Parts {
  ready?: boolean;
  phase?: string;
  image?: string;
  /** Reason for which the container waits, with its restarts. */
  waiting?: string;
  restarts?: number;
  exitCode?: number;
  spec?: JsonObject;
  status?: JsonObject;
}

export function pod(name: string, parts: PodParts = {}): KubeObject {
  const isReady = parts.ready ?? (parts.waiting === undefined && parts.phase === undefined);
  const state: JsonObject =
    parts.waiting === undefined ? { running: { startedAt: at(1) } } : { waiting: { reason: parts.waiting } };
  return object(
    'Pod',
    { ...parts, name },
    {
      spec: {
        nodeName: 'node-1',
        containers: [{ name: 'app', image: `checkout:${parts.image ?? '1'}` }],
        ...parts.spec,
      },
      status: {
        phase: parts.phase ?? 'Running',
        conditions: [
          {
            type: 'Ready',
            status: isReady ? 'True' : 'False',
            lastTransitionTime: at(2),
            reason: 'ContainersNotReady',
          },
        ],
        containerStatuses: [
          {
            name: 'app',
            ready: isReady,
            restartCount: parts.restarts ?? 0,
            state,
            ...(parts.exitCode === undefined
              ? {}
              : {
                  lastState: { terminated: { exitCode: parts.exitCode, reason: 'Error', finishedAt: at(2) } },
                }),
          },
        ],
        ...parts.status,
      },
    },
  );
}

/** What the cache derives from objects, with the texts themselves instead of hashes. */
export function historyInputOf(
  kind: WorkloadKind,
  workload: KubeObject,
  sources: readonly KubeObject[],
  pods: readonly KubeObject[] = [],
  parts: readonly Workload[] = [],
): HistoryInput {
  const taken = sources.map((source) => parseSource(kind.source, source));
  return {
    workload: parseWorkload(kind, workload),
    sources: taken.filter((source) => source.controllerUid !== null),
    orphans: taken.filter((source) => source.controllerUid === null),
    pods: pods.map((pod) => podSummary(kind, pod)),
    ...(parts.length > 0 && { children: parts }),
  };
}

function podSummary(kind: Pick<WorkloadKind, 'pods'>, pod: KubeObject): PodSummary {
  const metadataValues = pickPodMetadata(new Set(kind.pods.metadataKeys), pod.metadata);
  return { ...podSummaryOf(pod), ...(metadataValues && { metadataValues }) };
}

export function parseWorkload(kind: WorkloadKind, workload: KubeObject): Workload {
  const { metadata } = workload;
  const { [LAST_APPLIED]: lastApplied, ...annotations } = metadata.annotations ?? {};
  return {
    ...factsOf(templateOfObject(kind, workload) ?? {}),
    resource: kind.resource.id,
    version: workload.apiVersion.slice(workload.apiVersion.lastIndexOf('/') + 1),
    uid: metadata.uid,
    namespace: NAMESPACE,
    name: metadata.name,
    resourceVersion: metadata.resourceVersion,
    generation: metadata.generation ?? 0,
    createdAt: metadata.creationTimestamp,
    deletedAt: metadata.deletionTimestamp ?? null,
    labels: metadata.labels ?? {},
    annotations,
    hasLastApplied: lastApplied !== undefined,
    owners: metadata.ownerReferences ?? [],
    writes: fieldWritesOf(metadata.managedFields ?? [], () => false, kind.template?.location.isWritten),
    spec: specWithoutTemplate(kind, workload),
    status: workload.status ?? {},
  };
}

export function parseSource(kind: SourceKind, source: KubeObject): RevisionSource {
  const { metadata } = source;
  const kept = Object.entries(metadata.annotations ?? {}).filter(
    ([key]) => key !== CHANGE_CAUSE && key !== LAST_APPLIED && !key.startsWith('deployment.kubernetes.io/'),
  );
  return {
    ...factsOf(kind.templateOf(source) ?? {}),
    resource: kind.resource.id,
    uid: metadata.uid,
    namespace: NAMESPACE,
    name: metadata.name,
    controllerUid: controllerUidOf(source) ?? null,
    controllerKind: metadata.ownerReferences?.find((owner) => owner.controller)?.kind ?? null,
    controllerName: metadata.ownerReferences?.find((owner) => owner.controller)?.name ?? null,
    controllerApiVersion: metadata.ownerReferences?.find((owner) => owner.controller)?.apiVersion ?? null,
    labels: metadata.labels ?? {},
    number: kind.numberOf(source),
    formerNumbers: kind.formerNumbersOf(source),
    changeCause: metadata.annotations?.[CHANGE_CAUSE] ?? null,
    annotations: Object.fromEntries(kept),
    createdAt: metadata.creationTimestamp,
    deletedAt: metadata.deletionTimestamp ?? null,
    ...(isClaimed(metadata.managedFields ?? []) && { claimed: true as const }),
    writes: fieldWritesOf(metadata.managedFields ?? [], (fields) => kind.ownsNumber(fields)),
    scale: kind.scaleOf(source),
    ...(kind.embeddedObjectIn?.(source) && { embeddedObject: kind.embeddedObjectIn(source) }),
    ...(kind.runOf && { run: kind.runOf(source) }),
    ...withFault(kind.faultOf?.(source)),
  };
}

function withFault(fault: string | undefined): Pick<RevisionSource, 'fault'> {
  return fault === undefined ? {} : { fault };
}

export function factsOf(raw: JsonObject): TemplateFacts & { restartFreeId: string } {
  const body = cleanTemplate(raw);
  return {
    bodyId: canonicalJson(body),
    semanticId: semanticText(body),
    restartFreeId: semanticText(withoutRestart(body)),
    images: imagesOf(body),
    restartedAt: restartedAtOf(body),
    templateCause: templateCauseOf(body),
  };
}
