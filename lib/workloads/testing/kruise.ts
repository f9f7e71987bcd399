import type { RevisionHistory } from '@/lib/history/revision';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import type { ControlInput, HistoryInput, WorkloadKind, RollbackInput } from '@/lib/workloads/kind';
import type { ActionKind } from '@/lib/api/action-values';
import { retainedTarget } from '@/lib/workloads/rollback-target';
import { deriveStatus } from '@/lib/messages/workload-status';
import type { WorkloadStatus } from '@/lib/engine/status';
import { cleanTemplate } from '@/lib/workloads/template-facts';
import {
  at,
  controllerRevision,
  historyInputOf,
  object,
  pod,
  type PodParts,
  template,
} from '@/lib/workloads/testing/objects';
import { type PlannedScenario, plannedScenario } from '@/lib/workloads/testing/patch';

export interface KruiseScenario {
  kind: WorkloadKind;
  /** Default: v1alpha1. */
  version?: string;
  /** Image of the current template, or the complete template. */
  live?: string | JsonObject;
  spec?: JsonObject;
  status?: JsonObject;
  annotations?: Record<string, string>;
  labels?: Record<string, string>;
  generation?: number;
  deleted?: string;
  /** Revisions by number; default: 1 and 2 with images 1 and 2. */
  revisions?: readonly KubeObject[];
  pods?: readonly KubeObject[];
}

/** A ControllerRevision `shop-h{image}` as the controllers of OpenKruise write it. */
export function kruiseRevision(
  number: number,
  image: string,
  parts: { template?: JsonObject; owner?: string } = {},
) {
  return controllerRevision(number, image, {
    name: `shop-h${image}`,
    created: number,
    labels: { app: 'checkout', 'controller.kubernetes.io/hash': `h${image}` },
    ...parts,
  });
}

export function podOf(name: string, image: string, parts: PodParts = {}): KubeObject {
  return pod(name, {
    labels: { 'controller-revision-hash': `shop-h${image}` },
    created: 20,
    image,
    ...parts,
  });
}

interface ScenarioResult {
  workload: KubeObject;
  input: HistoryInput;
  history: RevisionHistory;
  status: WorkloadStatus;
}

export function readScenario({
  kind,
  version = 'v1alpha1',
  live = '2',
  ...parts
}: KruiseScenario): ScenarioResult {
  const { annotations, labels, generation = 1, deleted, spec, status } = parts;
  const workload = object(
    kind.resource.kind,
    {
      uid: 'uid-workload',
      owner: null,
      name: 'shop',
      generation,
      ...(annotations && { annotations }),
      ...(labels && { labels }),
      ...(deleted !== undefined && { deleted }),
    },
    {
      apiVersion: `${kind.resource.group}/${version}`,
      spec: { replicas: 5, template: typeof live === 'string' ? template(live) : live, ...spec },
      status: { observedGeneration: 1, ...status },
    },
  );
  const revisions = parts.revisions ?? [kruiseRevision(1, '1'), kruiseRevision(2, '2')];
  const input = historyInputOf(kind, workload, revisions, parts.pods);
  const history = kind.history(input);
  return { workload, input, history, status: deriveStatus(kind.facts({ ...input, history, now: at(30) })) };
}

/** The plan of a rollback to revision `to`. */
export function planScenarioRollback(
  scenario: KruiseScenario,
  to = 1,
  more: Partial<RollbackInput> = {},
): PlannedScenario {
  const { workload, input, history } = readScenario(scenario);
  const revision = history.revisions.find(({ number }) => number === to);
  const source = [...(scenario.revisions ?? [kruiseRevision(1, '1'), kruiseRevision(2, '2')])].find(
    ({ metadata }) => metadata.name === revision?.name,
  );
  if (revision === undefined || source === undefined) throw new Error('no such revision');
  const planned = scenario.kind.writes.rollback({
    ...input,
    currentTemplate: workload.spec?.template as JsonObject,
    history,
    to: retainedTarget(revision),
    template: cleanTemplate((source.data?.spec as JsonObject).template as JsonObject),
    reason: '',
    likeKubectl: false,
    ...more,
  });
  return plannedScenario(planned, workload);
}

export function planScenarioControl(
  scenario: KruiseScenario,
  action: Exclude<ActionKind, 'rollback'>,
  more: Partial<ControlInput> = {},
): PlannedScenario {
  const { workload, input, history } = readScenario(scenario);
  const currentTemplate = workload.spec?.template as JsonObject;
  const planned = scenario.kind.writes[action]?.({
    ...input,
    currentTemplate,
    history,
    now: at(30),
    ...more,
  });
  if (planned === undefined) throw new Error(`no ${action}`);
  return plannedScenario(planned, workload);
}
