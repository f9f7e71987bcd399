import type { Extent } from '@/lib/oam/batches';
import { parsePlan, type RolloutPlan } from '@/lib/oam/plan';
import { batchStateOf, type Position, rollingStateOf } from '@/lib/oam/states';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject, ObjectMeta } from '@/lib/kube/object';
import { numberAt, objectAt, objectsAt, textAt, valueAt } from '@/lib/kube/read';

/** Of the kinds whose workloads can be rolled. */
export type WorkloadKindName = 'Deployment' | 'CloneSet';

/** Deployments are told apart by name; of a CloneSet there is one, some of whose pods are new. */
export const workloadKindNames: readonly WorkloadKindName[] = ['Deployment', 'CloneSet'];

export interface RolloutCondition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly message: string;
  readonly lastTransitionTime: string;
}

/** Original sizes of a workload. */
export interface OriginalWorkload {
  readonly name: string;
  readonly replicas: number;
  readonly isPaused: boolean;
  /** Of a CloneSet, as it was written. */
  readonly partition?: number | string;
  /** Of a CloneSet: the ControllerRevision that its pods ran. */
  readonly revision?: string;
  /** Of a CloneSet: the component revision recorded for its template. */
  readonly component?: string;
}

/** A source, with its pods at the start of this attempt. */
export interface SourceSize {
  readonly name: string;
  readonly replicas: number;
}

/** The results of a metric in the current batch. */
export interface Measurement {
  readonly name: string;
  /** RFC 3339. */
  readonly takenAt: string;
  readonly value: number | null;
  /** In a row, up to the latest. */
  readonly failures: number;
  readonly hasPassed: boolean;
}

/** Progress of a batch with an interval between its pods. */
export interface BatchPace {
  /** Pods allowed so far. */
  readonly replicas: number;
  /** RFC 3339; undefined until the last of them has been replaced. */
  readonly since: string | undefined;
}

/** What this controller records of one attempt, in addition to upstream's status. */
export interface RolloutRun {
  readonly kind: WorkloadKindName;
  readonly target: string;
  readonly mode: Extent['mode'];
  readonly base: number;
  /** Drained in this order. */
  readonly sources: readonly SourceSize[];
  /** Pods of the target revision that existed before. */
  readonly startingReplicas: number;
  /** Pods of the target revision after the last completed batch. */
  readonly finishedReplicas: number;
  /**
   * The goal of the current batch in pods of the target revision, fixed before the first of them is requested.
   */
  readonly batchReplicas: number;
  /** Where the batch waits between pods. */
  readonly pace: BatchPace | undefined;
  readonly measures: readonly Measurement[];
  readonly isReverted: boolean;
}

export interface OamRolloutStatus {
  readonly position: Position | undefined;
  readonly conditions: readonly RolloutCondition[];
  /** -1: not known, or not valid for another attempt. */
  readonly rolloutOriginalSize: number;
  /** -1: not known yet. */
  readonly rolloutTargetSize: number;
  readonly targetGeneration: string;
  readonly lastAppliedPodTemplateIdentifier: string;
  readonly currentBatch: number;
  readonly upgradedReplicas: number;
  readonly upgradedReadyReplicas: number;
  /** Name of the target that is or was rolled out; undefined after a reset. */
  readonly lastTarget: string | undefined;
  readonly lastSource: string | undefined;
  /** Undefined until the target has been located; after a reset the previous attempt. */
  readonly run: RolloutRun | undefined;
  /**
   * The state before the first attempt of this rollout; retained while one attempt is abandoned for another.
   */
  readonly origin: readonly OriginalWorkload[] | undefined;
}

/** The target of a rollout: existing workloads, in the design, or a component revision, as shipped. */
export type Target =
  | { readonly by: 'reference'; readonly apiVersion: string; readonly kind: string; readonly name: string }
  | { readonly by: 'revision'; readonly revision: string; readonly component: string };

export interface ControlledRollout {
  readonly metadata: ObjectMeta;
  readonly target: Target | undefined;
  /** Names of workloads, the kind being that of the target. */
  readonly sources: readonly string[];
  readonly plan: RolloutPlan;
  readonly status: OamRolloutStatus;
}

export const ROLLOUTS = {
  group: 'standard.oam.dev',
  version: 'v1alpha1',
  plural: 'rollouts',
  kind: 'Rollout',
} as const;

/** The status of a Rollout before its first reconcile. */
export const INITIAL_STATUS: OamRolloutStatus = {
  position: undefined,
  conditions: [],
  rolloutOriginalSize: -1,
  rolloutTargetSize: -1,
  targetGeneration: '',
  lastAppliedPodTemplateIdentifier: '',
  currentBatch: 0,
  upgradedReplicas: 0,
  upgradedReadyReplicas: 0,
  lastTarget: undefined,
  lastSource: undefined,
  run: undefined,
  origin: undefined,
};

/** Reads a Rollout of `standard.oam.dev`, in the fields of the design or in the shipped ones. */
export function parseControlledRollout({ metadata, spec = {}, status = {} }: KubeObject): ControlledRollout {
  return {
    metadata,
    target: targetOf(spec),
    sources: sourcesOf(spec),
    plan: parsePlan(objectAt(spec, 'rolloutPlan') ?? {}),
    status: parseStatus(status),
  };
}

/** The name of the target in messages; another name is another target. */
export function targetNameOf(target: Target): string {
  return target.by === 'reference' ? target.name : target.revision;
}

function targetOf(spec: JsonObject): Target | undefined {
  const reference = objectAt(spec, 'targetRef');
  const name = textAt(reference, 'name');
  if (reference !== undefined && name !== undefined) {
    const [apiVersion = '', kind = ''] = [textAt(reference, 'apiVersion'), textAt(reference, 'kind')];
    return { by: 'reference', apiVersion, kind, name };
  }
  const [revision, component] = [textAt(spec, 'targetRevisionName'), textAt(spec, 'componentName')];
  if (revision === undefined || component === undefined) return undefined;
  return { by: 'revision', revision, component };
}

function sourcesOf(spec: JsonObject): string[] {
  const revision = textAt(spec, 'sourceRevisionName');
  const references = objectsAt(spec, 'sourceRef').flatMap((source) => textAt(source, 'name') ?? []);
  return revision === undefined || revision === '' ? references : [revision];
}

function parseStatus(status: JsonObject): OamRolloutStatus {
  const rolling = rollingStateOf(textAt(status, 'rollingState'));
  const position =
    rolling === undefined ? undefined : { rolling, batch: batchStateOf(textAt(status, 'batchRollingState')) };
  return {
    position,
    conditions: objectsAt(status, 'conditions').map(parseCondition),
    rolloutOriginalSize: numberAt(status, 'rolloutOriginalSize') ?? INITIAL_STATUS.rolloutOriginalSize,
    rolloutTargetSize: numberAt(status, 'rolloutTargetSize') ?? INITIAL_STATUS.rolloutTargetSize,
    targetGeneration: textAt(status, 'targetGeneration') ?? '',
    lastAppliedPodTemplateIdentifier: textAt(status, 'lastAppliedPodTemplateIdentifier') ?? '',
    currentBatch: numberAt(status, 'currentBatch') ?? 0,
    upgradedReplicas: numberAt(status, 'upgradedReplicas') ?? 0,
    upgradedReadyReplicas: numberAt(status, 'upgradedReadyReplicas') ?? 0,
    lastTarget: textAt(status, 'lastTargetRevision'),
    lastSource: textAt(status, 'LastSourceRevision'),
    run: parseRun(objectAt(status, 'run')),
    origin:
      valueAt(status, 'origin') === undefined ? undefined : objectsAt(status, 'origin').map(parseOrigin),
  };
}

/** As `parseStatus` reads it. Empty members are left out. */
export function writeStatus(status: OamRolloutStatus): JsonObject {
  const { position, conditions, lastTarget, lastSource, run, origin, ...numbers } = status;
  return {
    ...numbers,
    ...(position !== undefined && { rollingState: position.rolling, batchRollingState: position.batch }),
    conditions: conditions.map((condition) => ({ ...condition })),
    ...(lastTarget !== undefined && { lastTargetRevision: lastTarget }),
    ...(lastSource !== undefined && { LastSourceRevision: lastSource }),
    ...(run !== undefined && { run: writeRun(run) }),
    ...(origin !== undefined && { origin: origin.map((entry) => ({ ...entry })) }),
  };
}

function parseCondition(condition: JsonObject): RolloutCondition {
  return {
    type: textAt(condition, 'type') ?? '',
    status: condition.status === 'True' ? 'True' : 'False',
    message: textAt(condition, 'message') ?? '',
    lastTransitionTime: textAt(condition, 'lastTransitionTime') ?? '',
  };
}

function parseRun(run: JsonObject | undefined): RolloutRun | undefined {
  const kind = workloadKindNames.find((known) => known === textAt(run, 'kind'));
  const target = textAt(run, 'target');
  if (run === undefined || kind === undefined || target === undefined) return undefined;
  return {
    kind,
    target,
    mode: textAt(run, 'mode') === 'scaling' ? 'scaling' : 'rolling',
    base: numberAt(run, 'base') ?? 0,
    sources: objectsAt(run, 'sources').map((source) => ({
      name: textAt(source, 'name') ?? '',
      replicas: numberAt(source, 'replicas') ?? 0,
    })),
    startingReplicas: numberAt(run, 'startingReplicas') ?? 0,
    finishedReplicas: numberAt(run, 'finishedReplicas') ?? 0,
    batchReplicas: numberAt(run, 'batchReplicas') ?? 0,
    pace: parsePace(objectAt(run, 'pace')),
    measures: objectsAt(run, 'measures').map((measure) => ({
      name: textAt(measure, 'name') ?? '',
      takenAt: textAt(measure, 'takenAt') ?? '',
      // Text in the cluster: values are not integers.
      value: numberOf(textAt(measure, 'value')),
      failures: numberAt(measure, 'failures') ?? 0,
      hasPassed: measure.hasPassed === true,
    })),
    isReverted: run.isReverted === true,
  };
}

function parsePace(pace: JsonObject | undefined): BatchPace | undefined {
  const replicas = numberAt(pace, 'replicas');
  return replicas === undefined ? undefined : { replicas, since: textAt(pace, 'since') };
}

function writePace({ replicas, since }: BatchPace): JsonObject {
  return { replicas, ...(since !== undefined && { since }) };
}

function writeRun({ sources, measures, pace, ...run }: RolloutRun): JsonObject {
  return {
    ...run,
    ...(pace !== undefined && { pace: writePace(pace) }),
    sources: sources.map((source) => ({ ...source })),
    measures: measures.map(({ value, ...measure }) => ({
      ...measure,
      ...(value !== null && { value: String(value) }),
    })),
  };
}

function parseOrigin(entry: JsonObject): OriginalWorkload {
  const { partition } = entry;
  const [revision, component] = [textAt(entry, 'revision'), textAt(entry, 'component')];
  return {
    name: textAt(entry, 'name') ?? '',
    replicas: numberAt(entry, 'replicas') ?? 0,
    isPaused: entry.isPaused === true,
    ...((typeof partition === 'number' || typeof partition === 'string') && { partition }),
    ...(revision !== undefined && { revision }),
    ...(component !== undefined && { component }),
  };
}

function numberOf(text: string | undefined): number | null {
  const number = text === undefined ? NaN : Number(text);
  return Number.isFinite(number) ? number : null;
}
