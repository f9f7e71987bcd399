import { type Outcome } from '@/lib/ledger/record';
import { type JsonObject } from '@/lib/kube/json';
import { isReady, NAMESPACE, type Stage } from '@/e2e/ledger/stage';

export const kinds = {
  Deployment: 'deployments',
  StatefulSet: 'statefulsets',
  DaemonSet: 'daemonsets',
} as const;

export type Kind = keyof typeof kinds;

/** What somebody does to the workload of a story. */
export type Act = (stage: Stage, story: Pick<Story, 'kind' | 'name'>) => Promise<void>;

/** What the ledger has to say of the rollout that an act begins. */
export interface Expected {
  /** What runs afterwards, as given to {@link ship}; what it was before unless told. */
  outcome: Outcome | null;
  /** Who is named; the author of the act unless told otherwise, null where nothing can prove it. */
  by?: string | null;
  cause?: string;
  /** Kind, and the hours of the month between which it lasted, to a tenth; null: to the end of the rollout. */
  spans?: readonly (readonly ['held' | 'stuck', from: number, to: number | null])[];
  /** Of each step its name, how many pods came and how many went for them. */
  steps?: readonly (readonly [name: string, up: number, down: number])[];
  restart?: true;
  /** The act only chooses the target; the rollout begins with the act at this hour. */
  begins?: number;
  /** The target was chosen so early that its activation began then. */
  chosen?: number;
}

export interface Scene {
  /** Hours since the beginning of the month. */
  readonly at: number;
  readonly act: Act;
  readonly rollout: Expected | null;
  /** A workload is made: its records begin anew. */
  readonly isBirth?: boolean;
  readonly isEnd?: boolean;
  readonly runs?: string;
  readonly by?: string;
}

export interface Story {
  readonly kind: Kind;
  readonly name: string;
  readonly scenes: readonly Scene[];
}

const PEOPLE = 'kubectl-edit';
const CAUSE = 'kubernetes.io/change-cause';
const RESTARTED_AT = 'kubectl.kubernetes.io/restartedAt';

/** Hours since the beginning of the month, of the first, second, … day at so many o'clock. */
export function day(number: number, clock: number): number {
  return (number - 1) * 24 + clock;
}

export function create(at: number, runs: string, rollout: Expected, spec: JsonObject = {}): Scene {
  const act: Act = (stage, { kind, name }) => {
    const sized = kind === 'DaemonSet' ? {} : { replicas: 3 };
    const named = kind === 'StatefulSet' ? { serviceName: name } : {};
    const labels = { app: name };
    return stage.create(kinds[kind], PEOPLE, {
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
  return { at, act, rollout, isBirth: true, runs, by: PEOPLE };
}

/** `runs` is a tag of the image, with a level after a plus sign where there is one: `2+debug`. */
export function ship(at: number, runs: string, rollout: Expected | null, by = 'kubectl-set'): Scene {
  const annotations =
    rollout?.cause === undefined ? {} : { metadata: { annotations: { [CAUSE]: rollout.cause } } };
  const template = { spec: { containers: containersOf(runs) } };
  return { at, act: patched(by, { ...annotations, spec: { template } }), rollout, runs, by };
}

export function restart(at: number, rollout: Expected): Scene {
  const by = 'kubectl-rollout';
  const annotations = { [RESTARTED_AT]: new Date(Date.parse('2026-03-01') + at * 3_600_000).toISOString() };
  const act = patched(by, { spec: { template: { metadata: { annotations } } } });
  return { at, act, rollout: { restart: true, ...rollout }, by };
}

/** Any other change of the spec, which begins no rollout unless told. */
export function change(at: number, spec: JsonObject, rollout: Expected | null = null): Scene {
  return { at, act: patched('kubectl-patch', { spec }), rollout };
}

export function partition(at: number, position: number): Scene {
  return change(at, { updateStrategy: { rollingUpdate: { partition: position } } });
}

export function remove(at: number): Scene {
  return { at, act: (stage, { kind, name }) => stage.remove(kinds[kind], name), rollout: null, isEnd: true };
}

/** Somebody deletes the oldest pods. */
export function replacePods(at: number, count: number): Scene {
  const act: Act = async (stage, { name }) => {
    const pods = stage.list('pods').filter(({ metadata }) => metadata.labels?.['app'] === name);
    const oldest = pods.toSorted((a, b) =>
      (a.metadata.creationTimestamp ?? '') < (b.metadata.creationTimestamp ?? '') ? -1 : 1,
    );
    for (const { metadata } of oldest.slice(0, count)) await stage.remove('pods', metadata.name);
  };
  return { at, act, rollout: null };
}

/** Somebody deletes the pods that are not ready, without which a StatefulSet does not get on. */
export function replaceBroken(at: number): Scene {
  const act: Act = async (stage, { name }) => {
    const pods = stage.list('pods').filter(({ metadata }) => metadata.labels?.['app'] === name);
    for (const pod of pods) if (!isReady(pod)) await stage.remove('pods', pod.metadata.name);
  };
  return { at, act, rollout: null };
}

function patched(by: string, patch: JsonObject): Act {
  return (stage, { kind, name }) => stage.patch(kinds[kind], name, by, patch);
}

function containersOf(runs: string): JsonObject[] {
  const [tag, level] = runs.split('+');
  const env = level === undefined ? {} : { env: [{ name: 'LEVEL', value: level }] };
  return [{ name: 'app', image: `web:${tag}`, ...env }];
}
