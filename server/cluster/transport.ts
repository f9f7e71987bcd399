import 'server-only';
import { type Json } from '@/lib/kube/json';
import { type Impersonation } from '@/server/viewer';

export type KubeMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One request to the API server. `path` is absolute and already escaped segment by segment; see `pathTo`. */
export interface KubeRequest {
  readonly method: KubeMethod;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
  /** Default `application/json`. */
  readonly contentType?: string;
  /** Default `application/json`. */
  readonly accept?: string;
  readonly impersonate?: Impersonation;
  /** For the whole exchange; for a stream until its answer begins. Default 30 s. */
  readonly timeoutMs?: number;
  /** The longest answer taken, decompressed. Default 256 MiB for `json`, 4 MiB for `text`; longer is `too_large`. */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
}

/** Lines of an answer that stays open. Leaving the iteration or calling `close` ends the connection. */
export interface LineStream {
  readonly lines: AsyncIterable<string>;
  close(): void;
}

export interface TransportStats {
  readonly connectionsOpened: number;
  readonly connectionsOpen: number;
  readonly requests: number;
  readonly retries: number;
  readonly failures: number;
  readonly openStreams: number;
}

/**
 * Speaks to one API server over one connection pool. Every failure is an AppError, except that an aborted `signal`
 * throws its own reason.
 */
export interface Transport {
  /** Address of the API server, without user-info. */
  readonly server: string;
  /** The parsed answer; integers that a double cannot hold survive. */
  json(request: KubeRequest): Promise<Json>;
  text(request: KubeRequest): Promise<string>;
  stream(request: KubeRequest): Promise<LineStream>;
  /** Ends what is open. No request is possible afterwards. */
  close(): Promise<void>;
  readonly stats: TransportStats;
}
