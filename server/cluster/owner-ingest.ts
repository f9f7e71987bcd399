import 'server-only';
import { type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { type WorkloadKind } from '@/lib/workloads/kind';
import { type Workload } from '@/lib/workloads/workload';
import { ingestWorkload, type IngestContext } from '@/server/cluster/ingest';

/** A member of a spec or status that is longer tells no page anything. */
const MEMBER_CHARS_MAX = 2_000;

/** An object of any kind, whose spec and status may be of any size: long members are left out. */
export function ingestOwner(kind: WorkloadKind, object: KubeObject, context: IngestContext): Workload {
  const workload = ingestWorkload(kind, object, context);
  return Object.assign(workload, { spec: short(workload.spec), status: short(workload.status) });
}

function short(whole: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(whole).filter(([, value]) => (JSON.stringify(value)?.length ?? 0) <= MEMBER_CHARS_MAX),
  );
}
