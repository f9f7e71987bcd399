import 'server-only';
import { AppError } from '@/lib/errors';
import { type JsonObject } from '@/lib/kube/json';
import { utc } from '@/lib/workloads/words';
import { type ActionsContext } from '@/server/actions/context';
import { diffOf, type DiffSide } from '@/server/actions/diff';
import { type Present } from '@/server/actions/present';
import { lastTemplateWrite } from '@/server/reads/view';

/**
 * "Changed since you looked": what is there now, the value to confirm it with, and the difference from it to what was
 * asked for. Nothing has been written.
 */
export function changedError(
  { keys }: Pick<ActionsContext, 'keys'>,
  present: Present,
  target?: { template: JsonObject; side: DiffSide },
): AppError {
  const { workload, history, seen } = present;
  const write = lastTemplateWrite(workload);
  const who =
    write === null
      ? ''
      : ` ${write.manager} wrote its template last${write.time === null ? '' : `, at ${utc(write.time)}`}.`;
  return new AppError(
    'changed',
    `${workload.name} changed since you looked at it, so nothing was written.${who} Look at what is there now, then decide again.`,
    {
      seen,
      uid: workload.uid,
      targetRevision: history.target?.number ?? null,
      targetId: history.target?.id ?? null,
      diff: target === undefined ? null : diffOf(keys, present, target.template, target.side),
    },
  );
}
