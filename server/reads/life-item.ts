import { type Life } from '@/lib/api/workloads';
import { type WorkloadLife } from '@/lib/ledger/record';

/** A life as pages list it. */
export function lifeItem({ uid, createdAt, deletedAt }: WorkloadLife): Life {
  return { uid, from: createdAt, to: deletedAt };
}
