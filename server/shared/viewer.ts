import { AppError } from '@/lib/errors';
import { type BearerToken } from '@/server/shared/bearer-token';

/**
 * The user that the API server takes a request for.
 * https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation
 */
export interface Impersonation {
  readonly user: string;
  readonly groups?: readonly string[];
  readonly uid?: string;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/**
 * What a viewer's requests to a cluster are authenticated with: as the process; as the process that impersonates the
 * viewer; or with the viewer's own token and nothing of the process.
 */
export type Credential =
  | { readonly kind: 'process' }
  | ({ readonly kind: 'impersonate' } & Impersonation)
  | { readonly kind: 'token'; readonly token: BearerToken };

export const processCredential: Credential = { kind: 'process' };

/**
 * The person a request acts for. Every function in `server/` that reads or acts takes the viewer, and the API
 * server alone decides what the viewer is allowed to do. Everything cached between requests is keyed by `id`.
 */
export interface Viewer {
  /**
   * Stable, and the same wherever this identity reaches the cluster, since the archive stores it as the
   * author of comments and several processes may share one; two viewers with one id have the same rights.
   */
  readonly id: string;
  /**
   * The name that people know; shown and written to the audit, never used for a decision. Of a viewer with a token it is
   * the user that the API server takes the token for.
   */
  readonly name: string;
  readonly credential: Credential;
  /**
   * Whether this is the identity that Shiplog itself runs as. An anonymous viewer is not, although their requests are
   * sent with its credential.
   */
  readonly isProcess: boolean;
  /**
   * Why this viewer is not allowed to write: not to the archive either, unless only the cluster is read-only. Absent:
   * writes are allowed.
   */
  readonly readOnly?: keyof typeof readOnlyReasons;
  /** Whether the logs of pods are hidden from this viewer, whatever the API server allows. */
  readonly hidesLogs?: boolean;
}

/** Every viewer of a Shiplog without login. */
export function anonymousViewer({ logs }: { logs: boolean }): Viewer {
  return {
    id: 'anonymous',
    name: 'anonymous',
    credential: processCredential,
    isProcess: false,
    readOnly: 'anonymous',
    hidesLogs: !logs,
  };
}

const readOnlyReasons = {
  configured: 'Shiplog is read-only. Unset SHIPLOG_READ_ONLY to allow changes.',
  anonymous: 'anonymous access is read-only. Set SHIPLOG_AUTH so that people sign in to allow changes.',
  cluster:
    'this cluster is read-only in Shiplog. Remove readOnly from its entry in SHIPLOG_CLUSTERS to allow changes.',
};

/** The one decision on every write: actions, verdicts, comments, pins. Throws AppError `read_only`. */
export function assertCanWrite({ readOnly }: Viewer): void {
  if (readOnly === undefined) return;
  throw new AppError('read_only', `Nothing was changed: ${readOnlyReasons[readOnly]}`);
}
