import 'server-only';
import type { TemplateDiff } from '@/lib/diff/change';
import type { JsonObject } from '@/lib/kube/json';
import type { ActionsContext } from '@/server/actions/context';
import type { CurrentWorkload } from '@/server/actions/current-workload';
import type { DiffResponse } from '@/server/actions/strategy';
import { diffAnswer, type DiffRelatedChanges } from '@/server/views/diff-answer';
import { relatedChangesOfDiff } from '@/server/views/related-changes';

export type DiffSide = DiffResponse['to'];

/**
 * From the current state to the next one, masked. `withRelatedChanges`, for a viewer who is to decide: and the earlier
 * rollouts that it reverts or repeats.
 */
export async function diffOf(
  context: Pick<ActionsContext, 'cluster' | 'keys' | 'archive' | 'log'>,
  current: CurrentWorkload,
  after: JsonObject,
  to: DiffSide,
  { withRelatedChanges = false }: { withRelatedChanges?: boolean } = {},
): Promise<DiffResponse> {
  const { target } = current.history;
  const { currentTemplate, kind } = current;
  const before = kind.template?.comparable?.(currentTemplate, after) ?? currentTemplate;
  const diff = await context.keys.mask.diff(before, after);
  const related = withRelatedChanges ? await relatedChanges(context, current, diff, to) : null;
  return {
    ...diffAnswer(diff, related),
    from: { label: 'now', ref: 'live', revisionId: target?.id ?? null, number: target?.number ?? null },
    to,
    yaml: null,
  };
}

async function relatedChanges(
  { cluster, keys, archive, log }: Pick<ActionsContext, 'cluster' | 'keys' | 'archive' | 'log'>,
  { workload, history }: CurrentWorkload,
  diff: TemplateDiff,
  to: DiffSide,
): Promise<DiffRelatedChanges | null> {
  const incarnation = { cluster: cluster.identity.id, uid: workload.uid };
  const sides = { from: history.target?.id ?? null, to: to.revisionId };
  try {
    return await relatedChangesOfDiff({ keys, archive: archive() }, incarnation, sides, diff);
  } catch (error) {
    log.error('the reverted rollouts could not be determined', { workload: workload.name, error });
    return null;
  }
}
