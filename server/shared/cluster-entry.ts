import type { LinkTemplate } from '@/server/shared/link-template';

/** A source that is read from files of this machine. */
export type LocalSource =
  | { readonly kind: 'kubeconfig'; readonly files: readonly string[]; readonly context?: string }
  /** The service account of Shiplog's pod. */
  | { readonly kind: 'in_cluster' }
  | { readonly kind: 'none' };

/** The source of the cluster's address and credentials. */
export type ClusterSource =
  | LocalSource
  /** A Secret in the namespace of Shiplog's pod. */
  | { readonly kind: 'secret'; readonly name: string };

/** As whom Shiplog sends the requests of a person whom an identity provider names. */
export const personCredentials = ['impersonate', 'token'] as const;
export type PersonCredential = (typeof personCredentials)[number];

/** What the API server puts before the names that it takes from tokens, and with them the bindings of the cluster. */
interface NamePrefixes {
  readonly usernamePrefix: string;
  readonly groupsPrefix: string;
}

/** Where the Argo CD is that deploys to a cluster. */
export interface ArgoPlace {
  /** Those that an Argo CD may be in, where an application does not name its own. */
  readonly namespaces: readonly string[];
  /** What that Argo CD calls the cluster, where that is not its address; null: nothing tells. */
  readonly name: string | null;
  /** The name of the cluster that it is in; null: the same one, or else any that has the application. */
  readonly cluster: string | null;
}

/** A cluster that Shiplog reads, as configured. */
export interface ClusterEntry {
  /** In URLs, filters, and metrics. */
  readonly name: string;
  /** As people call it. */
  readonly title: string;
  /** Such as `production`; null where none is given. */
  readonly stage: string | null;
  /** Links with these names still work. */
  readonly formerNames: readonly string[];
  readonly source: ClusterSource;
  /** The id in the archive, instead of the one that is found; null: found. */
  readonly id: string | null;
  /** The only ones that Shiplog reads; empty: all. */
  readonly namespaces: readonly string[];
  readonly readOnly: boolean;
  readonly credential: PersonCredential;
  readonly identity: NamePrefixes;
  readonly links: readonly LinkTemplate[];
  readonly argocd: ArgoPlace;
}

/** What an entry has where it states nothing else. */
export type EntryDefaults = Pick<
  ClusterEntry,
  'stage' | 'namespaces' | 'readOnly' | 'credential' | 'identity' | 'links' | 'argocd'
>;
