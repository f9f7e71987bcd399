import { z } from 'zod';
import { instant } from '@/lib/api/common';
import type { Immutable } from '@/lib/immutable';

/** A cluster as the archive knows it, whether or not it is connected. */
export const archivedClusterSchema = z.object({
  id: z.string(),
  /** As last observed; null where only an earlier version observed it. */
  name: z.string().nullable(),
  /** Other ids under which it was observed: of its address and CA, or the uid of its namespace kube-system. */
  aliases: z.array(z.string()),
  firstSeenAt: instant,
  lastSeenAt: instant,
});
export type ArchivedCluster = Immutable<z.infer<typeof archivedClusterSchema>>;

/** The entry of the configuration that an id belongs to. No other entry gets the id by claiming it. */
export const boundEntrySchema = z.object({
  name: z.string(),
  /** The file with its context, or the Secret, that has the address and the credentials; nothing of its content. */
  source: z.string(),
  /** When that was written last. Of several ids of an entry the latest is the one that it has. */
  at: instant,
  /** Address of the API server when it was last connected. */
  server: z.string(),
  /** Hash of that address and its certificate authority. */
  hash: z.string(),
  /** The last time that address or authority changed, and the address before. */
  moved: z.object({ at: instant, from: z.string() }).nullable(),
});
export type BoundEntry = Immutable<z.infer<typeof boundEntrySchema>>;
