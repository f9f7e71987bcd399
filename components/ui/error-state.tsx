'use client';

import { Button, ButtonLink } from '@/components/ui/button';
import { CopyButton } from '@/components/ui/copy-button';
import { EmptyState } from '@/components/ui/empty-state';
import type { GlyphName } from '@/components/ui/glyph';
import { AppError, type ErrorCode } from '@/lib/errors';

interface Appearance {
  title: string;
  glyph: GlyphName;
  bad: boolean;
}

const appearances: Partial<Record<ErrorCode, Appearance>> = {
  forbidden: { title: 'You do not have permission to see this', glyph: 'lock', bad: false },
  signed_out: { title: 'You are not signed in', glyph: 'lock', bad: false },
  unauthorized: { title: 'The cluster rejected the credentials', glyph: 'lock', bad: false },
  not_found: { title: 'Not found', glyph: 'unknown', bad: false },
  cluster_unreachable: { title: 'Cluster unreachable', glyph: 'plug', bad: false },
  archive_unavailable: { title: 'Archive unavailable', glyph: 'failed', bad: true },
  identity_unavailable: { title: 'Sign-in unavailable', glyph: 'plug', bad: false },
  rate_limited: { title: 'Too many requests', glyph: 'waiting', bad: false },
  timeout: { title: 'Request timed out', glyph: 'waiting', bad: false },
};
const fallbackAppearance: Appearance = { title: 'Could not load this', glyph: 'failed', bad: true };

/**
 * An error with its own message and a retry. `title` states what failed ("The comparison could not be made"); without
 * it the code decides.
 */
export function ErrorState({
  error,
  title,
  onRetry,
  heading,
  boxed,
  className,
}: {
  error: unknown;
  title?: string;
  onRetry?: () => void;
  /** `h1` where the error is the only content of the page. */
  heading?: 'h1' | 'h2';
  boxed?: boolean;
  className?: string;
}) {
  const appearance = (error instanceof AppError ? appearances[error.code] : undefined) ?? fallbackAppearance;
  const code = error instanceof AppError ? error.code : 'internal';
  const isMissing = code === 'not_found';
  return (
    <EmptyState
      title={title ?? appearance.title}
      glyph={appearance.glyph}
      tone={appearance.bad ? 'bad' : 'plain'}
      heading={heading}
      boxed={boxed}
      className={className}
      note={
        <>
          code <span className="literal">{code}</span>
        </>
      }
      actions={
        <>
          {isMissing && (
            <ButtonLink size="small" href={searchPath(error)}>
              Search workloads
            </ButtonLink>
          )}
          {onRetry && !isMissing && (
            <Button size="small" onClick={onRetry}>
              Try again
            </Button>
          )}
          <CopyButton size="small" tone="quiet" label="Copy details" text={() => errorDetails(error)}>
            Copy details
          </CopyButton>
        </>
      }
    >
      {errorText(error)}
    </EmptyState>
  );
}

/** The search of the name, since another kind or namespace may be meant. */
function searchPath(error: unknown): string {
  const name = error instanceof AppError ? error.details.name : undefined;
  return typeof name === 'string' ? `/?${new URLSearchParams({ q: name })}` : '/';
}

/** The message of an error for the viewer; anything but an `AppError` is a defect of Shiplog and says so. */
export function errorText(error: unknown): string {
  if (error instanceof AppError) return error.message;
  return 'Internal error in Shiplog. Nothing was changed in the cluster.';
}

function errorDetails(error: unknown): string {
  const details = error instanceof AppError ? { code: error.code, ...error.details } : {};
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return `${message}\n${JSON.stringify(details, null, 2)}\n${window.location.href}\n${new Date().toISOString()}`;
}
