import 'server-only';
import { type Answer } from '@/lib/api/common';
import { type diffSchema } from '@/lib/api/diff';
import { type TemplateDiff } from '@/lib/diff/change';
import { type JsonObject } from '@/lib/kube/json';
import { type ActionsContext } from '@/server/actions/context';
import { type CurrentWorkload } from '@/server/actions/current-workload';
import { type Mask } from '@/server/shared/mask';
import { diffAnswer, type DiffRelatedChanges } from '@/server/reads/diff-answer';
import { relatedChangesOfDiff } from '@/server/reads/related-changes';

export type DiffSide = Answer<typeof diffSchema>['to'];

/** From the current state to the next one, masked. */
export async function diffOf(
  mask: Mask,
  current: CurrentWorkload,
  after: JsonObject,
  to: DiffSide,
): Promise<Answer<typeof diffSchema>> {
  return answerOf(await mask.diff(beforeOf(current, after), after), null, current, to);
}

/** The same for a viewer who is to decide: with the earlier rollouts that it reverts or repeats. */
export async function diffWithRelatedChanges(
  { keys, archive, log }: Pick<ActionsContext, 'keys' | 'archive' | 'log'>,
  current: CurrentWorkload,
  after: JsonObject,
  to: DiffSide,
): Promise<Answer<typeof diffSchema>> {
  const { workload, history } = current;
  const diff = await keys.mask.diff(beforeOf(current, after), after);
  const sides = { from: history.target?.id ?? null, to: to.revisionId };
  const related = await relatedChangesOfDiff({ keys, archive: archive() }, workload.uid, sides, diff).catch(
    (error: unknown) => {
      log.error('what is taken back could not be told', { workload: workload.name, error });
      return null;
    },
  );
  return answerOf(diff, related, current, to);
}

/** The part of the current state that the other side also has. */
function beforeOf({ kind, template }: CurrentWorkload, after: JsonObject): JsonObject {
  return kind.comparableTemplate?.(template, after) ?? template;
}

function answerOf(
  diff: TemplateDiff,
  related: DiffRelatedChanges | null,
  { history: { target } }: CurrentWorkload,
  to: DiffSide,
): Answer<typeof diffSchema> {
  return {
    ...diffAnswer(diff, related),
    from: { label: 'now', ref: 'live', revisionId: target?.id ?? null, number: target?.number ?? null },
    to,
    yaml: null,
  };
}
