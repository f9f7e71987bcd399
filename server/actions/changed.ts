import 'server-only';
import { type Diff } from '@/lib/api/diff';
import { AppError } from '@/lib/errors';
import { type JsonObject } from '@/lib/kube/json';
import { utc } from '@/lib/workloads/words';
import { type ActionsContext } from '@/server/actions/context';
import { diffOf, type DiffSide } from '@/server/actions/diff';
import { type Present } from '@/server/actions/present';
import { lastTemplateWrite } from '@/server/reads/view';

/** "Changed since you looked": what is there now, and the value to confirm it with. Nothing has been written. */
export function changedError({ workload, history, seen }: Present, diff: Diff | null = null): AppError {
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
      diff,
    },
  );
}

/** The same with the difference from what is there now to what was asked for. */
export async function changedErrorWithDiff(
  { keys }: Pick<ActionsContext, 'keys'>,
  present: Present,
  { template, side }: { template: JsonObject; side: DiffSide },
): Promise<AppError> {
  return changedError(present, await diffOf(keys, present, template, side));
}
