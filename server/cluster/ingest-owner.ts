import 'server-only';
import { type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { type WorkloadKind } from '@/lib/workloads/kind';
import { type Workload } from '@/lib/history/workload';
import { ingestWorkload, type IngestContext } from '@/server/cluster/ingest';

/** A longer member of a spec or status is of no use to a page. */
const MEMBER_CHARS_MAX = 2_000;

/** An object of any kind, whose spec and status may have any size: long members are left out. */
export function ingestOwner(kind: WorkloadKind, object: KubeObject, context: IngestContext): Workload {
  const workload = ingestWorkload(kind, object, context);
  return Object.assign(workload, {
    spec: withoutLongMembers(workload.spec),
    status: withoutLongMembers(workload.status),
  });
}

function withoutLongMembers(members: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => (JSON.stringify(value)?.length ?? 0) <= MEMBER_CHARS_MAX),
  );
}
