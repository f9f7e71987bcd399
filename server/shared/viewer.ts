import { AppError } from '@/lib/errors';
import type { BearerToken } from '@/server/shared/bearer-token';
import type { ClusterEntry } from '@/server/shared/cluster-entry';

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

/** Of a viewer who has not signed in to the cluster: no request is sent. */
interface NoCredential {
  readonly kind: 'none';
}

export const processCredential: Credential = { kind: 'process' };

/** What is known of a person in every cluster. */
export interface PersonFacts {
  /**
   * Stable, and the same wherever this identity reaches the cluster, since the archive stores it as the
   * author of comments and several processes may share one.
   */
  readonly id: string;
  /** Two with one key have the same rights: whatever is cached between requests is keyed by it. Absent: the id. */
  readonly accessKey?: string;
  /**
   * The name that people know; shown and written to the audit, never used for a decision. Of a viewer with a token it is
   * the user that the API server takes the token for.
   */
  readonly name: string;
  /**
   * Whether this is the identity that Shiplog itself runs as. An anonymous viewer is not, although their requests are
   * sent with its credential.
   */
  readonly isProcess: boolean;
  /** Whether the API server has not said yet who it is: then the name is that of the kubeconfig's context. */
  readonly isGuessed?: boolean;
  /**
   * Why this viewer is not allowed to write: not to the archive either, unless only the cluster is read-only. Absent:
   * writes are allowed.
   */
  readonly readOnly?: keyof typeof readOnlyReasons;
  /** Whether the logs of pods are hidden from this viewer, whatever the API server allows. */
  readonly hidesLogs?: boolean;
}

/**
 * The person a request to a cluster acts for. Every function in `server/` that reads or acts takes the viewer, and the
 * API server alone decides what the viewer is allowed to do.
 */
export interface Viewer extends PersonFacts {
  readonly credential: Credential | NoCredential;
}

/** What a cluster contributes to the identity of a person in it. */
interface ViewedIn extends Pick<ClusterEntry, 'name' | 'credential' | 'identity'> {
  /** The identity of the process there. */
  readonly self: Viewer;
}

/** The person a request acts for, whichever clusters it is about. */
export interface Person extends PersonFacts {
  /** The identity provider and its name for the person; absent: Shiplog knows of none. For the audit. */
  readonly login?: { readonly issuer: string; readonly subject: string };
  /** Names the session of the browser in the audit; absent: the request is of none. */
  readonly session?: string;
  /** Whether everyone who reaches Shiplog is this person. */
  readonly isShared: boolean;
  /** The person as a cluster knows them. */
  readonly viewerIn: (cluster: ViewedIn) => Viewer;
}

export function accessKeyOf({ accessKey, id }: Pick<PersonFacts, 'accessKey' | 'id'>): string {
  return accessKey ?? id;
}

const readOnlyReasons = {
  configured: 'Shiplog is read-only. Unset SHIPLOG_READ_ONLY to allow changes.',
  anonymous: 'anonymous access is read-only. Set SHIPLOG_AUTH so that people sign in to allow changes.',
  cluster:
    'this cluster is read-only in Shiplog. Remove readOnly from its entry in SHIPLOG_CLUSTERS to allow changes.',
};

/** The one decision on every write: actions, verdicts, comments, pins. Throws AppError `read_only`. */
export function assertCanWrite({ readOnly }: Pick<PersonFacts, 'readOnly'>): void {
  if (readOnly === undefined) return;
  throw new AppError('read_only', `Nothing was changed: ${readOnlyReasons[readOnly]}`);
}

/** The same as a sentence of its own, before anything is tried. */
export function readOnlyText(readOnly: keyof typeof readOnlyReasons): string {
  const reason = readOnlyReasons[readOnly];
  return reason.charAt(0).toUpperCase() + reason.slice(1);
}
