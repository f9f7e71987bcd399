import { CONTROLLER_LABEL, CONTROLLER_VALUE } from '@/lib/oam/eligibility';
import type { Batch, RolloutPlan } from '@/lib/oam/plan';
import { parseControlledRollout as parseOam, type OamRolloutStatus } from '@/lib/oam/rollout';
import { isJsonObject, type Json } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { objectFacts } from '@/lib/rollout/object-facts';
import { conditionsOf, boundedName, writtenAt } from '@/lib/rollout/bounded';
import {
  applicationDeployments,
  appRollouts,
  oamRollouts,
  rolloutTraits,
  workloadResource,
} from '@/lib/rollout/oam/resources';
import type { ConditionItem } from '@/lib/api/common';
import type { WorkloadTarget, RolloutObject } from '@/lib/rollout/rollout-facts';
import { objectAt, valueAt } from '@/lib/kube/read';
import type { ResourceType } from '@/lib/kube/resource';

/** The API sets no limits, so any writer could fill Shiplog's memory. */
const BATCHES_MAX = 100;
const CHECKS_MAX = 16;
const SOURCES_MAX = 16;

/** What the names of target and source refer to. */
type OamNaming = 'workload' | 'componentRevision' | 'applicationRevision' | 'application';

/**
 * A Rollout of OAM of any generation, reduced to what the rules need.
 * https://github.com/kubevela/kubevela/blob/v1.8.2/apis/standard.oam.dev/v1alpha1/rollout_type.go
 */
export interface OamRollout extends RolloutObject {
  naming: OamNaming;
  /** Last write outside of the status, and of the status, where managedFields show it. */
  specWrittenAt: string | null;
  statusWrittenAt: string | null;
  /** As the spec names it. */
  target: string | null;
  source: string | null;
  plan: RolloutPlan;
  /** The name of the partition in the spec. */
  partitionMember: 'batchPartition' | 'lastBatchToRollout';
  /** Both names exist and have different values. */
  hasTwoPartitions: boolean;
  status: OamRolloutStatus;
  /** States as found; empty where there are none. */
  rolling: string;
  batch: string;
  conditions: readonly ConditionItem[];
  /** Names of the workloads that pods are drained from. */
  sources: readonly string[];
  /** Other workloads that it has moved. */
  former: readonly string[];
  /** Source and target are one workload, some of whose pods are new. */
  isInPlace: boolean;
  /** Assigned to Shiplog's own controller. */
  isOurs: boolean;
  /** "Application cart", where that renders it and reverts changes made here. */
  renderedBy: string | null;
  isHeldByFinalizer: boolean;
}

export function parseOamRollout(object: KubeObject): OamRollout {
  const isByReference = objectAt(object.spec, 'targetRef') !== undefined;
  return parse(object, oamRollouts, isByReference ? 'workload' : 'componentRevision');
}

/** In the fields of the design: no controller has ever worked on it. */
export function parseRolloutTrait(object: KubeObject): OamRollout {
  return parse(object, rolloutTraits, 'workload');
}

export function parseAppRollout(object: KubeObject): OamRollout {
  return parse(object, appRollouts, 'applicationRevision');
}

export function parseApplicationDeployment(object: KubeObject): OamRollout {
  return parse(object, applicationDeployments, 'application');
}

const SPEC_NAMES = {
  workload: [],
  componentRevision: ['targetRevisionName', 'sourceRevisionName'],
  applicationRevision: ['targetAppRevisionName', 'sourceAppRevisionName'],
  application: ['targetApplicationName', 'sourceApplicationName'],
} as const satisfies Record<OamNaming, readonly string[]>;

const STATUS_NAMES = {
  workload: ['lastTargetRevision', 'LastSourceRevision'],
  componentRevision: ['lastTargetRevision', 'LastSourceRevision'],
  applicationRevision: ['lastTargetAppRevision', 'LastSourceAppRevision'],
  application: ['lastTargetApplicationName', 'LastSourceApplicationName'],
} as const satisfies Record<OamNaming, readonly string[]>;

/** Extracts what the rules need, cut to a bounded size; unexpected content counts as absent. Never throws. */
function parse(object: KubeObject, type: ResourceType, naming: OamNaming): OamRollout {
  const { metadata } = object;
  const spec = object.spec ?? {};
  const read = parseOam(object);
  const [targetName = '', sourceName = ''] = SPEC_NAMES[naming];
  const [lastTarget, lastSource] = STATUS_NAMES[naming];
  const status: OamRolloutStatus = {
    ...read.status,
    conditions: [],
    lastTarget: boundedName(object.status, lastTarget) ?? undefined,
    lastSource: boundedName(object.status, lastSource) ?? undefined,
  };
  const target = boundedName(spec, 'targetRef', 'name') ?? boundedName(spec, targetName);
  const component = componentOf(spec);
  const workload =
    naming === 'workload' || naming === 'componentRevision'
      ? workloadOf(object, status, target, component)
      : { resource: null, apiVersion: '', kind: 'Component', name: component ?? '' };
  const isInPlace = workload.resource !== null && workload.kind !== 'Deployment';
  const ofWorkloads = workload.resource === null || isInPlace ? NONE : workloadNames(read, status, naming);
  const plan = objectAt(spec, 'rolloutPlan');
  const [partition, lastBatch] = [plan?.batchPartition, plan?.lastBatchToRollout];
  const others = [...new Set([...ofWorkloads.sources, ...ofWorkloads.former])].filter(
    (name) => name !== workload.name,
  );
  const { resource } = workload;
  return {
    resource: type.id,
    ...objectFacts(object),
    // None of its controllers reports it.
    observedGeneration: null,
    workload,
    relatedObjects: [],
    ...(resource !== null && { others: others.map((name) => ({ resource, name })) }),
    ...(naming === 'componentRevision' && component !== null && { component }),
    naming,
    specWrittenAt: writtenAt(object, 'spec'),
    statusWrittenAt: writtenAt(object, 'status'),
    target,
    source: boundedName(spec, sourceName) ?? limitName(read.sources[0]),
    plan: boundedPlan(read.plan, valueAt(spec, 'revertOnDelete') === true),
    partitionMember:
      typeof lastBatch === 'number' && typeof partition !== 'number'
        ? 'lastBatchToRollout'
        : 'batchPartition',
    hasTwoPartitions:
      typeof partition === 'number' && typeof lastBatch === 'number' && partition !== lastBatch,
    status,
    rolling: boundedName(object.status, 'rollingState') ?? '',
    batch: boundedName(object.status, 'batchRollingState') ?? '',
    conditions: conditionsOf(object.status),
    sources: ofWorkloads.sources.filter((name) => name !== workload.name),
    former: ofWorkloads.former.filter(
      (name) => name !== workload.name && !ofWorkloads.sources.includes(name),
    ),
    isInPlace,
    isOurs: metadata.labels?.[CONTROLLER_LABEL] === CONTROLLER_VALUE,
    renderedBy: rendererOf(object),
    isHeldByFinalizer: (metadata.finalizers ?? []).length > 0,
  };
}

const NONE = { sources: [], former: [] };

function componentOf(spec: Json): string | null {
  const listed = valueAt(spec, 'componentList');
  const first = Array.isArray(listed) ? listed.find((name) => typeof name === 'string') : undefined;
  return boundedName(spec, 'componentName') ?? limitName(first);
}

/**
 * The workload of the status, or of the spec while there is no status. A Deployment has the name of its
 * revision, every other kind that of the component.
 */
function workloadOf(
  { metadata, spec }: KubeObject,
  { run, lastTarget }: OamRolloutStatus,
  target: string | null,
  component: string | null,
): WorkloadTarget {
  const reference = objectAt(spec, 'targetRef');
  const marked = kindIn(metadata.annotations?.[GVK]);
  const apiVersion = boundedName(reference, 'apiVersion') ?? marked?.apiVersion ?? 'apps/v1';
  const kind = boundedName(reference, 'kind') ?? marked?.kind ?? 'Deployment';
  const runKind = run === undefined ? undefined : RUN_KINDS[run.kind];
  const requestedName = reference === undefined && kind !== 'Deployment' ? component : (lastTarget ?? target);
  const markedName = reference === undefined ? metadata.annotations?.[WORKLOAD_NAME] : undefined;
  const isSame =
    runKind === undefined || (runKind.kind === kind && apiVersion.startsWith(`${runKind.group}/`));
  return {
    resource: workloadResource(isSame ? apiVersion : `${runKind.group}/`, runKind?.kind ?? kind),
    apiVersion: isSame ? apiVersion : runKind.group,
    kind: runKind?.kind ?? kind,
    name: limitName(run?.target) ?? limitName(markedName) ?? requestedName ?? '',
  };
}

/** Where KubeVela records what it has rendered. */
const GVK = 'trait.oam.dev/workload-gvk';
const WORKLOAD_NAME = 'trait.oam.dev/workload-name';

const RUN_KINDS = {
  Deployment: { group: 'apps', kind: 'Deployment' },
  CloneSet: { group: 'apps.kruise.io', kind: 'CloneSet' },
} as const;

function kindIn(text: string | undefined): { apiVersion: string; kind: string } | null {
  if (text === undefined || text.length > 1_000) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isJsonObject(value)) return null;
  const [apiVersion, kind] = [boundedName(value, 'apiVersion'), boundedName(value, 'kind')];
  return apiVersion === null || kind === null ? null : { apiVersion, kind };
}

/** Deployments of one rollout: the one being drained, and others that it has moved. */
function workloadNames(
  { sources }: { sources: readonly string[] },
  { run, lastSource, lastTarget, origin = [] }: OamRolloutStatus,
  naming: OamNaming,
): { sources: string[]; former: string[] } {
  const drained = run?.sources.map(({ name }) => name);
  const known = lastSource === undefined ? [] : [lastSource];
  // No controller reads what a Rollout of revisions names as its source.
  const named = naming === 'workload' || lastTarget === undefined ? sources : known;
  const clean = (names: readonly string[]) =>
    [...new Set(names.flatMap((name) => limitName(name) ?? []))].slice(0, SOURCES_MAX);
  return {
    sources: clean(drained === undefined || drained.length === 0 ? named : drained),
    former: clean([...origin.map(({ name }) => name), ...known, ...sources]),
  };
}

function boundedPlan(plan: RolloutPlan, ofSpec: boolean): RolloutPlan {
  const checks = <T>(list: readonly T[]) => list.slice(0, CHECKS_MAX);
  const batchOf = (batch: Batch): Batch => ({
    ...batch,
    webhooks: checks(batch.webhooks),
    metrics: checks(batch.metrics),
  });
  return {
    ...plan,
    // As many steps as there are batches: a number alone must not create thousands of them.
    numBatches: plan.numBatches === undefined ? undefined : Math.min(plan.numBatches, BATCHES_MAX),
    batches: plan.batches.slice(0, BATCHES_MAX).map(batchOf),
    webhooks: checks(plan.webhooks),
    metrics: checks(plan.metrics),
    revertOnDelete: plan.revertOnDelete || ofSpec,
  };
}

const RENDERERS: readonly string[] = ['Application', 'ResourceTracker', 'ApplicationConfiguration'];

function rendererOf({ metadata: { labels = {}, ownerReferences = [] } }: KubeObject): string | null {
  const app = labels['app.oam.dev/name'];
  if (app !== undefined && app !== '') return `Application ${app.slice(0, 253)}`;
  const owner = ownerReferences.find(({ kind }) => RENDERERS.includes(kind));
  return owner === undefined ? null : `${owner.kind} ${owner.name}`;
}

function limitName(name: Json | undefined): string | null {
  return boundedName({ name: name ?? null }, 'name');
}
