import 'server-only';
import { type ComponentItem, type WorkloadDetail } from '@/lib/api/workloads';
import { type ComponentStanding } from '@/lib/workloads/kind';
import { kindLabel } from '@/lib/workloads/resource';
import { type Workload } from '@/lib/workloads/workload';
import { maskText } from '@/server/mask';
import { type ReadContext } from '@/server/reads/context';
import { makerOf } from '@/server/reads/maker';
import { may } from '@/server/reads/rights';
import { rolloutOf } from '@/server/reads/rollouts';
import { type WorkloadView } from '@/server/reads/view';
import { type Viewer } from '@/server/viewer';

const WORKLOADS_MAX = 100;

/** What a workload was made for and what was made for it, each as far as the viewer may see it. */
export async function compositionOf(
  context: ReadContext,
  viewer: Viewer,
  view: WorkloadView,
): Promise<Pick<WorkloadDetail['workload'], 'components' | 'maker'>> {
  const [components, maker] = await Promise.all([
    Promise.all(
      (view.kind.components?.(view) ?? []).map((component) => componentItem(context, viewer, component)),
    ),
    makerOf(context, viewer, view.workload),
  ]);
  return { ...(view.kind.components && { components }), ...(maker && { maker }) };
}

async function componentItem(
  context: ReadContext,
  viewer: Viewer,
  { message, workloads, ...facts }: ComponentStanding,
): Promise<ComponentItem> {
  const shown = await Promise.all(
    workloads.slice(0, WORKLOADS_MAX).map((workload) => madeItem(context, viewer, workload)),
  );
  const visible = shown.flatMap((item) => item ?? []);
  return {
    ...facts,
    message: message === null ? null : maskText(message, context.keys),
    workloads: visible,
    hidden: workloads.length - visible.length,
  };
}

async function madeItem(
  context: ReadContext,
  viewer: Viewer,
  made: Workload,
): Promise<ComponentItem['workloads'][number] | null> {
  const { cluster, views } = context;
  const kind = cluster.cache.kindOf(made.resource);
  const { namespace, name } = made;
  if (kind === undefined || !(await may(cluster, viewer, 'get', kind.resource, namespace, { name })))
    return null;
  const { resource, state, message } = views.item(made);
  const rollout = await rolloutOf(context, viewer, made);
  return { resource, kind: kindLabel(kind.resource), namespace, name, state, message, rollout };
}
