import { Button } from '@/components/ui/button';
import { ErrorState, errorText } from '@/components/ui/error-state';
import { Notice } from '@/components/ui/notice';

/** An answer of the server, or why there is none, or no newer one. */
export interface Answer<Data> {
  /** Undefined until it is there. */
  data: Data | undefined;
  error: Error | null;
}

/**
 * What a page or a list shows of an answer: `loading` until it is there, the error where none came, and what `children`
 * draw of it. They are called with an answer alone, so that "none" is never said while it is missing. Above an answer
 * that could not be refreshed a notice says so.
 */
export function Waiting<Data>({
  answer: { data, error },
  loading,
  onRetry,
  heading,
  className,
  children,
}: {
  answer: Answer<Data>;
  loading: React.ReactNode;
  onRetry: () => void;
  /** `h1` where the error is the only content of the page. */
  heading?: 'h1' | 'h2';
  /** Of the error and the notice. */
  className?: string;
  children: (data: Data) => React.ReactNode;
}) {
  if (data === undefined) {
    if (error === null) return loading;
    return <ErrorState error={error} heading={heading} onRetry={onRetry} className={className} />;
  }
  return (
    <>
      {error !== null && <NotRefreshed error={error} onRetry={onRetry} className={className} />}
      {children(data)}
    </>
  );
}

/** Above content that could not be refreshed. */
function NotRefreshed({
  error,
  onRetry,
  className,
}: {
  error: Error;
  onRetry: () => void;
  className?: string;
}) {
  return (
    <Notice
      tone="stale"
      title="There is no newer answer; this is what was read last."
      action={
        <Button size="small" onClick={onRetry}>
          Try again
        </Button>
      }
      className={className}
    >
      {errorText(error)}
    </Notice>
  );
}
