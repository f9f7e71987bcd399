import { z } from 'zod';
import type { Immutable } from '@/lib/immutable';
import { maskedText } from '@/lib/api/common';

/** How people sign in; `SHIPLOG_AUTH`. */
export const authModes = ['local', 'token', 'oidc', 'proxy-jwt', 'proxy-headers', 'anonymous'] as const;
export type AuthMode = (typeof authModes)[number];

export const sessionSchema = z.object({
  mode: z.enum(authModes),
  /** Whether a token is for the cluster that the request names: there are several. */
  namesCluster: z.boolean(),
  /** Whether signing out has an effect. */
  canSignOut: z.boolean(),
  /** The host of the identity provider where people sign in, at `/sign-in`; null where there is none. */
  provider: z.string().nullable(),
  /** Where the browser goes after a sign-out, to end its session at the provider too; null: nowhere. */
  signOutUrl: z.string().nullable(),
  /** Null where the request carries no valid identity. */
  viewer: z.object({ id: z.string(), name: maskedText }).nullable(),
  /** Why the request carries none. */
  problem: maskedText.nullable(),
});

const KEY_CHARS_MAX = 200;
/** Tokens with many groups or claims have some kilobytes; Node takes 16 KiB of headers in total. */
const TOKEN_CHARS_MAX = 15_000;

/** The local key, or a bearer token and the cluster that accepts it. */
export const signInRequestSchema = z.union([
  z.strictObject({ key: z.string().trim().min(1).max(KEY_CHARS_MAX) }),
  z.strictObject({
    token: z.string().trim().min(1).max(TOKEN_CHARS_MAX),
    cluster: z.string().min(1).max(253).optional(),
  }),
]);
export type Session = Immutable<z.output<typeof sessionSchema>>;
export type SignInRequest = z.output<typeof signInRequestSchema>;
