import { isActive } from '@/lib/history/assemble';
import { type Json } from '@/lib/kube/json';
import { amount } from '@/lib/workloads/amount';
import { type ControlInput, type Planned } from '@/lib/workloads/kind';
import { checkReleasing } from '@/lib/workloads/kruise/release';
import { partitionWords } from '@/lib/workloads/kruise/rolling';
import { type KruiseRules } from '@/lib/workloads/kruise/rules';
import { findOwners } from '@/lib/workloads/owners';
import { partitionPlan } from '@/lib/workloads/partition-plan';
import {
  patchRight,
  patchWorkload,
  pointer,
  setTested,
  testUid,
  mergeLine,
  nested,
} from '@/lib/workloads/patch';
import { type Finding, type JsonPatchOperation } from '@/lib/workloads/plan';
import { type PodSummary } from '@/lib/workloads/pod';
import { objectAt, valueAt } from '@/lib/workloads/read';
import { checkRestart, restartPatch } from '@/lib/workloads/restart';
import { checkDeleting, refuseIf, unlessRefused } from '@/lib/workloads/rollback-checks';
import { RESTARTED_AT } from '@/lib/workloads/summarise';
import { called, count, listed } from '@/lib/workloads/words';
import { type Workload } from '@/lib/workloads/workload';

/** Holds updates of the template; scaling goes on. */
export function planKruisePause(rules: KruiseRules, input: ControlInput): Planned {
  const { workload, history } = input;
  const rolling = rules.rollingOf(workload);
  const { target } = history;
  const findings = [
    ...checkDeleting(input),
    ...refuseIf(rolling.isPaused, 'already_paused', `The ${rules.title} is already paused.`),
    ...refuseIf(
      rolling.isOnDelete,
      'no_pause',
      'The strategy is OnDelete: nothing moves by itself, so nothing can be paused.',
    ),
    ...checkReleasing(workload, 'pause'),
  ];
  return unlessRefused(findings, () => ({
    action: 'pause',
    title: `Pause ${workload.name}`,
    write: patchWorkload(rules.resource, workload, [
      testUid(workload),
      ...setRule(rules, workload, 'paused', true),
    ]),
    needs: patchRight(rules.resource, workload),
    steps: [
      target === null
        ? 'No update begins until it is resumed.'
        : `An update under way stops where it is: ${target.pods.total} of ${count(rules.desiredOf(workload), 'pod')} on ${called(target)}.`,
      'Later edits of the template are recorded, and no pod takes them until it is resumed; scaling goes on.',
    ],
    stays: ['The pods that run now go on running.'],
    kubectl: ruleLine(rules, workload, 'paused', true),
  }));
}

export function planKruiseResume(rules: KruiseRules, input: ControlInput): Planned {
  const { workload, history } = input;
  const { target } = history;
  const wanted = rules.desiredOf(workload) - rules.keptOf(workload);
  const findings = [
    ...checkDeleting(input),
    ...refuseIf(!rules.rollingOf(workload).isPaused, 'not_paused', `The ${rules.title} is not paused.`),
  ];
  return unlessRefused(findings, () => ({
    action: 'resume',
    title: `Resume ${workload.name}`,
    write: patchWorkload(rules.resource, workload, [
      testUid(workload),
      ...setRule(rules, workload, 'paused', false),
    ]),
    needs: patchRight(rules.resource, workload),
    steps: [
      target === null
        ? 'The present template is recorded, and its update begins.'
        : `The update to ${called(target)} goes on until ${count(Math.max(0, wanted), 'pod')} ${wanted === 1 ? 'runs' : 'run'} it.`,
    ],
    stays: ['The template, the replicas, the partition and every other setting stay.'],
    kubectl: ruleLine(rules, workload, 'paused', false),
  }));
}

/** Moves the partition, in the meaning that it has for the kind. */
export function planKruisePartition(rules: KruiseRules, input: ControlInput): Planned {
  const { workload, partition } = input;
  const desired = rules.desiredOf(workload);
  const rolling = rules.rollingOf(workload);
  const present = rules.partitionOf(workload);
  const isValid =
    partition !== undefined && Number.isInteger(partition) && partition >= 0 && partition <= desired;
  const written = rolling.partition ?? 0;
  const findings = [
    ...checkDeleting(input),
    ...refuseIf(
      rolling.isOnDelete,
      'no_partition',
      'The strategy is OnDelete; only a rolling update has a partition.',
    ),
    ...refuseIf(!isValid, 'bad_partition', `The partition must be a whole number from 0 to ${desired}.`),
    ...refuseIf(
      partition === present,
      'equal_partition',
      typeof written === 'string'
        ? `The partition is already ${amount(written)}, which is ${present} of ${desired}.`
        : `The partition is already ${present}.`,
    ),
    ...checkReleasing(workload, 'partition'),
    ...pausedNote(rolling.isPaused),
    ...findOwners(workload),
  ];
  return unlessRefused(findings, () => {
    const to = partition ?? 0;
    return partitionPlan(rules.resource, workload, {
      from: amount(written),
      to,
      operations: setRule(rules, workload, 'partition', to),
      steps: partitionSteps(rules, input, to),
      kubectl: ruleLine(rules, workload, 'partition', to),
    });
  });
}

export interface RestartWords {
  /** Annotation of the template that takes the time. */
  annotation: string;
  kubectl: string;
}

/**
 * `kubectl-kruise rollout restart` knows some of the kinds only; for the others the annotation that kubectl uses makes a
 * new revision in the same way.
 */
export function planKruiseRestart(rules: KruiseRules, input: ControlInput, words?: RestartWords): Planned {
  const { workload, pods } = input;
  const rolling = rules.rollingOf(workload);
  const annotation = words?.annotation ?? RESTARTED_AT;
  const findings: Finding[] = [
    ...checkDeleting(input),
    ...refuseIf(
      rolling.inPlace !== 'never',
      'in_place_restart',
      `${workload.name} updates its pods in place: the time of a restart is an annotation, which running pods would take without restarting anything.`,
      'Delete the pods one by one, or use a ContainerRecreateRequest of OpenKruise.',
    ),
    ...refuseIf(
      rolling.isPaused,
      'paused',
      `The ${rules.title} is paused: a restart would wait until it is resumed.`,
      'Resume it first.',
    ),
    ...checkRestart(input, annotation),
    ...checkReleasing(workload, 'restart'),
    ...findOwners(workload),
  ];
  const active = pods.filter(isActive);
  const held = rolling.isOnDelete ? 0 : rules.staying(workload, active, rules.partitionOf(workload)).number;
  if (rolling.isOnDelete) {
    findings.push({
      severity: 'warning',
      code: 'on_delete',
      message:
        'The strategy is OnDelete: a new revision is recorded, but no pod restarts until it is deleted.',
      action: 'Delete the pods afterwards, one at a time.',
    });
  } else if (held > 0) {
    findings.push({
      severity: 'warning',
      code: 'partition_holds',
      message: `The ${partitionWords(rolling) ?? 'partition'} holds ${count(held, 'pod')}: ${held === 1 ? 'it does' : 'they do'} not restart.`,
      action: 'Move the partition to 0 as a step of its own to restart all.',
    });
  }
  const restarting = Math.max(0, rules.desiredOf(workload) - rules.keptOf(workload));
  return unlessRefused(findings, () => ({
    action: 'restart',
    title: `Restart ${workload.name}`,
    write: patchWorkload(rules.resource, workload, restartPatch(input, annotation)),
    needs: patchRight(rules.resource, workload),
    steps: [
      rolling.isOnDelete
        ? 'No pod restarts until it is deleted.'
        : `${count(restarting, 'pod')} ${restarting === 1 ? 'is' : 'are'} replaced, ${rules.pace(workload)}.`,
      'A new revision is recorded that differs by the time of the restart alone.',
    ],
    stays: ['The template keeps everything but the annotation with the time of the restart.'],
    kubectl: words?.kubectl ?? restartLine(rules, input),
  }));
}

function pausedNote(isPaused: boolean): Finding[] {
  if (!isPaused) return [];
  return [
    {
      severity: 'warning',
      code: 'paused',
      message: 'Updates are paused: the partition moves, and no pod does until they are resumed.',
      action: 'Resume afterwards.',
    },
  ];
}

function partitionSteps(rules: KruiseRules, { workload, history, pods }: ControlInput, to: number): string[] {
  const { target } = history;
  const on = target === null ? 'the present template' : `revision ${called(target)}`;
  const isOn = (pod: PodSummary) => history.revisionOfPod.get(pod.uid)?.id === target?.id;
  const active = pods.filter(isActive);
  const others = active.filter((pod) => !isOn(pod));
  const staying = rules.staying(workload, others, to);
  const moving = others.length - staying.number;
  const { pods: kept } = staying;
  const named = kept === null ? [] : others.filter((pod) => !kept.includes(pod));
  const who =
    kept === null
      ? count(moving, 'pod')
      : `${count(moving, 'pod')} (${listed(
          named.map(({ name }) => name),
          6,
        )})`;
  const steps =
    moving <= 0
      ? ['No pod changes now.']
      : [`${who} ${moving === 1 ? 'goes' : 'go'} to ${on}, ${rules.pace(workload)}.`];
  if (to > rules.partitionOf(workload))
    steps.push(
      `Pods that already run ${on} keep running; if they are lost, they may come back on the current revision.`,
    );
  return steps;
}

/** Sets one member of the object that holds the rules of the update, making that object where it is missing. */
function setRule(rules: KruiseRules, workload: Workload, member: string, value: Json): JsonPatchOperation[] {
  const { at } = rules.rollingOf(workload);
  const missing = at.findIndex(
    (_, index) => objectAt(workload.spec, ...at.slice(0, index + 1)) === undefined,
  );
  if (missing === -1)
    return setTested(pointer('spec', ...at, member), valueAt(workload.spec, ...at, member), value);
  const path = pointer('spec', ...at.slice(0, missing + 1));
  return setTested(path, undefined, nested([...at.slice(missing + 1), member], value));
}

function ruleLine(rules: KruiseRules, workload: Workload, member: string, value: Json): string {
  return mergeLine(workload.namespace, objectName(rules, workload), {
    spec: nested([...rules.rollingOf(workload).at, member], value),
  });
}

function restartLine(rules: KruiseRules, { workload, now }: ControlInput): string {
  return mergeLine(workload.namespace, objectName(rules, workload), {
    spec: { template: { metadata: { annotations: { [RESTARTED_AT]: now } } } },
  });
}

/** Qualified by its group: the short names mean the kinds of Kubernetes. */
function objectName({ resource }: KruiseRules, { name }: Workload): string {
  return `${resource.id}/${name}`;
}
