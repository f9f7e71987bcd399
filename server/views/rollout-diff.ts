import 'server-only';
import type { Answer } from '@/lib/api/common';
import type { diffSchema } from '@/lib/api/diff';
import { AppError } from '@/lib/errors';
import type { RolloutRevision } from '@/lib/api/rollouts';
import type { Cluster } from '@/server/cluster/cluster';
import type { Keys } from '@/server/shared/keys';
import type { ReadContext } from '@/server/views/context';
import { diffAnswer } from '@/server/views/diff-answer';
import type { WorkloadName } from '@/server/views/find-workload';
import { assertCan } from '@/server/views/rights';
import { type RolloutView, sidesOfRollout } from '@/server/views/rollout-view';
import { findRollout, sourcesOf } from '@/server/views/find-rollout';
import type { Viewer } from '@/server/shared/viewer';

/** From the stable revision to the new one, or `back`; null where a template is not available. Masked. */
export async function rolloutDiff(
  { cluster: { cache }, keys }: { cluster: Pick<Cluster, 'cache'>; keys: Keys },
  view: RolloutView,
  direction: 'forth' | 'back',
): Promise<Answer<typeof diffSchema> | null> {
  const sides = sidesOfRollout(view);
  const before = sides === null ? undefined : cache.template(sides.before.bodyId);
  const after = sides === null ? undefined : cache.template(sides.after.bodyId);
  if (before === undefined || after === undefined) return null;
  const { stable, updated } = view.rollout.revisions;
  const [from, to] = [sideOf(stable, 'the source'), sideOf(updated, 'the target')];
  return direction === 'forth'
    ? { ...diffAnswer(await keys.mask.diff(before, after)), from, to, yaml: null }
    : { ...diffAnswer(await keys.mask.diff(after, before)), from: to, to: from, yaml: null };
}

/** What a rollout changes: 403 without the right to the templates, 404 where one of them is missing. */
export async function diffOfRollout(
  context: ReadContext,
  viewer: Viewer,
  ref: WorkloadName,
): Promise<Answer<typeof diffSchema>> {
  const view = await findRollout(context, viewer, ref);
  for (const source of sourcesOf(view))
    await assertCan(context.cluster, viewer, 'get', source, ref.namespace);
  const diff = await rolloutDiff(context, view, 'forth');
  if (diff !== null) return diff;
  throw new AppError(
    'not_found',
    `The changes of ${ref.name} are unknown: the template of its source or target does not exist.`,
    { ...ref },
  );
}

function sideOf(revision: RolloutRevision | null, fallback: string): Answer<typeof diffSchema>['from'] {
  const { id = null, number = null, name = null, hash = null } = revision ?? {};
  const label = number === null ? (hash ?? name ?? fallback) : String(number);
  return { label, ref: label, revisionId: id, number };
}
