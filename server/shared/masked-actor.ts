import 'server-only';
import { type FieldWrite } from '@/lib/history/workload';
import { type Actor } from '@/lib/api/common';
import { type Masked } from '@/lib/masked';
import { type Mask } from '@/server/shared/mask';

/** Who began a rollout. Field managers choose their names freely. */
export function maskedActor(actor: Actor | null, mask: Mask) {
  return actor === null ? null : { ...actor, name: mask.text(actor.name), manager: mask.text(actor.manager) };
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
  return { manager: mask.text(manager), operation, time };
}
