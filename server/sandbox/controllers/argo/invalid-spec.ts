import { deepEqual } from '@/lib/kube/json';
import { parseLabelSelector } from '@/lib/kube/selector';
import { stepsOf } from '@/server/sandbox/controllers/argo/argo-rollout';
import { phaseOf } from '@/server/sandbox/controllers/argo/phase';
import { readService } from '@/server/sandbox/controllers/argo/services';
import { type Turn } from '@/server/sandbox/controllers/argo/turn';
import {
  newCondition,
  withCondition,
  withoutCondition,
} from '@/server/sandbox/controllers/deployment/conditions';

/** A Service may come later; nothing tells of it. */
const LOOK_AGAIN_MS = 10_000;

/**
 * What keeps a Rollout from being worked on; undefined where nothing does. These are the mistakes that people make, not
 * all that upstream finds.
 * https://github.com/argoproj/argo-rollouts/blob/master/pkg/apis/rollouts/validation/validation.go
 */
export async function invalidityOf(turn: Turn): Promise<string | undefined> {
  const { selector, strategy, template } = turn.rollout.spec;
  const { canary, blueGreen } = strategy ?? {};
  if (template === undefined || parseLabelSelector(selector ?? {}).length === 0)
    return "spec.selector: Required value: Rollout has missing field '.spec.selector'";
  if (canary === undefined && blueGreen === undefined)
    return "spec.strategy.strategy: Required value: Rollout has missing field '.spec.strategy.canary or .spec.strategy.blueGreen'";
  const scaled = stepsOf(turn.rollout.spec).findIndex(({ setCanaryScale }) => setCanaryScale !== undefined);
  if (scaled >= 0 && canary?.trafficRouting === undefined)
    return `spec.strategy.canary.steps[${scaled}].setCanaryScale: Invalid value: SetCanaryScale requires TrafficRouting to be set`;
  const services = {
    'canary.stableService': canary?.stableService,
    'canary.canaryService': canary?.canaryService,
    'blueGreen.activeService': blueGreen?.activeService,
    'blueGreen.previewService': blueGreen?.previewService,
  };
  for (const [member, name] of Object.entries(services))
    if (name !== undefined && (await readService(turn, name)) === undefined)
      return `spec.strategy.${member}: Invalid value: "${name}": service "${name}" not found`;
  return undefined;
}

/** Says so in the status, and leaves everything else as it is. */
export async function saveInvalid(turn: Turn, problem: string): Promise<void> {
  const { rollout, world } = turn;
  const { name, generation } = rollout.metadata;
  const before = rollout.status.conditions ?? [];
  const message = `The Rollout "${name}" is invalid: ${problem}`;
  const condition = newCondition(world.now(), 'InvalidSpec', 'True', 'InvalidSpec', message);
  const known = before.find(({ type }) => type === 'InvalidSpec');
  const conditions =
    known?.message === message ? before : withCondition(withoutCondition(before, 'InvalidSpec'), condition);
  const judged = { ...rollout.status, conditions, observedGeneration: String(generation ?? 0) };
  const status = { ...judged, ...phaseOf(rollout.spec, judged) };
  turn.again(LOOK_AGAIN_MS);
  if (!deepEqual(status, rollout.status)) await turn.rollouts.replaceStatus({ ...rollout, status });
}
