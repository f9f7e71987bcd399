import { z } from 'zod';
import { sentWith } from '@/lib/api/cluster';
import { maskedText } from '@/lib/api/common';
import { authModes } from '@/lib/api/session';
import type { Immutable } from '@/lib/immutable';

const userSchema = z.object({ user: maskedText, groups: z.array(maskedText) });

const identityInClusterSchema = z.object({
  /** As in URLs. */
  name: z.string(),
  title: z.string(),
  /** What the person's requests to the cluster are sent with; `none`: they have not signed in to it. */
  credential: z.enum(sentWith),
  /** Whom Shiplog impersonates; null with another credential. */
  sent: userSchema.nullable(),
  /** Whom the API server takes the person for; null where it does not say. */
  answer: userSchema.nullable(),
  /** Why it does not. */
  problem: maskedText.nullable(),
});
export type IdentityInCluster = Immutable<z.infer<typeof identityInClusterSchema>>;

/** Who the person is for Shiplog and for each cluster. */
export const identitySchema = z.object({
  mode: z.enum(authModes),
  name: maskedText,
  /** Of the identity provider, with its name for the person; null where Shiplog knows of none. */
  issuer: z.string().nullable(),
  subject: z.string().nullable(),
  clusters: z.array(identityInClusterSchema),
});
export type IdentityAnswer = Immutable<z.infer<typeof identitySchema>>;
