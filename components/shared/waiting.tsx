import { PartialNotices } from '@/components/shared/partial-notices';
import { Button } from '@/components/ui/button';
import { ErrorState, errorText } from '@/components/ui/error-state';
import { type PageConnection, useConnection } from '@/components/ui/connection';
import { Notice } from '@/components/ui/notice';
import type { PartialResult } from '@/lib/api/common';
import { AppError } from '@/lib/errors';

/** An answer of the server, or why there is none, or no newer one. */
export interface QueryAnswer<Data> {
  /** Undefined until it is there. */
  data: Data | undefined;
  error: Error | null;
}

/**
 * What a section, a list or a page shows of an answer: `loading` until it is there, the error where none came, the
 * parts that are missing, and `none` or what `children` draw. These are called with an answer alone, so that "none" is
 * never said while it is missing. Above an answer that could not be refreshed a notice says so.
 */
export function Waiting<Data extends object>({
  answer: { data, error },
  loading,
  onRetry,
  title,
  failed,
  heading,
  className,
  missing,
  none,
  children,
}: {
  answer: QueryAnswer<Data>;
  loading: React.ReactNode;
  onRetry: () => void;
  /** What failed: "The pods could not be loaded"; without it the error decides. */
  title?: string;
  /** Draws the error where no answer came. */
  failed?: (error: Error) => React.ReactNode;
  /** `h1` where the error is the only content of the page. */
  heading?: 'h1' | 'h2';
  /** Of the error and the notices. */
  className?: string;
  /** What is missing with the parts that could not be read: "Without pods." */
  missing?: string;
  /** Says that there is nothing, where the answer has nothing; null or false where it has something. */
  none?: (data: Data) => React.ReactNode;
  children: (data: Data) => React.ReactNode;
}) {
  const { link } = useConnection();
  if (data === undefined) {
    if (error === null) return loading;
    if (failed !== undefined) return failed(error);
    return (
      <ErrorState error={error} title={title} heading={heading} onRetry={onRetry} className={className} />
    );
  }
  const nothing = none?.(data);
  const isNothing = nothing !== undefined && nothing !== null && nothing !== false;
  return (
    <>
      {error !== null && !isKnownOffline(error, link) && (
        <Notice
          tone="stale"
          title="Could not refresh; showing the last result."
          action={
            <Button size="small" onClick={onRetry}>
              Try again
            </Button>
          }
          className={className}
        >
          {errorText(error)}
        </Notice>
      )}
      {missing !== undefined && (
        <PartialNotices partial={partsOf(data)} missing={() => missing} className={className} />
      )}
      {isNothing ? nothing : children(data)}
    </>
  );
}

/** The header says it already, for every section of the page. */
function isKnownOffline(error: Error, link: PageConnection['link']): boolean {
  return link === 'lost' && error instanceof AppError && error.details.offline === true;
}

function partsOf(data: { partial?: readonly PartialResult[] }): readonly PartialResult[] {
  return data.partial ?? [];
}
