import 'server-only';
import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { Outcome } from '@/lib/api/record-values';
import { toColumn } from '@/server/archive/column-values';
import type { ArchiveDb } from '@/server/archive/migrations/schema';
import { mentionTerm, prefixOfImage, prefixOfWord } from '@/server/archive/search-terms';

interface NamespaceScope {
  resource: string;
  namespaces: readonly string[];
}

/** A cluster, and what the viewer can see of it. */
export interface ClusterScope {
  cluster: string;
  /** Null: all. */
  scopes: readonly NamespaceScope[] | null;
}

/** The part of a query that is about one cluster. */
export type ClusterQuery = Omit<RecordQuery, 'clusters'> & ClusterScope;

/** A filter that is null or left out excludes nothing. */
export interface RecordQuery {
  /** Those that it is about, each once. */
  clusters: readonly ClusterScope[];
  limit: number;
  /** Opaque, from the previous page. */
  cursor?: string | null;
  /** Words that all occur, by prefix, in workload, namespace, images, cause, summary or actor. */
  words?: readonly string[];
  namespaces?: readonly string[] | null;
  resources?: readonly string[] | null;
  name?: string | null;
  /** Of incarnations of workloads. */
  uids?: readonly string[] | null;
  outcomes?: readonly (Outcome | 'open')[] | null;
  actor?: string | null;
  image?: string | null;
  /** Milliseconds since the epoch; a record counts by its start, or the bound of an unknown start. */
  sinceMs?: number | null;
  untilMs?: number | null;
  /**
   * In progress at any moment of it, both ends included. An open rollout has no end; one whose end was not observed
   * counts by its start, or the bound of it.
   */
  during?: { fromMs: number; toMs: number } | null;
  reviewed?: boolean | null;
  /** Ids of people, one of whom a comment mentions. */
  mentions?: readonly string[] | null;
}

/** Sorts after every text with the same beginning, in the order of bytes. */
const LAST = '\u{10FFFF}';

/** What lasts longer has an index of its own, which states the same length. */
const LONG_ROLLOUT_MS = 86_400_000;

/** An index does not help with more: then each row is checked. Nor does an engine take any number of parameters. */
const LISTED_MAX = 500;

export interface Filter {
  /** On a row of `record`; written so that no index serves it, since those lead away from the order. */
  holds: RawBuilder<SqlBool>;
  /** Selects `seq` of the rows that meet it, by an index; null where there is none. */
  rows: RawBuilder<unknown> | null;
}

export interface IndexedFilter extends Filter {
  rows: RawBuilder<unknown>;
}

/** Those together, as the condition of a statement. */
export function where(conditions: readonly RawBuilder<SqlBool>[]): RawBuilder<unknown> {
  return conditions.length === 0 ? sql`` : sql`where ${sql.join(conditions, sql` and `)}`;
}

/** The filters that an index serves with up to `max` rows, the fewest first. */
export async function mostSelective(
  db: ArchiveDb,
  filters: readonly Filter[],
  max: number,
): Promise<IndexedFilter[]> {
  const indexed = filters.filter((filter): filter is IndexedFilter => filter.rows !== null);
  const counts = indexed.map(
    ({ rows }, index) => sql`
      select ${sql.lit(index)} as place, count(*) as total
      from (select * from (${rows}) as matching limit ${sql.lit(max + 1)}) as counted`,
  );
  const { rows } = await sql<{ place: number; total: number }>`${sql.join(counts, sql` union all `)}`.execute(
    db,
  );
  return rows
    .filter(({ total }) => total <= max)
    .sort((one, other) => one.total - other.total)
    .flatMap(({ place }) => indexed[place] ?? []);
}

/** `seq` of the rows that meet all of them, each once. */
export function rowsMeetingAll(filters: readonly IndexedFilter[]): RawBuilder<unknown> {
  const sets = filters.map(({ rows }) => sql`select seq from (${rows}) as matching`);
  return sql`select distinct seq from (${sql.join(sets, sql` intersect `)}) as met`;
}

/** A query for each cluster: the order of starts, and every other index, begins with the cluster. */
export function byCluster({ clusters, ...query }: RecordQuery): ClusterQuery[] {
  return clusters.map((scope) => ({ ...query, ...scope }));
}

/** The members of a query that the order of starts serves. */
export function boundsOf({ cluster, sinceMs, untilMs, during }: ClusterQuery): RawBuilder<SqlBool>[] {
  const bounds = [sql<SqlBool>`record.cluster = ${toColumn(cluster)}`];
  if (sinceMs != null) bounds.push(sql`record.started_ms >= ${sinceMs}`);
  if (untilMs != null) bounds.push(sql`record.started_ms <= ${untilMs}`);
  if (during != null) bounds.push(sql`record.started_ms <= ${during.toMs}`);
  return bounds;
}

/** All other members. */
export function filtersOf(query: ClusterQuery): Filter[] {
  const { cluster } = query;
  const filters: Filter[] = [];
  const prefixes = (query.words ?? []).map(prefixOfWord);
  if (query.image != null) prefixes.push(prefixOfImage(query.image));
  for (const prefix of new Set(prefixes)) if (prefix !== '') filters.push(termFilter(prefix));
  if (query.namespaces != null) filters.push(columnFilter(cluster, 'namespace', query.namespaces));
  if (query.resources != null)
    filters.push({ ...columnFilter(cluster, 'resource', query.resources), rows: null });
  if (query.scopes !== null) filters.push(scopeFilter(query));
  if (query.name != null) filters.push(columnFilter(cluster, 'name', [query.name]));
  if (query.uids != null) filters.push(uidFilter(cluster, query.uids));
  if (query.outcomes != null) filters.push(columnFilter(cluster, 'outcome', query.outcomes));
  if (query.actor != null) filters.push(columnFilter(cluster, 'actor', [query.actor]));
  if (query.reviewed != null) filters.push(reviewFilter(cluster, Number(query.reviewed)));
  if (query.mentions != null) filters.push(mentionFilter(query.mentions));
  if (query.during != null) filters.push(periodFilter(cluster, query.during));
  return filters;
}

function termFilter(prefix: string): Filter {
  const range = sql`term >= ${prefix} and term < ${prefix + LAST}`;
  return {
    // Checked for each row, by the row: there may be many terms with the same beginning.
    holds: sql`(select 1 from record_term where record_term.seq = record.seq
      and record_term.term || '' >= ${prefix} and record_term.term || '' < ${prefix + LAST} limit 1) = 1`,
    rows: sql`select seq from record_term where ${range}`,
  };
}

function mentionFilter(people: readonly string[]): Filter {
  if (people.length === 0) return { holds: sql`1 = 0`, rows: null };
  const terms = listOf(people.map(mentionTerm));
  return {
    holds: sql`(select 1 from record_term where record_term.seq = record.seq
      and record_term.term || '' in (${terms}) limit 1) = 1`,
    rows: sql`select seq from record_term where term in (${terms})`,
  };
}

function columnFilter(
  cluster: string,
  column: 'namespace' | 'resource' | 'name' | 'workload_uid' | 'outcome' | 'actor',
  values: readonly string[],
): Filter {
  if (values.length === 0) return { holds: sql`1 = 0`, rows: null };
  const list = listOf(values.map(toColumn));
  return {
    holds: sql`${sql.ref(`record.${column}`)} || '' in (${list})`,
    rows: sql`select seq from record where cluster = ${toColumn(cluster)} and ${sql.ref(column)} in (${list})`,
  };
}

/** In one parameter where there are many: both engines unpack a JSON object by this name. */
export function listOf(values: readonly string[]): RawBuilder<unknown> {
  if (values.length <= LISTED_MAX) return sql.join(values);
  const members = JSON.stringify(Object.fromEntries(values.map((value) => [value, 0])));
  return sql`select key from json_each(${members})`;
}

function reviewFilter(cluster: string, reviewed: number): Filter {
  return {
    holds: sql`record.reviewed + 0 = ${reviewed}`,
    rows: sql`select seq from record where cluster = ${toColumn(cluster)} and reviewed = ${reviewed}`,
  };
}

function uidFilter(cluster: string, uids: readonly string[]): Filter {
  const filter = columnFilter(cluster, 'workload_uid', uids);
  return uids.length > LISTED_MAX ? { ...filter, rows: null } : filter;
}

/** What the viewer can see of a cluster. */
export function scopeFilter({ cluster, scopes }: ClusterScope): Filter {
  if (scopes === null) return { holds: sql`1 = 1`, rows: null };
  if (scopes.length === 0) return { holds: sql`1 = 0`, rows: null };
  const each = scopes.map(({ resource, namespaces }) => {
    const within = columnFilter(cluster, 'namespace', namespaces).holds;
    return sql`(${columnFilter(cluster, 'resource', [resource]).holds} and ${within})`;
  });
  return { holds: sql`(${sql.join(each, sql` or `)})`, rows: null };
}

/** What began within it or less than a day before, and the few that lasted longer. */
function periodFilter(cluster: string, { fromMs, toMs }: { fromMs: number; toMs: number }): Filter {
  const dayBeforeMs = fromMs - LONG_ROLLOUT_MS;
  const lasting = sql`ended_ms - started_ms > ${sql.lit(LONG_ROLLOUT_MS)}`;
  return {
    holds: sql`record.ended_ms + 0 >= ${fromMs}`,
    rows: sql`
      select seq from record
      where cluster = ${toColumn(cluster)} and started_ms >= ${dayBeforeMs} and started_ms <= ${toMs} and ended_ms >= ${fromMs}
      union all
      select seq from record where cluster = ${toColumn(cluster)} and ${lasting} and ended_ms >= ${fromMs} and started_ms < ${dayBeforeMs}`,
  };
}
