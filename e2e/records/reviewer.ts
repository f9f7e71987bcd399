import { setTimeout } from 'node:timers/promises';
import { shownAt } from '@/e2e/cluster/deployments';
import type { Shiplog } from '@/e2e/support/shiplog';
import type { ReviewAnswer } from '@/lib/api/review';
import type { RecordList } from '@/lib/api/records';
import type { WorkloadDetail } from '@/lib/api/workloads';

/** What Shiplog has acknowledged as stored. */
export class Acknowledged {
  /** Latest version of the verdict by id of the record. */
  readonly reviews = new Map<string, number>();
  /** Texts by id of the record. */
  readonly comments = new Map<string, string[]>();
  readonly actions = new Set<string>();

  /** Grows with every acknowledged write. */
  get count(): number {
    const versions = [...this.reviews.values()].reduce((sum, version) => sum + version, 0);
    return versions + [...this.comments.values()].flat().length + this.actions.size;
  }

  get isOfEach(): boolean {
    return this.reviews.size > 0 && this.comments.size > 0 && this.actions.size > 0;
  }
}

/** Pause before another request to a server that is starting. */
const PAUSE_MS = 20;

/** Writes verdicts and comments and restarts workloads, one after the other, whatever the results, until stopped. */
export async function reviewUntil(
  stop: AbortSignal,
  shiplog: Shiplog,
  namespace: string,
  names: readonly string[],
  acknowledged: Acknowledged,
): Promise<void> {
  for (let turn = 0; !stop.aborted; turn += 1) {
    try {
      const { items } = (await shiplog.get('/api/records?limit=3')) as RecordList;
      for (const { id } of items) {
        await review(shiplog, id, acknowledged);
        await comment(shiplog, id, acknowledged);
      }
      await restart(shiplog, namespace, names[turn % names.length] ?? '', acknowledged);
    } catch {
      // It is starting or stopping; what was acknowledged is unaffected.
      await setTimeout(PAUSE_MS);
    }
  }
}

async function review(shiplog: Shiplog, id: string, acknowledged: Acknowledged): Promise<void> {
  const ifVersion = acknowledged.reviews.get(id) ?? 0;
  const answer = await shiplog.fetch(`/api/records/${id}/review`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ verdict: 'good', comment: '', ifVersion }),
  });
  if (answer.ok) acknowledged.reviews.set(id, ((await answer.json()) as ReviewAnswer).review.version);
  // It was stored, but the answer was lost.
  else if (answer.status === 409) acknowledged.reviews.set(id, ifVersion + 1);
}

async function comment(shiplog: Shiplog, id: string, acknowledged: Acknowledged): Promise<void> {
  const texts = acknowledged.comments.get(id) ?? [];
  const text = `comment ${texts.length + 1} at ${Date.now()}`;
  const { status } = await shiplog.post(`/api/records/${id}/comments`, { body: text });
  if (status < 300) acknowledged.comments.set(id, [...texts, text]);
}

async function restart(
  shiplog: Shiplog,
  namespace: string,
  name: string,
  acknowledged: Acknowledged,
): Promise<void> {
  const path = shownAt(namespace, name);
  const { workload } = (await shiplog.get(path)) as WorkloadDetail;
  const answer = await shiplog.post(`${path}/restart`, { seen: workload.seen, reason: 'soak' });
  if (answer.status >= 300) return;
  const { result } = answer.body as { result: { actionId: string } };
  acknowledged.actions.add(result.actionId);
}
