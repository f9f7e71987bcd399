import { z } from 'zod/mini';
import { instant, partialSchema } from '@/lib/api/common';

/** `GET /api/cluster`: what the shell shows about the cluster, the viewer and the freshness of what is seen. */
export const clusterSchema = z.object({
  id: z.string(),
  name: z.string(),
  server: z.string(),
  version: z.nullable(z.string()),
  /** `id` tells people of one name apart. */
  viewer: z.object({ id: z.string(), name: z.string() }),
  readOnly: z.boolean(),
  /** Whether it is the cluster that Shiplog brings along, and not one of anybody's. */
  sandbox: z.boolean(),
  /** Whether there is an archive, and with it records and reviews. */
  recording: z.boolean(),
  /**
   * Whether rollouts are recorded now. `standby`: another Shiplog does; `interrupted`: the archive can't be
   * used, or its recorder records another cluster, for the reason given. Null where nothing is recorded by this process at all.
   */
  recorder: z.nullable(
    z.object({
      state: z.enum(['starting', 'recording', 'standby', 'interrupted']),
      since: instant,
      reason: z.nullable(z.string()),
    }),
  ),
  /** Controllers of Shiplog's own that were asked for, and who of all its processes runs them. */
  controllers: z.array(
    z.object({
      name: z.string(),
      /** `standby`: the one named by `holder` runs it; `unknown`: nobody can tell, for the reason given. */
      state: z.enum(['starting', 'leading', 'standby', 'unknown']),
      since: instant,
      holder: z.nullable(z.string()),
      problem: z.nullable(z.string()),
    }),
  ),
  /** Namespaces that the view is limited to; null means all. */
  namespaces: z.nullable(z.array(z.string())),
  connection: z.object({
    state: z.enum(['connecting', 'connected', 'unreachable']),
    message: z.nullable(z.string()),
    observedAt: z.nullable(instant),
    since: instant,
  }),
  ready: z.boolean(),
  partial: z.array(partialSchema),
  resources: z.array(z.object({ id: z.string(), kind: z.string(), plural: z.string() })),
});
export type ClusterInfo = z.infer<typeof clusterSchema>;

/** Data of the server-sent event `change`. */
export const streamKeySchema = z.object({
  cluster: z.string(),
  resource: z.string(),
  namespace: z.string(),
  name: z.string(),
});
export const streamChangeSchema = z.object({ keys: z.array(streamKeySchema) });
export type StreamKey = z.infer<typeof streamKeySchema>;
export type StreamChange = z.infer<typeof streamChangeSchema>;

/** Data of the server-sent event `state`. */
export const streamStateSchema = z.pick(clusterSchema, { connection: true, ready: true });
export type StreamState = z.infer<typeof streamStateSchema>;
