import 'server-only';
import { type Answer } from '@/lib/api/common';
import { type diffSchema } from '@/lib/api/diff';
import { AppError } from '@/lib/errors';
import { type JsonObject } from '@/lib/kube/json';
import { formatUtc } from '@/lib/format/text';
import { type ActionsContext } from '@/server/actions/context';
import { diffOf, type DiffSide } from '@/server/actions/diff';
import { type CurrentWorkload } from '@/server/actions/current-workload';
import { lastTemplateWrite } from '@/server/reads/workload-view';

/**
 * AppError `changed` with the current state, and the value to confirm it with. Nothing has been written.
 */
export function changedError(
  { workload, history, preconditionToken: seen }: CurrentWorkload,
  diff: Answer<typeof diffSchema> | null = null,
): AppError {
  const write = lastTemplateWrite(workload);
  const who =
    write === null
      ? ''
      : ` ${write.manager} wrote its template last${write.time === null ? '' : `, at ${formatUtc(write.time)}`}.`;
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

/** The same with the difference from the current state to the requested one. */
export async function changedErrorWithDiff(
  { keys }: Pick<ActionsContext, 'keys'>,
  current: CurrentWorkload,
  { template, side }: { template: JsonObject; side: DiffSide },
): Promise<AppError> {
  return changedError(current, await diffOf(keys.mask, current, template, side));
}
