import { z } from 'zod';
import { instant, maskedText, partialSchema } from '@/lib/api/common';
import type { Immutable } from '@/lib/immutable';

/** What the requests of a person to a cluster are sent with. */
export const sentWith = ['process', 'impersonate', 'token', 'none'] as const;

/** `GET /api/cluster`: the cluster, the viewer and the age of the data, for the header of every page. */
export const clusterSchema = z.object({
  /** uid of namespace kube-system, else a hash of server address and CA. */
  id: z.string(),
  /** Name of the context. */
  name: z.string(),
  server: maskedText,
  version: z.string().nullable(),
  /** `id` distinguishes people of the same name. */
  viewer: z.object({ id: z.string(), name: maskedText }),
  readOnly: z.boolean(),
  /** Whether it is the sandbox cluster that Shiplog brings along, not a real one. */
  sandbox: z.boolean(),
  /** Whether there is an archive, and with it records and reviews. */
  recording: z.boolean(),
  /**
   * Whether rollouts are recorded now. `starting`: the cluster has yet to be read; `standby`: another instance of
   * Shiplog records; `interrupted`: the archive can't be used, or its recorder records another cluster, for the
   * reason given. Null where this process records nothing.
   */
  recorder: z
    .object({
      state: z.enum(['starting', 'recording', 'standby', 'interrupted']),
      since: instant,
      reason: maskedText.nullable(),
    })
    .nullable(),
  /** Controllers of Shiplog that were enabled, and which of its instances runs them. */
  controllers: z.array(
    z.object({
      name: z.string(),
      /**
       * `starting`: no answer yet; `standby`: the one named by `holder` runs it; `unknown`: the holder can't be
       * determined, for the reason given; `stopped`: it acts in no instance, for the reason given.
       */
      state: z.enum(['starting', 'leading', 'standby', 'unknown', 'stopped']),
      since: instant,
      holder: z.string().nullable(),
      problem: maskedText.nullable(),
    }),
  ),
  /** Namespaces that the view is limited to; null means all. */
  namespaces: z.array(z.string()).nullable(),
  connection: z.object({
    state: z.enum(['connecting', 'connected', 'unreachable']),
    message: maskedText.nullable(),
    observedAt: instant.nullable(),
    since: instant,
  }),
  ready: z.boolean(),
  partial: z.array(partialSchema),
  resources: z.array(z.object({ id: z.string(), kind: z.string(), plural: z.string() })),
});
export type ClusterInfo = Immutable<z.infer<typeof clusterSchema>>;

/**
 * Why a cluster is not read although its API server answers: what it says of itself is not what is known of its entry.
 * `id`: the id that it claims; `formerId`: the one that its entry has.
 */
const refusalSchema = z.discriminatedUnion('kind', [
  /** The id belongs to another entry, or has records under another name. */
  z.strictObject({
    kind: z.literal('claimed'),
    id: z.string(),
    formerId: z.string().nullable(),
    holder: z.string(),
  }),
  /** Other entries claim it too, and none has it yet. */
  z.strictObject({ kind: z.literal('contested'), id: z.string(), rivals: z.array(z.string()) }),
  /** The entry had another id, and the new one belongs to none. */
  z.strictObject({ kind: z.literal('changed'), id: z.string(), formerId: z.string() }),
]);
export type ClusterRefusal = Immutable<z.infer<typeof refusalSchema>>;

/** A cluster as `GET /api/clusters` lists it. */
export const clusterItemSchema = clusterSchema.omit({ connection: true, recorder: true }).extend({
  /** In addresses and filters. */
  name: z.string(),
  title: z.string(),
  /** Such as `production`; null where none is configured. */
  stage: z.string().nullable(),
  /** What the viewer's requests to the cluster are sent with; `none`: there are none. */
  credential: z.enum(sentWith),
  state: clusterSchema.shape.connection.shape.state,
  /** Since when it is in that state. */
  since: instant,
  /** Why it can't be reached. */
  message: maskedText.nullable(),
  /** The last answer of the API server. */
  observedAt: instant.nullable(),
  /** In memory. */
  objects: z.number(),
  /** Compressed templates in memory. */
  templateBytes: z.number(),
  recorder: clusterSchema.shape.recorder.unwrap(),
  /** The last time that it was found at another address, or with another certificate authority, and the address before. */
  moved: z.object({ at: instant, from: maskedText }).nullable(),
  /** Null where it is read, or can't be for another reason. */
  refusal: refusalSchema.nullable(),
  /** Why the viewer can't accept what it claims; null where they can, or nothing is refused. */
  acceptDenied: maskedText.nullable(),
});
export type ClusterItem = Immutable<z.infer<typeof clusterItemSchema>>;

/** `GET /api/clusters`: all that are configured, in that order. */
export const clusterListSchema = z.object({
  items: z.array(clusterItemSchema),
  /** Whether nothing can be written: neither to a cluster nor to the archive. */
  readOnly: z.boolean(),
  /** Whether the clusters are simulated by Shiplog itself. */
  sandbox: z.boolean(),
  /** Whether there is an archive, and with it records and reviews. */
  recording: z.boolean(),
  /** With records in the archive that the viewer can see, and no longer configured. */
  removed: z.array(z.object({ id: z.string(), name: z.string().nullable(), lastSeenAt: instant })),
  /** Why the configuration of the clusters is not in force; null where it is. */
  problem: z.object({ reason: maskedText, since: instant }).nullable(),
});
export type ClusterList = Immutable<z.infer<typeof clusterListSchema>>;

/** The refusal that the person saw: what is accepted must be what was looked at. */
export const acceptRequestSchema = z.strictObject({ refusal: refusalSchema });

/** Data of the server-sent event `change`. */
export interface StreamChange {
  keys: StreamKey[];
}
export interface StreamKey {
  cluster: string;
  resource: string;
  namespace: string;
  name: string;
}

/** Data of the server-sent event `state`: of each cluster, by its id. */
export interface StreamState {
  clusters: Readonly<Record<string, Pick<ClusterInfo, 'connection' | 'ready'>>>;
}
