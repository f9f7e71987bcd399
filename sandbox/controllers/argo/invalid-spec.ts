import { deepEqual } from '@/lib/kube/json';
import { parseLabelSelector } from '@/lib/kube/selector';
import { stepsOf } from '@/sandbox/controllers/argo/argo-rollout';
import { phaseOf } from '@/sandbox/controllers/argo/phase';
import { readService } from '@/sandbox/controllers/argo/services';
import { type ArgoReconcile } from '@/sandbox/controllers/argo/argo-reconcile';
import { newCondition, withCondition, withoutCondition } from '@/sandbox/controllers/deployment/conditions';

/** A Service may be created later; no watch reports it. */
const REQUEUE_MS = 10_000;

/**
 * The error that prevents a Rollout from being reconciled; undefined without one. Covers the common mistakes,
 * not all that upstream rejects.
 * https://github.com/argoproj/argo-rollouts/blob/master/pkg/apis/rollouts/validation/validation.go
 */
export async function invalidityOf(reconcile: ArgoReconcile): Promise<string | undefined> {
  const { selector, strategy, template } = reconcile.rollout.spec;
  const { canary, blueGreen } = strategy ?? {};
  if (template === undefined || parseLabelSelector(selector ?? {}).length === 0)
    return "spec.selector: Required value: Rollout has missing field '.spec.selector'";
  if (canary === undefined && blueGreen === undefined)
    return "spec.strategy.strategy: Required value: Rollout has missing field '.spec.strategy.canary or .spec.strategy.blueGreen'";
  const scaled = stepsOf(reconcile.rollout.spec).findIndex(
    ({ setCanaryScale }) => setCanaryScale !== undefined,
  );
  if (scaled >= 0 && canary?.trafficRouting === undefined)
    return `spec.strategy.canary.steps[${scaled}].setCanaryScale: Invalid value: SetCanaryScale requires TrafficRouting to be set`;
  const services = {
    'canary.stableService': canary?.stableService,
    'canary.canaryService': canary?.canaryService,
    'blueGreen.activeService': blueGreen?.activeService,
    'blueGreen.previewService': blueGreen?.previewService,
  };
  for (const [member, name] of Object.entries(services))
    if (name !== undefined && (await readService(reconcile, name)) === undefined)
      return `spec.strategy.${member}: Invalid value: "${name}": service "${name}" not found`;
  return undefined;
}

/** Reports it in the status, and changes nothing else. */
export async function saveInvalid(reconcile: ArgoReconcile, problem: string): Promise<void> {
  const { rollout, manager } = reconcile;
  const { name, generation } = rollout.metadata;
  const before = rollout.status.conditions ?? [];
  const message = `The Rollout "${name}" is invalid: ${problem}`;
  const condition = newCondition(manager.now(), 'InvalidSpec', 'True', 'InvalidSpec', message);
  const known = before.find(({ type }) => type === 'InvalidSpec');
  const conditions =
    known?.message === message ? before : withCondition(withoutCondition(before, 'InvalidSpec'), condition);
  const judged = { ...rollout.status, conditions, observedGeneration: String(generation ?? 0) };
  const status = { ...judged, ...phaseOf(rollout.spec, judged) };
  reconcile.requeueAfter(REQUEUE_MS);
  if (!deepEqual(status, rollout.status)) await reconcile.rollouts.replaceStatus({ ...rollout, status });
}
