import 'server-only';
import { toColumn } from '@/server/archive/column-values';
import { unknownRecord } from '@/server/archive/records';
import { type ArchiveTransaction, type Engine } from '@/server/archive/migrations/schema';

/** Its row number; locks the record's review and comments until the end of the transaction. */
export async function lockRecord(
  transaction: ArchiveTransaction,
  engine: Engine,
  id: string,
): Promise<number> {
  const query = transaction.selectFrom('record').select('seq').where('id', '=', toColumn(id));
  const row = await (engine === 'postgres' ? query.forUpdate() : query).executeTakeFirst();
  if (row === undefined) throw unknownRecord(id);
  return row.seq;
}
