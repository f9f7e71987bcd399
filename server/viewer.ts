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
  /** Stable and unique among the identities of one process; two viewers with one id have the same rights. */
  readonly id: string;
  /** As people know them; shown and written to the audit, never used for a decision. */
  readonly name: string;
  /** Absent: requests carry the process's own credentials. */
  readonly impersonate?: Impersonation;
  /** Whether this is the identity that Shiplog itself runs as. */
  readonly isProcess: boolean;
}
