import type { Outcome } from '@/lib/api/record-values';
import type { JsonObject } from '@/lib/kube/json';
import { isReady, NAMESPACE, type VirtualSandbox } from '@/e2e/records/virtual-sandbox';

export const kinds = {
  Deployment: 'deployments',
  StatefulSet: 'statefulsets',
  DaemonSet: 'daemonsets',
} as const;

export type Kind = keyof typeof kinds;

/** An action on the workload of a script. */
type ScriptAction = (stage: VirtualSandbox, script: Pick<WorkloadScript, 'kind' | 'name'>) => Promise<void>;

/** The record that the rollout of an action must have. */
export interface ExpectedRecord {
  /** Null while the rollout is open. */
  outcome: Outcome | null;
  /** The recorded author; by default the author of the action, null where none can be proven. */
  by?: string | null;
  cause?: string;
  /** Kind, and the hours of the month between which it lasted, to a tenth; null: to the end of the rollout. */
  spans?: readonly (readonly ['held' | 'stuck', from: number, to: number | null])[];
  /** Of each step its name, the pods created and the pods deleted. */
  steps?: readonly (readonly [name: string, up: number, down: number])[];
  restart?: true;
  /** The action only chooses the target; the rollout begins with the action at this hour. */
  begins?: number;
  /** The target was chosen so early that its activation began then. */
  chosen?: number;
}

export interface ScriptStep {
  /** Hours since the beginning of the month. */
  readonly at: number;
  readonly act: ScriptAction;
  readonly rollout: ExpectedRecord | null;
  /** Creates the workload: its records start over. */
  readonly isCreation?: boolean;
  readonly isEnd?: boolean;
  readonly runs?: string;
  readonly by?: string;
}

export interface WorkloadScript {
  readonly kind: Kind;
  readonly name: string;
  readonly steps: readonly ScriptStep[];
}

const MANAGER = 'kubectl-edit';
const CAUSE = 'kubernetes.io/change-cause';
const RESTARTED_AT = 'kubectl.kubernetes.io/restartedAt';

/** Hours since the beginning of the month for a day (1 is the first) and an hour. */
export function day(number: number, clock: number): number {
  return (number - 1) * 24 + clock;
}

export function create(at: number, runs: string, rollout: ExpectedRecord, spec: JsonObject = {}): ScriptStep {
  const act: ScriptAction = (stage, { kind, name }) => {
    const sized = kind === 'DaemonSet' ? {} : { replicas: 3 };
    const named = kind === 'StatefulSet' ? { serviceName: name } : {};
    const labels = { app: name };
    return stage.create(kinds[kind], MANAGER, {
      apiVersion: 'apps/v1',
      kind,
      metadata: { name, namespace: NAMESPACE },
      spec: {
        ...sized,
        ...named,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: containersOf(runs) } },
        ...spec,
      },
    });
  };
  return { at, act, rollout, isCreation: true, runs, by: MANAGER };
}

/** `runs` is a tag of the image, with a level after a plus sign where there is one: `2+debug`. */
export function ship(
  at: number,
  runs: string,
  rollout: ExpectedRecord | null,
  by = 'kubectl-set',
): ScriptStep {
  const annotations =
    rollout?.cause === undefined ? {} : { metadata: { annotations: { [CAUSE]: rollout.cause } } };
  const template = { spec: { containers: containersOf(runs) } };
  return { at, act: patchAction(by, { ...annotations, spec: { template } }), rollout, runs, by };
}

export function restart(at: number, rollout: ExpectedRecord): ScriptStep {
  const by = 'kubectl-rollout';
  const annotations = { [RESTARTED_AT]: new Date(Date.parse('2026-03-01') + at * 3_600_000).toISOString() };
  const act = patchAction(by, { spec: { template: { metadata: { annotations } } } });
  return { at, act, rollout: { restart: true, ...rollout }, by };
}

/** Any other change of the spec, which by default begins no rollout. */
export function change(at: number, spec: JsonObject, rollout: ExpectedRecord | null = null): ScriptStep {
  return { at, act: patchAction('kubectl-patch', { spec }), rollout };
}

export function partition(at: number, position: number): ScriptStep {
  return change(at, { updateStrategy: { rollingUpdate: { partition: position } } });
}

export function remove(at: number): ScriptStep {
  return { at, act: (stage, { kind, name }) => stage.remove(kinds[kind], name), rollout: null, isEnd: true };
}

/** Deletes the oldest pods. */
export function replacePods(at: number, count: number): ScriptStep {
  const act: ScriptAction = async (stage, { name }) => {
    const pods = stage.list('pods').filter(({ metadata }) => metadata.labels?.['app'] === name);
    const oldest = pods.toSorted((a, b) =>
      (a.metadata.creationTimestamp ?? '') < (b.metadata.creationTimestamp ?? '') ? -1 : 1,
    );
    for (const { metadata } of oldest.slice(0, count)) await stage.remove('pods', metadata.name);
  };
  return { at, act, rollout: null };
}

/** Deletes the pods that are not ready, without which a StatefulSet does not progress. */
export function replaceBroken(at: number): ScriptStep {
  const act: ScriptAction = async (stage, { name }) => {
    const pods = stage.list('pods').filter(({ metadata }) => metadata.labels?.['app'] === name);
    for (const pod of pods) if (!isReady(pod)) await stage.remove('pods', pod.metadata.name);
  };
  return { at, act, rollout: null };
}

function patchAction(by: string, patch: JsonObject): ScriptAction {
  return (stage, { kind, name }) => stage.patch(kinds[kind], name, by, patch);
}

function containersOf(runs: string): JsonObject[] {
  const [tag, level] = runs.split('+');
  const env = level === undefined ? {} : { env: [{ name: 'LEVEL', value: level }] };
  return [{ name: 'app', image: `web:${tag}`, ...env }];
}
