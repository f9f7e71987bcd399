import 'server-only';
import { type Actor } from '@/lib/ledger/record';
import { type Keys } from '@/server/keys';
import { maskText } from '@/server/mask';

/** Who began a rollout, credentials masked: a manager calls itself what it likes. */
export function maskedActor(actor: Actor | null, keys: Keys): Actor | null {
  return actor === null ? null : { ...actor, name: maskText(actor.name, keys) };
}
