import { type Extent } from '@/lib/oam/batches';
import { cloneSetHandling, revertCloneSet } from '@/lib/oam/clone-set';
import { type Handling, type Held, type Step, sum } from '@/lib/oam/handling';
import { pair, revertDeployments } from '@/lib/oam/pair';
import { type Origin, type Rollout, type Run, type WorkloadKindName } from '@/lib/oam/rollout';
import { scale } from '@/lib/oam/scale';
import { templateHash } from '@/lib/oam/template-hash';
import { isFreeFor, type RolledWorkload } from '@/lib/oam/workload';

/** Whether an attempt may begin, and with which sizes. */
export type Verdict =
  | {
      readonly is: 'fits';
      readonly mode: Extent['mode'];
      readonly base: number;
      readonly size: number;
      /** Of everything before the first attempt. */
      readonly original: number;
      /** Pods of the target revision that there are. */
      readonly starting: number;
    }
  | { readonly is: 'waits' | 'fails'; readonly message: string };

export interface Candidates {
  readonly rollout: Rollout;
  readonly claim: string;
  readonly target: RolledWorkload;
  /** Those that are there. */
  readonly sources: readonly RolledWorkload[];
}

/** What a kind answers for itself. */
interface KindRules {
  readonly verify: (candidates: Candidates) => Verdict;
  readonly rolling: Handling;
  readonly scaling: Handling;
  /** Brings back what was there before the rollout. */
  readonly revert: (held: Held) => Step;
  /** API groups of the kind. */
  readonly group: string;
  /** Whether source and target are two objects. */
  readonly isPair: boolean;
}

/** The only list of kinds. */
export const kindRules: Readonly<Record<WorkloadKindName, KindRules>> = {
  Deployment: {
    verify: verifyDeployments,
    rolling: pair,
    scaling: scale,
    revert: revertDeployments,
    group: 'apps',
    isPair: true,
  },
  CloneSet: {
    verify: verifyCloneSet,
    rolling: cloneSetHandling,
    scaling: scale,
    revert: revertCloneSet,
    group: 'apps.kruise.io',
    isPair: false,
  },
};

export function handlingOf({ kind, mode }: Pick<Run, 'kind' | 'mode'>): Handling {
  return kindRules[kind][mode];
}

/** With what workloads look like of which nothing is known yet, since nothing has been done to them. */
export function withNewcomers(
  origin: readonly Origin[],
  workloads: readonly RolledWorkload[],
): readonly Origin[] {
  const known = new Set(origin.map(({ name }) => name));
  return [...origin, ...workloads.filter(({ name }) => !known.has(name)).map(originOf)];
}

function originOf({ name, replicas, isPaused, partition, pods, kind, revision }: RolledWorkload): Origin {
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

function verifyDeployments(candidates: Candidates): Verdict {
  const { rollout, target, sources } = candidates;
  const { targetSize } = rollout.plan;
  const { rolloutOriginalSize } = rollout.status;
  const held = heldByOthers([target, ...sources], candidates.claim, target.name);
  if (held !== undefined) return fails(held);
  const sourceSize = sum(sources, ({ replicas }) => replicas);
  // Back to what an attempt has begun from, before it took a pod: the batches are gone through with nothing to move.
  const isBack = rolloutOriginalSize >= 0 && (targetSize ?? rolloutOriginalSize) === rolloutOriginalSize;
  if (sourceSize === 0 && !isBack) return verifyScale(candidates);
  // What an earlier attempt has left may never settle, and is to be replaced all the same.
  const isFirst = rolloutOriginalSize < 0;
  const unsettled = !isFirst ? undefined : [...sources, target].find(isUnsettled);
  if (unsettled !== undefined) {
    const role = unsettled === target ? 'target' : 'source';
    return fails(
      `the ${role} deployment ${unsettled.name} is still being reconciled, need to be paused or stable`,
    );
  }
  // After an attempt that stopped halfway there may be more pods than anybody asked for.
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

function verifyCloneSet(candidates: Candidates): Verdict {
  const { rollout, target } = candidates;
  const { name, pods, replicas, kept, isPaused } = target;
  const held = heldByOthers([target], candidates.claim, target.name);
  if (held !== undefined) return fails(held);
  if (!pods.isObserved || pods.replicas !== replicas)
    return waits(`the cloneset is still scaling, target = ${replicas}, cloneset size = ${pods.replicas}`);
  const { targetSize } = rollout.plan;
  // Names of revisions don't tell: midway back to the first one they are the same.
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

function verifyScale({ rollout, target }: Candidates): Verdict {
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

/** Why workloads are not for whoever claims them like this; undefined if they are. */
export function heldByOthers(
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

function waits(message: string): Verdict {
  return { is: 'waits', message };
}

function fails(message: string): Verdict {
  return { is: 'fails', message };
}
