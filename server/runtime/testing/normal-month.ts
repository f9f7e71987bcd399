import { canonicalJson, type JsonObject, parseJson } from '@/lib/kube/json';
import { type Month, startOfDay } from '@/server/runtime/shipped-month';

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z/g;
const DAY = /"\d{4}-\d\d-\d\d"/g;
const UID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
/** Of templates, their meanings, and records. */
const DERIVED = /\b[0-9a-f]{64}\b|"1:[\w-]{43}"|"(?:id|record|recordId|resourceVersion)":"[\w-]+"/g;

/**
 * The objects and lines of a month in an order and a form that do not depend on when it ends and which uids it has: times
 * as distances from its end, and each uid by the names of the object that has it.
 */
export function normalMonth({ endMs, cluster, archive, audit }: Month): string[] {
  const { collections } = parseJson(cluster) as { collections: Record<string, JsonObject[]> };
  const objects = Object.entries(collections).flatMap(([collection, all]) =>
    all.map((object) => ({ collection, object })),
  );
  const names = new Map<string, string>();
  for (const { collection, object } of objects) {
    const { uid, namespace, name } = object.metadata as Record<'uid' | 'namespace' | 'name', string>;
    names.set(uid, `uid of ${collection} ${namespace} ${name}`);
  }
  const lines = [
    ...objects.map(({ object }) => canonicalJson(object)),
    ...(archive + audit).split('\n').filter((line) => line !== ''),
  ];
  return lines
    .map((line) =>
      line
        // The recorder notes it from time to time.
        .replace(/"lastSeenAt":"[^"]*"/, '')
        .replace(TIME, (time) => `${Math.floor((Date.parse(time) - endMs) / 1_000)} s`)
        .replace(DAY, (day) => `"${(Date.parse(day.slice(1, -1)) - startOfDay(endMs)) / 86_400_000} days"`)
        .replace(UID, (uid) => names.get(uid) ?? 'uid')
        .replace(DERIVED, 'derived'),
    )
    .sort();
}
