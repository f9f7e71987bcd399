import type { KubectlResult } from '@/e2e/controlplane/kubectl';
import type { KubeClient } from '@/e2e/controlplane/kube-client';
import type { AuditPosition, ApiAuditEntry } from '@/e2e/controlplane/audit';
import type { BehaviourImages } from '@/e2e/controlplane/stages';
import type { User } from '@/e2e/controlplane/users';

export interface ControlPlaneOptions {
  /** Number of simulated nodes; default 3. */
  nodes?: number;
  /** Capacity of each node; a pod that requests more is Pending. */
  nodeCapacity?: { cpu: string; memory: string; pods: string };
  /** Images that fail although their tag does not say so. */
  behaviours?: BehaviourImages;
  /** False starts no controllers, scheduler or nodes: objects are exactly as written. */
  controllers?: boolean;
  /** More arguments for the API server, for example `--min-request-timeout=2` for watches that end soon. */
  apiServerArgs?: string[];
  log?: (line: string) => void;
}

/** What the chosen cluster allows a test to do; the real control plane allows everything. */
export interface Capabilities {
  /** killApiServer, freezeApiServer, startApiServer, renewCertificates, compact, forgetHistory */
  disturb: boolean;
  audit: boolean;
  /** Pods behave as their image tag says, and setLog works. */
  simulatedPods: boolean;
}

export interface ControlPlane {
  readonly server: string;
  /** PEM of the authority of `server`; changes with renewCertificates. */
  readonly ca: string;
  /** Path of a kubeconfig per user; the current context has the user's name. */
  readonly kubeconfigs: Record<User, string>;
  readonly capabilities: Capabilities;
  /** Path of kubectl, for tests that run it themselves. */
  readonly kubectlPath: string;
  /** Runs kubectl, by default as `admin`; a failing command is a result, not an exception. */
  kubectl(args: string[], options?: { user?: User; input?: string }): Promise<KubectlResult>;
  /** JSON client, by default as `seeder` (all rights, not in the audit log). One per user is cached. */
  client(user?: User): KubeClient;
  /** Gives a container its own log. */
  setLog(namespace: string, pod: string, container: string, text: string): void;

  /** Ends the API server at once, like a crash. */
  killApiServer(): Promise<void>;
  /** Restarts it on the same port and data, and waits until it is ready. */
  startApiServer(): Promise<void>;
  /** Stops answering without closing a connection, until thawed. */
  freezeApiServer(): void;
  thawApiServer(): void;
  /**
   * Restarts it with a certificate of another authority, which `ca` and the kubeconfigs then have; resolves when it is
   * ready. A client from before does not trust it.
   */
  renewCertificates(): Promise<void>;
  /** Compacts etcd. The API server's watch cache still serves what it holds; see forgetHistory. */
  compact(): Promise<void>;
  /** Restarts the API server over a compacted etcd: a watch from any earlier resource version gets 410. */
  forgetHistory(): Promise<void>;

  /** Entries of the audit log, oldest first, without those of `seeder` and of the control plane itself. */
  audit(since?: AuditPosition): Promise<ApiAuditEntry[]>;
  auditPosition(): Promise<AuditPosition>;
  /** Open watches; `since` excludes those opened before. */
  openWatches(since?: AuditPosition): Promise<ApiAuditEntry[]>;

  /** Stops every component in reverse order, waits for each, and removes all files. May be called twice. */
  stop(): Promise<void>;
}
