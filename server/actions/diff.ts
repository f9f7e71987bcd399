import 'server-only';
import { type Diff } from '@/lib/api/diff';
import { type TemplateDiff } from '@/lib/diff/change';
import { type JsonObject } from '@/lib/kube/json';
import { type ActionsContext } from '@/server/actions/context';
import { type Present } from '@/server/actions/present';
import { type Keys } from '@/server/keys';
import { maskedDiff } from '@/server/mask';
import { diffAnswer, type DiffEchoes } from '@/server/reads/diff-answer';
import { echoesOfDiff } from '@/server/reads/echoes';

export type DiffSide = Diff['to'];

/** From what is there now to what will be there, masked. */
export async function diffOf(keys: Keys, present: Present, after: JsonObject, to: DiffSide): Promise<Diff> {
  return answerOf(await maskedDiff(keys, beforeOf(present, after), after), null, present, to);
}

/** The same for somebody who is to decide: with the earlier rollouts that it takes back or repeats. */
export async function diffWithEchoes(
  { keys, archive, log }: Pick<ActionsContext, 'keys' | 'archive' | 'log'>,
  present: Present,
  after: JsonObject,
  to: DiffSide,
): Promise<Diff> {
  const { workload, history } = present;
  const diff = await maskedDiff(keys, beforeOf(present, after), after);
  const sides = { from: history.target?.id ?? null, to: to.revisionId };
  const echoes = await echoesOfDiff({ keys, archive: archive() }, workload.uid, sides, diff).catch(
    (error: unknown) => {
      log.error('what is taken back could not be told', { workload: workload.name, error });
      return null;
    },
  );
  return answerOf(diff, echoes, present, to);
}

/** Of what is there now, as much as the other side speaks of. */
function beforeOf({ kind, template }: Present, after: JsonObject): JsonObject {
  return kind.presentFor?.(template, after) ?? template;
}

function answerOf(
  diff: TemplateDiff,
  echoes: DiffEchoes | null,
  { history: { target } }: Present,
  to: DiffSide,
): Diff {
  return {
    ...diffAnswer(diff, echoes),
    from: { label: 'now', ref: 'live', revisionId: target?.id ?? null, number: target?.number ?? null },
    to,
    yaml: null,
  };
}
