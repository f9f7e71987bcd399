import { countReleased, movePods, type UpdateRules } from '@/lib/engine/update';
import { formatCount, formatList, quoteShellWord } from '@/lib/format/text';
import { objectAt, textAt } from '@/lib/kube/read';
import { describeHeld, describeMoving } from '@/lib/messages/plan';
import { isPausedByPerson } from '@/lib/workloads/controls';
import type { ControlInput, PlanResult } from '@/lib/workloads/kind';
import { checkOwners } from '@/lib/workloads/owner-checks';
import {
  kubectlCommand,
  mergePatchCommand,
  objectName,
  patchRight,
  patchWorkload,
  pointer,
  setTested,
  testUid,
} from '@/lib/workloads/patch';
import { type JsonPatchOperation, refuseIf, warnIf } from '@/lib/workloads/plan';
import { checkDeleting, unlessRefused } from '@/lib/workloads/rollback-checks';
import { checkControlDuringRollout } from '@/lib/workloads/rollout-checks';
import { RESTARTED_AT } from '@/lib/workloads/template-facts';

/**
 * Writes the time into an annotation of the template, as `kubectl rollout restart` does.
 * https://github.com/kubernetes/kubectl/blob/master/pkg/polymorphichelpers/objectrestarter.go
 */
export function planRestart(rules: UpdateRules, input: ControlInput): PlanResult {
  const { workload, now } = input;
  const { resource, restart } = rules;
  const { name } = workload;
  const rolling = rules.rollingOf(workload);
  const { isOnDelete, inPlace = 'never' } = rolling;
  const annotation = restart?.annotation ?? RESTARTED_AT;
  const { held } = movePods(rules, input, undefined);
  const who = held.names === null ? formatCount(held.number, 'pod') : formatList(held.names, 6);
  const findings = [
    ...checkDeleting(input),
    ...refuseIf(
      inPlace !== 'never',
      'in_place_restart',
      `${name} updates pods in place: the restart annotation would be added without restarting any container.`,
      'Delete the pods one at a time, or use an OpenKruise ContainerRecreateRequest.',
    ),
    ...refuseIf(
      isPausedByPerson(rules, workload),
      'paused',
      `The ${rules.title} is paused: a restart has no effect until it is resumed.`,
      'Resume it first.',
    ),
    ...refuseIf(
      textAt(input.currentTemplate, 'metadata', 'annotations', annotation) === now,
      'already_restarted',
      'A restart was already requested in this second.',
      'Wait a moment, then check whether it has started.',
    ),
    ...checkControlDuringRollout(workload, 'restart'),
    ...checkOwners(workload),
    ...warnIf(
      isOnDelete,
      'on_delete',
      'The update strategy is OnDelete: a new revision is recorded, but pods restart only when you delete them.',
      'Delete the pods afterwards, one at a time.',
    ),
    ...warnIf(
      held.number > 0,
      'partition_holds',
      describeHeld(rolling, who, held.number, ['it does not restart', 'they do not restart']),
      'Set the partition to 0 to restart all pods.',
    ),
  ];
  const moving = { number: countReleased(rules, workload), names: null };
  const stays = ['Only the restart annotation of the template changes.'];
  if (rules.hasClaims === true) stays.push('Volume claims and their data are kept.');
  return unlessRefused(findings, () => ({
    action: 'restart',
    title: `Restart ${name}`,
    write: patchWorkload(resource, workload, restartPatch(input, annotation)),
    needs: patchRight(resource, workload),
    steps: [
      isOnDelete === true
        ? 'Pods restart only when you delete them.'
        : describeMoving({ unit: 'pod', moving }, `replaced, ${rules.pace(workload)}`),
      'A new revision is recorded in which only the restart time differs.',
    ],
    stays,
    kubectl: restartCommand(rules, input),
  }));
}

function restartCommand({ resource, restart }: UpdateRules, { workload, now }: ControlInput): string {
  const { namespace, name } = workload;
  if (resource.isCustom !== true)
    return kubectlCommand(namespace, 'rollout', 'restart', objectName(resource, name));
  if (restart !== undefined)
    return [restart.tool, '-n', namespace, 'rollout', 'restart', `${resource.kind.toLowerCase()}/${name}`]
      .map(quoteShellWord)
      .join(' ');
  const annotations = { [RESTARTED_AT]: now };
  return mergePatchCommand(namespace, objectName(resource, name), {
    spec: { template: { metadata: { annotations } } },
  });
}

/** In the template that the viewer saw. */
function restartPatch(
  { workload, currentTemplate, now }: ControlInput,
  annotation: string,
): JsonPatchOperation[] {
  const path = '/spec/template/metadata';
  const test: JsonPatchOperation[] = [
    testUid(workload),
    { op: 'test', path: '/spec/template', value: currentTemplate },
  ];
  if (objectAt(currentTemplate, 'metadata') === undefined)
    return [...test, ...setTested(path, undefined, { annotations: { [annotation]: now } })];
  if (objectAt(currentTemplate, 'metadata', 'annotations') === undefined)
    return [...test, ...setTested(`${path}/annotations`, undefined, { [annotation]: now })];
  return [...test, { op: 'add', path: `${path}/annotations${pointer(annotation)}`, value: now }];
}
