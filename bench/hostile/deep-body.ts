import { z } from 'zod';
import type { Hostile } from '@/bench/hostile/environment';
import { count } from '@/bench/support/figure';
import { mutation } from '@/server/http/http';
import { fixedIdentity } from '@/server/identity/testing/fixed-identity';
import type { Edge } from '@/server/runtime/runtime';
import { Keys } from '@/server/shared/keys';
import { silentLogger } from '@/server/shared/log';
import { IdempotencyStore } from '@/server/shared/idempotency-store';
import { viewerNamed } from '@/server/shared/testing/viewers';

const BRACKETS = 20_000;

export const deepBody: readonly Hostile[] = [
  { what: `${count(BRACKETS)} nested brackets in the body of a request`, run: send },
];

async function send(): Promise<void> {
  const edge: Edge = {
    log: silentLogger,
    keys: new Keys(Buffer.alloc(32, 7)),
    publicUrl: undefined,
    idempotency: new IdempotencyStore(),
    identity: fixedIdentity(() => viewerNamed('bench')),
  };
  const request = new Request('http://localhost/api/x', {
    method: 'POST',
    headers: { host: 'localhost', 'content-type': 'application/json' },
    body: '['.repeat(BRACKETS) + ']'.repeat(BRACKETS),
  });
  const { status } = await mutation(() => null, { schema: z.unknown(), edge: () => edge })(request);
  if (status !== 400) throw new Error(`Answered ${status}.`);
}
