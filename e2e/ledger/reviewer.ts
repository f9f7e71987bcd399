import { setTimeout } from 'node:timers/promises';
import { shownAt } from '@/e2e/cluster/deployments';
import { type Shiplog } from '@/e2e/support/shiplog';
import { type RecordList, type ReviewAnswer } from '@/lib/api/records';
import { type WorkloadDetail } from '@/lib/api/workloads';

/** What Shiplog has said that it keeps. */
export class Acknowledged {
  /** Latest version of the verdict by id of the record. */
  readonly reviews = new Map<string, number>();
  /** Texts by id of the record. */
  readonly comments = new Map<string, string[]>();
  readonly actions = new Set<string>();

  /** Grows with everything that is acknowledged. */
  get count(): number {
    const versions = [...this.reviews.values()].reduce((sum, version) => sum + version, 0);
    return versions + [...this.comments.values()].flat().length + this.actions.size;
  }

  get isOfEach(): boolean {
    return this.reviews.size > 0 && this.comments.size > 0 && this.actions.size > 0;
  }
}

/** Until a server on its way up is asked again. */
const PAUSE_MS = 20;

/** Gives verdicts, comments and restarts one after the other, whatever becomes of them, until it is told to stop. */
export async function reviewUntil(
  stop: AbortSignal,
  shiplog: Shiplog,
  namespace: string,
  names: readonly string[],
  told: Acknowledged,
): Promise<void> {
  for (let turn = 0; !stop.aborted; turn += 1) {
    try {
      const { items } = (await shiplog.get('/api/records?limit=3')) as RecordList;
      for (const { id } of items) {
        await review(shiplog, id, told);
        await comment(shiplog, id, told);
      }
      await restart(shiplog, namespace, names[turn % names.length] ?? '', told);
    } catch {
      // It is not up yet, or not any more; what was acknowledged stays.
      await setTimeout(PAUSE_MS);
    }
  }
}

async function review(shiplog: Shiplog, id: string, told: Acknowledged): Promise<void> {
  const ifVersion = told.reviews.get(id) ?? 0;
  const answer = await shiplog.fetch(`/api/records/${id}/review`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ verdict: 'good', comment: '', ifVersion }),
  });
  if (answer.ok) told.reviews.set(id, ((await answer.json()) as ReviewAnswer).review.version);
  // It was kept, and the answer did not reach us.
  else if (answer.status === 409) told.reviews.set(id, ifVersion + 1);
}

async function comment(shiplog: Shiplog, id: string, told: Acknowledged): Promise<void> {
  const texts = told.comments.get(id) ?? [];
  const text = `comment ${texts.length + 1} at ${Date.now()}`;
  const { status } = await shiplog.post(`/api/records/${id}/comments`, { body: text });
  if (status < 300) told.comments.set(id, [...texts, text]);
}

async function restart(shiplog: Shiplog, namespace: string, name: string, told: Acknowledged): Promise<void> {
  const path = shownAt(namespace, name);
  const { workload } = (await shiplog.get(path)) as WorkloadDetail;
  const answer = await shiplog.post(`${path}/restart`, { seen: workload.seen, reason: 'soak' });
  if (answer.status >= 300) return;
  const { result } = answer.body as { result: { actionId: string } };
  told.actions.add(result.actionId);
}
