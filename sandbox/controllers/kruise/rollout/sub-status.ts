import { type JsonObject } from '@/lib/kube/json';
import { numberAt, objectAt, textAt } from '@/lib/kube/read';
import {
  type KruiseResource,
  type KruiseStatus,
  type Style,
} from '@/sandbox/controllers/kruise/shared/rollout-object';

/** The progress of a rollout: `canaryStatus` or `blueGreenStatus`, in one form. */
export interface SubStatus {
  observedWorkloadGeneration: number;
  observedRolloutID: string;
  rolloutHash: string;
  stableRevision: string;
  /** `canaryRevision` or `updatedRevision`. */
  revision: string;
  podTemplateHash: string;
  replicas: number;
  readyReplicas: number;
  currentStepIndex: number;
  nextStepIndex: number;
  currentStepState: string;
  finalisingStep: string;
  message: string;
  /** RFC 3339. */
  lastUpdateTime: string;
}

/** Undefined before the first reconcile of the workload. */
export function subStatusOf(rollout: KruiseResource, style: Style): SubStatus | undefined {
  const { status } = rollout;
  const raw = objectAt(status, style === 'BlueGreen' ? 'blueGreenStatus' : 'canaryStatus');
  if (raw === undefined) return undefined;
  const names = namesOf(style);
  const text = (key: string) => textAt(raw, key) ?? '';
  const number = (key: string) => numberAt(raw, key) ?? 0;
  return {
    observedWorkloadGeneration: number('observedWorkloadGeneration'),
    observedRolloutID: text('observedRolloutID'),
    rolloutHash: text('rolloutHash'),
    stableRevision: text('stableRevision'),
    revision: text(names.revision),
    podTemplateHash: text('podTemplateHash'),
    replicas: number(names.replicas),
    readyReplicas: number(names.readyReplicas),
    currentStepIndex: number('currentStepIndex'),
    nextStepIndex: number('nextStepIndex'),
    currentStepState: text('currentStepState'),
    finalisingStep: text('finalisingStep'),
    message: text('message'),
    lastUpdateTime: text('lastUpdateTime'),
  };
}

/** The status with that sub-status and its copies at the top. */
export function withSubStatus(status: KruiseStatus, style: Style, sub: SubStatus | undefined): KruiseStatus {
  const { canaryStatus: _canary, blueGreenStatus: _blueGreen, ...rest } = status;
  if (sub === undefined) return { ...rest, currentStepIndex: 0, currentStepState: '' };
  const { currentStepIndex, currentStepState } = sub;
  const raw = rawOf(style, sub);
  const key = style === 'BlueGreen' ? 'blueGreenStatus' : 'canaryStatus';
  return { ...rest, currentStepIndex, currentStepState, [key]: raw };
}

function rawOf(style: Style, sub: SubStatus): JsonObject {
  const names = namesOf(style);
  const optional = {
    observedWorkloadGeneration: sub.observedWorkloadGeneration,
    observedRolloutID: sub.observedRolloutID,
    rolloutHash: sub.rolloutHash,
    stableRevision: sub.stableRevision,
    message: sub.message,
    lastUpdateTime: sub.lastUpdateTime,
    currentStepIndex: sub.currentStepIndex,
  };
  const written = Object.entries(optional).filter(([, value]) => value !== '' && value !== 0);
  return {
    ...Object.fromEntries(written),
    [names.revision]: sub.revision,
    podTemplateHash: sub.podTemplateHash,
    [names.replicas]: sub.replicas,
    [names.readyReplicas]: sub.readyReplicas,
    nextStepIndex: sub.nextStepIndex,
    currentStepState: sub.currentStepState,
    finalisingStep: sub.finalisingStep,
  };
}

function namesOf(style: Style) {
  return style === 'BlueGreen'
    ? { revision: 'updatedRevision', replicas: 'updatedReplicas', readyReplicas: 'updatedReadyReplicas' }
    : { revision: 'canaryRevision', replicas: 'canaryReplicas', readyReplicas: 'canaryReadyReplicas' };
}
