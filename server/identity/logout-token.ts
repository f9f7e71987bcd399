import 'server-only';
import { type JWTVerifyGetKey, jwtVerify } from 'jose';
import { z } from 'zod';
import type { LoginFilter } from '@/server/archive/viewer-sessions';
import { ALGORITHMS, CLOCK_TOLERANCE_SECONDS } from '@/server/identity/signing-keys';

const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** It is sent at once; an older one may be a copy. */
const AGE_SECONDS = 120;
/** None is valid for longer, with the clock of the provider ahead or behind. */
export const LOGOUT_TOKEN_LIFE_MS = (AGE_SECONDS + 2 * CLOCK_TOLERANCE_SECONDS) * 1_000;

/** What a logout token says, once its signature is verified. */
const logoutSchema = z
  .object({
    jti: z.string({ error: 'its jti is no text' }).min(1, { error: 'its jti is empty' }),
    iat: z.number({ error: 'its iat is no number' }),
    events: z.object(
      { [LOGOUT_EVENT]: z.looseObject({}, { error: 'it is no logout token' }) },
      { error: 'it is no logout token' },
    ),
    nonce: z.undefined({ error: 'it has a nonce, as tokens of sign-ins have' }).optional(),
    sub: z.string({ error: 'its sub is no text' }).optional(),
    sid: z.string({ error: 'its sid is no text' }).optional(),
  })
  .refine(({ sub, sid }) => sub !== undefined || sid !== undefined, {
    error: 'it has neither a sub nor a sid',
  });

/** Which sign-ins a logout token ends. */
export interface Logout {
  /** Names the token. */
  id: string;
  logins: LoginFilter;
}

/**
 * Which sign-ins a logout token ends. Rejects where it is not valid, and with KeysUnavailable where that is unknown.
 * https://openid.net/specs/openid-connect-backchannel-1_0.html#Validation
 */
export async function readLogoutToken(
  token: string,
  keys: JWTVerifyGetKey,
  { issuer, audience }: { issuer: string; audience: string },
): Promise<Logout> {
  const { payload } = await jwtVerify(token, keys, {
    ...{ issuer, audience, algorithms: ALGORITHMS },
    ...{ clockTolerance: CLOCK_TOLERANCE_SECONDS, maxTokenAge: AGE_SECONDS },
  });
  const { data, error } = logoutSchema.safeParse(payload);
  if (data === undefined) throw new Error(error.issues[0]?.message);
  const { jti, iat, sub, sid } = data;
  return { id: jti, logins: { issuer, subject: sub, sid, untilMs: iat * 1_000 } };
}
