import 'server-only';
import { SpanKind } from '@opentelemetry/api';
import type { LogEvent } from 'kysely';
import { failSpan, tracer } from '@/server/shared/traced';
import type { Engine } from '@/server/archive/migrations/schema';

const systems: Readonly<Record<Engine, string>> = { sqlite: 'sqlite', postgres: 'postgresql' };

/** A span for every statement, with its kind and without its text or values; nothing unless traces are sent. */
export function tracedQueries(engine: Engine): { log?: (event: LogEvent) => void } {
  if (tracer() === undefined) return {};
  return {
    log: ({ level, query, queryDurationMillis }) => {
      const operation = /^\s*(\w+)/.exec(query.sql)?.[1]?.toUpperCase() ?? 'STATEMENT';
      const span = tracer()?.startSpan(operation, {
        kind: SpanKind.CLIENT,
        startTime: Date.now() - queryDurationMillis,
        attributes: { 'db.system.name': systems[engine], 'db.operation.name': operation },
      });
      if (level === 'error') failSpan(span, '_OTHER');
      span?.end();
    },
  };
}
