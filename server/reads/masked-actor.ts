import 'server-only';
import { type Actor } from '@/lib/records/record';
import { type Keys } from '@/server/shared/keys';
import { maskText } from '@/server/shared/mask';

/** Who began a rollout, credentials masked: field managers choose their names freely. */
export function maskedActor(actor: Actor | null, keys: Keys): Actor | null {
  return actor === null ? null : { ...actor, name: maskText(actor.name, keys) };
}
