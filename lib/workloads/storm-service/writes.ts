import type { Template } from '@/lib/history/workload';
import type { JsonObject } from '@/lib/kube/json';
import { objectAt } from '@/lib/kube/read';
import { isRecordedData } from '@/lib/kube/recorded-data';
import type { ControlInput, PlanResult, RollbackInput } from '@/lib/workloads/kind';
import { mergePatchCommand, patchRight, patchWorkload, setTested, testUid } from '@/lib/workloads/patch';
import { checkDeleting, checkRollback, refuseIf, unlessRefused } from '@/lib/workloads/rollback-checks';
import { describeNumbering, OTHER_OBJECTS_STAY, rollbackPlan } from '@/lib/workloads/rollback-plan';
import { carrierOf, formatResult, formatTarget } from '@/lib/workloads/rollback-target';
import { describeStrategy, roleSetsOf, stormServices } from '@/lib/workloads/storm-service/spec';

/** Writes the recorded template of RoleSets in place of the current one, as a whole. */
export function planRollback(input: RollbackInput): PlanResult {
  const { workload, history, to } = input;
  const currentTemplate = templateIn(input.currentTemplate);
  const template = templateIn(input.template);
  const requested = templateIn(input.requested ?? input.template);
  if (currentTemplate === undefined || template === undefined || requested === undefined) {
    const message = `Revision ${formatTarget(to)} (${to.name}) or ${workload.name} has no template of RoleSets.`;
    return { plan: null, findings: refuseIf(true, 'unreadable_revision', message) };
  }
  const bare = { ...input, currentTemplate, template, requested };
  return unlessRefused(checkRollback(bare), () =>
    rollbackPlan(stormServices, bare, {
      steps: [
        `RoleSets get the template of revision ${formatResult(input)}, ${workload.spec.paused === true ? 'once it is resumed' : `by the update strategy (${describeStrategy(workload)})`}.`,
        describeNumbering(input, carrierOf(history, to)),
      ],
      stays: [
        `RoleSets (${roleSetsOf(workload)}), the update strategy and the pause are unchanged; replicas of roles are part of the template.`,
        'Labels and annotations of the StormService are unchanged.',
        OTHER_OBJECTS_STAY,
      ],
      kubectl: '# kubectl rollout undo does not support StormService',
    }),
  );
}

/** As it is in `spec.template`. */
function templateIn(body: Template): JsonObject | undefined {
  return isRecordedData(body) ? objectAt(body.data, 'spec', 'template') : body;
}

/**
 * Pauses it, or resumes it. While it is paused, its controller records templates and scales, and rolls nothing out.
 * https://github.com/vllm-project/aibrix/blob/main/pkg/controller/stormservice/sync.go (sync)
 */
export function planPause(input: ControlInput, paused: boolean): PlanResult {
  const { workload } = input;
  const { namespace, name, spec } = workload;
  const isEqual = (spec.paused === true) === paused;
  const [code, state] = paused ? ['already_paused', 'already paused'] : ['not_paused', 'not paused'];
  const refusal = refuseIf(isEqual, code, `The StormService is ${state}.`);
  return unlessRefused([...checkDeleting(input), ...refusal], () => ({
    action: paused ? 'pause' : 'resume',
    title: `${paused ? 'Pause' : 'Resume'} ${name}`,
    write: patchWorkload(stormServices, workload, [
      testUid(workload),
      ...setTested('/spec/paused', spec.paused, paused),
    ]),
    needs: patchRight(stormServices, workload),
    steps: paused
      ? [
          'A rollout in progress stops at its current state.',
          'Template changes are recorded but not rolled out until it is resumed. Scaling still works.',
        ]
      : ['The rollout of the current template continues.'],
    stays: ['The template, replicas and all other settings are unchanged.'],
    kubectl: mergePatchCommand(namespace, `${stormServices.id}/${name}`, { spec: { paused } }),
  }));
}
