import { type Incarnation } from '@/lib/api/earlier-incarnation';
import { type WorkloadIncarnation } from '@/lib/api/incarnation';

/** An incarnation as pages list it. */
export function incarnationItem({ uid, createdAt, deletedAt }: WorkloadIncarnation): Incarnation {
  return { uid, from: createdAt, to: deletedAt };
}
