import 'server-only';
import type { FieldWrite } from '@/lib/history/workload';
import { showUnseenCharacters } from '@/lib/format/unseen-characters';
import type { Actor } from '@/lib/api/common';
import type { Masked } from '@/lib/masked';
import type { Mask } from '@/server/shared/mask';

/** A name of a person, a tool, or a group, as it is shown: names from before, and of tools, may have any character. */
export function maskedName(name: string, mask: Mask): Masked<string>;
export function maskedName(name: string | null, mask: Mask): Masked<string> | null;
export function maskedName(name: string | null, mask: Mask): Masked<string> | null {
  return mask.text(name === null ? null : showUnseenCharacters(name));
}

/** Who began a rollout. Field managers choose their names freely. */
export function maskedActor(actor: Actor | null, mask: Mask) {
  return actor === null
    ? null
    : { ...actor, name: maskedName(actor.name, mask), manager: maskedName(actor.manager, mask) };
}

interface Writer {
  manager: Masked<string>;
  operation: string;
  time: string | null;
}

/** Who wrote a field, by its manager. */
export function maskedWriter(write: FieldWrite | null, mask: Mask): Writer | null {
  if (write === null) return null;
  const { manager, operation, time } = write;
  return { manager: maskedName(manager, mask), operation, time };
}
