import 'server-only';
import { AppError } from '@/lib/errors';
import { formatUtc } from '@/lib/format/text';
import type { CurrentWorkload } from '@/server/actions/current-workload';
import type { DiffResponse } from '@/server/actions/strategy';
import { lastTemplateWrite } from '@/server/views/workload-view';

/**
 * AppError `changed` with the current state, the value to confirm it with, and the difference from it to the requested
 * state where that is known. Nothing has been written.
 */
export function changedError(
  { workload, history, preconditionToken: seen }: CurrentWorkload,
  diff: DiffResponse | null = null,
): AppError {
  const write = lastTemplateWrite(workload);
  const who =
    write === null
      ? ''
      : ` ${write.manager} last changed its template${write.time === null ? '' : ` at ${formatUtc(write.time)}`}.`;
  return new AppError(
    'changed',
    `${workload.name} changed in the meantime. Nothing was applied.${who} Review the current state and try again.`,
    {
      seen,
      uid: workload.uid,
      targetRevision: history.target?.number ?? null,
      targetId: history.target?.id ?? null,
      diff,
    },
  );
}
