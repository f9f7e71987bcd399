import {
  targetNameOf,
  type ControlledRollout,
  type RolloutRun,
  type Target,
  type WorkloadKindName,
  workloadKindNames,
} from '@/lib/oam/rollout';
import type { ReconcilePass } from '@/lib/oam/reconcile-pass';
import { kindRules, withOriginals } from '@/lib/oam/verify';
import { changeWorkload, COMPONENT_LABEL, REVISION_LABEL } from '@/lib/oam/rolled-workload';
import type { JsonObject } from '@/lib/kube/json';
import { objectAt, textAt } from '@/lib/kube/read';

/** The workloads that a reconcile needs to know. */
export interface TargetKey {
  readonly kind: WorkloadKindName;
  readonly name: string;
}

/**
 * Finds the target, or creates it from its component revision, and determines the workloads that its pods
 * come from.
 */
export function locateTarget(pass: ReconcilePass): void {
  const { rollout, component } = pass.input;
  const { target } = rollout;
  if (target === undefined) return pass.fail('the rollout has no target');
  if (target.by === 'revision' && component === undefined)
    return pass.wait(`component revision ${target.revision} not found`);
  const kind = kindOf(target, component);
  if (kind === undefined) return pass.fail('Unsupported workload');
  const name = nameOfWorkload(target, kind);
  const workload = pass.input.workload(kind, name);
  if (workload === undefined) {
    if (target.by === 'reference') return pass.wait(`${kind} ${name} not found`);
    pass.write([{ do: 'create', kind, manifest: manifestOf(target, kind, component ?? {}) }]);
    return pass.wait(`created ${kind} ${name} from its revision`);
  }
  if (target.by === 'revision' && !kindRules[kind].isPair && workload.revision !== target.revision) {
    const { origin = [], run } = pass.status;
    const isKnown = origin.some((entry) => entry.name === name) && run?.target === name;
    if (!workload.pods.isObserved) return pass.wait(`${kind} ${name} is not loaded yet`);
    if (!isKnown) {
      // Recorded before it is changed, so that it can be restored.
      pass.updateStatus({
        origin: withOriginals(origin, [workload]),
        run: { ...EMPTY_RUN, kind, target: name, sources: [] },
      });
      pass.requeue = 'now';
      return;
    }
    const template = objectAt(component, 'spec', 'template') ?? {};
    pass.write(changeWorkload(workload, { template, isPaused: true, revision: target.revision }));
    return pass.wait(`updated ${kind} ${name} to the template of its revision`);
  }
  const sources = sourceNamesOf(rollout, kind).filter((source) => source !== name);
  pass.updateStatus({
    lastTarget: targetNameOf(target),
    lastSource: sources[0],
    run: {
      ...EMPTY_RUN,
      kind,
      target: name,
      sources: sources.map((source) => ({ name: source, replicas: 0 })),
    },
  });
  pass.passStage('AppLocatedEvent');
}

/** Every workload that a reconcile may read. */
export function requiredWorkloads(
  rollout: ControlledRollout,
  component: JsonObject | undefined,
): readonly TargetKey[] {
  const { target, status } = rollout;
  const { run, origin = [] } = status;
  const kind = target === undefined ? undefined : kindOf(target, component);
  const keys = new Map<string, TargetKey>();
  const add = (of: WorkloadKindName, names: readonly string[]) => {
    for (const name of names) keys.set(`${of}/${name}`, { kind: of, name });
  };
  if (target !== undefined && kind !== undefined)
    add(kind, [nameOfWorkload(target, kind), ...(kindRules[kind].isPair ? rollout.sources : [])]);
  if (run !== undefined)
    add(run.kind, [run.target, ...run.sources.map(({ name }) => name), ...origin.map(({ name }) => name)]);
  return [...keys.values()];
}

const EMPTY_RUN: Omit<RolloutRun, 'kind' | 'target' | 'sources'> = {
  mode: 'rolling',
  base: 0,
  startingReplicas: 0,
  finishedReplicas: 0,
  batchReplicas: 0,
  pace: undefined,
  measures: [],
  isReverted: false,
};

/** The target of an earlier attempt comes first, and so is drained first. */
function sourceNamesOf({ sources, status: { run } }: ControlledRollout, kind: WorkloadKindName): string[] {
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

/** A Deployment belongs to one revision; a CloneSet runs all revisions of its component in turn. */
function nameOfWorkload(target: Target, kind: WorkloadKindName): string {
  if (target.by === 'reference') return target.name;
  return kindRules[kind].isPair ? target.revision : target.component;
}

/** Without pods until it is claimed. */
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
