import 'server-only';
import { type RawBuilder, type SqlBool, sql } from 'kysely';

/*
 * `isSameRecorded` in SQL: two templates are the same where their bytes or their meanings are. In a statement on
 * `record`.
 */

/** Whether the rollout led to another template than the one it replaced; false where that one is unknown. */
export const isChanged = sql<SqlBool>`(record.from_hash <> record.to_hash
  and coalesce(record.from_meaning <> record.to_meaning, 1 = 1))`;

/**
 * The activation of the same incarnation that led to a template of the record: the first one after it, or the last one
 * before. Null where there is none. Searches bytes and meaning apart, since each has an index and both together have
 * none.
 */
export function nearestTo(
  side: 'from' | 'to',
  direction: 'before' | 'after',
  /** Columns of the activation found, which is called `near`. */
  condition: RawBuilder<unknown> = sql`1 = 1`,
): RawBuilder<number> {
  const nearest = sql.raw(direction === 'before' ? 'max' : 'min');
  const order = sql.raw(direction === 'before' ? '<' : '>');
  const branch = (by: 'hash' | 'meaning') => sql`
    select ${nearest}(near.activation) as activation from record as near
    where near.workload_uid = record.workload_uid
      and near.${sql.ref(`to_${by}`)} = record.${sql.ref(`${side}_${by}`)}
      and near.activation ${order} record.activation and ${condition}`;
  return sql<number>`(select ${nearest}(activation) from (${branch('hash')} union all ${branch('meaning')}) as nearest)`;
}
