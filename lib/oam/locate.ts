import {
  nameOfTarget,
  type Rollout,
  type Run,
  type Target,
  type WorkloadKindName,
  workloadKindNames,
} from '@/lib/oam/rollout';
import { type Turn } from '@/lib/oam/turn';
import { kindRules, withNewcomers } from '@/lib/oam/verify';
import { change, COMPONENT_LABEL, REVISION_LABEL } from '@/lib/oam/workload';
import { type JsonObject } from '@/lib/kube/json';
import { objectAt, textAt } from '@/lib/workloads/read';

/** Of which workloads a move wants to know. */
export interface Wish {
  readonly kind: WorkloadKindName;
  readonly name: string;
}

/** Finds the target, or makes it of its component revision, and says which workloads its pods come from. */
export function locate(turn: Turn): void {
  const { rollout, component } = turn.sight;
  const { target } = rollout;
  if (target === undefined) return turn.fail('the rollout names no target');
  if (target.by === 'revision' && component === undefined)
    return turn.wait(`the component revision ${target.revision} is not there`);
  const kind = kindOf(target, component);
  if (kind === undefined) return turn.fail('Unsupported workload');
  const name = nameOfWorkload(target, kind);
  const workload = turn.sight.workload(kind, name);
  if (workload === undefined) {
    if (target.by === 'reference') return turn.wait(`the ${kind} ${name} is not there`);
    turn.write([{ do: 'create', kind, manifest: manifestOf(target, kind, component ?? {}) }]);
    return turn.wait(`the ${kind} ${name} was made of its revision`);
  }
  if (target.by === 'revision' && !kindRules[kind].isPair && workload.revision !== target.revision) {
    const { origin = [], run } = turn.status;
    const isKnown = origin.some((entry) => entry.name === name) && run?.target === name;
    if (!workload.pods.isObserved) return turn.wait(`the ${kind} ${name} has not been looked at yet`);
    if (!isKnown) {
      // Kept before it is touched, so that it can be brought back.
      turn.change({
        origin: withNewcomers(origin, [workload]),
        run: { ...BLANK, kind, target: name, sources: [] },
      });
      turn.again = 'now';
      return;
    }
    const template = objectAt(component, 'spec', 'template') ?? {};
    turn.write(change(workload, { template, isPaused: true, revision: target.revision }));
    return turn.wait(`the ${kind} ${name} was given the template of its revision`);
  }
  const sources = sourceNamesOf(rollout, kind).filter((source) => source !== name);
  turn.change({
    lastTarget: nameOfTarget(target),
    lastSource: sources[0],
    run: { ...BLANK, kind, target: name, sources: sources.map((source) => ({ name: source, replicas: 0 })) },
  });
  turn.pass('AppLocatedEvent');
}

/** Every workload that a move may look at. */
export function wishesOf(rollout: Rollout, component: JsonObject | undefined): readonly Wish[] {
  const { target, status } = rollout;
  const { run, origin = [] } = status;
  const kind = target === undefined ? undefined : kindOf(target, component);
  const wishes = new Map<string, Wish>();
  const add = (of: WorkloadKindName, names: readonly string[]) => {
    for (const name of names) wishes.set(`${of}/${name}`, { kind: of, name });
  };
  if (target !== undefined && kind !== undefined)
    add(kind, [nameOfWorkload(target, kind), ...(kindRules[kind].isPair ? rollout.sources : [])]);
  if (run !== undefined)
    add(run.kind, [run.target, ...run.sources.map(({ name }) => name), ...origin.map(({ name }) => name)]);
  return [...wishes.values()];
}

const BLANK: Omit<Run, 'kind' | 'target' | 'sources'> = {
  mode: 'rolling',
  base: 0,
  startingReplicas: 0,
  finishedReplicas: 0,
  batchReplicas: 0,
  pace: undefined,
  measures: [],
  isReverted: false,
};

/** What an earlier attempt was leading to comes first, and so is drained first. */
function sourceNamesOf({ sources, status: { run } }: Rollout, kind: WorkloadKindName): string[] {
  if (!kindRules[kind].isPair) return [];
  const earlier = run?.kind === kind ? [run.target, ...run.sources.map(({ name }) => name)] : [];
  return [...new Set([...earlier, ...sources])];
}

function kindOf(target: Target, component: JsonObject | undefined): WorkloadKindName | undefined {
  const { apiVersion = '', kind } =
    target.by === 'reference'
      ? target
      : { apiVersion: textAt(component, 'apiVersion'), kind: textAt(component, 'kind') };
  const name = workloadKindNames.find((known) => known === kind);
  return name !== undefined && apiVersion.startsWith(`${kindRules[name].group}/`) ? name : undefined;
}

/** A Deployment is one of a revision; a CloneSet goes through the revisions of its component. */
function nameOfWorkload(target: Target, kind: WorkloadKindName): string {
  if (target.by === 'reference') return target.name;
  return kindRules[kind].isPair ? target.revision : target.component;
}

/** Without a pod until it is claimed. */
function manifestOf(
  target: Extract<Target, { by: 'revision' }>,
  kind: WorkloadKindName,
  component: JsonObject,
): JsonObject {
  const isPair = kindRules[kind].isPair;
  return {
    apiVersion: component.apiVersion,
    kind,
    metadata: {
      name: nameOfWorkload(target, kind),
      labels: {
        ...objectAt(component, 'metadata', 'labels'),
        [COMPONENT_LABEL]: target.component,
        [REVISION_LABEL]: target.revision,
      },
      annotations: { ...objectAt(component, 'metadata', 'annotations'), 'app.oam.dev/skipGC': 'true' },
    },
    spec: { ...objectAt(component, 'spec'), replicas: 0, ...(isPair && { paused: true }) },
  };
}
