import { isOutcomeUnknown, type SendState } from '@/components/rollback/use-send';
import { errorText } from '@/components/ui/error-state';
import { Notice } from '@/components/ui/notice';
import { AppError } from '@/lib/errors';

/** The result of a confirmed action that was not accepted: the refusal with its source, or unknown. */
export function SendError({ state }: { state: SendState }) {
  if (state.kind !== 'failed') return null;
  const { error } = state;
  if (isOutcomeUnknown(error)) {
    const isOffline = error instanceof AppError && error.details.offline === true;
    return (
      <Notice
        tone="stale"
        title="No answer came, so it is not known whether it was written."
        className="mb-3"
      >
        Send it again to find out: the same request is carried out once at most.
        {!isOffline && ` ${errorText(error)}`}
      </Notice>
    );
  }
  return (
    <Notice tone="refused" title="Nothing was written." className="mb-3">
      {error instanceof AppError && (error.code === 'forbidden' || error.code === 'cluster_error') ? (
        <code className="text-ink">{error.message}</code>
      ) : (
        errorText(error)
      )}
    </Notice>
  );
}
