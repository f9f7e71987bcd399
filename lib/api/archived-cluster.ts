import { z } from 'zod';
import { instant } from '@/lib/api/common';
import { type Immutable } from '@/lib/immutable';

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
