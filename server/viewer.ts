import { AppError } from '@/lib/errors';

/**
 * Whom the API server takes a request for.
 * https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation
 */
export interface Impersonation {
  readonly user: string;
  readonly groups?: readonly string[];
  readonly uid?: string;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/**
 * The person a request acts for. Every function in `server/` that reads or acts takes the viewer, and what the
 * viewer may see or do is decided by the API server alone. Whatever is kept between requests is keyed by `id`.
 */
export interface Viewer {
  /**
   * Stable, and the same wherever this identity reaches the cluster, since the archive keeps it as the author of comments
   * and several processes may share one; two viewers with one id have the same rights.
   */
  readonly id: string;
  /** As people know them; shown and written to the audit, never used for a decision. */
  readonly name: string;
  /** Absent: requests carry the process's own credentials. */
  readonly impersonate?: Impersonation;
  /** Whether this is the identity that Shiplog itself runs as. */
  readonly isProcess: boolean;
  /** Why nothing may be written for this viewer, anywhere: not to the cluster, not to the archive. Absent: it may. */
  readonly readOnly?: 'configured' | 'anonymous';
  /** Whether what pods print is kept from this viewer, whatever the API server allows. */
  readonly isWithoutLogs?: boolean;
}

/** Who reaches a Shiplog that asks nobody who they are. */
export function anonymousViewer({ logs }: { logs: boolean }): Viewer {
  return {
    id: 'anonymous',
    name: 'anonymous',
    isProcess: false,
    readOnly: 'anonymous',
    isWithoutLogs: !logs,
  };
}

/** The one decision on every write: actions, verdicts, comments, pins. Throws AppError `read_only`. */
export function assertMayWrite({ readOnly }: Viewer): void {
  if (readOnly === undefined) return;
  throw new AppError(
    'read_only',
    readOnly === 'configured'
      ? 'Shiplog runs read-only, so nothing was written. Unset SHIPLOG_READ_ONLY to allow changes.'
      : 'Nothing was written: this Shiplog is open to anyone who reaches it, so it only shows. Unset SHIPLOG_ALLOW_ANONYMOUS to allow changes.',
  );
}
