import type { Extent } from '@/lib/oam/batches';
import { cloneSetStrategy, revertCloneSet } from '@/lib/oam/clone-set';
import { type BatchStrategy, type RolloutAttempt, type StepResult, sum } from '@/lib/oam/batch-strategy';
import { deploymentPairStrategy, revertDeployments } from '@/lib/oam/deployment-pair';
import type { OriginalWorkload, ControlledRollout, RolloutRun, WorkloadKindName } from '@/lib/oam/rollout';
import { scaleStrategy } from '@/lib/oam/scale';
import { templateHash } from '@/lib/oam/template-hash';
import { isFreeFor, type RolledWorkload } from '@/lib/oam/rolled-workload';

/** Whether an attempt may begin, and with which sizes. */
type VerifyResult =
  | {
      readonly is: 'fits';
      readonly mode: Extent['mode'];
      readonly base: number;
      readonly size: number;
      /** The originals of all workloads, from before the first attempt. */
      readonly original: number;
      /** Existing pods of the target revision. */
      readonly starting: number;
    }
  | { readonly is: 'waits' | 'fails'; readonly message: string };

interface VerifyInput {
  readonly rollout: ControlledRollout;
  readonly claim: string;
  readonly target: RolledWorkload;
  /** Existing ones. */
  readonly sources: readonly RolledWorkload[];
}

/** What each kind implements itself. */
interface KindRules {
  readonly verify: (candidates: VerifyInput) => VerifyResult;
  readonly rolling: BatchStrategy;
  readonly scaling: BatchStrategy;
  /** Restores the original state of the workloads. */
  readonly revert: (attempt: RolloutAttempt) => StepResult;
  /** API groups of the kind. */
  readonly group: string;
  /** Whether source and target are two objects. */
  readonly isPair: boolean;
}

/** The only list of kinds. */
export const kindRules: Readonly<Record<WorkloadKindName, KindRules>> = {
  Deployment: {
    verify: verifyDeployments,
    rolling: deploymentPairStrategy,
    scaling: scaleStrategy,
    revert: revertDeployments,
    group: 'apps',
    isPair: true,
  },
  CloneSet: {
    verify: verifyCloneSet,
    rolling: cloneSetStrategy,
    scaling: scaleStrategy,
    revert: revertCloneSet,
    group: 'apps.kruise.io',
    isPair: false,
  },
};

export function batchStrategyOf({ kind, mode }: Pick<RolloutRun, 'kind' | 'mode'>): BatchStrategy {
  return kindRules[kind][mode];
}

/**
 * The originals, with the current state of workloads that have none recorded, since nothing has changed them
 * yet.
 */
export function withOriginals(
  origin: readonly OriginalWorkload[],
  workloads: readonly RolledWorkload[],
): readonly OriginalWorkload[] {
  const known = new Set(origin.map(({ name }) => name));
  return [...origin, ...workloads.filter(({ name }) => !known.has(name)).map(originOf)];
}

function originOf({
  name,
  replicas,
  isPaused,
  partition,
  pods,
  kind,
  revision,
}: RolledWorkload): OriginalWorkload {
  if (kind === 'Deployment') return { name, replicas, isPaused };
  return {
    name,
    replicas,
    isPaused,
    ...((typeof partition === 'number' || typeof partition === 'string') && { partition }),
    ...(pods.currentRevision !== undefined && { revision: pods.currentRevision }),
    ...(revision !== undefined && { component: revision }),
  };
}

function verifyDeployments(candidates: VerifyInput): VerifyResult {
  const { rollout, target, sources } = candidates;
  const { targetSize } = rollout.plan;
  const { rolloutOriginalSize } = rollout.status;
  const foreignClaim = describeForeignClaim([target, ...sources], candidates.claim, target.name);
  if (foreignClaim !== undefined) return fails(foreignClaim);
  const sourceSize = sum(sources, ({ replicas }) => replicas);
  // A rollout back to the start of an attempt that has moved no pod: its batches run with nothing to move.
  const isBack = rolloutOriginalSize >= 0 && (targetSize ?? rolloutOriginalSize) === rolloutOriginalSize;
  if (sourceSize === 0 && !isBack) return verifyScale(candidates);
  // Pods of an earlier attempt may never become ready, and are replaced anyway.
  const isFirst = rolloutOriginalSize < 0;
  const unsettled = !isFirst ? undefined : [...sources, target].find(isUnsettled);
  if (unsettled !== undefined) {
    const role = unsettled === target ? 'target' : 'source';
    return fails(
      `the ${role} deployment ${unsettled.name} is still being reconciled, need to be paused or stable`,
    );
  }
  // After an incomplete attempt there may be more pods than requested.
  const known = rolloutOriginalSize >= 0 ? rolloutOriginalSize : sourceSize + target.replicas;
  const size = targetSize ?? Math.max(known, sourceSize);
  if (size < sourceSize) return fails(`target size \`${size}\` less than source size \`${sourceSize}\``);
  if (size < target.replicas)
    return fails(`target size \`${size}\` less than the size of the target, \`${target.replicas}\``);
  const hash = templateHash(target.template);
  if (sources.some(({ template }) => templateHash(template) === hash))
    return fails(`there is no difference between the source and target, hash = ${hash}`);
  return { is: 'fits', mode: 'rolling', base: 0, size, original: known, starting: target.replicas };
}

function verifyCloneSet(candidates: VerifyInput): VerifyResult {
  const { rollout, target } = candidates;
  const { name, pods, replicas, heldReplicas: kept, isPaused } = target;
  const foreignClaim = describeForeignClaim([target], candidates.claim, target.name);
  if (foreignClaim !== undefined) return fails(foreignClaim);
  if (!pods.isObserved || pods.replicas !== replicas)
    return waits(`the cloneset is still scaling, target = ${replicas}, cloneset size = ${pods.replicas}`);
  const { targetSize } = rollout.plan;
  // Names of revisions don't decide: midway back to the first one they are the same.
  const isOneRevision = pods.updatedReplicas >= replicas;
  const resizes = targetSize !== undefined && targetSize !== replicas;
  if (isOneRevision && resizes) return verifyScale(candidates);
  if (isOneRevision)
    return fails(
      `there is no difference between the source and target, hash = ${templateHash(target.template)}`,
    );
  if (resizes)
    return fails(
      `the rollout plan is attempting to scale the cloneset, target = ${targetSize}, cloneset size = ${replicas}`,
    );
  if (!isPaused && kept < replicas - pods.updatedReplicas)
    return fails(`the cloneset ${name} is in the middle of updating, need to be paused first`);
  return {
    is: 'fits',
    mode: 'rolling',
    base: 0,
    size: replicas,
    original: replicas,
    starting: pods.updatedReplicas,
  };
}

function verifyScale({ rollout, target }: VerifyInput): VerifyResult {
  const kind = target.kind.toLowerCase();
  const { targetSize } = rollout.plan;
  if (targetSize === undefined)
    return fails(`the rollout plan is attempting to scale the ${kind} ${target.name} without a target`);
  if (isUnsettled(target))
    return waits(
      `the ${kind} ${target.name} is in the middle of scaling, target size = ${target.replicas}, real size = ${target.pods.replicas}`,
    );
  const { replicas } = target;
  return {
    is: 'fits',
    mode: 'scaling',
    base: replicas,
    size: targetSize,
    original: replicas,
    starting: replicas,
  };
}

/** Why the claimant cannot have these workloads; undefined if it can. */
export function describeForeignClaim(
  workloads: readonly RolledWorkload[],
  claim: string,
  targetName: string | undefined,
): string | undefined {
  for (const { kind, name, hasController, claim: claimed } of workloads) {
    const role =
      kind === 'CloneSet' ? 'cloneset' : name === targetName ? 'target deployment' : 'source deployment';
    if (hasController) return `the ${role} ${name} has a controller owner`;
    if (claimed !== undefined && !isFreeFor(claim, { claim: claimed }))
      return `the ${role} ${name} has a controller owner, the Rollout ${claimed.split('/')[0] ?? claimed}`;
  }
  return undefined;
}

function isUnsettled({ isPaused, pods, replicas }: RolledWorkload): boolean {
  return !isPaused && !(pods.isObserved && pods.readyReplicas === replicas && pods.replicas === replicas);
}

function waits(message: string): VerifyResult {
  return { is: 'waits', message };
}

function fails(message: string): VerifyResult {
  return { is: 'fails', message };
}
