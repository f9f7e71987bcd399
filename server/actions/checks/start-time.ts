import 'server-only';
import { finding, type Finding } from '@/lib/workloads/plan';
import { formatCount } from '@/lib/format/text';
import { type CheckInput } from '@/server/actions/checks/check';

/**
 * How long the pods that still run this revision took from creation to ready. Kubernetes proves no more than
 * that: the times of an earlier rollout are deleted with its pods. Pods that restarted tell nothing of their
 * first start.
 */
export function checkStartTime({ current, to }: CheckInput): Finding[] {
  const { history, input } = current;
  const seconds = input.pods.flatMap((pod) => {
    if (to === null || history.revisionOfPod.get(pod.uid)?.id !== to.id) return [];
    if (pod.readyAt === null || pod.restarts > 0) return [];
    const ms = Date.parse(pod.readyAt) - Date.parse(pod.createdAt);
    return Number.isFinite(ms) && ms >= 0 ? [Math.round(ms / 1000)] : [];
  });
  const [first] = seconds;
  if (first === undefined) return [];
  const longest = Math.max(...seconds);
  const message =
    seconds.length === 1
      ? `The pod that still runs it became ready within ${longest} s of its creation.`
      : `The ${formatCount(seconds.length, 'pod')} that still run it became ready within ${longest} s of their creation.`;
  return [finding('info', 'start_time', message)];
}
