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
  /** For the whole exchange, with retries; for a stream until its answer begins. Default 30 s. */
  readonly timeoutMs?: number;
  /**
   * The longest accepted answer, decompressed. Default 256 MiB for `json`, 4 MiB for `text`; longer is
   * `too_large`.
   */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
  /**
   * False for callers that wait by themselves when the API server requests it, and show that they do. Default
   * true.
   */
  readonly mayWait?: boolean;
  /**
   * Never waits for another request to end and free its connection, as every stream: for what must be answered
   * while many requests hang. Default false.
   */
  readonly hasPriority?: boolean;
  /**
   * Called with the beginning of a successful answer to `text` or `json` before the rest has arrived; again
   * after a retry.
   */
  readonly onBegin?: (text: string) => void;
}
