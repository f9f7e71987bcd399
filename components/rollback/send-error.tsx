import { isUnsettled, type SendState } from '@/components/rollback/use-send';
import { sentenceOf } from '@/components/ui/error-state';
import { Notice } from '@/components/ui/notice';
import { AppError } from '@/lib/errors';

/** What became of a confirmed action that was not accepted: refused in whose words, or not known. */
export function SendError({ state }: { state: SendState }) {
  if (state.kind !== 'failed') return null;
  const { error } = state;
  if (isUnsettled(error)) {
    const isOffline = error instanceof AppError && error.details.offline === true;
    return (
      <Notice
        tone="stale"
        title="No answer came, so it is not known whether it was written."
        className="mb-3"
      >
        Send it again to find out: the same request is carried out once at most.
        {!isOffline && ` ${sentenceOf(error)}`}
      </Notice>
    );
  }
  return (
    <Notice tone="refused" title="Nothing was written." className="mb-3">
      {error instanceof AppError && (error.code === 'forbidden' || error.code === 'cluster_error') ? (
        <code className="text-ink">{error.message}</code>
      ) : (
        sentenceOf(error)
      )}
    </Notice>
  );
}
